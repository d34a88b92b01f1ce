//! `startline check-config`.

use super::{ConfigArguments, Failed};
use crate::catalogue::CatalogueHandle;
use crate::router;
use crate::vocabulary::Provider;

pub(super) fn run(config: &ConfigArguments) -> Result<(), Failed> {
    let settings = config.settings().map_err(Failed::new)?;
    let catalogue =
        CatalogueHandle::open(settings.catalogue.path.as_deref()).map_err(Failed::new)?;
    router::configured_keys(&settings).map_err(Failed::new)?;
    settings.tls.roots.store().map_err(Failed::new)?;
    println!("The settings are good.");
    println!("  listens on     {}", settings.server.listen);
    println!("  router keys    {}", settings.keys.router.len());
    println!("  models         {}", catalogue.current().models().len());
    for provider in [Provider::Openai, Provider::Gemini, Provider::Anthropic] {
        let there = settings.providers.of(provider);
        let key = if there.api_key.is_empty() {
            "no key"
        } else {
            "has a key"
        };
        println!(
            "  {:<14} {key}, {}",
            provider.word(),
            there.base_url.as_str()
        );
    }
    Ok(())
}
