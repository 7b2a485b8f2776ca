//! A function as a timeline: its operations that touch memory, an engine or a token, in program order, with the loops
//! and branches around them.

use zpu_device::Device;
use zpu_ir::ops::{Barrier, ComputeWait, DmaWait, Start, engine_of, is_ours, sync_engine};
use zpu_ir::scf::For;
use zpu_ir::{Block, Op, Value, attr, ty};

/// A step of the timeline, by its number in program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub usize);

/// The part of a step that engines and waits see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind<'c> {
    /// The control stream's own work, complete when the next step begins.
    Control,
    /// A command that is complete when the next step begins.
    Synchronous(usize),
    /// A command that is complete when its token has been waited for.
    Start(usize, Value<'c>),
    /// A wait for the command of a token.
    Wait(Value<'c>),
    /// A fence of engines.
    Fence(Vec<usize>),
    /// Work that may issue commands of any engine and leave them incomplete.
    Opaque,
}

#[derive(Clone, Debug)]
pub(super) struct Step<'c> {
    pub(super) op: Op<'c>,
    pub(super) kind: Kind<'c>,
    /// Loops around it, outermost first.
    pub(super) loops: Vec<Op<'c>>,
}

#[derive(Clone, Debug)]
pub(super) enum Node<'c> {
    Step(StepId),
    /// An allocation: the contents are those of nobody.
    Allocation(Op<'c>),
    /// A choice between tokens.
    Select(Op<'c>),
    Loop(Loop<'c>),
    /// The sides of a condition, or the cases of a switch; a side that is not written is empty.
    Branch(Op<'c>, Vec<Vec<Node<'c>>>),
    Repeat(Repeat<'c>),
}

/// An operation whose regions may run in any order and any number of times, such as a loop without a counter.
#[derive(Clone, Debug)]
pub(super) struct Repeat<'c> {
    /// A number of its own among the loops.
    pub(super) number: usize,
    pub(super) regions: Vec<Vec<Node<'c>>>,
}

#[derive(Clone, Debug)]
pub(super) struct Loop<'c> {
    pub(super) for_: For<'c>,
    /// A number of its own among the loops and repeated regions.
    pub(super) number: usize,
    /// Number of iterations, if that is constant.
    pub(super) trips: Option<i64>,
    pub(super) body: Vec<Node<'c>>,
    /// Loops around it, outermost first.
    pub(super) loops: Vec<Op<'c>>,
    /// First step in it, and the one after the last.
    pub(super) steps: (StepId, StepId),
}

impl Loop<'_> {
    /// True if there may be no iteration.
    pub(super) fn may_be_skipped(&self) -> bool {
        self.trips.is_none_or(|trips| trips == 0)
    }
}

/// The timeline of a function of one block; of any other it is all operations in the order in which they are written.
#[derive(Debug)]
pub(super) struct Timeline<'c> {
    pub(super) steps: Vec<Step<'c>>,
    pub(super) nodes: Vec<Node<'c>>,
    pub(super) loops: usize,
    /// For each engine, by number, whether issuing to it holds the control stream.
    pub(super) blocking: Vec<bool>,
}

impl<'c> Timeline<'c> {
    pub(super) fn of(function: Op<'c>, device: &Device) -> Self {
        let mut builder = Builder {
            device,
            steps: Vec::new(),
            loops: 0,
            around: Vec::new(),
        };
        let blocks = function.regions().into_iter().flat_map(|region| region.blocks());
        let nodes = blocks.flat_map(|block| builder.block(block)).collect();
        Self {
            steps: builder.steps,
            nodes,
            loops: builder.loops,
            blocking: device.engines.iter().map(|engine| engine.blocking).collect(),
        }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = StepId> + use<> {
        (0..self.steps.len()).map(StepId)
    }

    pub(super) fn op(&self, step: StepId) -> Op<'c> {
        self.steps[step.0].op
    }

    /// Loops around a step, outermost first.
    pub(super) fn loops(&self, step: StepId) -> &[Op<'c>] {
        &self.steps[step.0].loops
    }

    /// All loops, each after those around it.
    pub(super) fn all_loops(&self) -> Vec<&Loop<'c>> {
        fn collect<'t, 'c>(nodes: &'t [Node<'c>], into: &mut Vec<&'t Loop<'c>>) {
            for node in nodes {
                match node {
                    Node::Loop(loop_) => {
                        into.push(loop_);
                        collect(&loop_.body, into);
                    }
                    Node::Branch(_, regions) | Node::Repeat(Repeat { regions, .. }) => {
                        regions.iter().for_each(|nodes| collect(nodes, into));
                    }
                    Node::Step(_) | Node::Allocation(_) | Node::Select(_) => {}
                }
            }
        }
        let mut all = Vec::new();
        collect(&self.nodes, &mut all);
        all
    }
}

struct Builder<'c, 'd> {
    device: &'d Device,
    steps: Vec<Step<'c>>,
    loops: usize,
    around: Vec<Op<'c>>,
}

impl<'c> Builder<'c, '_> {
    fn block(&mut self, block: Block<'c>) -> Vec<Node<'c>> {
        block.ops().flat_map(|op| self.op(op)).collect()
    }

    fn op(&mut self, op: Op<'c>) -> Vec<Node<'c>> {
        match op.name() {
            "memref.alloc" | "memref.alloca" => return vec![Node::Allocation(op)],
            "memref.dealloc" | "scf.yield" | "func.return" | "memref.alloca_scope.return" => return Vec::new(),
            "arith.select" if ty::token_engine(op.result(0).ty()).is_some() => return vec![Node::Select(op)],
            _ if is_ours(op) => return self.step(op, self.kind(op)),
            _ => {}
        }
        if op.is_memory_effect_free() {
            return Vec::new();
        }
        if let Some(for_) = For::of(op) {
            return vec![Node::Loop(self.loop_(for_))];
        }
        match op.name() {
            "scf.if" | "scf.index_switch" => vec![Node::Branch(op, self.regions(op))],
            "scf.while" | "scf.parallel" | "scf.forall" => {
                let number = self.loops;
                self.loops += 1;
                let regions = self.regions(op);
                vec![Node::Repeat(Repeat { number, regions })]
            }
            "scf.execute_region" | "memref.alloca_scope" => match op.only_block() {
                Some(block) => self.block(block),
                None => self.step(op, Kind::Opaque),
            },
            _ if op.regions().is_empty() && !op.name().ends_with(".call") || op.name().starts_with("linalg.") => {
                self.step(op, Kind::Control)
            }
            _ => self.step(op, Kind::Opaque),
        }
    }

    /// The nodes of each region of an operation whose regions have one block or none.
    fn regions(&mut self, op: Op<'c>) -> Vec<Vec<Node<'c>>> {
        let blocks = op.regions().into_iter().map(|region| region.first_block());
        blocks
            .map(|block| block.map_or_else(Vec::new, |block| self.block(block)))
            .collect()
    }

    fn step(&mut self, op: Op<'c>, kind: Kind<'c>) -> Vec<Node<'c>> {
        let id = StepId(self.steps.len());
        self.steps.push(Step {
            op,
            kind,
            loops: self.around.clone(),
        });
        vec![Node::Step(id)]
    }

    fn loop_(&mut self, for_: For<'c>) -> Loop<'c> {
        let number = self.loops;
        self.loops += 1;
        let loops = self.around.clone();
        let first = StepId(self.steps.len());
        self.around.push(for_.op);
        let body = self.block(for_.body);
        self.around.pop();
        Loop {
            for_,
            number,
            trips: for_.constant_trip_count(),
            body,
            loops,
            steps: (first, StepId(self.steps.len())),
        }
    }

    fn kind(&self, op: Op<'c>) -> Kind<'c> {
        let number = |name: &str| self.device.engines.iter().position(|engine| engine.name == name);
        let engine = engine_of(op).and_then(number);
        if let Some(barrier) = Barrier::of(op) {
            let engines = match barrier.engines() {
                Some(names) => names
                    .into_iter()
                    .filter_map(attr::as_symbol)
                    .filter_map(number)
                    .collect(),
                None => (0..self.device.engines.len()).collect(),
            };
            return Kind::Fence(engines);
        }
        let token = DmaWait::of(op)
            .map(DmaWait::token)
            .or_else(|| ComputeWait::of(op).map(ComputeWait::token));
        if let Some(token) = token {
            return Kind::Wait(token);
        }
        match (engine, Start::of(op), sync_engine(op)) {
            (Some(engine), Some(start), _) => Kind::Start(engine, start.token),
            (Some(engine), None, Some(_)) => Kind::Synchronous(engine),
            // An engine that the device does not have.
            (None, Some(_), _) | (None, _, Some(_)) => Kind::Opaque,
            // A wait for a barrier id, whose command is not followed, or an operation without a command.
            _ => Kind::Fence(Vec::new()),
        }
    }
}
