//! Spare versions of buffers: those beyond the least that a plan needs, as far as spaces have room for them.
//!
//! A version more lets a writer start before the last reader is done. Of buffers with a common reader, the one with the
//! fewest spare versions sets the pace, so a version that only one of them gets is wasted: they get one more together
//! or not at all, as long as others can use the room.
//!
//! Invariant: no buffer gets fewer versions than it has or more than it wants, and what did fit still does.

use crate::graph::{Edge, strongly_connected};
use crate::plan::needed_bytes;
use crate::{Problem, SpaceId};

/// Two ways to give out spare versions; `None` if nothing comes of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpareVersions {
    /// All that each buffer wants if that fits, one buffer after the other.
    pub(crate) in_order: Option<Vec<u32>>,
    /// To buffers that are read together, if not all that is wanted fits and it is another result.
    pub(crate) together: Option<Vec<u32>>,
}

/// Raises the versions from `least` towards `wanted`.
pub(crate) fn spare_versions(problem: &Problem, least: &[u32], wanted: &[u32]) -> SpareVersions {
    let in_order = in_order(problem, least, wanted);
    let together = (in_order != wanted)
        .then(|| read_together(problem, least, wanted))
        .filter(|together| together != least && *together != in_order);
    SpareVersions {
        in_order: Some(in_order).filter(|in_order| in_order != least),
        together,
    }
}

/// All that is wanted for one buffer after the other, each if it fits.
fn in_order(problem: &Problem, least: &[u32], wanted: &[u32]) -> Vec<u32> {
    let mut room = Room::beside(problem, least);
    let mut versions = least.to_vec();
    for buffer in 0..versions.len() {
        if room.take(problem, &[buffer], |buffer| wanted[buffer] - least[buffer]) {
            versions[buffer] = wanted[buffer];
        }
    }
    versions
}

/// In rounds one version more for each group of which all that want one get it: first for buffers that are connected by
/// common readers, then for those of one reader, then for each by itself.
fn read_together(problem: &Problem, least: &[u32], wanted: &[u32]) -> Vec<u32> {
    let mut room = Room::beside(problem, least);
    let mut versions = least.to_vec();
    let single = (0..versions.len()).map(|buffer| vec![buffer]).collect();
    for groups in [read_by_the_same(problem), by_reader(problem), single] {
        let mut growing = groups;
        while !growing.is_empty() {
            growing.retain(|group| {
                let more = |&&buffer: &&usize| versions[buffer] < wanted[buffer];
                let more: Vec<usize> = group.iter().filter(more).copied().collect();
                let fits = !more.is_empty() && room.take(problem, &more, |_| 1);
                if fits {
                    more.iter().for_each(|&buffer| versions[buffer] += 1);
                }
                fits
            });
        }
    }
    versions
}

/// For each operation, the buffers that it reads; no buffer is in several of these groups more often than it has
/// readers.
fn by_reader(problem: &Problem) -> Vec<Vec<usize>> {
    let mut groups = vec![vec![]; problem.operations.len()];
    for (index, buffer) in problem.buffers.iter().enumerate() {
        for reader in &buffer.readers {
            let group: &mut Vec<usize> = &mut groups[reader.index()];
            if group.last() != Some(&index) {
                group.push(index);
            }
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Groups of buffers that are connected by common readers.
pub(crate) fn read_by_the_same(problem: &Problem) -> Vec<Vec<usize>> {
    let both_ways = |pair: &[usize]| [(pair[0], pair[1]), (pair[1], pair[0])];
    let edges: Vec<Edge> = by_reader(problem)
        .iter()
        .flat_map(|group| group.windows(2).flat_map(both_ways).collect::<Vec<_>>())
        .map(|(from, to)| Edge {
            from,
            to,
            latency: 0,
            distance: 0,
        })
        .collect();
    let mut groups = strongly_connected(problem.buffers.len(), &edges);
    groups.retain(|group| group.len() > 1);
    groups.sort_unstable();
    groups
}

/// Bytes that are left in each space.
struct Room(Vec<u128>);

impl Room {
    fn beside(problem: &Problem, versions: &[u32]) -> Room {
        let spaces = problem.spaces.iter().zip(needed_bytes(problem, versions));
        Room(
            spaces
                .map(|(space, needed)| u128::from(space.bytes).saturating_sub(needed))
                .collect(),
        )
    }

    /// Takes so many versions of each of these buffers, if all of them fit.
    fn take(&mut self, problem: &Problem, buffers: &[usize], versions: impl Fn(usize) -> u32) -> bool {
        let mut left = self.0.clone();
        for &index in buffers {
            let buffer = &problem.buffers[index];
            let Some(SpaceId(space)) = buffer.space else { continue };
            let bytes = u128::from(versions(index)) * u128::from(buffer.bytes);
            let Some(rest) = left[space as usize].checked_sub(bytes) else {
                return false;
            };
            left[space as usize] = rest;
        }
        self.0 = left;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buffer, OpId};

    /// Buffers of 10 bytes, each with its readers, in a space of so many bytes.
    fn problem(readers: &[&[u32]], bytes: u64) -> Problem {
        let mut problem = Problem::cyclic("spare");
        let space = problem.add_space("sram", bytes);
        for operation in 0..8 {
            problem.add_operation(format!("op{operation}"), 1, vec![]);
        }
        for (index, readers) in readers.iter().enumerate() {
            let readers = readers.iter().map(|&reader| OpId(reader)).collect();
            problem.add_buffer(Buffer::new(format!("b{index}"), vec![OpId(7)], readers).with_bytes(10, space));
        }
        problem
    }

    #[test]
    fn all_that_is_wanted_if_it_fits() {
        let problem = problem(&[&[0], &[0]], 60);
        let spare = |least: [u32; 2]| spare_versions(&problem, &least, &[3, 3]);
        assert_eq!(spare([1, 1]).in_order, Some(vec![3, 3]));
        assert_eq!(spare([1, 1]).together, None);
        assert_eq!(spare([3, 3]).in_order, None);
    }

    #[test]
    fn operands_of_one_reader_rise_together() {
        let problem = problem(&[&[0], &[0]], 50);
        assert_eq!(read_together(&problem, &[1, 1], &[3, 3]), [3, 2]);
        assert_eq!(in_order(&problem, &[1, 1], &[3, 3]), [3, 1]);
    }

    #[test]
    fn a_group_that_does_not_fit_leaves_the_room_to_a_smaller_one() {
        // b0, b1, b2 are connected through b1; only two of them fit together.
        let problem = problem(&[&[0], &[0, 1], &[1], &[2]], 60);
        assert_eq!(read_together(&problem, &[1; 4], &[2; 4]), [2, 2, 1, 1]);
    }

    #[test]
    fn what_is_in_no_space_gets_all() {
        let mut problem = problem(&[&[0], &[1]], 10);
        problem.buffers[1].space = None;
        assert_eq!(in_order(&problem, &[1, 1], &[3, 3]), [1, 3]);
        assert_eq!(read_together(&problem, &[1, 1], &[3, 3]), [1, 3]);
    }
}
