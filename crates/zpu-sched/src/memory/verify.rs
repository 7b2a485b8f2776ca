//! The independent check of a plan.
//!
//! Let instance k of buffer i live on L(i, k) = lives(i) + k·T, with T the period (only k = 0 if T = 0), at the address
//! A(i, k) = offsets(i)[k mod n(i)] in its space. A plan is right iff
//! - for all (i, k) ≠ (j, l) of one space: if [A(i, k), A(i, k) + bytes(i)) and [A(j, l), A(j, l) + bytes(j)) meet,
//!   then L(i, k) and L(j, l) do not;
//! - each address is a multiple of the alignment, is at most capacity − bytes, and is the pinned one where there is one
//!   (slot s of a pinned ring lies s pitches later, a pitch being the size rounded up to the alignment);
//! - a buffer with `versions` has that many addresses, each as far after the one before;
//! - buffers that are to be apart touch no common bank, whatever their lives;
//! - the bytes planned per space are the largest end of a buffer.
//!
//! Invariant: nothing here is shared with what makes plans.

use super::plan::Plan;
use super::problem::{Buffer, BufferId, Problem, SpaceId};

/// A reason why a plan is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Not one list of addresses for each buffer, or an empty one, or not one entry for each space.
    #[error("the plan has not the form of the problem at {what}")]
    Form {
        /// The place.
        what: String,
    },
    /// A wrong address.
    #[error("buffer `{buffer}` has the address {offset}, which {reason}")]
    Address {
        /// The buffer.
        buffer: String,
        /// The address.
        offset: u64,
        /// The rule that it breaks.
        reason: String,
    },
    /// Two instances share bytes while both live.
    #[error("buffers `{first}` at {} and `{second}` at {} share bytes while both live", offsets.0, offsets.1)]
    Overlap {
        /// One buffer.
        first: String,
        /// The other one, or the same one.
        second: String,
        /// Their addresses.
        offsets: (u64, u64),
    },
    /// Two buffers that are to be apart touch a bank.
    #[error("buffers `{first}` and `{second}` are to be apart, and both touch bank {bank}")]
    Bank {
        /// One buffer.
        first: String,
        /// The other one.
        second: String,
        /// The bank.
        bank: u64,
    },
    /// Bytes that are not those of the plan.
    #[error("the plan of `{space}` claims {claimed} bytes, its last buffer ends at {end}")]
    Planned {
        /// The space.
        space: String,
        /// Bytes claimed.
        claimed: u64,
        /// Bytes used.
        end: u64,
    },
    /// More bytes than the memory has.
    #[error("the plan of `{space}` needs {planned} bytes, it has {bytes}")]
    Capacity {
        /// The space.
        space: String,
        /// Bytes planned.
        planned: u64,
        /// Bytes there are.
        bytes: u64,
    },
}

/// Checks a plan of a problem that [`check`](super::check()) accepts.
///
/// # Errors
///
/// The first violation.
pub fn verify(problem: &Problem, plan: &Plan) -> Result<(), Violation> {
    verify_addresses(problem, &plan.offsets)?;
    if plan.spaces.len() != problem.spaces.len() {
        let what = format!("spaces: {} of {}", plan.spaces.len(), problem.spaces.len());
        return Err(Violation::Form { what });
    }
    for (place, (space, planned)) in problem.spaces.iter().zip(&plan.spaces).enumerate() {
        let of = |buffer: &Buffer| buffer.space == SpaceId(place as u32);
        let each = problem
            .buffers
            .iter()
            .zip(&plan.offsets)
            .filter(|(buffer, _)| of(buffer));
        let ends = each.flat_map(|(buffer, offsets)| offsets.iter().map(|offset| offset + buffer.bytes));
        let end = ends.max().unwrap_or(0);
        if end != planned.planned {
            let (space, claimed) = (space.name.clone(), planned.planned);
            return Err(Violation::Planned { space, claimed, end });
        }
    }
    for (space, planned) in problem.spaces.iter().zip(&plan.spaces) {
        if let Some(bytes) = space.bytes.filter(|&bytes| planned.planned > bytes) {
            let (space, planned) = (space.name.clone(), planned.planned);
            return Err(Violation::Capacity { space, planned, bytes });
        }
    }
    Ok(())
}

/// Checks addresses without capacities: what a plan that is too large still has to obey.
///
/// # Errors
///
/// The first violation.
pub fn verify_addresses(problem: &Problem, offsets: &[Vec<u64>]) -> Result<(), Violation> {
    if offsets.len() != problem.buffers.len() {
        let what = format!("buffers: {} of {}", offsets.len(), problem.buffers.len());
        return Err(Violation::Form { what });
    }
    for (place, buffer) in problem.buffers.iter().enumerate() {
        addresses(problem, BufferId(place as u32), buffer, &offsets[place])?;
    }
    overlaps(problem, offsets)?;
    for (place, first) in problem.buffers.iter().enumerate() {
        for other in &first.apart {
            banks(
                problem,
                (first, &offsets[place]),
                (&problem.buffers[other.index()], &offsets[other.index()]),
            )?;
        }
    }
    Ok(())
}

/// The rules for the addresses of one buffer.
fn addresses(problem: &Problem, id: BufferId, buffer: &Buffer, offsets: &[u64]) -> Result<(), Violation> {
    let wrong = |offset: u64, reason: String| {
        let buffer = buffer.name.clone();
        Err(Violation::Address { buffer, offset, reason })
    };
    if offsets.is_empty() || (problem.period == 0 && offsets.len() > 1) {
        let what = format!("buffer `{}`: {} addresses", buffer.name, offsets.len());
        return Err(Violation::Form { what });
    }
    let align = problem.align(id);
    for &offset in offsets {
        if offset % align != 0 {
            return wrong(offset, format!("is no multiple of its alignment {align}"));
        }
        if offset.checked_add(buffer.bytes).is_none() {
            return wrong(offset, "is too large".to_owned());
        }
    }
    let pitch = buffer.bytes.div_ceil(align) * align;
    let is_ring = buffer.versions.is_some();
    if let Some(versions) = buffer.versions {
        if offsets.len() as u64 != u64::from(versions) {
            let what = format!(
                "buffer `{}`: {} addresses of {versions} versions",
                buffer.name,
                offsets.len()
            );
            return Err(Violation::Form { what });
        }
        let is_even = offsets
            .windows(3)
            .all(|at| at[1] > at[0] && at[2].checked_sub(at[1]) == Some(at[1] - at[0]));
        if !is_even {
            return wrong(
                offsets[0],
                "begins a ring whose slots are not equally far apart".to_owned(),
            );
        }
    }
    if let Some(pinned) = buffer.offset {
        for (slot, &offset) in offsets.iter().enumerate() {
            let is_slot = offset == pinned + slot as u64 * pitch;
            if !(is_slot || offset == pinned && !is_ring) {
                return wrong(offset, format!("is not the pinned one of slot {slot} after {pinned}"));
            }
        }
    }
    Ok(())
}

/// All addresses of a space in order; each is compared with those after it that begin before its end.
fn overlaps(problem: &Problem, offsets: &[Vec<u64>]) -> Result<(), Violation> {
    let each = problem.buffers.iter().zip(offsets).enumerate();
    let mut slots: Vec<(SpaceId, u64, usize, usize)> = each
        .flat_map(|(place, (buffer, offsets))| {
            let slots = offsets.iter().enumerate();
            slots.map(move |(slot, &offset)| (buffer.space, offset, place, slot))
        })
        .collect();
    slots.sort_unstable();
    for (at, &(space, offset, place, slot)) in slots.iter().enumerate() {
        let first = &problem.buffers[place];
        let end = offset + first.bytes;
        if repeats_too_soon(problem, first, offsets[place].len()) {
            return Err(overlap(first, first, (offset, offset)));
        }
        let later = slots[at + 1..]
            .iter()
            .take_while(|other| other.0 == space && other.1 < end);
        for &(_, other, second, of) in later {
            let (n, m) = (offsets[place].len(), offsets[second].len());
            let second = &problem.buffers[second];
            if is_alive_with(problem, first, second, (slot, n), (of, m)) {
                return Err(overlap(first, second, (offset, other)));
            }
        }
    }
    Ok(())
}

fn overlap(first: &Buffer, second: &Buffer, offsets: (u64, u64)) -> Violation {
    Violation::Overlap {
        first: first.name.clone(),
        second: second.name.clone(),
        offsets,
    }
}

/// True if instance k + n of a buffer begins while instance k is alive: both are in the same of n slots.
fn repeats_too_soon(problem: &Problem, buffer: &Buffer, n: usize) -> bool {
    let turn = u128::from(problem.period) * n as u128;
    turn > 0 && buffer.lives.iter().any(|life| u128::from(life.length) > turn)
}

/// The addresses at which two different buffers share bytes while both live, if they do.
pub(super) fn clash(
    problem: &Problem,
    (first, offsets): (&Buffer, &[u64]),
    (second, others): (&Buffer, &[u64]),
) -> Option<(u64, u64)> {
    for (a, &at) in offsets.iter().enumerate() {
        for (b, &other) in others.iter().enumerate() {
            let is_apart = at + first.bytes <= other || other + second.bytes <= at;
            if !is_apart && is_alive_with(problem, first, second, (a, offsets.len()), (b, others.len())) {
                return Some((at, other));
            }
        }
    }
    None
}

/// True if an instance of one buffer in slot a of n and one of another buffer, or slot, in slot b of m are ever alive
/// together. Their distance in iterations is any number that is b - a modulo gcd(n, m).
fn is_alive_with(
    problem: &Problem,
    first: &Buffer,
    second: &Buffer,
    (a, n): (usize, usize),
    (b, m): (usize, usize),
) -> bool {
    let step = i128::from(problem.period) * gcd(n as u64, m as u64) as i128;
    for x in &first.lives {
        for y in &second.lives {
            // The life y begins this much later than x if both are of instances 0 of their slots.
            let later = i128::from(y.from) - i128::from(x.from);
            let (least, most) = (-i128::from(y.length), i128::from(x.length));
            if problem.period == 0 {
                if least < later && later < most {
                    return true;
                }
                continue;
            }
            let later = later + (b as i128 - a as i128) * i128::from(problem.period);
            // The smallest distance above `least` that is possible.
            let distance = later - (later - least - 1).div_euclid(step) * step;
            if distance < most {
                return true;
            }
        }
    }
    false
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// No bank that both buffers touch.
pub(super) fn banks(
    problem: &Problem,
    (first, offsets): (&Buffer, &[u64]),
    (second, others): (&Buffer, &[u64]),
) -> Result<(), Violation> {
    let space = &problem.spaces[first.space.index()];
    let size = space.bytes.unwrap_or(u64::MAX) / u64::from(space.banks);
    let touched = |buffer: &Buffer, offset: u64| (offset / size.max(1), (offset + buffer.bytes - 1) / size.max(1));
    for &offset in offsets {
        for &other in others {
            let (a, b) = (touched(first, offset), touched(second, other));
            let bank = a.0.max(b.0);
            if bank <= a.1.min(b.1) {
                return Err(Violation::Bank {
                    first: first.name.clone(),
                    second: second.name.clone(),
                    bank,
                });
            }
        }
    }
    Ok(())
}
