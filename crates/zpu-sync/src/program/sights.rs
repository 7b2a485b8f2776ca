//! Accesses of instances as they are seen from points of a program, remembered for all walks through it.
//!
//! A search walks a program dozens of times, without some other waits each time, and compares the same accesses at the
//! same points.
//!
//! Invariant: what is remembered depends on its key alone, see [`seen`]: on the item, on when it was executed, and on
//! the iterations of the loops that this is told by.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::program::epoch::{Epoch, Iteration};
use crate::program::overlap::{AccessAt, seen};
use crate::program::path_context::PathContext;
use crate::program::{ItemId, Program};

/// Accesses of an item; `None` is anything.
pub(crate) type Sight<'c> = Option<Rc<Vec<AccessAt<'c>>>>;

/// An item, and when it was executed: the loops around it with the present iterations of those that are running.
type Key = (ItemId, Vec<(ItemId, Epoch, Option<Iteration>)>);

/// All sights so far. Only looked up, never iterated, so that hashing decides nothing.
#[derive(Debug, Default)]
pub(crate) struct Sights<'c>(RefCell<FxHashMap<Key, Sight<'c>>>);

impl<'c> Sights<'c> {
    /// Accesses of an item that was executed at `when`, seen from the point of a context.
    pub(crate) fn of(
        &self,
        program: &Program<'c>,
        context: &PathContext<'c>,
        item: ItemId,
        when: &[(ItemId, Epoch)],
    ) -> Sight<'c> {
        let told = |(loop_, epoch): &(ItemId, Epoch)| (*loop_, *epoch, context.iteration(*loop_));
        let key = (item, when.iter().map(told).collect());
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let sight = seen(program, context, item, when).map(Rc::new);
        self.0.borrow_mut().insert(key, sight.clone());
        sight
    }
}
