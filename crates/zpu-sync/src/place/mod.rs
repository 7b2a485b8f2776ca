//! Where waits stand: makes commands asynchronous and finds the waits that are needed.
//!
//! Two facts keep waits few. An engine completes its commands in order, so a wait for one stands for all that were
//! issued to that engine before, and two commands of one engine never need a wait between them. And only the control
//! stream waits.
//!
//! `tree` takes the problem apart, `find` looks back from an operation for the latest command that conflicts,
//! through branches and over the iterations of all loops around and before, `placement` decides which waits are
//! needed, `tokens` finds out how each one's token gets there, `equal_tokens` makes one of those that are the same,
//! and `write` writes the result as a problem. Before that, `redundant::dominated` takes out what the tokens
//! themselves, in the `order` in which they are issued, show to be redundant, or `redundant::repeated` the least of it,
//! and `guarded` puts one wait before a branch for several. With barrier ids for tokens, `lifetime` finds out how many
//! each command needs and for how long, `allocate` gives them out, and `ids` says which one a command has. `form` takes
//! of several forms the first that is proven. Around and inside any other control flow (`scf.while`, parallel loops)
//! nothing stays in flight, nor where somebody's own starts and waits stand (`user_async`).

mod allocate;
mod available_wait;
mod equal_tokens;
mod find;
mod form;
mod guarded;
mod ids;
mod lifetime;
mod memo;
mod order;
mod placement;
mod query;
mod queue_capacity;
mod redundant;
mod tokens;
mod tree;
mod user_async;
mod write;

pub use crate::program::{BlockId, ItemId};
pub use allocate::Means;
pub use form::{Form, Proof};
pub use ids::{CommandNumber, Ids, Limit};
pub use memo::Memo;
pub use tokens::{Carried, CarriedId, Merged, MergedId, Token, Tokens};
pub use tree::{AsyncEngineId, Command, CommandId, Engines, Entry, Node, Role, Site, Tree};
pub use write::{Written, WrittenWait, write};

use crate::problem::Problem;

/// The waits of a function. Commands for which a queue may have no room are marked in the problem to stay synchronous.
pub fn place(problem: &mut Problem, limit: Option<Limit>) -> Form {
    place_with(problem, limit, Proof::Made)
}

/// The same, with or without a proof.
pub fn place_with(problem: &mut Problem, limit: Option<Limit>, proof: Proof) -> Form {
    queue_capacity::fit_to_queues(problem, limit, proof)
}
