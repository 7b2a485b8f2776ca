//! How long the commands that somebody waits for are remembered.
//!
//! A wait for a barrier id means the last command that was started with it. So that a wait gets the command that it
//! wants, a command needs as many ids as there are starts of it from the one that is waited for up to the wait; and
//! between the first start and the last wait nothing else may use them. Both are found by following the token of each
//! wait back to the starts.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::IdVec;
use crate::place::order::{Position, ends};
use crate::place::tokens::{Token, Tokens};
use crate::place::tree::{AsyncEngineId, CommandId, Entry, Tree};
use crate::program::{BlockId, ItemId};

/// No ring is longer; a wait that would need more gets a later command. Tokens are carried no further either.
const LONGEST_RING: i64 = 16;

/// Paths from a wait that are looked at, since each branch on the way may double them. Where there are more, a ring may
/// be shorter than it should be, so that something is waited for too long.
const STEPS: usize = 4096;

/// A command that somebody waits for.
#[derive(Clone, Debug)]
pub(crate) struct Lifetime {
    /// The command.
    pub(crate) command: CommandId,
    /// Its engine.
    pub(crate) engine: AsyncEngineId,
    /// Ids that it needs.
    pub(crate) ring: i64,
    /// The items between which its ids mean something, in program order.
    pub(crate) first: Position,
    pub(crate) last: Position,
    /// It certainly is complete after them.
    completes: bool,
    /// The root that it is in, by position in [`Tree::roots`].
    pub(crate) root: usize,
    /// The root is entered and left with nothing in flight.
    is_apart: bool,
    /// Loops around it.
    loops: Vec<ItemId>,
}

impl Lifetime {
    /// True if the two cannot have an id in common without a wait that is longer than needed, or an id that is used
    /// again on another engine while it is live.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        if self.root != other.root {
            return !(self.is_apart && other.is_apart);
        }
        let (early, late) = if self.first <= other.first {
            (self, other)
        } else {
            (other, self)
        };
        if late.first <= early.last {
            return true;
        }
        let is_repeated = !early.is_apart || early.loops.iter().any(|loop_| late.loops.contains(loop_));
        early.engine != late.engine && !(early.completes && (late.completes || !is_repeated))
    }
}

/// The commands that somebody waits for, in program order. `is_whole` tells that no wait was taken out, so that trees
/// of their own are entered and left with nothing in flight.
pub(crate) fn lifetimes(tree: &Tree<'_>, tokens: &Tokens, is_whole: bool) -> Vec<Lifetime> {
    let mut survey = Survey {
        tree,
        tokens,
        is_apart: is_whole || tree.roots.len() == 1,
        found: BTreeMap::new(),
        ends: ends(tree),
        steps: 0,
    };
    for (item, waits) in &tokens.waits {
        for (_, token) in waits {
            survey.steps = STEPS;
            survey.follow(*token, *item, Path::default());
            if survey.steps == 0 {
                survey.keep_all(*token);
            }
        }
    }
    for (item, waits) in &tokens.waits {
        for (_, token) in waits {
            let Token::Start(command) = token else { continue };
            let is_beside = tree.site(tree.commands[*command].item).block == tree.site(*item).block;
            if let Some(lifetime) = survey.found.get_mut(command) {
                lifetime.completes |= is_beside && lifetime.ring == 1;
            }
        }
    }
    survey.found.into_values().collect()
}

/// The way from a wait back to a token.
#[derive(Clone, Debug, Default)]
struct Path {
    /// Tokens that were passed.
    seen: Vec<Token>,
    /// Loops that carried it.
    loops: Vec<ItemId>,
    /// Loops that the token is looked for in.
    inside: BTreeMap<ItemId, UsedAt>,
    /// Loops that it was carried into.
    before: Vec<(ItemId, UsedAt)>,
}

/// The use of a token in a loop: so many iterations ago, and before which item; none at the end of the body.
type UsedAt = (i64, Option<ItemId>);

struct Survey<'t, 'c> {
    tree: &'t Tree<'c>,
    tokens: &'t Tokens,
    is_apart: bool,
    found: BTreeMap<CommandId, Lifetime>,
    ends: IdVec<ItemId, ItemId>,
    steps: usize,
}

impl Survey<'_, '_> {
    fn follow(&mut self, token: Token, wait: ItemId, mut path: Path) {
        if self.steps == 0 || path.seen.contains(&token) {
            return;
        }
        self.steps -= 1;
        path.seen.push(token);
        match token {
            Token::Null | Token::Any => {}
            Token::Start(command) => self.record(command, wait, &path),
            Token::Merged(id) => {
                for side in self.tokens.merged[id].sides {
                    self.follow(side, wait, path.clone());
                }
            }
            Token::Carried(id) => {
                let carried = &self.tokens.carried[id];
                let (loop_, init, next) = (carried.item, carried.init, carried.next);
                path.loops.push(loop_);
                let here = path.inside.remove(&loop_).unwrap_or((0, Some(wait)));
                let mut earlier = path.clone();
                earlier.inside.insert(loop_, (here.0 + 1, here.1));
                self.follow(next, wait, earlier);
                path.before.push((loop_, here));
                self.follow(init, wait, path);
            }
            Token::Left(id) => {
                let carried = &self.tokens.carried[id];
                let (loop_, init, next) = (carried.item, carried.init, carried.next);
                path.loops.push(loop_);
                path.inside.remove(&loop_);
                let mut last = path.clone();
                last.inside.insert(loop_, (0, None));
                self.follow(next, wait, last);
                self.follow(init, wait, path);
            }
        }
    }

    /// A start that a wait may mean.
    fn record(&mut self, id: CommandId, wait: ItemId, path: &Path) {
        let command = &self.tree.commands[id];
        // Starts of the command between this one and the wait, by iterations of the loops around it.
        let (mut more, mut each) = (0, 1);
        for loop_ in &command.loops {
            let again = |(ago, at): UsedAt| ago + i64::from(at.is_none_or(|at| command.item < at));
            let carried_into = path.before.iter().filter(|(other, _)| other == loop_);
            more += carried_into.map(|(_, here)| again(*here) * each).sum::<i64>();
            if let Some(here) = path.inside.get(loop_).filter(|(ago, _)| *ago > 0) {
                more += (again(*here) - 1) * each;
            }
            let trips = self.tree.loop_of(*loop_).constant_trips.unwrap_or(LONGEST_RING);
            each = (each * trips.clamp(1, LONGEST_RING)).min(LONGEST_RING);
        }
        let ring = (1 + more).min(LONGEST_RING);
        let first = Position::of(path.loops.iter().copied().fold(command.item, ItemId::min));
        let ends = path.loops.iter().map(|loop_| Position::of(self.ends[*loop_]));
        let last = ends.fold(Position::before(wait).max(Position::of(command.item)), Position::max);
        self.keep(id, ring, first, last);
    }

    /// A command needs so many ids between two positions, besides what it needs for other waits.
    fn keep(&mut self, id: CommandId, ring: i64, first: Position, last: Position) {
        let command = &self.tree.commands[id];
        let root = self.root_of(self.tree.site(command.item).block);
        let lifetime = self.found.entry(id).or_insert_with(|| Lifetime {
            command: id,
            engine: command.engine,
            ring,
            first,
            last,
            completes: false,
            root,
            is_apart: self.is_apart,
            loops: command.loops.clone(),
        });
        lifetime.ring = lifetime.ring.max(ring);
        lifetime.first = lifetime.first.min(first);
        lifetime.last = lifetime.last.max(last);
    }

    /// Gives each command that a token may mean ids throughout the function, however the token comes from it.
    fn keep_all(&mut self, token: Token) {
        let (mut open, mut seen) = (vec![token], BTreeSet::new());
        while let Some(token) = open.pop() {
            if !seen.insert(token) {
                continue;
            }
            match token {
                Token::Null | Token::Any => {}
                Token::Start(command) => self.keep(command, 1, Position::FIRST, Position::LAST),
                Token::Merged(id) => open.extend(self.tokens.merged[id].sides),
                Token::Carried(id) | Token::Left(id) => {
                    let carried = &self.tokens.carried[id];
                    open.extend([carried.init, carried.next]);
                }
            }
        }
    }

    fn root_of(&self, mut block: BlockId) -> usize {
        while let Entry::Body(item) | Entry::Branch(item) = self.tree.node(block).entry {
            block = self.tree.site(item).block;
        }
        let roots = &self.tree.roots;
        roots.iter().position(|root| *root == block).unwrap_or(roots.len())
    }
}
