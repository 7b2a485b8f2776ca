//! Kind of the edge from all writes of a program to all its reads.

use std::collections::HashSet;

use super::cells::{Grid, check_work};
use super::{ReplayError, Touch};
use crate::verdict::Verdict;

/// The verdict of section "Verdicts" of `docs/access-orders.md`, with all readers taken as one. A read of an element
/// that is written again later belongs to the producer, and only writes that are final for some element count. Another
/// order is one within a block if each iteration has a buffer of its own (`is_block`), and one of the whole otherwise.
/// Nothing is read that was never written, or is else `INCOMPATIBLE`.
///
/// # Errors
///
/// If there is too much work, or an index is too large.
pub fn verdict(touches: &[Touch], is_block: bool, limit: u64) -> Result<Verdict, ReplayError> {
    let rank = touches.first().map_or(0, |touch| touch.from.len());
    let unit = Grid::units(touches.iter(), rank);
    check_work(touches, &unit, limit)?;
    let grid = Grid::around(touches, &unit, limit)?;
    let cells: Vec<Vec<usize>> = touches.iter().map(|touch| grid.cells(touch)).collect();
    let mut written: Vec<Option<usize>> = vec![None; grid.len()];
    for (at, _) in touches.iter().enumerate().filter(|(_, touch)| touch.write) {
        for cell in &cells[at] {
            written[*cell] = Some(at);
        }
    }
    let is_read_after = |at: usize| !touches[at].write && cells[at].iter().all(|cell| written[*cell] < Some(at));
    let reads: Vec<usize> = (0..touches.len()).filter(|at| is_read_after(*at)).collect();
    if reads
        .iter()
        .any(|at| cells[*at].iter().any(|cell| written[*cell].is_none()))
    {
        return Ok(Verdict::Incompatible);
    }
    let mut writes: Vec<usize> = written.iter().flatten().copied().collect();
    writes.sort_unstable();
    writes.dedup();
    let needed = |at: &usize| cells[*at].iter().filter_map(|cell| written[*cell]);
    let bounds: Vec<(usize, usize)> = reads
        .iter()
        .filter_map(|at| needed(at).min().zip(needed(at).max()))
        .collect();
    let is_in_order = bounds.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    if is_in_order {
        let same = |read: &usize, write: &usize| {
            (&touches[*read].from, &touches[*read].size) == (&touches[*write].from, &touches[*write].size)
        };
        let mut once = reads.clone();
        once.dedup_by(|later, earlier| same(later, earlier));
        let is_each = once.len() == writes.len() && once.iter().zip(&writes).all(|(read, write)| same(read, write));
        return Ok(match (is_each, once.len() == reads.len()) {
            (true, true) => Verdict::Stream,
            (true, false) => Verdict::Hold,
            (false, _) => Verdict::Repack,
        });
    }
    Ok(match (has_inversion(&written, &cells, &reads), is_block) {
        (false, _) => Verdict::Window,
        (true, true) => Verdict::ReorderBlock,
        (true, false) => Verdict::ReorderFull,
    })
}

/// True if an element is written before another one, and first read after that is read last.
fn has_inversion(written: &[Option<usize>], cells: &[Vec<usize>], reads: &[usize]) -> bool {
    let mut lives: Vec<Option<(usize, usize)>> = vec![None; written.len()];
    for at in reads {
        for cell in &cells[*at] {
            lives[*cell] = Some((lives[*cell].map_or(*at, |(first, _)| first), *at));
        }
    }
    let all: HashSet<(usize, usize, usize)> = written
        .iter()
        .zip(lives)
        .filter_map(|(by, life)| by.zip(life).map(|(by, (first, last))| (by, first, last)))
        .collect();
    let mut all: Vec<(usize, usize, usize)> = all.into_iter().collect();
    all.sort_unstable();
    let mut latest_first = None;
    let mut pending = None;
    let mut of = None;
    for (by, first, last) in all {
        if of != Some(by) {
            latest_first = latest_first.max(pending);
            of = Some(by);
        }
        if latest_first > Some(last) {
            return true;
        }
        pending = pending.max(Some(first));
    }
    false
}
