//! Built-in schedules as predicates: whether one unit must happen before another on the same mesh.
//!
//! Each schedule is one function with one diagram; rows are meshes, time goes to the right. Source of all of them:
//! `PIPELINE_SCHEDULES` of Shardy, `shardy/dialect/mpmd/transforms/optimize/pipeline_schedule.cc`. The diagrams are
//! for three or four meshes, with backward fragments as long as forward ones. A pair that no rule names is left open.

use super::name::Builtin;
use super::unit::{Piece, Unit};

/// The numbers that predicates compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of schedulable meshes.
    pub meshes: u32,
    /// Number of microbatches: H2 runs no more forwards ahead than that. `u32::MAX` is no limit.
    pub microbatches: u32,
    /// Place of the mesh among the schedulable ones.
    pub mesh: u32,
    /// The number in the mesh's name, for [`Builtin::ParallelPipelinesWithWrapAround`].
    pub number: u32,
}

impl Grid {
    /// Meshes from this one to the last, itself included.
    pub(crate) fn remaining(self) -> i64 {
        i64::from(self.meshes) - i64::from(self.mesh)
    }

    /// Forwards that H2 runs on the mesh with `remaining` meshes from it on before the first backward:
    /// floor(2r - 1 + 2(r - 1) lambda), with lambda doubled so that all is whole.
    pub(crate) fn ahead(self, remaining: i64, doubled_latency: i64) -> i64 {
        (2 * remaining - 1 + (remaining - 1) * doubled_latency).min(i64::from(self.microbatches).max(1))
    }
}

/// True if `schedule` demands `first` before `second`; both are units of the mesh that `grid` names. Total orders have
/// no predicate and answer false, as `none` does.
pub fn must_happen_before(schedule: Builtin, grid: Grid, first: &Unit, second: &Unit) -> bool {
    match schedule {
        Builtin::OneForwardOneBackward => one_forward_one_backward(grid, first, second),
        Builtin::GPipe => gpipe(first, second),
        Builtin::GPipeBut1F1BForLastMesh => gpipe_but_1f1b_for_last_mesh(grid, first, second),
        Builtin::Circular => circular(grid, first, second),
        Builtin::CircularWithReversedBackward => circular_with_reversed_backward(grid, first, second),
        Builtin::ZeroBubbleH1 => zero_bubble_h1(grid, first, second),
        Builtin::ZeroBubbleH2ZeroTxLatency => zero_bubble_h2(grid, 0, first, second),
        Builtin::ZeroBubbleH2HalfTxLatency => zero_bubble_h2(grid, 1, first, second),
        Builtin::ZeroBubbleH2FullTxLatency => zero_bubble_h2(grid, 2, first, second),
        Builtin::ParallelPipelinesWithWrapAround => wrap_around(grid, first, second),
        Builtin::None
        | Builtin::Interleaved1F1B
        | Builtin::BreadthFirst
        | Builtin::ZeroBubbleV
        | Builtin::DualPipeV => false,
    }
}

fn is_forward(unit: &Unit) -> bool {
    unit.piece == Piece::Forward
}

fn counters(first: &Unit, second: &Unit) -> (i64, i64) {
    (first.counter.into(), second.counter.into())
}

/// One forward, one backward.
///
/// ```text
/// mesh 0  F0 F1 F2 .  .  B0 F3 B1 .. B2 .. B3
/// mesh 1  .  F0 F1 .  B0 F2 B1 F3 B2 .. B3
/// mesh 2  .  .  F0 B0 F1 B1 F2 B2 F3 B3
/// ```
fn one_forward_one_backward(grid: Grid, first: &Unit, second: &Unit) -> bool {
    let (i, j) = counters(first, second);
    match (is_forward(first), is_forward(second)) {
        (true, true) | (false, false) => i < j,
        (false, true) => j == i + grid.remaining(),
        (true, false) => i == j + grid.remaining() - 1,
    }
}

/// All forwards, then all backwards, each in the order of microbatches.
///
/// ```text
/// mesh 0  F0 F1 F2 .  .  .  .  B0 B1 B2
/// mesh 1  .  F0 F1 F2 .  .  B0 B1 B2
/// mesh 2  .  .  F0 F1 F2 B0 B1 B2
/// ```
fn gpipe(first: &Unit, second: &Unit) -> bool {
    let key = |unit: &Unit| (!is_forward(unit), unit.counter);
    key(first) < key(second)
}

/// 1F1B on the last mesh, which then holds one microbatch only, and GPipe elsewhere.
///
/// ```text
/// mesh 0  F0 F1 F2 .  .  B0 .  B1 .  B2
/// mesh 1  .  F0 F1 F2 B0 .  B1 .  B2
/// mesh 2  .  .  F0 B0 F1 B1 F2 B2
/// ```
fn gpipe_but_1f1b_for_last_mesh(grid: Grid, first: &Unit, second: &Unit) -> bool {
    if grid.remaining() == 1 {
        one_forward_one_backward(grid, first, second)
    } else {
        gpipe(first, second)
    }
}

/// Rounds of as many microbatches as there are meshes; in each, stage by stage. Fragments without a stage are free.
///
/// ```text
/// stages 0 and 2 on mesh 0, written as stage.microbatch
/// mesh 0  F0.0 F0.1 F2.0 F2.1 F0.2 F0.3 F2.2 F2.3 ... B2.0 B2.1 B0.0 B0.1
/// mesh 1  .    F1.0 F1.1 F3.0 F3.1 F1.2 F1.3 F3.2 F3.3 B3.0 B3.1 B1.0 B1.1
/// ```
fn circular(grid: Grid, first: &Unit, second: &Unit) -> bool {
    let key = |unit: &Unit| {
        let stage = i64::from(unit.stage?);
        let round = unit.counter / grid.meshes.max(1);
        let signed = if is_forward(unit) { stage } else { -stage };
        Some((!is_forward(unit), round, signed, unit.counter))
    };
    matches!((key(first), key(second)), (Some(a), Some(b)) if a < b)
}

/// Forwards as in [`circular`]; backwards in the reverse of the forward order.
///
/// ```text
/// mesh 0  F0.0 F0.1 F2.0 F2.1 ... B2.1 B2.0 B0.1 B0.0
/// mesh 1  .    F1.0 F1.1 F3.0 F3.1 B3.1 B3.0 B1.1 B1.0
/// ```
fn circular_with_reversed_backward(grid: Grid, first: &Unit, second: &Unit) -> bool {
    if first.stage.is_none() || second.stage.is_none() {
        return false;
    }
    let key = |unit: &Unit| (unit.counter / grid.meshes.max(1), unit.stage, unit.counter);
    match (is_forward(first), is_forward(second)) {
        (true, true) => key(first) < key(second),
        (false, false) => key(first) > key(second),
        (forward, _) => forward,
    }
}

/// 1F1B in which weight gradients are put off by as many microbatches as the mesh has meshes before it.
///
/// ```text
/// mesh 0  F0 F1 F2 .  .  B0 W0 F3 B1 W1 .  B2 W2
/// mesh 1  .  F0 F1 .  B0 F2 B1 W0 F3 B2 W1
/// mesh 2  .  .  F0 B0 F1 B1 F2 B2 W0 F3 B3 W1
/// ```
fn zero_bubble_h1(grid: Grid, first: &Unit, second: &Unit) -> bool {
    let (i, j) = counters(first, second);
    let (n, s) = (i64::from(grid.meshes), i64::from(grid.mesh));
    match (first.piece, second.piece) {
        (Piece::Backward, Piece::Forward) => j == i + grid.remaining(),
        (Piece::Forward, Piece::Backward) => i == j + grid.remaining() - 1,
        (Piece::Weight, Piece::Forward) => j == i + n,
        (Piece::Backward, Piece::Weight) => i == j + s,
        (Piece::Weight, Piece::Backward) => j == i + s + 1,
        _ => false,
    }
}

/// H1 with nearly twice the forwards ahead, so that no mesh waits between its first and last fragment. Transfers that
/// take time need more of them: `doubled_latency` is 0, 1 or 2 for 0, 1/2 and 1 times a fragment.
///
/// ```text
/// mesh 0  F0 F1 F2 F3 F4 B0 W0 F5 B1 W1 F6
/// mesh 1  .  F0 F1 F2 B0 F3 B1 F4 B2 W0 F5
/// mesh 2  .  .  F0 B0 F1 B1 F2 B2 F3 B3 F4
/// ```
fn zero_bubble_h2(grid: Grid, doubled_latency: i64, first: &Unit, second: &Unit) -> bool {
    let (i, j) = counters(first, second);
    let a = grid.ahead(grid.remaining(), doubled_latency);
    let c = grid.ahead(i64::from(grid.mesh) + 1, doubled_latency);
    match (first.piece, second.piece) {
        (Piece::Forward, Piece::Backward) => i < a || i == j + a - 1,
        (Piece::Forward, Piece::Weight) => i < a,
        (Piece::Backward, Piece::Forward) => j >= a && j == i + a,
        (Piece::Backward, Piece::Weight) => i == j + c - 1,
        (Piece::Weight, Piece::Backward) => j == i + c,
        _ => false,
    }
}

/// Forward only: mesh k begins with microbatch k, goes down to the first, and from the last down to k + 1.
///
/// ```text
/// mesh1  F1 F3 F2
/// mesh2  F2 F1 F3
/// mesh3  F3 F2 F1
/// ```
fn wrap_around(grid: Grid, first: &Unit, second: &Unit) -> bool {
    let (i, j, k) = (first.counter, second.counter, grid.number);
    if i == j || j == k {
        false
    } else if i == k || (i < k) == (j < k) {
        i == k || i > j
    } else {
        i < j
    }
}
