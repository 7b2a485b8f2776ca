//! Liberties of a run: operations that the device cannot do as they are written, simulated as if it could.
//!
//! A front end's own program names no engines and need not have placed its buffers. Its cycles are then no fair base
//! for a comparison, since they lack the transfers that the device needs.

use std::collections::BTreeSet;

use zpu_device::{EngineKind, Role};

use crate::effect::{Copy, Effect, EffectKind};
use crate::execute::Bound;
use crate::machine::Machine;
use crate::program::LocationId;
use crate::report::FindingNote;
use crate::routes::Hop;
use crate::view::View;

/// The first thing at each place.
#[derive(Debug, Default)]
pub(crate) struct Liberties {
    known: BTreeSet<LocationId>,
    notes: Vec<FindingNote>,
}

impl Liberties {
    pub(crate) fn into_notes(self) -> Vec<FindingNote> {
        self.notes
    }
}

impl Machine<'_> {
    /// Notes operands that this engine cannot take, of a computation that names no engine and runs on it.
    pub(crate) fn note_operands(&mut self, engine: usize, name: &str, at: LocationId, effect: &Effect) {
        if self.liberties.known.contains(&at) {
            return;
        }
        let operands: Vec<(Role, &View)> = match &effect.kind {
            EffectKind::Copy(copy) => all_of(copy).to_vec(),
            EffectKind::Softmax(softmax) => all_of(&softmax.operands).to_vec(),
            EffectKind::Run(invocation) => {
                let product = self.device.engines[engine].kind == EngineKind::Tensor;
                let role = |place: usize| match (product, place) {
                    (true, 0) => Role::A,
                    (true, 1) => Role::B,
                    (true, _) => Role::C,
                    (false, _) => Role::All,
                };
                let views = invocation.operands.iter().enumerate();
                let views = views.filter_map(|(place, bound)| match bound {
                    Bound::View(view) => Some((role(place), &**view)),
                    Bound::Scalar(_) => None,
                });
                views.collect()
            }
        };
        let engine = &self.device.engines[engine];
        if let EffectKind::Copy(copy) = &effect.kind
            && overlaps(copy)
        {
            let message = format!(
                "`{name}` is between parts of one buffer that overlap, and @{} works element by element",
                engine.name
            );
            self.take_liberty(at, message);
            return;
        }
        let wrong = operands.into_iter().find_map(|(role, view)| {
            let space = self.routes.space_name(self.space(view));
            let allowed = engine.operands.spaces(role);
            let is_wrong = !engine.operands.allows(role, space);
            is_wrong.then(|| {
                let allowed = allowed.join(", ");
                let which = if role == Role::All {
                    "an operand".to_owned()
                } else {
                    format!("operand {role}")
                };
                format!(
                    "`{name}` has {which} in {space}, which @{} needs in {allowed}",
                    engine.name
                )
            })
        });
        if let Some(message) = wrong {
            self.take_liberty(at, message);
        }
    }

    /// Notes a copy that takes several transfers.
    pub(crate) fn note_hops(&mut self, name: &str, at: LocationId, copy: &Copy, hops: &[Hop]) {
        if hops.len() < 2 || self.liberties.known.contains(&at) {
            return;
        }
        let [from, to] = [&copy.source, &copy.target].map(|view| self.routes.space_name(self.space(view)));
        let message = format!(
            "`{name}` goes from {from} to {to}, for which the device has no route; it is done in {} steps",
            hops.len()
        );
        self.take_liberty(at, message);
    }

    fn take_liberty(&mut self, at: LocationId, message: String) {
        self.liberties.known.insert(at);
        let location = self.program.location(at).to_string();
        self.liberties.notes.push(FindingNote { location, message });
    }
}

/// True if a copy may read what it wrote, done element by element.
fn overlaps(copy: &Copy) -> bool {
    let (source, target) = (&*copy.source, &*copy.target);
    let footprint = |view: &View| view.footprint().ok().flatten();
    source.buffer == target.buffer
        && source != target
        && footprint(source)
            .zip(footprint(target))
            .is_some_and(|(source, target)| source.overlap(&target).is_some())
}

fn all_of(copy: &Copy) -> [(Role, &View); 2] {
    [(Role::All, &*copy.source), (Role::All, &*copy.target)]
}
