//! When what two values name came to be: one before the other, or both anew in each iteration.

use super::view::{Def, Value};

impl Value<'_> {
    /// True if it is an argument of a loop's block, and the other value is made in that block: what it names was there
    /// before, whichever of the loop's blocks handed it on.
    pub fn is_received_before(self, made: Self) -> bool {
        let Def::Argument(received, _) = self.def() else {
            return false;
        };
        let own = match made.def() {
            Def::Result(op, _) => op.block(),
            Def::Argument(block, _) => Some(block),
        };
        let mut around = std::iter::successors(own, |block| block.op().block());
        received.op().is_loop() && around.any(|block| block == received)
    }

    /// True if it is made anew in each iteration of the innermost loop that the other value is made in.
    pub fn is_remade_with(self, other: Self) -> bool {
        let first = match other.def() {
            Def::Result(op, _) => op.parent(),
            Def::Argument(block, _) => Some(block.op()),
        };
        let mut around = std::iter::successors(first, |op| op.parent());
        around
            .find(|op| op.is_loop())
            .is_some_and(|loop_| self.is_defined_inside(loop_))
    }
}
