//! Lives as a problem of `zpu_sched::memory`, and its plan as addresses.
//!
//! The planner knows lives on a line. Which buffers may share bytes is known pair by pair, and more precisely than any
//! line of steps tells, so each time of the problem is a set of buffers of which no two may share: together these sets
//! have every pair that may not. So the most bytes at one time is a lower bound, as it would be of steps.

use zpu_analysis::liveness::{Liveness, Meeting};
use zpu_device::Device;
use zpu_sched::memory::{self, Buffer, BufferId, Effort, Explanation, Life, Problem, Space, SpacePlan, explain};

use super::sharing::{Sharing, pinned};

/// The address of each buffer, by number; none for one that gets none.
pub(super) type Addresses = Vec<Option<u64>>;

/// A plan of all memories.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) addresses: Addresses,
    /// The memories with buffers, by name.
    pub(super) spaces: Vec<(String, SpacePlan)>,
    /// The first memory that its buffers do not fit into.
    pub(super) unfit: Option<Unfit>,
}

/// The reason why the buffers of a memory do not fit.
#[derive(Debug)]
pub(super) struct Unfit {
    pub(super) space: String,
    pub(super) planned: u64,
    /// Its buffers are blocks.
    pub(super) explanation: Explanation,
    /// The buffers of each block, by number.
    pub(super) blocks: Vec<Vec<usize>>,
}

impl Planned {
    /// The pairs of buffers that have bytes in common.
    pub(super) fn shared(&self, lives: &Liveness<'_>) -> Vec<(usize, usize)> {
        let window = |at: usize| {
            let first = self.addresses[at]?;
            Some((first, first.saturating_add(lives.buffers[at].bytes)))
        };
        let meet = |one: usize, other: usize| {
            let spans = window(one).zip(window(other));
            lives.buffers[one].space == lives.buffers[other].space
                && spans.is_some_and(|(one, other)| one.0 < other.1 && other.0 < one.1)
        };
        let count = lives.buffers.len();
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        pairs.filter(|(one, other)| meet(*one, *other)).collect()
    }

    /// The number of ranges of a memory that have no byte in common and hold all buffers with addresses, each buffer in
    /// one of them.
    pub(super) fn ranges(&self, lives: &Liveness<'_>, space: &str) -> usize {
        let own = lives
            .buffers
            .iter()
            .zip(&self.addresses)
            .filter(|(buffer, _)| buffer.space == space);
        let mut windows: Vec<(u64, u64)> = own
            .filter_map(|(buffer, first)| Some(((*first)?, first.as_ref()?.saturating_add(buffer.bytes))))
            .collect();
        windows.sort_unstable();
        let mut end = 0;
        windows
            .into_iter()
            .filter(|(first, last)| {
                let begins = *first >= end;
                end = end.max(*last);
                begins
            })
            .count()
    }

    /// Takes bounds from lives alone, where trials took apart what lives allow, or where rings may lie on each other.
    pub(super) fn bound_by(&mut self, lives: &Liveness<'_>, device: &Device, sharing: &Sharing) -> Result<(), String> {
        let apart = (0..sharing.len()).map(|at| vec![at]).collect();
        let least = of_blocks(lives, device, &sharing.relaxed(), apart)?;
        for ((_, own), (_, least)) in self.spaces.iter_mut().zip(least.spaces) {
            own.lower_bound = least.lower_bound;
            own.proven = own.planned == least.lower_bound;
        }
        Ok(())
    }

    /// Bytes of all memories together.
    pub(super) fn bytes(&self) -> u64 {
        self.spaces.iter().map(|(_, plan)| plan.planned).sum()
    }
}

/// Plans the memories of a function: each ring for itself, and rings on top of each other where no slot meets; the one
/// with fewer bytes.
pub(super) fn planned(lives: &Liveness<'_>, device: &Device, sharing: &Sharing) -> Result<Planned, String> {
    let apart: Vec<Vec<usize>> = (0..sharing.len()).map(|at| vec![at]).collect();
    let stacked = stacks(lives, sharing);
    let plain = of_blocks(lives, device, sharing, apart)?;
    if stacked.len() == sharing.len() {
        return Ok(plain);
    }
    let other = of_blocks(lives, device, sharing, stacked)?;
    let is_better = (other.unfit.is_some(), other.bytes()) < (plain.unfit.is_some(), plain.bytes());
    Ok(if is_better { other } else { plain })
}

/// The buffers as blocks: rings that may lie on each other slot by slot are one.
fn stacks(lives: &Liveness<'_>, sharing: &Sharing) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for (at, buffer) in lives.buffers.iter().enumerate() {
        let lies_on = |other: &usize| {
            let other_buffer = &lives.buffers[*other];
            other_buffer.space == buffer.space
                && other_buffer.bytes == buffer.bytes
                && pinned(lives, *other).is_none()
                && sharing.meeting(at, *other) == Meeting::OtherSlots
        };
        let free = buffer.is_ring() && pinned(lives, at).is_none();
        match blocks.iter_mut().find(|block| free && block.iter().all(lies_on)) {
            Some(block) => block.push(at),
            None => blocks.push(vec![at]),
        }
    }
    blocks
}

fn of_blocks(
    lives: &Liveness<'_>,
    device: &Device,
    sharing: &Sharing,
    blocks: Vec<Vec<usize>>,
) -> Result<Planned, String> {
    let mut problem = Problem::linear("function");
    let names = lives.spaces();
    for name in &names {
        let memory = device.memory(name);
        problem.add_space(Space {
            bytes: memory.map(|memory| memory.bytes),
            align: memory.map_or(1, |memory| memory.align.max(1)),
            banks: memory.map_or(1, |memory| u32::try_from(memory.banks).unwrap_or(1)),
            ..Space::new(*name)
        });
    }
    let times = times(lives, sharing, &blocks);
    for (at, block) in blocks.iter().enumerate() {
        let first = &lives.buffers[block[0]];
        let space = names.iter().position(|name| *name == first.space).unwrap_or(0);
        let space = memory::SpaceId(u32::try_from(space).unwrap_or(0));
        problem.add_buffer(Buffer {
            lives: spans(&times, at),
            align: block.iter().map(|member| lives.buffers[*member].alignment).max(),
            offset: pinned(lives, block[0]),
            apart: apart_from(sharing, &blocks, block),
            ..Buffer::new(format!("{at}"), space, first.bytes, 0, 1)
        });
    }
    let plan = memory::plan(&problem, &Effort::default()).map_err(|error| error.to_string())?;
    let mut addresses = vec![None; lives.buffers.len()];
    for (at, block) in blocks.iter().enumerate() {
        let offset = plan.offset(BufferId(u32::try_from(at).unwrap_or(0)));
        for member in block {
            addresses[*member] = Some(offset);
        }
    }
    let unfit = problem
        .spaces
        .iter()
        .zip(&plan.spaces)
        .zip(0..)
        .find_map(|((space, plan), at)| {
            let capacity = space.bytes.filter(|bytes| *bytes < plan.planned)?;
            Some(Unfit {
                space: space.name.clone(),
                planned: plan.planned,
                explanation: explain(&problem, memory::SpaceId(at), capacity),
                blocks: blocks.clone(),
            })
        });
    let names = names.into_iter().map(str::to_owned);
    Ok(Planned {
        addresses,
        spaces: names.zip(plan.spaces).collect(),
        unfit,
    })
}

/// The blocks that have to lie in other banks than a block.
fn apart_from(sharing: &Sharing, blocks: &[Vec<usize>], block: &[usize]) -> Vec<BufferId> {
    let partners: Vec<usize> = sharing.apart_from(block).collect();
    let is_partner = |other: &&Vec<usize>| other.iter().any(|member| partners.contains(member));
    let all = (0..).zip(blocks);
    all.filter(|(_, other)| is_partner(other))
        .map(|(at, _)| BufferId(at))
        .collect()
}

/// Sets of blocks of one memory of which no two may share bytes; every such pair is in one of them, and every block.
fn times(lives: &Liveness<'_>, sharing: &Sharing, blocks: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let space = |block: usize| lives.buffers[blocks[block][0]].space;
    let is_apart = |one: usize, other: usize| {
        let meets = |left: &usize| {
            blocks[other]
                .iter()
                .any(|right| sharing.meeting(*left, *right) != Meeting::Never)
        };
        one != other && space(one) == space(other) && blocks[one].iter().any(meets)
    };
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|block| std::cmp::Reverse(lives.buffers[blocks[*block][0]].bytes));
    let mut times: Vec<Vec<usize>> = Vec::new();
    let mut is_known = vec![false; blocks.len() * blocks.len()];
    for one in 0..blocks.len() {
        for other in (one..blocks.len()).filter(|other| *other == one || is_apart(one, *other)) {
            let has_pair = one != other || times.iter().any(|time| time.contains(&one));
            if is_known[one * blocks.len() + other] || one == other && has_pair {
                continue;
            }
            let mut time = vec![one];
            if other != one {
                time.push(other);
            }
            for next in &order {
                if time.iter().all(|member| is_apart(*member, *next)) {
                    time.push(*next);
                }
            }
            time.sort_unstable();
            for left in &time {
                for right in &time {
                    is_known[left * blocks.len() + right] = true;
                }
            }
            times.push(time);
        }
    }
    times
}

/// The times of a block as spans.
fn spans(times: &[Vec<usize>], block: usize) -> Vec<Life> {
    let mut spans: Vec<Life> = Vec::new();
    for (time, _) in (0..).zip(times).filter(|(_, members)| members.contains(&block)) {
        match spans.last_mut() {
            Some(last) if last.from + last.length == time => last.length += 1,
            _ => spans.push(Life { from: time, length: 1 }),
        }
    }
    spans
}
