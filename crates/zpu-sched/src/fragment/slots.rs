//! Total orders as rows of slots: this piece of this chunk for this microbatch, then the next.
//!
//! A *chunk* is one of the stages of a mesh, counted from 0. A row is written as if everything were there: microbatches
//! that the program does not have are left out, and a backward fragment that is not split has no weight gradient.

use super::error::FragmentError;
use super::keys::need_stages;
use super::name::Builtin;
use super::problem::{NodeId, Program};
use super::unit::{Piece, Unit, Units};

/// Where a schedule wants its stages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Placement {
    /// Stages do not matter: all are one chunk.
    Any,
    /// Several stages on a mesh, in any way; chunks in the order of stages.
    Chunks,
    /// The stage of each mesh and chunk, by mesh, chunk and number of meshes; and the chunks, if that is fixed.
    Fixed {
        /// Stage of (mesh, chunk, meshes).
        stage: fn(u32, u32, u32) -> u32,
        /// Number of chunks of each mesh.
        chunks: Option<u32>,
        /// The placement in words.
        text: &'static str,
    },
}

/// One row of slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    slots: Vec<(u32, Piece, u32)>,
}

impl Row {
    pub(crate) fn forward(&mut self, chunk: u32, microbatch: u32) {
        self.slots.push((chunk, Piece::Forward, microbatch));
    }

    pub(crate) fn backward(&mut self, chunk: u32, microbatch: u32) {
        self.slots.push((chunk, Piece::Backward, microbatch));
    }

    pub(crate) fn weight(&mut self, chunk: u32, microbatch: u32) {
        self.slots.push((chunk, Piece::Weight, microbatch));
    }

    /// Both halves of a backward pass.
    pub(crate) fn full(&mut self, chunk: u32, microbatch: u32) {
        self.backward(chunk, microbatch);
        self.weight(chunk, microbatch);
    }
}

/// The units of a mesh by slot.
pub(crate) struct Slots<'u> {
    chunks: u32,
    microbatches: u32,
    /// By slot, the units in it; most have one.
    units: Vec<Vec<&'u Unit>>,
}

impl<'u> Slots<'u> {
    /// Sorts the units of a mesh into slots.
    pub(crate) fn new(
        program: &Program,
        all: &'u Units,
        schedule: Builtin,
        mesh: usize,
        placement: Placement,
    ) -> Result<Slots<'u>, FragmentError> {
        let units = &all.of_mesh[mesh];
        check_counters(program, units, schedule, all.microbatches)?;
        let stages = stages(program, units, schedule, placement)?;
        check_placement(program, all, schedule, mesh, placement, &stages)?;
        let chunks = stages.len().max(1) as u32;
        let mut slots = Slots {
            chunks,
            microbatches: all.microbatches,
            units: vec![vec![]; (chunks * all.microbatches) as usize * 3],
        };
        for unit in units {
            let chunk = stages.iter().position(|stage| Some(*stage) == unit.stage).unwrap_or(0);
            if let Some(place) = slots.place((chunk as u32, unit.piece, unit.counter)) {
                slots.units[place].push(unit);
            }
        }
        Ok(slots)
    }

    /// Number of chunks.
    pub(crate) fn chunks(&self) -> u32 {
        self.chunks
    }

    fn place(&self, (chunk, piece, microbatch): (u32, Piece, u32)) -> Option<usize> {
        let is_there = chunk < self.chunks && microbatch < self.microbatches;
        is_there.then(|| ((chunk * self.microbatches + microbatch) * 3 + piece as u32) as usize)
    }

    /// The units in the order of a row, which names each slot once.
    pub(crate) fn fill(&self, row: Row) -> Vec<NodeId> {
        let places = row.slots.into_iter().filter_map(|slot| self.place(slot));
        places
            .flat_map(|place| self.units[place].iter().map(|unit| unit.node))
            .collect()
    }
}

/// Rows count microbatches from 0 without gaps.
fn check_counters(
    program: &Program,
    units: &[Unit],
    schedule: Builtin,
    microbatches: u32,
) -> Result<(), FragmentError> {
    let mut counters: Vec<u32> = units.iter().map(|unit| unit.counter).collect();
    counters.sort_unstable();
    counters.dedup();
    if counters.len() == microbatches as usize {
        return Ok(());
    }
    let gap = (0..).zip(&counters).find(|(place, counter)| place != *counter);
    let gap = gap.map_or(counters.len() as u32, |(place, _)| place);
    let beyond = units.iter().filter(|unit| unit.counter > gap);
    Err(FragmentError::DoesNotApply {
        schedule: schedule.name(),
        parties: program.parties(beyond.map(|unit| unit.node)),
        needs: format!(
            "call counters go up to {}, and {gap} is missing; count from 0 without gaps",
            microbatches - 1
        ),
    })
}

/// The stages of a mesh in ascending order; none if stages do not matter, or no fragment has one.
fn stages(
    program: &Program,
    units: &[Unit],
    schedule: Builtin,
    placement: Placement,
) -> Result<Vec<u32>, FragmentError> {
    let is_free = match placement {
        Placement::Any => true,
        Placement::Chunks => units.iter().all(|unit| unit.stage.is_none()),
        Placement::Fixed { .. } => false,
    };
    if is_free {
        return Ok(vec![]);
    }
    need_stages(program, units, schedule)?;
    let mut stages: Vec<u32> = units.iter().filter_map(|unit| unit.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    Ok(stages)
}

fn check_placement(
    program: &Program,
    all: &Units,
    schedule: Builtin,
    mesh: usize,
    placement: Placement,
    stages: &[u32],
) -> Result<(), FragmentError> {
    let Placement::Fixed { stage, chunks, text } = placement else {
        return Ok(());
    };
    let count = chunks.unwrap_or(stages.len() as u32);
    let wanted: Vec<u32> = (0..count)
        .map(|chunk| stage(mesh as u32, chunk, all.meshes.len() as u32))
        .collect();
    if stages == wanted {
        return Ok(());
    }
    let misplaced = all.of_mesh[mesh]
        .iter()
        .filter(|unit| unit.stage.is_none_or(|stage| !wanted.contains(&stage)));
    let mut parties = program.parties(misplaced.map(|unit| unit.node));
    if parties.is_empty() {
        parties = program.parties(all.of_mesh[mesh].iter().map(|unit| unit.node));
    }
    Err(FragmentError::DoesNotApply {
        schedule: schedule.name(),
        parties,
        needs: format!(
            "mesh `{}` has stages {stages:?}, it needs {wanted:?}: {text}",
            program.mesh(all.meshes[mesh])
        ),
    })
}
