//! Stub.

use crate::analyze::Limits;
use crate::fork::{ConsumerId, Fork as Problem};
use crate::verdict::{Edge, Sizes};

pub(crate) struct Fork;

impl Fork {
    pub(crate) fn of(_: &Problem) -> Option<Fork> {
        None
    }
    pub(crate) fn edge(&self, _: ConsumerId, _: &Limits) -> Option<Edge> {
        None
    }
    pub(crate) fn shared(&self, _: &Problem, _: &Limits) -> Option<Sizes> {
        None
    }
}

pub(crate) fn writes_everything(_: &Problem) -> bool {
    false
}
pub(crate) fn touches(_: &Problem, _: ConsumerId) -> bool {
    true
}
