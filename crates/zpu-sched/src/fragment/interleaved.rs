//! Several stages on each mesh, placed in a loop: chunk c of mesh d of p is stage c p + d.

use super::error::FragmentError;
use super::name::Builtin;
use super::predicate::Grid;
use super::problem::Program;
use super::slots::{Placement, Row};
use super::unit::Units;

/// Stages go round the meshes.
pub(super) const PLACEMENT: Placement = Placement::Fixed {
    stage: |mesh, chunk, meshes| chunk * meshes + mesh,
    chunks: None,
    text: "stages go round the meshes",
};

/// Chunks are the stages of a mesh in ascending order, wherever they are.
pub(super) const ANY_STAGES: Placement = Placement::Chunks;

/// Interleaved 1F1B (Narayanan et al., "Efficient Large-Scale Language Model Training", arXiv 2104.04473). The k-th
/// forward is chunk (k mod pv) / p of microbatch (k / pv) p + k mod p; the k-th backward is the same with the chunks
/// in reverse. Mesh d runs 2(p - d - 1) + (v - 1)p forwards ahead, all of them if there are p microbatches.
///
/// ```text
/// two meshes, stages 0 and 2 on mesh 0, written as chunk.microbatch
/// mesh 0  F0.0 F0.1 F1.0 F1.1 F0.2 B1.0 F0.3 B1.1 F1.2 B0.0 ...
/// mesh 1  .    F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 ...
/// ```
pub(super) fn one_forward_one_backward(
    program: &Program,
    units: &Units,
    grid: Grid,
    chunks: u32,
) -> Result<Row, FragmentError> {
    let (p, m) = (grid.meshes, grid.microbatches);
    if !m.is_multiple_of(p) {
        return Err(FragmentError::DoesNotApply {
            schedule: Builtin::Interleaved1F1B.name(),
            parties: program.parties(units.of_mesh[grid.mesh as usize].iter().map(|unit| unit.node)),
            needs: format!("{m} microbatches are no multiple of {p} meshes; take a multiple"),
        });
    }
    let total = m * chunks;
    let slot = |k: u32| ((k % (p * chunks)) / p, (k / (p * chunks)) * p + k % p);
    let mut row = Row::default();
    let forward = |row: &mut Row, k: u32| {
        let (chunk, microbatch) = slot(k);
        row.forward(chunk, microbatch);
    };
    let backward = |row: &mut Row, k: u32| {
        let (chunk, microbatch) = slot(k);
        row.full(chunks - 1 - chunk, microbatch);
    };
    let ahead = 2 * (p - grid.mesh - 1) + (chunks - 1) * p;
    let ahead = if m == p { total } else { ahead.min(total) };
    (0..ahead).for_each(|k| forward(&mut row, k));
    for k in ahead..total {
        forward(&mut row, k);
        backward(&mut row, k - ahead);
    }
    (total - ahead..total).for_each(|k| backward(&mut row, k));
    Ok(row)
}

/// Breadth-first (Lamy-Poirier, "Breadth-First Pipeline Parallelism", arXiv 2211.05953): all microbatches of a chunk,
/// then of the next; backward, chunks in reverse.
///
/// ```text
/// mesh 0  F0.0 F0.1 F0.2 F1.0 F1.1 F1.2 ... B1.0 B1.1 B1.2 B0.0 B0.1 B0.2
/// mesh 1  .    F0.0 F0.1 F0.2 F1.0 F1.1 F1.2 B1.0 B1.1 B1.2 B0.0 B0.1 B0.2
/// ```
pub(super) fn breadth_first(grid: Grid, chunks: u32) -> Row {
    let mut row = Row::default();
    for chunk in 0..chunks {
        (0..grid.microbatches).for_each(|i| row.forward(chunk, i));
    }
    for chunk in (0..chunks).rev() {
        (0..grid.microbatches).for_each(|i| row.full(chunk, i));
    }
    row
}
