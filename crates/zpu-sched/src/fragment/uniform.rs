//! Programs of the form that closed forms are about: the same stages for every microbatch.

use super::problem::{Fragment, MeshId, NodeId, NodeKind, Program, Split};

/// The mesh of each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Stage k on mesh k mod p.
    Loop,
    /// Two stages a mesh, down and up again.
    V,
}

/// A pipeline of equal microbatches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Number of meshes.
    pub meshes: u32,
    /// Number of microbatches.
    pub microbatches: u32,
    /// Stages of each mesh.
    pub chunks: u32,
    /// The mesh of each stage.
    pub placement: Placement,
    /// Cycles of a forward fragment, of the gradients of inputs, and of those of weights; by stage, or one entry for
    /// all.
    pub cycles: Vec<[u64; 3]>,
    /// True if the gradients of weights are fragments of their own.
    pub split: bool,
    /// Cycles that a result takes to another mesh.
    pub latency: u64,
    /// Cycles for which a transfer occupies its link; `None` is no transfers, only dependences between meshes.
    pub transfers: Option<u64>,
    /// True for a forward pass alone.
    pub forward_only: bool,
}

impl Pipeline {
    /// A stage on each mesh, backward fragments not split and twice as long as forward ones of 1 cycle.
    pub fn new(meshes: u32, microbatches: u32) -> Pipeline {
        Pipeline {
            meshes,
            microbatches,
            chunks: 1,
            placement: Placement::Loop,
            cycles: vec![[1, 1, 1]],
            split: false,
            latency: 0,
            transfers: None,
            forward_only: false,
        }
    }

    /// The same with gradients of inputs and weights apart.
    pub fn split(mut self) -> Pipeline {
        self.split = true;
        self
    }

    /// The same with several stages on each mesh.
    pub fn chunked(mut self, chunks: u32, placement: Placement) -> Pipeline {
        self.chunks = chunks;
        self.placement = placement;
        self
    }

    /// The same with these cycles of forward fragment, gradients of inputs, and gradients of weights.
    pub fn timed(mut self, forward: u64, backward: u64, weight: u64) -> Pipeline {
        self.cycles = vec![[forward, backward, weight]];
        self
    }

    /// The same with a latency between meshes.
    pub fn latency(mut self, latency: u64) -> Pipeline {
        self.latency = latency;
        self
    }

    /// The mesh of a stage.
    pub fn mesh(&self, stage: u32) -> MeshId {
        let place = stage % self.meshes;
        match self.placement {
            Placement::V if stage >= self.meshes => MeshId(self.meshes - 1 - place),
            _ => MeshId(place),
        }
    }

    /// The program: microbatch by microbatch, in the order of stages.
    pub fn program(&self) -> Program {
        let mut program = Program {
            transfer_latency: self.latency,
            ..Program::default()
        };
        for mesh in 0..self.meshes {
            program.add_mesh(format!("m{mesh}"));
        }
        let stages = self.meshes * self.chunks;
        for microbatch in 0..self.microbatches {
            let mut forwards = Vec::new();
            let mut before = None;
            for stage in 0..stages {
                let deps = self.arrived(&mut program, before, stage, 'F', microbatch);
                let id = self.add(&mut program, stage, microbatch, 0, None, deps);
                forwards.push(id);
                before = Some((stage, id));
            }
            let stages = if self.forward_only { 0 } else { stages };
            before = None;
            for stage in (0..stages).rev() {
                let mut deps = self.arrived(&mut program, before, stage, 'B', microbatch);
                deps.push(forwards[stage as usize]);
                let half = self.split.then_some(Split::KeepTransferred);
                let id = self.add(&mut program, stage, microbatch, 1, half, deps);
                if self.split {
                    let half = Some(Split::DropTransferred);
                    self.add(&mut program, stage, microbatch, 1, half, vec![id]);
                }
                before = Some((stage, id));
            }
        }
        program
    }

    /// The result of another stage on the mesh of this one.
    fn arrived(
        &self,
        program: &mut Program,
        before: Option<(u32, NodeId)>,
        stage: u32,
        letter: char,
        microbatch: u32,
    ) -> Vec<NodeId> {
        let Some((other, result)) = before else { return vec![] };
        let (from, to) = (self.mesh(other), self.mesh(stage));
        match self.transfers {
            Some(cycles) if from != to => {
                let name = format!("t{letter}{other}.{microbatch}");
                vec![program.add(name, NodeKind::Transfer { from, to }, vec![result], cycles)]
            }
            _ => vec![result],
        }
    }

    fn add(
        &self,
        program: &mut Program,
        stage: u32,
        microbatch: u32,
        transpose_count: u32,
        split: Option<Split>,
        deps: Vec<NodeId>,
    ) -> NodeId {
        let mut fragment = Fragment::new(self.mesh(stage), "f", transpose_count, microbatch);
        fragment.stage = Some(stage);
        fragment.split = split;
        let [forward, backward, weight] = self.cycles[stage as usize % self.cycles.len()];
        let (letter, cycles) = match (transpose_count, split) {
            (0, _) => ('F', forward),
            (_, None) => ('B', backward + weight),
            (_, Some(Split::KeepTransferred)) => ('B', backward),
            (_, Some(Split::DropTransferred)) => ('W', weight),
        };
        let name = format!("{letter}{stage}.{microbatch}");
        program.add(name, NodeKind::Fragment(fragment), deps, cycles)
    }
}
