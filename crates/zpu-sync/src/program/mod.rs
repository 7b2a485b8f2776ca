//! A function as a tree of blocks and items: all that the proof looks at, taken from the IR once.
//!
//! Every operation that touches memory, an engine or a token is an item. Loops and branches are items with blocks of
//! their own; any other control flow is an item whose blocks may be executed in any order and number.

pub(crate) mod atom;
mod build;
pub(crate) mod epoch;
pub(crate) mod facts;
pub(crate) mod infeasible;
pub(crate) mod overlap;
pub(crate) mod path_context;
pub(crate) mod same_id;
pub(crate) mod scope;
pub(crate) mod sights;
pub(crate) mod tracked;

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use zpu_device::{Device, Engine};

use crate::id::{IdVec, id};
use crate::problem::algebra::{Access, Linear, Root};
use crate::problem::view::{For, Op, Value};
use crate::problem::{self, EngineId, Problem};
use crate::program::atom::Atom;
use crate::program::epoch::{Epoch, Instance};
use crate::program::sights::Sights;
use crate::program::tracked::Tracked;

id! {
    /// Number of an item in its program, in program order: what an item holds comes after it.
    pub struct ItemId(u32);
}

id! {
    /// Number of a block in its program: blocks in a block come after it.
    pub struct BlockId(u32);
}

id! {
    /// Number of a root of memory in its program.
    pub(crate) struct RootId(u32);
}

/// A value that leaves a block, and the value that it becomes outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried<'c> {
    /// Inside the loop: the block's argument. Of a branch: the same as `result`.
    pub(crate) inside: Value<'c>,
    /// The value that the operation hands in at first. Of a branch: the one that the first block yields.
    pub(crate) first: Value<'c>,
    /// The value that the body yields. Of a branch: the one that the second block yields.
    pub(crate) next: Value<'c>,
    /// The result.
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
    /// The rest of the length before an iteration; above 0 where there is this iteration.
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
    /// The block up to the condition.
    pub(crate) before: BlockId,
    /// The block after the condition, which is executed where it holds.
    pub(crate) after: BlockId,
    pub(crate) condition: Value<'c>,
    /// Values that the first block begins with: its argument, what comes first, what the second block hands on.
    pub(crate) carried: Vec<(Value<'c>, Value<'c>, Value<'c>)>,
    /// Values that the condition hands on: the second block's argument, the result of the loop, what is handed on.
    pub(crate) passed: Vec<(Value<'c>, Value<'c>, Value<'c>)>,
}

impl<'c> While<'c> {
    /// Values that the first block begins with, the first time.
    pub(crate) fn firsts(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.carried
            .iter()
            .map(|(inside, first, _)| (*inside, *first))
            .collect()
    }

    /// Values that the first block begins with, every other time.
    pub(crate) fn nexts(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.carried.iter().map(|(inside, _, next)| (*inside, *next)).collect()
    }

    /// Values that the second block begins with.
    pub(crate) fn entered(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.passed.iter().map(|(inside, _, value)| (*inside, *value)).collect()
    }

    /// The result.
    pub(crate) fn results(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.passed.iter().map(|(_, result, value)| (*result, *value)).collect()
    }
}

/// The kind of an item.
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
    /// The end of a block where nothing happens. No block lists it.
    End,
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

    /// The blocks that it holds, in order.
    pub(crate) fn blocks(&self) -> Vec<BlockId> {
        match self {
            Self::For(loop_) => vec![loop_.body],
            Self::If(_, blocks, _) | Self::Other(blocks, _) => blocks.clone(),
            Self::While(loop_) => vec![loop_.before, loop_.after],
            Self::Block(block, _) => vec![*block],
            _ => Vec::new(),
        }
    }

    /// True if it is the end of a scope.
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
    /// Its accesses; `None` is anything.
    pub(crate) accesses: Option<Vec<Access<'c>>>,
    /// The roots of its accesses, and whether those write.
    pub(crate) roots: Vec<(RootId, bool)>,
    /// The roots of which it frees the memory, one of them or all.
    pub(crate) frees: Vec<RootId>,
    /// Loops and other control flow around it, outermost first.
    pub(crate) around: Vec<ItemId>,
    /// Branches around it, outermost first.
    pub(crate) branches: Vec<ItemId>,
    /// Tokens that nothing asks for any more once it is over.
    pub(crate) dead: Vec<Value<'c>>,
}

/// A block.
#[derive(Debug)]
pub(crate) struct Block {
    /// The block of the problem.
    pub(crate) source: problem::BlockId,
    /// Its items, in order.
    pub(crate) items: Vec<ItemId>,
    /// The item at its end, whether the block lists it or not.
    pub(crate) end: Option<ItemId>,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Program<'c> {
    pub(crate) problem: &'c Problem,
    pub(crate) device: &'c Device,
    pub(crate) items: IdVec<ItemId, Item<'c>>,
    pub(crate) blocks: IdVec<BlockId, Block>,
    pub(crate) roots: IdVec<RootId, Root<'c>>,
    /// By root: the roots that may be the same memory, itself among them.
    pub(crate) aliases: IdVec<RootId, Vec<RootId>>,
    /// By root: whether control flow may hand it on, so that a value of unknown origin may be it. Only where memory is
    /// freed and there is such a value.
    pub(crate) handed_on: IdVec<RootId, bool>,
    /// By root: whether it is the only name of its memory that is still used.
    pub(crate) owned: IdVec<RootId, bool>,
    /// The block that the program begins with.
    pub(crate) entry: Option<BlockId>,
    /// The number of times that conditions ask for an atom.
    pub(crate) asked: HashMap<Atom<'c>, usize>,
    /// The lengths of all loops of which it is not constant.
    pub(crate) lengths: Vec<Linear<'c>>,
    /// Tokens, and numbers that are waited for.
    pub(crate) tracked: Tracked<'c>,
    /// It is only called from inside the module.
    pub(crate) is_private: bool,
    /// The number of a root, by its value.
    numbers: FxHashMap<Value<'c>, RootId>,
    /// Accesses that walks through it have seen.
    pub(crate) sights: Sights<'c>,
}

impl<'c> Program<'c> {
    /// The number of items that blocks list.
    pub(crate) fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.items.len()).sum()
    }

    /// The number of a root, if an item accesses it.
    pub(crate) fn number_of_root(&self, root: Root<'c>) -> Option<RootId> {
        let mut same = self.roots.enumerate().filter(|(_, known)| **known == root);
        same.next().map(|(number, _)| number)
    }

    /// An engine of the device.
    pub(crate) fn engine(&self, id: EngineId) -> &'c Engine {
        self.problem.engine(id)
    }

    /// An item as it is executed now.
    pub(crate) fn present(&self, item: ItemId) -> Instance {
        let around = self.items[item].around.iter();
        let when = around.map(|loop_| (*loop_, Epoch::Ago(0))).collect();
        Instance { item, when }
    }

    /// True if there are loops in loops.
    pub(crate) fn has_nests(&self) -> bool {
        let is_nest = |item: &Item<'c>| matches!(&item.kind, Kind::For(loop_) if loop_.is_nest);
        self.items.iter().any(is_nest)
    }
}
