//! Reports of schedules: numbers as a document, and the document as text.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};
use zpu_sched::{Instance, Kind, OpId, SCHEMA, Scheduler, TimedSolution, TimedSolutionError, impossible_alternatives};

/// The result with `--json`. Maps follow the order of the instance.
#[derive(Serialize)]
pub(crate) struct Report {
    schema: u64,
    name: String,
    scheduler: &'static str,
    feasible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ii: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) makespan: Option<u64>,
    pub(crate) length: u64,
    pub(crate) lower_bound: u64,
    bounds: BoundsReport,
    pub(crate) proven: bool,
    start: Map<String, Value>,
    chosen: Map<String, Value>,
    versions: Map<String, Value>,
    pub(crate) bytes: Map<String, Value>,
    /// Of a loop: whether no schedule at this interval takes fewer bytes, as far as it is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_proven: Option<bool>,
    /// The sum over all buffers, those without a space included.
    #[serde(skip)]
    all_bytes: u128,
    pub(crate) seconds: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct BoundsReport {
    resource: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternatives: Option<u64>,
    recurrence: u64,
    recurrence_operations: Vec<String>,
    recurrence_latency: u64,
    recurrence_distance: u64,
    critical_path: u64,
}

/// The result with `--json` where there is no schedule.
#[derive(Serialize)]
pub(crate) struct Unsolved<'a> {
    schema: u64,
    name: &'a str,
    scheduler: &'static str,
    /// `None` if it is not known.
    feasible: Option<bool>,
    reason: &'a str,
}

impl<'a> Unsolved<'a> {
    pub(crate) fn new(
        instance: &'a Instance,
        scheduler: Scheduler,
        error: &TimedSolutionError,
        reason: &'a str,
    ) -> Unsolved<'a> {
        Unsolved {
            schema: SCHEMA,
            name: &instance.problem.name,
            scheduler: scheduler.name(),
            feasible: error.is_infeasible().then_some(false),
            reason,
        }
    }
}

impl Report {
    pub(crate) fn new(instance: &Instance, scheduler: Scheduler, solved: &TimedSolution, seconds: f64) -> Report {
        let problem = &instance.problem;
        let schedule = &solved.schedule;
        let cyclic = problem.kind == Kind::Cyclic;
        let operation = |id: &OpId| problem.operations[id.index()].name.clone();
        let each = problem.operations.iter().enumerate();
        let chosen = each.clone().filter(|(_, o)| o.alternatives.len() > 1);
        let buffers = problem.buffers.iter().zip(&schedule.versions);
        let buffers = buffers.filter(|_| cyclic);
        let mut bytes: Map<String, Value> = problem.spaces.iter().map(|s| (s.name.clone(), json!(0))).collect();
        for (buffer, versions) in buffers.clone() {
            if let Some(space) = buffer.space {
                let sum = &mut bytes[&problem.spaces[space.index()].name];
                let more = buffer.bytes.saturating_mul((*versions).into());
                *sum = json!(sum.as_u64().unwrap_or(u64::MAX).saturating_add(more));
            }
        }
        let resources = problem.resources.iter().zip(&solved.bounds.resource);
        Report {
            schema: SCHEMA,
            name: problem.name.clone(),
            scheduler: scheduler.name(),
            feasible: true,
            ii: cyclic.then_some(schedule.ii),
            makespan: (!cyclic).then_some(solved.measure.interval),
            length: solved.measure.length,
            lower_bound: solved.lower_bound,
            bounds: BoundsReport {
                resource: resources.map(|(r, cycles)| (r.name.clone(), json!(cycles))).collect(),
                alternatives: Some(solved.bounds.shared).filter(|&shared| shared > 0),
                recurrence: solved.bounds.recurrence,
                recurrence_operations: solved.bounds.recurrence_ops.iter().map(operation).collect(),
                recurrence_latency: solved.bounds.recurrence_latency,
                recurrence_distance: solved.bounds.recurrence_distance,
                critical_path: solved.bounds.critical_path,
            },
            proven: solved.proven,
            start: each.map(|(i, o)| (o.name.clone(), json!(schedule.start[i]))).collect(),
            chosen: chosen
                .map(|(i, o)| (o.name.clone(), json!(schedule.chosen[i])))
                .collect(),
            versions: buffers.map(|(b, versions)| (b.name.clone(), json!(versions))).collect(),
            bytes,
            bytes_proven: cyclic.then_some(solved.bytes_proven),
            all_bytes: solved.measure.bytes,
            seconds,
            warnings: impossible_alternatives(problem)
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    }
}

/// The share of the bound in what was reached; of nothing, all is reached.
pub(crate) fn percent(bound: u64, reached: u64) -> f64 {
    if reached == 0 {
        100.0
    } else {
        bound as f64 * 100.0 / reached as f64
    }
}

/// A document as text.
pub(crate) fn json(document: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string_pretty(document);
    text.map(|text| text + "\n").map_err(|error| error.to_string())
}

/// The report for people; with the start of every operation if asked for.
pub(crate) fn text(instance: &Instance, report: &Report, times: bool) -> String {
    let problem = &instance.problem;
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "{label:<12} {value}");
    };
    line(
        "instance",
        format!("{} ({} operations)", report.name, problem.operations.len()),
    );
    line("scheduler", report.scheduler.to_owned());
    let share = |value: u64| {
        let percent = percent(report.lower_bound, value);
        let proven = if report.proven {
            "proven minimal"
        } else {
            "not proven minimal"
        };
        format!("{value} cycles, the bound is {percent:.1} % of it, {proven}")
    };
    if let Some(ii) = report.ii {
        line("II", share(ii));
        line("length", format!("{} cycles", report.length));
    }
    if let Some(makespan) = report.makespan {
        line("makespan", share(makespan));
    }
    line("lower bound", format!("{} cycles", report.lower_bound));
    for (name, cycles) in &report.bounds.resource {
        line("  resource", format!("{cycles} of {name}"));
    }
    if let Some(shared) = report.bounds.alternatives {
        line("  resource", format!("{shared} of those that stand in for each other"));
    }
    if report.ii.is_some() {
        let BoundsReport {
            recurrence,
            recurrence_operations: names,
            recurrence_latency: latency,
            recurrence_distance: distance,
            ..
        } = &report.bounds;
        let iterations = if *distance == 1 { "iteration" } else { "iterations" };
        let through = match names.as_slice() {
            [] => String::new(),
            names => format!(
                " through {}: {latency} cycles over {distance} {iterations}",
                names.join(", ")
            ),
        };
        line("  recurrence", format!("{recurrence}{through}"));
    }
    line(
        "  critical",
        format!("{} cycles of the longest chain", report.bounds.critical_path),
    );
    for (name, alternative) in &report.chosen {
        line("chosen", format!("{name} alternative {alternative}"));
    }
    for (name, versions) in &report.versions {
        line("versions", format!("{name} {versions}"));
    }
    for space in &problem.spaces {
        line(
            "bytes",
            format!("{} of {} in {}", report.bytes[&space.name], space.bytes, space.name),
        );
    }
    if let Some(proven) = report.bytes_proven.filter(|_| !problem.buffers.is_empty()) {
        let least = if proven { "proven least" } else { "not proven least" };
        line("  in all", format!("{} bytes, {least} at this II", report.all_bytes));
    }
    line("seconds", format!("{:.3}", report.seconds));
    if times {
        for (name, start) in &report.start {
            line("start", format!("{start:>8}  {name}"));
        }
    }
    text
}
