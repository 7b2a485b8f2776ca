//! Zero-bubble schedules H1 and H2 as total orders (Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241).
//!
//! Both are one order with two numbers: forwards ahead of the first backward, and microbatches by which weight
//! gradients are put off.

use super::predicate::Grid;
use super::slots::{Placement, Row};

/// Stages do not matter.
pub(super) const PLACEMENT: Placement = Placement::Any;

/// H1: as many microbatches in flight as 1F1B. On mesh d of p: p - d forwards ahead, weight gradients d later.
///
/// ```text
/// mesh 0  F0 F1 F2 .  .  B0 W0 F3 B1 W1 .  B2 W2 .  B3 W3
/// mesh 1  .  F0 F1 .  B0 F2 B1 W0 F3 B2 W1 .  B3 W2 W3
/// mesh 2  .  .  F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3
/// ```
pub(super) fn h1(grid: Grid) -> Row {
    row(grid, grid.remaining(), i64::from(grid.mesh))
}

/// H2: so many forwards ahead that a mesh never waits between its first start and last end.
///
/// ```text
/// mesh 0  F0 F1 F2 F3 F4 B0 W0 F5 B1 W1 F6 B2 W2 ...
/// mesh 1  .  F0 F1 F2 B0 F3 B1 F4 B2 W0 F5 B3 W1 ...
/// mesh 2  .  .  F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 W0 ...
/// ```
pub(super) fn h2(grid: Grid, doubled_latency: i64) -> Row {
    let ahead = grid.ahead(grid.remaining(), doubled_latency);
    let put_off = grid.ahead(i64::from(grid.mesh) + 1, doubled_latency) - 1;
    row(grid, ahead, put_off)
}

/// True if a mesh would run more forwards ahead than there are microbatches.
pub(super) fn is_clamped(grid: Grid, doubled_latency: i64) -> bool {
    let free = Grid {
        microbatches: u32::MAX,
        ..grid
    };
    free.ahead(grid.remaining(), doubled_latency) > grid.ahead(grid.remaining(), doubled_latency)
}

fn row(grid: Grid, ahead: i64, put_off: i64) -> Row {
    let mut row = Row::default();
    let microbatches = grid.microbatches;
    let ahead = u32::try_from(ahead).unwrap_or(1).min(microbatches);
    let put_off = u32::try_from(put_off).unwrap_or(0).min(microbatches);
    (0..ahead).for_each(|i| row.forward(0, i));
    for i in 0..microbatches {
        row.backward(0, i);
        if i >= put_off {
            row.weight(0, i - put_off);
        }
        row.forward_if(i + ahead < microbatches, i + ahead);
    }
    (microbatches - put_off..microbatches).for_each(|i| row.weight(0, i));
    row
}

impl Row {
    fn forward_if(&mut self, is_left: bool, microbatch: u32) {
        if is_left {
            self.forward(0, microbatch);
        }
    }
}
