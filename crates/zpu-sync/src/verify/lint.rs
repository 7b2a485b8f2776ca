//! What harms nobody on this machine and was hardly meant: a command that is waited for twice, and barrier ids that
//! some path gives and does not wait for, or waits for and does not give.
//!
//! The control stream is executed for chosen arguments as [`refute`](super::refute) does it, without looking at memory,
//! and what is loaded from memory is drawn. A warning names the path: the arguments for which it is taken. zpu-sim says
//! the same of the paths that it takes.

use std::collections::BTreeMap;

use crate::problem::view::Value;
use crate::report::{Message, Note, note};

use super::finding::who;
use super::must_waits::must_waits;
use super::program::{ItemId, Kind, Program};
use super::refute::candidate_inputs;
use super::witness::execute_waits_only;
use crate::index::range;

/// Executions at most.
const MOST_CALLS: usize = 24;

/// Steps that all of them may take together.
const PATIENCE: u64 = 200_000;

/// Something to warn of, at the operation where it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lint {
    /// A wait for a command for which an earlier wait has waited on all ways here, or the same wait, by the name that
    /// the command was given or by the same value. Another name, that a loop carries or a branch yields, may be for
    /// another command next time.
    WaitedTwice { first: ItemId, again: ItemId },
    /// An id is given to a command while nothing has waited for the one before that has it, on the same engine, and it
    /// is not waited for behind that either, nor is a later command of the engine. Commands of one engine may share an
    /// id: the wait for the last one is one for all.
    Retaken { owner: ItemId, new_owner: ItemId },
    /// The function ends, and nothing has waited for the command that has an id.
    LeftLive { owner: ItemId },
    /// A wait for an id that no command was given, where the machine goes on.
    NeverGiven { wait: ItemId },
}

impl Lint {
    /// Where it is reported.
    fn at(self) -> ItemId {
        match self {
            Self::WaitedTwice { again: at, .. }
            | Self::Retaken { new_owner: at, .. }
            | Self::LeftLive { owner: at }
            | Self::NeverGiven { wait: at } => at,
        }
    }

    /// Of equal kinds at one place, one is enough.
    fn key(self) -> (ItemId, u8) {
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
pub(super) type Turn = u64;

/// What became of one barrier id on the way.
#[derive(Debug)]
pub(super) struct Use {
    /// The command that has it.
    pub(super) new_owner: ItemId,
    /// Several operations may give it, on this way or on another one.
    pub(super) is_shared: bool,
    /// Commands that were given it and not waited for by it.
    pub(super) open: u64,
    /// The first wait for it since it was given, in which turn.
    pub(super) first: Option<(ItemId, Turn)>,
    /// Others and commands of their engine that were given it while those had it, since it was waited for, with the
    /// number of the command.
    pub(super) again: BTreeMap<(ItemId, ItemId), u64>,
}

impl Use {
    /// That of an id which a command is about to be given.
    pub(super) fn by(program: &Program<'_>, new_owner: ItemId, id: i64) -> Self {
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
    pub(super) fn take(&mut self, new_owner: ItemId, number: u64, is_live: bool) {
        self.open = if is_live { self.open + 1 } else { 1 };
        if is_live && new_owner != self.new_owner {
            self.again.insert((self.new_owner, new_owner), number);
        }
        (self.new_owner, self.first) = (new_owner, None);
    }

    /// It is waited for.
    pub(super) fn wait(&mut self, wait: ItemId, turn: Turn) {
        self.open = self.open.saturating_sub(1);
        self.first.get_or_insert((wait, turn));
        self.again.clear();
    }
}

/// Whether more than one operation may give an id.
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

/// What is hardly meant of the waits and ids of a function, each at most once for each kind.
pub(super) fn lints(program: &Program<'_>) -> Vec<Message> {
    let is_wait = |kind: &Kind<'_>| matches!(kind, Kind::Wait(_) | Kind::WaitId(_) | Kind::Start(.., Some(_)));
    if program.items.iter().filter(|item| is_wait(&item.kind)).count() == 0 {
        return Vec::new();
    }
    let mut found: BTreeMap<(ItemId, u8), (Lint, String)> = BTreeMap::new();
    let (mut steps, passed) = (0, must_waits(program));
    for menu in candidate_inputs(program).into_iter().take(MOST_CALLS) {
        let witness = execute_waits_only(program, menu, &passed);
        steps += witness.steps;
        for lint in &witness.lints {
            found.entry(lint.key()).or_insert_with(|| (*lint, witness.call()));
        }
        if witness.chosen.is_empty() || steps > PATIENCE {
            break;
        }
    }
    found.values().map(|(lint, call)| say(program, *lint, call)).collect()
}

fn say(program: &Program<'_>, lint: Lint, call: &str) -> Message {
    let op = |item: ItemId| program.items[item].op;
    let given = |item: ItemId| format!("the barrier id of {}", who(program, item));
    let (message, mut notes): (String, Vec<Note>) = match lint {
        Lint::WaitedTwice { first, again } => {
            let is_token = matches!(program.items[again].kind, Kind::Wait(_));
            let what = match (is_token, first == again) {
                (true, true) => {
                    "waits for a command that was waited for, each time after the first; this orders nothing more"
                }
                (true, false) => "waits for a token that was waited for; this orders nothing more",
                _ => {
                    "waits for a barrier id that was waited for, and on this way no command was given it since: the id \
                     is not balanced"
                }
            };
            let notes = (first != again).then(|| note(op(first), "the first wait for it"));
            (what.to_owned(), notes.into_iter().collect())
        }
        Lint::Retaken { owner, new_owner } if owner == new_owner => (
            format!(
                "{} is given again before anything has waited for it: the id is not balanced; wait for it before",
                given(new_owner)
            ),
            Vec::new(),
        ),
        Lint::Retaken { owner, .. } => (
            format!(
                "{} is given again before anything has waited for it: the id is not balanced; wait for it before",
                given(owner)
            ),
            vec![note(op(owner), format!("{} was given it here", who(program, owner)))],
        ),
        Lint::LeftLive { owner } => (
            format!(
                "{} is live when the function ends: the id is not balanced; wait for it before",
                given(owner)
            ),
            Vec::new(),
        ),
        Lint::NeverGiven { .. } => (
            "waits for a barrier id that no command was given: the id is not balanced, and this orders nothing"
                .to_owned(),
            Vec::new(),
        ),
    };
    let at = op(lint.at());
    if !call.is_empty() {
        notes.push(note(
            program.problem.function(),
            format!("it happens for example when {call}"),
        ));
    }
    Message {
        at: at.id,
        text: message,
        notes,
    }
}
