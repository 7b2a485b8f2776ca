//! Two stages on each mesh in the form of a V: mesh d of p has stage d (chunk 0) and stage 2p - 1 - d (chunk 1), so
//! that the first and the last stage are on one mesh.

use std::collections::VecDeque;

use super::error::FragmentError;
use super::name::Builtin;
use super::predicate::Grid;
use super::problem::Program;
use super::slots::{Placement, Row};
use super::unit::Units;

/// Down and up again.
pub(super) const PLACEMENT: Placement = Placement::Fixed {
    stage: |mesh, chunk, meshes| if chunk == 0 { mesh } else { 2 * meshes - 1 - mesh },
    chunks: Some(2),
    text: "stages go down the meshes and up again, two on each",
};

/// A row in the making: the next microbatch of each chunk and piece.
#[derive(Default)]
struct Next {
    row: Row,
    forward: [u32; 2],
    backward: [u32; 2],
    weight: [u32; 2],
    /// Weight gradients that were put off, as chunks.
    queue: VecDeque<u32>,
}

impl Next {
    fn f(&mut self, chunk: u32) {
        self.row.forward(chunk, count(&mut self.forward, chunk));
    }

    /// Gradients of inputs.
    fn b(&mut self, chunk: u32) {
        self.row.backward(chunk, count(&mut self.backward, chunk));
    }

    /// Gradients of weights.
    fn w(&mut self, chunk: u32) {
        self.row.weight(chunk, count(&mut self.weight, chunk));
    }

    fn full(&mut self, chunk: u32) {
        self.b(chunk);
        self.w(chunk);
    }

    /// Gradients of inputs; those of weights are put off if asked for.
    fn full_or_half(&mut self, chunk: u32, is_half: bool) {
        if is_half {
            self.b(chunk);
            self.queue.push_back(chunk);
        } else {
            self.full(chunk);
        }
    }

    /// The weight gradient that was put off first.
    fn w_of_queue(&mut self) {
        if let Some(chunk) = self.queue.pop_front() {
            self.w(chunk);
        }
    }
}

fn count(counters: &mut [u32; 2], chunk: u32) -> u32 {
    let counter = &mut counters[chunk as usize];
    *counter += 1;
    *counter - 1
}

/// ZB-V, as PyTorch's `ScheduleZBVZeroBubble` orders it (`torch/distributed/pipelining/schedules.py`); Qi et al.,
/// "Pipeline Parallelism with Controllable Memory", arXiv 2405.15362. With fewer than 2p - 1 microbatches, the order
/// for 2p - 1 without the surplus.
///
/// ```text
/// two meshes, written as chunk.microbatch
/// mesh 0  F0.0 F0.1 F0.2 F1.0 B1.0 W1.0 F1.1 B1.1 W1.1 F0.3 B0.0 W0.0 F1.2 B1.2 ...
/// mesh 1  .    F0.0 F1.0 F0.1 F1.1 B1.0 W1.0 F0.2 B0.0 W0.0 F1.2 B1.1 W1.1 ...
/// ```
pub(super) fn zero_bubble(grid: Grid) -> Row {
    let (p, d) = (grid.meshes, grid.mesh);
    let m = grid.microbatches.max(2 * p - 1);
    let mut next = Next::default();
    (0..2 * (p - d) - 1).for_each(|_| next.f(0));
    for _ in 0..d {
        next.f(1);
        next.f(0);
    }
    for _ in 0..p - d {
        next.f(1);
        next.full(1);
    }
    while next.forward[1] < m {
        if next.forward[0] < m {
            next.f(0);
        }
        next.full(0);
        next.f(1);
        next.full(1);
    }
    for _ in 0..d {
        next.b(0);
        next.b(1);
    }
    (0..p - d).for_each(|_| next.full(0));
    for chunk in [1, 0] {
        while next.weight[chunk as usize] < m {
            next.w(chunk);
        }
    }
    next.row
}

/// DualPipeV, as PyTorch's `ScheduleDualPipeV` orders it, after deepseek-ai/DualPipe. What overlaps there runs one
/// after the other here. Needs 2p microbatches.
///
/// ```text
/// two meshes, written as chunk.microbatch
/// mesh 0  F0.0 F0.1 F0.2 F1.0 B1.0 W1.0 F1.1 F0.3 B1.1 W1.1 F1.2 B0.0 W0.0 ...
/// mesh 1  .    F0.0 F1.0 F0.1 F1.1 F0.2 B1.0 W1.0 F1.2 B0.0 W0.0 F0.3 B1.1 W1.1 ...
/// ```
pub(super) fn dual_pipe(program: &Program, units: &Units, grid: Grid) -> Result<Row, FragmentError> {
    let (p, d, m) = (grid.meshes, grid.mesh, grid.microbatches);
    if m < 2 * p {
        return Err(FragmentError::DoesNotApply {
            schedule: Builtin::DualPipeV.name(),
            parties: program.parties(units.of_mesh[d as usize].iter().map(|unit| unit.node)),
            needs: format!(
                "{m} microbatches are fewer than the {} that {p} meshes need; take more",
                2 * p
            ),
        });
    }
    let mut next = Next::default();
    (0..2 * (p - d - 1)).for_each(|_| next.f(0));
    for _ in 0..=d {
        next.f(0);
        next.f(1);
    }
    for _ in 0..p - d - 1 {
        next.full(1);
        next.f(1);
    }
    for _ in 0..m - 2 * p + d + 1 {
        next.f(0);
        next.full(1);
        next.f(1);
        next.full(0);
    }
    for _ in 0..p - d - 1 {
        next.full(1);
        next.f(1);
        next.full(0);
    }
    // From the middle on, weight gradients are put off; on even meshes half a step later than on odd ones.
    let half = d.div_ceil(2);
    for i in 0..=d {
        next.full_or_half(1, i > half || (i == half && d % 2 == 1));
        next.full_or_half(0, i >= half);
    }
    for _ in 0..p - d - 1 {
        next.w_of_queue();
        next.full_or_half(0, true);
    }
    (0..=d).for_each(|_| next.w_of_queue());
    Ok(next.row)
}
