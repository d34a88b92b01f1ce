//! One run of oha, the load generator, and its figures.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;

use super::requests::{Audience, Request};

/// Where oha is, and how it is started.
#[derive(Debug, Clone)]
pub struct Oha {
    /// The program.
    pub program: PathBuf,
    /// The core it is bound to.
    pub core: usize,
}

/// What one run measured.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Requests answered; all of them with 200.
    pub requests: u64,
    /// Requests answered in a second.
    pub per_second: f64,
    /// Half of the answers were whole within this, ms.
    pub p50: f64,
    /// 99 of 100 were, ms.
    pub p99: f64,
}

impl Oha {
    /// Sends `request` over `connections` for so long, each connection the next one as soon as it has its answer.
    ///
    /// # Errors
    /// When oha does not run, or any answer was not a 200.
    pub async fn run(
        &self,
        request: &Request,
        to: SocketAddr,
        audience: Audience,
        connections: usize,
        duration: Duration,
    ) -> io::Result<Measured> {
        let (key_name, key) = request.surface.key_header(audience);
        let mut command = Command::new("taskset");
        command
            .args(["-c", &self.core.to_string()])
            .arg(&self.program)
            .args(["--no-tui", "--output-format", "json", "-m", "POST"])
            .args(["-z", &format!("{}ms", duration.as_millis()), "-w"])
            .args(["-c", &connections.to_string()])
            .args(["-T", "application/json"])
            .args(["-H", &format!("{key_name}: {key}")])
            .args(["-d", &request.body(audience)])
            .arg(format!("http://{to}{}", request.surface.path()))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .kill_on_drop(true);
        let output = command.output().await?;
        if !output.status.success() {
            return Err(io::Error::other(format!("oha ended: {}", output.status)));
        }
        read(&serde_json::from_slice(&output.stdout)?)
    }
}

fn read(report: &Value) -> io::Result<Measured> {
    let statuses = &report["statusCodeDistribution"];
    let only_200 = statuses
        .as_object()
        .is_some_and(|counts| counts.keys().all(|status| status == "200"));
    let errors = &report["errorDistribution"];
    let no_error = errors.as_object().is_none_or(serde_json::Map::is_empty);
    if !only_200 || !no_error {
        return Err(io::Error::other(format!(
            "answers {statuses}, errors {errors}"
        )));
    }
    let number = |value: &Value| {
        value
            .as_f64()
            .ok_or_else(|| io::Error::other("a figure is missing in oha's report"))
    };
    let percentiles = &report["latencyPercentiles"];
    Ok(Measured {
        requests: statuses["200"].as_u64().unwrap_or_default(),
        per_second: number(&report["summary"]["requestsPerSec"])?,
        p50: number(&percentiles["p50"])? * 1_000.0,
        p99: number(&percentiles["p99"])? * 1_000.0,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(statuses: &Value) -> Value {
        json!({
            "summary": {"requestsPerSec": 2000.5}, "latencyPercentiles": {"p50": 0.001, "p99": 0.0025},
            "statusCodeDistribution": statuses, "errorDistribution": {},
        })
    }

    #[test]
    fn a_report_gives_milliseconds() {
        let measured = read(&report(&json!({"200": 10_000}))).unwrap();
        assert_eq!(
            (measured.requests, measured.p50, measured.p99),
            (10_000, 1.0, 2.5)
        );
    }

    #[test]
    fn a_run_with_any_other_answer_counts_for_nothing() {
        assert!(read(&report(&json!({"200": 9_999, "429": 1}))).is_err());
        let mut broken = report(&json!({"200": 9_999}));
        broken["errorDistribution"] = json!({"connection closed": 1});
        assert!(read(&broken).is_err());
    }
}
