//! Ten thousand races that wait for a silent flex leg at one time: all of them escalate, none is lost; and what each
//! costs in memory, beside the pass-through with the same connections. Exits with 1 when an aim is missed.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use startline_load::simulator::{Behaviour, Script, Silence};
use startline_load::stand::caller;
use startline_load::stand::figures::table;
use startline_load::stand::machine;
use startline_load::stand::requests::{Audience, Request, Surface};
use startline_load::stand::targets::{RouterSettings, Target};
use tokio::task::JoinSet;

const START_WITHIN: Duration = Duration::from_secs(30);
const START_WITHIN_WORD: &str = "00h-00m-30s";
/// What a parked race should cost at most, in pass-throughs.
const AIM: f64 = 1.3;
/// Descriptors that a program needs beside its callers, their upstreams and the connections that are opened ahead.
const SPARE_DESCRIPTORS: usize = 200;
/// How long before a deadline the router opens a connection: `pool.connect_ahead`.
const OPENED_AHEAD: Duration = Duration::from_secs(1);
/// Addresses that callers come from.
const SOURCES: usize = 8;
/// How long the last answers may take after the last deadline.
const GRACE: Duration = Duration::from_secs(60);
/// What must become of every race.
const WELL: &str = "answered with 200 by standard after the deadline";
const TICK: Duration = Duration::from_millis(20);
const HEAD: [&str; 6] = [
    "program",
    "idle, MiB",
    "parked, MiB",
    "peak, MiB",
    "KiB a pair, parked",
    "KiB a pair, peak",
];

/// Parks races on a silent flex leg.
#[derive(Parser)]
struct Arguments {
    /// Races parked at one time.
    #[arg(long, default_value_t = 10_000)]
    races: usize,
    /// Races that begin in a second.
    #[arg(long, default_value_t = 1_000)]
    rate: usize,
    /// Worker threads of each router.
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Routers that share the races; as few as the descriptor limit allows when left out.
    #[arg(long)]
    routers: Option<usize>,
}

/// Memory of all programs of one kind, bytes.
#[derive(Default)]
struct Memory {
    idle: u64,
    parked: u64,
    peak: u64,
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
    let routers = arguments
        .routers
        .unwrap_or_else(|| routers_needed(arguments.races, arguments.rate));
    let mut load = Load {
        races: arguments.races,
        rate: arguments.rate,
        simulator: Target::simulator(None).await?,
        targets: Vec::new(),
    };
    for _ in 0..routers {
        let router = load.router(arguments.workers).await?;
        load.targets.push(router);
    }
    let (router, outcomes) = load.race().await?;
    load.targets.clear();
    let upstream = at(2, load.simulator.address);
    for _ in 0..routers {
        let pass_through = Target::pass_through(upstream, arguments.workers, None).await?;
        load.targets.push(pass_through);
    }
    let pass_through = load.hold().await?;
    println!("{machine}\n");
    println!(
        "{} races parked at one time on {routers} router(s) of {} workers, {} begun in a second, half Responses and \
         half Interactions, half of each streamed, start_within 30 s; descriptor limit {}.\n",
        arguments.races,
        arguments.workers,
        arguments.rate,
        machine::descriptor_limit()
    );
    let ratio = report(arguments.races, &router, &pass_through, &outcomes);
    let all_well = outcomes.len() == 1 && outcomes.contains_key(WELL);
    Ok(ExitCode::from(u8::from(!all_well || ratio > AIM)))
}

/// Prints what came of the races, and the memory; gives the router's share for each pair over the pass-through's.
fn report(
    races: usize,
    router: &Memory,
    pass_through: &Memory,
    outcomes: &BTreeMap<String, usize>,
) -> f64 {
    for (outcome, count) in outcomes {
        println!("- {count} × {outcome}");
    }
    let rows = [
        router.row("router", races),
        pass_through.row("pass-through", races),
    ];
    println!("\n{}\n", table(&HEAD, &rows));
    let ratio = router.each(races).1 / pass_through.each(races).1;
    let verdict = if ratio <= AIM { "held" } else { "missed" };
    println!(
        "router / pass-through, peak for each pair: {ratio:.2} (aim: at most {AIM}, {verdict})"
    );
    ratio
}

/// Each race needs two descriptors in its router, its caller's and its provider's, and shortly before its deadline three.
fn routers_needed(races: usize, rate: usize) -> usize {
    let ahead = rate * OPENED_AHEAD.as_secs() as usize;
    let room = machine::descriptor_limit().saturating_sub(SPARE_DESCRIPTORS + ahead) / 2;
    races.div_ceil(room.max(1))
}

/// The same port on another loopback address.
fn at(last: u8, address: SocketAddr) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), address.port()))
}

/// The programs under load. The simulator is reached on an address of its own for each vendor, so that neither runs
/// out of ports.
struct Load {
    races: usize,
    rate: usize,
    simulator: Target,
    targets: Vec<Target>,
}

impl Load {
    async fn router(&self, workers: usize) -> io::Result<Target> {
        let settings = RouterSettings {
            workers,
            pinned: false,
            openai: at(2, self.simulator.address),
            gemini: at(3, self.simulator.address),
            // The standard setting, 1000, would let the others wait for a permit instead of a provider.
            concurrency: self.races,
            log_filter: "info",
            core: None,
        };
        Target::router(&settings).await
    }

    /// Runs the races to their end; gives memory, and how often each outcome came.
    async fn race(&mut self) -> io::Result<(Memory, BTreeMap<String, usize>)> {
        let mut memory = Memory {
            idle: self.resident()?,
            ..Memory::default()
        };
        let begun = Instant::now();
        let mut calls = JoinSet::new();
        for place in 0..self.races {
            let (target, bytes) = self.call(place, Audience::Router);
            let call = async move { outcome(caller::ask(target, source(place), &bytes).await) };
            calls.spawn(call);
            self.keep_pace(begun, place).await;
        }
        self.all_are_parked(begun).await?;
        memory.parked = self.resident()?;
        let mut outcomes = BTreeMap::new();
        let last = begun + START_WITHIN + self.ramp() + GRACE;
        while let Ok(Some(ended)) = tokio::time::timeout_at(last.into(), calls.join_next()).await {
            *outcomes.entry(ended?).or_insert(0) += 1;
        }
        if !calls.is_empty() {
            outcomes.insert("lost: no answer in time".to_owned(), calls.len());
        }
        memory.peak = self.peak()?;
        Ok((memory, outcomes))
    }

    /// Opens the same connections through the pass-through, and looks at its memory when all are parked.
    async fn hold(&mut self) -> io::Result<Memory> {
        let idle = self.resident()?;
        let begun = Instant::now();
        let mut held = JoinSet::new();
        for place in 0..self.races {
            let (target, bytes) = self.call(place, Audience::Provider);
            held.spawn(async move { caller::send(target, source(place), &bytes).await });
            self.keep_pace(begun, place).await;
        }
        let mut streams = Vec::with_capacity(self.races);
        while let Some(sent) = held.join_next().await {
            streams.push(sent??);
        }
        self.all_are_parked(begun).await?;
        Ok(Memory {
            idle,
            parked: self.resident()?,
            peak: self.peak()?,
        })
    }

    /// Where the call of this place goes, and its bytes.
    fn call(&self, place: usize, audience: Audience) -> (SocketAddr, Vec<u8>) {
        let silent = Behaviour {
            silent: Some(Silence::Queued),
            ..Behaviour::default()
        };
        let surface = match place % 2 {
            0 => Surface::Responses,
            _ => Surface::Interactions,
        };
        let request = Request {
            surface,
            // The flex leg is streamed in any case; so the pass-through gets a stream in any case.
            streamed: audience == Audience::Provider || (place / 2).is_multiple_of(2),
            start_within: START_WITHIN_WORD.to_owned(),
            script: Script {
                flex: vec![silent],
                ..Script::default()
            },
        };
        let target = self.targets[place % self.targets.len()].address;
        (target, request.over_http(target, audience))
    }

    async fn keep_pace(&self, begun: Instant, place: usize) {
        let due = begun + Duration::from_secs_f64(place as f64 / self.rate as f64);
        tokio::time::sleep_until(due.into()).await;
    }

    fn ramp(&self) -> Duration {
        Duration::from_secs_f64(self.races as f64 / self.rate as f64)
    }

    /// Waits until every request is open at the simulator; fails when the first deadline comes before.
    async fn all_are_parked(&self, begun: Instant) -> io::Result<()> {
        loop {
            let open = self.open_at_simulator().await?;
            if open == self.races {
                return Ok(());
            }
            if begun.elapsed() >= START_WITHIN {
                return Err(io::Error::other(format!(
                    "only {open} of {} were parked at one time before the first deadline",
                    self.races
                )));
            }
            tokio::time::sleep(TICK).await;
        }
    }

    async fn open_at_simulator(&self) -> io::Result<usize> {
        let request = b"GET /sim/open HTTP/1.1\r\nhost: simulator\r\nconnection: close\r\n\r\n";
        let answer = caller::ask(self.simulator.address, 1, request).await?;
        let open: serde_json::Value = serde_json::from_slice(&answer.body)?;
        open["requests"]
            .as_u64()
            .map(|count| count as usize)
            .ok_or_else(|| io::Error::other("the simulator does not say what is open"))
    }

    fn resident(&self) -> io::Result<u64> {
        self.targets
            .iter()
            .map(|target| target.program.resident())
            .sum()
    }

    fn peak(&self) -> io::Result<u64> {
        self.targets
            .iter()
            .map(|target| target.program.peak_resident())
            .sum()
    }
}

fn source(place: usize) -> u8 {
    (place % SOURCES) as u8 + 1
}

fn outcome(answer: io::Result<caller::Answer>) -> String {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return format!("lost: {error}"),
    };
    let header = |name| answer.header(name).unwrap_or("none").to_owned();
    let lost_race = header("x-flexinference-flex-reason") == "flex_lost_race";
    let reason = header("x-flexinference-routing-reason");
    if answer.status == 200 && lost_race && reason == "flex_deadline" {
        return WELL.to_owned();
    }
    format!("answered with {}, routing reason {reason}", answer.status)
}

impl Memory {
    /// KiB for each pair of connections, parked and at the peak.
    fn each(&self, pairs: usize) -> (f64, f64) {
        let of = |bytes: u64| (bytes - self.idle) as f64 / 1024.0 / pairs as f64;
        (of(self.parked), of(self.peak))
    }

    fn row(&self, name: &str, pairs: usize) -> Vec<String> {
        let mebibytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1024.0 / 1024.0);
        let (parked, peak) = self.each(pairs);
        vec![
            name.to_owned(),
            mebibytes(self.idle),
            mebibytes(self.parked),
            mebibytes(self.peak),
            format!("{parked:.1}"),
            format!("{peak:.1}"),
        ]
    }
}
