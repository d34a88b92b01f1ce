//! `startline demo`: a router and simulated providers on free ports of this machine, and a scripted set of requests
//! whose outcomes are read off the answers and off what the providers saw. The script only says what is expected.

mod caller;
mod observed;
mod scene;
mod script;
mod stage;
mod table;
mod tally;

#[cfg(test)]
mod tests;

use std::io::{IsTerminal, Write, stdout};
use std::time::{Duration, Instant};

use actix_rt::time::interval;
use futures::StreamExt;
use futures::stream::FuturesUnordered;

use self::observed::Observed;
use self::scene::Scene;
use self::stage::Stage;
use self::table::{Look, Row};
use self::tally::Tally;
use super::Failed;
use crate::settings::{Log, LogFormat};
use crate::telemetry;

const LOG_WAITING_LINES: usize = 1024;
/// A stream that breaks is part of the show: its warning is not.
const LOG_FILTER: &str = "warn,startline::api::streamed=error";

/// How often the line below the table is drawn again.
const TICK: Duration = Duration::from_millis(100);

#[derive(Debug, clap::Args)]
pub(super) struct DemoArguments {
    /// Ends after the requests: with exit status 0 if all went as scripted, else 1.
    #[arg(long)]
    once: bool,
    /// No colours and no line that changes, also on a terminal.
    #[arg(long)]
    plain: bool,
}

/// Something went otherwise than scripted.
#[derive(Debug, thiserror::Error)]
#[error("{0} of the requests went otherwise than scripted")]
struct NotAsScripted(usize);

pub(super) fn run(arguments: &DemoArguments) -> Result<(), Failed> {
    let log = Log {
        format: LogFormat::Text,
        filter: LOG_FILTER.to_owned(),
        waiting_lines: LOG_WAITING_LINES,
    };
    let _log = telemetry::init(&log).map_err(Failed::new)?;
    actix::System::new().block_on(show(arguments))
}

async fn show(arguments: &DemoArguments) -> Result<(), Failed> {
    let stage = Stage::set().map_err(Failed::new)?;
    let (scenes, look) = (script::scenes(), look(arguments));
    let mut out = stdout();
    print(
        &mut out,
        &table::opening(&stage.address().to_string(), &scenes, look),
    );
    let tally = perform(&stage, scenes, look, &mut out).await;
    print(&mut out, &table::closing(&tally));
    let otherwise = tally.otherwise();
    if !arguments.once {
        print(&mut out, &invitation(&stage));
        tokio::signal::ctrl_c().await.map_err(Failed::new)?;
    }
    stage.strike().await;
    if otherwise > 0 {
        return Err(Failed::new(NotAsScripted(otherwise)));
    }
    Ok(())
}

/// Sends all scenes at the same time and prints each as it finishes.
async fn perform(stage: &Stage, scenes: Vec<Scene>, look: Look, out: &mut dyn Write) -> Tally {
    let client = caller::client();
    let begun = Instant::now();
    let numbered = scenes.iter().zip(1..);
    let mut running: FuturesUnordered<_> = numbered
        .map(|(scene, number)| play(stage, &client, scene, number))
        .collect();
    let mut ticks = interval(TICK);
    let mut tally = Tally::default();
    loop {
        tokio::select! {
            row = running.next() => {
                let Some(row) = row else { return tally };
                print(out, &table::line(&row, look));
                tally.add(&row);
            }
            _ = ticks.tick(), if look.live => {
                print(out, &table::waiting(running.len(), begun.elapsed()));
            }
        }
    }
}

async fn play<'a>(stage: &Stage, client: &awc::Client, scene: &'a Scene, number: usize) -> Row<'a> {
    let id = format!("demo-{number}");
    let outcome = caller::send(client, stage, scene, &id).await;
    let calls = stage.calls(&id).await;
    let catalogue = stage.catalogue();
    let model = catalogue.get(scene.model);
    let observed = Observed::new(scene.surface, model, outcome, calls);
    let differences = scene.expected.differences(&observed);
    Row {
        number,
        scene,
        observed,
        differences,
    }
}

/// A reader who has gone must not end the demo with a panic; a table that nobody reads is no loss.
fn print(out: &mut dyn Write, text: &str) {
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

fn look(arguments: &DemoArguments) -> Look {
    let variable = |name| std::env::var_os(name).unwrap_or_default();
    let live = stdout().is_terminal() && !arguments.plain && variable("TERM") != "dumb";
    Look {
        live,
        colours: live && variable("NO_COLOR").is_empty(),
    }
}

fn invitation(stage: &Stage) -> String {
    let curl = |prompt: &str| {
        format!(
            "curl -N http://{}/v1/responses -H 'authorization: Bearer {}' -H 'content-type: application/json' \
             -d '{{\"model\":\"gpt-5.5\",\"input\":\"{prompt}\",\"stream\":true,\"start_within\":\"{}\"}}'",
            stage.address(),
            stage.key(),
            scene::SHORTEST,
        )
    };
    format!(
        "\nRouter and simulated providers stay up until Ctrl-C. Try it (-i shows the headers); flex wins:\n\n{}\n\n\
         Flex never starts, standard answers after 5 s:\n\n{}\n",
        curl("Hello"),
        curl(r#"Hello [[sim {\"flex\":{\"silent\":\"queued\"}}]]"#),
    )
}
