//! The choice of alternatives by load: the one that keeps the most loaded resource least loaded, and the bound that
//! follows.
//!
//! The longest operations choose first, each where the resulting load is least (Graham 1969). From there, a depth-first
//! search looks for ever smaller loads until there is none or its steps are spent.
//!
//! Invariant: if the search ends, no choice has a smaller load, so that no interval and no makespan is below it.

use crate::{Alternative, Problem};

/// The most choices visited in the search for a smaller load.
const STEPS: usize = 20_000;
/// Operations with a choice up to which there is a search.
const MOST_CHOICES: usize = 64;

/// A choice of alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) chosen: Vec<u32>,
    /// Cycles that the most loaded resource works, its capacity taken into account.
    pub(crate) load: u64,
    /// True if no choice has a smaller load.
    pub(crate) least: bool,
}

/// The choice with the least load that was found; the search ends at a load of `enough`, for which there is another
/// proof that nothing is below it.
pub(crate) fn balanced(problem: &Problem, enough: u64) -> Assignment {
    let mut search = Search::new(problem, 0);
    let mut best = search.longest_first();
    let mut steps = STEPS;
    best.least |= best.load <= enough;
    while !best.least && search.choices.len() <= MOST_CHOICES {
        match search.find(best.load - 1, &mut steps) {
            Some(better) => {
                best = better;
                best.least |= best.load <= enough;
            }
            None if steps > 0 => best.least = true,
            None => break,
        }
    }
    best
}

/// A choice with a load of at most `most`, another one for each `variant` if there are several.
pub(crate) fn within(problem: &Problem, most: u64, variant: u64) -> Option<Vec<u32>> {
    let mut search = Search::new(problem, variant);
    let searched = search.choices.len() <= MOST_CHOICES;
    let found = searched.then(|| search.find(most, &mut { STEPS / 10 })).flatten();
    found.map(|found| found.chosen)
}

/// An operation with several alternatives.
struct Choice {
    op: usize,
    /// In the order of trying.
    ways: Vec<Way>,
}

/// An alternative.
struct Way {
    alternative: u32,
    latency: u64,
    /// Cycles on each resource beyond those that every alternative takes.
    more: Vec<(usize, u64)>,
}

struct Search {
    operations: usize,
    capacity: Vec<u64>,
    load: Vec<u64>,
    /// The longest first.
    choices: Vec<Choice>,
}

impl Search {
    fn new(problem: &Problem, variant: u64) -> Search {
        let mut load = vec![0u64; problem.resources.len()];
        let mut choices = vec![];
        let mut state = variant;
        for (op, operation) in problem.operations.iter().enumerate() {
            let demands: Vec<Vec<u64>> = operation.alternatives.iter().map(|a| demand(problem, a)).collect();
            let always: Vec<u64> = (0..load.len())
                .map(|r| demands.iter().map(|demand| demand[r]).min().unwrap_or(0))
                .collect();
            for (load, &always) in load.iter_mut().zip(&always) {
                *load = load.saturating_add(always);
            }
            if demands.len() < 2 {
                continue;
            }
            let way = |(alternative, demand): (u32, &Vec<u64>)| {
                let more = demand.iter().zip(&always).map(|(demand, always)| demand - always);
                Way {
                    alternative,
                    latency: operation.alternatives[alternative as usize].latency,
                    more: more.enumerate().filter(|&(_, more)| more > 0).collect(),
                }
            };
            let mut ways: Vec<Way> = (0..).zip(&demands).map(way).collect();
            if variant > 0 {
                // Knuth's MMIX generator.
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let first = (state >> 33) as usize % ways.len();
                ways.rotate_left(first);
            }
            choices.push(Choice { op, ways });
        }
        let work = |choice: &Choice| {
            let totals = choice.ways.iter().map(|way| way.more.iter().map(|m| m.1).sum::<u64>());
            totals.min().unwrap_or(0)
        };
        choices.sort_by_key(|choice| (std::cmp::Reverse(work(choice)), choice.op));
        Search {
            operations: problem.operations.len(),
            capacity: problem.resources.iter().map(|r| u64::from(r.capacity.max(1))).collect(),
            load,
            choices,
        }
    }

    /// Each operation where the resulting load is least.
    fn longest_first(&mut self) -> Assignment {
        let mut taken = Vec::with_capacity(self.choices.len());
        let mut load = self.load.clone();
        for choice in &self.choices {
            let resulting = |way: &Way| {
                let loads = way.more.iter();
                let loads = loads.map(|&(r, more)| load[r].saturating_add(more) / self.capacity[r]);
                (loads.max().unwrap_or(0), way.latency)
            };
            let best = (0..choice.ways.len()).min_by_key(|&way| (resulting(&choice.ways[way]), way));
            let best = best.unwrap_or(0);
            for &(resource, more) in &choice.ways[best].more {
                load[resource] = load[resource].saturating_add(more);
            }
            taken.push(best);
        }
        self.assignment(&taken)
    }

    /// A choice with a load of at most `most`, unless there is none or the steps are spent.
    fn find(&mut self, most: u64, steps: &mut usize) -> Option<Assignment> {
        let room: Vec<u64> = self
            .capacity
            .iter()
            .map(|capacity| capacity.saturating_mul(most))
            .collect();
        if self.load.iter().zip(&room).any(|(load, room)| load > room) {
            return None;
        }
        let mut load = self.load.clone();
        // Per decided choice the way taken; the last one is to be tried next.
        let mut taken = vec![0];
        loop {
            let depth = taken.len() - 1;
            let Some(choice) = self.choices.get(depth) else {
                taken.pop();
                return Some(self.assignment(&taken));
            };
            let Some(Way { more, .. }) = choice.ways.get(taken[depth]) else {
                // Back to the choice before, and on to its next way.
                taken.pop();
                let before = taken.last_mut()?;
                for &(resource, more) in &self.choices[depth - 1].ways[*before].more {
                    load[resource] -= more;
                }
                *before += 1;
                continue;
            };
            if *steps == 0 {
                return None;
            }
            *steps -= 1;
            if more.iter().all(|&(r, more)| load[r].saturating_add(more) <= room[r]) {
                more.iter().for_each(|&(r, more)| load[r] += more);
                taken.push(0);
            } else {
                taken[depth] += 1;
            }
        }
    }

    fn assignment(&self, taken: &[usize]) -> Assignment {
        let mut chosen = vec![0; self.operations];
        let mut load = self.load.clone();
        for (choice, &way) in self.choices.iter().zip(taken) {
            let way = &choice.ways[way];
            chosen[choice.op] = way.alternative;
            for &(resource, more) in &way.more {
                load[resource] = load[resource].saturating_add(more);
            }
        }
        let loads = load
            .iter()
            .zip(&self.capacity)
            .map(|(load, &capacity)| load.div_ceil(capacity));
        Assignment {
            chosen,
            load: loads.max().unwrap_or(0),
            least: self.choices.is_empty(),
        }
    }
}

/// Units times cycles that an alternative takes of each resource.
fn demand(problem: &Problem, alternative: &Alternative) -> Vec<u64> {
    let mut demand = vec![0u64; problem.resources.len()];
    for used in &alternative.uses {
        let taken = &mut demand[used.resource.index()];
        *taken = taken.saturating_add(u64::from(used.amount).saturating_mul(used.cycles));
    }
    demand
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Use;

    /// Five operations of random lengths, each with one to three of three engines, one of which has two units.
    fn random(seed: u64) -> Problem {
        let mut problem = Problem::cyclic("random");
        let engines = [1, 1, 2].map(|capacity| problem.add_resource("engine", capacity));
        let mut state = seed;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for op in 0..5 {
            let alternatives = (0..1 + below(3)).map(|_| {
                let cycles = 1 + below(9);
                Alternative {
                    latency: cycles,
                    uses: vec![Use::whole(engines[below(3) as usize], cycles)],
                }
            });
            let alternatives = alternatives.collect();
            problem.add_choice(format!("op{op}"), alternatives);
        }
        problem
    }

    fn load(problem: &Problem, chosen: &[u32]) -> u64 {
        let mut load = vec![0; problem.resources.len()];
        for (operation, &way) in problem.operations.iter().zip(chosen) {
            for (load, more) in load
                .iter_mut()
                .zip(demand(problem, &operation.alternatives[way as usize]))
            {
                *load += more;
            }
        }
        let each = load.iter().zip(&problem.resources);
        each.map(|(load, r)| load.div_ceil(r.capacity.into()))
            .max()
            .unwrap_or(0)
    }

    fn least_by_enumeration(problem: &Problem, chosen: &mut Vec<u32>) -> u64 {
        let Some(operation) = problem.operations.get(chosen.len()) else {
            return load(problem, chosen);
        };
        let mut least = u64::MAX;
        for way in 0..operation.alternatives.len() {
            chosen.push(way as u32);
            least = least.min(least_by_enumeration(problem, chosen));
            chosen.pop();
        }
        least
    }

    #[test]
    fn the_least_load_is_that_of_enumeration() {
        for seed in 0..300 {
            let problem = random(seed);
            let least = least_by_enumeration(&problem, &mut vec![]);
            let found = balanced(&problem, 0);
            assert_eq!((found.load, found.least), (least, true), "seed {seed}");
            assert_eq!(load(&problem, &found.chosen), least, "seed {seed}");
            assert!(within(&problem, least - 1, seed).is_none(), "seed {seed}");
            let other = within(&problem, least, seed).unwrap_or_default();
            assert_eq!(load(&problem, &other), least, "seed {seed}");
        }
    }
}
