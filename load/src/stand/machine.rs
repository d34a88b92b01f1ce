//! What a figure was taken on.

use std::fs::{read_dir, read_to_string};
use std::io;
use std::process::Command;
use std::time::SystemTime;

/// Processor, cores, memory, kernel, how busy the machine is, and the date, in one line.
pub fn description() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = field("/proc/cpuinfo", "model name").unwrap_or("unknown processor".to_owned());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.trim_end_matches("kB").trim().parse::<u64>().ok())
        .unwrap_or_default();
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{processor}, {cores} cores, {} GiB, Linux {}, load average before the run {}, {}",
        memory / (1024 * 1024),
        kernel.trim(),
        load.split(' ').next().unwrap_or_default(),
        httpdate::fmt_http_date(SystemTime::now()),
    )
}

/// The most descriptors that a process started from here may have open.
pub fn descriptor_limit() -> usize {
    let line = field("/proc/self/limits", "Max open files").unwrap_or_default();
    let soft = line.split_ascii_whitespace().next().unwrap_or_default();
    soft.parse().unwrap_or(1024)
}

/// Has the threads of these names, in this process, run only while no other program wants their core.
///
/// # Errors
/// When `chrt` is not there or may not, or the system has no `/proc`.
pub fn step_back(names: &[&str]) -> io::Result<()> {
    for thread in read_dir("/proc/self/task")? {
        let path = thread?.path();
        let name = read_to_string(path.join("comm"))?;
        if !names.contains(&name.trim()) {
            continue;
        }
        let mut command = Command::new("chrt");
        command
            .args(["--idle", "--pid", "0"])
            .args(path.file_name());
        if !command.status()?.success() {
            return Err(io::Error::other("chrt failed"));
        }
    }
    Ok(())
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let value = line[name.len()..].trim_start_matches([':', ' ', '\t']);
    Some(value.trim().to_owned())
}
