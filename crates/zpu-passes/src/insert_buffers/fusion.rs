//! Which two loops become one, and in what step.
//!
//! The producer's iteration `k` writes the indices from `b k + w` on in the one dimension of the tensor that moves, the
//! consumer's reads those from `a k + r` on. One iteration of the fused loop does `p` iterations of the producer and
//! then `c` of the consumer, with `p b = c a`. Where the consumer looks further ahead than the producer has come by
//! then, the producer does some iterations before the loop.
//!
//! The fused program does iterations of the consumer before later ones of the producer. That is right where no
//! iteration of the consumer conflicts with one of the producer that it overtakes, in any memory.

use zpu_analysis::access::{Access, accesses};
use zpu_analysis::body::{Body, Decline};
use zpu_analysis::dependence::endless_distance;
use zpu_analysis::linear::{Linear, Symbol};
use zpu_analysis::region::Root;
use zpu_analysis::walk::{Walk, gcd, moving, walks};
use zpu_ir::scf::For;
use zpu_ir::{Op, Value};

/// Iterations of one loop in one iteration of the fused loop, at most.
const MOST_TOGETHER: i64 = 64;

/// Operations of the body of a fused loop, at most: those of all iterations that belong together.
const MOST_OPERATIONS: i64 = 1024;

/// Two loops of one block that become one.
#[derive(Debug)]
pub(super) struct Fusion<'c> {
    pub producer: For<'c>,
    pub consumer: For<'c>,
    /// Iterations of the producer in one of the fused loop.
    pub produced: i64,
    /// Iterations of the consumer in one of the fused loop.
    pub consumed: i64,
    /// Iterations of the producer before the fused loop.
    pub ahead: i64,
    pub trips: Trips,
    /// Operations between the loops that move before the first and after the second.
    pub before: Vec<Op<'c>>,
    pub after: Vec<Op<'c>>,
    /// The tensors that pass from the first to the second.
    pub tensors: Vec<Value<'c>>,
}

/// How often the fused loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trips {
    /// As often as either loop; their bounds are the same.
    Same,
    /// That often; what is left of the producer and of the consumer comes after it.
    Known {
        fused: i64,
        produced_after: i64,
        consumed_after: i64,
    },
}

impl<'c> Fusion<'c> {
    /// Decides about two loops of one block, the first before the second, with `tensors` that the first one writes and
    /// the second one reads.
    pub(super) fn of(producer: For<'c>, consumer: For<'c>, tensors: Vec<Value<'c>>) -> Result<Self, Decline<'c>> {
        for for_ in [producer, consumer] {
            if !for_.inits().is_empty() || for_.is_unsigned() {
                let message = "the loop carries values or counts in unsigned numbers";
                return Err(Decline::new("loop-form", for_.op, message));
            }
        }
        let bodies = (Body::of_nest(producer)?, Body::of_nest(consumer)?);
        let (made, used) = (all_of(&bodies.0), all_of(&bodies.1));
        let mut step: Option<(i64, i64)> = None;
        let mut ahead = 0;
        for tensor in &tensors {
            let pace = pace(*tensor, (producer, &made), (consumer, &used))?;
            if *step.get_or_insert(pace.step) != pace.step {
                let message = "two tensors pass between the loops at different rates";
                return Err(Decline::new("rates-differ", consumer.op, message));
            }
            ahead = ahead.max(pace.ahead);
        }
        let (produced, consumed) = step.unwrap_or((1, 1));
        let size = |for_: For<'c>, together: i64| together.saturating_mul(for_.op.walk().len() as i64);
        let operations = size(producer, produced.max(ahead)).saturating_add(size(consumer, consumed));
        if operations > MOST_OPERATIONS {
            let message =
                format!("the loops would make one of {operations} operations, the limit is {MOST_OPERATIONS}");
            return Err(Decline::new("many-operations", consumer.op, message));
        }
        let trips = trips((producer, produced), (consumer, consumed), ahead)?;
        let fusion = Self {
            producer,
            consumer,
            produced,
            consumed,
            ahead,
            trips,
            before: Vec::new(),
            after: Vec::new(),
            tensors,
        };
        fusion.check_order(&made, &used)?;
        let (before, after) = fusion.between(&made, &used)?;
        Ok(Self {
            before,
            after,
            ..fusion
        })
    }

    /// Declines if an iteration of the consumer conflicts with one of the producer that it would overtake.
    fn check_order(&self, made: &[&Access<'c>], used: &[&Access<'c>]) -> Result<(), Decline<'c>> {
        // Iteration numbers of the fused loop stand under the name of those of the consumer.
        let fused = self.consumer;
        let made = placed(made, self.producer, fused, self.produced, self.ahead);
        let used = placed(used, self.consumer, fused, self.consumed, 0);
        let (Some(made), Some(used)) = (made, used) else {
            return Err(Decline::new("overflow", self.consumer.op, "an index is too large"));
        };
        for later in &made {
            for earlier in &used {
                if endless_distance(fused, earlier, later, 1).is_some() {
                    let message = format!(
                        "an iteration of this loop has to come after later iterations of the loop before it, which \
                         {} the same memory",
                        if later.write { "write" } else { "read" }
                    );
                    return Err(Decline::new("order", self.consumer.op, message));
                }
            }
        }
        Ok(())
    }

    /// The operations between the loops, by where they move.
    fn between(&self, made: &[&Access<'c>], used: &[&Access<'c>]) -> Result<(Vec<Op<'c>>, Vec<Op<'c>>), Decline<'c>> {
        let outside = |all: &[&Access<'c>], for_: For<'c>| -> Vec<Access<'c>> {
            all.iter().map(|access| access.outside(for_.op)).collect()
        };
        let (made, used) = (outside(made, self.producer), outside(used, self.consumer));
        let conflict = |own: &[Access<'c>], others: &[Access<'c>]| {
            own.iter().any(|one| others.iter().any(|other| one.conflicts(other)))
        };
        let (mut before, mut after): (Vec<Op<'c>>, Vec<(Op<'c>, Vec<Access<'c>>)>) = (Vec::new(), Vec::new());
        let mut next = self.producer.op.next();
        while let Some(op) = next.filter(|op| *op != self.consumer.op) {
            next = op.next();
            let is_alloc = matches!(op.name(), "memref.alloc" | "memref.alloca");
            let own = if is_alloc || op.is_memory_effect_free() {
                Some(Vec::new())
            } else {
                accesses(op)
            };
            let uses_later = |op: Op<'c>| {
                let of = |value: Value<'c>| after.iter().any(|(other, _)| value.defining_op() == Some(*other));
                op.walk().into_iter().flat_map(Op::operands).any(of)
            };
            let Some(own) = own else {
                let message = format!("{} stands between the loops, and its effects are not known", op.name());
                return Err(Decline::new("between", op, message));
            };
            let passes_later = after.iter().any(|(_, other)| conflict(&own, other));
            if !conflict(&own, &made) && !passes_later && !uses_later(op) && !op.is("memref.dealloc") {
                before.push(op);
            } else if !conflict(&own, &used) && op.num_results() == 0 {
                after.push((op, own));
            } else {
                let message = format!("{} stands between the loops and depends on both", op.name());
                return Err(Decline::new("between", op, message));
            }
        }
        Ok((before, after.into_iter().map(|(op, _)| op).collect()))
    }
}

/// All accesses of a body.
pub(super) fn all_of<'a, 'c>(body: &'a Body<'c>) -> Vec<&'a Access<'c>> {
    body.units.iter().flat_map(|unit| &unit.accesses).collect()
}

/// Accesses of `own` in an iteration of a loop that does `together` iterations of it at a time, from number `first` on.
fn placed<'c>(all: &[&Access<'c>], own: For<'c>, fused: For<'c>, together: i64, first: i64) -> Option<Vec<Access<'c>>> {
    let mut placed = Vec::new();
    for each in 0..together {
        let iteration = Linear::symbol(Symbol::Iteration(fused.op)).scale(together)?;
        let iteration = iteration.add_scaled(&Linear::constant(first.checked_add(each)?), 1)?;
        placed.extend(all.iter().map(|access| access.at(own.op, &iteration, 0)));
    }
    Some(placed)
}

/// The step at which one tensor passes from a loop to another.
struct Pace {
    /// Iterations of the producer and of the consumer that belong together.
    step: (i64, i64),
    /// Iterations that the producer has to be ahead.
    ahead: i64,
}

/// The accesses of a loop.
type Side<'a, 'c> = (For<'c>, &'a [&'a Access<'c>]);

fn pace<'c>(tensor: Value<'c>, producer: Side<'_, 'c>, consumer: Side<'_, 'c>) -> Result<Pace, Decline<'c>> {
    let of = |(for_, all): Side<'_, 'c>, write: bool| -> Result<Vec<Walk>, Decline<'c>> {
        let own: Vec<&Access<'c>> = all
            .iter()
            .copied()
            .filter(|access| access.region.root == Root::Allocation(tensor) && access.write == write)
            .collect();
        walks(&own, tensor, for_.op).ok_or_else(|| {
            let message = format!(
                "the part of the tensor that an iteration {} does not move linearly with the iteration number",
                if write { "writes" } else { "reads" }
            );
            Decline::new("no-walk", for_.op, message)
        })
    };
    let (made, used) = (of(producer, true)?, of(consumer, false)?);
    let dims = (moving(&made), moving(&used));
    let (Some(dim), true) = (dims.0, dims.0 == dims.1) else {
        let message = "this loop does not go through the tensor in the order of the loop before it, which writes it";
        return Err(Decline::new("other-order", consumer.0.op, message));
    };
    let (write, read) = (made[dim], used[dim]);
    let divisor = gcd(write.stride, read.stride);
    let step = (read.stride / divisor, write.stride / divisor);
    if step.0.max(step.1) > MOST_TOGETHER {
        let message = format!(
            "{} iterations of the loop before it and {} of this one belong together; the limit is {MOST_TOGETHER}",
            step.0, step.1
        );
        return Err(Decline::new("rates", consumer.0.op, message));
    }
    // The last index, excluded, that the first `step.1` iterations of the consumer read, from where the first iteration
    // of the producer writes.
    let reach = i128::from(read.stride) * i128::from(step.1 - 1) + i128::from(read.end) - i128::from(write.least);
    let needed = i64::try_from((reach + i128::from(write.stride) - 1).div_euclid(i128::from(write.stride)));
    let needed = needed.map_err(|_| Decline::new("overflow", consumer.0.op, "an index is too large"))?;
    Ok(Pace {
        step,
        ahead: (needed - step.0).max(0),
    })
}

fn trips<'c>(producer: (For<'c>, i64), consumer: (For<'c>, i64), ahead: i64) -> Result<Trips, Decline<'c>> {
    let ((first, produced), (second, consumed)) = (producer, consumer);
    let same = |left: Value<'c>, right: Value<'c>| {
        let constants = left.as_constant_int().zip(right.as_constant_int());
        left == right || constants.is_some_and(|(left, right)| left == right)
    };
    let is_same = first.iv().ty() == second.iv().ty()
        && same(first.lower(), second.lower())
        && same(first.upper(), second.upper())
        && same(first.step(), second.step());
    if is_same && (produced, consumed, ahead) == (1, 1, 0) {
        return Ok(Trips::Same);
    }
    let (Some(first_trips), Some(second_trips)) = (first.constant_trip_count(), second.constant_trip_count()) else {
        let message = "the numbers of iterations of the two loops are not known, and not the same value";
        return Err(Decline::new("dynamic-trip-counts", second.op, message));
    };
    let fused = ((first_trips - ahead) / produced).min(second_trips / consumed);
    if fused < 2 {
        let message =
            format!("the loops have too few iterations to run side by side ({first_trips} and {second_trips})");
        return Err(Decline::new("few-iterations", second.op, message));
    }
    Ok(Trips::Known {
        fused,
        produced_after: first_trips - ahead - fused * produced,
        consumed_after: second_trips - fused * consumed,
    })
}
