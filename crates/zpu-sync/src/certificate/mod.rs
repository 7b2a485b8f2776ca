//! A proof that can be checked: the loop invariants of a walk that proved a program, and the ways on which it went.
//!
//! The proof searches: for how closely it has to look, for what is known at the head of a loop, for which predicates
//! have to be told apart. Its result needs no search. A [`Certificate`] holds the choices of the walk that found
//! nothing against the program, in the order of the walk; [`check`] follows them with a simple machine of its own.
//!
//! A [`Walk`] goes through a block and those inside it. It decides, at an item,
//!
//! - to *split*: the rest of the block is walked once for each answer of the predicate that the item asks;
//! - about a *loop*: how many first iterations are walked one by one, and the invariant at the head of all later ones.
//!   The body is walked once from there, and its end has to be ⊑ the invariant again.
//!
//! ```json
//! {"loop": {"at": 7, "horizon": 3, "singles": [{}, {}, {}], "rest": {"invariant": {"outstanding": [1, 2],
//!  "tokens": [{"value": 4, "covers": [1]}]}}}}
//! ```
//!
//! Whatever the check accepts is proven, whoever has written the certificate. [`text`] reads and writes it.

mod check;
pub mod text;

pub use crate::program::epoch::Epoch;
pub use check::{Rejection, check};

use serde::{Deserialize, Serialize};

use crate::index::Root;
use crate::problem::{Ids, OpId, ValueId};

/// A record that the check follows through the walk that proved a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The name of the function.
    pub function: String,
    /// Command instances; invariants name them by their positions here.
    pub instances: Vec<Instance>,
    /// The walk through the function.
    pub walk: Walk,
}

/// A command and when it was issued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The operation that starts it.
    pub start: OpId,
    /// Its epoch for each loop around it, outermost first.
    pub epochs: Vec<Epoch>,
}

/// Decisions in the order in which a walk comes to them.
pub type Walk = Vec<Decision>;

/// A choice that the walk has made at an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    /// The rest of the block, with this operation, is walked once for each answer of what it asks.
    Split {
        /// A branch, or a loop that may have no iteration.
        at: OpId,
        /// The walk where the answer is yes.
        holds: Walk,
        /// The walk where it is no.
        fails: Walk,
    },
    /// The way in which a loop is walked.
    Loop(Loop),
}

/// A walk through a loop, or through control flow that is not followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// The loop.
    pub at: OpId,
    /// Iterations ago that are told apart.
    pub horizon: u32,
    /// The first iterations, which are walked one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub singles: Vec<Body>,
    /// The last iteration is walked apart from those before it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub splits_last: bool,
    /// All later iterations; none if the loop is over by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
}

/// All iterations of a loop that are not walked one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// State at the head of each of them.
    pub invariant: Invariant,
    /// The walk through any of them.
    #[serde(default, skip_serializing_if = "Body::is_empty")]
    pub body: Body,
}

/// Walks through the body of a loop from one state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The walk of an iteration; of one that is not the last, where that is told apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walk: Walk,
    /// The walk of the same iteration as the last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub as_last: Walk,
}

/// A state: all that may be, and what is known of waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// Every command that may be in flight is among these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outstanding: Vec<usize>,
    /// Tokens and numbers of barrier ids; others cover nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<Token>,
    /// Commands with barrier ids, in the order in which they took them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<Owner>,
    /// Memory that may have been freed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freed: Vec<Root<Ids>>,
    /// Memory of earlier iterations that may have been freed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freed_before: Vec<Root<Ids>>,
}

/// A wait for a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The value.
    pub value: ValueId,
    /// Outstanding commands that are complete after a wait for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<usize>,
    /// It may be that no command was started with it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub may_be_none: bool,
    /// It is a number, and negative iff no command was started with it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sign_tells: bool,
}

/// A command that took a barrier id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// The command.
    pub instance: usize,
    /// Instances of its engine that a wait for it leaves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<usize>,
    /// It was issued on every way here, before all that follow it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub certain: bool,
}

impl Body {
    fn is_empty(&self) -> bool {
        self.walk.is_empty() && self.as_last.is_empty()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
