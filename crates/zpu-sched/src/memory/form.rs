//! The form of a plan: which buffers of a loop are rings, which of them lie on top of each other, and how many
//! instances of the others have addresses of their own.
//!
//! A ring of N slots serves any trip count: instance k is in slot k mod N. Its bytes are taken throughout. Rings of one
//! N can be one block of N slots in which each has a place: what fits into a slot is a packing of one instance of each
//! on a circle of N periods. With an unrolling of U, the U instances of a buffer that is no ring are arcs on a circle
//! of U periods, each with an address of its own; U = 1 is one address for all instances.
//!
//! Invariant: addresses that are made of a form and offsets clear of each other are right for all iterations.

use super::check::least_slots;
use super::packing::{Packing, Raw, Span};
use super::problem::{Buffer, BufferId, Problem, SpaceId};

/// The form of the plan of one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) unroll: u64,
    /// Per buffer of the space: the slots of its ring, 1 if it is none.
    pub(super) slots: Vec<u64>,
}

/// Rings of one number of slots that share a block.
struct Block {
    slots: u64,
    /// Places in the list of the space's buffers.
    members: Vec<usize>,
}

/// The addresses that an item stands for.
enum Owner {
    /// One instance of a buffer.
    Instance { buffer: usize, instance: usize },
    /// All instances of a buffer.
    All { buffer: usize },
    /// A block of slots, one pitch apart, with buffers at offsets in a slot.
    Block {
        slots: u64,
        pitch: u64,
        members: Vec<(usize, u64)>,
    },
}

/// A space in some form as a packing.
pub(super) struct Shape {
    pub(super) packing: Packing,
    owners: Vec<Owner>,
    buffers: usize,
}

impl Form {
    /// The form in which only those are rings that must be.
    pub(super) fn least(problem: &Problem, buffers: &[BufferId], unroll: u64) -> Form {
        let slots = buffers.iter().map(|id| {
            let buffer = &problem.buffers[id.index()];
            let least = least_slots(problem, buffer);
            // One version by wish is one address; a ring is what cannot do with the instances that are unrolled, and
            // what is pinned, since one address was given.
            let is_fixed = buffer.versions.is_some() || buffer.offset.is_some();
            if is_fixed || least > unroll { least } else { 1 }
        });
        Form {
            unroll,
            slots: slots.collect(),
        }
    }
}

/// The bytes of rings that share nothing, one for each buffer of the space: what a plan without sharing needs.
pub(super) fn rings(problem: &Problem, space: SpaceId) -> u64 {
    let of = problem.buffers_of(space).map(|id| {
        let buffer = &problem.buffers[id.index()];
        let pitch = buffer.bytes.next_multiple_of(problem.align(id));
        pitch.saturating_mul(least_slots(problem, buffer))
    });
    of.fold(0, u64::saturating_add)
}

/// True if a ring has to be a block of its own: its place is fixed, or banks restrict it.
pub(super) fn stands_alone(problem: &Problem, id: BufferId) -> bool {
    let buffer = &problem.buffers[id.index()];
    let is_named = |other: &Buffer| other.space == buffer.space && other.apart.contains(&id);
    buffer.offset.is_some() || !buffer.apart.is_empty() || problem.buffers.iter().any(is_named)
}

impl Shape {
    /// The packing of a space's buffers in a form; `inner` finds offsets within the slot of a block.
    pub(super) fn new(
        problem: &Problem,
        space: SpaceId,
        buffers: &[BufferId],
        form: &Form,
        inner: &mut dyn FnMut(&Packing) -> Vec<u64>,
    ) -> Shape {
        let period = problem.period;
        let circle = (period > 0).then(|| period * form.unroll);
        let span = |id: BufferId, turn: u64| -> Vec<Span> {
            let lives = problem.buffers[id.index()].lives.iter();
            lives.map(|life| (life.from + turn * period, life.length)).collect()
        };
        let raw = |id: BufferId, spans: Vec<Span>| Raw {
            bytes: problem.buffers[id.index()].bytes,
            align: problem.align(id),
            pinned: problem.buffers[id.index()].offset,
            spans,
        };
        let mut items = vec![];
        let mut owners = vec![];
        let mut blocks: Vec<Block> = vec![];
        for (place, &id) in buffers.iter().enumerate() {
            let buffer = &problem.buffers[id.index()];
            let slots = form.slots[place];
            let shared = blocks.iter_mut().find(|block| block.slots == slots);
            match shared {
                _ if slots == 1 && (buffer.versions.is_some() || buffer.offset.is_some() || form.unroll == 1) => {
                    items.push(raw(id, (0..form.unroll).flat_map(|turn| span(id, turn)).collect()));
                    owners.push(Owner::All { buffer: place });
                }
                _ if slots == 1 => {
                    for turn in 0..form.unroll {
                        items.push(raw(id, span(id, turn)));
                        owners.push(Owner::Instance {
                            buffer: place,
                            instance: turn as usize,
                        });
                    }
                }
                Some(block) if !stands_alone(problem, id) => block.members.push(place),
                _ if stands_alone(problem, id) => {
                    let pitch = buffer.bytes.next_multiple_of(problem.align(id));
                    let bytes = (slots - 1) * pitch + buffer.bytes;
                    let throughout = vec![(0, circle.unwrap_or(1))];
                    items.push(Raw {
                        bytes,
                        ..raw(id, throughout)
                    });
                    let members = vec![(place, 0)];
                    owners.push(Owner::Block { slots, pitch, members });
                }
                _ => blocks.push(Block {
                    slots,
                    members: vec![place],
                }),
            }
        }
        for Block { slots, members } in blocks {
            let arcs = members
                .iter()
                .map(|&place| raw(buffers[place], span(buffers[place], 0)));
            let slot = Packing::new(arcs.collect(), Some(period * slots));
            let offsets = inner(&slot);
            let align = members
                .iter()
                .map(|&place| problem.align(buffers[place]))
                .max()
                .unwrap_or(1);
            let height = slot.height(&offsets);
            let pitch = height.next_multiple_of(align);
            items.push(Raw {
                bytes: (slots - 1) * pitch + height,
                align,
                pinned: None,
                spans: vec![(0, circle.unwrap_or(1))],
            });
            let members = members.into_iter().zip(offsets).collect();
            owners.push(Owner::Block { slots, pitch, members });
        }
        let mut packing = Packing::new(items, circle);
        let space = &problem.spaces[space.index()];
        if let Some(bytes) = space.bytes.filter(|_| space.banks > 1) {
            packing.bank = (bytes / u64::from(space.banks)).max(1);
        }
        let mut shape = Shape {
            packing,
            owners,
            buffers: buffers.len(),
        };
        shape.separate(problem, buffers);
        shape
    }

    /// Carries over which buffers are to be apart; it holds both ways.
    fn separate(&mut self, problem: &Problem, buffers: &[BufferId]) {
        let place = |id: BufferId| buffers.binary_search(&id).ok();
        let items = |place: usize| -> Vec<usize> {
            let owns = |owner: &Owner| match owner {
                Owner::Instance { buffer, .. } | Owner::All { buffer } => *buffer == place,
                Owner::Block { members, .. } => members.iter().any(|&(member, _)| member == place),
            };
            (0..self.owners.len())
                .filter(|&item| owns(&self.owners[item]))
                .collect()
        };
        for (at, id) in buffers.iter().enumerate() {
            for other in problem.buffers[id.index()]
                .apart
                .iter()
                .filter_map(|&other| place(other))
            {
                for a in items(at) {
                    for b in items(other) {
                        for (x, y) in [(a, b), (b, a)] {
                            if !self.packing.apart[x].contains(&(y as u32)) {
                                self.packing.apart[x].push(y as u32);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The addresses of the space's buffers.
    pub(super) fn addresses(&self, offsets: &[u64]) -> Vec<Vec<u64>> {
        let mut addresses: Vec<Vec<u64>> = vec![vec![]; self.buffers];
        for (owner, &offset) in self.owners.iter().zip(offsets) {
            match owner {
                // Instances come in order.
                Owner::Instance { buffer, instance } => addresses[*buffer].insert(*instance, offset),
                Owner::All { buffer } => addresses[*buffer].push(offset),
                Owner::Block { slots, pitch, members } => {
                    for &(member, within) in members {
                        addresses[member] = (0..*slots).map(|slot| offset + slot * pitch + within).collect();
                    }
                }
            }
        }
        addresses
    }
}
