//! The curve of the interval against bytes, as a table or as JSON.

use std::fmt::Write as _;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value, json};
use zpu_sched::{Curve, Instance, Kind, Point, Problem, SCHEMA, Scheduler, pareto};

use crate::command_line::CommandLine;
use crate::process::{Code, print};
use crate::{options, refused, report};

/// The result with `--json`. Maps follow the order of the instance.
#[derive(Serialize)]
struct CurveReport {
    schema: u64,
    name: String,
    scheduler: &'static str,
    lower_bound: u64,
    /// Whether the last point has one version of each buffer.
    complete: bool,
    /// The place in `points`.
    knee: Option<usize>,
    points: Vec<PointReport>,
    seconds: f64,
}

#[derive(Serialize)]
struct PointReport {
    ii: u64,
    bytes: u128,
    spaces: Map<String, Value>,
    versions: Map<String, Value>,
    proven: bool,
    undecided: u64,
    start: Map<String, Value>,
    chosen: Map<String, Value>,
}

/// Prints the curve of a loop.
pub(crate) fn act(command_line: &CommandLine, instance: &Instance) -> Result<Code, String> {
    let problem = &instance.problem;
    if problem.kind == Kind::Acyclic {
        return Err(format!(
            "`{}` is straight-line code, which has no interval; --pareto is for loops",
            problem.name
        ));
    }
    let scheduler = command_line.scheduler.unwrap_or(Scheduler::Exact);
    let begin = Instant::now();
    match pareto(instance, scheduler, &options(command_line)) {
        Ok(curve) => {
            let report = CurveReport::new(problem, scheduler, &curve, begin.elapsed().as_secs_f64());
            print(&if command_line.json {
                report::json(&report)?
            } else {
                report.text(problem)
            })?;
            Ok(Code::FINE)
        }
        Err(error) => refused(command_line, instance, Some(scheduler), &error),
    }
}

impl CurveReport {
    fn new(problem: &Problem, scheduler: Scheduler, curve: &Curve, seconds: f64) -> CurveReport {
        CurveReport {
            schema: SCHEMA,
            name: problem.name.clone(),
            scheduler: scheduler.name(),
            lower_bound: curve.lower_bound,
            complete: curve.complete,
            knee: curve.knee,
            points: curve
                .points
                .iter()
                .map(|point| PointReport::new(problem, point))
                .collect(),
            seconds,
        }
    }

    fn text(&self, problem: &Problem) -> String {
        let mut text = format!(
            "instance     {} ({} operations)\nscheduler    {}\nlower bound  {} cycles\nseconds      {:.3}\n",
            self.name,
            problem.operations.len(),
            self.scheduler,
            self.lower_bound,
            self.seconds
        );
        let _ = write!(text, "{:>10} {:>9} {:>12}", "II", "longer", "bytes");
        let width = |name: &str| name.chars().count().max(12);
        for space in &problem.spaces {
            let _ = write!(text, " {:>1$}", space.name, width(&space.name));
        }
        let _ = writeln!(text, " {:>6} {:>9} {:>4}  versions", "proven", "undecided", "knee");
        let first = self.points.first().map_or(0, |point| point.ii);
        for (index, point) in self.points.iter().enumerate() {
            let longer = report::percent(point.ii, first) - 100.0;
            let _ = write!(text, "{:>10} {longer:>7.1} % {:>12}", point.ii, point.bytes);
            for (name, bytes) in &point.spaces {
                let _ = write!(text, " {:>1$}", bytes.to_string(), width(name));
            }
            let several = point.versions.iter().filter(|(_, versions)| **versions != json!(1));
            let several: Vec<String> = several.map(|(name, versions)| format!("{name} {versions}")).collect();
            let _ = writeln!(
                text,
                " {:>6} {:>9} {:>4}  {}",
                if point.proven { "yes" } else { "no" },
                point.undecided,
                if self.knee == Some(index) { "*" } else { "" },
                if several.is_empty() {
                    "one each".to_owned()
                } else {
                    several.join(", ")
                }
            );
        }
        text
    }
}

impl PointReport {
    fn new(problem: &Problem, point: &Point) -> PointReport {
        let (operations, schedule) = (&problem.operations, &point.schedule);
        let numbers = operations.iter().zip(&schedule.chosen);
        let numbers = numbers.filter(|(operation, _)| operation.alternatives.len() > 1);
        let spaces = problem.spaces.iter().zip(&point.spaces);
        let buffers = problem.buffers.iter().zip(&schedule.versions);
        let starts = operations.iter().zip(&schedule.start);
        PointReport {
            ii: point.interval,
            bytes: point.bytes,
            spaces: spaces
                .map(|(space, &bytes)| (space.name.clone(), number(bytes)))
                .collect(),
            versions: buffers
                .map(|(buffer, versions)| (buffer.name.clone(), json!(versions)))
                .collect(),
            proven: point.proven,
            undecided: point.undecided,
            start: starts
                .map(|(operation, at)| (operation.name.clone(), json!(at)))
                .collect(),
            chosen: numbers
                .map(|(operation, way)| (operation.name.clone(), json!(way)))
                .collect(),
        }
    }
}

/// A number of bytes in a space, which is at most what the space has.
fn number(bytes: u128) -> Value {
    json!(u64::try_from(bytes).unwrap_or(u64::MAX))
}
