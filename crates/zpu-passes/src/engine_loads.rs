//! The work that engines have got so far, for passes that give a command to one of several.

use std::collections::HashMap;

use zpu_device::{Device, Engine, EngineKind};
use zpu_ir::{Block, Op, work};

/// The loads of the engines, block by block: commands of one block could run at the same time.
#[derive(Default)]
pub(crate) struct Loads<'c> {
    blocks: HashMap<Option<Block<'c>>, HashMap<String, Load>>,
}

/// The load of one engine in a block: cycles, as far as shapes tell them, and commands.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Load {
    cycles: u64,
    commands: u64,
}

impl<'c> Loads<'c> {
    /// The engine of several, at least one, that would be done first with one more command in a block, the first in
    /// their order among equals; counts the command, which does the work of `op`, as given to it.
    pub(crate) fn least(
        &mut self,
        block: Option<Block<'c>>,
        op: Op<'c>,
        engines: &[&Engine],
        device: &Device,
    ) -> String {
        let loads = self.blocks.entry(block).or_default();
        let each = engines.iter().zip(cycles(op, engines, device));
        let least = each.map(|(engine, cycles)| {
            let load = loads.get(&engine.name).copied().unwrap_or_default();
            let with = Load {
                cycles: load.cycles.saturating_add(cycles),
                commands: load.commands + 1,
            };
            (with, &engine.name)
        });
        let (load, name) = least
            .min_by_key(|(load, _)| *load)
            .expect("a choice has at least one engine");
        loads.insert(name.clone(), load);
        name.clone()
    }

    /// The cycles of the engine that has the most in a block.
    pub(crate) fn most(&self, block: Option<Block<'c>>) -> u64 {
        let loads = self.blocks.get(&block).into_iter().flat_map(HashMap::values);
        loads.map(|load| load.cycles).max().unwrap_or(0)
    }
}

/// The cycles that the work of an operation takes on each of some engines of one kind, as far as shapes tell them.
pub(crate) fn cycles(op: Op<'_>, engines: &[&Engine], device: &Device) -> Vec<u64> {
    let kind = engines.first().map_or(EngineKind::Vector, |engine| engine.kind);
    let pieces = work::of(op, kind).unwrap_or_default();
    let on = |engine: &&Engine| {
        let each = pieces.iter().map(|piece| match piece {
            work::Piece::Cycles(cycles) => *cycles,
            work::Piece::Work(work) => device.cost(engine, work).map_or(0, |cost| cost.occupancy),
        });
        each.fold(0, u64::saturating_add)
    };
    engines.iter().map(on).collect()
}
