//! A function as a synchronisation problem: all facts that `zpu-sync` needs, taken from the IR once.
//!
//! Operations that touch memory, an engine or a token become operations of the problem, with the control flow around
//! them; so does the arithmetic that they depend on. A block of operations that touch nothing is left out, and its
//! values count as made where that block's operation stands.

mod affine;
pub(crate) mod memory;
mod values;

use rustc_hash::{FxHashMap, FxHashSet};
use zpu_device::Device;
use zpu_ir::ops::{
    Barrier, Computation, Compute, ComputeStart, ComputeWait, Dma, DmaStart, DmaWait, IdWait, NullToken, engine_of,
    is_ours,
};
use zpu_ir::scf::For;
use zpu_ir::{Attribute, Block, Op, Place, Value, annotation, attr, ty};
use zpu_sync::problem::{self, BlockId, Effects, EngineId, OpId, Operation, Problem, ValueId};

use crate::access::{Access, accesses, ending_with};
use crate::calls;
use crate::command::sync_engine;
use crate::cost::cost;
use crate::ownership;
use crate::region::Root;

/// A problem, and the operations in MLIR that its operations stand for.
#[derive(Debug)]
pub struct Sources<'c> {
    /// The problem.
    pub problem: Problem,
    /// The operation in MLIR of each operation of the problem, by number.
    ops: Vec<Op<'c>>,
}

impl<'c> Sources<'c> {
    /// The operation in MLIR that an operation of the problem stands for.
    pub fn op(&self, id: OpId) -> Op<'c> {
        self.ops[id.at()]
    }

    /// The number of each operation that has one.
    pub fn ids(&self) -> FxHashMap<Op<'c>, OpId> {
        (0..).map(OpId).zip(&self.ops).map(|(id, op)| (*op, id)).collect()
    }
}

/// The detail of a problem: how much it says of the source of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// No costs, names or locations: enough for a proof.
    Bare,
    /// The costs of commands as well.
    Priced,
    /// All that reports need: also names and locations.
    Reported,
}

/// The problem of a function on a device.
pub fn problem_of<'c>(function: Op<'c>, device: &Device, detail: Detail) -> Sources<'c> {
    let mut builder = Builder::new(device, detail);
    let id = builder.op(function);
    let blocks: Vec<Block<'c>> = function
        .regions()
        .into_iter()
        .flat_map(|region| region.blocks())
        .collect();
    for block in blocks {
        builder.block(block, id);
    }
    builder.finish(function)
}

struct Builder<'c, 'd> {
    device: &'d Device,
    detail: Detail,
    engines: FxHashMap<&'d str, EngineId>,
    values: Vec<problem::Value>,
    operations: Vec<Operation>,
    blocks: Vec<problem::Block>,
    ops: Vec<Op<'c>>,
    /// Numbers of the values that have one; operations and blocks have theirs below.
    value_ids: FxHashMap<Value<'c>, ValueId>,
    op_ids: FxHashMap<Op<'c>, OpId>,
    block_ids: FxHashMap<Block<'c>, BlockId>,
    /// The value that stands for all values of one global, by the global's name.
    globals: FxHashMap<Attribute<'c>, ValueId>,
    /// Values of which nothing but the number is known so far.
    open: Vec<Value<'c>>,
    roots: Vec<Root<'c>>,
}

impl<'c, 'd> Builder<'c, 'd> {
    fn new(device: &'d Device, detail: Detail) -> Self {
        let engines = device.engines.iter().enumerate();
        Self {
            device,
            detail,
            engines: engines
                .map(|(at, engine)| (engine.name.as_str(), EngineId(at)))
                .collect(),
            values: Vec::new(),
            operations: Vec::new(),
            blocks: Vec::new(),
            ops: Vec::new(),
            value_ids: FxHashMap::default(),
            op_ids: FxHashMap::default(),
            block_ids: FxHashMap::default(),
            globals: FxHashMap::default(),
            open: Vec::new(),
            roots: Vec::new(),
        }
    }

    fn finish(mut self, function: Op<'c>) -> Sources<'c> {
        self.describe_values();
        let frees =
            self.operations.iter().any(|op| op.frees) || self.blocks.iter().any(|block| !block.ending.is_empty());
        // Where the origin of all memory is known, this is not needed.
        let asks = frees && self.roots.iter().any(|root| matches!(root, Root::Unknown(_)));
        let roots = std::mem::take(&mut self.roots);
        let handed_on = roots.iter().filter(|root| asks && memory::is_handed_on(**root));
        let owners = if asks {
            ownership::owners(function)
        } else {
            FxHashSet::default()
        };
        let owned = roots.iter().filter(|root| owners.contains(&root.value()));
        let on_stack = roots.iter().filter(|root| memory::is_on_stack(**root));
        let id = |root: &Root<'c>| self.value_ids[&root.value()];
        Sources {
            problem: Problem {
                name: function.function_name().to_owned(),
                is_private: function.is_private(),
                device: self.device.clone(),
                handed_on: handed_on.map(id).collect(),
                owned: owned.map(id).collect(),
                on_stack: on_stack.map(id).collect(),
                values: self.values,
                operations: self.operations,
                blocks: self.blocks,
            },
            ops: self.ops,
        }
    }

    /// The number of an operation. Its blocks are filled in by [`Self::block`].
    fn op(&mut self, op: Op<'c>) -> OpId {
        if let Some(id) = self.op_ids.get(&op) {
            return *id;
        }
        let block = self.block_around(op);
        let mut operation = Operation {
            name: op.name().to_owned(),
            block,
            ..Operation::default()
        };
        if self.detail != Detail::Bare && sync_engine(op).is_some() {
            operation.cycles = cost(op, self.device).ok().map(|cost| cost.total());
        }
        operation.stays_synchronous = op.has_attr(annotation::SYNCHRONOUS);
        if self.detail == Detail::Reported {
            operation.label = label(op);
            operation.location = Place::of(op.loc()).map_or_else(String::new, |place| {
                format!("{}:{}:{}", place.file, place.line, place.column)
            });
        }
        let id = self.push(operation, op);
        self.op_ids.insert(op, id);
        id
    }

    fn push(&mut self, operation: Operation, op: Op<'c>) -> OpId {
        let id = OpId(number(self.operations.len()));
        self.operations.push(operation);
        self.ops.push(op);
        id
    }

    fn operation(&mut self, id: OpId) -> &mut Operation {
        &mut self.operations[id.at()]
    }

    /// The innermost block with a number in which an operation is.
    fn block_around(&self, op: Op<'c>) -> Option<BlockId> {
        let mut inner = op;
        loop {
            let block = inner.block()?;
            if let Some(id) = self.block_ids.get(&block) {
                return Some(*id);
            }
            inner = inner.parent()?;
        }
    }

    /// Adds a block with all that is in it.
    fn block(&mut self, block: Block<'c>, op: OpId) {
        let id = BlockId(number(self.blocks.len()));
        self.block_ids.insert(block, id);
        self.operation(op).blocks.push(id);
        self.blocks.push(problem::Block {
            op,
            args: Vec::new(),
            ops: Vec::new(),
            terminator: None,
            ending: Vec::new(),
        });
        self.blocks[id.at()].args = block.args().into_iter().map(|arg| self.value(arg)).collect();
        for inner in block.ops() {
            if self.matters(inner) {
                let inner = self.item(inner);
                self.blocks[id.at()].ops.push(inner);
            }
        }
        let ending = ending_with(block);
        self.blocks[id.at()].ending = self.accesses(&ending);
        if let Some(terminator) = block.terminator() {
            let end = self.op(terminator);
            self.blocks[id.at()].terminator = Some(end);
            let operands = self.all(terminator.operands());
            self.operation(end).operands = operands;
        }
    }

    /// True if an operation touches memory, an engine or a token, or decides what else is done.
    fn matters(&self, op: Op<'c>) -> bool {
        match op.name() {
            "memref.alloc" | "memref.alloca" | "memref.alloca_scope.return" | "scf.yield" | "scf.condition" => false,
            // A token or the number of a barrier id.
            "arith.select" => ty::token_engine(op.result(0).ty()).is_some() || is_number(op.result(0)),
            "scf.for" | "scf.if" | "func.return" => true,
            _ if is_ours(op) => true,
            _ => !op.is_memory_effect_free() || holds_blocks(op),
        }
    }

    fn item(&mut self, op: Op<'c>) -> OpId {
        let id = self.op(op);
        let operands = self.all(op.operands());
        self.operation(id).operands = operands;
        let results = self.all(op.results());
        self.operation(id).results = results;
        match op.name() {
            DmaStart::NAME | ComputeStart::NAME | Dma::NAME | Compute::NAME => {
                let engine = engine_of(op).and_then(|name| self.engines.get(name).copied());
                self.operation(id).engines = engine.into_iter().collect();
                self.effects(op, id);
            }
            Barrier::NAME => {
                let named = Barrier::of(op).and_then(Barrier::engines);
                let engines: Vec<EngineId> = match named {
                    Some(names) => {
                        let names = names.into_iter().filter_map(attr::as_symbol);
                        names.filter_map(|name| self.engines.get(name).copied()).collect()
                    }
                    None => (0..self.device.engines.len()).map(EngineId).collect(),
                };
                self.operation(id).engines = engines;
            }
            DmaWait::NAME | ComputeWait::NAME | IdWait::NAME | NullToken::NAME | "arith.select" => {
                self.arithmetic(op, id);
            }
            "func.return" => {
                let passed = self.passed(op);
                self.operation(id).passed = passed;
            }
            "scf.for" | "scf.if" => self.body(op, id),
            _ if holds_blocks(op) => {
                self.body(op, id);
                self.effects(op, id);
            }
            _ => {
                self.operation(id).frees = memory::frees(op) || calls::may_free(op);
                self.effects(op, id);
                self.arithmetic(op, id);
            }
        }
        id
    }

    /// Sets the effects of an operation: its accesses; where these are not known, the memory that it is given.
    fn effects(&mut self, op: Op<'c>, id: OpId) {
        let effects = match accesses(op) {
            Some(list) if list.is_empty() => Effects::None,
            Some(list) => Effects::Known(self.accesses(&list)),
            None => {
                let passed = self.passed(op);
                self.operation(id).passed = passed;
                Effects::Unknown
            }
        };
        self.operation(id).effects = effects;
    }

    fn body(&mut self, op: Op<'c>, id: OpId) {
        if let Some(for_) = For::of(op) {
            self.operation(id).is_unsigned = for_.is_unsigned();
            self.bounds_of_loop(op, id);
        }
        let blocks: Vec<Block<'c>> = op.regions().into_iter().flat_map(|region| region.blocks()).collect();
        for block in blocks {
            self.block(block, id);
        }
    }

    fn accesses(&mut self, list: &[Access<'c>]) -> Vec<zpu_sync::index::Access<problem::Ids>> {
        list.iter().map(|access| self.access(access)).collect()
    }

    fn access(&mut self, access: &Access<'c>) -> zpu_sync::index::Access<problem::Ids> {
        let region = &access.region;
        self.root(region.root);
        self.value(region.base);
        access.whole_of.iter().for_each(|value| {
            self.value(*value);
        });
        for extent in region.extents.iter().flatten().chain(&region.bytes) {
            self.symbols(&extent.offset);
            extent.span.iter().for_each(|span| self.symbols_of(span));
        }
        access.renamed::<problem::Ids>(&(&|value| self.value_ids[&value], &|op| self.op_ids[&op]))
    }

    fn root(&mut self, root: Root<'c>) -> zpu_sync::index::Root<problem::Ids> {
        self.value(root.value());
        if !self.roots.contains(&root) {
            self.roots.push(root);
        }
        root.renamed(&|value| self.value_ids[&value])
    }

    /// The memory that an operation is given.
    fn passed(&mut self, op: Op<'c>) -> Vec<zpu_sync::index::Root<problem::Ids>> {
        let memrefs = op.operands().into_iter().filter(|value| ty::is_memref(value.ty()));
        let roots: Vec<Root<'c>> = memrefs.map(|value| crate::region::region_of(value).root).collect();
        roots.into_iter().map(|root| self.root(root)).collect()
    }
}

/// True if an operation is control flow around something that matters.
fn holds_blocks(op: Op<'_>) -> bool {
    let is_item = |inner: &Op<'_>| is_ours(*inner) || !inner.is_memory_effect_free();
    !op.regions().is_empty()
        && !op.name().starts_with("linalg.")
        && !is_ours(op)
        && op.walk().iter().skip(1).any(is_item)
}

fn is_number(value: Value<'_>) -> bool {
    use zpu_device::ElementType::{Index, Int};
    matches!(ty::scalar(value.ty()), Some(Index | Int(_)))
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// An operation in words, in the wording of zpu-sim.
fn label(op: Op<'_>) -> String {
    let Some(computation) = Computation::of(op) else {
        return String::new();
    };
    let payload: Vec<&str> = computation
        .body
        .ops()
        .map(Op::name)
        .filter(|name| name.starts_with("linalg."))
        .collect();
    payload.join(" + ")
}
