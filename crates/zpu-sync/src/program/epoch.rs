//! Commands in execution: which one, and when it was issued.

use super::ItemId;
use serde::{Deserialize, Serialize};

/// When a command was issued, as seen from one of the loops around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Epoch {
    /// So many iterations ago of a loop that is still running; 0 is the present one.
    Ago(u32),
    /// That many iterations ago or more.
    Before(u32),
    /// The loop is over; iterations are counted from its last one, which is 1.
    Last(u32),
    /// The loop is over, and it may have been any iteration.
    Over,
}

/// A command and when it was issued.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Instance {
    /// The command.
    pub(crate) item: ItemId,
    /// The loops around it, outermost first.
    pub(crate) when: Vec<(ItemId, Epoch)>,
}

/// The iteration of a running loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Iteration {
    /// This one, from 0.
    At(i64),
    /// Any that is at least this one.
    From(i64),
}
