//! Writes barrier ids in the place of tokens.
//!
//! A token becomes the number of an id: loops carry and branches yield it as they would the token. A command takes its
//! ids in turn, by the number of the iteration. Where there may be nothing to wait for the number is none, and the wait
//! is guarded, unless the device returns at once from a wait for an id that no command was started with, and one is
//! left over.

use std::collections::BTreeSet;

use crate::id::IdVec;
use crate::place::allocate::{Allocation, Means, Ring, allocate};
use crate::place::lifetime::lifetimes;
use crate::place::tokens::{Token, Tokens};
use crate::place::tree::{AsyncEngineId, CommandId, Engines, Tree};
use crate::program::ItemId;

/// Barrier ids of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Ids that may be used.
    pub ids: i64,
    /// A wait for an id that no command was started with returns at once.
    pub returns: bool,
}

/// The number that stands for nothing to wait for where no id does.
const NONE: i64 = -1;

/// The ids of a function's commands.
#[derive(Clone, Debug)]
pub struct Ids {
    allocation: Allocation,
    /// The number that stands for nothing to wait for.
    none: i64,
    /// Tokens that may be that.
    guarded: BTreeSet<Token>,
    /// The number of ids that would tell all commands apart.
    exact: i64,
    /// Engines that are waited for by a fence before the return, since some way leaves a command with an id in flight.
    pub fenced_at_end: Vec<AsyncEngineId>,
}

impl Ids {
    /// Ids for all commands that somebody waits for. `is_whole` tells that no wait was taken out.
    pub(crate) fn of(tree: &Tree<'_>, tokens: &Tokens, engines: &Engines, limit: Limit, is_whole: bool) -> Self {
        let lifetimes = lifetimes(tree, tokens, is_whole);
        let exact: i64 = allocate(&lifetimes, engines, i64::MAX).used;
        let allocation = allocate(&lifetimes, engines, limit.ids);
        let has_spare = limit.returns && allocation.used < limit.ids;
        let ids = Self {
            none: if has_spare { allocation.used } else { NONE },
            allocation,
            guarded: BTreeSet::new(),
            exact,
            fenced_at_end: Vec::new(),
        };
        ids.with(tokens)
    }

    /// The number of ids that are used, and of those that would tell all commands apart.
    pub fn counts(&self) -> (i64, i64) {
        (self.allocation.used, self.exact)
    }

    /// By engine: what it gets of the ids.
    pub fn means(&self) -> &IdVec<AsyncEngineId, Means> {
        &self.allocation.means
    }

    /// The ids, with the guards that these tokens need.
    pub(crate) fn with(mut self, tokens: &Tokens) -> Self {
        self.guarded.clear();
        let waited = tokens.waits.values().flatten().map(|(_, token)| *token);
        let may_be_none = |token: &Token| may_be_none(tokens, *token, &mut BTreeSet::new());
        if self.none == NONE {
            self.guarded.extend(waited.filter(may_be_none));
        }
        self
    }

    /// The ids of the commands that one of these tokens waits for, and none for the others.
    pub(crate) fn only_for(&self, tree: &Tree<'_>, tokens: &Tokens) -> Self {
        let waited: BTreeSet<CommandId> = lifetimes(tree, tokens, true)
            .iter()
            .map(|lifetime| lifetime.command)
            .collect();
        let mut ids = self.clone().with(tokens);
        ids.allocation.rings.retain(|command, _| waited.contains(command));
        ids
    }

    /// True if an engine has no ids.
    pub fn is_fenced(&self, engine: AsyncEngineId) -> bool {
        self.allocation.means[engine] == Means::Fence
    }

    /// True if there may be nothing to wait for.
    pub fn is_guarded(&self, token: Token) -> bool {
        self.guarded.contains(&token)
    }

    /// The number that stands for nothing to wait for.
    pub fn none(&self) -> i64 {
        self.none
    }

    /// The id of a command that somebody waits for: `base + (offset + sum of scale * iteration) mod size`, with a scale
    /// for each of the loops around it that count, innermost first.
    pub fn of_command(&self, tree: &Tree<'_>, command: CommandId) -> Option<CommandNumber> {
        let Ring { base, size, offset } = *self.allocation.rings.get(&command)?;
        let mut loops = Vec::new();
        // Iterations of all loops around, as far as those inside have a known number of them.
        let mut scale = 1;
        for loop_ in &tree.commands[command].loops {
            if size == 1 || scale == 0 {
                break;
            }
            loops.push((*loop_, scale));
            match tree.loop_of(*loop_).constant_trips {
                Some(trips) => scale = scale * (trips % size) % size,
                None => break,
            }
        }
        Some(CommandNumber {
            base,
            size,
            offset,
            loops,
        })
    }
}

/// The id of a command as an expression.
#[derive(Clone, Debug)]
pub struct CommandNumber {
    /// The first id of the ring.
    pub base: i64,
    /// Ids in it.
    pub size: i64,
    /// Position of the command's first id in the ring.
    pub offset: i64,
    /// Loops whose iterations count, each with its factor.
    pub loops: Vec<(ItemId, i64)>,
}

fn may_be_none(tokens: &Tokens, token: Token, seen: &mut BTreeSet<Token>) -> bool {
    if !seen.insert(token) {
        return false;
    }
    match token {
        Token::Null => true,
        Token::Any | Token::Start(_) => false,
        Token::Carried(id) | Token::Left(id) => {
            let carried = &tokens.carried[id];
            may_be_none(tokens, carried.init, seen) || may_be_none(tokens, carried.next, seen)
        }
        Token::Merged(id) => tokens.merged[id]
            .sides
            .into_iter()
            .any(|side| may_be_none(tokens, side, seen)),
    }
}
