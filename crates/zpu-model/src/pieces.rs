//! Transfers that go in pieces, on several DMA engines at a time.
//!
//! Iterations of an innermost loop keep all engines busy by themselves. A transfer beside a loop would leave all but
//! one of them idle; so it may be split, among the transfers that no loop separates from it. One of computed size has
//! another dimension to be split along.

use zpu_device::{Device, EngineKind};

use crate::nest::{Command, Nest, Step};

/// The most pieces of each command, at least one.
pub(crate) fn pieces(nest: &Nest, device: &Device) -> Vec<u32> {
    let mut pieces = vec![1; nest.commands.len()];
    block(nest, device, &nest.body, false, &mut pieces);
    pieces
}

fn block(nest: &Nest, device: &Device, steps: &[Step], is_loop: bool, pieces: &mut [u32]) {
    for step in steps {
        match step {
            Step::Loop { body, .. } => block(nest, device, body, true, pieces),
            Step::Branch { then, otherwise, .. } => {
                for side in [then, otherwise] {
                    block(nest, device, side, is_loop, pieces);
                }
            }
            _ => {}
        }
    }
    if is_loop && !steps.iter().any(is_border) {
        return;
    }
    for run in steps.split(is_border) {
        let commands = run.iter().filter_map(|step| match step {
            Step::Command(command) => Some(command.0),
            _ => None,
        });
        let own: Vec<(usize, usize)> = commands
            .map(|at| (at, asynchronous(&nest.commands[at], device)))
            .filter(|(_, engines)| *engines > 0)
            .collect();
        for (at, engines) in &own {
            pieces[*at] = u32::try_from(engines / own.len()).unwrap_or(1).max(1);
        }
    }
}

/// The most pieces of each command where no loop is left: as many as engines for a transfer that no iteration of an
/// innermost loop issues, and one for all others.
pub(crate) fn pieces_without_loops(nest: &Nest, device: &Device) -> Vec<u32> {
    let mut all = vec![1; nest.commands.len()];
    let mut open: Vec<(&[Step], bool)> = vec![(&nest.body, false)];
    while let Some((steps, is_loop)) = open.pop() {
        let is_beside = !is_loop || steps.iter().any(is_border);
        for step in steps {
            match step {
                Step::Loop { body, .. } => open.push((body, true)),
                Step::Branch { then, otherwise, .. } => open.extend([(&then[..], is_loop), (&otherwise[..], is_loop)]),
                Step::Command(command) if is_beside => {
                    let engines = asynchronous(&nest.commands[command.0], device);
                    all[command.0] = u32::try_from(engines).unwrap_or(u32::MAX).max(1);
                }
                Step::Command(_) | Step::Set { .. } | Step::Allocate(_) | Step::Access => {}
            }
        }
    }
    all
}

/// True for a loop or a branch with commands in it.
fn is_border(step: &Step) -> bool {
    match step {
        Step::Loop { body, .. } => body.iter().any(is_command),
        Step::Branch { then, otherwise, .. } => then.iter().chain(otherwise).any(is_command),
        _ => false,
    }
}

fn is_command(step: &Step) -> bool {
    matches!(step, Step::Command(_)) || is_border(step)
}

/// How many asynchronous DMA engines can move a transfer; none for a computation.
fn asynchronous(command: &Command, device: &Device) -> usize {
    let engines = dma_engines(command, device).into_iter();
    engines.filter(|at| !device.engines[*at].blocking).count()
}

/// The DMA engines that can move a transfer, each once; none for a computation.
pub(crate) fn dma_engines(command: &Command, device: &Device) -> Vec<usize> {
    let ways = command.prices.values().flat_map(|price| &price.ways);
    let engines = ways.map(|way| way.engine);
    let mut all: Vec<usize> = engines
        .filter(|at| device.engines[*at].kind == EngineKind::Dma)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
