//! Loads of an outer loop that go one or more iterations ahead, so that they overlap with the inner loops.
//!
//! A transfer at the beginning of an outer iteration (a panel that the inner loop takes its tiles from, the tile of C)
//! keeps the inner loop waiting. It becomes stage 0 of a plan for the outer loop, and everything else, with each inner
//! loop as a whole, stage 1: then it is issued before the inner loop of the iteration before. With a depth of D, the
//! rest is stage D - 1, all that the load writes has D versions, and the load goes D - 1 iterations ahead. The
//! conditions are:
//!
//! 1. the transfer stands before the first inner loop, and all that it writes has two versions;
//! 2. its engine is not blocking, and no inner loop uses it: an engine works in order, so the loads of the inner loop
//!    would wait for it (see [`super::outer_engines`]);
//! 3. no dependence forbids it.
//!
//! `zpu-inject-software-pipeline` follows the annotations as it does for other loops.

use zpu_device::Device;
use zpu_ir::attr::{self, Schedule};
use zpu_ir::ops::Dma;
use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Op, Remark, RemarkKind, annotation};

use super::PASS;
use super::outer_engines::used_inside;
use zpu_analysis::body::{Body, Unit, sync_engine};
use zpu_analysis::dependence::dependences_with;
use zpu_analysis::footprint::versions;
use zpu_analysis::privatizable::Touched;
use zpu_analysis::region::Root;

/// The depth of a loop that asks for none: the versions of a buffer, whose ring orders iterations that are at least so
/// far apart.
pub(super) const DEPTH: u32 = 2;

/// The result of a plan.
pub(super) struct Ahead<'c> {
    body: Body<'c>,
    /// The units that go ahead.
    units: Vec<usize>,
    /// Allocations that loads fill ahead.
    pub(super) filled: Vec<Op<'c>>,
    /// Allocations that loads fill ahead and that transfers after the inner loops use.
    pub(super) used_last: Vec<Op<'c>>,
}

/// Annotates the units of a loop around others, whose buffers have their versions, if some load can go ahead.
pub(super) fn plan<'c>(for_: For<'c>, device: &Device) -> Option<Ahead<'c>> {
    if for_.constant_trip_count().is_some_and(|trips| trips < 2) {
        return None;
    }
    let body = Body::of_nest(for_).ok()?;
    let is_nest = |unit: &Unit<'_>| unit.op.walk().into_iter().any(is_loop);
    let first_loop = body.units.iter().position(is_nest)?;
    let last_loop = body.units.iter().rposition(is_nest)?;
    // Every allocation in the body has to move out of it, and a user's plan stays.
    let stays = |op: &Op<'_>| !op.has_attr(annotation::VERSIONS);
    let has_stage = |unit: &Unit<'_>| unit.op.has_attr(annotation::SCHEDULE);
    if body.allocations.iter().any(stays) || body.units.iter().any(has_stage) {
        return None;
    }
    let touched = Touched::of(for_);
    let taken = used_inside(for_);
    let is_free = |unit: &Unit<'_>| {
        let engine = sync_engine(unit.op).filter(|name| !taken.contains(name));
        engine
            .and_then(|name| device.engine(name))
            .is_some_and(|engine| !engine.blocking)
    };
    let mut ahead: Vec<usize> = (0..first_loop)
        .filter(|unit| is_free(&body.units[*unit]) && fills_versions(&touched, &body.units[*unit]))
        .collect();
    keep_legal(&body, &mut ahead, DEPTH);
    if ahead.is_empty() {
        return None;
    }
    annotate(&body, &ahead, DEPTH);
    Remark::new(for_.op, RemarkKind::Analysis, PASS, "prefetch")
        .message("loads of the next iteration are issued before the inner loops of this one")
        .metric("Loads", ahead.len())
        .emit();
    let behind = body.units[last_loop + 1..]
        .iter()
        .filter(|unit| sync_engine(unit.op).is_some());
    let last: Vec<Root<'c>> = behind
        .flat_map(|unit| unit.accesses.iter().map(|access| access.region.root))
        .collect();
    let filled: Vec<Root<'c>> = ahead
        .iter()
        .flat_map(|unit| body.units[*unit].accesses.iter().filter(|access| access.write))
        .map(|access| access.region.root)
        .collect();
    let both = filled.iter().filter(|root| last.contains(root));
    let allocation = |root: &Root<'c>| root.value().defining_op();
    Some(Ahead {
        used_last: both.filter_map(allocation).collect(),
        filled: filled.iter().filter_map(allocation).collect(),
        units: ahead,
        body,
    })
}

impl Ahead<'_> {
    /// Lets the loads go `depth - 1` iterations ahead, if no dependence forbids it for one of them.
    pub(super) fn deepen(&self, depth: u32) -> bool {
        let mut legal = self.units.clone();
        keep_legal(&self.body, &mut legal, depth);
        let is_legal = legal.len() == self.units.len();
        if is_legal {
            annotate(&self.body, &self.units, depth);
            Remark::new(self.body.for_.op, RemarkKind::Analysis, PASS, "prefetch-depth")
                .message(format!(
                    "loads go {} iterations ahead, into {depth} versions",
                    depth - 1
                ))
                .metric("Depth", depth)
                .emit();
        }
        is_legal
    }
}

/// Checks condition 1, for a transfer that needs no values of other units.
fn fills_versions<'c>(touched: &Touched<'c>, unit: &Unit<'c>) -> bool {
    let has_versions = |root: Root<'c>| {
        // A buffer at an address has the bytes that are there.
        let is_window = matches!(root, Root::Window(_));
        let allocation = root.value().defining_op().filter(|_| !is_window);
        let here = allocation.filter(|op| op.block() == Some(touched.for_.body));
        here.is_some_and(|op| versions(op) >= 2) && touched.counts(root.value())
    };
    let mut writes = unit.accesses.iter().filter(|access| access.write);
    unit.op.is(Dma::NAME)
        && unit.needs.units.is_empty()
        && unit.needs.carried.is_empty()
        && writes.all(|write| has_versions(write.region.root))
}

/// Establishes condition 3: a load that would break a dependence stays in its place.
fn keep_legal(body: &Body<'_>, ahead: &mut Vec<usize>, depth: u32) {
    let in_body = |root: Root<'_>| !matches!(root, Root::Window(_)) && root.value().is_defined_inside(body.for_.op);
    // A ring keeps accesses of neighbouring iterations apart.
    let found = dependences_with(body, depth, &|earlier, later, distance| {
        let ring = distance > 0 && earlier.region.root == later.region.root && in_body(earlier.region.root);
        ring.then_some(distance.max(depth))
    });
    loop {
        let key = |unit: usize, distance: u32| {
            let is_ahead = ahead.contains(&unit);
            (if is_ahead { 0 } else { depth - 1 } + distance, !is_ahead, unit)
        };
        let broken = found
            .iter()
            .filter(|dependence| dependence.from != dependence.to)
            .find(|dependence| key(dependence.from, 0) >= key(dependence.to, dependence.distance));
        let Some(broken) = broken else { return };
        let before = ahead.len();
        ahead.retain(|unit| *unit != broken.to);
        if ahead.len() == before {
            // The later unit is in its place already, so no removal can help.
            ahead.clear();
            return;
        }
    }
}

/// Writes the plan: a kernel iteration first issues the units that go ahead, then all others in program order.
fn annotate(body: &Body<'_>, ahead: &[usize], depth: u32) {
    let context = body.for_.op.context();
    let is_ahead = |unit: usize| ahead.contains(&unit);
    let rest = (0..body.units.len()).filter(|unit| !is_ahead(*unit));
    let order: Vec<usize> = ahead.iter().copied().chain(rest).collect();
    for (position, unit) in (0..).zip(&order) {
        let schedule = Schedule {
            stage: if is_ahead(*unit) { 0 } else { i64::from(depth) - 1 },
            order: position,
            cycle: 0,
        };
        body.units[*unit]
            .op
            .set_attr(annotation::SCHEDULE, attr::schedule(context, schedule));
    }
}
