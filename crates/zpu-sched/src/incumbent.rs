//! Proposals of the schedulers, and the best of them.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::Kind;
use crate::candidate::{Candidate, MostVersions, candidate, with_fewer_versions, with_most_versions};
use crate::order::legal_order;
use crate::work::Work;

/// The best candidate so far. It only ever gets better.
pub(crate) struct Incumbent<'a> {
    work: &'a Work<'a>,
    best: Candidate,
    /// A better one, if versions went to buffers that are read together. The search does not follow it before
    /// [`Incumbent::follow_together`], so that what it finds without is found in any case.
    together: Option<Candidate>,
    follows_together: bool,
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
            together: None,
            follows_together: false,
            offered: FxHashMap::default(),
        };
        incumbent.offer(first);
        incumbent
    }

    pub(crate) fn best(&self) -> &Candidate {
        &self.best
    }

    /// The best one, whether the search follows it or not.
    pub(crate) fn best_of_all(&self) -> &Candidate {
        self.together.as_ref().unwrap_or(&self.best)
    }

    pub(crate) fn into_best(self) -> Candidate {
        self.together.unwrap_or(self.best)
    }

    /// Goes on from what came of giving versions to buffers that are read together, if that is better; says whether.
    pub(crate) fn follow_together(&mut self) -> bool {
        self.follows_together = true;
        let together = self.together.take();
        let better = together.is_some();
        self.best = together.unwrap_or_else(|| self.best.clone());
        better
    }

    /// Keeps the candidate, or the same with more versions, if it is better than the best; says whether it is.
    pub(crate) fn offer(&mut self, candidate: Candidate) -> bool {
        let (facts, options) = (&*self.work.facts, self.work.options);
        let MostVersions { in_order, together } =
            with_most_versions(facts, options, &candidate, self.best.most(options));
        let best = self.best_of_all();
        let mut better = false;
        if let Some(winner) = together.and_then(|more| self.winner(&candidate, more, best)) {
            if self.follows_together {
                self.best = winner;
                better = true;
            } else {
                self.together = Some(winner);
            }
        }
        let winner = in_order.and_then(|more| self.winner(&candidate, more, &self.best));
        let candidate = winner.unwrap_or(candidate);
        if candidate.compare(&self.best, options) == Ordering::Less {
            self.best = candidate;
            better = true;
        }
        self.together
            .take_if(|together| together.compare(&self.best, options) != Ordering::Less);
        better
    }

    /// The candidate with `more` versions, if that is faster than without them and than `best`, less those that are of
    /// no use.
    fn winner(&self, candidate: &Candidate, more: Candidate, best: &Candidate) -> Option<Candidate> {
        let (facts, options) = (&*self.work.facts, self.work.options);
        let faster = |than: &Candidate| more.compare_time(than, options) == Ordering::Less;
        // Taking versions away again is work; it is only done for a plan that wins.
        // What was not followed to its end is no faster than the best.
        (faster(best) && faster(candidate)).then(|| with_fewer_versions(facts, options, more, &candidate.plan.versions))
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
        let candidate = candidate(
            facts,
            options,
            stage.to_vec(),
            order,
            self.work.chosen.clone(),
            self.best.most(options),
        );
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
        let blockers = (0..work.count()).filter(|&op| work.blocking[op] > 0);
        // By residue, so that those that may hold one are close.
        let mut blockers: Vec<(i64, usize)> = blockers.map(|op| (start[op].rem_euclid(ii), op)).collect();
        blockers.sort_unstable();
        let longest = blockers.iter().map(|&(_, op)| work.blocking[op]).max()?;
        let within = |from: i64, to: i64| {
            let place = |residue: i64| blockers.partition_point(|&(at, _)| at < residue);
            blockers[place(from)..place(to)].iter()
        };
        let mut issue = start.to_vec();
        for op in (0..work.count()).filter(|&op| work.blocking[op] == 0) {
            let residue = start[op].rem_euclid(ii);
            let earliest = residue - longest.min(ii) + 1;
            let close = within(earliest, residue).chain(within(earliest + ii, ii));
            let held = close.filter_map(|&(at, blocker)| {
                let into = (residue - at).rem_euclid(ii);
                (into < work.blocking[blocker]).then_some((blocker, into))
            });
            let held = held.min().map(|(blocker, into)| (into, work.blocking[blocker]));
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
