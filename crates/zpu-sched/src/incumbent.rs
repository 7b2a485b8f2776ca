//! Proposals of the schedulers, and the best of them.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::Kind;
use crate::candidate::{Candidate, candidate, with_fewer_versions, with_most_versions};
use crate::order::legal_order;
use crate::work::Work;

/// The best candidate so far. It only ever gets better.
pub(crate) struct Incumbent<'a> {
    work: &'a Work<'a>,
    best: Candidate,
    /// Stages and places that were offered before, and whether they are within the limits. What was offered before
    /// lost, or was as good as the best is at the least.
    offered: FxHashMap<Vec<u32>, bool>,
}

impl<'a> Incumbent<'a> {
    /// Starts with a candidate to beat.
    pub(crate) fn new(work: &'a Work<'a>, first: Candidate) -> Incumbent<'a> {
        let mut incumbent = Incumbent {
            work,
            best: first.clone(),
            offered: FxHashMap::default(),
        };
        incumbent.offer(first);
        incumbent
    }

    pub(crate) fn best(&self) -> &Candidate {
        &self.best
    }

    pub(crate) fn into_best(self) -> Candidate {
        self.best
    }

    /// Keeps the candidate, or the same with more versions, if it is better than the best; says whether it is.
    pub(crate) fn offer(&mut self, candidate: Candidate) -> bool {
        let (facts, options) = (&*self.work.facts, self.work.options);
        let more = with_most_versions(facts, options, &candidate);
        let more = more.filter(|more| more.compare_time(&candidate, options) == Ordering::Less);
        let candidate = match more {
            // Taking versions away again is work; it is only done for a plan that wins.
            Some(more) if more.compare_time(&self.best, options) == Ordering::Less => {
                with_fewer_versions(facts, options, more, &candidate.plan.versions)
            }
            _ => candidate,
        };
        let better = candidate.compare(&self.best, options) == Ordering::Less;
        if better {
            self.best = candidate;
        }
        better
    }

    /// Offers a stage assignment whose order follows `key` as far as is legal; says whether there is such an order
    /// within the limits.
    pub(crate) fn offer_stages(&mut self, stage: &[u32], key: &[i64]) -> bool {
        let Some(order) = legal_order(&self.work.graph, stage, key) else {
            return false;
        };
        let plan = [stage, &order].concat();
        if let Some(&legal) = self.offered.get(&plan) {
            return legal;
        }
        let (facts, options) = (&*self.work.facts, self.work.options);
        let candidate = candidate(facts, options, stage.to_vec(), order, self.work.chosen.clone());
        self.offered.insert(plan, candidate.is_ok());
        candidate.is_ok_and(|candidate| {
            self.offer(candidate);
            true
        })
    }

    /// Offers start times at interval `ii`, folded to at most `last_stage`; says whether a plan came out.
    pub(crate) fn offer_times(&mut self, start: &[i64], ii: i64, last_stage: i64) -> bool {
        if start.is_empty() {
            return false;
        }
        if self.work.problem.kind == Kind::Acyclic {
            return self.offer_stages(&vec![0; start.len()], start);
        }
        let mut legal = self.offer_folded(start, ii, last_stage);
        if let Some(issue) = self.issue_times(start, ii) {
            legal |= self.offer_folded(&issue, ii, last_stage);
        }
        legal
    }

    /// Folds where that gives the fewest stages. Folding earlier than at the first start moves a part of the last stage
    /// into the one before; the residues of the starts are the only places where that changes anything.
    fn offer_folded(&mut self, start: &[i64], ii: i64, last_stage: i64) -> bool {
        let first = start.iter().min().copied().unwrap_or(0);
        let last = start.iter().max().copied().unwrap_or(0);
        let stages_from = |origin: i64| (last - origin).div_euclid(ii);
        let mut origins = vec![first];
        let folds = start.iter().map(|t| first - (first - t).rem_euclid(ii));
        let fewest = folds
            .min_by_key(|&origin| (stages_from(origin), first - origin))
            .unwrap_or(first);
        if fewest != first {
            origins.push(fewest);
        }
        let mut legal = false;
        for origin in origins.into_iter().filter(|&origin| stages_from(origin) <= last_stage) {
            let stage: Vec<u32> = start.iter().map(|t| ((t - origin) / ii) as u32).collect();
            // Of commands at one cycle, a blocking one comes last: the others are issued before it holds the stream.
            let blocks = |op: usize| i64::from(self.work.blocking[op] > 0);
            let key = start
                .iter()
                .enumerate()
                .map(|(op, t)| 2 * ((t - origin) % ii) + blocks(op))
                .collect::<Vec<_>>();
            legal |= self.offer_stages(&stage, &key);
        }
        legal
    }

    /// A command that starts while a blocking one holds the stream must be issued before or after it: before, if what
    /// it waits for is complete by then; its engine's queue keeps it. `None` if nothing blocks.
    fn issue_times(&self, start: &[i64], ii: i64) -> Option<Vec<i64>> {
        let work = self.work;
        let blockers: Vec<usize> = (0..work.count()).filter(|&op| work.blocking[op] > 0).collect();
        if blockers.is_empty() {
            return None;
        }
        let mut issue = start.to_vec();
        for op in (0..work.count()).filter(|&op| work.blocking[op] == 0) {
            let held = blockers.iter().find_map(|&blocker| {
                let into = (start[op] - start[blocker]).rem_euclid(ii);
                (into > 0 && into < work.blocking[blocker]).then_some((into, work.blocking[blocker]))
            });
            let Some((into, length)) = held else { continue };
            let entering = work.graph.entering[op]
                .iter()
                .map(|&arc| work.edges[arc as usize])
                .filter(|e| e.from != op);
            let ready = entering.map(|e| start[e.from] + e.latency - e.distance * ii).max();
            let before = start[op] - into;
            issue[op] = if ready.is_none_or(|ready| ready <= before) {
                before
            } else {
                before + length
            };
        }
        Some(issue)
    }
}
