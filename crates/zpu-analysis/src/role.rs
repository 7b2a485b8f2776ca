//! Roles of buffers in a loop: whether contents pass from one iteration to the next.

use zpu_ir::scf::For;
use zpu_ir::{Op, Value};

use crate::access::{Access, steps};
use crate::dependence::{Conflict, Kind};
use crate::region::Root;

/// The role of a buffer in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role<'c> {
    /// The loop only reads it.
    Input,
    /// The loop only writes it.
    Output,
    /// Reads see writes of the same iteration, or each iteration has a buffer of its own.
    Privatizable,
    /// Reads see the contents from before the loop, and writes go where no later iteration reads.
    InPlace,
    /// This operation may read data that an earlier iteration wrote.
    State(Op<'c>),
}

impl Role<'_> {
    /// The role in one word, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Privatizable => "privatizable",
            Self::InPlace => "in place",
            Self::State(_) => "state",
        }
    }
}

/// Every buffer that the units access, in the order of first access, with its role. `found` are the conflicts of the
/// units.
pub fn roles<'c>(for_: For<'c>, units: &[(Op<'c>, Vec<Access<'c>>)], found: &[Conflict]) -> Vec<(Value<'c>, Role<'c>)> {
    let mut buffers: Vec<Buffer<'c>> = Vec::new();
    let mut position = std::collections::HashMap::new();
    for (unit, (op, accesses)) in units.iter().enumerate() {
        for (op, all) in steps(*op, accesses) {
            // An operation reads before it writes.
            for writes in [false, true] {
                for access in all.iter().filter(|access| access.write == writes) {
                    let root = access.region.root;
                    let at = *position.entry(root.value()).or_insert_with(|| {
                        buffers.push(Buffer::new(root));
                        buffers.len() - 1
                    });
                    buffers[at].see(unit, op, access);
                }
            }
        }
    }
    let mut carried = vec![None; buffers.len()];
    for conflict in found {
        let (earlier, later) = (
            &units[conflict.from].1[conflict.earlier],
            &units[conflict.to].1[conflict.later],
        );
        if Kind::of(earlier, later) != Kind::Raw {
            continue;
        }
        // A conflict in the same iteration says nothing about others.
        let again = conflict.distance > 0 || crate::dependence::conflict_distance(for_, earlier, later, 1).is_some();
        let at = position[&later.region.root.value()];
        let exposed = buffers[at].exposed.iter().find(|(unit, _)| *unit == conflict.to);
        if let Some((_, op)) = exposed.filter(|_| again) {
            carried[at] = carried[at].or(Some(*op));
        }
    }
    let each = buffers.into_iter().zip(carried);
    each.map(|(buffer, carried)| (buffer.root.value(), buffer.role(for_, carried)))
        .collect()
}

struct Buffer<'c> {
    root: Root<'c>,
    is_read: bool,
    is_written: bool,
    /// Writes of every element that they touch, so far in the iteration.
    written: Vec<Access<'c>>,
    /// Reads of something that was not certainly written before in the iteration.
    exposed: Vec<(usize, Op<'c>)>,
}

impl<'c> Buffer<'c> {
    fn new(root: Root<'c>) -> Self {
        Self {
            root,
            is_read: false,
            is_written: false,
            written: Vec::new(),
            exposed: Vec::new(),
        }
    }

    fn see(&mut self, unit: usize, op: Op<'c>, access: &Access<'c>) {
        if access.write {
            self.is_written = true;
            if access.full {
                self.written.push(access.clone());
            }
        } else {
            self.is_read = true;
            if !self.written.iter().any(|write| write.covers(access)) {
                self.exposed.push((unit, op));
            }
        }
    }

    fn role(&self, for_: For<'c>, carried: Option<Op<'c>>) -> Role<'c> {
        let is_fresh = self.root.value().is_defined_inside(for_.op);
        match (carried, self.is_read, self.is_written) {
            (Some(op), ..) => Role::State(op),
            (None, true, false) => Role::Input,
            (None, false, _) => Role::Output,
            (None, true, true) if is_fresh || self.exposed.is_empty() => Role::Privatizable,
            (None, true, true) => Role::InPlace,
        }
    }
}
