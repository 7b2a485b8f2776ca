//! Commands of one body that may be equal, so that one of them does.
//!
//! Two commands may be equal if they cost the same, read the same, and write buffers of the body's own. Buffers that
//! commands write which may be equal may be equal themselves, so the question is asked again until the answer stays:
//! the coarsest partition that agrees with itself.
//!
//! A nest does not say what a command computes. So this finds too many rather than too few, as a bound needs it.

use std::collections::BTreeMap;

use crate::alike::{Around, allocated, buffers, commands_in};
use crate::nest::{BufferId, Command, CommandId, Nest, Operand, Storage};

/// The commands of an inner loop that fill buffers of its own, each with the number of those that it may be equal to,
/// itself among them.
pub(crate) fn fills(around: &Around<'_>, nest: &Nest) -> Vec<(CommandId, u32)> {
    let inside = around.body_of_inner();
    let own = allocated(inside);
    let is_fill = |id: &CommandId| {
        let mut written = buffers(&nest.commands[id.0].writes).peekable();
        written.peek().is_some() && written.all(|buffer| own.contains(&buffer))
    };
    let all: Vec<CommandId> = commands_in(inside).into_iter().filter(is_fill).collect();
    let mut of_buffers: BTreeMap<BufferId, Vec<usize>> = own.iter().map(|buffer| (*buffer, Vec::new())).collect();
    loop {
        let mut classes: Vec<usize> = Vec::new();
        for (at, id) in all.iter().enumerate() {
            let is_same = |earlier: &usize| {
                let (one, other) = (&nest.commands[all[*earlier].0], &nest.commands[id.0]);
                may_be_equal(one, other, around, &of_buffers)
            };
            let class = (0..at).find(is_same).map_or(at, |earlier| classes[earlier]);
            classes.push(class);
        }
        let filled = own.iter().map(|buffer| {
            let writers = all.iter().zip(&classes);
            let writers =
                writers.filter(|(id, _)| buffers(&nest.commands[id.0].writes).any(|written| written == *buffer));
            (*buffer, writers.map(|(_, class)| *class).collect())
        });
        let filled: BTreeMap<BufferId, Vec<usize>> = filled.collect();
        if filled == of_buffers {
            let count = |class: usize| classes.iter().filter(|other| **other == class).count();
            let counts = classes
                .iter()
                .map(|class| u32::try_from(count(*class)).unwrap_or(u32::MAX));
            return all.iter().copied().zip(counts).collect();
        }
        of_buffers = filled;
    }
}

fn may_be_equal(
    one: &Command,
    other: &Command,
    around: &Around<'_>,
    of_buffers: &BTreeMap<BufferId, Vec<usize>>,
) -> bool {
    let ways = |command: &Command| {
        let prices = command.prices.iter();
        prices
            .map(|(sizes, price)| (sizes.clone(), price.ways.clone()))
            .collect::<BTreeMap<_, _>>()
    };
    let class = |storage: Storage| match storage {
        Storage::Buffer(buffer) => of_buffers.get(&buffer),
        Storage::External(_) => None,
    };
    // Places of several iterations may be one, where both depend on the iteration.
    let varies = |operand: &Operand| operand.offsets.iter().any(|offset| around.varies(offset));
    let same_read = |(one, other): (&Operand, &Operand)| match (class(one.storage), class(other.storage)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.storage == other.storage && (one.offsets == other.offsets || varies(one) && varies(other)),
        _ => false,
    };
    one.name == other.name
        && one.reads.len() == other.reads.len()
        && one.writes.len() == other.writes.len()
        && one.reads.iter().zip(&other.reads).all(same_read)
        && ways(one) == ways(other)
}
