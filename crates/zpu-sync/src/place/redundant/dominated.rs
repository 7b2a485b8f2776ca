//! Removes waits for tokens that are complete anyway, and takes waits out of loops that only the first iteration needs.
//!
//! The function is walked in program order with the tokens that are complete on every path: those that were waited for,
//! and all that are no later than one of them. A loop's carried token is complete in every iteration if it is in the
//! first one and what the loop yields for it is complete at the end of the body. If only the first is missing, a wait
//! before the loop gives it, and the one inside goes. Where the loop starts something on another engine before it, that
//! start may have to wait once; there, a wait is taken out only if what that may take is less than what the waits of
//! the other iterations cost.
//!
//! Of two branches in one block with the same condition, the second one's sides go on with what was complete on the
//! first one's.

use std::collections::{BTreeMap, BTreeSet};

use crate::problem::view::Value;
use rustc_hash::FxHashSet;

use crate::id::{Id, IdVec};
use crate::place::order::{Position, TokenOrder};
use crate::place::tokens::{Carried, CarriedId, Merged, MergedId, Token, Tokens};
use crate::place::tree::{AsyncEngineId, CommandId, Engines, Role, Tree};
use crate::program::{BlockId, ItemId};

/// The latest complete tokens that are remembered for each engine; more are only recognised as themselves. Every token
/// that becomes complete is compared with each of them.
const MOST_LATEST: usize = 12;

/// Walks through a loop's body until what is complete in all iterations is found; then nothing is taken to be. Each
/// walk leaves out one carried token at least, so that loops with fewer of them always come to an end.
const MOST_ROUNDS: usize = 24;

/// The number of loops that a wait may be taken out of: each takes one more walk through the whole function.
const MOST_LEVELS: usize = 4;

type Waits = BTreeMap<ItemId, Vec<(AsyncEngineId, Token)>>;

/// Tokens that are looked through for the commands that a wait may be for; with more, the longest of them is taken to
/// be endless.
const MOST_COMMANDS: usize = 64;

/// Iterations that a loop is taken to have if their number is not constant: a guess, which decides only where a wait
/// before the loop may cost more than those inside.
const USUAL_TRIPS: u64 = 16;

/// Costs of waits and commands.
pub(crate) struct Prices<'a> {
    /// Cycles of a wait for what is complete.
    pub(crate) wait: u64,
    /// Cycles of a command on its engine.
    pub(crate) command: &'a dyn Fn(CommandId) -> u64,
}

/// The tokens without the waits, and what loops carry for them, that are not needed.
pub(crate) fn without_dominated(tree: &Tree<'_>, mut tokens: Tokens, engines: &Engines, prices: &Prices<'_>) -> Tokens {
    for _ in 0..MOST_LEVELS {
        let mut walk = Walk::new(tree, &tokens, engines, prices);
        for root in &tree.roots {
            walk.block(*root, true);
            walk.leave(Mark::default());
            walk.latest = none_of_each(engines);
        }
        let (waits, is_done) = (walk.waits, !walk.has_hoisted);
        tokens.waits = waits;
        if is_done {
            break;
        }
    }
    used_only(&tokens)
}

/// A point that the walk can go back to.
#[derive(Clone, Debug, Default)]
struct Mark {
    trail: usize,
    latest: IdVec<AsyncEngineId, Vec<Token>>,
}

fn none_of_each(engines: &Engines) -> IdVec<AsyncEngineId, Vec<Token>> {
    engines.ids().map(|_| Vec::new()).collect()
}

struct Walk<'t, 'c> {
    tree: &'t Tree<'c>,
    tokens: &'t Tokens,
    prices: &'t Prices<'t>,
    order: TokenOrder<'t, 'c>,
    carried: BTreeMap<ItemId, Vec<CarriedId>>,
    merged: BTreeMap<ItemId, Vec<MergedId>>,
    /// Tokens that are complete, and in which order they became it.
    complete: FxHashSet<Token>,
    trail: Vec<(AsyncEngineId, Token)>,
    /// The latest of them for each engine.
    latest: IdVec<AsyncEngineId, Vec<Token>>,
    /// The waits that stay, and those before loops.
    waits: Waits,
    has_hoisted: bool,
    /// Tokens that are complete where a condition of the blocks around us is true, or is false.
    facts: Vec<Fact<'c>>,
}

/// Tokens that are complete on a side of all branches with a condition.
struct Fact<'c> {
    condition: Value<'c>,
    side: usize,
    complete: Vec<(AsyncEngineId, Token)>,
}

impl<'t, 'c> Walk<'t, 'c> {
    fn new(tree: &'t Tree<'c>, tokens: &'t Tokens, engines: &Engines, prices: &'t Prices<'t>) -> Self {
        let (mut carried, mut merged) = (BTreeMap::new(), BTreeMap::new());
        for (id, token) in tokens.carried.enumerate() {
            carried.entry(token.item).or_insert_with(Vec::new).push(id);
        }
        for (id, token) in tokens.merged.enumerate() {
            merged.entry(token.item).or_insert_with(Vec::new).push(id);
        }
        Self {
            tree,
            tokens,
            prices,
            order: TokenOrder::new(tree, tokens),
            carried,
            merged,
            complete: FxHashSet::default(),
            trail: Vec::new(),
            latest: none_of_each(engines),
            waits: Waits::new(),
            has_hoisted: false,
            facts: Vec::new(),
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len(),
            latest: self.latest.clone(),
        }
    }

    fn leave(&mut self, mark: Mark) {
        for (_, token) in self.trail.drain(mark.trail..) {
            self.complete.remove(&token);
        }
        self.latest = mark.latest;
    }

    fn is_complete(&mut self, engine: AsyncEngineId, token: Token) -> bool {
        if matches!(token, Token::Null | Token::Any) || self.complete.contains(&token) {
            return true;
        }
        let mut latest = self.latest[engine].iter().rev();
        latest.any(|other| self.order.is_no_later(token, *other))
    }

    fn completed(&mut self, engine: AsyncEngineId, token: Token) {
        if matches!(token, Token::Null | Token::Any) || !self.complete.insert(token) {
            return;
        }
        self.trail.push((engine, token));
        let (order, latest) = (&mut self.order, &mut self.latest[engine]);
        if latest.iter().rev().any(|other| order.is_no_later(token, *other)) {
            return;
        }
        latest.retain(|other| !order.is_no_later(*other, token));
        latest.push(token);
        if latest.len() > MOST_LATEST {
            latest.remove(0);
        }
    }

    /// Goes through a block; with `keeps` notes which waits stay.
    fn block(&mut self, block: BlockId, keeps: bool) {
        let known = self.facts.len();
        for item in &self.tree.node(block).items {
            self.waits(*item, keeps);
            match &self.tree.site(*item).role {
                Role::Access | Role::Command(..) => {}
                Role::Loop(body) => self.loop_(*item, *body, keeps),
                Role::If(branches) => self.branch(*item, branches, keeps),
            }
        }
        self.facts.truncate(known);
    }

    fn waits(&mut self, item: ItemId, keeps: bool) {
        let tokens = self.tokens;
        let Some(list) = tokens.waits.get(&item) else { return };
        for (at, (engine, token)) in list.iter().enumerate() {
            // Of two before one operation the later one is enough.
            let mut behind = list.iter().enumerate().skip(at + 1);
            let is_early = behind.any(|(_, (other, later))| other == engine && self.order.is_no_later(*token, *later));
            if is_early || self.is_complete(*engine, *token) {
                continue;
            }
            self.completed(*engine, *token);
            if keeps {
                self.waits.entry(item).or_default().push((*engine, *token));
            }
        }
    }

    fn branch(&mut self, item: ItemId, branches: &[BlockId], keeps: bool) {
        let merged = self.merged.get(&item).cloned().unwrap_or_default();
        let mark = self.mark();
        let mut both: Vec<(AsyncEngineId, Token)> = Vec::new();
        let mut results: BTreeSet<MergedId> = merged.iter().copied().collect();
        let condition = self.tree.site(item).op.operand(0);
        let mut facts: Vec<Fact<'c>> = Vec::new();
        for side in 0..2 {
            let known = self
                .facts
                .iter()
                .filter(|fact| fact.condition == condition && fact.side == side);
            let known: Vec<(AsyncEngineId, Token)> = known.flat_map(|fact| &fact.complete).copied().collect();
            for (engine, token) in known {
                self.completed(engine, token);
            }
            if let Some(branch) = branches.get(side) {
                self.block(*branch, keeps);
            }
            let here: Vec<MergedId> = results.iter().copied().collect();
            for id in here {
                let result = &self.tokens.merged[id];
                if !self.is_complete(result.engine, result.sides[side]) {
                    results.remove(&id);
                }
            }
            let mut complete = self.outer_since(&mark, item);
            for id in &merged {
                let Merged { engine, sides, .. } = self.tokens.merged[*id];
                if self.is_complete(engine, sides[side]) {
                    complete.push((engine, Token::Merged(*id)));
                }
            }
            facts.push(Fact {
                condition,
                side,
                complete,
            });
            if side == 0 {
                both = self.outer_since(&mark, item);
            } else {
                both.retain(|(engine, token)| self.is_complete(*engine, *token));
            }
            self.leave(mark.clone());
        }
        for (engine, token) in both {
            self.completed(engine, token);
        }
        for id in results {
            self.completed(self.tokens.merged[id].engine, Token::Merged(id));
        }
        self.facts.extend(facts);
    }

    /// Tokens that became complete since the mark and have their values from before the item.
    fn outer_since(&self, mark: &Mark, item: ItemId) -> Vec<(AsyncEngineId, Token)> {
        let is_outer = |(_, token): &&(AsyncEngineId, Token)| self.order.position(*token) < Position::before(item);
        self.trail[mark.trail..].iter().filter(is_outer).copied().collect()
    }

    fn loop_(&mut self, item: ItemId, body: BlockId, keeps: bool) {
        let carried = self.carried.get(&item).cloned().unwrap_or_default();
        let tokens = self.tokens;
        let of = |id: &CarriedId| -> &'t Carried { &tokens.carried[*id] };
        let movable = self.movable(item, body);
        let is_repeated = self.order.trips(item) != Some(1);
        let mut assumed: Vec<CarriedId> = Vec::new();
        for id in &carried {
            if movable.contains(id) || self.is_complete(of(id).engine, of(id).init) {
                assumed.push(*id);
            }
        }
        let mut open: BTreeSet<CarriedId> = BTreeSet::new();
        for id in &assumed {
            if !self.is_complete(of(id).engine, of(id).init) {
                open.insert(*id);
            }
        }
        // What is complete in every iteration, if it is in the first one.
        let mark = self.mark();
        let mut is_inside = false;
        for round in 0.. {
            if assumed.is_empty() {
                break;
            }
            self.enter(body, &assumed, false);
            let before = assumed.len();
            let mut kept = Vec::new();
            for id in assumed {
                if !is_repeated || self.is_complete(of(&id).engine, of(&id).next) {
                    kept.push(id);
                }
            }
            assumed = kept;
            is_inside = assumed.len() == before;
            if is_inside {
                break;
            }
            self.leave(mark.clone());
            if round == MOST_ROUNDS {
                assumed.clear();
                break;
            }
        }
        // The body was gone through with just this: again for each loop around would double with every level of a nest.
        let is_done = is_inside && !keeps && assumed.iter().all(|id| !open.contains(id));
        let mark = if is_done {
            mark
        } else {
            if is_inside {
                self.leave(mark);
            }
            self.hoist(item, &assumed, keeps);
            let mark = self.mark();
            self.enter(body, &assumed, keeps);
            mark
        };
        let is_entered = self.order.is_entered(item);
        let mut behind = if is_entered {
            self.outer_since(&mark, item)
        } else {
            Vec::new()
        };
        let mut at_end: Vec<CarriedId> = Vec::new();
        for id in &carried {
            if self.is_complete(of(id).engine, of(id).next) {
                at_end.push(*id);
            }
        }
        self.leave(mark);
        for id in at_end {
            if is_entered || self.is_complete(of(&id).engine, of(&id).init) {
                behind.push((of(&id).engine, Token::Left(id)));
            }
        }
        for (engine, token) in behind {
            self.completed(engine, token);
        }
    }

    /// Goes through a loop's body with carried tokens that are complete.
    fn enter(&mut self, body: BlockId, complete: &[CarriedId], keeps: bool) {
        for id in complete {
            self.completed(self.tokens.carried[*id].engine, Token::Carried(*id));
        }
        self.block(body, keeps);
    }

    /// The carried tokens that the body itself waits for and may as well be waited for once before the loop.
    fn movable(&self, loop_: ItemId, body: BlockId) -> BTreeSet<CarriedId> {
        let mut found = BTreeSet::new();
        if self.order.trips(loop_) == Some(1) {
            return found;
        }
        let others = self
            .order
            .trips(loop_)
            .map_or(USUAL_TRIPS, |trips| u64::try_from(trips).unwrap_or(0));
        let saved = self.prices.wait.saturating_mul(others.saturating_sub(1));
        // The only engine on which something was started, if it is one.
        let (mut busy, mut is_top) = (None, true);
        for item in &self.tree.node(body).items {
            for (engine, token) in self.tokens.waits.get(item).into_iter().flatten() {
                let Token::Carried(id) = token else { continue };
                let is_free = is_top && busy.is_none_or(|busy| busy == *engine);
                let chain = self.chain(*id);
                let longest = |id: &CarriedId| self.longest(self.tokens.carried[*id].init);
                let lost = chain.iter().map(longest).fold(0, u64::saturating_add);
                if self.tokens.carried[*id].item == loop_ && (is_free && chain.len() == 1 || lost <= saved) {
                    found.extend(chain);
                }
            }
            match &self.tree.site(*item).role {
                Role::Command(_, engine) if busy.is_none_or(|busy| busy == *engine) => busy = Some(*engine),
                _ => is_top = false,
            }
        }
        found
    }

    /// A carried token with those that it is in later iterations, if all of them come from before the loop; else
    /// itself.
    fn chain(&self, id: CarriedId) -> Vec<CarriedId> {
        let mut chain = vec![id];
        loop {
            match self.tokens.carried[chain[chain.len() - 1]].next {
                Token::Null => return chain,
                Token::Carried(next) if chain.last() == Some(&next) => return chain,
                Token::Carried(next) if !chain.contains(&next) => chain.push(next),
                _ => return vec![id],
            }
        }
    }

    /// The most cycles of a command that a token may stand for.
    fn longest(&self, token: Token) -> u64 {
        let (mut open, mut seen, mut most) = (vec![token], FxHashSet::default(), 0);
        while let Some(token) = open.pop().filter(|_| seen.len() < MOST_COMMANDS) {
            if let Token::Start(command) = token {
                most = most.max((self.prices.command)(command));
            } else if seen.insert(token) {
                open.extend(self.order.ways(token).into_iter().flatten());
            }
        }
        if open.is_empty() { most } else { u64::MAX }
    }

    /// Waits before a loop for the tokens that are complete in all of its iterations but the first.
    fn hoist(&mut self, item: ItemId, assumed: &[CarriedId], keeps: bool) {
        let mut missing: Vec<(AsyncEngineId, Token)> = Vec::new();
        for id in assumed {
            let Carried { engine, init, .. } = self.tokens.carried[*id];
            if !self.is_complete(engine, init) && !missing.contains(&(engine, init)) {
                missing.push((engine, init));
            }
        }
        // The latest stands for the others, and one of several that are the same for all of them.
        let mut latest: Vec<(AsyncEngineId, Token)> = Vec::new();
        for (engine, token) in missing {
            let mut no_earlier = latest.iter().filter(|(other, _)| *other == engine);
            if no_earlier.any(|(_, later)| self.order.is_no_later(token, *later)) {
                continue;
            }
            latest.retain(|(other, early)| *other != engine || !self.order.is_no_later(*early, token));
            latest.push((engine, token));
        }
        for (engine, token) in latest {
            self.completed(engine, token);
            if keeps {
                self.waits.entry(item).or_default().push((engine, token));
                self.has_hoisted = true;
            }
        }
    }
}

/// The tokens that somebody waits for, and those that lead to them.
pub(crate) fn used_only(tokens: &Tokens) -> Tokens {
    let (mut carried, mut merged) = (BTreeMap::new(), BTreeMap::new());
    let mut open: Vec<Token> = tokens.waits.values().flatten().map(|(_, token)| *token).collect();
    while let Some(token) = open.pop() {
        match token {
            Token::Null | Token::Any | Token::Start(_) => {}
            Token::Carried(id) | Token::Left(id) => {
                if carried.insert(id, id).is_none() {
                    open.extend([tokens.carried[id].init, tokens.carried[id].next]);
                }
            }
            Token::Merged(id) => {
                if merged.insert(id, id).is_none() {
                    open.extend(tokens.merged[id].sides);
                }
            }
        }
    }
    renumber(&mut carried);
    renumber(&mut merged);
    let renamed = |token: Token| match token {
        Token::Carried(id) => Token::Carried(carried[&id]),
        Token::Left(id) => Token::Left(carried[&id]),
        Token::Merged(id) => Token::Merged(merged[&id]),
        other => other,
    };
    let carry = |id: &CarriedId| {
        let Carried {
            item,
            engine,
            init,
            next,
        } = tokens.carried[*id];
        Carried {
            item,
            engine,
            init: renamed(init),
            next: renamed(next),
        }
    };
    let merge = |id: &MergedId| {
        let Merged { item, engine, sides } = tokens.merged[*id];
        Merged {
            item,
            engine,
            sides: sides.map(renamed),
        }
    };
    let waits = tokens.waits.iter();
    Tokens {
        carried: carried.keys().map(carry).collect(),
        merged: merged.keys().map(merge).collect(),
        waits: waits
            .map(|(item, list)| {
                let list = list.iter().map(|(engine, token)| (*engine, renamed(*token)));
                (*item, list.collect())
            })
            .collect(),
    }
}

/// Gives those that are left the numbers from 0 on.
fn renumber<I: Id>(numbers: &mut BTreeMap<I, I>) {
    for (at, new) in numbers.values_mut().enumerate() {
        *new = I::new(at);
    }
}
