//! Buffers that are allocated outside of a loop, and that each of its iterations fills anew.
//!
//! A compiler gives each iteration its own version of such a buffer. So it is taken as allocated in the innermost loop
//! of which that is true, or in each of several loops.

use crate::alike::{commands_in, iterations};
use crate::nest::{Buffer, BufferId, Command, CommandId, Nest, Operand, Step, Storage};

/// The nest with each buffer allocated in the innermost loop that fills it anew.
pub(crate) fn with_own_buffers(nest: &Nest) -> Nest {
    let mut nest = nest.clone();
    let mut body = std::mem::take(&mut nest.body);
    block(&mut body, &nest.commands, &mut nest.buffers);
    nest.body = body;
    nest
}

fn block(steps: &mut Vec<Step>, commands: &[Command], all: &mut [Buffer]) {
    let allocated: Vec<BufferId> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Allocate(buffer) if !all[buffer.0].stored => Some(*buffer),
            _ => None,
        })
        .collect();
    for buffer in allocated {
        let users = || {
            let uses = |step: &&Step| accesses(std::slice::from_ref(*step), buffer, commands);
            steps.iter().filter(uses)
        };
        let is_filled_in = |step: &Step| match step {
            Step::Loop { body, .. } => fills_first(body, buffer, commands) == Some(true),
            _ => false,
        };
        if users().next().is_none() || !users().all(is_filled_in) {
            continue;
        }
        for step in steps.iter_mut() {
            if let Step::Loop { body, .. } = step
                && accesses(body, buffer, commands)
            {
                body.insert(0, Step::Allocate(buffer));
            }
        }
        all[buffer.0].depth += 1;
        steps.retain(|step| !matches!(step, Step::Allocate(other) if *other == buffer));
    }
    for step in steps {
        match step {
            Step::Loop { body, .. } => block(body, commands, all),
            Step::Branch { then, otherwise, .. } => {
                block(then, commands, all);
                block(otherwise, commands, all);
            }
            _ => {}
        }
    }
}

fn accesses(steps: &[Step], buffer: BufferId, commands: &[Command]) -> bool {
    let of = |id: CommandId| commands[id.0].reads.iter().chain(&commands[id.0].writes);
    let mut all = commands_in(steps).into_iter().flat_map(of);
    all.any(|operand| operand.storage == Storage::Buffer(buffer))
}

/// Whether the first command that uses a buffer certainly runs, and writes the whole of it.
fn fills_first(steps: &[Step], buffer: BufferId, commands: &[Command]) -> Option<bool> {
    let is_it = |operand: &&Operand| operand.storage == Storage::Buffer(buffer);
    steps.iter().find_map(|step| match step {
        Step::Command(id) => {
            let command = &commands[id.0];
            let written = command.writes.iter().find(is_it);
            let read = command.reads.iter().find(is_it);
            written.or(read)?;
            Some(read.is_none() && written.is_some_and(|written| written.offsets.is_empty()))
        }
        Step::Loop {
            lower,
            upper,
            step,
            body,
            ..
        } => {
            let runs = iterations(lower, upper, step).is_some_and(|iterations| iterations > 0);
            fills_first(body, buffer, commands).map(|fills| fills && runs)
        }
        Step::Branch { .. } => accesses(std::slice::from_ref(step), buffer, commands).then_some(false),
        Step::Set { .. } | Step::Allocate(_) | Step::Access => None,
    })
}
