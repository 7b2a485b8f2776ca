//! Requirements on memory and queues: nothing outstanding meets an access, and each command finds a place.

use super::known::{Instances, Known};
use super::{Checker, Rejection};
use crate::problem::EngineId;
use crate::program::ItemId;
use crate::program::epoch::{Epoch, Instance};
use crate::program::overlap::{AccessAt, Overlap, seen};
use crate::program::scope::outlives;
use zpu_device::WhenFull;

impl<'c> Checker<'_, 'c> {
    /// Requires that an item, of an engine if that executes it, touches nothing that a command which is outstanding on
    /// another engine touches.
    pub(super) fn require_order(&self, id: ItemId, engine: Option<EngineId>, known: &Known) -> Result<(), Rejection> {
        let program = self.program;
        let accesses = |instance: &Instance| seen(program, &self.context, instance.item, &instance.when);
        let now = accesses(&program.present(id));
        for instance in &known.outstanding {
            if engine.is_some() && program.items[instance.item].kind.engine() == engine {
                continue;
            }
            let (Some(now), Some(then)) = (&now, accesses(instance)) else {
                let instance = self.name(instance);
                let text = format!("what is touched is not known, and {instance} may be outstanding");
                return Err(self.rejection(id, text));
            };
            let meet = |earlier: &AccessAt<'c>, later| earlier.meets(later, program, &self.context) != Overlap::Never;
            if then.iter().any(|earlier| now.iter().any(|later| meet(earlier, later))) {
                return Err(self.race(id, instance));
            }
        }
        Ok(())
    }

    fn race(&self, id: ItemId, instance: &Instance) -> Rejection {
        let instance = self.name(instance);
        self.rejection(
            id,
            format!("{instance} may be outstanding, and touches the same memory"),
        )
    }

    /// Requires a place in the queue, where the machine does not wait for one.
    pub(super) fn require_place(&self, id: ItemId, engine: EngineId, queue: &Instances) -> Result<(), Rejection> {
        let description = self.program.engine(engine);
        let is_many = |epoch: Epoch| matches!(epoch, Epoch::Before(_) | Epoch::Over);
        let are_many = queue
            .iter()
            .any(|each| each.when.iter().any(|(_, epoch)| is_many(*epoch)));
        let is_full = are_many || queue.len() as u64 >= description.queue_depth.max(1);
        if is_full && description.when_full != WhenFull::Stall {
            return Err(self.rejection(id, format!("the queue of @{} may be full", description.name)));
        }
        Ok(())
    }

    /// Requires that nothing outstanding touches memory that the caller may use when the function returns, or that ends
    /// with it. A private function leaves nothing outstanding at all.
    pub(super) fn require_return(&self, id: ItemId, known: &Known) -> Result<(), Rejection> {
        let program = self.program;
        for instance in &known.outstanding {
            let is_outside = program.items[instance.item].accesses.as_ref().is_none_or(|accesses| {
                let mut roots = accesses.iter().map(|access| access.region.root);
                roots.any(|root| outlives(program, id, root).is_some())
            });
            if program.is_private || is_outside {
                return Err(self.race(id, instance));
            }
        }
        Ok(())
    }
}
