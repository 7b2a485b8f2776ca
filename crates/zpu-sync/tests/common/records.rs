//! A program as the records that `zpu-sync` reads, in the form in which `zpu-analysis` writes them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use zpu_device::{Device, NeverIssued, WhenFull};
use zpu_sync::index::{self, Extent, Index, Linear, Region, Root, Symbol, Window};
use zpu_sync::predicate::CmpIPredicate;
use zpu_sync::problem::{
    Block, BlockId, Bounds, Def, Effects, EngineId, Ids, Memref, OpId, Operation, Problem, Type, Value, ValueId,
};

use super::{
    Access, Affine, At, Compare, Cond, ELEMENTS, ENGINES, Expr, For, If, Kind, Memory, Name, Program, Stmt, Var,
};

/// The machine that programs run on, before what they change about it.
static TOY: LazyLock<Device> = LazyLock::new(|| {
    let sets = [format!("sync.tokens={}", super::machine::IDS)];
    Device::load("toy", &sets).unwrap_or_else(|error| panic!("{error}"))
});

const ELEMENT_BYTES: i64 = 4;

/// The records of a program.
pub(crate) fn problem_of(program: &Program) -> Problem {
    let mut builder = Builder {
        program,
        problem: Problem {
            name: "random".to_owned(),
            is_private: program.is_private,
            device: device(program),
            values: Vec::new(),
            operations: Vec::new(),
            blocks: Vec::new(),
            handed_on: Vec::new(),
            owned: Vec::new(),
            on_stack: Vec::new(),
        },
        buffers: Vec::new(),
        numbers: Vec::new(),
        flags: Vec::new(),
        names: BTreeMap::new(),
        loops: BTreeMap::new(),
    };
    builder.function();
    builder.problem
}

/// The statement that an operation stands for, if it is one.
pub(crate) fn statement(problem: &Problem, op: OpId) -> Option<At> {
    problem.operations[op.at()]
        .location
        .strip_prefix("program:")?
        .parse()
        .ok()
}

fn device(program: &Program) -> Device {
    let mut device = TOY.clone();
    let machine = program.machine;
    for (at, engine) in device.engines.iter_mut().enumerate() {
        engine.blocking = machine.blocking.is_some_and(|blocking| ENGINES[blocking] == at);
        if let Some(depth) = machine.depth {
            engine.queue_depth = depth as u64;
            engine.when_full = WhenFull::Error;
        }
    }
    if machine.never_issued_returns {
        device.sync.wait_on_never_issued = NeverIssued::Return;
    }
    device
}

struct Builder<'p> {
    program: &'p Program,
    problem: Problem,
    buffers: Vec<ValueId>,
    numbers: Vec<ValueId>,
    flags: Vec<ValueId>,
    names: BTreeMap<Name, ValueId>,
    loops: BTreeMap<Name, (OpId, &'p For, ValueId)>,
}

impl<'p> Builder<'p> {
    fn value(&mut self, def: Def, ty: Type) -> ValueId {
        let id = ValueId(self.problem.values.len() as u32);
        self.problem.values.push(Value {
            def,
            ty,
            index: None,
            bounds: Bounds::default(),
            window: None,
        });
        id
    }

    fn op(&mut self, name: &str, block: BlockId, operands: Vec<ValueId>) -> OpId {
        let id = OpId(self.problem.operations.len() as u32);
        self.problem.operations.push(Operation {
            name: name.to_owned(),
            operands,
            block: Some(block),
            ..Operation::default()
        });
        id
    }

    fn operation(&mut self, op: OpId) -> &mut Operation {
        &mut self.problem.operations[op.at()]
    }

    fn result(&mut self, op: OpId, ty: Type) -> ValueId {
        let position = self.problem.operations[op.at()].results.len();
        let value = self.value(Def::Result(op, position), ty);
        self.operation(op).results.push(value);
        value
    }

    fn block_of(&mut self, op: OpId) -> BlockId {
        let id = BlockId(self.problem.blocks.len() as u32);
        self.problem.blocks.push(Block {
            op,
            args: Vec::new(),
            ops: Vec::new(),
            terminator: None,
            ending: Vec::new(),
        });
        self.operation(op).blocks.push(id);
        id
    }

    fn argument(&mut self, block: BlockId, ty: Type) -> ValueId {
        let position = self.problem.blocks[block.at()].args.len();
        let value = self.value(Def::Argument(block, position), ty);
        self.problem.blocks[block.at()].args.push(value);
        value
    }

    /// An operation that stands in a block as one that matters.
    fn item(&mut self, name: &str, block: BlockId, operands: Vec<ValueId>, at: At) -> OpId {
        let op = self.op(name, block, operands);
        self.operation(op).location = format!("program:{at}");
        self.problem.blocks[block.at()].ops.push(op);
        op
    }

    fn function(&mut self) {
        self.problem.operations.push(Operation {
            name: "func.func".to_owned(),
            ..Operation::default()
        });
        let block = self.block_of(OpId::FUNCTION);
        for memory in &self.program.buffers {
            let ty = Type::Memref(Memref {
                shape: vec![Some(ELEMENTS)],
                strides: vec![Some(1)],
                element_bytes: Some(ELEMENT_BYTES as u32),
                space: Some("#zpu.space<dram>".to_owned()),
            });
            let buffer = match memory {
                Memory::Allocation => {
                    let alloc = self.op("memref.alloc", block, Vec::new());
                    self.result(alloc, ty)
                }
                Memory::Window(first) => {
                    let alloc = self.op("memref.alloc", block, Vec::new());
                    let buffer = self.result(alloc, ty);
                    self.problem.values[buffer.at()].window = Some(Window {
                        first: first * ELEMENT_BYTES,
                        bytes: ELEMENTS * ELEMENT_BYTES,
                    });
                    buffer
                }
                Memory::NoAlias | Memory::Argument => self.argument(block, ty),
            };
            self.buffers.push(buffer);
        }
        self.numbers = (0..self.program.numbers)
            .map(|_| self.argument(block, Type::Index))
            .collect();
        self.flags = (0..self.program.flags)
            .map(|_| self.argument(block, Type::Integer(1)))
            .collect();
        self.stmts(block, &self.program.body);
        let end = self.item("func.return", block, Vec::new(), 0);
        self.problem.blocks[block.at()].terminator = Some(end);
    }

    fn stmts(&mut self, block: BlockId, stmts: &'p [Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(block, stmt));
    }

    fn stmt(&mut self, block: BlockId, stmt: &'p Stmt) {
        let at = stmt.at;
        match &stmt.kind {
            Kind::Start {
                engine,
                token,
                id,
                accesses,
            } => {
                let mut operands = self.operands(*engine, accesses);
                operands.extend(id.iter().map(|id| self.names[id]));
                let name = if is_transfer(*engine) {
                    "zpu.dma_start"
                } else {
                    "zpu.compute_start"
                };
                let op = self.command(name, block, operands, at, *engine, accesses);
                let result = self.result(op, token_of(*engine));
                self.names.insert(*token, result);
            }
            Kind::Sync { engine, accesses } => {
                let operands = self.operands(*engine, accesses);
                let name = if is_transfer(*engine) { "zpu.dma" } else { "zpu.compute" };
                self.command(name, block, operands, at, *engine, accesses);
            }
            Kind::Touch(access) => {
                let name = if access.write { "memref.store" } else { "memref.load" };
                let op = self.item(name, block, vec![self.buffers[access.buffer]], at);
                let access = self.access(block, access);
                self.operation(op).effects = Effects::Known(vec![access]);
            }
            Kind::Wait(token) => {
                let token = self.names[token];
                let is_of_transfer = self.problem.values[token.at()].ty != token_of(2);
                let name = if is_of_transfer {
                    "zpu.dma_wait"
                } else {
                    "zpu.compute_wait"
                };
                self.item(name, block, vec![token], at);
            }
            Kind::WaitId(id) => {
                self.item("zpu.id_wait", block, vec![self.names[id]], at);
            }
            Kind::Fence(engines) => {
                let op = self.item("zpu.barrier", block, Vec::new(), at);
                self.operation(op).engines = engines.iter().map(|engine| EngineId(ENGINES[*engine])).collect();
            }
            Kind::Null(name, engine) => {
                let op = self.item("zpu.null_token", block, Vec::new(), at);
                let null = self.result(op, token_of(*engine));
                self.names.insert(*name, null);
            }
            Kind::Select { result, cond, yes, no } => {
                let sides = [self.names[yes], self.names[no]];
                let ty = self.problem.values[sides[0].at()].ty.clone();
                let cond = self.cond(block, cond);
                let op = self.item("arith.select", block, vec![cond, sides[0], sides[1]], at);
                let value = self.result(op, ty);
                self.names.insert(*result, value);
            }
            Kind::Flag(name, cond) => {
                let cond = self.cond(block, cond);
                self.names.insert(*name, cond);
            }
            Kind::Number(name, expr) => {
                let number = self.expr_value(block, expr);
                self.names.insert(*name, number);
            }
            Kind::For(loop_) => self.counted(block, loop_, at),
            Kind::If(branch) => self.branch(block, branch, at),
        }
    }

    /// A transfer names its source and its target; what it accesses is said apart.
    fn operands(&self, engine: usize, accesses: &[Access]) -> Vec<ValueId> {
        if !is_transfer(engine) {
            return Vec::new();
        }
        let of = |write: bool| {
            let found = accesses.iter().find(|access| access.write == write);
            self.buffers[found.map_or(0, |access| access.buffer)]
        };
        vec![of(false), of(true)]
    }

    fn command(
        &mut self,
        name: &str,
        block: BlockId,
        operands: Vec<ValueId>,
        at: At,
        engine: usize,
        accesses: &[Access],
    ) -> OpId {
        let op = self.item(name, block, operands, at);
        let accesses = accesses.iter().map(|access| self.access(block, access)).collect();
        let operation = self.operation(op);
        operation.engines = vec![EngineId(ENGINES[engine])];
        operation.effects = Effects::Known(accesses);
        op
    }

    fn access(&mut self, block: BlockId, access: &Access) -> index::Access<Ids> {
        let base = self.buffers[access.buffer];
        let offset = self.index(block, &access.offset);
        let first = match self.program.buffers[access.buffer] {
            Memory::Window(first) => first * ELEMENT_BYTES,
            _ => 0,
        };
        let bytes = Index::constant(first)
            .add_scaled(&offset, ELEMENT_BYTES)
            .unwrap_or(offset.clone());
        let extent = |offset: Index<Ids>, span: i64| Extent {
            offset,
            span: Some(Linear::constant(span)),
            exact: true,
        };
        index::Access {
            region: Region {
                root: match self.program.buffers[access.buffer] {
                    Memory::Allocation => Root::Allocation(base),
                    Memory::Window(_) => Root::Window(base),
                    Memory::NoAlias => Root::NoAliasArgument(base),
                    Memory::Argument => Root::Argument(base),
                },
                base,
                extents: Some(vec![extent(offset, access.span)]),
                bytes: Some(extent(bytes, access.span * ELEMENT_BYTES)),
            },
            write: access.write,
            full: true,
            whole_of: None,
            ends: false,
        }
    }

    fn counted(&mut self, block: BlockId, loop_: &'p For, at: At) {
        let mut operands = vec![
            self.constant(block, loop_.lower),
            self.affine_value(block, &loop_.upper),
        ];
        operands.push(self.constant(block, loop_.step));
        operands.extend(loop_.carried.iter().map(|each| self.names[&each.first]));
        let op = self.item("scf.for", block, operands, at);
        let trips = loop_
            .upper
            .as_constant()
            .map(|upper| (upper - loop_.lower + loop_.step - 1) / loop_.step);
        let way = loop_.upper.as_constant().map(|upper| (upper - loop_.lower - 1).max(0));
        let operation = self.operation(op);
        operation.iterations = Bounds(Some(0), trips.map(|trips| trips.max(1) - 1));
        operation.travel = Bounds(Some(0), way);
        let body = self.block_of(op);
        let induction = self.argument(body, Type::Index);
        let own = Linear::symbol(Symbol::Iteration(op)).scale(loop_.step);
        let index = own.and_then(|own| own.add_scaled(&Linear::constant(loop_.lower), 1));
        self.problem.values[induction.at()].index = index.map(Index::Linear);
        self.loops.insert(loop_.name, (op, loop_, induction));
        for each in &loop_.carried {
            let ty = self.problem.values[self.names[&each.first].at()].ty.clone();
            let inside = self.argument(body, ty);
            self.names.insert(each.inside, inside);
        }
        self.stmts(body, &loop_.body);
        let yields = loop_.carried.iter().map(|each| self.names[&each.next]).collect();
        let end = self.op("scf.yield", body, yields);
        self.problem.blocks[body.at()].terminator = Some(end);
        for each in &loop_.carried {
            let ty = self.problem.values[self.names[&each.first].at()].ty.clone();
            let result = self.result(op, ty);
            self.names.insert(each.result, result);
        }
    }

    fn branch(&mut self, block: BlockId, branch: &'p If, at: At) {
        let cond = self.cond(block, &branch.cond);
        let op = self.item("scf.if", block, vec![cond], at);
        let sides: [(&'p [Stmt], Vec<Name>); 2] = [
            (&branch.then, branch.results.iter().map(|(_, yes, _)| *yes).collect()),
            (&branch.otherwise, branch.results.iter().map(|(.., no)| *no).collect()),
        ];
        for (side, (stmts, yields)) in sides.into_iter().enumerate() {
            if side == 1 && stmts.is_empty() && yields.is_empty() {
                continue;
            }
            let inside = self.block_of(op);
            self.stmts(inside, stmts);
            let yields = yields.iter().map(|name| self.names[name]).collect();
            let end = self.op("scf.yield", inside, yields);
            self.problem.blocks[inside.at()].terminator = Some(end);
        }
        for (result, yes, _) in &branch.results {
            let ty = self.problem.values[self.names[yes].at()].ty.clone();
            let value = self.result(op, ty);
            self.names.insert(*result, value);
        }
    }

    fn constant(&mut self, block: BlockId, constant: i64) -> ValueId {
        let op = self.op("arith.constant", block, Vec::new());
        self.operation(op).constant = Some(constant);
        self.operation(op).attributes = format!("value = {constant} : index");
        let value = self.result(op, Type::Index);
        self.problem.values[value.at()].index = Some(Index::constant(constant));
        value
    }

    fn computed(&mut self, name: &str, block: BlockId, operands: Vec<ValueId>, ty: Type) -> ValueId {
        let op = self.op(name, block, operands);
        self.result(op, ty)
    }

    fn linear(&self, affine: &Affine) -> Linear<Ids> {
        let mut sum = Linear::constant(affine.constant);
        for (var, coefficient) in &affine.terms {
            let term = match var {
                Var::Argument(at) => Linear::symbol(Symbol::Value(self.numbers[*at], 0)),
                Var::Induction(name) => {
                    let (op, loop_, _) = self.loops[name];
                    let own = Linear::symbol(Symbol::Iteration(op)).scale(loop_.step);
                    own.and_then(|own| own.add_scaled(&Linear::constant(loop_.lower), 1))
                        .unwrap_or_else(|| panic!("a step that is too large"))
                }
            };
            sum = sum
                .add_scaled(&term, *coefficient)
                .unwrap_or_else(|| panic!("an index that is too large"));
        }
        sum
    }

    /// The least number that an expression can be, if it has one.
    fn least(&self, affine: &Affine) -> Option<i64> {
        let least = |(var, coefficient): &(Var, i64)| match var {
            Var::Argument(_) => None,
            Var::Induction(name) => {
                let loop_ = self.loops[name].1;
                let most = loop_.upper.as_constant().map(|upper| loop_.lower.max(upper - 1));
                Some(coefficient * if *coefficient < 0 { most? } else { loop_.lower })
            }
        };
        affine
            .terms
            .iter()
            .map(least)
            .try_fold(affine.constant, |sum, term| Some(sum + term?))
    }

    fn index(&mut self, block: BlockId, expr: &Expr) -> Index<Ids> {
        let rest = Index::Linear(self.linear(&expr.rest));
        let Some(ring) = &expr.ring else { return rest };
        // A power of two divides the numbers that there are, so that what wraps has the same remainder.
        let is_known =
            self.least(&ring.dividend).is_some_and(|least| least >= 0) || ring.modulus & (ring.modulus - 1) == 0;
        let remainder = if is_known {
            Index::modulo(self.linear(&ring.dividend), ring.modulus)
        } else {
            let value = self.remainder(block, &ring.dividend, ring.modulus);
            Index::Linear(Linear::symbol(Symbol::Value(value, 0)))
        };
        rest.add_scaled(&remainder, ring.factor).unwrap_or(rest)
    }

    fn remainder(&mut self, block: BlockId, dividend: &Affine, modulus: i64) -> ValueId {
        let operands = vec![self.affine_value(block, dividend), self.constant(block, modulus)];
        let value = self.computed("arith.remui", block, operands, Type::Index);
        self.problem.values[value.at()].bounds = Bounds(Some(0), Some(modulus - 1));
        value
    }

    fn affine_value(&mut self, block: BlockId, affine: &Affine) -> ValueId {
        if let Some(constant) = affine.as_constant() {
            return self.constant(block, constant);
        }
        let mut sum = None;
        for (var, coefficient) in &affine.terms {
            let mut value = match var {
                Var::Argument(at) => self.numbers[*at],
                Var::Induction(name) => self.loops[name].2,
            };
            let part = Affine::constant(0).plus(*var, *coefficient);
            if *coefficient != 1 {
                let factor = self.constant(block, *coefficient);
                value = self.computed("arith.muli", block, vec![value, factor], Type::Index);
                let index = self.linear(&part);
                self.problem.values[value.at()].index = Some(Index::Linear(index));
            }
            sum = Some(match sum {
                None => (value, part),
                Some((before, affine)) => self.sum(block, before, value, Affine::plus(affine, *var, *coefficient)),
            });
        }
        let Some((value, part)) = sum else {
            return self.constant(block, affine.constant);
        };
        if affine.constant == 0 {
            return value;
        }
        let constant = self.constant(block, affine.constant);
        self.sum(block, value, constant, part.add(affine.constant)).0
    }

    fn sum(&mut self, block: BlockId, left: ValueId, right: ValueId, affine: Affine) -> (ValueId, Affine) {
        let value = self.computed("arith.addi", block, vec![left, right], Type::Index);
        let index = self.linear(&affine);
        self.problem.values[value.at()].index = Some(Index::Linear(index));
        (value, affine)
    }

    fn expr_value(&mut self, block: BlockId, expr: &Expr) -> ValueId {
        let Some(ring) = &expr.ring else {
            return self.affine_value(block, &expr.rest);
        };
        assert!(
            expr.rest == Affine::default() && ring.factor == 1,
            "a number is a sum or a remainder"
        );
        let value = self.remainder(block, &ring.dividend, ring.modulus);
        let index = self.index(block, expr);
        if matches!(index, Index::Modulo(_)) {
            let value = &mut self.problem.values[value.at()];
            value.index = Some(index);
        }
        value
    }

    fn cond(&mut self, block: BlockId, cond: &Cond) -> ValueId {
        let truth = Type::Integer(1);
        match cond {
            Cond::Flag(name) => self.names[name],
            Cond::Argument(at) => self.flags[*at],
            Cond::Compare(compare, left, right) => {
                let operands = vec![self.affine_value(block, left), self.affine_value(block, right)];
                self.compared(block, *compare, operands)
            }
            Cond::IsThere(name) => {
                let operands = vec![self.names[name], self.constant(block, 0)];
                self.compared(block, Compare::GreaterOrEqual, operands)
            }
            Cond::And(left, right) | Cond::Or(left, right) => {
                let operands = vec![self.cond(block, left), self.cond(block, right)];
                let name = if matches!(cond, Cond::And(..)) {
                    "arith.andi"
                } else {
                    "arith.ori"
                };
                self.computed(name, block, operands, truth)
            }
            Cond::Not(cond) => {
                let cond = self.cond(block, cond);
                let yes = self.op("arith.constant", block, Vec::new());
                self.operation(yes).constant = Some(1);
                self.operation(yes).attributes = "value = true".to_owned();
                let yes = self.result(yes, truth.clone());
                self.computed("arith.xori", block, vec![cond, yes], truth)
            }
        }
    }

    fn compared(&mut self, block: BlockId, compare: Compare, operands: Vec<ValueId>) -> ValueId {
        let predicate = match compare {
            Compare::Equal => CmpIPredicate::Eq,
            Compare::Unequal => CmpIPredicate::Ne,
            Compare::Less => CmpIPredicate::Slt,
            Compare::LessOrEqual => CmpIPredicate::Sle,
            Compare::Greater => CmpIPredicate::Sgt,
            Compare::GreaterOrEqual => CmpIPredicate::Sge,
        };
        let value = self.computed("arith.cmpi", block, operands, Type::Integer(1));
        if let Def::Result(op, _) = self.problem.values[value.at()].def {
            self.operation(op).predicate = u8::try_from(predicate.number()).ok();
            self.operation(op).attributes = format!("predicate = {} : i64", predicate.number());
        }
        value
    }
}

fn is_transfer(engine: usize) -> bool {
    engine < 2
}

fn token_of(engine: usize) -> Type {
    Type::Token(Some(EngineId(ENGINES[engine])))
}
