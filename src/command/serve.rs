//! `startline serve`.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use super::{ConfigArguments, Failed};
use crate::keys::RouterKey;
use crate::settings::{self, SecretText, Settings};
use crate::startup::Application;
use crate::telemetry;

pub(super) fn run(config: &ConfigArguments) -> Result<(), Failed> {
    let mut settings = config.settings().map_err(Failed::new)?;
    telemetry::init(&settings.log).map_err(Failed::new)?;
    if settings.keys.router.is_empty() {
        first_key(&mut settings).map_err(Failed::new)?;
    }
    actix::System::new().block_on(async {
        let application = Application::build(settings).map_err(Failed::new)?;
        let address = application.address();
        tracing::info!(%address, "listening");
        application.run_until_signalled().await.map_err(Failed::new)
    })
}

/// Without a configured router key nobody could call: one is made for this run, and shown to the operator only.
fn first_key(settings: &mut Settings) -> io::Result<()> {
    let key = RouterKey::generate(&mut rand::rng());
    if io::stdout().is_terminal() {
        println!(
            "No router key is configured (keys.router). This one is good until the router stops:"
        );
        println!("  {}", key.reveal());
    } else {
        let path = write_key(&key)?;
        println!(
            "No router key is configured (keys.router). One that is good until the router stops is in {path:?}"
        );
    }
    settings.keys.router.push(settings::RouterKey {
        key: Some(SecretText::new(key.reveal())),
        sha256: None,
        label: "made at the start".to_owned(),
        start_within: None,
    });
    Ok(())
}

fn write_key(key: &RouterKey) -> io::Result<PathBuf> {
    let path = std::env::temp_dir().join(format!("startline-key-{}", std::process::id()));
    // A file that is there already is not ours to write to.
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    writeln!(file, "{}", key.reveal())?;
    Ok(path)
}
