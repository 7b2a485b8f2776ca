//! The engines that could do a command's work, and what it would cost on each: what a compiler may choose from.
//!
//! A copy is for every engine with its route and for every vector engine whose operand rule names both memories. Other
//! work is for every engine with a formula for it that works in the memories of the operands, only a product that a
//! tensor engine does stays with tensor engines.
//!
//! Invariant: the engine that did it is among them, with the cost that it had.

use std::collections::BTreeMap;
use std::rc::Rc;

use zpu_device::{Cost, EngineKind, Work};

use crate::effect::{Copy, EffectKind};
use crate::execute::{Bound, Invocation};
use crate::machine::Machine;
use crate::program::SpaceId;

/// An engine that could do the work, with its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Choice {
    pub(crate) engine: usize,
    /// Start latency, in cycles.
    pub(crate) latency: u64,
    /// Cycles on the engine if it is alone on its links.
    pub(crate) occupancy: u64,
    /// The part of these that sharing stretches.
    pub(crate) shareable: u64,
}

/// Engines, ascending, each once.
pub(crate) type Choices = Rc<[Choice]>;

/// Memory spaces, a bit each; those of a device with more than 64 share bits.
pub(crate) type SpaceMask = u64;

fn bit(space: SpaceId) -> SpaceMask {
    1 << (space.index() % 64)
}

/// The choices for work whose cycles the program gives, or that only some engines can do.
pub(crate) fn choices(engine: usize, own: Cost, others: impl IntoIterator<Item = (usize, Cost)>) -> Choices {
    let others = others.into_iter().filter(|(other, _)| *other != engine);
    let choice = |(engine, cost): (usize, Cost)| Choice {
        engine,
        latency: cost.latency,
        occupancy: cost.occupancy,
        shareable: cost.shareable,
    };
    let mut all: Vec<Choice> = others.chain([(engine, own)]).map(choice).collect();
    all.sort_unstable();
    all.dedup_by_key(|choice| choice.engine);
    all.into()
}

/// The choices of a command of two pieces, one after the other.
pub(crate) fn both(first: &[Choice], next: &[Choice]) -> Choices {
    let pair = |choice: &Choice| {
        let next = next.iter().find(|next| next.engine == choice.engine)?;
        let occupancy = choice.occupancy.saturating_add(next.latency);
        Some(Choice {
            occupancy: occupancy.saturating_add(next.occupancy),
            shareable: choice.shareable.saturating_add(next.shareable),
            ..*choice
        })
    };
    first.iter().filter_map(pair).collect()
}

impl Machine<'_> {
    /// The memories of the operands of work that is no copy.
    pub(crate) fn spaces_of(&self, kind: &EffectKind) -> SpaceMask {
        match kind {
            EffectKind::Copy(copy) => bit(self.space(&copy.source)) | bit(self.space(&copy.target)),
            EffectKind::Softmax(softmax) => {
                bit(self.space(&softmax.operands.source)) | bit(self.space(&softmax.operands.target))
            }
            EffectKind::Run(invocation) => invocation.operands.iter().fold(0, |mask, bound| match bound {
                Bound::View(view) => mask | bit(self.space(view)),
                Bound::Scalar(_) => mask,
            }),
        }
    }

    /// The other engines for a copy, with their costs.
    pub(crate) fn copiers(&self, copy: &Copy) -> Vec<(usize, Cost)> {
        let (from, to) = (self.space(&copy.source), self.space(&copy.target));
        let mut found = self.movers(copy, from, to);
        let servers = self.routes.servers(from, to);
        if !servers.is_empty() {
            let (rows, row_bytes) = copy.rows();
            let name = |space| self.routes.space_name(space).to_owned();
            let work = Work::Transfer {
                from: name(from),
                to: name(to),
                rows,
                row_bytes,
            };
            found.extend(servers.iter().filter_map(|engine| self.cost_on(*engine, &work)));
        }
        found
    }

    /// The vector engines for a copy between two spaces, with their costs.
    pub(crate) fn movers(&self, copy: &Copy, from: SpaceId, to: SpaceId) -> Vec<(usize, Cost)> {
        let work = copy_work(copy);
        let movers = self.routes.movers(from, to);
        movers
            .iter()
            .filter_map(|engine| self.cost_on(*engine, &work))
            .collect()
    }

    /// The other engines for some work, with their costs.
    pub(crate) fn workers(&self, engine: usize, kind: &EffectKind, spaces: SpaceMask) -> Vec<(usize, Cost)> {
        match kind {
            EffectKind::Copy(copy) => self.copiers(copy),
            EffectKind::Softmax(softmax) => self.able(engine, EngineKind::Vector, spaces, || softmax.work()),
            EffectKind::Run(invocation) => {
                let Invocation { prepared, extents, .. } = invocation.as_ref();
                let kernel = &prepared.kernel;
                let mut found = self.able(engine, EngineKind::Tensor, spaces, || kernel.work(extents, true));
                if !(kernel.product && self.device.engines[engine].kind == EngineKind::Tensor) {
                    found.extend(self.able(engine, EngineKind::Vector, spaces, || kernel.work(extents, false)));
                }
                found
            }
        }
    }

    /// The other engines of a kind that have a formula for the work. A vector engine works in the memories that its
    /// operand rule allows; for a tensor engine, the rules of the roles are not looked at.
    fn able(&self, own: usize, kind: EngineKind, spaces: SpaceMask, work: impl Fn() -> Work) -> Vec<(usize, Cost)> {
        let allowed = |engine: usize| kind != EngineKind::Vector || spaces & !self.routes.vector_spaces(engine) == 0;
        let engines = self.device.engines.iter().enumerate();
        let engines = engines.filter(|(index, engine)| *index != own && engine.kind == kind && allowed(*index));
        // Most devices have no other engine, and then the work does not matter.
        let mut engines = engines.peekable();
        if engines.peek().is_none() {
            return Vec::new();
        }
        let work = work();
        engines.filter_map(|(engine, _)| self.cost_on(engine, &work)).collect()
    }

    fn cost_on(&self, engine: usize, work: &Work) -> Option<(usize, Cost)> {
        let cost = self.device.cost(&self.device.engines[engine], work).ok()?;
        Some((engine, cost))
    }
}

/// A copy as the work of a vector engine.
pub(crate) fn copy_work(copy: &Copy) -> Work {
    Work::Vector {
        elements: copy.source.elements(),
        element: copy.source.element,
        loads: 1,
        stores: 1,
        ops: BTreeMap::new(),
    }
}
