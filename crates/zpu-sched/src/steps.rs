//! A step function of residues as a list in blocks, so that a change costs no more than a block is long, and a search
//! skips blocks without room.
//!
//! Invariant: residues rise, the first one is 0, neighbours have different levels, and no block is empty.

/// Steps after which a block is halved. Most functions have a few dozen and are one block.
const MOST: usize = 128;

/// A residue, and the level from there to the next step.
type Step = (i64, i64);

/// A step function.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// Residues are below it.
    ii: i64,
    blocks: Vec<Block>,
    /// Empty, and has room.
    spare: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Block {
    steps: Vec<Step>,
    /// Lets a search skip the block. It is made when a search comes by, and dropped when the steps change.
    summary: Option<Summary>,
}

/// The facts about a block's levels that decide whether a search can skip it.
#[derive(Clone, Debug, PartialEq)]
struct Summary {
    /// The lowest level, and the next one.
    least: i64,
    next: i64,
    /// The first and the last step of a level that is not the lowest one; none if all are.
    higher: Option<(usize, usize)>,
    /// The longest stretch of the lowest level between these two.
    longest: i64,
}

/// The block of a step, and its place there.
type Place = (usize, usize);

impl Block {
    fn of(steps: Vec<Step>) -> Self {
        Self { steps, summary: None }
    }

    fn summary(&mut self) -> &Summary {
        self.summary.get_or_insert_with(|| Summary::of(&self.steps))
    }
}

impl Summary {
    fn of(steps: &[Step]) -> Self {
        let least = steps.iter().map(|&(_, level)| level).min().unwrap_or(i64::MAX);
        let mut of_steps = Self {
            least,
            next: i64::MAX,
            higher: None,
            longest: 0,
        };
        let higher = steps.iter().enumerate().filter(|(_, (_, level))| *level > least);
        for (place, &(at, level)) in higher {
            of_steps.next = of_steps.next.min(level);
            if let Some((_, before)) = of_steps.higher {
                // The stretch between the two begins where the step before ends.
                of_steps.longest = of_steps.longest.max(at - steps[before + 1].0);
            }
            let first = of_steps.higher.map_or(place, |(first, _)| first);
            of_steps.higher = Some((first, place));
        }
        of_steps
    }

    /// True if all levels are above one.
    fn is_above(&self, most: i64) -> bool {
        self.least > most
    }

    /// The first and the last step above a level, if there is no stretch of so many cycles between them up to it.
    fn without(&self, most: i64, cycles: i64) -> Option<(usize, usize)> {
        let is_so = self.least <= most && most < self.next && self.longest < cycles;
        self.higher.filter(|_| is_so)
    }
}

impl Steps {
    /// Level 0 at all residues of an interval.
    pub(crate) fn new(ii: i64) -> Self {
        Self {
            ii,
            blocks: vec![Block::of(vec![(0, 0)])],
            spare: Vec::new(),
        }
    }

    /// True if a level is higher.
    pub(crate) fn is_above(&self, most: i64) -> bool {
        self.blocks
            .iter()
            .any(|block| block.steps.iter().any(|&(_, level)| level > most))
    }

    /// The first time in `from..=to` from which on no level is above `most` for `cycles`. What follows within one
    /// interval decides, since the function repeats.
    pub(crate) fn first_below(&mut self, most: i64, cycles: i64, from: i64, to: i64) -> Option<i64> {
        let ii = self.ii;
        let residue = from.rem_euclid(ii);
        // The beginning of the interval.
        let mut base = from - residue;
        let (mut block, mut first) = self.find(residue);
        let mut begin = from;
        let is_out = |begin: i64| begin > to || begin - from >= ii;
        loop {
            while block < self.blocks.len() {
                let block_end = self.blocks.get(block + 1).map_or(ii, |next| next.steps[0].0);
                // In the block where the search begins, or in an only block, a walk is as fast.
                let is_passed = first == 0 && self.blocks.len() > 1;
                let known = is_passed.then(|| self.blocks[block].summary());
                let is_above = known.as_ref().is_some_and(|known| known.is_above(most));
                let without = known.and_then(|known| known.without(most, cycles));
                let steps = &self.blocks[block].steps;
                let end_of = |at: usize| base + steps.get(at + 1).map_or(block_end, |&(next, _)| next);
                if is_above {
                    begin = base + block_end;
                    if is_out(begin) {
                        return None;
                    }
                } else if let Some((above, last)) = without {
                    if base + steps[above].0 - begin >= cycles {
                        return Some(begin);
                    }
                    begin = end_of(last);
                    if is_out(begin) {
                        return None;
                    }
                    if base + block_end - begin >= cycles {
                        return Some(begin);
                    }
                } else {
                    for (at, &(_, level)) in steps.iter().enumerate().skip(first) {
                        let end = end_of(at);
                        if level > most {
                            begin = end;
                            if is_out(begin) {
                                return None;
                            }
                        } else if end - begin >= cycles {
                            return Some(begin);
                        }
                    }
                }
                (block, first) = (block + 1, 0);
            }
            (base, block) = (base + ii, 0);
        }
    }

    /// The last such time.
    pub(crate) fn last_below(&self, most: i64, cycles: i64, from: i64, to: i64) -> Option<i64> {
        let ii = self.ii;
        let last = to + cycles - 1;
        let residue = last.rem_euclid(ii);
        let mut base = last - residue;
        let mut end = to + cycles;
        let (block, place) = self.find(residue);
        let mut blocks = &self.blocks[..=block];
        // Steps of the last of these blocks.
        let mut count = place + 1;
        let is_out = |end: i64| end - cycles < from || to - (end - cycles) >= ii;
        loop {
            while let Some((Block { steps, .. }, before)) = blocks.split_last() {
                for &(at, level) in steps[..count].iter().rev() {
                    let start = base + at;
                    if level > most {
                        end = start;
                        if is_out(end) {
                            return None;
                        }
                    } else if end - start >= cycles {
                        return Some(end - cycles);
                    }
                }
                blocks = before;
                count = blocks.last().map_or(0, |block| block.steps.len());
            }
            base -= ii;
            blocks = &self.blocks;
            count = blocks.last().map_or(0, |block| block.steps.len());
        }
    }

    /// Adds to the levels of a stretch of residues. Steps come and go at its two ends only.
    pub(crate) fn raise(&mut self, from: i64, to: i64, amount: i64) {
        if from >= to {
            return;
        }
        let first = self.find(from);
        let mut before = self.level_before(first);
        let mut steps = std::mem::take(&mut self.spare);
        let mut step = |at, level| {
            if before.replace(level) != Some(level) {
                steps.push((at, level));
            }
        };
        let mut replaced = 0;
        // The level after the stretch.
        let mut rest = 0;
        let mut ends_at_step = false;
        let mut place = first.1;
        'stretch: for block in &self.blocks[first.0..] {
            for &(at, level) in &block.steps[place..] {
                if at >= to {
                    ends_at_step = at == to;
                    rest = if ends_at_step { level } else { rest };
                    break 'stretch;
                }
                if at < from {
                    step(at, level);
                }
                step(at.max(from), level + amount);
                rest = level;
                replaced += 1;
            }
            place = 0;
        }
        if to < self.ii {
            step(to, rest);
        }
        self.replace(first, replaced + usize::from(ends_at_step), &mut steps);
        self.spare = steps;
    }

    /// The step that a residue is of.
    fn find(&self, residue: i64) -> Place {
        let block = self.blocks.partition_point(|block| block.steps[0].0 <= residue);
        let block = block.saturating_sub(1);
        let steps = &self.blocks[block].steps;
        let place = steps.partition_point(|&(at, _)| at <= residue);
        (block, place.saturating_sub(1))
    }

    fn level_before(&self, (block, place): Place) -> Option<i64> {
        let same = place.checked_sub(1).map(|before| &self.blocks[block].steps[before]);
        let other = || self.blocks[..block].last()?.steps.last();
        same.or_else(other).map(|&(_, level)| level)
    }

    /// Puts steps in the place of `count` ones, and takes them out of the list.
    fn replace(&mut self, (block, place): Place, count: usize, new: &mut Vec<Step>) {
        let own = &mut self.blocks[block];
        own.summary = None;
        let here = count.min(own.steps.len() - place);
        own.steps.splice(place..place + here, new.drain(..));
        let mut left = count - here;
        let mut whole = block + 1;
        while let Some(next) = self.blocks.get(whole).filter(|next| next.steps.len() <= left) {
            left -= next.steps.len();
            whole += 1;
        }
        if left > 0 {
            let rest = self.blocks[whole].steps.split_off(left);
            self.blocks[whole] = Block::of(rest);
        }
        let steps = &mut self.blocks[block].steps;
        let second_half = (steps.len() > MOST).then(|| Block::of(steps.split_off(steps.len() / 2)));
        let is_left = usize::from(!steps.is_empty());
        if whole > block + is_left || second_half.is_some() {
            self.blocks.splice(block + is_left..whole, second_half);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const II: i64 = 2_000;

    /// The same by cycles.
    fn is_below(levels: &[i64], most: i64, cycles: i64, start: i64) -> bool {
        (start..start + cycles).all(|at| levels[at.rem_euclid(II) as usize] <= most)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Many short stretches, so that there are many blocks, and the same back, so that one is left.
        #[test]
        fn steps_are_those_of_counting_cycles(
            stretches in prop::collection::vec((0..II, 1..8i64, -1..3i64), 0..700),
            long in prop::collection::vec((0..II, 1..II, -1..2i64), 0..3),
            again in prop::collection::vec((0..II, 1..8i64, -1..3i64), 0..300),
            asked in prop::collection::vec((-II..II, 1..40i64, 0..4i64), 8),
        ) {
            let mut levels = vec![0; II as usize];
            let mut steps = Steps::new(II);
            let back = stretches.iter().map(|&(from, cycles, amount)| (from, cycles, -amount));
            let all = stretches.iter().copied().chain(long).chain(back).chain(again);
            for (from, cycles, amount) in all {
                let to = (from + cycles).min(II);
                steps.raise(from, to, amount);
                levels[from as usize..to as usize].iter_mut().for_each(|level| *level += amount);
                // A summary that is out of date would show here.
                let found = steps.first_below(1, cycles, from, from + II - 1);
                prop_assert_eq!(found.is_some_and(|at| is_below(&levels, 1, cycles, at)), found.is_some());
            }
            let all: Vec<Step> = steps.blocks.iter().flat_map(|block| block.steps.iter().copied()).collect();
            prop_assert_eq!(all[0].0, 0);
            prop_assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
            for (number, &(at, level)) in all.iter().enumerate() {
                let end = all.get(number + 1).map_or(II, |&(next, _)| next);
                prop_assert!(levels[at as usize..end as usize].iter().all(|other| *other == level));
            }
            for block in &steps.blocks {
                prop_assert!(!block.steps.is_empty() && block.steps.len() <= MOST);
                let is_known = block.summary.as_ref().map(|known| *known == Summary::of(&block.steps));
                prop_assert_ne!(is_known, Some(false));
            }
            for (from, cycles, most) in asked {
                prop_assert_eq!(steps.is_above(most), levels.iter().any(|level| *level > most));
                let to = from + II - 1;
                let fits = |start: &i64| is_below(&levels, most, cycles, *start);
                prop_assert_eq!(steps.first_below(most, cycles, from, to), (from..=to).find(fits));
                prop_assert_eq!(steps.last_below(most, cycles, from, to), (from..=to).rev().find(fits));
            }
        }
    }
}
