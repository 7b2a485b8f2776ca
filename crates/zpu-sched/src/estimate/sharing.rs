//! Links that transfers of a plan share, as far as that can make a difference.

use std::collections::{BTreeMap, BTreeSet};

use zpu_timing::{Flow, FlowId, Links};

use super::facts::Facts;
use crate::{OpId, Use};

/// The crowded links of a plan, and the engines and transfers on them.
#[derive(Default)]
pub(super) struct Sharing {
    /// The links, in units of bandwidth, and the flows of the transfers.
    pub(super) links: Links,
    /// The resource that each link is.
    pub(super) resources: Vec<usize>,
    /// By resource: its place among the engines with transfers on crowded links.
    pub(super) engines: BTreeMap<usize, usize>,
    /// By operation: cycles from its start to its use of links, cycles of that, and the flow.
    pub(super) transfers: Vec<Option<(u64, u64, FlowId)>>,
}

impl Sharing {
    /// Finds them. Nothing shares anything if a command on a crowded link takes more than one engine, or none.
    pub(super) fn of(facts: &Facts<'_>, chosen: &[u32]) -> Sharing {
        let problem = facts.problem;
        let crowded = crowded(facts, chosen);
        let none = || Sharing {
            transfers: vec![None; chosen.len()],
            ..Sharing::default()
        };
        if crowded.is_empty() {
            return none();
        }
        let uses = |op: usize| &problem.operations[op].alternatives[chosen[op] as usize].uses;
        let capacity = |&link: &usize| problem.resources[link].capacity.into();
        let mut sharing = Sharing {
            links: Links::new(crowded.iter().map(capacity).collect()),
            resources: crowded,
            transfers: vec![None; chosen.len()],
            ..Sharing::default()
        };
        let mut engines = BTreeSet::new();
        for op in 0..chosen.len() {
            let link_of = |used: &Use| sharing.resources.iter().position(|&link| link == used.resource.index());
            let crossing: Vec<(usize, &Use)> = uses(op)
                .iter()
                .filter(|u| u.cycles > 0)
                .filter_map(|u| Some((link_of(u)?, u)))
                .collect();
            let Some(&(_, first)) = crossing.first() else { continue };
            let flow = Flow {
                demand: crossing.iter().map(|(_, used)| used.amount).max().unwrap_or(1).into(),
                links: crossing.iter().map(|(link, _)| *link).collect(),
            };
            sharing.transfers[op] = Some((first.offset, first.cycles, sharing.links.add(flow)));
            engines.extend(engine_of(facts, chosen, op));
        }
        let single = |op: usize| engine_of(facts, chosen, op).is_some();
        let on_linked = |op: usize| uses(op).iter().any(|used| engines.contains(&used.resource.index()));
        let several = |op: usize| (sharing.transfers[op].is_some() || on_linked(op)) && !single(op);
        if (0..chosen.len()).any(several) {
            return none();
        }
        sharing.engines = engines.into_iter().zip(0..).collect();
        sharing
    }
}

/// The only engine of a command.
fn engine_of(facts: &Facts<'_>, chosen: &[u32], op: usize) -> Option<usize> {
    let way = facts.ways(OpId(op as u32))[chosen[op] as usize];
    way.only.map(|only| only.resource.index())
}

/// Shared resources of which the plan's engines, each with one transfer, together want more than there is.
fn crowded(facts: &Facts<'_>, chosen: &[u32]) -> Vec<usize> {
    if !facts.shares {
        return vec![];
    }
    let problem = facts.problem;
    // By link and engine; there are few.
    let mut wanted: Vec<((usize, Option<usize>), u64)> = vec![];
    for (op, (operation, &way)) in problem.operations.iter().zip(chosen).enumerate() {
        let uses = &operation.alternatives[way as usize].uses;
        for used in uses
            .iter()
            .filter(|u| u.cycles > 0 && problem.resources[u.resource.index()].shared)
        {
            let on = (used.resource.index(), engine_of(facts, chosen, op));
            match wanted.iter_mut().find(|(other, _)| *other == on) {
                Some((_, most)) => *most = (*most).max(used.amount.into()),
                None => wanted.push((on, used.amount.into())),
            }
        }
    }
    let mut sums = vec![0u64; problem.resources.len()];
    for ((link, _), most) in wanted {
        sums[link] += most;
    }
    let is_crowded = |&link: &usize| sums[link] > u64::from(problem.resources[link].capacity);
    (0..sums.len())
        .filter(|&link| problem.resources[link].shared)
        .filter(is_crowded)
        .collect()
}
