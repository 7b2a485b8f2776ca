//! Takes a problem apart: the only place that decides which operations are items, and what each one is.
//!
//! Proof, witnesses, checks and placement all walk what is built here. An operation of a block is an item unless it is
//! a choice of numbers that nobody waits for.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use crate::id::IdVec;
use crate::problem::algebra::{Access, Index, Linear, Root};
use crate::problem::view::{self, Def, For, Op, Value};
use crate::problem::{Problem, ValueId};
use crate::program::atom::atom_of;
use crate::program::facts::Facts;
use crate::program::sights::Sights;
use crate::program::tracked::Tracked;
use crate::program::{Block, BlockId, Carried, Item, ItemId, Kind, Loop, Program, RootId, While};

impl<'c> Program<'c> {
    /// The program of a function; one without an entry if its blocks branch to each other.
    pub(crate) fn of(problem: &'c Problem) -> Self {
        let mut program = Self::beginning_with(problem, problem.function().only_block());
        program.find_questions();
        program.find_dead_tokens();
        program.aliases = aliases(&program.roots);
        program
    }

    /// The items and blocks of a function's first block, whatever that branches to. No walk can ask it for dead tokens,
    /// aliases, or how often conditions are asked for.
    pub(crate) fn of_first_block(problem: &'c Problem) -> Self {
        Self::beginning_with(problem, problem.function().blocks().first().copied())
    }

    fn beginning_with(problem: &'c Problem, entry: Option<view::Block<'c>>) -> Self {
        let mut program = Self {
            problem,
            device: &problem.device,
            items: IdVec::new(),
            blocks: IdVec::new(),
            roots: IdVec::new(),
            aliases: IdVec::new(),
            handed_on: IdVec::new(),
            owned: IdVec::new(),
            entry: None,
            asked: HashMap::new(),
            lengths: Vec::new(),
            tracked: Tracked::of(problem),
            is_private: problem.is_private,
            numbers: FxHashMap::default(),
            sights: Sights::default(),
        };
        if let Some(block) = entry {
            let mut scope = Scope::default();
            program.entry = Some(program.block(block, &mut scope));
        }
        program
    }

    /// Finds what items ask for, and which roots are handed on.
    fn find_questions(&mut self) {
        for item in &self.items {
            let condition = match &item.kind {
                Kind::If(condition, ..) => Some(*condition),
                Kind::Choice(result, _) => result.defining_op().map(|op| op.operand(0)),
                Kind::For(loop_) if loop_.constant_trips.is_none() => {
                    self.lengths.extend(loop_.length.clone());
                    None
                }
                _ => None,
            };
            if let Some(condition) = condition {
                *self.asked.entry(atom_of(condition).0).or_default() += 1;
            }
        }
        let is_in = |list: &[ValueId], root: &Root<'c>| list.contains(&root.value().id);
        let problem = self.problem;
        self.handed_on = self.roots.iter().map(|root| is_in(&problem.handed_on, root)).collect();
        self.owned = self.roots.iter().map(|root| is_in(&problem.owned, root)).collect();
    }

    fn block(&mut self, block: view::Block<'c>, scope: &mut Scope<'c>) -> BlockId {
        let id = self.blocks.push(Block {
            source: block.id,
            items: Vec::new(),
            end: None,
        });
        for op in block.ops() {
            if let Some(item) = self.item(op, scope) {
                self.blocks[id].items.push(item);
            }
        }
        self.blocks[id].end = block.terminator().map(|end| self.end(id, end, block.ending(), scope));
        id
    }

    /// The end of a scope comes before the operation that leaves it, whose values are handed on after it.
    fn end(&mut self, id: BlockId, end: Op<'c>, ending: Vec<Access<'c>>, scope: &Scope<'c>) -> ItemId {
        if !ending.is_empty() {
            let item = self.push(end, Kind::ScopeEnd, Some(ending), scope);
            self.blocks[id].items.push(item);
            return item;
        }
        let last = self.blocks[id].items.last().copied();
        last.filter(|last| self.items[*last].op == end)
            .unwrap_or_else(|| self.push(end, Kind::End, Some(Vec::new()), &Scope::default()))
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
        let mut frees: Vec<RootId> = written.map(|(root, _)| *root).collect();
        if accesses.is_none() && op.frees() {
            frees.extend(op.passed().into_iter().map(|root| self.number_of(root)));
        }
        self.items.push(Item {
            op,
            kind,
            accesses,
            roots,
            frees,
            around: scope.around.clone(),
            branches: scope.branches.clone(),
            dead: Vec::new(),
        })
    }

    /// The number of a root. Of a global there may be several values.
    fn number_of(&mut self, root: Root<'c>) -> RootId {
        let known = self.numbers.get(&root.value()).copied();
        if let Some(number) = known.filter(|number| self.roots[*number] == root) {
            return number;
        }
        let number = self.number_of_root(root).unwrap_or_else(|| self.roots.push(root));
        self.numbers.insert(root.value(), number);
        number
    }

    /// Finds where each token is asked for last, if that is in an item of the block in which it is made.
    fn find_dead_tokens(&mut self) {
        let numbers: FxHashMap<Op<'c>, ItemId> = self.items.enumerate().map(|(id, item)| (item.op, id)).collect();
        let uses = self.problem.uses();
        let mut made: Vec<(Value<'c>, Option<ItemId>)> = Vec::new();
        for (id, item) in self.items.enumerate() {
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

    /// True if there are loops in the one that was taken apart last.
    fn has_loops_inside(&self, loop_: ItemId) -> bool {
        let is_loop = |item: &Item<'c>| matches!(item.kind, Kind::For(_) | Kind::While(_) | Kind::Other(..));
        self.items.tail(loop_).iter().skip(1).any(is_loop)
    }

    /// Enough iterations to tell the commands apart that rings of barrier ids hold, in the loop that was taken apart
    /// last. Numbers that are waited for by name are followed without that.
    fn horizon_of_ids(&self, loop_: ItemId) -> u32 {
        let inside = self.items.tail(loop_);
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

    fn once(&mut self, op: Op<'c>, block: view::Block<'c>, scope: &mut Scope<'c>) -> ItemId {
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

/// The surroundings of an operation.
#[derive(Default)]
struct Scope<'c> {
    around: Vec<ItemId>,
    branches: Vec<ItemId>,
    facts: Facts<'c>,
}

/// By number of root: the roots that may be the same memory, itself among them. Memory that is made in the function is
/// that of no other root whose origin is known, so that only the others are compared with all.
fn aliases<'c>(roots: &IdVec<RootId, Root<'c>>) -> IdVec<RootId, Vec<RootId>> {
    let others: Vec<RootId> = roots.ids().filter(|root| !roots[*root].is_distinct()).collect();
    let of_root = |(number, root): (RootId, &Root<'c>)| -> Vec<RootId> {
        if !root.is_distinct() {
            return roots.ids().filter(|other| root.may_alias(roots[*other])).collect();
        }
        let mut same: Vec<RootId> = others
            .iter()
            .copied()
            .filter(|other| root.may_alias(roots[*other]))
            .collect();
        same.push(number);
        same.sort_unstable();
        same
    };
    roots.enumerate().map(of_root).collect()
}

/// Iterations of a loop that are told apart at most: each command in the loop has an instance for each, and states are
/// sets of instances. It is twice the furthest that placement carries a token.
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
