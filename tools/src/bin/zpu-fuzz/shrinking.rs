//! Shrinking a failure, in this process or, where programs take processes down, in others.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use zpu_fuzz::{Failure, Kind, Program, Setting, generate, reproducer, shrink};

use crate::worker::{Input, kind_named};

/// One judgement in another process takes at most that long.
const MOST: Duration = Duration::from_secs(60);

/// Shrinks the failure of a seed and writes it to a file of the folder.
pub(crate) fn save(
    folder: &Path,
    seed: u64,
    setting: usize,
    failure: &Failure,
    seconds: u64,
    bug: Option<&str>,
) -> Result<PathBuf> {
    let program = generate(seed);
    let setting = Setting::of_seed(seed)[setting].clone();
    // A process that can die does not take the others' results with it.
    let mut judge = |_: &zpu_fuzz::Context, program: &Program, setting: &Setting| judge_apart(program, setting, bug);
    let (program, setting) = shrink(&program, &setting, failure, Duration::from_secs(seconds), &mut judge);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let path = folder.join(format!(
        "{}-{}-{seed}.mlir",
        failure.kind,
        failure.pass.replace(' ', "-")
    ));
    fs::write(&path, reproducer(&program, &setting, failure, seed)).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// The failure of a seed's program under one of its settings, without a deliberate bug.
pub(crate) fn judge_seed(seed: u64, setting: usize) -> Option<Failure> {
    judge_apart(&generate(seed), &Setting::of_seed(seed)[setting], None)
}

/// The failure of a program as a process of its own finds it.
fn judge_apart(program: &Program, setting: &Setting, bug: Option<&str>) -> Option<Failure> {
    let crash = |message: &str| {
        Some(Failure {
            kind: Kind::Crash,
            pass: "the process".to_owned(),
            message: message.to_owned(),
        })
    };
    let mut command = Command::new(std::env::current_exe().ok()?);
    command
        .arg("judge")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(bug) = bug {
        command.args(["--bug", bug]);
    }
    let mut child = command.spawn().ok()?;
    let input = serde_json::to_string(&Input::new(program, setting)).ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    let end = Instant::now() + MOST;
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if Instant::now() > end => {
                let _ = child.kill();
                let _ = child.wait();
                return crash("no end");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    if !status.success() {
        return crash("died");
    }
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take()?, &mut text).ok()?;
    let (kind, pass) = text.trim().split_once(' ')?;
    Some(Failure {
        kind: kind_named(kind),
        pass: pass.to_owned(),
        message: String::new(),
    })
}
