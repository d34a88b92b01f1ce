//! The command line of startline.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use startline::command::{Arguments, run};

/// Requests make and drop many small values on every worker; the system's allocator is a tenth of their cost.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    run(Arguments::parse())
}
