//! Links that transfers of a plan share, as far as that can make a difference.

use std::collections::{BTreeMap, BTreeSet};

use zpu_timing::{Flow, FlowId, Links};

use super::waits::is_engine;
use crate::{Plan, Problem, Use};

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
    pub(super) fn of(problem: &Problem, plan: &Plan) -> Sharing {
        let crowded = crowded(problem, plan);
        let uses = |op: usize| &problem.operations[op].alternatives[plan.chosen[op] as usize].uses;
        let capacity = |&link: &usize| problem.resources[link].capacity.into();
        let mut sharing = Sharing {
            links: Links::new(crowded.iter().map(capacity).collect()),
            resources: crowded,
            transfers: vec![None; plan.stage.len()],
            ..Sharing::default()
        };
        let mut engines = BTreeSet::new();
        for op in 0..plan.stage.len() {
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
            engines.extend(engine_of(problem, uses(op)));
        }
        let single = |op: usize| engine_of(problem, uses(op)).is_some();
        let on_linked = |op: usize| uses(op).iter().any(|used| engines.contains(&used.resource.index()));
        let several = |op: usize| (sharing.transfers[op].is_some() || on_linked(op)) && !single(op);
        if (0..plan.stage.len()).any(several) {
            return Sharing {
                transfers: vec![None; plan.stage.len()],
                ..Sharing::default()
            };
        }
        sharing.engines = engines.into_iter().zip(0..).collect();
        sharing
    }
}

/// The only engine of a command.
fn engine_of(problem: &Problem, uses: &[Use]) -> Option<usize> {
    let mut engines = uses.iter().filter(|used| is_engine(problem, used));
    let only = engines.next()?.resource.index();
    engines.next().is_none().then_some(only)
}

/// Shared resources of which the plan's engines, each with one transfer, together want more than there is.
fn crowded(problem: &Problem, plan: &Plan) -> Vec<usize> {
    if problem.resources.iter().all(|resource| !resource.shared) {
        return vec![];
    }
    let mut wanted: BTreeMap<(usize, Option<usize>), u64> = BTreeMap::new();
    for (operation, &chosen) in problem.operations.iter().zip(&plan.chosen) {
        let uses = &operation.alternatives[chosen as usize].uses;
        for used in uses
            .iter()
            .filter(|u| u.cycles > 0 && problem.resources[u.resource.index()].shared)
        {
            let most = wanted
                .entry((used.resource.index(), engine_of(problem, uses)))
                .or_default();
            *most = (*most).max(used.amount.into());
        }
    }
    let sum = |link: usize| {
        wanted
            .iter()
            .filter(|((of, _), _)| *of == link)
            .map(|(_, most)| most)
            .sum::<u64>()
    };
    let is_crowded = |link: &usize| sum(*link) > u64::from(problem.resources[*link].capacity);
    (0..problem.resources.len())
        .filter(is_crowded)
        .filter(|&link| problem.resources[link].shared)
        .collect()
}
