//! Running other programs: cargo, the tools, apt-get.
//!
//! Invariant: a program that fails is reported with its whole command line.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::setup::Llvm;

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The cargo that runs us, with the LLVM to build against, in the workspace.
pub(crate) fn cargo(llvm: &Llvm) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    llvm.apply(&mut command);
    command
}

/// Runs with our own streams; fails unless the program exits with 0.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| line(command))?;
    ensure!(status.success(), "{}: {status}", line(command));
    Ok(())
}

/// Runs a command and returns its output; fails, and shows the output, unless the exit code is one of `allowed`.
pub(crate) fn output(command: &mut Command, allowed: &[i32]) -> Result<Output> {
    let output = command.output().with_context(|| line(command))?;
    if !output.status.code().is_some_and(|code| allowed.contains(&code)) {
        bail!(
            "{}: {}\n{}",
            line(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(output)
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| {
        let word = word.to_string_lossy();
        if word.contains([' ', '"', '(', '{']) {
            format!("'{word}'")
        } else {
            word.into_owned()
        }
    }));
    words.join(" ")
}

/// The binaries, and a folder for files of the tasks.
pub(crate) struct Built {
    target: PathBuf,
    profile: &'static str,
}

impl Built {
    /// Builds the tools in release.
    pub(crate) fn release(llvm: &Llvm) -> Result<Self> {
        Self::build(llvm, "release", "release")
    }

    /// Builds the tools as the tests do, for what does not depend on how fast they are.
    pub(crate) fn debug(llvm: &Llvm) -> Result<Self> {
        Self::build(llvm, "dev", "debug")
    }

    /// Builds the tools with a profile, whose binaries are in the folder `profile`.
    fn build(llvm: &Llvm, name: &str, profile: &'static str) -> Result<Self> {
        eprintln!("building zpu-opt and zpu-sim ({name})");
        succeed(cargo(llvm).args(["build", "--profile", name, "--package", "zpu-tools", "--bins"]))?;
        let output = output(cargo(llvm).args(["metadata", "--format-version=1", "--no-deps"]), &[0])?;
        let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
        let target = metadata["target_directory"]
            .as_str()
            .context("cargo metadata names no target_directory")?;
        Ok(Built {
            target: target.into(),
            profile,
        })
    }

    /// A command that runs one of our tools in the workspace's folder.
    pub(crate) fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.target.join(self.profile).join(name));
        command.current_dir(root());
        command
    }

    /// A fresh file's path in `target/FOLDER`, which exists afterwards.
    pub(crate) fn file(&self, folder: &str, name: &str) -> Result<PathBuf> {
        let folder = self.target.join(folder);
        std::fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
        Ok(folder.join(name))
    }
}

/// `path` as seen from the workspace's folder, for messages.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// A number in a tool's JSON, by JSON pointer.
pub(crate) fn number(json: &Value, pointer: &str) -> Result<u64> {
    json.pointer(pointer)
        .and_then(Value::as_u64)
        .with_context(|| format!("the tool's JSON has no number at {pointer}"))
}
