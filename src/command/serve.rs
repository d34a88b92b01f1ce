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
    let _log = telemetry::init(&settings.log).map_err(Failed::new)?;
    let _key_file = if settings.keys.router.is_empty() {
        first_key(&mut settings).map_err(Failed::new)?
    } else {
        None
    };
    actix::System::new().block_on(async {
        let application = Application::build(settings).map_err(Failed::new)?;
        let address = application.address();
        tracing::info!(%address, "listening");
        application.run_until_signalled().await.map_err(Failed::new)
    })
}

/// The file of a key that was made for this run; it goes with the run.
struct KeyFile(PathBuf);

impl Drop for KeyFile {
    fn drop(&mut self) {
        // Whoever has removed it already is not wrong.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Without a configured router key nobody could call: one is made for this run, and shown to the operator only. Gives
/// the file that it is in, when there is no terminal to show it on.
fn first_key(settings: &mut Settings) -> io::Result<Option<KeyFile>> {
    let key = RouterKey::generate(&mut rand::rng());
    let mut file = None;
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
        file = Some(KeyFile(path));
    }
    settings.keys.router.push(settings::RouterKey {
        key: Some(SecretText::new(key.reveal())),
        sha256: None,
        label: "made at the start".to_owned(),
        start_within: None,
    });
    Ok(file)
}

fn write_key(key: &RouterKey) -> io::Result<PathBuf> {
    // Not the process id: in a container that is the same at every start, and a killed run leaves its file behind.
    let name = format!("startline-key-{:016x}", rand::random::<u64>());
    let path = std::env::temp_dir().join(name);
    // A file that is there already is not ours to write to.
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    writeln!(file, "{}", key.reveal())?;
    Ok(path)
}
