//! `zpu-inject-dma-barrier`: makes commands asynchronous and inserts the waits that are needed.
//!
//! Assumes synchronous commands (`zpu.dma`, `zpu.compute`). Each one on an engine that is not blocking becomes a start; in
//! front of every access that conflicts with a command that may still run stands a wait for its token.
//!
//! ```mlir
//! zpu.dma %x to %b on @odma : ...
//! zpu.compute on @vector { reads %b }
//! // becomes
//! %t = zpu.dma_start %x to %b on @odma : ...
//! zpu.dma_wait %t : !zpu.token<@odma>
//! %u = zpu.compute_start on @vector { reads %b }
//! zpu.compute_wait %u : !zpu.token<@vector>
//! ```
//!
//! The invariant: at each operation, [`flights::Flights`] holds every command that may still run, so whatever is not in it is
//! complete. Two facts keep it small. An engine completes its commands in order, so a wait for one stands for all that were
//! issued to that engine before, and two commands of one engine never need a wait between them. And only the control
//! stream waits.
//!
//! Loops without nested control flow carry the tokens of earlier iterations ([`flat_loop`]); around and inside all other
//! control flow nothing stays in flight that could conflict. Functions that already hold asynchronous commands are left as
//! they are.

mod convert;
mod flat_loop;
mod flights;

use std::collections::BTreeSet;

use zpu_ir::options::InjectDmaBarrierOptions;
use zpu_ir::scf::For;
use zpu_ir::{Block, Builder, Op, PassResult, Remark, RemarkKind};

use crate::analysis::access::accesses;
use crate::analysis::body::{is_asynchronous, sync_engine};
use flights::Flights;

const PASS: &str = "zpu-inject-dma-barrier";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, _options: &InjectDmaBarrierOptions) -> PassResult {
    let Some(body) = function.body() else { return Ok(()) };
    let ops = function.walk();
    if !ops.iter().any(|op| sync_engine(*op).is_some()) {
        return Ok(());
    }
    let device = zpu_ir::device::of(function)?;
    let engines: BTreeSet<String> = device
        .engines
        .iter()
        .filter(|engine| !engine.blocking)
        .map(|engine| engine.name.clone())
        .collect();
    let has_work = ops
        .iter()
        .filter_map(|op| sync_engine(*op))
        .any(|engine| engines.contains(engine));
    if let Some(op) = ops.iter().find(|op| is_asynchronous(**op) && has_work) {
        let message = "the function already holds asynchronous commands; their order is left to their author";
        Remark::new(*op, RemarkKind::Missed, PASS, "asynchronous-body")
            .message(message)
            .emit();
        return Ok(());
    }
    let mut pass = Injection {
        engines,
        waits: 0,
        starts: 0,
        groups: 0,
    };
    pass.block(body, &mut Flights::default());
    Remark::new(function, RemarkKind::Passed, PASS, "asynchronous")
        .message(format!("{} starts, {} waits", pass.starts, pass.waits))
        .metric("Starts", pass.starts)
        .metric("Waits", pass.waits)
        .emit();
    Ok(())
}

/// One run of the pass over a function.
struct Injection {
    /// Engines that take asynchronous commands.
    engines: BTreeSet<String>,
    /// Waits emitted.
    waits: usize,
    /// Starts emitted.
    starts: usize,
    /// Loops met, to name groups of flights.
    groups: usize,
}

impl Injection {
    /// The engine of a command that becomes asynchronous.
    fn async_engine<'c>(&self, op: Op<'c>) -> Option<&'c str> {
        sync_engine(op).filter(|engine| self.engines.contains(*engine))
    }

    /// Handles a block, and leaves nothing in flight at its end.
    fn block<'c>(&mut self, block: Block<'c>, flights: &mut Flights<'c>) {
        let terminator = block.terminator();
        let ops: Vec<Op<'c>> = block.ops().filter(|op| Some(*op) != terminator).collect();
        for op in ops {
            self.op(op, flights);
        }
        if let Some(terminator) = terminator {
            self.drain(terminator, flights);
        }
    }

    fn op<'c>(&mut self, op: Op<'c>, flights: &mut Flights<'c>) {
        if let Some(engine) = self.async_engine(op) {
            let accesses = accesses(op);
            self.settle(op, flights, accesses.as_deref(), Some(engine));
            let (token, is_dma) = (convert::start(op), op.is("zpu.dma"));
            let token = token.result(0);
            self.starts += 1;
            flights.push(engine, token, is_dma, accesses);
            convert::remove(op);
            return;
        }
        if let Some(for_) = For::of(op).filter(|for_| flat_loop::is_flat(*for_)) {
            self.flat_loop(for_, flights);
            return;
        }
        if op.is_memory_effect_free() && !contains_commands(op) {
            return;
        }
        if op.is("memref.alloc") || op.is("memref.alloca") {
            return;
        }
        self.settle(op, flights, accesses(op).as_deref(), None);
        if contains_commands(op) && sync_engine(op).is_none() {
            for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
                self.block(block, &mut Flights::default());
            }
        }
    }

    /// Waits, in front of `op`, for every flight that conflicts with its accesses; unknown accesses conflict with all.
    /// Flights of the engine that executes `op` itself are ordered by its queue.
    fn settle<'c>(
        &mut self,
        op: Op<'c>,
        flights: &mut Flights<'c>,
        accesses: Option<&[crate::analysis::access::Access<'c>]>,
        engine: Option<&str>,
    ) {
        while let Some(index) = flights.last_conflict(accesses, engine) {
            self.wait_for(&mut Builder::before(op), flights, index);
        }
    }

    /// Waits for everything in flight, in front of `op`.
    fn drain<'c>(&mut self, op: Op<'c>, flights: &mut Flights<'c>) {
        self.settle(op, flights, None, None);
    }

    /// Waits for one flight and takes what that completes off the list.
    fn wait_for<'c>(&mut self, builder: &mut Builder<'c>, flights: &mut Flights<'c>, index: usize) {
        let (token, is_dma) = flights.token(index);
        convert::wait(builder, token, is_dma);
        self.waits += 1;
        flights.complete(index);
    }
}

/// Whether a command stands somewhere inside.
fn contains_commands(op: Op<'_>) -> bool {
    op.walk().into_iter().any(|inner| sync_engine(inner).is_some())
}
