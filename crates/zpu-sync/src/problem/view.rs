//! Walks through a problem: values, operations and blocks that know where they are.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::{BlockId, Effects, EngineId, Memref, OpId, Operation, Problem, Type, ValueId};
use crate::index::{self, Access, Facts, Index, Linear, Names, Range, Root, Symbol, Window};
use crate::predicate::CmpIPredicate;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $id:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'p> {
            problem: &'p Problem,
            /// Its number.
            pub id: $id,
        }

        impl PartialEq for $name<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.id == other.id
            }
        }

        impl Eq for $name<'_> {}

        impl Hash for $name<'_> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.id.hash(state);
            }
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.id.fmt(f)
            }
        }
    };
}

handle!(
    /// A value.
    Value,
    ValueId
);
handle!(
    /// An operation.
    Op,
    OpId
);
handle!(
    /// A block.
    Block,
    BlockId
);

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def<'p> {
    /// A result of an operation.
    Result(Op<'p>, usize),
    /// An argument of a block.
    Argument(Block<'p>, usize),
}

impl Problem {
    /// The function.
    pub fn function(&self) -> Op<'_> {
        self.op(OpId::FUNCTION)
    }

    /// An operation.
    pub fn op(&self, id: OpId) -> Op<'_> {
        Op { problem: self, id }
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> Value<'_> {
        Value { problem: self, id }
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> Block<'_> {
        Block { problem: self, id }
    }

    /// An engine of the device.
    pub fn engine(&self, id: EngineId) -> &zpu_device::Engine {
        &self.device.engines[id.at()]
    }

    /// The engines of the device, in its order.
    pub fn engine_ids(&self) -> impl DoubleEndedIterator<Item = EngineId> + use<> {
        (0..self.device.engines.len()).map(EngineId)
    }

    /// An access in names that know where they are.
    pub fn access(&self, access: &Access<super::Ids>) -> Access<Table<'_>> {
        access.renamed(&(&|id| self.value(id), &|id| self.op(id)))
    }

    fn root(&self, root: Root<super::Ids>) -> Root<Table<'_>> {
        root.renamed(&|id| self.value(id))
    }

    /// By value: the operations that take it, each with the position of the operand.
    pub fn uses(&self) -> Vec<Vec<(OpId, usize)>> {
        let mut uses = vec![Vec::new(); self.values.len()];
        for (op, operation) in (0..).zip(&self.operations) {
            for (position, operand) in operation.operands.iter().enumerate() {
                uses[operand.at()].push((OpId(op), position));
            }
        }
        uses
    }
}

impl<'p> Value<'p> {
    fn record(self) -> &'p super::Value {
        &self.problem.values[self.id.at()]
    }

    /// Its type.
    pub fn ty(self) -> &'p Type {
        &self.record().ty
    }

    /// True if it is a token.
    pub fn is_token(self) -> bool {
        matches!(self.ty(), Type::Token(_))
    }

    /// The engine of a token.
    pub fn engine(self) -> Option<EngineId> {
        match self.ty() {
            Type::Token(engine) => *engine,
            _ => None,
        }
    }

    /// True if it is of type `index`.
    pub fn is_index(self) -> bool {
        matches!(self.ty(), Type::Index)
    }

    /// Bits of an integer or an index.
    pub fn bits(self) -> Option<u32> {
        match self.ty() {
            Type::Index => Some(64),
            Type::Integer(bits) => Some(u32::from(*bits)),
            _ => None,
        }
    }

    /// Its type, if it is a buffer.
    pub fn memref(self) -> Option<&'p Memref> {
        match self.ty() {
            Type::Memref(memref) => Some(memref),
            _ => None,
        }
    }

    /// Its origin.
    pub fn def(self) -> Def<'p> {
        match self.record().def {
            super::Def::Result(op, position) => Def::Result(self.problem.op(op), position),
            super::Def::Argument(block, position) => Def::Argument(self.problem.block(block), position),
        }
    }

    /// The operation that it is a result of.
    pub fn defining_op(self) -> Option<Op<'p>> {
        match self.def() {
            Def::Result(op, _) => Some(op),
            Def::Argument(..) => None,
        }
    }

    /// The number of a constant.
    pub fn as_constant_int(self) -> Option<i64> {
        self.defining_op()?.record().constant
    }

    /// True if it is made in the body of an operation.
    pub fn is_defined_inside(self, op: Op<'p>) -> bool {
        match self.def() {
            Def::Result(def, _) => def != op && op.contains(def),
            Def::Argument(block, _) => op.contains(block.op()),
        }
    }

    /// Its linear form: the value itself if there is no other.
    pub fn index(self) -> Index<Table<'p>> {
        let problem = self.problem;
        match &self.record().index {
            Some(index) => index.renamed(&(&|id| problem.value(id), &|id| problem.op(id))),
            None => Index::Linear(Linear::symbol(Symbol::Value(self, 0))),
        }
    }
}

impl<'p> Op<'p> {
    fn record(self) -> &'p Operation {
        &self.problem.operations[self.id.at()]
    }

    /// The name in MLIR.
    pub fn name(self) -> &'p str {
        &self.record().name
    }

    /// True if it has that name.
    pub fn is(self, name: &str) -> bool {
        self.name() == name
    }

    /// True if it starts an asynchronous command.
    pub fn is_start(self) -> bool {
        matches!(self.name(), "zpu.dma_start" | "zpu.compute_start")
    }

    /// True if it is a synchronous command.
    pub fn is_command(self) -> bool {
        matches!(self.name(), "zpu.dma" | "zpu.compute")
    }

    /// True if it belongs to the asynchronous form.
    pub fn is_asynchronous(self) -> bool {
        matches!(
            self.name(),
            "zpu.dma_start" | "zpu.dma_wait" | "zpu.compute_start" | "zpu.compute_wait" | "zpu.barrier" | "zpu.id_wait"
        )
    }

    /// True if it is a command that its author wants to stay synchronous.
    pub fn stays_synchronous(self) -> bool {
        self.record().stays_synchronous
    }

    /// Cycles of a command on its engine, where they are known.
    pub fn cycles(self) -> Option<u64> {
        self.record().cycles
    }

    /// Itself and all operations in its blocks, in order.
    pub fn walk(self) -> Vec<Self> {
        let (mut found, mut open) = (Vec::new(), vec![self]);
        while let Some(op) = open.pop() {
            found.push(op);
            let inside: Vec<Self> = op.blocks().into_iter().flat_map(Block::ops).collect();
            open.extend(inside.into_iter().rev());
        }
        found
    }

    /// True if it is a synchronous command, or holds one.
    pub fn holds_commands(self) -> bool {
        self.walk().into_iter().any(Self::is_command)
    }

    /// True if neither it nor what it holds touches memory or an engine.
    pub fn touches_nothing(self) -> bool {
        let is_idle = |op: Self| {
            matches!(op.record().effects, Effects::None)
                && !op.is_asynchronous()
                && !op.is_command()
                && op.blocks().into_iter().all(|block| block.record().ending.is_empty())
        };
        self.walk().into_iter().all(is_idle)
    }

    /// True if it is a loop.
    pub fn is_loop(self) -> bool {
        matches!(
            self.name(),
            "scf.for" | "scf.while" | "scf.parallel" | "scf.forall" | "affine.for" | "affine.parallel"
        )
    }

    /// Its operands.
    pub fn operands(self) -> Vec<Value<'p>> {
        self.record()
            .operands
            .iter()
            .map(|id| self.problem.value(*id))
            .collect()
    }

    /// The number of operands.
    pub fn num_operands(self) -> usize {
        self.record().operands.len()
    }

    /// One of the operands.
    pub fn operand(self, position: usize) -> Value<'p> {
        self.problem.value(self.record().operands[position])
    }

    /// Its results.
    pub fn results(self) -> Vec<Value<'p>> {
        self.record().results.iter().map(|id| self.problem.value(*id)).collect()
    }

    /// The number of results.
    pub fn num_results(self) -> usize {
        self.record().results.len()
    }

    /// One of the results.
    pub fn result(self, position: usize) -> Value<'p> {
        self.problem.value(self.record().results[position])
    }

    /// Its blocks.
    pub fn blocks(self) -> Vec<Block<'p>> {
        self.record().blocks.iter().map(|id| self.problem.block(*id)).collect()
    }

    /// Its block, if it has one.
    pub fn only_block(self) -> Option<Block<'p>> {
        match self.record().blocks.as_slice() {
            [block] => Some(self.problem.block(*block)),
            _ => None,
        }
    }

    /// The block in which it stands.
    pub fn block(self) -> Option<Block<'p>> {
        self.record().block.map(|id| self.problem.block(id))
    }

    /// The operation around it.
    pub fn parent(self) -> Option<Self> {
        self.block().map(Block::op)
    }

    /// True if it is another operation or is around it.
    pub fn contains(self, other: Self) -> bool {
        std::iter::successors(Some(other), |op| op.parent()).any(|op| op == self)
    }

    /// The predicate of a comparison of integers.
    pub fn cmpi_predicate(self) -> Option<CmpIPredicate> {
        let number = self.record().predicate.filter(|_| self.is("arith.cmpi"))?;
        CmpIPredicate::ALL.get(usize::from(number)).copied()
    }

    /// The number of a comparison's predicate.
    pub fn predicate(self) -> Option<u8> {
        self.record().predicate
    }

    /// Its attributes in words.
    pub fn attributes(self) -> &'p str {
        &self.record().attributes
    }

    /// The engines that it is for.
    pub fn engines(self) -> &'p [EngineId] {
        &self.record().engines
    }

    /// True if it is for all engines of the device.
    pub fn is_fence_of_all(self) -> bool {
        self.engines().len() == self.problem.device.engines.len()
    }

    /// Its accesses; `None` is anything.
    pub fn accesses(self) -> Option<Vec<Access<Table<'p>>>> {
        match &self.record().effects {
            Effects::None => Some(Vec::new()),
            Effects::Known(list) => Some(list.iter().map(|access| self.problem.access(access)).collect()),
            Effects::Unknown => None,
        }
    }

    /// Memory that it is given, where what it does with it is not known; of a return, what it gives back.
    pub fn passed(self) -> Vec<Root<Table<'p>>> {
        self.record()
            .passed
            .iter()
            .map(|root| self.problem.root(*root))
            .collect()
    }

    /// True if it frees the memory that it writes, or may free what it is given.
    pub fn frees(self) -> bool {
        self.record().frees
    }

    /// As reports name it.
    pub fn label(self) -> &'p str {
        let record = self.record();
        if record.label.is_empty() {
            record.name.trim_end_matches("_start")
        } else {
            &record.label
        }
    }

    /// `file:line:column`; `it` if that is not known.
    pub fn location(self) -> &'p str {
        let location = &self.record().location;
        if location.is_empty() { "it" } else { location }
    }
}

impl<'p> Block<'p> {
    fn record(self) -> &'p super::Block {
        &self.problem.blocks[self.id.at()]
    }

    /// The operation that it is in.
    pub fn op(self) -> Op<'p> {
        self.problem.op(self.record().op)
    }

    /// Its arguments.
    pub fn args(self) -> Vec<Value<'p>> {
        self.record().args.iter().map(|id| self.problem.value(*id)).collect()
    }

    /// Its operations that matter, in order.
    pub fn ops(self) -> impl Iterator<Item = Op<'p>> {
        self.record().ops.iter().map(move |id| self.problem.op(*id))
    }

    /// The operation that ends it.
    pub fn terminator(self) -> Option<Op<'p>> {
        self.record().terminator.map(|id| self.problem.op(id))
    }

    /// Values that its terminator hands on.
    pub fn yields(self) -> Vec<Value<'p>> {
        self.terminator().map(Op::operands).unwrap_or_default()
    }

    /// The automatic allocations that end with it, each as a write of all of it.
    pub fn ending(self) -> Vec<Access<Table<'p>>> {
        self.record()
            .ending
            .iter()
            .map(|access| self.problem.access(access))
            .collect()
    }
}

/// A counted loop (`scf.for`), taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct For<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// Its body.
    pub body: Block<'p>,
}

impl<'p> For<'p> {
    /// The loop, if the operation is one.
    pub fn of(op: Op<'p>) -> Option<Self> {
        let body = op.only_block().filter(|_| op.is("scf.for"))?;
        Some(Self { op, body })
    }

    /// Lower bound.
    pub fn lower(self) -> Value<'p> {
        self.op.operand(0)
    }

    /// Upper bound, exclusive.
    pub fn upper(self) -> Value<'p> {
        self.op.operand(1)
    }

    /// Step, above 0.
    pub fn step(self) -> Value<'p> {
        self.op.operand(2)
    }

    /// Induction variable.
    pub fn iv(self) -> Value<'p> {
        self.body.args()[0]
    }

    /// First values of what it carries.
    pub fn inits(self) -> Vec<Value<'p>> {
        self.op.operands().split_off(3)
    }

    /// The carried values, as the body sees them.
    pub fn iter_args(self) -> Vec<Value<'p>> {
        self.body.args().split_off(1)
    }

    /// Values that the body hands to the next iteration.
    pub fn yields(self) -> Vec<Value<'p>> {
        self.body.yields()
    }

    /// True if bounds compare as unsigned numbers.
    pub fn is_unsigned(self) -> bool {
        self.op.record().is_unsigned
    }

    /// The number of iterations, if bounds and step are constant.
    pub fn constant_trip_count(self) -> Option<i64> {
        let (lower, upper, step) = (
            self.lower().as_constant_int()?,
            self.upper().as_constant_int()?,
            self.step().as_constant_int()?,
        );
        if step <= 0 || self.is_unsigned() && (lower < 0 || upper < 0) {
            return None;
        }
        let span = (i128::from(upper) - i128::from(lower)).max(0);
        i64::try_from((span + i128::from(step) - 1) / i128::from(step)).ok()
    }
}

/// The values and operations of a problem as the names of the index algebra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table<'p>(PhantomData<&'p Problem>);

impl<'p> Names for Table<'p> {
    type Value = Value<'p>;
    type Scope = Op<'p>;
}

impl<'p> Facts for Table<'p> {
    fn is_defined_inside(value: Value<'p>, scope: Op<'p>) -> bool {
        value.is_defined_inside(scope)
    }

    fn contains(scope: Op<'p>, inner: Op<'p>) -> bool {
        scope.contains(inner)
    }

    fn range(symbol: Symbol<Self>) -> Range {
        match symbol {
            Symbol::Value(value, _) => value.record().bounds.into(),
            Symbol::Iteration(op) => op.record().iterations.into(),
            Symbol::Travel(op) => op.record().travel.into(),
        }
    }

    fn step(scope: Op<'p>) -> Option<index::Index<Self>> {
        For::of(scope).map(|for_| for_.step().index())
    }

    fn constant_trip_count(scope: Op<'p>) -> Option<i64> {
        For::of(scope)?.constant_trip_count()
    }

    fn shape(memref: Value<'p>) -> Vec<Option<i64>> {
        memref.memref().map(|memref| memref.shape.clone()).unwrap_or_default()
    }

    fn is_remade(base: Value<'p>, scope: Op<'p>) -> bool {
        let is_fixed = |view: Op<'p>| {
            view.name().starts_with("memref.")
                && !matches!(view.name(), "memref.alloc" | "memref.alloca")
                && matches!(view.record().effects, Effects::None)
                && view.operands().iter().all(|operand| !operand.is_defined_inside(scope))
        };
        base.is_defined_inside(scope) && !base.defining_op().is_some_and(is_fixed)
    }

    fn is_all_of(base: Value<'p>, root: Value<'p>) -> bool {
        base == root
    }

    fn window(allocation: Value<'p>) -> Option<Window> {
        allocation.record().window
    }

    fn are_in_different_spaces(left: Value<'p>, right: Value<'p>) -> bool {
        let space = |value: Value<'p>| value.memref().and_then(|memref| memref.space.as_ref());
        space(left).zip(space(right)).is_some_and(|(left, right)| left != right)
    }
}
