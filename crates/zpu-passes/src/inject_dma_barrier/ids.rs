//! Writes barrier ids in the place of tokens.
//!
//! A token becomes the number of an id: loops carry and branches yield it as they would the token. A command takes its
//! ids in turn, by the number of the iteration. Where there may be nothing to wait for the number is none, and the wait
//! is guarded, unless the device returns at once from a wait for an id that no command was started with, and one is
//! left over.

use std::collections::{BTreeMap, BTreeSet};

use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Remark, RemarkKind, Value};

use super::PASS;
use super::allocate::{Allocation, Means, Ring, allocate};
use super::lifetime::lifetimes;
use super::tokens::{Token, Tokens};
use super::tree::{CommandId, EngineId, ItemId, Tree};
use crate::iteration_number::iteration_number;

/// What there is on the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// Ids that may be used.
    pub(super) ids: i64,
    /// Whether a wait for an id that no command was started with returns at once.
    pub(super) returns: bool,
}

/// The number that stands for nothing to wait for where no id does.
const NONE: i64 = -1;

/// The ids of a function's commands.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    allocation: Allocation,
    /// The number that stands for nothing to wait for.
    none: i64,
    /// Tokens that may be that.
    guarded: BTreeSet<Token>,
    /// How many would tell all commands apart.
    exact: i64,
    /// Engines that are waited for by a fence in front of the return, since some way leaves a command with an id in
    /// flight.
    pub(super) fenced_at_end: Vec<EngineId>,
}

impl Ids {
    /// Ids for all commands that somebody waits for. `is_whole` tells that no wait was taken out.
    pub(super) fn of(tree: &Tree<'_>, tokens: &Tokens, engines: usize, limit: Limit, is_whole: bool) -> Self {
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

    /// Remarks on how many there are, and on what had to be given up.
    pub(super) fn tell(&self, function: Op<'_>, engines: &[String], limit: Limit) {
        let Self { allocation, exact, .. } = self;
        let needed = usize::try_from(*exact).unwrap_or(usize::MAX);
        for (engine, means) in engines.iter().zip(&allocation.means) {
            let (name, message) = match means {
                Means::Own => continue,
                Means::Shared(size) => (
                    "ids-shared",
                    format!(
                        "{exact} barrier ids tell all commands apart, {} may be used: the commands of @{engine} share \
                         {size}, and \
                         waits may take longer",
                        limit.ids
                    ),
                ),
                Means::Fence => (
                    "ids-exhausted",
                    format!(
                        "{exact} barrier ids tell all commands apart, {} may be used: none is left for @{engine}, \
                         whose waits \
                         become fences",
                        limit.ids
                    ),
                ),
            };
            Remark::new(function, RemarkKind::Missed, PASS, name)
                .message(message)
                .metric("Needed", needed)
                .emit();
        }
        Remark::new(function, RemarkKind::Passed, PASS, "barrier-ids")
            .message(format!(
                "{} barrier ids, {exact} tell all commands apart",
                allocation.used
            ))
            .metric("Ids", usize::try_from(allocation.used).unwrap_or(0))
            .metric("Needed", needed)
            .emit();
    }

    /// The same ids, with what these tokens have to be guarded by.
    pub(super) fn with(mut self, tokens: &Tokens) -> Self {
        self.guarded.clear();
        let waited = tokens.waits.values().flatten().map(|(_, token)| *token);
        let may_be_none = |token: &Token| may_be_none(tokens, *token, &mut BTreeSet::new());
        if self.none == NONE {
            self.guarded.extend(waited.filter(may_be_none));
        }
        self
    }

    /// The same ids for the commands that one of these tokens waits for, and none for the others.
    pub(super) fn only_for(&self, tree: &Tree<'_>, tokens: &Tokens) -> Self {
        let waited: BTreeSet<CommandId> = lifetimes(tree, tokens, true)
            .iter()
            .map(|lifetime| lifetime.command)
            .collect();
        let mut ids = self.clone().with(tokens);
        ids.allocation.rings.retain(|command, _| waited.contains(command));
        ids
    }

    /// Whether an engine has no ids.
    pub(super) fn is_fenced(&self, engine: EngineId) -> bool {
        self.allocation.means[engine] == Means::Fence
    }

    /// Whether there may be nothing to wait for.
    pub(super) fn is_guarded(&self, token: Token) -> bool {
        self.guarded.contains(&token)
    }

    /// What stands for nothing to wait for.
    pub(super) fn none<'c>(&self, builder: &mut Builder<'c>) -> Value<'c> {
        builder.index(self.none)
    }

    /// The id of a command that somebody waits for. `loops` are the loops that were written anew.
    pub(super) fn of_command<'c>(
        &self,
        tree: &Tree<'c>,
        command: CommandId,
        loops: &BTreeMap<ItemId, For<'c>>,
        builder: &mut Builder<'c>,
    ) -> Option<Value<'c>> {
        let Ring { base, size, offset } = *self.allocation.rings.get(&command)?;
        let mut number: Option<Value<'c>> = None;
        // Iterations of all loops around, as far as those inside have a known number of them.
        let mut scale = 1;
        for loop_ in &tree.commands[command].loops {
            if size == 1 || scale == 0 {
                break;
            }
            let for_ = loops.get(loop_).copied().unwrap_or_else(|| tree.for_of(*loop_));
            let mut term = iteration_number(builder, for_);
            if scale > 1 {
                let scale = builder.index(scale);
                term = builder.binary("arith.muli", term, scale);
            }
            number = Some(match number {
                Some(number) => builder.binary("arith.addi", number, term),
                None => term,
            });
            match tree.trips(*loop_).constant {
                Some(trips) => scale = scale * (trips % size) % size,
                None => break,
            }
        }
        let Some(mut number) = number else {
            return Some(builder.index(base + offset));
        };
        if offset > 0 {
            let offset = builder.index(offset);
            number = builder.binary("arith.addi", number, offset);
        }
        let modulus = builder.index(size);
        number = builder.binary("arith.remui", number, modulus);
        if base > 0 {
            let base = builder.index(base);
            number = builder.binary("arith.addi", number, base);
        }
        Some(number)
    }
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
