//! Writes the asynchronous form as a problem: starts, waits, and the tokens (or numbers of barrier ids) that loops
//! carry and branches yield.
//!
//! A command keeps its number when it becomes a start, and an operation that gets more operands or results keeps its
//! own; what is new comes after all others.

use std::collections::{BTreeMap, HashMap};

use zpu_device::EngineKind;

use crate::index::{Index, Linear, Symbol};
use crate::place::ids::{CommandNumber, Ids};
use crate::place::tokens::{CarriedId, MergedId, Token, Tokens};
use crate::place::tree::{AsyncEngineId, Engines, Role, Tree};
use crate::predicate::CmpIPredicate;
use crate::problem::{self, Bounds, Def, Ids as Numbers, NUMBER, OpId, Operation, Problem, Type, Value, ValueId};
use crate::program::{BlockId, ItemId};

/// A problem that was written, and its new waits.
#[derive(Clone, Debug)]
pub struct Written {
    /// The problem.
    pub problem: Problem,
    /// Its new waits.
    pub waits: Vec<WrittenWait>,
}

/// A wait, and what it was written for.
#[derive(Clone, Debug)]
pub struct WrittenWait {
    /// The wait.
    pub op: OpId,
    /// The item before which it stands; none at the end of the function.
    pub item: Option<ItemId>,
    /// The tokens that it is for.
    pub tokens: Vec<(AsyncEngineId, Token)>,
}

/// Writes a problem with tokens or with ids.
pub fn write(problem: &Problem, tree: &Tree<'_>, engines: &Engines, tokens: &Tokens, ids: Option<&Ids>) -> Written {
    let is_told = |engine: AsyncEngineId| !ids.is_some_and(|ids| ids.is_fenced(engine));
    let carried = tokens.carried.enumerate().filter(|(_, token)| is_told(token.engine));
    let merged = tokens.merged.enumerate().filter(|(_, token)| is_told(token.engine));
    let mut writer = Writer {
        carried: by_item(carried.map(|(id, token)| (token.item, id))),
        merged: by_item(merged.map(|(id, token)| (token.item, id))),
        problem: problem.clone(),
        tree,
        engines,
        tokens,
        ids,
        values: HashMap::new(),
        before: HashMap::new(),
        waits: Vec::new(),
    };
    for root in &tree.roots {
        writer.block(*root);
    }
    writer.fence_at_end();
    writer.finish()
}

/// By item, what belongs to it, in order.
fn by_item<T>(all: impl Iterator<Item = (ItemId, T)>) -> BTreeMap<ItemId, Vec<T>> {
    let mut found: BTreeMap<ItemId, Vec<T>> = BTreeMap::new();
    for (item, each) in all {
        found.entry(item).or_default().push(each);
    }
    found
}

struct Writer<'t, 'c> {
    problem: Problem,
    tree: &'t Tree<'c>,
    engines: &'t Engines,
    tokens: &'t Tokens,
    ids: Option<&'t Ids>,
    carried: BTreeMap<ItemId, Vec<CarriedId>>,
    merged: BTreeMap<ItemId, Vec<MergedId>>,
    values: HashMap<Token, ValueId>,
    /// By operation: what comes to stand before it.
    before: HashMap<OpId, Vec<OpId>>,
    waits: Vec<WrittenWait>,
}

/// Null tokens made at one place.
type Nulls = BTreeMap<AsyncEngineId, ValueId>;

impl Writer<'_, '_> {
    fn finish(mut self) -> Written {
        for block in &mut self.problem.blocks {
            let ops = block.ops.iter().flat_map(|op| {
                let new = self.before.get(op).map(Vec::as_slice).unwrap_or_default();
                new.iter().chain([op]).copied()
            });
            let mut ops: Vec<OpId> = ops.collect();
            // What stands before a terminator that does not count itself.
            let end = block.terminator.filter(|end| !block.ops.contains(end));
            ops.extend(end.and_then(|end| self.before.get(&end)).into_iter().flatten());
            block.ops = ops;
        }
        Written {
            problem: self.problem,
            waits: self.waits,
        }
    }

    fn block(&mut self, block: BlockId) {
        for id in self.tree.node(block).items.clone() {
            let item = self.tree.site(id);
            let op = item.op.id;
            self.waits_before(id);
            match &item.role {
                Role::Access => {}
                Role::Command(command, engine) => {
                    let number = self.ids.and_then(|ids| ids.of_command(self.tree, *command));
                    let number = number.map(|number| self.number(op, &number));
                    let token = self.token_value(op, *engine);
                    let operation = &mut self.problem.operations[op.at()];
                    operation.name.push_str("_start");
                    operation.results = vec![token];
                    operation.operands.extend(number);
                    self.values.insert(Token::Start(*command), number.unwrap_or(token));
                }
                Role::Loop(body) => self.loop_(id, op, *body),
                Role::If(branches) => self.branch(id, op, branches),
            }
        }
    }

    /// The waits before an item.
    fn waits_before(&mut self, item: ItemId) {
        let at = self.tree.site(item).op.id;
        let mut fenced: Vec<(AsyncEngineId, Token)> = Vec::new();
        let mut numbers: Vec<(ValueId, usize)> = Vec::new();
        for (engine, token) in self.tokens.waits.get(&item).cloned().unwrap_or_default() {
            let op = match self.ids {
                None => self.wait(at, self.values[&token]),
                Some(ids) if ids.is_fenced(engine) => {
                    fenced.push((engine, token));
                    continue;
                }
                Some(ids) => {
                    let number = self.values[&token];
                    if let Some((_, wait)) = numbers.iter().find(|(other, _)| *other == number) {
                        self.waits[*wait].tokens.push((engine, token));
                        continue;
                    }
                    numbers.push((number, self.waits.len()));
                    self.id_wait(at, number, ids.is_guarded(token))
                }
            };
            self.waits.push(WrittenWait {
                op,
                item: Some(item),
                tokens: vec![(engine, token)],
            });
        }
        if !fenced.is_empty() {
            let mut engines: Vec<AsyncEngineId> = fenced.iter().map(|(engine, _)| *engine).collect();
            engines.sort_unstable();
            engines.dedup();
            let op = self.fence(at, &engines);
            self.waits.push(WrittenWait {
                op,
                item: Some(item),
                tokens: fenced,
            });
        }
    }

    /// The fence before the return, for what has an id there on some way.
    fn fence_at_end(&mut self) {
        let engines = self.ids.map(|ids| ids.fenced_at_end.clone()).unwrap_or_default();
        let block = self.problem.operations[OpId::FUNCTION.at()].blocks.first();
        let end = block.and_then(|block| self.problem.blocks[block.at()].terminator);
        let Some(end) = end.filter(|_| !engines.is_empty()) else {
            return;
        };
        let op = self.fence(end, &engines);
        self.waits.push(WrittenWait {
            op,
            item: None,
            tokens: Vec::new(),
        });
    }

    fn loop_(&mut self, id: ItemId, op: OpId, body: BlockId) {
        let Some(carried) = self.carried.remove(&id) else {
            self.block(body);
            return;
        };
        let tokens = self.tokens;
        let of = |id: &CarriedId| &tokens.carried[*id];
        let mut nulls = Nulls::new();
        let block = self.tree.node(body).block;
        for id in &carried {
            let init = self.value(of(id).init, of(id).engine, op, &mut nulls);
            let position = self.problem.blocks[block.at()].args.len();
            let inside = self.new_value(Def::Argument(block, position), of(id).engine);
            self.problem.blocks[block.at()].args.push(inside);
            let result = self.result(op, of(id).engine);
            self.problem.operations[op.at()].operands.push(init);
            self.values.insert(Token::Carried(*id), inside);
            self.values.insert(Token::Left(*id), result);
        }
        self.block(body);
        self.yield_(block, carried.iter().map(|id| (of(id).next, of(id).engine)));
    }

    fn branch(&mut self, id: ItemId, op: OpId, branches: &[BlockId]) {
        let merged = self.merged.remove(&id).unwrap_or_default();
        for branch in branches {
            self.block(*branch);
        }
        if merged.is_empty() {
            return;
        }
        let tokens = self.tokens;
        for side in 0..2 {
            let block = match self.problem.operations[op.at()].blocks.get(side) {
                Some(block) => *block,
                None => self.empty_side(op),
            };
            let yields = merged.iter().map(|id| &tokens.merged[*id]);
            self.yield_(block, yields.map(|token| (token.sides[side], token.engine)));
        }
        for id in &merged {
            let result = self.result(op, tokens.merged[*id].engine);
            self.values.insert(Token::Merged(*id), result);
        }
    }

    /// A block for the side of a branch that was not there.
    fn empty_side(&mut self, op: OpId) -> problem::BlockId {
        let id = problem::BlockId(number(self.problem.blocks.len()));
        self.problem.blocks.push(problem::Block {
            op,
            args: Vec::new(),
            ops: Vec::new(),
            terminator: None,
            ending: Vec::new(),
        });
        self.problem.operations[op.at()].blocks.push(id);
        let end = self.new_op("scf.yield", id, Vec::new());
        self.problem.blocks[id.at()].terminator = Some(end);
        id
    }

    /// Yields more tokens.
    fn yield_(&mut self, block: problem::BlockId, tokens: impl Iterator<Item = (Token, AsyncEngineId)>) {
        let Some(end) = self.problem.blocks[block.at()].terminator else {
            return;
        };
        let mut nulls = Nulls::new();
        for (token, engine) in tokens {
            let value = self.value(token, engine, end, &mut nulls);
            self.problem.operations[end.at()].operands.push(value);
        }
    }

    /// The value of a token; null tokens are made before an operation.
    fn value(&mut self, token: Token, engine: AsyncEngineId, at: OpId, nulls: &mut Nulls) -> ValueId {
        if !matches!(token, Token::Null | Token::Any) {
            return self.values[&token];
        }
        if let Some(known) = nulls.get(&engine) {
            return *known;
        }
        let value = match self.ids {
            Some(ids) => self.constant(at, ids.none()),
            None => {
                let op = self.insert(at, "zpu.null_token", Vec::new());
                self.result(op, engine)
            }
        };
        nulls.insert(engine, value);
        value
    }

    /// A new value: a token, or the number of an id.
    fn new_value(&mut self, def: Def, engine: AsyncEngineId) -> ValueId {
        let ty = match self.ids {
            Some(_) => Type::Index,
            None => Type::Token(Some(self.engines.in_device(engine))),
        };
        self.push_value(def, ty, None)
    }

    fn push_value(&mut self, def: Def, ty: Type, index: Option<Index<Numbers>>) -> ValueId {
        let id = ValueId(number(self.problem.values.len()));
        self.problem.values.push(Value {
            def,
            ty,
            index,
            bounds: Bounds::default(),
            window: None,
        });
        id
    }

    /// One more result of an operation.
    fn result(&mut self, op: OpId, engine: AsyncEngineId) -> ValueId {
        let position = self.problem.operations[op.at()].results.len();
        let value = self.new_value(Def::Result(op, position), engine);
        self.problem.operations[op.at()].results.push(value);
        value
    }

    /// The token of a start.
    fn token_value(&mut self, op: OpId, engine: AsyncEngineId) -> ValueId {
        let ty = Type::Token(Some(self.engines.in_device(engine)));
        self.push_value(Def::Result(op, 0), ty, None)
    }

    fn new_op(&mut self, name: &str, block: problem::BlockId, operands: Vec<ValueId>) -> OpId {
        let id = OpId(number(self.problem.operations.len()));
        self.problem.operations.push(Operation {
            name: name.to_owned(),
            operands,
            block: Some(block),
            ..Operation::default()
        });
        id
    }

    /// A new operation in the block of another one; where it stands does not matter.
    fn beside(&mut self, at: OpId, name: &str, operands: Vec<ValueId>) -> OpId {
        let block = self.problem.operations[at.at()].block.unwrap_or(problem::BlockId(0));
        self.new_op(name, block, operands)
    }

    /// A new operation before another one.
    fn insert(&mut self, at: OpId, name: &str, operands: Vec<ValueId>) -> OpId {
        let op = self.beside(at, name, operands);
        self.before.entry(at).or_default().push(op);
        op
    }

    fn wait(&mut self, at: OpId, token: ValueId) -> OpId {
        let engine = match self.problem.values[token.at()].ty {
            Type::Token(engine) => engine.map(|engine| self.problem.device.engines[engine.at()].kind),
            _ => None,
        };
        let is_dma = engine.is_none_or(|kind| kind == EngineKind::Dma);
        let name = if is_dma { "zpu.dma_wait" } else { "zpu.compute_wait" };
        self.insert(at, name, vec![token])
    }

    fn fence(&mut self, at: OpId, engines: &[AsyncEngineId]) -> OpId {
        let op = self.insert(at, "zpu.barrier", Vec::new());
        let positions = engines.iter().map(|engine| self.engines.in_device(*engine));
        self.problem.operations[op.at()].engines = positions.collect();
        op
    }

    /// A wait for an id; with `is_guarded` only if it is one.
    fn id_wait(&mut self, at: OpId, id: ValueId, is_guarded: bool) -> OpId {
        if !is_guarded {
            return self.insert(at, "zpu.id_wait", vec![id]);
        }
        let zero = self.constant(at, 0);
        let compared = self.beside(at, "arith.cmpi", vec![id, zero]);
        self.problem.operations[compared.at()].predicate = u8::try_from(CmpIPredicate::Sge.number()).ok();
        let is_there = self.push_value(Def::Result(compared, 0), Type::Integer(1), None);
        self.problem.operations[compared.at()].results.push(is_there);
        let guard = self.insert(at, "scf.if", vec![is_there]);
        let side = self.empty_side(guard);
        let wait = self.new_op("zpu.id_wait", side, vec![id]);
        self.problem.blocks[side.at()].ops.push(wait);
        wait
    }

    fn constant(&mut self, at: OpId, constant: i64) -> ValueId {
        let op = self.beside(at, "arith.constant", Vec::new());
        self.problem.operations[op.at()].constant = Some(constant);
        let value = self.push_value(Def::Result(op, 0), Type::Index, Some(Index::constant(constant)));
        self.problem.operations[op.at()].results.push(value);
        value
    }

    /// The number of a command's id.
    fn number(&mut self, at: OpId, number: &CommandNumber) -> ValueId {
        if number.loops.is_empty() {
            return self.constant(at, number.base + number.offset);
        }
        let mut dividend: Option<Linear<Numbers>> = Some(Linear::constant(number.offset));
        for (loop_, scale) in &number.loops {
            let iteration = Linear::symbol(Symbol::Iteration(self.tree.op(*loop_).id));
            dividend = dividend.and_then(|sum| sum.add_scaled(&iteration, *scale));
        }
        let slot = dividend.map(|dividend| Index::modulo(dividend, number.size));
        let index = slot.and_then(|slot| Index::constant(number.base).add_scaled(&slot, 1));
        let op = self.beside(at, NUMBER, Vec::new());
        let value = self.push_value(Def::Result(op, 0), Type::Index, index);
        self.problem.operations[op.at()].results.push(value);
        value
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
