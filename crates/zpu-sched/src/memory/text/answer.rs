//! Answers as JSON and as text.
//!
//! Invariant: the document has every number that the text shows.

use std::fmt::Write as _;

use serde_json::{Map, Value, json as value};

use super::super::explain::{Cause, Explanation};
use super::super::plan::Plan;
use super::super::problem::{BufferId, Problem};
use super::SCHEMA;

/// A plan that fits, as a document. Maps follow the order of the problem.
pub fn json(problem: &Problem, plan: &Plan, seconds: f64) -> Value {
    let offsets = problem.buffers.iter().zip(&plan.offsets);
    let offsets: Map<String, Value> = offsets.map(|(buffer, at)| (buffer.name.clone(), value!(at))).collect();
    value!({
        "schema": SCHEMA,
        "name": problem.name,
        "feasible": true,
        "proven": plan.spaces.iter().all(|space| space.proven),
        "unroll": plan.unroll,
        "spaces": spaces(problem, plan),
        "offsets": offsets,
        "seconds": seconds,
    })
}

fn spaces(problem: &Problem, plan: &Plan) -> Vec<Value> {
    let each = problem.spaces.iter().zip(&plan.spaces);
    each.map(|(space, plan)| {
        value!({
            "name": space.name,
            "planned": plan.planned,
            "load": plan.load,
            "lower_bound": plan.lower_bound,
            "proven": plan.proven,
            "rings": plan.rings,
            "capacity": space.bytes,
        })
    })
    .collect()
}

/// A plan as text; with the addresses if asked for.
pub fn text(problem: &Problem, plan: &Plan, seconds: f64, addresses: bool) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "{label:<12} {value}");
    };
    line(
        "instance",
        format!("{} ({} buffers)", problem.name, problem.buffers.len()),
    );
    if problem.period > 0 {
        line("period", format!("{}, unrolled {} times", problem.period, plan.unroll));
    }
    for (space, plan) in problem.spaces.iter().zip(&plan.spaces) {
        let of = space.bytes.map_or(String::new(), |bytes| format!(" of {bytes}"));
        let proven = if plan.proven {
            "proven minimal"
        } else {
            "not proven minimal"
        };
        line("space", format!("{}: {} bytes{of}, {proven}", space.name, plan.planned));
        line("  load", format!("{} bytes alive at once", plan.load));
        line("  bound", format!("{} bytes", plan.lower_bound));
        line("  unshared", format!("{} bytes", plan.rings));
    }
    if addresses {
        for (buffer, at) in problem.buffers.iter().zip(&plan.offsets) {
            let at: Vec<String> = at.iter().map(ToString::to_string).collect();
            line("  address", format!("{} of {}", at.join(", "), buffer.name));
        }
    }
    line("seconds", format!("{seconds:.3}"));
    text
}

fn cause(cause: Cause) -> Option<&'static str> {
    match cause {
        Cause::Load => Some("load"),
        Cause::Fragmentation => Some("fragmentation"),
        Cause::Unknown => None,
    }
}

/// The document for buffers that do not fit. `feasible` is null if nothing is proven.
pub fn infeasible_json(problem: &Problem, plan: &Plan, explanations: &[Explanation], seconds: f64) -> Value {
    let name = |id: &BufferId| problem.buffers[id.index()].name.clone();
    let each = explanations.iter().map(|explanation| {
        let alive = explanation.alive.iter();
        value!({
            "space": problem.spaces[explanation.space.index()].name,
            "capacity": explanation.capacity,
            "cause": cause(explanation.cause),
            "load": explanation.load,
            "at": explanation.at,
            "alive": alive.map(|(id, bytes)| value!({"name": name(id), "bytes": bytes})).collect::<Vec<_>>(),
            "subset": explanation.subset.iter().map(name).collect::<Vec<_>>(),
            "irreducible": explanation.irreducible,
        })
    });
    let is_known = explanations
        .iter()
        .any(|explanation| explanation.cause != Cause::Unknown);
    value!({
        "schema": SCHEMA,
        "name": problem.name,
        "feasible": if is_known { Some(false) } else { None },
        "unroll": plan.unroll,
        "spaces": spaces(problem, plan),
        "infeasible": each.collect::<Vec<_>>(),
        "seconds": seconds,
    })
}

/// Most buffers that a message lists.
const MOST_LISTED: usize = 12;

/// What does not fit into one space, as text of several lines; the first says what, the others have details.
pub fn infeasible_text(problem: &Problem, planned: u64, explanation: &Explanation) -> String {
    let space = &problem.spaces[explanation.space.index()].name;
    let Explanation { capacity, load, at, .. } = *explanation;
    let name = |id: BufferId| format!("`{}`", problem.buffers[id.index()].name);
    let mut text = match explanation.cause {
        Cause::Load => format!("{load} bytes of `{space}` are alive at time {at}, it has {capacity}"),
        Cause::Fragmentation => format!(
            "at most {load} bytes of `{space}` are alive at once, which fit into its {capacity}, but not at one \
             address \
             each: alignment, pinned buffers, banks, rings or interlocking lives leave gaps"
        ),
        Cause::Unknown => format!(
            "the best plan of `{space}` found needs {planned} bytes, it has {capacity}; {load} are alive at once, so \
             there may be one that fits: try a longer --time-limit"
        ),
    };
    let listed = |entries: Vec<String>| {
        let more = entries.len().saturating_sub(MOST_LISTED);
        let shown = entries.into_iter().take(MOST_LISTED).collect::<Vec<_>>().join(", ");
        if more > 0 {
            format!("{shown} and {more} more")
        } else {
            shown
        }
    };
    let alive = explanation
        .alive
        .iter()
        .map(|&(id, bytes)| format!("{} {bytes}", name(id)));
    let _ = write!(text, "\n  alive at time {at}: {}", listed(alive.collect()));
    if !explanation.subset.is_empty() {
        let kind = if explanation.irreducible {
            ", but they do without any one of them"
        } else {
            ""
        };
        let subset = explanation.subset.iter().map(|&id| name(id));
        let _ = write!(text, "\n  these alone do not fit{kind}: {}", listed(subset.collect()));
    }
    text
}
