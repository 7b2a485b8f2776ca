//! Finds everything that is wrong with a problem before a planner sees it.
//!
//! A problem that passes has a plan in memories that are large enough, unless pinned buffers, banks and lives leave no
//! place for another one.

use std::collections::BTreeSet;

use super::problem::{Buffer, BufferId, Life, Problem, SpaceId};
use super::verify::{banks, clash};
use crate::{MAX_DISTANCE, MAX_TOTAL_CYCLES};

/// Most buffers, and most instances of buffers that are planned together: each is compared with all others.
pub const MAX_BUFFERS: usize = 1 << 16;
/// Most bytes that a size, an address, an alignment, or all buffers together may have: sums never overflow.
pub const MAX_BYTES: u64 = 1 << 60;
/// Most iterations of which the instances of a buffer may have addresses of their own.
pub const MAX_UNROLL: u32 = 64;

/// An error in a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// More buffers than [`MAX_BUFFERS`].
    #[error("there are {count} buffers, the limit is {MAX_BUFFERS}")]
    TooManyBuffers {
        /// Their number.
        count: usize,
    },
    /// Two things of a kind with one name.
    #[error("two {kind}s are named `{name}`; names are unique")]
    DuplicateName {
        /// `space` or `buffer`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An id that is out of range.
    #[error("buffer `{buffer}` names {kind} {id}, there are {count}")]
    UnknownId {
        /// The buffer.
        buffer: String,
        /// `space` or `buffer`.
        kind: &'static str,
        /// The id.
        id: u32,
        /// Valid ids are below this.
        count: usize,
    },
    /// A number out of its range.
    #[error("{what} is {value}, must be from {least} to {limit}")]
    OutOfRange {
        /// The part of the problem.
        what: String,
        /// Its value (saturated).
        value: u64,
        /// The least allowed.
        least: u64,
        /// The most allowed.
        limit: u64,
    },
    /// An alignment that is no power of two.
    #[error("the alignment of {what} is {align}, which is no power of two")]
    Align {
        /// The space or buffer.
        what: String,
        /// The alignment.
        align: u64,
    },
    /// A buffer without a life.
    #[error("buffer `{buffer}` has no life; leave it out of the problem")]
    NoLife {
        /// Its name.
        buffer: String,
    },
    /// Several lives in a loop.
    #[error("buffer `{buffer}` has {count} lives; with a period it has one, from its first write to its last read")]
    SeveralLives {
        /// Its name.
        buffer: String,
        /// Their number.
        count: usize,
    },
    /// Lives of one buffer that meet.
    #[error("buffer `{buffer}` has two lives that meet, from {first} and from {second}; make one of them")]
    LivesMeet {
        /// Its name.
        buffer: String,
        /// The beginning of one.
        first: u64,
        /// The beginning of the other one.
        second: u64,
    },
    /// A ring without a loop.
    #[error(
        "buffer `{buffer}` has {versions} versions, but there is no period; only what a loop writes anew has several"
    )]
    VersionsInLine {
        /// Its name.
        buffer: String,
        /// Their number.
        versions: u32,
    },
    /// A ring with fewer slots than instances that are alive at once.
    #[error(
        "buffer `{buffer}` has {versions} versions and lives for {length} with a period of {period}; give it {least}"
    )]
    FewVersions {
        /// Its name.
        buffer: String,
        /// Their number.
        versions: u32,
        /// The length of its life.
        length: u64,
        /// The period.
        period: u64,
        /// The least number of versions.
        least: u64,
    },
    /// A pinned address that is not aligned.
    #[error("buffer `{buffer}` is pinned to {offset}, which is no multiple of its alignment {align}")]
    PinnedUnaligned {
        /// Its name.
        buffer: String,
        /// The address.
        offset: u64,
        /// The alignment.
        align: u64,
    },
    /// A pinned buffer that ends outside its space.
    #[error("buffer `{buffer}` is pinned to {offset} and ends at {end}, `{space}` has {bytes} bytes")]
    PinnedOutside {
        /// Its name.
        buffer: String,
        /// The address.
        offset: u64,
        /// The end of its last byte.
        end: u64,
        /// The space.
        space: String,
        /// Its bytes.
        bytes: u64,
    },
    /// Two pinned buffers that cannot both be there.
    #[error("buffers `{first}` and `{second}` are pinned to {} and {}, {reason}", offsets.0, offsets.1)]
    PinsCollide {
        /// One of them.
        first: String,
        /// The other one.
        second: String,
        /// Their addresses.
        offsets: (u64, u64),
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// Banks of unknown size.
    #[error("space `{space}` has {banks} banks and no `bytes`; say how large it is")]
    BanksWithoutBytes {
        /// Its name.
        space: String,
        /// The number of banks.
        banks: u32,
    },
    /// Banks of different sizes.
    #[error("space `{space}` has {bytes} bytes, which {banks} banks do not divide")]
    UnevenBanks {
        /// Its name.
        space: String,
        /// Its bytes.
        bytes: u64,
        /// The number of banks.
        banks: u32,
    },
    /// Buffers that are to be apart where that cannot be, or means nothing.
    #[error("buffers `{first}` and `{second}` are to be apart, {reason}")]
    NotApart {
        /// One of them.
        first: String,
        /// The other one.
        second: String,
        /// The rule that it breaks.
        reason: &'static str,
    },
}

/// Checks a problem.
///
/// # Errors
///
/// All that is wrong with it, in the order of spaces, buffers and pairs.
pub fn check(problem: &Problem) -> Result<(), Vec<MemoryError>> {
    let mut errors = vec![];
    if problem.buffers.len() > MAX_BUFFERS {
        let count = problem.buffers.len();
        return Err(vec![MemoryError::TooManyBuffers { count }]);
    }
    range(
        &mut errors,
        || "the period".to_owned(),
        problem.period,
        0,
        MAX_TOTAL_CYCLES,
    );
    unique(&mut errors, "space", problem.spaces.iter().map(|space| &space.name));
    unique(&mut errors, "buffer", problem.buffers.iter().map(|buffer| &buffer.name));
    spaces(&mut errors, problem);
    for buffer in &problem.buffers {
        check_buffer(&mut errors, problem, buffer);
    }
    if errors.is_empty() {
        total(&mut errors, problem);
        pairs(&mut errors, problem);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn range(errors: &mut Vec<MemoryError>, what: impl Fn() -> String, value: u64, least: u64, limit: u64) {
    if value < least || value > limit {
        let what = what();
        errors.push(MemoryError::OutOfRange {
            what,
            value,
            least,
            limit,
        });
    }
}

fn align(errors: &mut Vec<MemoryError>, what: impl Fn() -> String, align: u64) {
    range(errors, || format!("the alignment of {}", what()), align, 1, MAX_BYTES);
    if align > 0 && !align.is_power_of_two() {
        let what = what();
        errors.push(MemoryError::Align { what, align });
    }
}

fn unique<'a>(errors: &mut Vec<MemoryError>, kind: &'static str, names: impl Iterator<Item = &'a String>) {
    let mut seen = BTreeSet::new();
    let mut reported = BTreeSet::new();
    for name in names {
        if !seen.insert(name) && reported.insert(name) {
            let name = name.clone();
            errors.push(MemoryError::DuplicateName { kind, name });
        }
    }
}

fn spaces(errors: &mut Vec<MemoryError>, problem: &Problem) {
    for space in &problem.spaces {
        let name = || format!("space `{}`", space.name);
        align(errors, name, space.align);
        range(
            errors,
            || format!("the number of banks of {}", name()),
            space.banks.into(),
            1,
            MAX_DISTANCE.into(),
        );
        let (name, banks) = (&space.name, space.banks);
        match space.bytes {
            Some(bytes) => {
                range(errors, || format!("the size of space `{name}`"), bytes, 0, MAX_BYTES);
                if banks > 1 && !bytes.is_multiple_of(banks.into()) {
                    let space = name.clone();
                    errors.push(MemoryError::UnevenBanks { space, bytes, banks });
                }
            }
            None if banks > 1 => {
                let space = name.clone();
                errors.push(MemoryError::BanksWithoutBytes { space, banks });
            }
            None => {}
        }
    }
}

fn check_buffer(errors: &mut Vec<MemoryError>, problem: &Problem, buffer: &Buffer) {
    let name = &buffer.name;
    let unknown = |kind, id, count| MemoryError::UnknownId {
        buffer: name.clone(),
        kind,
        id,
        count,
    };
    if buffer.space.index() >= problem.spaces.len() {
        errors.push(unknown("space", buffer.space.0, problem.spaces.len()));
    }
    for other in buffer
        .apart
        .iter()
        .filter(|other| other.index() >= problem.buffers.len())
    {
        errors.push(unknown("buffer", other.0, problem.buffers.len()));
    }
    range(
        errors,
        || format!("the size of buffer `{name}`"),
        buffer.bytes,
        1,
        MAX_BYTES,
    );
    if let Some(own) = buffer.align {
        align(errors, || format!("buffer `{name}`"), own);
    }
    if let Some(versions) = buffer.versions {
        range(
            errors,
            || format!("the number of versions of buffer `{name}`"),
            versions.into(),
            1,
            MAX_DISTANCE.into(),
        );
    }
    for life in &buffer.lives {
        range(
            errors,
            || format!("the start of a life of buffer `{name}`"),
            life.from,
            0,
            MAX_TOTAL_CYCLES,
        );
        range(
            errors,
            || format!("the length of a life of buffer `{name}`"),
            life.length,
            1,
            MAX_TOTAL_CYCLES,
        );
    }
    if let Some(offset) = buffer.offset {
        range(
            errors,
            || format!("the pinned address of buffer `{name}`"),
            offset,
            0,
            MAX_BYTES,
        );
    }
    match &*buffer.lives {
        [] => errors.push(MemoryError::NoLife { buffer: name.clone() }),
        [life] if problem.period > 0 => slots(errors, problem, buffer, life.length),
        lives => {
            let count = lives.len();
            if problem.period > 0 {
                let buffer = name.clone();
                errors.push(MemoryError::SeveralLives { buffer, count });
            }
            if let Some(versions) = buffer.versions.filter(|&versions| versions != 1 && problem.period == 0) {
                let buffer = name.clone();
                errors.push(MemoryError::VersionsInLine { buffer, versions });
            }
            let mut sorted: Vec<&Life> = lives.iter().collect();
            sorted.sort();
            let meeting = sorted
                .windows(2)
                .find(|pair| pair[0].from.saturating_add(pair[0].length) > pair[1].from);
            if let Some(pair) = meeting {
                errors.push(MemoryError::LivesMeet {
                    buffer: name.clone(),
                    first: pair[0].from,
                    second: pair[1].from,
                });
            }
        }
    }
}

/// The slots of a buffer in a loop.
fn slots(errors: &mut Vec<MemoryError>, problem: &Problem, buffer: &Buffer, length: u64) {
    let least = length.div_ceil(problem.period);
    range(
        errors,
        || format!("the number of instances of buffer `{}` alive at once", buffer.name),
        least,
        0,
        MAX_DISTANCE.into(),
    );
    if let Some(versions) = buffer.versions.filter(|&versions| u64::from(versions) < least) {
        errors.push(MemoryError::FewVersions {
            buffer: buffer.name.clone(),
            versions,
            length,
            period: problem.period,
            least,
        });
    }
}

/// The number of slots that a buffer has at least, if it is a ring; 1 otherwise.
pub(super) fn least_slots(problem: &Problem, buffer: &Buffer) -> u64 {
    let alive = match problem.period {
        0 => 1,
        period => buffer
            .lives
            .iter()
            .map(|life| life.length.div_ceil(period))
            .max()
            .unwrap_or(1),
    };
    buffer.versions.map_or(alive, u64::from)
}

/// Sizes with padding, and a slot for each iteration that may be unrolled, must not overflow.
fn total(errors: &mut Vec<MemoryError>, problem: &Problem) {
    let each = problem.buffers.iter().enumerate().map(|(place, buffer)| {
        let padded = u128::from(buffer.bytes) + u128::from(problem.align(BufferId(place as u32)));
        padded * u128::from(least_slots(problem, buffer).max(MAX_UNROLL.into()))
    });
    let sum: u128 = each.sum();
    let sum = u64::try_from(sum / u128::from(MAX_UNROLL)).unwrap_or(u64::MAX);
    // Padding and slots count in full, so the limit is one of planning rather than of the memory.
    range(
        errors,
        || "the sum of all sizes with their alignments and versions".to_owned(),
        sum,
        0,
        MAX_BYTES / 64,
    );
}

/// Pinned buffers, and buffers that are to be apart.
fn pairs(errors: &mut Vec<MemoryError>, problem: &Problem) {
    let mut pinned: Vec<(SpaceId, u64, &Buffer, Vec<u64>)> = vec![];
    for (place, buffer) in problem.buffers.iter().enumerate() {
        let Some(offset) = buffer.offset else { continue };
        let align = problem.align(BufferId(place as u32));
        if !offset.is_multiple_of(align) {
            let buffer = buffer.name.clone();
            errors.push(MemoryError::PinnedUnaligned { buffer, offset, align });
        }
        let pitch = buffer.bytes.next_multiple_of(align);
        let slots = least_slots(problem, buffer);
        let end = offset + (slots - 1) * pitch + buffer.bytes;
        let space = &problem.spaces[buffer.space.index()];
        if let Some(bytes) = space.bytes.filter(|&bytes| end > bytes) {
            errors.push(MemoryError::PinnedOutside {
                buffer: buffer.name.clone(),
                offset,
                end,
                space: space.name.clone(),
                bytes,
            });
        }
        let offsets = (0..slots).map(|slot| offset + slot * pitch).collect();
        pinned.push((buffer.space, offset, buffer, offsets));
    }
    for (place, (space, offset, first, offsets)) in pinned.iter().enumerate() {
        for (_, other, second, others) in pinned[place + 1..].iter().filter(|other| other.0 == *space) {
            if clash(problem, (first, offsets), (second, others)).is_some() {
                errors.push(MemoryError::PinsCollide {
                    first: first.name.clone(),
                    second: second.name.clone(),
                    offsets: (*offset, *other),
                    reason: "which overlap while both live",
                });
            }
        }
    }
    for (place, buffer) in problem.buffers.iter().enumerate() {
        for &other in &buffer.apart {
            let second = &problem.buffers[other.index()];
            let reason = if other.index() == place {
                "but they are one"
            } else if second.space != buffer.space {
                "but they lie in different spaces, where that means nothing"
            } else if problem.spaces[buffer.space.index()].banks < 2 {
                "but their space has one bank"
            } else if share_banks(problem, BufferId(place as u32), other) {
                "but they are pinned to a common bank"
            } else {
                continue;
            };
            errors.push(MemoryError::NotApart {
                first: buffer.name.clone(),
                second: second.name.clone(),
                reason,
            });
        }
    }
}

/// True if two pinned buffers touch a common bank.
fn share_banks(problem: &Problem, first: BufferId, second: BufferId) -> bool {
    let slots = |id: BufferId| -> Option<Vec<u64>> {
        let buffer = &problem.buffers[id.index()];
        let pitch = buffer.bytes.next_multiple_of(problem.align(id));
        let offset = buffer.offset?;
        Some(
            (0..least_slots(problem, buffer))
                .map(|slot| offset + slot * pitch)
                .collect(),
        )
    };
    let (Some(a), Some(b)) = (slots(first), slots(second)) else {
        return false;
    };
    let [first, second] = [first, second].map(|id| &problem.buffers[id.index()]);
    banks(problem, (first, &a), (second, &b)).is_err()
}
