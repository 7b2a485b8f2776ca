//! Wall time and peak memory of a child process.
//!
//! Invariant: the peak is the kernel's own high-water mark (`VmHWM`), read until the process is gone, so sampling can
//! only miss growth within the last millisecond.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::run::line;

/// One finished run.
pub(crate) struct Measured {
    /// Time from start to exit.
    pub(crate) wall: Duration,
    /// Peak resident memory in bytes; 0 where the system has no `/proc`.
    pub(crate) peak_bytes: u64,
    /// Its output.
    pub(crate) output: Output,
}

/// Runs to the end; fails when the program does.
pub(crate) fn measure(command: &mut Command) -> Result<Measured> {
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| line(command))?;
    let status_file = format!("/proc/{}/status", child.id());
    let waiter = thread::spawn(move || child.wait_with_output().map(|output| (output, start.elapsed())));
    let mut peak_bytes = 0;
    while !waiter.is_finished() {
        peak_bytes = high_water_mark(&status_file).unwrap_or(peak_bytes);
        thread::sleep(Duration::from_millis(1));
    }
    let Ok(finished) = waiter.join() else {
        bail!("{}: lost track of the process", line(command))
    };
    let (output, wall) = finished.with_context(|| line(command))?;
    if !output.status.success() {
        bail!(
            "{}: {}\n{}",
            line(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(Measured {
        wall,
        peak_bytes,
        output,
    })
}

/// Processor time of all children that have ended, in seconds and in steps of a hundredth; 0 where the system has no
/// `/proc`.
pub(crate) fn processor_time() -> f64 {
    /// Steps a second in which Linux tells times to programs.
    const STEPS: f64 = 100.0;
    /// Fields after the command's name and its closing parenthesis: user and system time of children.
    const FIELDS: std::ops::Range<usize> = 13..15;
    let Ok(text) = fs::read_to_string("/proc/self/stat") else {
        return 0.0;
    };
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let steps = fields.skip(FIELDS.start).take(FIELDS.len());
    steps.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / STEPS
}

/// The `VmHWM` line of a process's status, in bytes.
fn high_water_mark(status_file: &str) -> Option<u64> {
    let status = fs::read_to_string(status_file).ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_a_time_a_peak_and_an_output() {
        let measured = measure(Command::new("sh").args(["-c", "sleep 0.05; echo done"])).unwrap();
        assert!(measured.wall >= Duration::from_millis(50));
        assert!(measured.peak_bytes > 64 * 1024, "{} bytes", measured.peak_bytes);
        assert_eq!(measured.output.stdout, b"done\n");
    }

    #[test]
    fn work_of_children_takes_processor_time() {
        let before = processor_time();
        measure(Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"])).unwrap();
        assert!(processor_time() > before);
    }

    #[test]
    fn a_failing_run_shows_what_the_program_said() {
        let error = measure(Command::new("sh").args(["-c", "echo no luck >&2; exit 3"]))
            .err()
            .unwrap();
        assert!(error.to_string().contains("no luck"), "{error}");
    }
}
