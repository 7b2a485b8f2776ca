//! Edits that a user may make between two passes: a command that is started and waited for, depths of the loops of a
//! nest, or another place in the plan.
//!
//! Invariant: a program keeps its meaning. A plan may become one that breaks a dependence; then it has to be refused.

use zpu_ir::ops::{Dma, DmaStart, DmaWait};
use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, annotation, attr, edit, ty};

use crate::random::Random;

/// Changes the module that the pass left, if there is something to change; whether it did.
pub(crate) fn intervene(module: Op<'_>, pass: &str, seed: u64) -> bool {
    let mut random = Random::new(seed, 5);
    let wants_plan = random.chance(60);
    let mut depths = Random::new(seed, 6);
    let wants_depths = depths.chance(50);
    match pass {
        "zpu-convert-to-dma" if !wants_plan => start_and_wait(module, &mut random),
        "zpu-convert-to-dma" if wants_depths => ask_for_depths(module, &mut depths),
        "zpu-pipeline-planning" if wants_plan => move_in_plan(module, &mut random),
        _ => false,
    }
}

/// Starts a transfer and waits for it at once.
fn start_and_wait(module: Op<'_>, random: &mut Random) -> bool {
    let transfers = module.walk().into_iter().filter_map(Dma::of);
    let transfers: Vec<Dma<'_>> = transfers.collect();
    if transfers.is_empty() {
        return false;
    }
    let transfer = transfers[random.index(transfers.len())];
    let mut builder = Builder::before(transfer.op);
    let context = builder.context();
    let token = ty::token(context, transfer.engine());
    let attrs = [(DmaStart::ENGINE, attr::symbol(context, transfer.engine()))];
    let start = DmaStart::create(&mut builder, transfer.source(), transfer.dest(), None, token, &attrs);
    DmaWait::create(&mut builder, start.token(), &[]);
    edit::erase(transfer.op);
    true
}

/// Asks for a number of stages of each loop around another one.
fn ask_for_depths(module: Op<'_>, random: &mut Random) -> bool {
    let loops = module.walk().into_iter().filter_map(For::of);
    let around: Vec<For<'_>> = loops.filter(|for_| !for_.is_innermost()).collect();
    for for_ in &around {
        let stages = random.pick(&[2, 3, 4, 5]);
        for_.op
            .set_attr(annotation::NUM_STAGES, attr::int(for_.op.context(), stages));
    }
    !around.is_empty()
}

/// Gives one operation of a plan another stage, or lets two change places.
fn move_in_plan(module: Op<'_>, random: &mut Random) -> bool {
    let planned: Vec<Op<'_>> = module.walk().into_iter().filter(|op| schedule(*op).is_some()).collect();
    if planned.is_empty() {
        return false;
    }
    let op = planned[random.index(planned.len())];
    let Some(mut place) = schedule(op) else { return false };
    let others: Vec<Op<'_>> = planned
        .into_iter()
        .filter(|other| other.block() == op.block())
        .collect();
    let other = others[random.index(others.len())];
    match schedule(other) {
        Some(mut other_place) if random.chance(50) => {
            std::mem::swap(&mut place.order, &mut other_place.order);
            other.set_attr(annotation::SCHEDULE, attr::schedule(op.context(), other_place));
        }
        _ => place.stage = (place.stage + random.pick(&[-1, 1])).max(0),
    }
    op.set_attr(annotation::SCHEDULE, attr::schedule(op.context(), place));
    true
}

fn schedule(op: Op<'_>) -> Option<attr::Schedule> {
    op.attr(annotation::SCHEDULE).and_then(attr::as_schedule)
}
