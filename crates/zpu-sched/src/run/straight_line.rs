//! Orders of straight-line code, as one control stream would issue it: the list schedules of a whole run.
//!
//! Windows of start times ([`crate::window`]) place each command in the first gap of its engine, whatever the stream
//! does meanwhile. Here the stream pays for each issue and each wait, engines are in order, and transfers share links,
//! so a long prologue comes out as it will run. The engine of a command is chosen when it is issued.

use super::list::{Choice, Rule, Setting, schedule};
use super::machine::{Flows, uses};
use super::{Action, ControlCosts, RunEngine, RunLink, RunOperation, RunProblem, RunSchedule, RunWay};
use crate::{Alternative, Kind, Plan, Problem, ResourceId, StreamCosts, Use, check, verify_plan};

/// Operations that a list schedule looks ahead.
const WINDOWS: [usize; 4] = [8, 32, 64, 256];

/// The plans of an acyclic problem that list schedules have, without those that are no plans of it; each once. None for
/// a problem that [`check`] refuses, and where an alternative takes several engines, or operations are not listed after
/// those that they depend on.
pub fn listed_plans(problem: &Problem, costs: StreamCosts) -> Vec<Plan> {
    let is_one = problem.kind == Kind::Acyclic && check(problem).is_ok();
    let run = is_one.then(|| as_run(problem, costs)).flatten();
    let Some(run) = run.filter(|run| run.check().is_ok()) else {
        return Vec::new();
    };
    let (flows, uses, tails) = (Flows::new(&run), uses(&run), super::bound::tails(&run));
    let setting = Setting {
        problem: &run,
        flows: &flows,
        uses: &uses,
        tails: &tails,
    };
    let count = run.operations.len();
    let listed: Vec<u32> = (0..count as u32).collect();
    let mut plans: Vec<Plan> = Vec::new();
    for rule in Rule::ALL {
        // Wider windows than the first that holds everything make no other schedules.
        let enough = WINDOWS.partition_point(|window| *window < count) + 1;
        for &window in WINDOWS.iter().take(enough) {
            let choice = Choice {
                rule,
                window,
                order: &listed,
                delays: None,
                spares_blocking: false,
            };
            let plan = schedule(&setting, choice).map(|(schedule, _)| plan_of(count, &schedule));
            let is_new = |plan: &Plan| !plans.contains(plan) && verify_plan(problem, plan).is_ok();
            plans.extend(plan.filter(is_new));
        }
    }
    plans
}

/// The order of the issues of a schedule, and their alternatives.
fn plan_of(count: usize, schedule: &RunSchedule) -> Plan {
    let mut plan = Plan {
        ii: 1,
        stage: vec![0; count],
        order: vec![0; count],
        cycle: vec![0; count],
        versions: Vec::new(),
        chosen: vec![0; count],
    };
    let issues = schedule.actions.iter().filter_map(|action| match action {
        Action::Issue { operation, way } => Some((*operation as usize, *way)),
        Action::Wait { .. } | Action::Barrier => None,
    });
    for (place, (operation, way)) in issues.enumerate() {
        (plan.order[operation], plan.chosen[operation]) = (place as u32, way);
    }
    plan
}

/// The problem as a run without memory. What takes no engine takes one of its own that holds the stream.
fn as_run(problem: &Problem, costs: StreamCosts) -> Option<RunProblem> {
    let control = problem.control();
    let is_engine = |resource: ResourceId| {
        let of = &problem.resources[resource.index()];
        Some(resource) != control && of.capacity == 1 && !of.shared
    };
    let blocking = problem.blocking();
    let held = |alternative: &Alternative| {
        let on_stream = alternative.uses.iter().filter(|used| Some(used.resource) == control);
        on_stream.map(Use::end).max().unwrap_or(0)
    };
    // Commands of engines that do not block are all issued alike, but for accesses under a guard.
    let each = problem.operations.iter().zip(&blocking);
    let issued = each.flat_map(|(operation, blocking)| operation.alternatives.iter().zip(blocking));
    let issue = issued
        .filter(|(alternative, blocking)| **blocking == 0 && alternative.uses.iter().any(|u| is_engine(u.resource)))
        .map(|(alternative, _)| held(alternative))
        .min()
        .unwrap_or(0);
    let stream = problem.resources.len();
    let mut engines: Vec<RunEngine> = problem
        .resources
        .iter()
        .map(|resource| RunEngine {
            name: resource.name.clone(),
            queue: resource.queue.map_or(u64::MAX, |queue| u64::from(queue.max(1))),
            blocking: false,
        })
        .collect();
    engines.push(RunEngine {
        name: "stream".to_owned(),
        queue: 1,
        blocking: true,
    });
    let links: Vec<usize> = (0..stream).filter(|r| problem.resources[*r].shared).collect();
    let mut works = Vec::with_capacity(problem.operations.len());
    for (operation, blocking) in problem.operations.iter().zip(&blocking) {
        let mut ways = Vec::with_capacity(operation.alternatives.len());
        for (alternative, blocking) in operation.alternatives.iter().zip(blocking) {
            let taken: Vec<&Use> = alternative.uses.iter().filter(|u| is_engine(u.resource)).collect();
            let way = match *taken.as_slice() {
                [] => RunWay {
                    engine: stream,
                    start_latency: 0,
                    alone: held(alternative).saturating_sub(issue),
                    shared: 0,
                    rate: 0.0,
                    links: Vec::new(),
                },
                [engine] => {
                    engines[engine.resource.index()].blocking |= *blocking > 0;
                    on_engine(alternative, engine, issue, &links)
                }
                _ => return None,
            };
            ways.push(way);
        }
        works.push(ways);
    }
    let mut operations: Vec<RunOperation> = (0..problem.operations.len())
        .map(|work| RunOperation {
            name: String::new(),
            work,
            after: Vec::new(),
        })
        .collect();
    for dependence in &problem.dependences {
        operations[dependence.to.index()].after.push(dependence.from.0);
    }
    Some(RunProblem {
        name: String::new(),
        cycles: None,
        control: ControlCosts {
            issue,
            wait: costs.wait,
            barrier: u64::MAX >> 16,
        },
        engines,
        links: links
            .iter()
            .map(|link| RunLink {
                name: String::new(),
                rate: problem.resources[*link].capacity.into(),
            })
            .collect(),
        spaces: Vec::new(),
        works,
        operations,
        storages: Vec::new(),
    })
}

/// An alternative that takes one engine, and links meanwhile.
fn on_engine(alternative: &Alternative, engine: &Use, issue: u64, links: &[usize]) -> RunWay {
    let crossed = alternative.uses.iter().filter(|used| used.cycles > 0);
    let crossed: Vec<(usize, &Use)> = crossed
        .filter_map(|used| Some((links.iter().position(|link| *link == used.resource.index())?, used)))
        .collect();
    let shared = crossed.first().map_or(0, |(_, used)| used.cycles.min(engine.cycles));
    RunWay {
        engine: engine.resource.index(),
        start_latency: engine.offset.saturating_sub(issue),
        alone: engine.cycles - shared,
        shared,
        rate: crossed
            .iter()
            .map(|(_, used)| f64::from(used.amount))
            .fold(0.0, f64::max),
        links: crossed.iter().map(|(link, _)| *link).collect(),
    }
}
