//! Arguments with which a function is run to compare its plans.
//!
//! A function of constant sizes has one scenario. In one whose loops depend on arguments, sizes are such that loops have from no iteration
//! to twice the number of stages, and a long run.

use std::collections::BTreeSet;

use zpu_device::ElementType;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Type, ty};
use zpu_sim::PaceArgument;

/// Steps of loops that sizes are multiples of, at the most.
const MOST_STEPS: usize = 2;

/// Iterations of the long run, by the number of loops around each other whose lengths are not known: in a nest their product counts.
const LONG: [i64; 3] = [1000, 32, 8];

/// The arguments of each run, the longest one last.
pub(super) fn scenarios(function: Op<'_>, stages: u32) -> Vec<Vec<PaceArgument>> {
    let parameters: Vec<Type<'_>> = function
        .body()
        .map(|body| body.args().into_iter().map(|argument| argument.ty()).collect())
        .unwrap_or_default();
    let arguments = |size: i64| parameters.iter().map(|ty| argument(*ty, size)).collect::<Vec<_>>();
    let loops: Vec<For<'_>> = function.walk().into_iter().filter_map(For::of).collect();
    let open: Vec<For<'_>> = loops
        .into_iter()
        .filter(|for_| for_.constant_trip_count().is_none())
        .collect();
    let has_sizes = arguments(1) != arguments(2);
    if open.is_empty() || !has_sizes {
        return vec![arguments(1)];
    }
    let depth = |for_: &For<'_>| open.iter().filter(|other| other.op.contains(for_.op)).count();
    let deepest = open.iter().map(depth).max().unwrap_or(1);
    let steps: BTreeSet<i64> = open.iter().map(|for_| step(*for_)).collect();
    let short = 0..=2 * i64::from(stages.min(8));
    let mut sizes: Vec<i64> = steps
        .iter()
        .rev()
        .take(MOST_STEPS)
        .flat_map(|step| short.clone().map(|trips| trips.saturating_mul(*step)))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let long = LONG[deepest.clamp(1, LONG.len()) - 1];
    sizes.push(long.saturating_mul(steps.last().copied().unwrap_or(1)));
    sizes.into_iter().map(arguments).collect()
}

fn step(for_: For<'_>) -> i64 {
    for_.step().as_constant_int().filter(|step| *step > 0).unwrap_or(1)
}

/// An argument of a type; sizes that are not known are `size`.
fn argument(ty: Type<'_>, size: i64) -> PaceArgument {
    if let Some(memref) = MemRef::of(ty) {
        let extents = memref.shape.iter().map(|extent| extent.unwrap_or(size));
        return PaceArgument::Shape(extents.collect());
    }
    PaceArgument::Scalar(match ty::scalar(ty) {
        Some(ElementType::Int(1)) => 1,
        Some(ElementType::Int(_) | ElementType::Index) => size.unsigned_abs(),
        _ => 0,
    })
}
