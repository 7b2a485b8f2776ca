//! Arguments with which a function is run to compare its plans.
//!
//! A function of constant sizes has one scenario. In one whose loops depend on arguments, sizes are such that loops
//! have from no iteration to twice the number of stages, and a long run.

use std::collections::{BTreeSet, HashSet};

use zpu_device::ElementType;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, ty};
use zpu_sim::PaceArgument;

/// Steps of loops that sizes are multiples of, at the most.
const MOST_STEPS: usize = 2;

/// Stages up to which runs of twice as many iterations are tried.
const MOST_SHORT: u32 = 8;

/// Iterations of runs that are neither short nor long: a plan with many iterations as one begins there.
const MIDDLE: [i64; 2] = [24, 100];

/// Sizes of arguments that no loop is as long as.
const ANY_SIZE: i64 = 64;

/// Iterations of the long run, by the number of loops around each other whose lengths are not known: in a nest their
/// product counts.
const LONG: [i64; 3] = [1000, 16, 6];

/// Iterations of the innermost loop of a nest, all together, that the long run has at most: a deep nest is run with few
/// of each loop, or running it would take longer than compiling it.
const MOST_ITERATIONS: i64 = 4096;

/// The same for short runs, of which there are many.
const MOST_SHORT_ITERATIONS: i64 = 1024;

/// The arguments of each run, the longest one last.
pub(crate) fn scenarios(function: Op<'_>, stages: u32) -> Vec<Vec<PaceArgument>> {
    let sizes = Sizes::of(function);
    let runs = sizes.of_runs(stages).into_iter();
    runs.map(|size| sizes.arguments(size)).collect()
}

/// By run, the iterations of the longest of some loops; none where the length of one is not a plain size.
pub(crate) fn trips(function: Op<'_>, stages: u32, loops: &[For<'_>]) -> Vec<Option<i64>> {
    let sizes = Sizes::of(function);
    let longest = |size: i64| {
        let all = loops.iter().map(|for_| sizes.trips(*for_, size));
        all.collect::<Option<Vec<i64>>>()?.into_iter().max()
    };
    sizes.of_runs(stages).into_iter().map(longest).collect()
}

/// The number of loops of unknown length around each other, if their lengths depend on sizes.
pub(crate) fn depth(function: Op<'_>) -> Option<usize> {
    let sizes = Sizes::of(function);
    sizes.are_free().then(|| sizes.deepest())
}

/// The arguments with which loops of unknown length have so many iterations.
pub(crate) fn of_trips(function: Op<'_>, trips: &[i64]) -> Vec<Vec<PaceArgument>> {
    let sizes = Sizes::of(function);
    let runs = trips.iter().map(|trips| sizes.arguments(sizes.of_trips(*trips)));
    runs.collect()
}

/// The sizes that a function may be called with.
struct Sizes<'c> {
    parameters: Vec<Value<'c>>,
    /// Loops of unknown length.
    open: Vec<For<'c>>,
    roles: Roles<'c>,
    steps: BTreeSet<i64>,
}

impl<'c> Sizes<'c> {
    fn of(function: Op<'c>) -> Self {
        let loops = function.walk().into_iter().filter_map(For::of);
        let open: Vec<For<'c>> = loops.filter(|for_| for_.constant_trip_count().is_none()).collect();
        Self {
            parameters: function.body().map(|body| body.args()).unwrap_or_default(),
            roles: Roles::of(&open),
            steps: open.iter().map(|for_| step(*for_)).collect(),
            open,
        }
    }

    /// The size of each run, that of the longest one last.
    fn of_runs(&self, stages: u32) -> Vec<i64> {
        if !self.are_free() {
            return vec![ANY_SIZE];
        }
        let deepest = self.deepest();
        let short = 0..=2 * i64::from(stages.min(MOST_SHORT));
        let of_step = |step: &i64| {
            let sizes = short.clone().map(|trips| trips.saturating_mul(*step));
            sizes.collect::<Vec<i64>>()
        };
        let mut all: Vec<i64> = self.steps.iter().rev().take(MOST_STEPS).flat_map(of_step).collect();
        all.retain(|size| self.iterations(*size) <= MOST_SHORT_ITERATIONS);
        all.sort_unstable();
        all.dedup();
        let middle = MIDDLE.into_iter().filter(|_| deepest == 1);
        let long = LONG[deepest.clamp(1, LONG.len()) - 1];
        let is_short = |trips: &i64| is_short(*trips, deepest);
        let long = (1..=long).rev().find(is_short).unwrap_or(1);
        all.extend(middle.chain([long]).map(|trips| self.of_trips(trips)));
        all
    }

    /// Iterations of an innermost loop of unknown length, all together, the most of all these loops.
    fn iterations(&self, size: i64) -> i64 {
        let of_nest = |for_: &For<'c>| {
            let around = self.open.iter().filter(|other| other.op.contains(for_.op));
            let trips = around.map(|other| (size / step(*other)).max(1));
            trips.fold(1, i64::saturating_mul)
        };
        self.open.iter().map(of_nest).max().unwrap_or(0)
    }

    /// The iterations of a loop with that size; none if its length is not a plain size.
    fn trips(&self, for_: For<'c>, size: i64) -> Option<i64> {
        for_.trip_count_with(|value| self.number(value, size))
    }

    /// A constant, an argument, or a size of one.
    fn number(&self, value: Value<'c>, size: i64) -> Option<i64> {
        if let Some(constant) = value.as_constant_int() {
            return Some(constant);
        }
        let Some(op) = value.defining_op() else {
            let is_parameter = self.parameters.contains(&value);
            return is_parameter.then(|| self.roles.number(value, size));
        };
        match op.name() {
            "arith.index_cast" | "arith.extsi" => self.number(op.operand(0), size),
            "memref.dim" => {
                let of = MemRef::of(op.operand(0).ty()).filter(|_| self.parameters.contains(&op.operand(0)))?;
                let dim = usize::try_from(op.operand(1).as_constant_int()?).ok()?;
                Some(of.shape.get(dim)?.unwrap_or(size))
            }
            _ => None,
        }
    }

    /// True if the lengths of loops depend on sizes.
    fn are_free(&self) -> bool {
        let is_sized = self.open.iter().any(|for_| for_.upper().as_constant_int().is_none());
        is_sized && self.arguments(1) != self.arguments(2)
    }

    /// Loops of unknown length around each other.
    fn deepest(&self) -> usize {
        let around = |for_: &For<'c>| self.open.iter().filter(|other| other.op.contains(for_.op)).count();
        self.open.iter().map(around).max().unwrap_or(1)
    }

    /// The size with which the loop of the largest step has so many iterations, an innermost one if there are several.
    fn of_trips(&self, trips: i64) -> i64 {
        let widest = self.open.iter().max_by_key(|for_| (step(**for_), for_.is_innermost()));
        let lower = widest.and_then(|for_| for_.lower().as_constant_int());
        let range = trips.saturating_mul(self.steps.last().copied().unwrap_or(1));
        range.saturating_add(lower.filter(|lower| *lower > 0).unwrap_or(0))
    }

    fn arguments(&self, size: i64) -> Vec<PaceArgument> {
        let each = self.parameters.iter();
        each.map(|parameter| argument(*parameter, &self.roles, size)).collect()
    }
}

/// Whether the innermost of so many loops around each other has few iterations altogether, if each has so many.
fn is_short(trips: i64, depth: usize) -> bool {
    let all = u32::try_from(depth).ok().and_then(|depth| trips.checked_pow(depth));
    all.is_some_and(|all| all <= MOST_ITERATIONS)
}

fn step(for_: For<'_>) -> i64 {
    for_.step().as_constant_int().filter(|step| *step > 0).unwrap_or(1)
}

/// Arguments that bounds of loops are made of. One that an upper bound is made of is a size, whatever else it is.
#[derive(Debug, Default)]
struct Roles<'c> {
    upper: HashSet<Value<'c>>,
    lower: HashSet<Value<'c>>,
    step: HashSet<Value<'c>>,
}

impl<'c> Roles<'c> {
    fn of(loops: &[For<'c>]) -> Self {
        let mut roles = Self::default();
        for for_ in loops {
            collect(for_.upper(), &mut roles.upper);
            collect(for_.lower(), &mut roles.lower);
            collect(for_.step(), &mut roles.step);
        }
        roles
    }

    /// A number that makes loops run from 0, in steps of 1, as far as a size.
    fn number(&self, parameter: Value<'c>, size: i64) -> i64 {
        match parameter {
            _ if self.upper.contains(&parameter) => size,
            _ if self.lower.contains(&parameter) => 0,
            _ if self.step.contains(&parameter) => 1,
            _ => size,
        }
    }
}

/// The values that a value is computed of, itself included.
fn collect<'c>(value: Value<'c>, found: &mut HashSet<Value<'c>>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if found.insert(value) {
            let op = value.defining_op().filter(|op| op.is_memory_effect_free());
            open.extend(op.into_iter().flat_map(Op::operands));
        }
    }
}

/// A value for an argument; sizes that are not known are `size`.
fn argument<'c>(parameter: Value<'c>, roles: &Roles<'c>, size: i64) -> PaceArgument {
    if let Some(memref) = MemRef::of(parameter.ty()) {
        let extents = memref.shape.iter().map(|extent| extent.unwrap_or(size));
        return PaceArgument::Shape(extents.collect());
    }
    let number = roles.number(parameter, size);
    PaceArgument::Scalar(match ty::scalar(parameter.ty()) {
        Some(ElementType::Int(1)) => 1,
        // A narrow number stays positive.
        Some(ElementType::Int(bits @ 2..64)) => number.min((1 << (bits - 1)) - 1).unsigned_abs(),
        Some(ElementType::Int(_) | ElementType::Index) => number.unsigned_abs(),
        _ => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nests_are_run_with_few_iterations() {
        let most = |depth| (0..=LONG[0]).rev().find(|trips| is_short(*trips, depth));
        assert_eq!([1, 2, 4, 6, 8, 13].map(most), [1000, 64, 8, 4, 2, 1].map(Some));
    }
}
