//! A program that a run starts beside itself, and what the kernel says of it.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `USER_HZ`: the kernel counts processor time for user space in hundredths of a second on every architecture that
/// matters here.
const TICKS_PER_SECOND: u64 = 100;

/// A running program; it is killed when the value is dropped.
pub struct Program {
    child: Child,
}

impl Program {
    /// Starts the program of this name that was built beside this one, on one core only where one is named. Its log
    /// goes nowhere.
    ///
    /// # Errors
    /// When the program, or `taskset` where a core is named, is not there.
    pub fn start(name: &str, arguments: &[&str], core: Option<usize>) -> io::Result<Self> {
        let mut command = command(name, core)?;
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        Ok(Self { child })
    }

    /// Fails when the program has ended.
    ///
    /// # Errors
    /// When it has, with its exit status.
    pub fn check_alive(&mut self) -> io::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(io::Error::other(format!(
                "a program of the run ended: {status}"
            ))),
        }
    }

    /// The processor time it has used so far, its own and the kernel's for it.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn processor_time(&self) -> io::Result<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let ticks =
            ticks(&text).ok_or_else(|| io::Error::other("/proc/<pid>/stat is unreadable"))?;
        Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
    }

    /// Memory in use now, bytes.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn resident(&self) -> io::Result<u64> {
        self.memory("VmRSS:")
    }

    /// The most memory it has had in use, bytes.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn peak_resident(&self) -> io::Result<u64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, field: &str) -> io::Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        kibibytes(&text, field)
            .map(|kibibytes| kibibytes * 1024)
            .ok_or_else(|| io::Error::other(format!("/proc/<pid>/status has no {field}")))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command that is bound to one core where one is named.
fn command(name: &str, core: Option<usize>) -> io::Result<Command> {
    let path = beside(name)?;
    let Some(core) = core else {
        return Ok(Command::new(path));
    };
    // taskset replaces itself by the program: the process id stays the same.
    let mut command = Command::new("taskset");
    command.args(["-c", &core.to_string()]).arg(path);
    Ok(command)
}

fn beside(name: &str) -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// utime and stime, the fields 14 and 15; the name in field 2 may hold blanks.
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn kibibytes(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with(field))?;
    line[field.len()..]
        .trim()
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_found_behind_a_name_with_blanks_and_brackets() {
        let stat = "42 (a (b) c) S 1 42 42 0 -1 4194560 10 0 0 0 700 23 0 0 20 0 3 0 100 0 0";
        assert_eq!(ticks(stat), Some(723));
    }

    #[test]
    fn memory_is_read_in_kibibytes() {
        let status = "Name:\ta\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n";
        assert_eq!(kibibytes(status, "VmHWM:"), Some(2048));
        assert_eq!(kibibytes(status, "VmSwap:"), None);
    }
}
