//! Answers as JSON and as text. The JSON has every number that the text shows.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::super::problem::{NodeId, Program};
use super::super::remark::Remark;
use super::super::remat::Recomputed;
use super::super::replay::Timing;
use super::super::schedule::Answer;
use super::document::SCHEMA;
use super::draw::draw;

/// An answer with what was done to it afterwards.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The program of the schedule, with clones if fragments are computed again.
    pub program: &'a Program,
    /// The schedule's answer.
    pub answer: &'a Answer,
    /// The cost of what is computed again, if that was asked for.
    pub cost: Option<Recomputed>,
}

/// The answer as a JSON document.
pub fn json(shown: &Shown<'_>) -> Value {
    let Shown { program, answer, cost } = *shown;
    let Answer { schedule, timing, .. } = answer;
    let name = |id: &NodeId| Value::from(&*program.node(*id).name);
    let names = |ids: &Vec<NodeId>| ids.iter().map(name).collect::<Vec<_>>();
    let pairs = |pairs: &[(NodeId, NodeId)]| pairs.iter().map(|(a, b)| json!([name(a), name(b)])).collect::<Vec<_>>();
    let by_mesh = |of: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        let meshes = program.meshes.iter().enumerate();
        meshes.map(|(at, mesh)| (mesh.clone(), of(at))).collect()
    };
    let queue = |queue: &super::super::schedule::Queue| {
        json!({
            "src_mesh": program.mesh(queue.from),
            "dst_mesh": program.mesh(queue.to),
            "end": format!("{:?}", queue.direction).to_ascii_lowercase(),
            "transfers": names(&queue.transfers),
        })
    };
    let starts: Map<String, Value> = program
        .ids()
        .map(|(id, node)| (node.name.to_string(), timing.start[id.index()].into()))
        .collect();
    json!({
        "schema": SCHEMA,
        "schedule": answer.name,
        "order": by_mesh(&|at| names(&schedule.order[at]).into()),
        "forced": by_mesh(&|at| answer.forced[at].into()),
        "completed": pairs(&answer.completed),
        "added": schedule.control.len(),
        "control": pairs(&schedule.control),
        "queues": schedule.queues.iter().map(queue).collect::<Vec<_>>(),
        "makespan": timing.makespan,
        "busy": by_mesh(&|at| timing.meshes[at].busy.into()),
        "bubble": by_mesh(&|at| timing.meshes[at].bubble().into()),
        "idle": by_mesh(&|at| (timing.makespan - timing.meshes[at].busy).into()),
        "peak": by_mesh(&|at| timing.meshes[at].peak.into()),
        "bound": answer.bound,
        "proven": answer.proven,
        "start": starts,
        "remat": pairs(&answer.remat),
        "remat_cycles": cost.map(|cost| cost.cycles),
        "remat_least": cost.map(|cost| cost.least),
        "remat_proven": cost.map(|cost| cost.proven),
        "remarks": answer.remarks.iter().map(remark).collect::<Vec<_>>(),
    })
}

fn remark(remark: &Remark) -> Value {
    let names: Vec<&str> = remark.parties.iter().map(|party| party.name.as_str()).collect();
    json!({"reason": remark.reason.name(), "fragments": names, "text": remark.text})
}

/// The answer for people: figures, a line for each mesh, and the schedule as it is drawn.
pub fn summary(shown: &Shown<'_>) -> String {
    let Shown { program, answer, cost } = *shown;
    let Answer { schedule, timing, .. } = answer;
    let mut text = String::new();
    let share = if timing.makespan == 0 {
        100.0
    } else {
        answer.bound as f64 * 100.0 / timing.makespan as f64
    };
    let proven = if answer.proven {
        "proven minimal"
    } else {
        "not proven minimal"
    };
    let _ = writeln!(text, "{:<12} {}", "schedule", answer.name);
    let _ = writeln!(
        text,
        "{:<12} {} cycles, the bound is {share:.1} % of it, {proven}",
        "makespan", timing.makespan
    );
    let _ = writeln!(text, "{:<12} {} cycles", "bound", answer.bound);
    let _ = writeln!(text, "{:<12} {} control dependences", "added", schedule.control.len());
    if let Some(cost) = cost {
        let proven = if cost.proven {
            ", the least".to_owned()
        } else {
            format!(", at least {}", cost.least)
        };
        let count = answer.remat.len();
        let _ = writeln!(
            text,
            "{:<12} {count} fragments, {} cycles more{proven}",
            "recomputed", cost.cycles
        );
    }
    text += &meshes(program, answer, timing);
    text.push('\n');
    text += &draw(program, schedule, timing);
    for remark in &answer.remarks {
        let names: Vec<String> = remark.parties.iter().take(8).map(ToString::to_string).collect();
        let more = remark.parties.len().saturating_sub(names.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let colon = if names.is_empty() { "" } else { ": " };
        let _ = writeln!(
            text,
            "remark: {}: {}{more}{colon}{}",
            remark.reason.name(),
            names.join(", "),
            remark.text
        );
    }
    text
}

fn meshes(program: &Program, answer: &Answer, timing: &Timing) -> String {
    let width = program
        .meshes
        .iter()
        .map(|mesh| mesh.chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let mut text = format!(
        "\n{:<width$}  {:>9} {:>10} {:>10} {:>10} {:>12}  order\n",
        "mesh", "fragments", "busy", "own bubble", "idle", "peak bytes"
    );
    for (at, (mesh, figures)) in program.meshes.iter().zip(&timing.meshes).enumerate() {
        let forced = match answer.forced[at] {
            Some(true) => "forced",
            Some(false) => "completed",
            None => "not known",
        };
        let _ = writeln!(
            text,
            "{mesh:<width$}  {:>9} {:>10} {:>10} {:>10} {:>12}  {forced}",
            answer.schedule.order[at].len(),
            figures.busy,
            figures.bubble(),
            timing.makespan - figures.busy,
            figures.peak,
        );
    }
    text
}
