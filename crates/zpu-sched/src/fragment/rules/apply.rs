//! Rules on a program.
//!
//! A rule that data alone contradict is skipped with a remark that has the path. All others hold: if they close a
//! circle together, with data or without, that is an error, whatever the order of rules and fragments.

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::{FragmentError, joined};
use super::super::graph::{Arcs, Closure, path, shortest_cycle, topological};
use super::super::problem::{NodeId, Program};
use super::super::remark::{Reason, Remark};
use super::super::schedule::{Answer, Prepared, Schedule, cyclic};
use super::info::{FragmentInfo, Rule};

/// An edge that a rule demands.
struct Demand {
    from: NodeId,
    to: NodeId,
    rule: usize,
}

/// Orders a program by rules; what they leave open keeps its place.
pub(crate) fn apply(program: &Program, rules: &[Rule]) -> Result<Answer, FragmentError> {
    let by_info = by_info(program)?;
    let prepared = Prepared::new(program);
    let mut remarks = Vec::new();
    let mut demands = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        demands.extend(demands_of(program, &by_info, number, rule, &mut remarks));
    }
    demands.retain(|demand| {
        let against = path(program, &prepared.data, demand.to, demand.from);
        if let Some(path) = &against {
            let text = format!(
                "rule {}: data demand the opposite: {}",
                demand.rule,
                joined(&program.parties(path.iter().copied()), " -> ")
            );
            let parties = program.parties([demand.from, demand.to]);
            remarks.push(Remark::new(Reason::AgainstData, parties, text));
        }
        against.is_none()
    });
    let edges: Vec<(NodeId, NodeId)> = demands.iter().map(|demand| (demand.from, demand.to)).collect();
    let arcs = Arcs::with(program, &edges);
    if topological(&arcs).is_err() {
        return Err(contradiction(program, &arcs, &demands));
    }
    let order = prepared.place_with(&edges);
    let (schedule, timing) = order.and_then(|order| prepared.finish(order)).ok_or_else(cyclic)?;
    let control = needed(program, &prepared.data, edges);
    let mut answer = prepared.answer("rules", Schedule { control, ..schedule }, timing);
    answer.forced = prepared.forced_by(&answer.schedule);
    answer.remarks = remarks;
    Ok(answer)
}

/// The most nodes for which paths are looked up in a table.
const MOST_NODES: usize = 1 << 12;

/// The edges without those that data or edges before them imply; in a large program, without those that are there
/// twice.
fn needed(program: &Program, data: &Arcs, edges: Vec<(NodeId, NodeId)>) -> Vec<(NodeId, NodeId)> {
    let mut needed: Vec<(NodeId, NodeId)> = Vec::new();
    if program.nodes.len() > MOST_NODES {
        let mut seen = BTreeSet::new();
        needed.extend(edges.into_iter().filter(|edge| seen.insert(*edge)));
        return needed;
    }
    let mut closure = Closure::new(data);
    for (a, b) in edges {
        if !closure.leads(a, b) {
            closure.add(a, b);
            needed.push((a, b));
        }
    }
    needed
}

/// User fragments by their information.
fn by_info(program: &Program) -> Result<BTreeMap<FragmentInfo, NodeId>, FragmentError> {
    let mut by_info = BTreeMap::new();
    for (id, fragment) in program.fragments().filter(|(_, fragment)| fragment.is_user()) {
        let info = FragmentInfo::of(program, fragment);
        if let Some(other) = by_info.insert(info.clone(), id) {
            let mut parties = program.parties([other, id]);
            parties.sort_by(|a, b| a.name.cmp(&b.name));
            let [first, second] = [parties.remove(0), parties.remove(0)];
            return Err(FragmentError::Ambiguous {
                first,
                second,
                info: info.to_string(),
            });
        }
    }
    Ok(by_info)
}

fn demands_of(
    program: &Program,
    by_info: &BTreeMap<FragmentInfo, NodeId>,
    number: usize,
    rule: &Rule,
    remarks: &mut Vec<Remark>,
) -> Vec<Demand> {
    let infos = &rule.ordered_fragments;
    let mut remark = |reason, nodes: &[NodeId], text: &str| {
        let parties = program.parties(nodes.iter().copied());
        remarks.push(Remark::new(reason, parties, format!("rule {number}: {text}")));
    };
    if infos.len() < 2 {
        remark(
            Reason::ShortRule,
            &[],
            &format!("{} fragments have no order; skipped", infos.len()),
        );
        return vec![];
    }
    let mut demands = Vec::new();
    let mut before: Option<NodeId> = None;
    for info in infos {
        let Some(&found) = by_info.get(info) else {
            let hint = if info.mesh.is_none() {
                "; every fragment has a mesh, so `mesh_name` is needed"
            } else {
                ""
            };
            // The fragment before stays: x -> y -> z without y is x -> z.
            remark(Reason::MissingFragment, &[], &format!("no fragment is {info}{hint}"));
            continue;
        };
        if let Some(first) = before.replace(found) {
            let mesh = |node: NodeId| program.node(node).fragment().map(|fragment| fragment.mesh);
            if first == found {
                remark(Reason::SameFragment, &[found], "the same fragment twice; skipped");
            } else if mesh(first) != mesh(found) {
                let text = "they are on different meshes; skipped";
                remark(Reason::DifferentMeshes, &[first, found], text);
            } else {
                demands.push(Demand {
                    from: first,
                    to: found,
                    rule: number,
                });
            }
        }
    }
    demands
}

fn contradiction(program: &Program, arcs: &Arcs, demands: &[Demand]) -> FragmentError {
    let cycle = shortest_cycle(program, arcs);
    let next = cycle.iter().cycle().skip(1);
    let mut rules: Vec<usize> = cycle
        .iter()
        .zip(next)
        .flat_map(|(a, b)| {
            let data = program.node(*b).deps.contains(a);
            let demands = demands
                .iter()
                .filter(move |demand| !data && demand.from == *a && demand.to == *b);
            demands.map(|demand| demand.rule)
        })
        .collect();
    rules.sort_unstable();
    rules.dedup();
    FragmentError::CyclicRules {
        cycle: program.parties(cycle),
        rules,
    }
}
