//! Uses of waits and barrier ids in one execution, and what of them was hardly meant.

use std::collections::BTreeMap;

use crate::index::range;
use crate::problem::view::Value;
use crate::program::{ItemId, Kind, Program};

/// Something to warn of, at the operation where it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lint {
    /// A wait for a command for which an earlier wait has waited on all ways here, or the same wait, by the name that
    /// the command was given or by the same value. Another name, that a loop carries or a branch yields, may be for
    /// another command next time.
    WaitedTwice { first: ItemId, again: ItemId },
    /// An id is given to a command while nothing has waited for the one before that has it, on the same engine, and it
    /// is not waited for after that either, nor is a later command of the engine. Commands of one engine may share an
    /// id: the wait for the last one is one for all.
    Retaken { owner: ItemId, new_owner: ItemId },
    /// The function ends, and nothing has waited for the command that has an id.
    LeftLive { owner: ItemId },
    /// A wait for an id that no command was given, where the machine goes on.
    NeverGiven { wait: ItemId },
}

impl Lint {
    /// The item at which it is reported.
    pub(crate) fn at(self) -> ItemId {
        match self {
            Self::WaitedTwice { again: at, .. }
            | Self::Retaken { new_owner: at, .. }
            | Self::LeftLive { owner: at }
            | Self::NeverGiven { wait: at } => at,
        }
    }

    /// Of equal kinds at one place, one is enough.
    pub(crate) fn key(self) -> (ItemId, u8) {
        let kind = match self {
            Self::WaitedTwice { .. } => 0,
            Self::Retaken { .. } => 1,
            Self::LeftLive { .. } => 2,
            Self::NeverGiven { .. } => 3,
        };
        (self.at(), kind)
    }
}

/// Number of one execution of a block. As long as a block is running, all that comes has passed what it has done so
/// far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockRun(u64);

impl BlockRun {
    /// The next execution of any block.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Uses of one barrier id in one execution.
#[derive(Debug)]
pub(crate) struct Use {
    /// The command that has it.
    pub(crate) new_owner: ItemId,
    /// Several operations may give it, on this way or on another one.
    pub(crate) is_shared: bool,
    /// Commands that were given it and not waited for by it.
    pub(crate) open: u64,
    /// The first wait for it since it was given, in which run.
    pub(crate) first: Option<(ItemId, BlockRun)>,
    /// Others and commands of their engine that were given it while those had it, since it was waited for, with the
    /// number of the command.
    pub(crate) again: BTreeMap<(ItemId, ItemId), u64>,
}

impl Use {
    /// That of an id which a command is about to be given.
    pub(crate) fn by(program: &Program<'_>, new_owner: ItemId, id: i64) -> Self {
        Self {
            new_owner,
            is_shared: is_given_by_several(program, id),
            open: 0,
            first: None,
            again: BTreeMap::new(),
        }
    }

    /// A command with that number on its engine is given the id, while another one of the engine is live with it or
    /// not.
    pub(crate) fn take(&mut self, new_owner: ItemId, number: u64, is_live: bool) {
        self.open = if is_live { self.open + 1 } else { 1 };
        if is_live && new_owner != self.new_owner {
            self.again.insert((self.new_owner, new_owner), number);
        }
        (self.new_owner, self.first) = (new_owner, None);
    }

    /// It is waited for.
    pub(crate) fn wait(&mut self, wait: ItemId, run: BlockRun) {
        self.open = self.open.saturating_sub(1);
        self.first.get_or_insert((wait, run));
        self.again.clear();
    }
}

/// True if more than one operation may give an id.
fn is_given_by_several(program: &Program<'_>, id: i64) -> bool {
    let ids = program.items.iter().filter_map(|item| match item.kind {
        Kind::Start(.., given) => given,
        _ => None,
    });
    let may_be = |index: &Value<'_>| {
        let range = range::of_index(&index.index());
        let (least, most) = (range.least.unwrap_or(i128::MIN), range.most.unwrap_or(i128::MAX));
        (least..=most).contains(&i128::from(id))
    };
    ids.filter(may_be).count() > 1
}
