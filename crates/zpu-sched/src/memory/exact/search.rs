//! Depth-first search over canonical plans, for lines and circles.
//!
//! If there is a plan within the height, then there is one whose offsets have the least sum. In it every item rests on
//! another one, on a pinned one or on the ground; placed in the order of offsets, each comes to its lowest offset clear
//! of those placed before. So the search places items with offsets that never fall. A branch ends if
//! - in some section what is open does not fit between its floor and the height;
//! - an open item would fit below the item that is placed next: then it could be moved there, and the sum be less;
//! - the same items are open at the same lowest offsets as in a branch that failed;
//! - items that have come apart from the others failed, and were as low before the last choice: it is not to blame.
//!
//! Open items that have come apart in time are searched on their own. After Moffitt, "MiniMalloc", ASPLOS 2023.
//!
//! Invariant: of two items at one offset the one of smaller rank is placed first, and of equal items as well, so no
//! plan is tried twice.

use rustc_hash::FxHashMap;

use super::super::packing::Packing;
use super::order::Order;
use super::state::State;
use crate::budget::Budget;

/// Most failed states that are remembered: about 50 MB.
const MOST_MEMORIES: usize = 1 << 20;

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All is placed.
    Found,
    /// There is no plan.
    Failed,
    /// The budget was used up.
    Spent,
}

/// The offset and rank from which on a state failed; the rank says something in one epoch.
#[derive(Clone, Copy)]
struct Least {
    from: u64,
    rank: u32,
    epoch: u32,
}

impl Least {
    /// True if what failed for this one has failed for the other one.
    fn covers(self, other: Self) -> bool {
        self.from < other.from
            || self.is_all()
            || (self.epoch == other.epoch && (self.from, self.rank) <= (other.from, other.rank))
    }

    /// True if the state failed whatever comes first.
    fn is_all(self) -> bool {
        (self.from, self.rank) == (0, 0)
    }
}

pub(super) struct Search<'a> {
    state: State<'a>,
    order: Order<'a>,
    /// Per open item: its place in the order of the items that it has not come apart from.
    rank: Vec<u32>,
    /// The time when the items of the branch came apart from others, by which their ranks are known.
    epoch: u32,
    epochs: u32,
    /// Per item: the equal one of the next smaller rank.
    equal: Vec<Option<u32>>,
    /// States that failed, as 128 bits of hash, with the least offset and rank that they failed for.
    failed: FxHashMap<(u64, u64), Least>,
    all: Vec<u32>,
    /// Open items, with their lowest offsets, of which it is known that they cannot all be placed above those; empty if
    /// the last failure says no such thing.
    blame: Vec<(u32, u64)>,
    /// True if the sections of open items that have not come apart are one range.
    is_line: bool,
}

impl<'a> Search<'a> {
    /// A search for a plan within a height; `None` if some item alone does not fit.
    pub(super) fn new(packing: &'a Packing, order: Order<'a>, height: u64) -> Option<Search<'a>> {
        let state = State::new(packing, height)?;
        let all: Vec<u32> = (0..packing.len() as u32)
            .filter(|&item| !state.is_placed[item as usize])
            .collect();
        let mut rank = vec![0; packing.len()];
        order.rank(&all, &state.rest, &mut rank);
        Some(Search {
            equal: equal(packing),
            failed: FxHashMap::default(),
            state,
            order,
            rank,
            epoch: 0,
            epochs: 0,
            all,
            blame: vec![],
            is_line: packing.items.iter().all(|item| item.ranges.len() == 1),
        })
    }

    /// Searches from the beginning; what was remembered still holds.
    pub(super) fn run(&mut self, budget: &mut Budget) -> Outcome {
        self.state.back_to(0);
        let is_over =
            |section: usize| self.state.rest[section] > 0 && !self.state.fits(section, self.state.floor[section]);
        if (0..self.state.rest.len()).any(is_over) {
            return Outcome::Failed;
        }
        let all = self.all.clone();
        self.split(&all, 0, 0, budget)
    }

    /// The offsets that were found.
    pub(super) fn offsets(&self) -> Vec<u64> {
        self.state.lowest.clone()
    }

    /// Searches all components, those with the least room first.
    fn split(&mut self, items: &[u32], from: u64, rank: u32, budget: &mut Budget) -> Outcome {
        let mut components = self.state.components(items);
        if let [component] = &*components {
            let component = component.clone();
            return self.branch(&component, from, rank, budget);
        }
        components.sort_by_cached_key(|component| (self.room(component, from), component[0]));
        let mark = self.state.mark();
        let before: Vec<u32> = items.iter().map(|&item| self.rank[item as usize]).collect();
        let epoch = self.epoch;
        for component in components {
            self.epochs += 1;
            self.epoch = self.epochs;
            self.order.rank(&component, &self.state.rest, &mut self.rank);
            // From the ground on, so that a failure does not depend on what was placed elsewhere.
            let outcome = self.branch(&component, 0, 0, budget);
            if outcome != Outcome::Found {
                self.state.back_to(mark);
                self.epoch = epoch;
                for (&item, rank) in items.iter().zip(before) {
                    self.rank[item as usize] = rank;
                }
                self.blame_all(&component);
                return outcome;
            }
        }
        self.epoch = epoch;
        Outcome::Found
    }

    /// Some open items cannot be placed, whatever the order.
    fn blame_all(&mut self, items: &[u32]) {
        self.blame.clear();
        let lowest = items.iter().map(|&item| (item, self.state.lowest[item as usize]));
        self.blame.extend(lowest);
    }

    /// The least room that a section of some items has left.
    fn room(&self, items: &[u32], from: u64) -> u64 {
        let state = &self.state;
        let sections = items
            .iter()
            .flat_map(|&item| &state.packing.items[item as usize].ranges);
        let needed = sections
            .flat_map(|&(a, b)| a..b)
            .map(|s| state.floor[s as usize].max(from) + state.rest[s as usize]);
        state.height.saturating_sub(needed.max().unwrap_or(0))
    }

    /// Places one of some open items, none below `from`, and those at `from` by rank; then the others.
    fn branch(&mut self, items: &[u32], from: u64, rank: u32, budget: &mut Budget) -> Outcome {
        if items.is_empty() {
            return Outcome::Found;
        }
        if budget.steps == 0 || (budget.steps.is_multiple_of(256) && budget.late()) {
            budget.steps = 0;
            return Outcome::Spent;
        }
        budget.pay(1);
        let (mut key, mut roof) = ((0u64, 0u64), u64::MAX);
        for &item in items {
            let lowest = self.state.lowest[item as usize];
            let one = mix(lowest ^ (u64::from(item) << 44) ^ u64::from(item));
            key.0 ^= one;
            key.1 = key
                .1
                .wrapping_add(mix(one ^ lowest.rotate_left(32) ^ 0x5851_f42d_4c95_7f2d));
            roof = roof.min(self.state.end(item as usize));
        }
        let epoch = self.epoch;
        let here = Least { from, rank, epoch };
        match self.failed.get(&key) {
            Some(least) if least.is_all() => {
                self.blame_all(items);
                return Outcome::Failed;
            }
            Some(least) if least.covers(here) => {
                self.blame.clear();
                return Outcome::Failed;
            }
            _ => {}
        }
        let mut choices: Vec<(u64, u32, u32)> = vec![];
        for &item in items {
            let (lowest, own) = (self.state.lowest[item as usize], self.rank[item as usize]);
            let is_next = (lowest, own) >= (from, rank) && (lowest < roof);
            let is_first = |equal: Option<u32>| equal.is_none_or(|other| self.state.is_placed[other as usize]);
            if is_next && is_first(self.equal[item as usize]) {
                choices.push((lowest, own, item));
            }
        }
        choices.sort_unstable();
        let ceiling = self.ceiling(items);
        for (offset, own, item) in choices {
            if offset > ceiling {
                break;
            }
            let mark = self.state.mark();
            let mut splits = false;
            self.blame.clear();
            if self.state.place(item as usize, &mut splits) {
                let rest: Vec<u32> = items.iter().copied().filter(|&other| other != item).collect();
                let outcome = match splits {
                    true => self.split(&rest, offset, own, budget),
                    false => self.branch(&rest, offset, own, budget),
                };
                match outcome {
                    Outcome::Failed => {}
                    Outcome::Found | Outcome::Spent => return outcome,
                }
            }
            self.state.back_to(mark);
            // What cannot be placed was as low before: no other choice here can help.
            let lowest = &self.state.lowest;
            if !self.blame.is_empty() && self.blame.iter().all(|&(item, at)| lowest[item as usize] == at) {
                self.remember(
                    key,
                    Least {
                        from: 0,
                        rank: 0,
                        epoch,
                    },
                );
                return Outcome::Failed;
            }
        }
        self.blame.clear();
        self.remember(key, here);
        Outcome::Failed
    }

    /// Remembers that a state failed from an offset and rank on.
    fn remember(&mut self, key: (u64, u64), here: Least) {
        if self.failed.len() >= MOST_MEMORIES {
            self.failed.clear();
        }
        let least = self.failed.entry(key).or_insert(here);
        if !least.covers(here) {
            *least = here;
        }
    }

    /// The largest offset below which nothing more has to be placed for what is open to fit in all sections of some
    /// items.
    fn ceiling(&self, items: &[u32]) -> u64 {
        let state = &self.state;
        let ranges = items
            .iter()
            .flat_map(|&item| &state.packing.items[item as usize].ranges);
        if self.is_line {
            let (first, last) = ranges.fold((u32::MAX, 0), |(a, b), &(from, to)| (a.min(from), b.max(to)));
            let most = state.rest[first as usize..last as usize]
                .iter()
                .copied()
                .max()
                .unwrap_or(0);
            return state.height.saturating_sub(most);
        }
        // On a circle, sections of other items may lie between those of these.
        let most = ranges
            .flat_map(|&(from, to)| from..to)
            .map(|s| state.rest[s as usize])
            .max()
            .unwrap_or(0);
        state.height.saturating_sub(most)
    }
}

/// Per item: the equal one of the next smaller number, which is the next smaller rank in every order. Items are equal
/// if nothing but their names tells them apart.
fn equal(packing: &Packing) -> Vec<Option<u32>> {
    let mut order: Vec<usize> = (0..packing.len())
        .filter(|&item| packing.items[item].pinned.is_none())
        .collect();
    let what = |item: usize| {
        let it = &packing.items[item];
        (&it.ranges, it.bytes, it.align)
    };
    order.sort_by(|&a, &b| what(a).cmp(&what(b)).then(a.cmp(&b)));
    let mut equal = vec![None; packing.len()];
    let names_it = |item: usize| !packing.apart[item].is_empty();
    for pair in order.windows(2).filter(|pair| what(pair[0]) == what(pair[1])) {
        if !names_it(pair[0]) && !names_it(pair[1]) {
            equal[pair[1]] = Some(pair[0] as u32);
        }
    }
    equal
}

/// The finaliser of SplitMix64.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
