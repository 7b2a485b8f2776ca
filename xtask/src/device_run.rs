//! One program of `cargo xtask bench --of=devices`: compiled, compared with its source, simulated, and its run
//! scheduled anew.
//!
//! Invariant: all bytes of the results are those of the source, and no check of the simulator finds anything.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::device_sources::beside;
use crate::run::{Built, line, number, output};

/// Commands beyond which a run is not scheduled anew: the time grows with windows of a thousand commands.
const MOST_COMMANDS: u64 = 30_000;

/// A device and the name of its off-chip memory.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) device: &'static str,
    pub(crate) off_chip: &'static str,
}

/// A compiled program, in numbers.
pub(crate) struct Run {
    pub(crate) cycles: u64,
    pub(crate) bound: u64,
    pub(crate) tight: u64,
    /// Causes of the distance to the tight bound, with their cycles.
    pub(crate) distance: Vec<(String, u64)>,
    pub(crate) commands: u64,
    /// DMA engines that moved something.
    pub(crate) engines: usize,
    /// Off-chip bytes that no program can leave out, and that this one moves.
    pub(crate) compulsory: u64,
    pub(crate) moved: u64,
    /// Largest peak sum of bytes in the memories on chip.
    pub(crate) on_chip: u64,
    /// Most stages of a loop and most versions of a buffer; none without a pipelined loop.
    pub(crate) depth: Option<u64>,
    pub(crate) versions: Option<u64>,
    /// Seconds of compiling.
    pub(crate) seconds: f64,
    /// Cycles of the best schedule of its commands that was found; none if they are too many.
    pub(crate) best: Option<u64>,
}

/// A program that is compiled and runs, or the reason why the device does not take it.
pub(crate) enum Outcome {
    Runs(Box<Run>),
    Declined(String),
}

/// Compiles with more options of the pipeline, and runs it.
pub(crate) fn run(
    built: &Built,
    source: &Path,
    target: Target,
    simulation: &[String],
    options: &str,
) -> Result<Outcome> {
    let compiled = beside(source, "compiled.mlir");
    let report = beside(source, "report.txt");
    let begin = Instant::now();
    let pipeline = format!(
        "--zpu-pipeline=device={} {options} report={}",
        target.device,
        report.display()
    );
    let mut command = built.tool("zpu-opt");
    command.arg(source).arg(pipeline).arg("-o").arg(&compiled);
    if let Some(reason) = refusal(&mut command)? {
        return Ok(Outcome::Declined(reason));
    }
    let seconds = begin.elapsed().as_secs_f64();
    // A source has no memory spaces, so the check of capacities is for the program alone. Exit code 6, for other
    // values, is none that is allowed.
    output(
        built
            .tool("zpu-sim")
            .arg("compare")
            .args([source, &compiled])
            .args(["--device", target.device, "--check=race,deadlock,init"])
            .args(simulation),
        &[0],
    )?;
    let problem = beside(source, "run.json");
    let simulated = output(
        built
            .tool("zpu-sim")
            .arg(&compiled)
            .args(simulation)
            .args(["--json", "-"])
            .arg("--dump-problem")
            .arg(&problem),
        &[0],
    )?;
    let simulated: Value = serde_json::from_slice(&simulated.stdout).context("zpu-sim wrote no JSON")?;
    let commands = number(&simulated, "/commands")?;
    let report = fs::read_to_string(&report).with_context(|| format!("cannot read {}", report.display()))?;
    let (depth, versions) = stages_and_versions(&report);
    let of = |list: &str| simulated[list].as_array().cloned().unwrap_or_default();
    let engines = of("engines");
    let works = |engine: &&Value| engine["kind"] == "dma" && engine["commands"].as_u64().unwrap_or(0) > 0;
    let (off_chip, on_chip): (Vec<Value>, Vec<Value>) = of("memories")
        .into_iter()
        .partition(|memory| memory["name"] == target.off_chip);
    ensure!(!off_chip.is_empty(), "{} has no {}", target.device, target.off_chip);
    let traffic = of("traffic");
    let traffic = traffic.iter().find(|traffic| traffic["name"] == target.off_chip);
    let traffic = traffic.context("zpu-sim told no traffic")?;
    let causes = simulated["distance"].as_object().into_iter().flatten();
    let causes = causes.filter(|(cause, _)| *cause != "cycles");
    let best = (commands <= MOST_COMMANDS).then(|| best(built, &problem)).transpose()?;
    Ok(Outcome::Runs(Box::new(Run {
        cycles: number(&simulated, "/cycles")?,
        bound: number(&simulated, "/lower_bound")?,
        tight: number(&simulated, "/tight_bound/cycles")?,
        distance: causes
            .map(|(cause, cycles)| (cause.replace('_', " "), cycles.as_u64().unwrap_or(0)))
            .collect(),
        commands,
        engines: engines.iter().filter(works).count(),
        compulsory: number(traffic, "/compulsory")?,
        moved: number(traffic, "/moved")?,
        on_chip: on_chip.iter().filter_map(|memory| memory["peak"].as_u64()).sum(),
        depth,
        versions,
        seconds,
        best,
    })))
}

/// The first error of a compilation; none if it has none.
pub(crate) fn refusal(command: &mut Command) -> Result<Option<String>> {
    let output = command.output().with_context(|| line(command))?;
    if output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let error = text.lines().find_map(|line| line.split_once("error: "));
    match error {
        Some((_, reason)) if output.status.code() == Some(1) => Ok(Some(reason.to_owned())),
        _ => bail!("{}: {}\n{}", line(command), output.status, text.trim_end()),
    }
}

/// Cycles of the best schedule of a run that zpu-sched finds.
fn best(built: &Built, problem: &Path) -> Result<u64> {
    let solved = output(built.tool("zpu-sched").arg(problem).arg("--json"), &[0])?;
    let solved: Value = serde_json::from_slice(&solved.stdout).context("zpu-sched wrote no JSON")?;
    number(&solved, "/makespan")
}

/// Most stages and most versions in the tables of a report.
fn stages_and_versions(report: &str) -> (Option<u64>, Option<u64>) {
    let mut columns: Option<(usize, usize)> = None;
    let (mut stages, mut versions) = (None, None);
    for line in report.lines() {
        let cells: Vec<&str> = line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect();
        let place = |name: &str| cells.iter().position(|cell| *cell == name);
        if let (Some(first), Some(second)) = (place("stages"), place("versions")) {
            columns = Some((first, second));
        } else if line.starts_with('@') {
            columns = None;
        } else if let Some((first, second)) = columns {
            let most = |cell: usize| cells.get(cell).and_then(|cell| most(cell));
            stages = stages.max(most(first));
            versions = versions.max(most(second));
        }
    }
    (stages, versions)
}

/// The greatest number of a list: `2+3x1` is 2, 1, 1, 1.
fn most(list: &str) -> Option<u64> {
    let each = list.split('+').map(|part| {
        let number = part.rsplit('x').next().unwrap_or(part);
        number.trim().parse().ok()
    });
    each.collect::<Option<Vec<u64>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_read_from_a_report() {
        let report = "\
@conv (a.mlir:19) on toy: 1 of 2 loops pipelined; 150 commands; proven
  line     II  bound  set by   stages  versions  bytes         engines   waits
    31      -      -  -             -         -  -             dma0-15      98
    34  3,254  2,904  control       3  2+3+10x4  sbuf 630,784  -             0
  line 31 left alone: only innermost loops are planned, and there is another one in this one (inner-loop)
";
        assert_eq!(stages_and_versions(report), (Some(3), Some(4)));
        assert_eq!(stages_and_versions("@f (a.mlir:1) on toy: no loop\n"), (None, None));
    }
}
