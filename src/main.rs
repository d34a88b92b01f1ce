//! The command line of startline.

use std::process::ExitCode;

use clap::Parser;
use startline::command::{Arguments, run};

fn main() -> ExitCode {
    run(Arguments::parse())
}
