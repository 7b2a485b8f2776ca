//! Checks that a text describes a function: every number names something, blocks and operations are a tree, and control
//! flow has the operands, blocks and results that it needs.
//!
//! A problem that passes is walked without further questions.

use rustc_hash::FxHashSet;
use thiserror::Error;

use super::{Block, BlockId, Def, Effects, EngineId, Ids, OpId, Operation, Problem, Type, ValueId};
use crate::index::{Access, Extent, Index, Linear, Root, Symbol};

/// A part that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Something of the device.
    #[error("`device`: {0}")]
    Device(String),
    /// A number that names nothing.
    #[error("{place}: there is no {kind} {number}, there are {count}")]
    Missing {
        /// The part in which it stands.
        place: String,
        /// The kind of thing that it should name.
        kind: &'static str,
        /// The number.
        number: u64,
        /// The number of such things.
        count: usize,
    },
    /// Something else about a part.
    #[error("{place}: {message}")]
    Part {
        /// The part.
        place: String,
        /// The fault.
        message: String,
    },
}

/// Looks for faults; the first one found.
pub(super) fn check(problem: &Problem) -> Result<(), Fault> {
    if let Err(problems) = problem.device.check() {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        return Err(Fault::Device(texts.join("; ")));
    }
    let checker = Checker { problem };
    for (at, value) in problem.values.iter().enumerate() {
        let place = format!("value {at}");
        match value.def {
            Def::Result(op, position) => {
                checker.op(&place, op)?;
                // Only tokens: the result of an affine operation has two numbers. A token of a block that is left
                // out counts as a result of the operation around it.
                let Operation { results, blocks, .. } = &problem.operations[op.at()];
                let is_left_out = blocks.is_empty() && position >= results.len();
                let is_result = results.get(position).map(|id| id.at()) == Some(at);
                if matches!(value.ty, Type::Token(_)) && !is_result && !is_left_out {
                    return Err(part(&place, format!("is not result {position} of operation {}", op.0)));
                }
            }
            Def::Argument(block, position) => {
                checker.block(&place, block)?;
                let args = &problem.blocks[block.at()].args;
                if args.get(position).map(|id| id.at()) != Some(at) {
                    return Err(part(&place, format!("is not argument {position} of block {}", block.0)));
                }
            }
        }
        if let Some(index) = &value.index {
            checker.index(&place, index)?;
        }
        if let Type::Token(Some(engine)) = value.ty {
            checker.engine(&place, engine)?;
        }
    }
    for (at, operation) in problem.operations.iter().enumerate() {
        checker.operation(at, operation)?;
    }
    for (at, block) in problem.blocks.iter().enumerate() {
        checker.whole_block(at, block)?;
    }
    for (name, list) in [
        ("`handed_on`", &problem.handed_on),
        ("`owned`", &problem.owned),
        ("`on_stack`", &problem.on_stack),
    ] {
        for value in list {
            checker.value(name, *value)?;
        }
    }
    checker.tree()?;
    checker.shapes()?;
    checker.arithmetic()?;
    checker.order()
}

fn part(place: &str, message: impl Into<String>) -> Fault {
    Fault::Part {
        place: place.to_owned(),
        message: message.into(),
    }
}

struct Checker<'p> {
    problem: &'p Problem,
}

impl Checker<'_> {
    fn exists(place: &str, kind: &'static str, number: u64, count: usize) -> Result<(), Fault> {
        if usize::try_from(number).is_ok_and(|number| number < count) {
            return Ok(());
        }
        let place = place.to_owned();
        Err(Fault::Missing {
            place,
            kind,
            number,
            count,
        })
    }

    fn value(&self, place: &str, id: ValueId) -> Result<(), Fault> {
        Self::exists(place, "value", id.0.into(), self.problem.values.len())
    }

    fn is_token(&self, id: ValueId) -> bool {
        matches!(self.problem.values[id.at()].ty, Type::Token(_))
    }

    fn op(&self, place: &str, id: OpId) -> Result<(), Fault> {
        Self::exists(place, "operation", id.0.into(), self.problem.operations.len())
    }

    fn block(&self, place: &str, id: BlockId) -> Result<(), Fault> {
        Self::exists(place, "block", id.0.into(), self.problem.blocks.len())
    }

    fn engine(&self, place: &str, engine: EngineId) -> Result<(), Fault> {
        Self::exists(place, "engine", engine.at() as u64, self.problem.device.engines.len())
    }

    fn linear(&self, place: &str, linear: &Linear<Ids>) -> Result<(), Fault> {
        for (symbol, _) in linear.terms() {
            match symbol {
                Symbol::Value(value, _) => self.value(place, *value)?,
                Symbol::Iteration(op) | Symbol::Travel(op) => self.op(place, *op)?,
            }
        }
        Ok(())
    }

    fn index(&self, place: &str, index: &Index<Ids>) -> Result<(), Fault> {
        match index {
            Index::Linear(linear) => self.linear(place, linear),
            Index::Modulo(modulo) if modulo.modulus <= 0 || modulo.factor == 0 => Err(part(
                place,
                "a modulus has to be above 0, and a factor another one than 0",
            )),
            Index::Modulo(modulo) => {
                self.linear(place, &modulo.rest)?;
                self.linear(place, &modulo.dividend)
            }
        }
    }

    fn root(&self, place: &str, root: &Root<Ids>) -> Result<(), Fault> {
        self.value(place, root.value())?;
        let window = self.problem.values[root.value().at()].window;
        match root {
            Root::Window(value) if window.is_none() => Err(part(
                place,
                format!("value {} is the root of a window, and has no `window`", value.0),
            )),
            Root::Window(_) => Ok(()),
            _ if window.is_some() => Err(part(
                place,
                format!(
                    "value {} has a `window`, and is a root without an address",
                    root.value().0
                ),
            )),
            _ => Ok(()),
        }
    }

    fn extent(&self, place: &str, extent: &Extent<Ids>) -> Result<(), Fault> {
        self.index(place, &extent.offset)?;
        extent.span.iter().try_for_each(|span| self.linear(place, span))
    }

    fn access(&self, place: &str, access: &Access<Ids>) -> Result<(), Fault> {
        let region = &access.region;
        self.root(place, &region.root)?;
        self.value(place, region.base)?;
        access.whole_of.iter().try_for_each(|value| self.value(place, *value))?;
        let mut extents = region.extents.iter().flatten().chain(&region.bytes);
        extents.try_for_each(|extent| self.extent(place, extent))
    }

    fn operation(&self, at: usize, operation: &Operation) -> Result<(), Fault> {
        let place = format!("operation {at} (`{}`)", operation.name);
        let place = place.as_str();
        for value in operation.operands.iter().chain(&operation.results) {
            self.value(place, *value)?;
        }
        for (position, value) in operation.results.iter().enumerate() {
            let own = Def::Result(OpId(at as u32), position);
            if self.is_token(*value) && self.problem.values[value.at()].def != own {
                let message = format!("value {} says that it comes from elsewhere", value.0);
                return Err(part(place, message));
            }
        }
        operation.block.iter().try_for_each(|block| self.block(place, *block))?;
        operation
            .blocks
            .iter()
            .try_for_each(|block| self.block(place, *block))?;
        operation
            .engines
            .iter()
            .try_for_each(|engine| self.engine(place, *engine))?;
        operation.passed.iter().try_for_each(|root| self.root(place, root))?;
        if let Effects::Known(list) = &operation.effects {
            list.iter().try_for_each(|access| self.access(place, access))?;
        }
        Ok(())
    }

    fn whole_block(&self, at: usize, block: &Block) -> Result<(), Fault> {
        let place = format!("block {at}");
        let place = place.as_str();
        self.op(place, block.op)?;
        for op in block.ops.iter().chain(&block.terminator) {
            self.op(place, *op)?;
            if self.problem.operations[op.at()].block.map(BlockId::at) != Some(at) {
                return Err(part(place, format!("operation {} says that it stands elsewhere", op.0)));
            }
        }
        for (position, arg) in block.args.iter().enumerate() {
            self.value(place, *arg)?;
            if self.problem.values[arg.at()].def != Def::Argument(BlockId(at as u32), position) {
                return Err(part(
                    place,
                    format!("value {} says that it comes from elsewhere", arg.0),
                ));
            }
        }
        block.ending.iter().try_for_each(|access| self.access(place, access))
    }

    /// Each block is in one operation, each operation but the function in one block, and the function holds all.
    fn tree(&self) -> Result<(), Fault> {
        let Some(function) = self.problem.operations.first() else {
            return Err(part("operations", "the first is the function; there is none"));
        };
        if function.block.is_some() || function.name != "func.func" {
            return Err(part("operation 0", "is not a `func.func` that stands in no block"));
        }
        let mut owners = vec![0u32; self.problem.blocks.len()];
        for (at, operation) in self.problem.operations.iter().enumerate() {
            for block in &operation.blocks {
                owners[block.at()] += 1;
                if self.problem.blocks[block.at()].op.at() != at {
                    let message = format!("block {} says that it is in another operation", block.0);
                    return Err(part(&format!("operation {at}"), message));
                }
            }
        }
        if let Some(block) = owners.iter().position(|owners| *owners != 1) {
            return Err(part(&format!("block {block}"), "is not in one operation exactly"));
        }
        let mut places = vec![0u32; self.problem.operations.len()];
        for block in &self.problem.blocks {
            for op in in_order(block) {
                places[op.at()] += 1;
            }
        }
        for (at, places) in places.into_iter().enumerate().skip(1) {
            let place = format!("operation {at} (`{}`)", self.problem.operations[at].name);
            if places > 1 {
                return Err(part(&place, "is at several places"));
            }
            if places == 0 && !is_computation(&self.problem.operations[at]) {
                return Err(part(&place, "is missing in its block"));
            }
        }
        for at in 1..self.problem.operations.len() {
            let mut op = OpId(at as u32);
            // A way up that is longer than there are operations goes in a circle.
            for _ in 0..self.problem.operations.len() {
                let Some(block) = self.problem.operations[op.at()].block else {
                    break;
                };
                op = self.problem.blocks[block.at()].op;
            }
            if op != OpId::FUNCTION {
                return Err(part(&format!("operation {at}"), "is not in the function"));
            }
        }
        Ok(())
    }

    /// Each token is used after the operation that makes it, in the same block or one within. An operation that only
    /// computes may be in no list; its result is known where its operands are.
    fn order(&self) -> Result<(), Fault> {
        /// Work that is left, the next piece last.
        enum Step<'p> {
            Visit(OpId),
            Enter(&'p Block),
            Know(&'p [ValueId]),
            Forget(&'p Block),
        }
        let problem = self.problem;
        let mut is_known = vec![false; problem.values.len()];
        let listed: FxHashSet<OpId> = problem.blocks.iter().flat_map(in_order).collect();
        // The first token that is not known, of some values and what they are computed of.
        let unknown = |values: &[ValueId], is_known: &[bool]| {
            let tokens = values.iter().copied().filter(|value| self.is_token(*value));
            let (mut open, mut seen): (Vec<ValueId>, _) = (tokens.collect(), FxHashSet::default());
            while let Some(value) = open.pop() {
                if is_known[value.at()] || !seen.insert(value) {
                    continue;
                }
                match problem.values[value.at()].def {
                    Def::Result(op, _) if !listed.contains(&op) => open.extend(&problem.operations[op.at()].operands),
                    _ if self.is_token(value) => return Some(value),
                    _ => {}
                }
            }
            None
        };
        let mut steps = vec![Step::Visit(OpId::FUNCTION)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(op) => {
                    let operation = &problem.operations[op.at()];
                    if let Some(value) = unknown(&operation.operands, &is_known) {
                        let place = format!("operation {} (`{}`)", op.0, operation.name);
                        return Err(part(&place, format!("value {} is not known there", value.0)));
                    }
                    steps.push(Step::Know(&operation.results));
                    let blocks = || operation.blocks.iter().map(|block| &problem.blocks[block.at()]);
                    // Of control flow without structure, a block may know what those before it do.
                    if !operation.name.starts_with("scf.") {
                        steps.extend(blocks().map(Step::Forget));
                    }
                    for block in blocks().rev() {
                        if operation.name.starts_with("scf.") {
                            steps.push(Step::Forget(block));
                        }
                        steps.push(Step::Enter(block));
                    }
                }
                Step::Enter(block) => {
                    block.args.iter().for_each(|arg| is_known[arg.at()] = true);
                    let ops: Vec<OpId> = in_order(block).collect();
                    steps.extend(ops.into_iter().rev().map(Step::Visit));
                }
                Step::Know(values) => values.iter().for_each(|value| is_known[value.at()] = true),
                Step::Forget(block) => {
                    let results = in_order(block).flat_map(|op| &problem.operations[op.at()].results);
                    results
                        .chain(&block.args)
                        .for_each(|value| is_known[value.at()] = false);
                }
            }
        }
        Ok(())
    }

    /// Operations whose form is counted on have it.
    fn shapes(&self) -> Result<(), Fault> {
        for (at, operation) in self.problem.operations.iter().enumerate() {
            let place = format!("operation {at} (`{}`)", operation.name);
            let require = |holds: bool, message: &str| if holds { Ok(()) } else { Err(part(&place, message)) };
            let (operands, results) = (operation.operands.len(), operation.results.len());
            let blocks = &operation.blocks;
            let block = |at: usize| &self.problem.blocks[blocks[at].at()];
            let yields = |at: usize| {
                let terminator = block(at).terminator;
                terminator.map_or(0, |end| self.problem.operations[end.at()].operands.len())
            };
            let types = |list: &[ValueId], wanted: fn(&Type) -> bool| {
                list.iter().all(|id| wanted(&self.problem.values[id.at()].ty))
            };
            let is_token = |ty: &Type| matches!(ty, Type::Token(_));
            match operation.name.as_str() {
                "scf.for" => {
                    require(blocks.len() == 1 && operands >= 3, "needs three bounds and one block")?;
                    let carried = operands - 3;
                    let fits = block(0).args.len() == carried + 1 && yields(0) == carried && results == carried;
                    require(fits, "carries another number of values than it begins with")?;
                }
                "scf.if" => {
                    require(
                        operands == 1 && matches!(blocks.len(), 1 | 2),
                        "needs a condition and one or two blocks",
                    )?;
                    let sides = (0..blocks.len()).all(|side| yields(side) == results);
                    require(
                        sides || results == 0,
                        "yields another number of values than it has results",
                    )?;
                    require(results == 0 || blocks.len() == 2, "needs two blocks for its results")?;
                }
                "scf.while" if !blocks.is_empty() => {
                    require(blocks.len() == 2 && yields(0) >= 1, "needs two blocks and a condition")?;
                    let carried = block(0).args.len() == operands && yields(1) == operands;
                    let passed = block(1).args.len() == results && yields(0) == results + 1;
                    require(
                        carried && passed,
                        "carries another number of values than it begins with",
                    )?;
                }
                "zpu.dma_start" | "zpu.compute_start" => {
                    require(operation.engines.len() == 1, "needs an engine")?;
                    require(
                        results == 1 && types(&operation.results, is_token),
                        "has a token as its result",
                    )?;
                    let least = if operation.name == "zpu.dma_start" { 2 } else { 0 };
                    require(
                        operands == least || operands == least + 1,
                        "takes its operands and at most a barrier id",
                    )?;
                }
                "zpu.dma" | "zpu.compute" => require(operation.engines.len() == 1, "needs an engine")?,
                "zpu.dma_wait" | "zpu.compute_wait" => {
                    require(
                        operands == 1 && types(&operation.operands, is_token),
                        "waits for one token",
                    )?;
                }
                "zpu.id_wait" => require(operands == 1, "waits for one number")?,
                "zpu.null_token" => {
                    require(
                        results == 1 && types(&operation.results, is_token),
                        "has a token as its result",
                    )?;
                }
                "arith.select" => require(operands == 3 && results == 1, "chooses between two values by a third")?,
                "arith.constant" => require(operands == 0, "takes nothing")?,
                "memref.dim" => require(operands == 2, "takes a buffer and a dimension")?,
                "memref.load" => require(operands >= 1, "takes a buffer")?,
                "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui" | "arith.trunci"
                | "affine.same" => require(operands == 1, "takes one value")?,
                "arith.cmpi" | "arith.cmpf" => {
                    require(
                        operands == 2 && operation.predicate.is_some(),
                        "takes two values and a predicate",
                    )?;
                }
                name if BINARY.contains(&name) => require(operands == 2 && results == 1, "takes two values")?,
                _ => {}
            }
        }
        Ok(())
    }

    /// No arithmetic is made of itself.
    fn arithmetic(&self) -> Result<(), Fault> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.problem.operations.len()];
        for start in 0..marks.len() {
            let mut open = vec![(start, 0)];
            while let Some((op, next)) = open.pop() {
                let operation = &self.problem.operations[op];
                if marks[op] == Mark::Done || !operation.blocks.is_empty() {
                    continue;
                }
                marks[op] = Mark::Open;
                let Some(operand) = operation.operands.get(next) else {
                    marks[op] = Mark::Done;
                    continue;
                };
                open.push((op, next + 1));
                if let Def::Result(maker, _) = self.problem.values[operand.at()].def {
                    if marks[maker.at()] == Mark::Open && self.problem.operations[maker.at()].blocks.is_empty() {
                        let place = format!("operation {} (`{}`)", maker.0, self.problem.operations[maker.at()].name);
                        return Err(part(&place, "is made of itself"));
                    }
                    open.push((maker.at(), 0));
                }
            }
        }
        Ok(())
    }
}

/// The operations of a block whose places are known. The terminator may be the last of the others.
fn in_order(block: &Block) -> impl Iterator<Item = OpId> {
    let end = block.terminator.filter(|end| block.ops.last() != Some(end));
    block.ops.iter().copied().chain(end)
}

/// True of an operation whose place in its block says nothing: it has no effect, and nobody waits for it.
fn is_computation(operation: &Operation) -> bool {
    let is_of_dialect = operation.name.starts_with("zpu.");
    let is_plain = operation.blocks.is_empty() && operation.engines.is_empty() && operation.passed.is_empty();
    is_plain && operation.effects.is_none() && !is_of_dialect
}

/// Operations on two numbers that are evaluated or followed.
const BINARY: [&str; 24] = [
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.minsi",
    "arith.maxsi",
    "arith.minui",
    "arith.maxui",
    "arith.divsi",
    "arith.remsi",
    "arith.divui",
    "arith.remui",
    "arith.floordivsi",
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "affine.add",
    "affine.mul",
    "affine.mod",
    "affine.floordiv",
    "affine.ceildiv",
    "affine.min",
    "affine.max",
];
