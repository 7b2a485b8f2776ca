//! Writes the asynchronous form: starts, waits, and the tokens (or numbers of barrier ids) that loops carry and
//! branches yield.

use std::collections::{BTreeMap, HashMap};

use zpu_analysis::problem::Sources;
use zpu_analysis::seeded;
use zpu_ir::ops::Dma;
use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Type, Value, edit};
use zpu_sync::id::IdVec;
use zpu_sync::place::{
    AsyncEngineId, BlockId, CarriedId, CommandNumber, Ids, ItemId, MergedId, Role, Token, Tokens, Tree,
};

use super::convert;
use crate::iteration_number::iteration_number;

/// The numbers of operations written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) starts: usize,
    pub(super) waits: usize,
}

/// A function with its problem and the tree of its items.
pub(super) struct Function<'a, 'p, 'c> {
    pub(super) function: Op<'c>,
    pub(super) sources: &'a Sources<'c>,
    pub(super) tree: &'a Tree<'p>,
    /// The names of the tree's engines.
    pub(super) engines: &'a IdVec<AsyncEngineId, String>,
}

impl<'c> Function<'_, '_, 'c> {
    /// The operation of an item.
    fn op(&self, item: ItemId) -> Op<'c> {
        self.sources.op(self.tree.op(item).id)
    }
}

/// Rewrites the function, with tokens or with ids.
pub(super) fn rewrite(of: &Function<'_, '_, '_>, tokens: &Tokens, ids: Option<&Ids>) -> Written {
    let (tree, engines) = (of.tree, of.engines);
    let is_told = |engine: AsyncEngineId| !ids.is_some_and(|ids| ids.is_fenced(engine));
    let mut carried: BTreeMap<ItemId, Vec<CarriedId>> = BTreeMap::new();
    for (id, token) in tokens.carried.enumerate().filter(|(_, token)| is_told(token.engine)) {
        carried.entry(token.item).or_default().push(id);
    }
    let mut merged: BTreeMap<ItemId, Vec<MergedId>> = BTreeMap::new();
    for (id, token) in tokens.merged.enumerate().filter(|(_, token)| is_told(token.engine)) {
        merged.entry(token.item).or_default().push(id);
    }
    let mut writer = Writer {
        of,
        tree,
        tokens,
        engines,
        ids,
        carried,
        merged,
        values: HashMap::new(),
        loops: BTreeMap::new(),
        is_dma: engine_kinds(of),
        written: Written::default(),
        has_dropped: false,
    };
    // Operations are made anew from here on; only the return stays the same.
    let end = of.function.body().and_then(|body| body.terminator());
    for root in &tree.roots {
        writer.block(*root);
    }
    if let Some(end) = end {
        writer.fence_at(end);
    }
    writer.written
}

/// Waits for every command right after its start: by its token, or with ids by the first id, or by a fence if there is
/// no id.
pub(super) fn step_by_step(of: &Function<'_, '_, '_>, ids: Option<i64>) -> Written {
    let mut written = Written::default();
    for command in &of.tree.commands {
        let op = of.op(command.item);
        let mut builder = Builder::before(op);
        match ids {
            None => {
                let token = convert::start(op, None);
                convert::wait(&mut builder, token, op.is(Dma::NAME))
            }
            Some(0) => {
                convert::start(op, None);
                convert::fence(&mut builder, &[&of.engines[command.engine]])
            }
            Some(_) => {
                let id = builder.index(0);
                convert::start(op, Some(id));
                convert::id_wait(&mut builder, id, false)
            }
        };
        convert::remove(op);
        written.starts += 1;
        written.waits += 1;
    }
    written
}

/// For each engine, true if its commands are transfers: an engine has one kind of command.
fn engine_kinds(of: &Function<'_, '_, '_>) -> IdVec<AsyncEngineId, bool> {
    let mut kinds = IdVec::like(of.engines, false);
    for command in &of.tree.commands {
        kinds[command.engine] = of.op(command.item).is(Dma::NAME);
    }
    kinds
}

struct Writer<'t, 'p, 'c> {
    of: &'t Function<'t, 'p, 'c>,
    tree: &'t Tree<'p>,
    tokens: &'t Tokens,
    engines: &'t IdVec<AsyncEngineId, String>,
    ids: Option<&'t Ids>,
    carried: BTreeMap<ItemId, Vec<CarriedId>>,
    merged: BTreeMap<ItemId, Vec<MergedId>>,
    values: HashMap<Token, Value<'c>>,
    /// Loops that were made anew.
    loops: BTreeMap<ItemId, For<'c>>,
    is_dma: IdVec<AsyncEngineId, bool>,
    written: Written,
    /// True if a wait was left out on purpose, to test that the fuzzer finds it.
    has_dropped: bool,
}

/// Null tokens made at one place.
type Nulls<'c> = BTreeMap<AsyncEngineId, Value<'c>>;

impl<'c> Writer<'_, '_, 'c> {
    fn block(&mut self, block: BlockId) {
        for id in self.tree.node(block).items.clone() {
            let op = self.of.op(id);
            self.waits(id);
            match &self.tree.site(id).role {
                Role::Access => {}
                Role::Command(command, _) => {
                    let number = self.ids.and_then(|ids| ids.of_command(self.tree, *command));
                    let number = number.map(|number| self.number(&number, &mut Builder::before(op)));
                    let token = convert::start(op, number);
                    convert::remove(op);
                    self.values.insert(Token::Start(*command), number.unwrap_or(token));
                    self.written.starts += 1;
                }
                Role::Loop(body) => self.for_(id, *body),
                Role::If(branches) => self.if_(id, op, branches),
            }
        }
    }

    /// Emits the waits before an item.
    fn waits(&mut self, item: ItemId) {
        let mut builder = Builder::before(self.of.op(item));
        let mut fenced: Vec<AsyncEngineId> = Vec::new();
        let mut numbers: Vec<Value<'c>> = Vec::new();
        for (engine, token) in self.tokens.waits.get(&item).into_iter().flatten() {
            match self.ids {
                None if seeded!(DroppedWait) && !std::mem::replace(&mut self.has_dropped, true) => continue,
                None => {
                    convert::wait(&mut builder, self.values[token], self.is_dma[*engine]);
                }
                Some(ids) if ids.is_fenced(*engine) => {
                    fenced.push(*engine);
                    continue;
                }
                Some(ids) => {
                    let number = self.values[token];
                    if numbers.contains(&number) {
                        continue;
                    }
                    numbers.push(number);
                    convert::id_wait(&mut builder, number, ids.is_guarded(*token));
                }
            }
            self.written.waits += 1;
        }
        if !fenced.is_empty() {
            let mut engines: Vec<&str> = Vec::new();
            for engine in &fenced {
                if !engines.contains(&self.engines[*engine].as_str()) {
                    engines.push(&self.engines[*engine]);
                }
            }
            convert::fence(&mut builder, &engines);
            self.written.waits += 1;
        }
    }

    /// Emits the fence before the return, for engines of which some command may still have an id there.
    fn fence_at(&mut self, end: Op<'c>) {
        let engines = self.ids.map(|ids| ids.fenced_at_end.as_slice()).unwrap_or_default();
        if engines.is_empty() {
            return;
        }
        let engines: Vec<&str> = engines.iter().map(|engine| self.engines[*engine].as_str()).collect();
        convert::fence(&mut Builder::before(end), &engines);
        self.written.waits += 1;
    }

    /// Emits the number of a command's id.
    fn number(&self, number: &CommandNumber, builder: &mut Builder<'c>) -> Value<'c> {
        let mut sum: Option<Value<'c>> = None;
        for (loop_, scale) in &number.loops {
            let for_ = self.loops.get(loop_).copied().or_else(|| For::of(self.of.op(*loop_)));
            let mut term = iteration_number(builder, for_.expect("ids count iterations of loops"));
            if *scale > 1 {
                let scale = builder.index(*scale);
                term = builder.binary("arith.muli", term, scale);
            }
            sum = Some(match sum {
                Some(sum) => builder.binary("arith.addi", sum, term),
                None => term,
            });
        }
        let Some(mut sum) = sum else {
            return builder.index(number.base + number.offset);
        };
        if number.offset > 0 {
            let offset = builder.index(number.offset);
            sum = builder.binary("arith.addi", sum, offset);
        }
        let modulus = builder.index(number.size);
        sum = builder.binary("arith.remui", sum, modulus);
        if number.base > 0 {
            let base = builder.index(number.base);
            sum = builder.binary("arith.addi", sum, base);
        }
        sum
    }

    /// The value of a token; null tokens are emitted by `builder`, once per engine.
    fn value(
        &self,
        token: Token,
        engine: AsyncEngineId,
        builder: &mut Builder<'c>,
        nulls: &mut Nulls<'c>,
    ) -> Value<'c> {
        match token {
            Token::Null | Token::Any => *nulls.entry(engine).or_insert_with(|| match self.ids {
                Some(ids) => builder.index(ids.none()),
                None => convert::null_token(builder, &self.engines[engine]),
            }),
            token => self.values[&token],
        }
    }

    fn for_(&mut self, id: ItemId, body: BlockId) {
        let Some(carried) = self.carried.remove(&id) else {
            self.block(body);
            return;
        };
        let for_ = For::of(self.of.op(id)).expect("the item is a loop");
        let (mut builder, mut nulls) = (Builder::before(for_.op), Nulls::new());
        let mut value = |token, engine| self.value(token, engine, &mut builder, &mut nulls);
        let of = |id: &CarriedId| &self.tokens.carried[*id];
        let init = |id: &CarriedId| {
            if seeded!(LostInitialToken) {
                Token::Null
            } else {
                of(id).init
            }
        };
        let inits: Vec<Value<'c>> = carried.iter().map(|id| value(init(id), of(id).engine)).collect();
        let new = edit::loop_with(for_, &inits);
        let new_body = new.body().expect("just made with a block");
        self.loops.extend(For::of(new).map(|new| (id, new)));
        let (args, results) = (new_body.args(), new.results());
        for (at, id) in carried.iter().enumerate() {
            self.values
                .insert(Token::Carried(*id), args[args.len() - carried.len() + at]);
            self.values
                .insert(Token::Left(*id), results[results.len() - carried.len() + at]);
        }
        self.block(body);
        let terminator = new_body.terminator().expect("moved from the old loop");
        self.yield_(terminator, carried.iter().map(|id| (of(id).next, of(id).engine)));
    }

    /// Adds tokens to a terminator.
    fn yield_(&self, terminator: Op<'c>, tokens: impl Iterator<Item = (Token, AsyncEngineId)>) {
        let (mut builder, mut nulls) = (Builder::before(terminator), Nulls::new());
        let values: Vec<Value<'c>> = tokens
            .map(|(token, engine)| self.value(token, engine, &mut builder, &mut nulls))
            .collect();
        edit::append_operands(terminator, &values);
    }

    fn if_(&mut self, id: ItemId, op: Op<'c>, branches: &[BlockId]) {
        let Some(merged) = self.merged.remove(&id) else {
            for branch in branches {
                self.block(*branch);
            }
            return;
        };
        let types: Vec<Type<'c>> = merged
            .iter()
            .map(|id| match self.ids {
                Some(_) => zpu_ir::ty::index(op.context()),
                None => zpu_ir::ty::token(op.context(), &self.engines[self.tokens.merged[*id].engine]),
            })
            .collect();
        let new = branch_with(op, &types);
        let blocks: Vec<_> = new
            .regions()
            .into_iter()
            .filter_map(|region| region.first_block())
            .collect();
        for (side, block) in blocks.into_iter().enumerate() {
            if let Some(branch) = branches.get(side) {
                self.block(*branch);
            }
            let terminator = block.terminator().expect("both sides yield");
            let tokens = merged.iter().map(|id| &self.tokens.merged[*id]);
            self.yield_(terminator, tokens.map(|token| (token.sides[side], token.engine)));
        }
        let results = new.results();
        for (at, id) in merged.iter().enumerate() {
            self.values
                .insert(Token::Merged(*id), results[results.len() - merged.len() + at]);
        }
    }
}

/// Makes a conditional anew with more results and both branches; the caller adds them to its yields.
fn branch_with<'c>(old: Op<'c>, types: &[Type<'c>]) -> Op<'c> {
    let results: Vec<Type<'c>> = old
        .results()
        .into_iter()
        .map(Value::ty)
        .chain(types.iter().copied())
        .collect();
    let new = Builder::before(old).op_with_regions("scf.if", &old.operands(), &results, &old.attrs(), &[&[], &[]]);
    let sides = old.regions().into_iter().map(|region| region.first_block());
    for (from, to) in sides.zip(new.regions()) {
        let to = to.first_block().expect("just made with a block");
        match from {
            Some(from) => {
                for op in from.ops().collect::<Vec<_>>() {
                    edit::move_to_end(op, to);
                }
            }
            None => {
                Builder::at_end(to, old).op("scf.yield", &[], &[], &[]);
            }
        }
    }
    edit::replace_all(&old.results(), &new.results());
    edit::erase(old);
    new
}
