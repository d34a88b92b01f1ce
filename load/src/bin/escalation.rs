//! How exactly a race escalates: 200 races in flight whose flex leg falls silent after `response.in_progress`, timed
//! by the simulator's clock. Exits with 1 when an aim is missed.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use futures::future::join_all;
use startline_load::simulator::{Behaviour, Options, Script, Seen, Silence, Simulator};
use startline_load::stand::caller;
use startline_load::stand::figures::{quantile, sorted, table};
use startline_load::stand::machine;
use startline_load::stand::requests::{Audience, Request, Surface};
use startline_load::stand::targets::{RouterSettings, Target};

/// The deadline of every race: the shortest that a caller may set.
const START_WITHIN: Duration = Duration::from_secs(5);
const START_WITHIN_WORD: &str = "00h-00m-05s";
/// Standard may arrive this much later than flex's arrival and the deadline say, ms, at the 99th percentile.
const LATEST: f64 = 5.0;
/// The flex connection is closed within this of standard's arrival, ms.
const FARTHEST: f64 = 10.0;
const HEAD: [&str; 9] = [
    "series",
    "late p50",
    "late p99",
    "late min",
    "late max",
    "flex closed p50",
    "min",
    "max",
    "aims",
];

/// Times escalations by the simulator's clock.
#[derive(Parser)]
struct Arguments {
    /// Races in flight.
    #[arg(long, default_value_t = 200)]
    races: usize,
    /// Worker threads of the router.
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Time that standard takes for its answer, ms.
    #[arg(long, default_value_t = 0)]
    answer_after: u64,
    /// Simulator and callers compete with the router for the cores.
    #[arg(long)]
    compete: bool,
    /// Only races that come in like this.
    #[arg(long)]
    only: Option<Arrival>,
}

/// How the races of a series come in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Arrival {
    /// Evenly over one `start_within`: each race comes, and escalates, while all others are in flight.
    Spread,
    /// As fast as they can be sent: all deadlines fall together.
    AtOnce,
}

impl Arrival {
    fn word(self) -> &'static str {
        match self {
            Self::Spread => "spread",
            Self::AtOnce => "at once",
        }
    }

    fn pause_before(self, place: usize, races: usize) -> Duration {
        match self {
            Self::Spread => START_WITHIN * place as u32 / races as u32,
            Self::AtOnce => Duration::ZERO,
        }
    }
}

/// One race, by the simulator's clock.
struct Timing {
    /// Arrival of standard, less arrival of flex and the deadline, ms.
    late: f64,
    /// Close of the flex connection, less arrival of standard, ms.
    closed: f64,
}

fn main() -> io::Result<ExitCode> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(run(&arguments))
}

async fn run(arguments: &Arguments) -> io::Result<ExitCode> {
    let machine = machine::description();
    let simulator = Simulator::start(Options::default())?;
    let router = Target::router(&RouterSettings {
        workers: arguments.workers,
        pinned: true,
        openai: simulator.address(),
        gemini: simulator.address(),
        concurrency: arguments.races * 2,
        log_filter: "info",
        core: None,
    })
    .await?;
    if !arguments.compete {
        machine::step_back(&["simulator", "escalation"])?;
    }
    let mut rows = Vec::new();
    let mut missed = 0;
    for arrival in [Arrival::Spread, Arrival::AtOnce] {
        if arguments.only.is_some_and(|only| only != arrival) {
            continue;
        }
        for surface in [Surface::Responses, Surface::Interactions] {
            for streamed in [true, false] {
                simulator.clear();
                let series = Series {
                    arrival,
                    request: request(surface, streamed, arguments.answer_after),
                    races: arguments.races,
                };
                let timings = series.run(&simulator, router.address).await?;
                let (row, held) = series.judge(&timings);
                missed += usize::from(!held);
                rows.push(row);
            }
        }
    }
    println!("{machine}\n");
    println!(
        "{} races in flight, router with {} workers as a process of its own, simulator and callers in another; \
         which {}; start_within 5 s; standard answers after {} ms; ms by the simulator's clock.\n",
        arguments.races,
        arguments.workers,
        if arguments.compete {
            "compete with it for the cores"
        } else {
            "run only while it leaves them a core (SCHED_IDLE)"
        },
        arguments.answer_after
    );
    println!("{}", table(&HEAD, &rows));
    Ok(ExitCode::from(u8::from(missed > 0)))
}

fn request(surface: Surface, streamed: bool, answer_after: u64) -> Request {
    let silent = Behaviour {
        silent: Some(Silence::Queued),
        ..Behaviour::default()
    };
    let answer = Behaviour {
        head_delay_ms: answer_after,
        ..Behaviour::default()
    };
    Request {
        surface,
        streamed,
        start_within: START_WITHIN_WORD.to_owned(),
        script: Script {
            flex: vec![silent],
            settled: vec![answer],
            ..Script::default()
        },
    }
}

struct Series {
    arrival: Arrival,
    request: Request,
    races: usize,
}

impl Series {
    async fn run(&self, simulator: &Simulator, router: SocketAddr) -> io::Result<Vec<Timing>> {
        let races = (0..self.races).map(|place| self.race(place, router));
        let outcomes = join_all(races).await;
        for outcome in outcomes {
            outcome?;
        }
        let all_closed = |seen: &[Seen]| seen.iter().filter(|seen| is_flex(seen)).all(is_closed);
        if !simulator.wait_for(all_closed, Duration::from_secs(1)).await {
            return Err(io::Error::other("a flex connection is still open"));
        }
        timings(&simulator.seen(), self.races)
    }

    /// One race; an error unless it was lost by flex and answered by standard.
    async fn race(&self, place: usize, router: SocketAddr) -> io::Result<()> {
        tokio::time::sleep(self.arrival.pause_before(place, self.races)).await;
        // The simulator tells the two legs of a race from all others by this name.
        let mut request = self.request.clone();
        request.script.id = Some(place.to_string());
        let bytes = request.over_http(router, Audience::Router);
        let answer = caller::ask(router, 1, &bytes).await?;
        let reason = answer.header("x-flexinference-routing-reason");
        if answer.status == 200 && reason == Some("flex_deadline") {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "a race was answered with {} and reason {reason:?}",
            answer.status
        )))
    }

    /// A row of the table, and whether the aims are held.
    fn judge(&self, timings: &[Timing]) -> (Vec<String>, bool) {
        let late = sorted(timings.iter().map(|timing| timing.late).collect());
        let closed = sorted(timings.iter().map(|timing| timing.closed).collect());
        let (first, last) = (quantile(&closed, 0.0), quantile(&closed, 1.0));
        let held = quantile(&late, 0.99) <= LATEST && first >= -FARTHEST && last <= FARTHEST;
        let streamed = if self.request.streamed {
            "streamed"
        } else {
            "whole"
        };
        let name = format!(
            "{:?}, {streamed}, {}",
            self.request.surface,
            self.arrival.word()
        );
        let mut row = vec![name];
        let late_shown = [0.5, 0.99, 0.0, 1.0].map(|share| quantile(&late, share));
        let closed_shown = [quantile(&closed, 0.5), first, last];
        row.extend(
            late_shown
                .iter()
                .chain(&closed_shown)
                .map(|value| format!("{value:+.2}")),
        );
        row.push(if held { "held" } else { "missed" }.to_owned());
        (row, held)
    }
}

fn is_flex(seen: &Seen) -> bool {
    seen.tier.as_deref() == Some("flex")
}

fn is_closed(seen: &Seen) -> bool {
    seen.closed.is_some()
}

fn timings(seen: &[Seen], races: usize) -> io::Result<Vec<Timing>> {
    let mut timings = Vec::with_capacity(races);
    for place in 0..races {
        let name = place.to_string();
        let legs: Vec<&Seen> = seen
            .iter()
            .filter(|seen| seen.id.as_deref() == Some(&name))
            .collect();
        let [flex, standard] = legs[..] else {
            return Err(io::Error::other(format!("a race had {} legs", legs.len())));
        };
        let closed = flex.closed.filter(|closed| closed.by_other_side_before_end);
        let closed = closed.ok_or_else(|| io::Error::other("a flex leg was not cancelled"))?;
        timings.push(Timing {
            late: milliseconds(standard.at, flex.at + START_WITHIN),
            closed: milliseconds(closed.at, standard.at),
        });
    }
    Ok(timings)
}

/// How much later `what` was than `than`; negative when it was earlier.
fn milliseconds(what: Instant, than: Instant) -> f64 {
    let later = what.saturating_duration_since(than);
    let earlier = than.saturating_duration_since(what);
    (later.as_secs_f64() - earlier.as_secs_f64()) * 1_000.0
}
