//! Shrinking a failure, in this process or, where programs take processes down, in others.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use zpu_fuzz::{Failure, Kind, Program, Setting, disagreement, generate, reproducer, shrink};

use crate::Campaign;
use crate::campaign::Found;
use crate::worker::{Input, Mode, kind_named};

/// The longest time of one judgement in another process.
const MOST: Duration = Duration::from_secs(60);

/// Shrinks a failure and writes it to a file of the folder.
pub(crate) fn save(options: &Campaign, found: &Found) -> Result<PathBuf> {
    let Found {
        seed,
        setting,
        failure,
        text,
    } = found;
    let setting = options.mode().setting(*seed, *setting);
    // A failure of the passes is judged as one, in whatever mode it was found.
    let mode = match options.mode() {
        Mode::Agreement if text.is_none() => Mode::Passes,
        mode => mode,
    };
    let mut program = generate(*seed);
    if let Some(text) = text {
        program.text.clone_from(text);
    }
    let scalars = program.scalars.clone();
    // A process that can die does not take the others' results with it.
    let mut judge = |_: &zpu_fuzz::Session, program: &Program, candidate: &Setting| {
        // A compiled program belongs to its machine, and its other calls follow from this one.
        let is_alike = mode != Mode::Agreement || *candidate == setting && program.scalars == scalars;
        is_alike.then(|| judge_apart(program, candidate, mode, options.bug.as_deref()))?
    };
    let time = Duration::from_secs(options.shrink_seconds);
    let (program, setting) = shrink(&program, &setting, failure, time, &mut judge);
    let folder = &options.out;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let pass = failure.pass.replace(' ', "-");
    let path = folder.join(format!("{}-{pass}-{seed}.mlir", failure.kind));
    let text = match mode {
        Mode::Passes | Mode::Memory => reproducer(&program, &setting, failure, *seed),
        Mode::Agreement => disagreement(&program, &setting, failure, *seed),
    };
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// The failure of a seed's program under one of its settings, without a deliberate bug.
pub(crate) fn judge_seed(seed: u64, setting: usize) -> Option<Failure> {
    judge_apart(&generate(seed), &Setting::of_seed(seed)[setting], Mode::Passes, None)
}

/// The failure of a program as a process of its own finds it.
fn judge_apart(program: &Program, setting: &Setting, mode: Mode, bug: Option<&str>) -> Option<Failure> {
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
    command.args(mode.option());
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
