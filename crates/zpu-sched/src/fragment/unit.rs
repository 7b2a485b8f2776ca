//! Scheduling units: the fragments that schedules order, by mesh.
//!
//! Invariant: the units of a mesh come in an order that does not depend on that of the block: by piece, microbatch,
//! depth in the data, stage, and name.

use std::collections::BTreeMap;

use super::Builtin;
use super::error::FragmentError;
use super::graph::{Arcs, levels};
use super::problem::{Fragment, MeshId, NodeId, Origin, Program, Recompute, Split};

/// The part of a microbatch's work that a unit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// The forward pass: F.
    Forward,
    /// The backward pass, or the half of it that computes gradients of inputs: B.
    Backward,
    /// The half of a backward pass that computes gradients of weights: W.
    Weight,
}

impl Piece {
    fn of(fragment: &Fragment) -> Option<Piece> {
        match (fragment.transpose_count, fragment.split) {
            (Some(0), _) => Some(Piece::Forward),
            (Some(1), Some(Split::DropTransferred)) => Some(Piece::Weight),
            (Some(1), _) => Some(Piece::Backward),
            _ => None,
        }
    }

    /// The letter by which figures show it.
    pub fn letter(self) -> char {
        match self {
            Piece::Forward => 'F',
            Piece::Backward => 'B',
            Piece::Weight => 'W',
        }
    }

    fn name(self) -> &'static str {
        match self {
            Piece::Forward => "forward",
            Piece::Backward => "backward",
            Piece::Weight => "weight gradient",
        }
    }
}

/// A fragment that schedules order: a user's, with a call counter and one transpose count, 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The fragment.
    pub node: NodeId,
    /// Its part of the work.
    pub piece: Piece,
    /// Its microbatch.
    pub counter: u32,
    /// Its logical stage.
    pub stage: Option<u32>,
}

impl Unit {
    /// The unit of a fragment, if it is one.
    pub fn of(id: NodeId, fragment: &Fragment) -> Option<Unit> {
        let (piece, counter) = (Piece::of(fragment)?, fragment.call_counter?);
        fragment.is_user().then_some(Unit {
            node: id,
            piece,
            counter,
            stage: fragment.stage,
        })
    }
}

/// The units of a program by schedulable mesh.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    /// Meshes that schedules count, in the order of the topology: all whose name does not end in `/cpu`.
    pub(crate) meshes: Vec<MeshId>,
    /// Units by place of their mesh in `meshes`.
    pub(crate) of_mesh: Vec<Vec<Unit>>,
    /// One more than the largest counter.
    pub(crate) microbatches: u32,
}

impl Units {
    pub(crate) fn new(program: &Program, data: &Arcs) -> Units {
        let meshes: Vec<MeshId> = (0..program.meshes.len() as u32)
            .map(MeshId)
            .filter(|mesh| is_schedulable(program.mesh(*mesh)))
            .collect();
        let mut place = vec![None; program.meshes.len()];
        for (at, mesh) in meshes.iter().enumerate() {
            place[mesh.index()] = Some(at);
        }
        let mut of_mesh = vec![vec![]; meshes.len()];
        let mut microbatches = 0;
        for (id, fragment) in program.fragments() {
            if let (Some(unit), Some(at)) = (Unit::of(id, fragment), place[fragment.mesh.index()]) {
                of_mesh[at].push(unit);
                microbatches = microbatches.max(unit.counter + 1);
            }
        }
        let level = levels(data);
        for units in &mut of_mesh {
            let depth = |unit: &Unit| level[unit.node.index()];
            let name = |unit: &Unit| &program.node(unit.node).name;
            units.sort_by(|a, b| {
                let key = |unit: &Unit| (unit.piece, unit.counter, depth(unit), unit.stage);
                key(a).cmp(&key(b)).then_with(|| name(a).cmp(name(b)))
            });
        }
        Units {
            meshes,
            of_mesh,
            microbatches,
        }
    }

    /// All units.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Unit> {
        self.of_mesh.iter().flatten()
    }

    /// True if every fragment of the program is a unit.
    pub(crate) fn are_all(&self, program: &Program) -> bool {
        self.of_mesh.iter().map(Vec::len).sum::<usize>() == program.fragments().count()
    }

    /// Refuses programs in which a schedule by name makes no sense: without any unit, with counters only here and
    /// there, or with microbatches that some mesh does not have.
    pub(crate) fn check(&self, program: &Program, schedule: Builtin) -> Result<(), FragmentError> {
        if schedule == Builtin::None {
            return self.check_equal(program);
        }
        let users = || program.fragments().filter(|(_, fragment)| fragment.is_user());
        if self.all().next().is_none() {
            return Err(FragmentError::NoUnits {
                schedule: schedule.name(),
                parties: program.parties(users().map(|(id, _)| id)),
            });
        }
        self.check_counters(program)?;
        self.check_meshes(program)?;
        self.check_counts(program)
    }

    /// A mesh that has no part in any microbatch would count in the schedule, which goes by the number of meshes.
    fn check_meshes(&self, program: &Program) -> Result<(), FragmentError> {
        let mut used = vec![false; program.meshes.len()];
        let counted = |fragment: &&Fragment| fragment.is_user() && fragment.call_counter.is_some();
        for fragment in program.fragments().map(|(_, fragment)| fragment).filter(counted) {
            used[fragment.mesh.index()] = true;
        }
        let empty = self.meshes.iter().find(|mesh| !used[mesh.index()]);
        let (Some(empty), Some(example)) = (empty, self.all().next()) else {
            return Ok(());
        };
        Err(FragmentError::EmptyMesh {
            mesh: program.mesh(*empty).to_owned(),
            party: program.party(example.node),
        })
    }

    /// Refuses programs with units in which some mesh lacks a microbatch. Where fragments were merged or are computed
    /// again, units are not all that there is, and nothing is refused.
    pub(crate) fn check_equal(&self, program: &Program) -> Result<(), FragmentError> {
        let is_changed = |(id, fragment): (NodeId, &Fragment)| {
            let is_counted = fragment.is_user() && fragment.call_counter.is_some();
            is_counted && (Unit::of(id, fragment).is_none() || fragment.recompute != Recompute::Kept)
        };
        if program.fragments().any(is_changed) {
            return Ok(());
        }
        self.check_counts(program)
    }

    fn check_counters(&self, program: &Program) -> Result<(), FragmentError> {
        let without: Vec<(NodeId, &Fragment)> = program
            .fragments()
            .filter(|(_, fragment)| fragment.is_user() && fragment.call_counter.is_none())
            .collect();
        if without.is_empty() {
            return Ok(());
        }
        let mut counted: BTreeMap<(MeshId, Option<u32>, &[Origin]), NodeId> = BTreeMap::new();
        let key = |fragment| -> (MeshId, Option<u32>, &[Origin]) {
            let fragment: &Fragment = fragment;
            (fragment.mesh, fragment.transpose_count, &fragment.origins)
        };
        for unit in self.all() {
            if let Some(fragment) = program.node(unit.node).fragment() {
                counted.entry(key(fragment)).or_insert(unit.node);
            }
        }
        for (id, fragment) in without {
            if let Some(&other) = counted.get(&key(fragment)) {
                return Err(FragmentError::NoCounter {
                    party: program.party(id),
                    other: program.party(other),
                });
            }
        }
        Ok(())
    }

    /// Each stage of each mesh has each microbatch once in each piece that it has; a stage without any backward piece
    /// is an error if others have one.
    fn check_counts(&self, program: &Program) -> Result<(), FragmentError> {
        let mut all: Vec<u32> = self.all().map(|unit| unit.counter).collect();
        all.sort_unstable();
        all.dedup();
        let has_backward = self.all().any(|unit| unit.piece != Piece::Forward);
        for (at, units) in self.of_mesh.iter().enumerate() {
            let mut found: Vec<(Option<u32>, Piece, u32)> = units
                .iter()
                .map(|unit| (unit.stage, unit.piece, unit.counter))
                .collect();
            found.sort_unstable();
            found.dedup();
            for of_stage in found.chunk_by(|a, b| a.0 == b.0) {
                let stage = of_stage[0].0;
                for piece in [Piece::Forward, Piece::Backward, Piece::Weight] {
                    let own: Vec<u32> = of_stage.iter().filter(|of| of.1 == piece).map(|of| of.2).collect();
                    let may_be_none = match piece {
                        Piece::Forward => false,
                        Piece::Backward => !has_backward,
                        Piece::Weight => true,
                    };
                    if own == all || (own.is_empty() && may_be_none) {
                        continue;
                    }
                    let missing = all.iter().find(|counter| !own.contains(counter));
                    let example = self.all().find(|unit| Some(&unit.counter) == missing);
                    let Some(example) = example else { continue };
                    return Err(FragmentError::UnequalCounts {
                        mesh: program.mesh(self.meshes[at]).to_owned(),
                        stage,
                        kind: piece.name(),
                        found: own.len(),
                        of: all.len(),
                        party: program.party(example.node),
                    });
                }
            }
        }
        Ok(())
    }
}

/// True if schedules count the mesh.
pub(crate) fn is_schedulable(mesh: &str) -> bool {
    !mesh.ends_with("/cpu")
}
