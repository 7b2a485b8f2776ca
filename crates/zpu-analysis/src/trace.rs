//! The accesses to a tensor one after the other, as the program makes them.
//!
//! All numbers of iterations and all offsets are constant or linear in iteration numbers, so the accesses of a run are
//! the same in every run, and can be gone through without running anything.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::access::accesses;
use crate::body::Decline;
use crate::linear::{Linear, Symbol};
use crate::region::Root;
use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Block, Op, Value};

/// Accesses that are gone through, at most.
const MOST_ACCESSES: usize = 1 << 20;

/// Indices of all accesses in one dimension, at most.
const MOST_INDICES: i64 = 1 << 23;

/// One access: a box of the tensor, from the first index in each dimension to the last one, which is excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Those of one operation happen at one time.
    pub time: usize,
    /// It writes; otherwise it reads.
    pub write: bool,
    /// First index in each dimension.
    pub from: Vec<i64>,
    /// Last index in each dimension, excluded.
    pub to: Vec<i64>,
}

/// All accesses to a tensor by operations of a block, in program order. An access under a condition counts as made.
pub fn trace<'c>(tensor: Value<'c>, block: Block<'c>) -> Result<Vec<Touch>, Decline<'c>> {
    let views = tensor.uses().into_iter().flat_map(|view| view.op.results());
    let users = views.flat_map(Value::uses).map(|user| user.op);
    let mut tracer = Tracer {
        tensor,
        touching: users.flat_map(|op| std::iter::once(op).chain(op.parents())).collect(),
        iterations: HashMap::new(),
        time: 0,
        known: HashMap::new(),
        touches: Vec::new(),
    };
    tracer.block(block)?;
    Ok(tracer.touches)
}

/// The accesses of one operation: whether it writes, with first index and size in each dimension.
type Boxes<'c> = Vec<(bool, Vec<(Linear<'c>, i64)>)>;

struct Tracer<'c> {
    tensor: Value<'c>,
    /// The operations that use a view of the tensor, and those around them.
    touching: HashSet<Op<'c>>,
    /// Numbers of the iterations of the loops around, by loop.
    iterations: HashMap<Op<'c>, i64>,
    /// Operations so far.
    time: usize,
    known: HashMap<Op<'c>, Boxes<'c>>,
    touches: Vec<Touch>,
}

impl<'c> Tracer<'c> {
    fn block(&mut self, block: Block<'c>) -> Result<(), Decline<'c>> {
        block.ops().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: Op<'c>) -> Result<(), Decline<'c>> {
        if op.is("memref.dealloc") || !self.touching.contains(&op) {
            return Ok(());
        }
        if let Some(for_) = For::of(op) {
            let Some(trips) = for_.constant_trip_count() else {
                let message = "the number of iterations is not known, so a ring has no known size";
                return Err(Decline::new("dynamic-trip-counts", op, message));
            };
            for number in 0..trips {
                self.iterations.insert(op, number);
                self.block(for_.body)?;
            }
            self.iterations.remove(&op);
            return Ok(());
        }
        if is_loop(op) {
            let message = format!("{} accesses the tensor, and only scf.for is followed", op.name());
            return Err(Decline::new("no-counted-loop", op, message));
        }
        if !self.known.contains_key(&op) {
            let boxes = self.boxes(op)?;
            self.known.insert(op, boxes);
        }
        let boxes = &self.known[&op];
        for (write, extents) in boxes {
            let (mut from, mut to) = (Vec::with_capacity(extents.len()), Vec::with_capacity(extents.len()));
            for (first, size) in extents {
                let Some(first) = self.value_of(first) else {
                    let message = "the part of the tensor is not known before the program runs";
                    return Err(Decline::new("no-walk", op, message));
                };
                from.push(first);
                to.push(first + size);
            }
            self.touches.push(Touch {
                time: self.time,
                write: *write,
                from,
                to,
            });
        }
        self.time += 1;
        if self.touches.len() > MOST_ACCESSES {
            let message = format!("the tensor is accessed more than {MOST_ACCESSES} times");
            return Err(Decline::new("many-accesses", op, message));
        }
        Ok(())
    }

    fn boxes(&self, op: Op<'c>) -> Result<Boxes<'c>, Decline<'c>> {
        let unknown = || Decline::new("no-walk", op, "the part of the tensor is not a box of constant size");
        let mut all = Vec::new();
        for access in accesses(op).ok_or_else(unknown)? {
            if access.region.root != Root::Allocation(self.tensor) {
                continue;
            }
            let extents = access
                .region
                .extents
                .as_ref()
                .filter(|_| access.region.base == self.tensor);
            let boxes: Option<Vec<(Linear<'c>, i64)>> = extents.and_then(|extents| {
                let each = extents.iter().map(|extent| {
                    let size = extent.span.as_ref()?.as_constant()?;
                    Some((extent.offset.as_linear()?.clone(), size))
                });
                each.collect()
            });
            all.push((access.write, boxes.ok_or_else(unknown)?));
        }
        Ok(all)
    }

    fn value_of(&self, linear: &Linear<'c>) -> Option<i64> {
        linear
            .terms()
            .iter()
            .try_fold(linear.offset(), |sum, (symbol, factor)| {
                let Symbol::Iteration(loop_) = symbol else { return None };
                sum.checked_add(self.iterations.get(loop_)?.checked_mul(*factor)?)
            })
    }
}

/// The number of indices of one dimension that have to be kept apart: the largest distance of two that are needed at
/// one time, plus 1. An index is needed from its first access to the last read, and while it is written. None if there
/// are too many to go through.
pub fn span(touches: &[Touch], dim: usize) -> Option<i64> {
    let mut lives: HashMap<i64, (usize, usize)> = HashMap::new();
    let mut written: Vec<(usize, i64)> = Vec::new();
    let mut left = MOST_INDICES;
    for touch in touches {
        left = left.checked_sub(touch.to[dim] - touch.from[dim])?;
        for index in touch.from[dim]..touch.to[dim] {
            let (_, last) = lives.entry(index).or_insert((touch.time, touch.time));
            if touch.write {
                written.push((touch.time, index));
            } else {
                *last = touch.time;
            }
        }
    }
    let after_all_reads = written.into_iter().filter(|(time, index)| lives[index].1 < *time);
    let while_written = after_all_reads.map(|(time, index)| (time, time, index));
    let needed = lives.iter().map(|(index, (first, last))| (*first, *last, *index));
    // At one time, what begins comes before what ends.
    let mut events: Vec<(usize, bool, i64)> = while_written
        .chain(needed)
        .flat_map(|(first, last, index)| [(first, false, index), (last, true, index)])
        .collect();
    events.sort_unstable();
    let mut alive: BTreeMap<i64, usize> = BTreeMap::new();
    let mut most = 0;
    for (_, is_end, index) in events {
        let count = alive.entry(index).or_insert(0);
        if !is_end {
            *count += 1;
            let ends = alive.first_key_value().zip(alive.last_key_value());
            most = most.max(ends.map_or(0, |((low, _), (high, _))| high - low + 1));
        } else if *count > 1 {
            *count -= 1;
        } else {
            alive.remove(&index);
        }
    }
    Some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accesses one after the other: whether they write, from where to where.
    fn span_of(touches: &[(bool, i64, i64)]) -> Option<i64> {
        let touch = |(time, (write, from, to)): (usize, &(bool, i64, i64))| Touch {
            time,
            write: *write,
            from: vec![*from],
            to: vec![*to],
        };
        let touches: Vec<Touch> = touches.iter().enumerate().map(touch).collect();
        span(&touches, 0)
    }

    #[test]
    fn a_plain_stream_needs_one_token() {
        let touches: Vec<_> = (0..6)
            .flat_map(|row| [(true, row, row + 1), (false, row, row + 1)])
            .collect();
        assert_eq!(span_of(&touches), Some(1));
    }

    #[test]
    fn windows_need_their_height_and_what_is_ahead() {
        let mut touches = vec![(true, 0, 1)];
        for window in 0..5 {
            touches.push((true, 2 * window + 1, 2 * window + 3));
            touches.push((false, 2 * window, 2 * window + 3));
        }
        assert_eq!(span_of(&touches), Some(3));
    }

    #[test]
    fn what_nobody_reads_must_not_hit_what_is_needed() {
        let touches = [(true, 0, 1), (true, 5, 6), (false, 0, 1)];
        assert_eq!(span_of(&touches), Some(6));
        let touches = [(true, 0, 1), (false, 0, 1), (true, 5, 6), (true, 0, 1)];
        assert_eq!(span_of(&touches), Some(1));
    }

    #[test]
    fn what_one_operation_reads_and_writes_is_needed_together() {
        let mut touch = Touch {
            time: 0,
            write: true,
            from: vec![0],
            to: vec![1],
        };
        let first = touch.clone();
        touch.time = 1;
        touch.write = false;
        let read = touch.clone();
        touch.write = true;
        (touch.from, touch.to) = (vec![3], vec![4]);
        assert_eq!(span(&[first, read, touch], 0), Some(4));
    }
}
