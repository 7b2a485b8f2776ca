//! A whole run that zpu-sim wrote: list-scheduled, and searched if it has few commands.

use std::fmt::Write as _;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value, json};
use zpu_sched::Scheduler;
use zpu_sched::run::{Action, MOST_FOR_SEARCH, RUN_SCHEMA, RunProblem, RunSolution, read_run, solve_run};

use crate::command_line::CommandLine;
use crate::process::{Code, print};
use crate::report;

/// The result with `--json`.
#[derive(Serialize)]
struct Report {
    schema: u64,
    name: String,
    makespan: u64,
    lower_bound: u64,
    limited_by: String,
    proven: bool,
    method: String,
    operations: usize,
    waits: u64,
    /// Operations by engine.
    engines: Map<String, Value>,
    /// The most live bytes by space.
    bytes: Map<String, Value>,
    /// Cycles of the program that the run is of, and these over the makespan.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    seconds: f64,
    /// The actions of the stream: `["issue", operation, engine]`, `["wait", operation]`, `["barrier"]`.
    actions: Vec<Value>,
}

/// Solves a text that [`zpu_sched::run::is_run`] takes for a whole run.
pub(crate) fn act(command_line: &CommandLine, name: &str, text: &str) -> Result<Code, String> {
    let problem = read_run(text).map_err(|error| format!("{name}: {error}"))?;
    if command_line.pareto {
        return Err(format!("{name}: a whole run has no interval; --pareto is for loops"));
    }
    let is_list = command_line.solver() == Scheduler::List;
    if command_line.compare || !(is_list || command_line.solver() == Scheduler::Auto) {
        return Err(format!(
            "{name}: a whole run is solved by list or auto; leave --compare out, and give --scheduler=list or auto"
        ));
    }
    let begin = Instant::now();
    let solution = solve_run(&problem, !is_list);
    let solution = solution.map_err(|error| format!("{name}: the schedule is wrong: {error}"))?;
    let report = Report::new(&problem, &solution, begin.elapsed().as_secs_f64());
    print(&if command_line.json {
        report::json(&report)?
    } else {
        report.text(&problem, &solution, command_line.times, is_list)
    })?;
    Ok(Code::FINE)
}

impl Report {
    fn new(problem: &RunProblem, solution: &RunSolution, seconds: f64) -> Self {
        let check = &solution.check;
        let action = |action: &Action| match *action {
            Action::Issue { operation, way } => {
                let way = &problem.ways(operation as usize)[way as usize];
                json!(["issue", operation, problem.engines[way.engine].name])
            }
            Action::Wait { operation } => json!(["wait", operation]),
            Action::Barrier => json!(["barrier"]),
        };
        let engines = problem.engines.iter().zip(&check.operations);
        let spaces = problem.spaces.iter().zip(&check.peak);
        Self {
            schema: RUN_SCHEMA,
            name: problem.name.clone(),
            makespan: check.cycles,
            lower_bound: solution.bound.cycles,
            limited_by: solution.bound.limit.clone(),
            proven: check.cycles == solution.bound.cycles,
            method: solution.method.clone(),
            operations: problem.operations.len(),
            waits: check.waits,
            engines: engines
                .map(|(engine, count)| (engine.name.clone(), json!(count)))
                .collect(),
            bytes: spaces
                .map(|(space, bytes)| (space.name.clone(), json!(bytes)))
                .collect(),
            program: problem.cycles,
            ratio: problem
                .cycles
                .map(|cycles| cycles as f64 / (check.cycles as f64).max(1.0)),
            seconds,
            actions: solution.schedule.actions.iter().map(action).collect(),
        }
    }

    fn text(&self, problem: &RunProblem, solution: &RunSolution, times: bool, is_list: bool) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<12} {value}");
        };
        line("run", format!("{} ({} operations)", self.name, self.operations));
        line("found by", self.method.clone());
        if !is_list && self.operations > MOST_FOR_SEARCH {
            line(
                "",
                format!("(more than {MOST_FOR_SEARCH} operations are only list-scheduled)"),
            );
        }
        let share = report::percent(self.lower_bound, self.makespan);
        let proven = if self.proven { ", proven minimal" } else { "" };
        line(
            "makespan",
            format!("{} cycles, the bound is {share:.1} % of it{proven}", self.makespan),
        );
        line(
            "lower bound",
            format!("{} cycles, limited by {}", self.lower_bound, self.limited_by),
        );
        if let (Some(program), Some(ratio)) = (self.program, self.ratio) {
            line("program", format!("{program} cycles, {ratio:.3} of the makespan"));
        }
        line("waits", self.waits.to_string());
        let used = problem.engines.iter().zip(&solution.check.operations);
        let used = used.filter(|(_, count)| **count > 0);
        let used: Vec<String> = used.map(|(engine, count)| format!("{} {count}", engine.name)).collect();
        line("engines", used.join(", "));
        for (space, peak) in problem.spaces.iter().zip(&solution.check.peak) {
            if *peak > 0 {
                line("bytes", format!("{peak} of {} in {}", space.bytes, space.name));
            }
        }
        line("seconds", format!("{:.3}", self.seconds));
        if times {
            for action in &solution.schedule.actions {
                match *action {
                    Action::Issue { operation, way } => {
                        let way = &problem.ways(operation as usize)[way as usize];
                        let name = &problem.operations[operation as usize].name;
                        line(
                            "issue",
                            format!("{operation} on {}  {name}", problem.engines[way.engine].name),
                        );
                    }
                    Action::Wait { operation } => line("wait", operation.to_string()),
                    Action::Barrier => line("barrier", String::new()),
                }
            }
        }
        text
    }
}
