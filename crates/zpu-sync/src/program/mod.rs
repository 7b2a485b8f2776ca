//! A function as a tree of blocks and items: all that the proof looks at, taken from the IR once.
//!
//! Every operation that touches memory, an engine or a token is an item. Loops and branches are items with blocks of
//! their own; any other control flow is an item whose blocks may be executed in any order and number.

pub(crate) mod atom;
pub(crate) mod facts;
pub(crate) mod infeasible;
pub(crate) mod instance;
pub(crate) mod overlap;
pub(crate) mod path_context;
pub(crate) mod same_id;
pub(crate) mod scope;
pub(crate) mod tracked;

use crate::program::atom::{Atom, atom_of};
use crate::program::facts::Facts;
use crate::program::tracked::Tracked;
use std::collections::HashMap;

use crate::problem::Problem;
use crate::problem::view::For;
use crate::problem::view::{Block, Def, Op, Value};
use rustc_hash::FxHashMap;
use zpu_device::Device;

use crate::problem::algebra::Access;
use crate::problem::algebra::Root;
use crate::problem::algebra::{Index, Linear};

/// Position of an item in [`Program::items`].
pub(crate) type ItemId = usize;
/// Position of a block in [`Program::blocks`].
pub(crate) type BlockId = usize;
/// Position of an engine in the device.
pub(crate) type EngineId = usize;

/// A value that leaves a block, and the value that it becomes outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried<'c> {
    /// Inside the loop: the block's argument. Of a branch: the same as `result`.
    pub(crate) inside: Value<'c>,
    /// What the operation hands in at first. Of a branch: what the first block yields.
    pub(crate) first: Value<'c>,
    /// What the body yields. Of a branch: what the second block yields.
    pub(crate) next: Value<'c>,
    /// What comes out.
    pub(crate) result: Value<'c>,
}

/// A counted loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop<'c> {
    pub(crate) for_: For<'c>,
    pub(crate) body: BlockId,
    /// Tokens that it carries.
    pub(crate) tokens: Vec<Carried<'c>>,
    /// The number of iterations, if it is constant.
    pub(crate) constant_trips: Option<i64>,
    /// The number of iterations, if it is an expression.
    pub(crate) trips: Option<Linear<'c>>,
    /// From the lower bound to the upper one, if that is an expression; above 0 where there is an iteration.
    pub(crate) length: Option<Linear<'c>>,
    /// Iterations ago that are told apart; what is older counts as one.
    pub(crate) horizon: u32,
    /// It has loops inside.
    pub(crate) is_nest: bool,
}

impl<'c> Loop<'c> {
    /// What is left of the length before an iteration; above 0 where there is this iteration.
    pub(crate) fn length_from(&self, iteration: i64) -> Option<Linear<'c>> {
        let length = self.length.as_ref()?;
        if iteration == 0 {
            return Some(length.clone());
        }
        let gone = self.for_.step().as_constant_int()?.checked_mul(iteration)?;
        length.add_scaled(&Linear::constant(gone), -1)
    }
}

/// A loop that goes on as long as a condition holds.
#[derive(Clone, Debug)]
pub(crate) struct While<'c> {
    /// What is executed up to the condition, each time.
    pub(crate) before: BlockId,
    /// What is executed behind it, where it holds.
    pub(crate) after: BlockId,
    pub(crate) condition: Value<'c>,
    /// Values that the first block begins with: its argument, what comes first, what the second block hands on.
    pub(crate) carried: Vec<(Value<'c>, Value<'c>, Value<'c>)>,
    /// Values that the condition hands on: the second block's argument, the result of the loop, what is handed on.
    pub(crate) passed: Vec<(Value<'c>, Value<'c>, Value<'c>)>,
}

impl<'c> While<'c> {
    /// What the first block begins with, the first time.
    pub(crate) fn firsts(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.carried
            .iter()
            .map(|(inside, first, _)| (*inside, *first))
            .collect()
    }

    /// The same, every other time.
    pub(crate) fn nexts(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.carried.iter().map(|(inside, _, next)| (*inside, *next)).collect()
    }

    /// What the second block begins with.
    pub(crate) fn entered(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.passed.iter().map(|(inside, _, value)| (*inside, *value)).collect()
    }

    /// What comes out.
    pub(crate) fn results(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.passed.iter().map(|(_, result, value)| (*result, *value)).collect()
    }
}

/// What an item is.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'c> {
    /// An asynchronous command with its token and barrier id.
    Start(EngineId, Value<'c>, Option<Value<'c>>),
    /// A command that is complete before the next operation.
    Synchronous(EngineId),
    /// A wait for a token.
    Wait(Value<'c>),
    /// A wait for a barrier id.
    WaitId(Value<'c>),
    /// A wait for all that some engines were given.
    Fence(Vec<EngineId>),
    /// A token that covers no command.
    Null(Value<'c>),
    /// One token, or one number of a barrier id, or another.
    Choice(Value<'c>, [Value<'c>; 2]),
    /// An access of the control stream itself.
    Access,
    /// The end of a scope of automatic allocations, as a write of all of them; of a loop's body, in each iteration.
    ScopeEnd,
    /// A block that is executed once, and the tokens that come out of it.
    Block(BlockId, Vec<(Value<'c>, Value<'c>)>),
    /// The end of the function.
    Return,
    /// A counted loop.
    For(Loop<'c>),
    /// A branch: its condition, its blocks (the second may be missing), its tokens.
    If(Value<'c>, Vec<BlockId>, Vec<Carried<'c>>),
    /// A loop with a condition.
    While(While<'c>),
    /// Any other control flow: blocks in any order, any number of times; values that may be tokens.
    Other(Vec<BlockId>, Vec<Value<'c>>),
}

impl<'c> Kind<'c> {
    /// The number of the barrier id that it takes or waits for.
    pub(crate) fn id(&self) -> Option<Value<'c>> {
        match self {
            Self::Start(.., id) => *id,
            Self::WaitId(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether it is the end of a scope.
    pub(crate) fn is_scope_end(&self) -> bool {
        matches!(self, Self::ScopeEnd)
    }

    /// The engine of an asynchronous command.
    pub(crate) fn engine(&self) -> Option<EngineId> {
        if let Self::Start(engine, ..) = self {
            Some(*engine)
        } else {
            None
        }
    }
}

/// An operation that matters.
#[derive(Debug)]
pub(crate) struct Item<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) kind: Kind<'c>,
    /// What it reads and writes; `None` is anything.
    pub(crate) accesses: Option<Vec<Access<'c>>>,
    /// Its accesses by number of root, and whether they write.
    pub(crate) roots: Vec<(usize, bool)>,
    /// The roots of which it frees the memory, one of them or all.
    pub(crate) frees: Vec<usize>,
    /// Loops and other control flow around it, outermost first.
    pub(crate) around: Vec<ItemId>,
    /// Branches around it, outermost first.
    pub(crate) branches: Vec<ItemId>,
    /// Tokens that nothing asks for any more once it is over.
    pub(crate) dead: Vec<Value<'c>>,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Program<'c> {
    pub(crate) problem: &'c Problem,
    pub(crate) device: &'c Device,
    pub(crate) items: Vec<Item<'c>>,
    pub(crate) blocks: Vec<Vec<ItemId>>,
    pub(crate) roots: Vec<Root<'c>>,
    /// By number of root: the roots that may be the same memory, itself among them.
    pub(crate) aliases: Vec<Vec<usize>>,
    /// By number of root: whether control flow may hand it on, so that a value of unknown origin may be it. Only where
    /// memory is freed and there is such a value.
    pub(crate) handed_on: Vec<bool>,
    /// The function's own block, if it has exactly one.
    pub(crate) entry: Option<BlockId>,
    /// How often is asked for what conditions are about.
    pub(crate) asked: HashMap<Atom<'c>, usize>,
    /// The lengths of all loops of which it is not constant.
    pub(crate) lengths: Vec<Linear<'c>>,
    /// Tokens, and numbers that are waited for.
    pub(crate) tracked: Tracked<'c>,
    /// It is only called from inside the module.
    pub(crate) is_private: bool,
    /// The number of a root, by its value.
    numbers: FxHashMap<Value<'c>, usize>,
}

impl<'c> Program<'c> {
    pub(crate) fn of(problem: &'c Problem) -> Self {
        let function = problem.function();
        let mut program = Self {
            problem,
            device: &problem.device,
            items: Vec::new(),
            blocks: Vec::new(),
            roots: Vec::new(),
            aliases: Vec::new(),
            handed_on: Vec::new(),
            entry: None,
            asked: HashMap::new(),
            lengths: Vec::new(),
            tracked: Tracked::of(problem),
            is_private: problem.is_private,
            numbers: FxHashMap::default(),
        };
        if let Some(block) = function.only_block() {
            let mut scope = Scope::default();
            program.entry = Some(program.block(block, &mut scope));
        }
        for item in &program.items {
            let condition = match &item.kind {
                Kind::If(condition, ..) => Some(*condition),
                Kind::Choice(result, _) => result.defining_op().map(|op| op.operand(0)),
                Kind::For(loop_) if loop_.constant_trips.is_none() => {
                    program.lengths.extend(loop_.length.clone());
                    None
                }
                _ => None,
            };
            if let Some(condition) = condition {
                *program.asked.entry(atom_of(condition).0).or_default() += 1;
            }
        }
        let roots = &program.roots;
        let is_handed_on = |root: &Root<'c>| problem.handed_on.contains(&root.value().id);
        program.handed_on = roots.iter().map(is_handed_on).collect();
        program.find_dead_tokens();
        program.aliases = aliases(&program.roots);
        program
    }

    /// Whether there are loops in loops.
    pub(crate) fn has_nests(&self) -> bool {
        let is_nest = |item: &Item<'c>| matches!(&item.kind, Kind::For(loop_) if loop_.is_nest);
        self.items.iter().any(is_nest)
    }

    fn block(&mut self, block: Block<'c>, scope: &mut Scope<'c>) -> BlockId {
        let id = self.blocks.len();
        self.blocks.push(Vec::new());
        for op in block.ops() {
            if let Some(item) = self.item(op, scope) {
                self.blocks[id].push(item);
            }
        }
        self.end(id, block, scope);
        id
    }

    /// The end of a scope comes before the operation that leaves it, whose values are handed on after it.
    fn end(&mut self, id: BlockId, block: Block<'c>, scope: &Scope<'c>) {
        let ending = block.ending();
        if let Some(end) = block.terminator().filter(|_| !ending.is_empty()) {
            let item = self.push(end, Kind::ScopeEnd, Some(ending), scope);
            self.blocks[id].push(item);
        }
    }

    fn item(&mut self, op: Op<'c>, scope: &mut Scope<'c>) -> Option<ItemId> {
        let engine = || op.engines().first().copied();
        let simple = match op.name() {
            "zpu.dma_start" | "zpu.compute_start" => {
                let ids = if op.is("zpu.dma_start") { 2 } else { 0 };
                let id = (op.num_operands() > ids).then(|| op.operand(ids));
                Some(Kind::Start(engine()?, op.result(0), id))
            }
            "zpu.dma" | "zpu.compute" => Some(Kind::Synchronous(engine()?)),
            "zpu.dma_wait" | "zpu.compute_wait" => Some(Kind::Wait(op.operand(0))),
            "zpu.id_wait" => Some(Kind::WaitId(op.operand(0))),
            "zpu.barrier" => Some(Kind::Fence(op.engines().to_vec())),
            "zpu.null_token" => Some(Kind::Null(op.result(0))),
            "arith.select" if self.tracked.contains(op.result(0)) => {
                Some(Kind::Choice(op.result(0), [op.operand(1), op.operand(2)]))
            }
            "func.return" => Some(Kind::Return),
            "arith.select" => return None,
            _ => None,
        };
        if let Some(kind) = simple {
            let known = match kind {
                Kind::Start(..) | Kind::Synchronous(_) => op.accesses(),
                _ => Some(Vec::new()),
            };
            return Some(self.push(op, kind, known, scope));
        }
        if let Some(for_) = For::of(op) {
            return Some(self.counted(for_, scope));
        }
        if op.is("scf.if") {
            return Some(self.branch(op, scope));
        }
        if op.is("scf.while") {
            return Some(self.repeated(op, scope).unwrap_or_else(|| self.other(op, scope)));
        }
        if matches!(op.name(), "memref.alloca_scope" | "scf.execute_region")
            && let Some(block) = op.only_block()
        {
            return Some(self.once(op, block, scope));
        }
        if !op.blocks().is_empty() {
            return Some(self.other(op, scope));
        }
        Some(self.push(op, Kind::Access, op.accesses(), scope))
    }

    fn push(&mut self, op: Op<'c>, kind: Kind<'c>, accesses: Option<Vec<Access<'c>>>, scope: &Scope<'c>) -> ItemId {
        let mut accesses = accesses;
        accesses
            .iter_mut()
            .flatten()
            .for_each(|access| scope.facts.refine(access));
        let mut roots = Vec::new();
        for access in accesses.iter().flatten() {
            let root = access.region.root;
            let number = self.number_of(root);
            if !roots.contains(&(number, access.write)) {
                roots.push((number, access.write));
            }
        }
        let is_end = matches!(kind, Kind::ScopeEnd) || matches!(kind, Kind::Access) && op.frees();
        let written = roots.iter().filter(|(_, write)| is_end && *write);
        let frees = written.map(|(root, _)| *root).collect();
        self.items.push(Item {
            op,
            kind,
            accesses,
            roots,
            frees,
            around: scope.around.clone(),
            branches: scope.branches.clone(),
            dead: Vec::new(),
        });
        self.items.len() - 1
    }

    /// The number of a root. Of a global there may be several values.
    fn number_of(&mut self, root: Root<'c>) -> usize {
        let known = self.numbers.get(&root.value()).copied();
        if let Some(number) = known.filter(|number| self.roots[*number] == root) {
            return number;
        }
        let number = self.roots.iter().position(|known| *known == root).unwrap_or_else(|| {
            self.roots.push(root);
            self.roots.len() - 1
        });
        self.numbers.insert(root.value(), number);
        number
    }

    /// Finds where each token is asked for last, if that is in an item of the block in which it is made.
    fn find_dead_tokens(&mut self) {
        let numbers: FxHashMap<Op<'c>, ItemId> =
            self.items.iter().enumerate().map(|(id, item)| (item.op, id)).collect();
        let uses = self.problem.uses();
        let mut made: Vec<(Value<'c>, Option<ItemId>)> = Vec::new();
        for (id, item) in self.items.iter().enumerate() {
            made.extend(item.op.results().into_iter().map(|value| (value, Some(id))));
            if let Kind::For(loop_) = &item.kind {
                made.extend(loop_.tokens.iter().map(|carried| (carried.inside, None)));
            }
        }
        for (value, maker) in made {
            if !value.is_token() {
                continue;
            }
            let block = match value.def() {
                Def::Argument(block, _) => Some(block),
                Def::Result(op, _) => op.block(),
            };
            let last = uses[value.id.at()].iter().try_fold(maker, |last, (user, _)| {
                let mut owners = std::iter::successors(Some(self.problem.op(*user)), |op| op.parent());
                let beside = owners.find(|op| op.block() == block)?;
                // What hands it on at the end of the block is no use of it, although it may be an item: a scope ends
                // there.
                let is_end = beside.block().and_then(|block| block.terminator()) == Some(beside);
                let id = *numbers.get(&beside).filter(|_| !is_end)?;
                Some(last.max(Some(id)))
            });
            if let Some(Some(last)) = last {
                self.items[last].dead.push(value);
            }
        }
    }

    fn counted(&mut self, for_: For<'c>, scope: &mut Scope<'c>) -> ItemId {
        let id = self.push(for_.op, Kind::Access, Some(Vec::new()), scope);
        scope.around.push(id);
        let body = self.block(for_.body, scope);
        scope.around.pop();
        let (arguments, yields, results) = (for_.iter_args(), for_.yields(), for_.op.results());
        let carried = for_.inits().into_iter().enumerate().map(|(i, first)| Carried {
            inside: arguments[i],
            first,
            next: yields[i],
            result: results[i],
        });
        let is_tracked =
            |carried: &Carried<'c>| self.tracked.contains(carried.inside) || self.tracked.contains(carried.result);
        // Conditions may be carried as far as tokens are.
        let (tokens, others): (Vec<Carried<'c>>, Vec<Carried<'c>>) = carried.partition(is_tracked);
        let is_number = |carried: &Carried<'c>| carried.inside.bits().is_some();
        let numbers: Vec<Carried<'c>> = others.into_iter().filter(is_number).collect();
        let constant_trips = for_.constant_trip_count();
        self.items[id].kind = Kind::For(Loop {
            for_,
            body,
            horizon: horizon(&tokens).max(horizon(&numbers)).max(self.horizon_of_ids(id)),
            is_nest: self.has_loops_inside(id),
            tokens,
            constant_trips,
            length: length(for_),
            trips: constant_trips.map(Linear::constant).or_else(|| counted_from_zero(for_)),
        });
        id
    }

    /// Whether there are loops in the one that was taken apart last.
    fn has_loops_inside(&self, loop_: ItemId) -> bool {
        let is_loop = |item: &Item<'c>| matches!(item.kind, Kind::For(_) | Kind::While(_) | Kind::Other(..));
        self.items[loop_ + 1..].iter().any(is_loop)
    }

    /// Enough iterations to tell the commands apart that rings of barrier ids hold, in the loop that was taken apart
    /// last. Numbers that are waited for by name are followed without that.
    fn horizon_of_ids(&self, loop_: ItemId) -> u32 {
        let inside = &self.items[loop_..];
        let op = inside[0].op;
        let ids = inside
            .iter()
            .filter_map(|item| if let Kind::Start(.., id) = item.kind { id } else { None });
        let sizes = ids.map(Value::index);
        let sizes = sizes.map(|index| match &index {
            Index::Modulo(modulo) if index.depends_on(op) => u32::try_from(modulo.modulus)
                .unwrap_or(MOST_TOLD_APART)
                .min(MOST_TOLD_APART),
            _ => 1,
        });
        let sizes = sizes.filter(|_| self.tracked.compares);
        sizes.max().map_or(0, |size| size + 2)
    }

    fn branch(&mut self, op: Op<'c>, scope: &mut Scope<'c>) -> ItemId {
        let id = self.push(op, Kind::Access, Some(Vec::new()), scope);
        scope.branches.push(id);
        let blocks = op.blocks();
        let yields: Vec<Vec<Value<'c>>> = blocks.iter().map(|block| block.yields()).collect();
        let mut ids = Vec::new();
        for (index, block) in blocks.into_iter().enumerate() {
            let outside = scope.facts.clone();
            scope.facts.assume(op.operand(0), index == 0);
            ids.push(self.block(block, scope));
            scope.facts = outside;
        }
        scope.branches.pop();
        let carried = op.results().into_iter().enumerate().filter_map(|(i, result)| {
            Some(Carried {
                inside: result,
                first: *yields.first()?.get(i)?,
                next: *yields.get(1)?.get(i)?,
                result,
            })
        });
        let tokens = carried
            .filter(|carried| self.tracked.contains(carried.result))
            .collect();
        self.items[id].kind = Kind::If(op.operand(0), ids, tokens);
        id
    }

    fn once(&mut self, op: Op<'c>, block: Block<'c>, scope: &mut Scope<'c>) -> ItemId {
        let id = self.push(op, Kind::Access, Some(Vec::new()), scope);
        let yields = block.yields();
        let inside = self.block(block, scope);
        let results = op.results().into_iter().zip(yields);
        let tokens = results.filter(|(result, _)| self.tracked.contains(*result)).collect();
        self.items[id].kind = Kind::Block(inside, tokens);
        id
    }

    fn repeated(&mut self, op: Op<'c>, scope: &mut Scope<'c>) -> Option<ItemId> {
        let [before, after] = op.blocks().try_into().ok()?;
        let end = before.terminator()?;
        let (mut passed, yields) = (end.operands(), after.terminator()?.operands());
        let condition = (!passed.is_empty()).then(|| passed.remove(0))?;
        let of_three = |a: Vec<Value<'c>>, b: Vec<Value<'c>>, c: Vec<Value<'c>>| {
            let pairs = a.into_iter().zip(b).zip(c);
            pairs.map(|((a, b), c)| (a, b, c)).collect::<Vec<_>>()
        };
        let id = self.push(op, Kind::Access, Some(Vec::new()), scope);
        scope.around.push(id);
        let blocks = [before, after].map(|block| self.block(block, scope));
        scope.around.pop();
        self.items[id].kind = Kind::While(While {
            before: blocks[0],
            after: blocks[1],
            condition,
            carried: of_three(before.args(), op.operands(), yields),
            passed: of_three(after.args(), op.results(), passed),
        });
        Some(id)
    }

    fn other(&mut self, op: Op<'c>, scope: &mut Scope<'c>) -> ItemId {
        let id = self.push(op, Kind::Access, Some(Vec::new()), scope);
        scope.around.push(id);
        let blocks = op.blocks();
        let arguments = blocks.iter().flat_map(|block| block.args());
        let values = arguments.chain(op.results());
        let tokens = values.filter(|value| self.tracked.contains(*value)).collect();
        let ids = blocks.iter().map(|block| self.block(*block, scope)).collect();
        scope.around.pop();
        self.items[id].kind = Kind::Other(ids, tokens);
        id
    }
}

/// Where an operation stands.
#[derive(Default)]
struct Scope<'c> {
    around: Vec<ItemId>,
    branches: Vec<ItemId>,
    facts: Facts<'c>,
}

/// By number of root: the roots that may be the same memory, itself among them. Memory that is made in the function is
/// that of no other root whose origin is known, so that only the others are compared with all.
fn aliases<'c>(roots: &[Root<'c>]) -> Vec<Vec<usize>> {
    let others: Vec<usize> = (0..roots.len()).filter(|root| !roots[*root].is_distinct()).collect();
    let of_root = |(number, root): (usize, &Root<'c>)| -> Vec<usize> {
        if !root.is_distinct() {
            return (0..roots.len()).filter(|other| root.may_alias(roots[*other])).collect();
        }
        let mut same: Vec<usize> = others
            .iter()
            .copied()
            .filter(|other| root.may_alias(roots[*other]))
            .collect();
        same.push(number);
        same.sort_unstable();
        same
    };
    roots.iter().enumerate().map(of_root).collect()
}

/// Iterations of a loop that are told apart at most.
const MOST_TOLD_APART: u32 = 32;

/// Two more than the longest way of a value from iteration to iteration.
fn horizon(tokens: &[Carried<'_>]) -> u32 {
    let mut handed: FxHashMap<Value<'_>, usize> = FxHashMap::default();
    for (at, token) in tokens.iter().enumerate() {
        handed.entry(token.next).or_insert(at);
    }
    let step = |at: usize| handed.get(&tokens[at].inside).copied();
    let length = |start: usize| {
        let mut length = 0;
        let mut at = start;
        while let Some(next) = step(at).filter(|next| *next != at) {
            at = next;
            length += 1;
            if length >= MOST_TOLD_APART {
                break;
            }
        }
        length
    };
    2 + (0..tokens.len()).map(length).max().unwrap_or(0)
}

/// The upper bound of a loop less the lower one.
fn length<'c>(for_: For<'c>) -> Option<Linear<'c>> {
    match (for_.lower().index(), for_.upper().index()) {
        (Index::Linear(lower), Index::Linear(upper)) if !for_.is_unsigned() => upper.add_scaled(&lower, -1),
        _ => None,
    }
}

/// The upper bound of a loop from 0 with step 1; where it is negative, nothing of the loop is left to speak of.
fn counted_from_zero<'c>(for_: For<'c>) -> Option<Linear<'c>> {
    let counts = for_.lower().as_constant_int() == Some(0) && for_.step().as_constant_int() == Some(1);
    match for_.upper().index() {
        Index::Linear(linear) if counts && !for_.is_unsigned() => Some(linear),
        _ => None,
    }
}
