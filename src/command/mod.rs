//! The command line: what can be asked for, and with which exit status it ends: 0 done, 1 failed, 2 asked for wrongly.

mod check_config;
mod demo;
mod models;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::settings::{Settings, SettingsError, process_environment};

/// Deadline-aware router for LLM inference: half-price flex first, standard when flex has not started in time.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  OPENAI_API_KEY=sk-… startline serve
  startline serve --config /etc/startline.toml
  startline demo
  startline check-config --config startline.toml
  startline models --json";

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the router until SIGTERM (running requests finish) or SIGINT (they are cut off).
    #[command(
        after_help = "Example:\n  OPENAI_API_KEY=sk-… STARTLINE__SERVER__LISTEN=0.0.0.0:8080 startline serve"
    )]
    Serve(ConfigArguments),
    /// Shows races won and lost: a router, simulated providers, and a scripted set of requests. Needs no key.
    #[command(after_help = "Example:\n  startline demo --once && echo 'all as scripted'")]
    Demo(demo::DemoArguments),
    /// Reads the settings and the catalogue and says what is wrong with them.
    #[command(after_help = "Example:\n  startline check-config --config startline.toml")]
    CheckConfig(ConfigArguments),
    /// Lists the models of the catalogue with their tiers and prices.
    #[command(after_help = "Example:\n  startline models --json | jq '.[] | select(.flex)'")]
    Models {
        #[command(flatten)]
        config: ConfigArguments,
        /// Prints JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct ConfigArguments {
    /// A file with the settings that differ from the defaults; the environment (STARTLINE__SECTION__KEY) beats it.
    #[arg(long, value_name = "FILE", env = "STARTLINE_CONFIG")]
    config: Option<PathBuf>,
}

impl ConfigArguments {
    fn settings(&self) -> Result<Settings, SettingsError> {
        Settings::load(self.config.as_deref(), &process_environment())
    }
}

/// Why a command ended without having done its work.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Failed(Box<dyn std::error::Error>);

impl Failed {
    fn new(error: impl Into<Box<dyn std::error::Error>>) -> Self {
        Self(error.into())
    }
}

/// Runs a command.
pub fn run(arguments: Arguments) -> ExitCode {
    let outcome = match arguments.command {
        Command::Serve(config) => serve::run(&config),
        Command::Demo(demo) => demo::run(&demo),
        Command::CheckConfig(config) => check_config::run(&config),
        Command::Models { config, json } => models::run(&config, json),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("startline: {error}");
            ExitCode::FAILURE
        }
    }
}
