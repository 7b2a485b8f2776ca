//! Spoils the addresses of a compiled program in one place: a buffer is moved, two buffers get one address, a ring with
//! an address has one slot less.
//!
//! A spoilt program need not be wrong; it is a program like any other.

use std::fmt;

use zpu_analysis::liveness::window_of;
use zpu_analysis::slot::alignment;
use zpu_device::Device;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, annotation, attr};

use crate::ring::{rings, shrink_ring};

/// One mutation of addresses, with the numbers of the allocations that have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryMutation {
    /// Moves a buffer one unit of its alignment up.
    MoveUp(usize),
    /// Moves a buffer one unit of its alignment down.
    MoveDown(usize),
    /// Gives the second buffer the address of the first one, though both are needed around the back edge of a loop: in
    /// an iteration, all accesses to one come before all accesses to the other.
    CutLife(usize, usize),
    /// Gives the second buffer the address of the first one, other than above.
    Unite(usize, usize),
    /// Uses a ring with an address as if it had one slot less.
    DropVersion(usize),
}

impl fmt::Display for MemoryMutation {
    /// Writes the class of the mutation, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MoveUp(_) => "moved up",
            Self::MoveDown(_) => "moved down",
            Self::CutLife(..) => "life cut",
            Self::Unite(..) => "one address",
            Self::DropVersion(_) => "version dropped",
        })
    }
}

impl MemoryMutation {
    /// All that may apply to a module.
    pub fn all(module: Op<'_>) -> Vec<Self> {
        let placed = placed(module);
        let mut all: Vec<Self> = (0..placed.len())
            .flat_map(|at| [Self::MoveUp(at), Self::MoveDown(at)])
            .collect();
        for (at, one) in placed.iter().enumerate() {
            for (other_at, other) in placed.iter().enumerate() {
                if at != other_at && space_of(*one) == space_of(*other) && are_apart(*one, *other) {
                    all.push(if meet_around_a_loop(*one, *other) {
                        Self::CutLife(at, other_at)
                    } else {
                        Self::Unite(at, other_at)
                    });
                }
            }
        }
        all.extend((0..rings_of(module).len()).map(Self::DropVersion));
        all
    }

    /// Spoils the module; false if it cannot be done here, and the module is then of no use.
    pub fn apply(self, module: Op<'_>, device: &Device) -> bool {
        let placed = placed(module);
        let moved = |at: usize, up: bool| {
            let Some(op) = placed.get(at) else { return false };
            let Some((address, _)) = window_of(*op) else {
                return false;
            };
            let unit = alignment(*op, Some(device));
            let address = if up {
                address.checked_add(unit)
            } else {
                address.checked_sub(unit)
            };
            address.is_some_and(|address| set_address(*op, address))
        };
        let done = match self {
            Self::MoveUp(at) => moved(at, true),
            Self::MoveDown(at) => moved(at, false),
            Self::CutLife(one, other) | Self::Unite(one, other) => {
                let address = placed.get(one).and_then(|op| window_of(*op));
                let other = placed.get(other).copied();
                address
                    .zip(other)
                    .is_some_and(|((address, _), other)| set_address(other, address))
            }
            Self::DropVersion(at) => rings_of(module)
                .get(at)
                .map(|(ring, size)| shrink_ring(*ring, *size))
                .is_some(),
        };
        done && fits(module, device) && module.verify()
    }
}

/// Allocations with an address, in program order.
fn placed(module: Op<'_>) -> Vec<Op<'_>> {
    let ops = module.walk().into_iter();
    ops.filter(|op| op.has_attr(annotation::ADDRESS)).collect()
}

/// Rings with an address.
fn rings_of(module: Op<'_>) -> Vec<(Op<'_>, i64)> {
    let all = rings(module).into_iter();
    all.filter(|(ring, _)| ring.has_attr(annotation::ADDRESS)).collect()
}

fn set_address(op: Op<'_>, address: u64) -> bool {
    let Ok(address) = i64::try_from(address) else {
        return false;
    };
    op.set_attr(annotation::ADDRESS, attr::int(op.context(), address));
    true
}

/// True if every buffer with an address is inside its memory, at an address that it may have. A program in which one is
/// not is no program: it does not verify, and is reported as such.
fn fits(module: Op<'_>, device: &Device) -> bool {
    placed(module).into_iter().all(|op| {
        let capacity = space_of(op)
            .and_then(|space| device.memory(space))
            .map(|memory| memory.bytes);
        window_of(op).zip(capacity).is_some_and(|((first, end), capacity)| {
            end <= capacity && first.is_multiple_of(alignment(op, Some(device)))
        })
    })
}

fn space_of(op: Op<'_>) -> Option<&str> {
    MemRef::of(op.results().first()?.ty())?.space()
}

/// True if two allocations have different addresses, and no byte in common.
fn are_apart(one: Op<'_>, other: Op<'_>) -> bool {
    let windows = window_of(one).zip(window_of(other));
    windows.is_some_and(|(one, other)| one.1 <= other.0 || other.1 <= one.0)
}

/// True if some loop accesses both, and in its body all accesses to one come before all accesses to the other.
fn meet_around_a_loop(one: Op<'_>, other: Op<'_>) -> bool {
    let Some(function) = function_of(one) else { return false };
    let (own, others) = (users(one), users(other));
    function.find_all("scf.for").into_iter().any(|loop_| {
        let inside = loop_.walk();
        let hull = |users: &[Op<'_>]| {
            let mut places = (0..inside.len()).filter(|at| users.contains(&inside[*at]));
            let first = places.next()?;
            Some((first, places.next_back().unwrap_or(first)))
        };
        let hulls = hull(&own).zip(hull(&others));
        hulls.is_some_and(|(one, other)| one.1 < other.0 || other.1 < one.0)
    })
}

fn function_of(op: Op<'_>) -> Option<Op<'_>> {
    std::iter::successors(op.parent(), |op| op.parent()).find(|op| op.is("func.func"))
}

/// The operations that use an allocation or a view of it.
fn users(allocation: Op<'_>) -> Vec<Op<'_>> {
    let mut values = allocation.results();
    let (mut all, mut next) = (Vec::new(), 0);
    while let Some(value) = values.get(next).copied() {
        next += 1;
        for user in value.uses().into_iter().map(|each| each.op) {
            let is_view = user.regions().is_empty() && user.is_memory_effect_free();
            if is_view {
                values.extend(
                    user.results()
                        .into_iter()
                        .filter(|view| MemRef::of(view.ty()).is_some()),
                );
            } else if !user.is("memref.dealloc") {
                all.push(user);
            }
        }
    }
    all
}
