//! Commands and waits of the final program, loop by loop, for the report.

use std::collections::{BTreeMap, BTreeSet};

use zpu_ir::ops::{Barrier, IdWait, engine_of, is_token_wait};
use zpu_ir::record::LoopId;
use zpu_ir::scf::is_loop;
use zpu_ir::{Op, Place, attr, device};

/// A function as it is now.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Its name.
    pub(super) name: String,
    /// File and line, if it has them.
    pub(super) place: Option<(String, u32)>,
    /// Name of the device.
    pub(super) device: String,
    /// Commands in it.
    pub(super) commands: usize,
    /// Waits and fences in it.
    pub(super) waits: usize,
    /// Work directly in each loop, without that of loops inside it. Of several loops that were made of one, such as the
    /// pipelined loop and the original one for few iterations, the one with the most commands.
    pub(super) loops: BTreeMap<LoopId, Work>,
}

/// Commands and waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// Engines that commands name.
    pub(super) engines: BTreeSet<String>,
    /// Number of commands.
    pub(super) commands: usize,
    /// Number of waits and fences.
    pub(super) waits: usize,
}

/// Counts the commands and waits of a function.
pub(super) fn of(function: Op<'_>) -> Seen {
    let mut each: Vec<(Op<'_>, Work)> = Vec::new();
    let mut all = Work::default();
    for op in function.walk() {
        if is_loop(op) {
            each.push((op, Work::default()));
        }
        let innermost = op.parents().find(|parent| is_loop(*parent));
        let own = innermost.and_then(|loop_| each.iter_mut().find(|(op, _)| *op == loop_));
        for work in own.map(|(_, work)| work).into_iter().chain([&mut all]) {
            work.add(op);
        }
    }
    let mut loops: BTreeMap<LoopId, Work> = BTreeMap::new();
    for (op, work) in each {
        let Some(id) = LoopId::of(op) else { continue };
        let known = loops.entry(id).or_default();
        if work.commands > known.commands {
            *known = work;
        }
    }
    let text = |op: Op<'_>| {
        op.attr("sym_name")
            .and_then(attr::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Seen {
        name: text(function),
        place: Place::of(function.loc()).map(|place| (place.file.to_owned(), place.line)),
        device: device::find(function).map(text).unwrap_or_default(),
        commands: all.commands,
        waits: all.waits,
        loops,
    }
}

impl Work {
    fn add(&mut self, op: Op<'_>) {
        if let Some(engine) = engine_of(op) {
            self.commands += 1;
            self.engines.extend([engine.to_owned()]);
        } else if is_token_wait(op) || matches!(op.name(), IdWait::NAME | Barrier::NAME) {
            self.waits += 1;
        }
    }
}
