//! oha against the router, beside the same load sent straight to the simulator and through the pass-through, taken in
//! turns within one run. Exits with 1 when the aim is missed.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use startline_load::simulator::{Behaviour, Script};
use startline_load::stand::caller;
use startline_load::stand::figures::{median, table};
use startline_load::stand::machine;
use startline_load::stand::oha::{Measured, Oha};
use startline_load::stand::requests::{Audience, Request, Surface};
use startline_load::stand::targets::{RouterSettings, Target};

/// Processor time of the router for a request that is not streamed, as a multiple of the pass-through's.
const DEAREST: f64 = 2.0;
/// The core of router and pass-through; oha and the simulator share the other.
const PROXY_CORE: usize = 0;
const OTHER_CORE: usize = 1;
/// Places among the contenders.
const PASS_THROUGH: usize = 1;
const ROUTER: usize = 2;
/// A Responses stream has this many events beside its deltas.
const FRAME_EVENTS: usize = 8;
const STREAM_EVENTS: usize = 64;
const DELTA_BYTES: usize = 24;
const MISSED: &str = "missed";
const WARM_UP: Duration = Duration::from_millis(500);
const HEAD: [&str; 7] = [
    "load",
    "target",
    "requests/s",
    "p50, ms",
    "p99, ms",
    "CPU µs/request",
    "× pass-through",
];

/// Runs oha against router, pass-through and simulator.
#[derive(Parser)]
struct Arguments {
    /// The program oha.
    #[arg(long, default_value = "oha")]
    oha: PathBuf,
    /// Length of one measurement, seconds.
    #[arg(long, default_value_t = 1.5)]
    seconds: f64,
    /// Measurements of each target; the order is turned round after each.
    #[arg(long, default_value_t = 10)]
    rounds: usize,
    /// Only the case with this name.
    #[arg(long)]
    only: Option<String>,
}

/// One line of load.
struct Case {
    name: &'static str,
    connections: usize,
    request: Request,
    /// How the router says that it served the request.
    reason: &'static str,
    /// The aim holds here, and the log is measured with it.
    has_aim: bool,
}

/// Something a load is sent to.
struct Contender {
    name: &'static str,
    audience: Audience,
    target: Target,
    /// The simulator's own processor time says nothing of a proxy.
    is_proxy: bool,
}

/// One measurement.
struct Sample {
    measured: Measured,
    /// Processor time for one request, µs.
    cost: f64,
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
    let contenders = contenders().await?;
    let oha = Oha {
        program: arguments.oha.clone(),
        core: OTHER_CORE,
    };
    let wanted = |case: &Case| {
        arguments
            .only
            .as_deref()
            .is_none_or(|only| only == case.name)
    };
    let mut rows = Vec::new();
    let mut verdict = "not measured";
    for case in cases().into_iter().filter(wanted) {
        let samples = measure(&case, &contenders, &oha, arguments).await?;
        let yardstick = &samples[PASS_THROUGH];
        for (contender, taken) in contenders.iter().zip(&samples) {
            if !taken.is_empty() {
                rows.push(row(&case, contender, taken, yardstick));
            }
        }
        if case.has_aim && verdict != MISSED {
            let held = ratio(&samples[ROUTER], yardstick) <= DEAREST;
            verdict = if held { "held" } else { MISSED };
        }
    }
    if rows.is_empty() {
        return Err(io::Error::other("--only names no load"));
    }
    println!("{machine}\n");
    println!(
        "Router and pass-through with one worker each on core {PROXY_CORE}, simulator and oha on core {OTHER_CORE}; \
         {} measurements of {} s each, in turns (A B C, C B A, …), medians; processor time from /proc/<pid>/stat, \
         compared within each turn; the router's log goes to /dev/null.\n",
        arguments.rounds, arguments.seconds
    );
    println!("{}\n", table(&HEAD, &rows));
    println!(
        "Aim: the router's CPU for a tier word, whole, at most {DEAREST} × the pass-through's: {verdict}"
    );
    Ok(ExitCode::from(u8::from(verdict == MISSED)))
}

/// Simulator, pass-through, router, and a router that logs only warnings, in this order.
async fn contenders() -> io::Result<[Contender; 4]> {
    let simulator = Target::simulator(Some(OTHER_CORE)).await?;
    let upstream = simulator.address;
    let router = |log_filter| async move {
        let settings = RouterSettings {
            workers: 1,
            pinned: false,
            openai: upstream,
            gemini: upstream,
            concurrency: 1_000,
            log_filter,
            core: Some(PROXY_CORE),
        };
        Target::router(&settings).await
    };
    let contender = |name, audience, target, is_proxy| Contender {
        name,
        audience,
        target,
        is_proxy,
    };
    Ok([
        contender("simulator itself", Audience::Provider, simulator, false),
        contender(
            "pass-through",
            Audience::Provider,
            Target::pass_through(upstream, 1, Some(PROXY_CORE)).await?,
            true,
        ),
        contender("router", Audience::Router, router("info").await?, true),
        contender(
            "router, log.filter = warn",
            Audience::Router,
            router("warn").await?,
            true,
        ),
    ])
}

fn cases() -> Vec<Case> {
    let case =
        |name, connections, start_within: &str, streamed, script: Script, reason, has_aim| Case {
            name,
            connections,
            request: Request {
                surface: Surface::Responses,
                streamed,
                start_within: start_within.to_owned(),
                script,
            },
            reason,
            has_aim,
        };
    let short = Script::default;
    let long = Script::any(Behaviour {
        deltas: Some(STREAM_EVENTS - FRAME_EVENTS),
        delta_bytes: Some(DELTA_BYTES),
        ..Behaviour::default()
    });
    let race = "00h-00m-30s";
    vec![
        case(
            "tier word, c = 1",
            1,
            "default",
            false,
            short(),
            "tier_direct",
            true,
        ),
        case(
            "tier word, c = 32",
            32,
            "default",
            false,
            short(),
            "tier_direct",
            true,
        ),
        case(
            "tier word, c = 128",
            128,
            "default",
            false,
            short(),
            "tier_direct",
            true,
        ),
        case(
            "tier word, 64 events, c = 32",
            32,
            "default",
            true,
            long,
            "tier_direct",
            false,
        ),
        case(
            "race won, whole, c = 32",
            32,
            race,
            false,
            short(),
            "flex_won",
            false,
        ),
        case(
            "race won, streamed, c = 32",
            32,
            race,
            true,
            short(),
            "flex_won",
            false,
        ),
    ]
}

/// The samples of each contender; none for a log that is not measured here.
async fn measure(
    case: &Case,
    contenders: &[Contender; 4],
    oha: &Oha,
    arguments: &Arguments,
) -> io::Result<[Vec<Sample>; 4]> {
    let mut samples = [const { Vec::new() }; 4];
    let mut order: Vec<usize> = (0..if case.has_aim { 4 } else { 3 }).collect();
    for place in &order {
        let contender = &contenders[*place];
        case.check(contender).await?;
        case.load(contender, oha, WARM_UP).await?;
    }
    for _ in 0..arguments.rounds {
        for place in &order {
            let contender = &contenders[*place];
            let before = contender.target.program.processor_time()?;
            let measured = case
                .load(contender, oha, Duration::from_secs_f64(arguments.seconds))
                .await?;
            let used = contender.target.program.processor_time()? - before;
            let cost = used.as_secs_f64() * 1e6 / measured.requests as f64;
            samples[*place].push(Sample { measured, cost });
        }
        order.reverse();
    }
    Ok(samples)
}

impl Case {
    async fn load(
        &self,
        contender: &Contender,
        oha: &Oha,
        duration: Duration,
    ) -> io::Result<Measured> {
        let to = contender.target.address;
        oha.run(
            &self.request,
            to,
            contender.audience,
            self.connections,
            duration,
        )
        .await
    }

    /// Sends one request: what is measured must be what the table says.
    async fn check(&self, contender: &Contender) -> io::Result<()> {
        let to: SocketAddr = contender.target.address;
        let bytes = self.request.over_http(to, contender.audience);
        let answer = caller::ask(to, 1, &bytes).await?;
        let wrong = |what: String| {
            Err(io::Error::other(format!(
                "{}, {}: {what}",
                self.name, contender.name
            )))
        };
        if answer.status != 200 {
            return wrong(format!("answered with {}", answer.status));
        }
        let reason = answer.header("x-flexinference-routing-reason");
        if contender.audience == Audience::Router && reason != Some(self.reason) {
            return wrong(format!("routing reason {reason:?}"));
        }
        let events = memchr::memmem::find_iter(&answer.body, b"data: ").count();
        if self.request.script != Script::default() && events != STREAM_EVENTS {
            return wrong(format!("{events} events"));
        }
        Ok(())
    }
}

fn middle(taken: &[Sample], figure: impl Fn(&Sample) -> f64) -> f64 {
    median(taken.iter().map(figure).collect())
}

/// How many times as much processor time as the yardstick: the median over the turns, so that what slows the machine
/// down for some seconds counts for both.
fn ratio(taken: &[Sample], yardstick: &[Sample]) -> f64 {
    let turns = taken.iter().zip(yardstick);
    median(turns.map(|(one, other)| one.cost / other.cost).collect())
}

fn row(case: &Case, contender: &Contender, taken: &[Sample], yardstick: &[Sample]) -> Vec<String> {
    let (cost, ratio) = if contender.is_proxy {
        let cost = middle(taken, |sample| sample.cost);
        (
            format!("{cost:.0}"),
            format!("{:.2}", ratio(taken, yardstick)),
        )
    } else {
        ("–".to_owned(), "–".to_owned())
    };
    vec![
        case.name.to_owned(),
        contender.name.to_owned(),
        format!("{:.0}", middle(taken, |sample| sample.measured.per_second)),
        format!("{:.2}", middle(taken, |sample| sample.measured.p50)),
        format!("{:.2}", middle(taken, |sample| sample.measured.p99)),
        cost,
        ratio,
    ]
}
