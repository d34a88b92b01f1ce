//! Runs the simulator of the providers on its own, for load runs and for trying things out.

use clap::Parser;
use startline_load::simulator::{Options, Simulator};

/// Simulates OpenAI, Gemini and Anthropic on one address.
///
/// Point a client's base URL at it; any key will do. See the crate's documentation for what can be scripted.
#[derive(Parser)]
struct Arguments {
    /// Address and port.
    #[arg(long, default_value = "127.0.0.1:9100")]
    listen: String,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Remember nothing: no `/sim/seen`, faster.
    #[arg(long)]
    quiet: bool,
}

fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    let options = Options {
        listen: arguments.listen,
        threads: arguments.threads,
        record: !arguments.quiet,
    };
    let simulator = Simulator::start(options)?;
    println!("the simulator listens on {}", simulator.base_url());
    let until_interrupted = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    until_interrupted.block_on(tokio::signal::ctrl_c())
}
