//! `zpu-insert-buffers`: makes one loop of a loop that writes a tensor and of those that read it, and puts a buffer in
//! place of the tensor.
//!
//! Assumes loops around copies and computations on buffers, as a front end leaves them, before they get memories.
//!
//! ```mlir
//! %t = memref.alloc() : memref<512x64xf32, #zpu.space<dram>>
//! scf.for %i = %c0 to %c512 step %c32 { ... %t[%i, 0] [32, 64] is written ... }
//! scf.for %i = %c0 to %c512 step %c32 { ... %t[%i, 0] [32, 64] is read ... }
//! // becomes
//! scf.for %i = %c0 to %c512 step %c32 {
//!   %b = memref.alloc() : memref<32x64xf32>
//!   ... %b is written ...
//!   ... %b is read ...
//! }
//! ```
//!
//! `fusion` decides which loops become one and in what step, `write` writes that, `storage` finds the buffer that does
//! in place of the tensor (a ring by all accesses in turn, [`zpu_analysis::trace`]), `forward` leaves out copies that
//! such a buffer makes superfluous, `unroll` writes out short loops within, so that the whole body is planned together,
//! `resident` moves tensors to the chip that stay whole, and `record` notes on each buffer which elements of the tensor
//! its accesses mean, for `zpu-verify-streams`.

mod forward;
mod fusion;
mod layout;
mod record;
mod resident;
mod storage;
mod unroll;
mod write;

use std::collections::HashSet;

use zpu_analysis::access::accesses;
use zpu_analysis::body::Decline;
use zpu_analysis::region::Root;
use zpu_device::Device;
use zpu_ir::options::InsertBuffersOptions;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Block, Failed, Op, PassResult, Remark, RemarkKind, Value, annotation, attr, error};

use fusion::{Fusion, Trips};
use resident::Resident;
use storage::{Form, Slack, Storage};

const PASS: &str = "zpu-insert-buffers";

/// All buffers take up to one part in so many of the memory for buffers without demands: the others of the function
/// need the rest, and so do the versions of all.
const SHARE: u64 = 2;

/// Iterations whose part a ring holds beyond what is needed, if nobody says how many.
const MOST_SLACK: i64 = 8;

/// Marks loops over what is left before and after a fused loop, which are not fused themselves. None is left at the end
/// of the pass.
const LEFT_OVER: &str = "zpu.left_over";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &InsertBuffersOptions) -> PassResult {
    let Some(body) = function.body() else { return Ok(()) };
    let slots = function.attr(annotation::RING_SLACK).and_then(attr::as_int);
    let (iterations, slack) = match (options.ring_slack, slots) {
        (-1, Some(slots)) => (0, Slack::Slots(slots)),
        (-1, None) => (MOST_SLACK, Slack::Iterations(MOST_SLACK)),
        (iterations, _) => (iterations, Slack::Iterations(iterations)),
    };
    for (name, value) in [("ring-slack", iterations), ("max-unrolled", options.max_unrolled)] {
        if !(0..=4096).contains(&value) {
            error(function, &format!("{name} is {value}, must be from 0 to 4096"), &[]);
            return Err(Failed);
        }
    }
    if function.has_attr(annotation::WHOLE_TENSORS) {
        return Ok(());
    }
    let device = zpu_ir::device::of(function)?;
    let mut pass = Pass {
        off_chip: device.off_chip.clone(),
        left: device
            .memory(&device.default_space)
            .map_or(0, |memory| i64::try_from(memory.bytes / SHARE).unwrap_or(i64::MAX)),
        slack,
        unrolled: options.max_unrolled,
        has_changed: false,
        told: HashSet::new(),
    };
    pass.block(body);
    for loop_ in function.find_all("scf.for") {
        loop_.remove_attr(LEFT_OVER);
    }
    pass.residents(function, &device);
    // Annotations of edges between loops mean nothing once the loops are one; the buffers have their own.
    if pass.has_changed {
        for op in function.walk() {
            op.remove_attr(annotation::STREAMS);
        }
        record::record(function);
    }
    Ok(())
}

struct Pass<'c> {
    off_chip: String,
    /// Bytes that buffers may still take.
    left: i64,
    slack: Slack,
    unrolled: i64,
    has_changed: bool,
    /// Loops of which it was said why they stay apart.
    told: HashSet<(Op<'c>, &'static str)>,
}

/// Two loops of a block, the second of which reads tensors that the first one writes.
struct Pair<'c> {
    producer: For<'c>,
    consumer: For<'c>,
    tensors: Vec<Value<'c>>,
}

impl<'c> Pass<'c> {
    fn block(&mut self, block: Block<'c>) {
        let mut fused: Vec<For<'c>> = Vec::new();
        let mut declined: HashSet<(Op<'c>, Op<'c>)> = HashSet::new();
        while let Some(pair) = self.pair(block, &declined) {
            let (producer, consumer) = (pair.producer, pair.consumer);
            match self.fuse(pair) {
                Ok(for_) => {
                    // Tensors within the loop go first: a loop that is fused again has parts before and after it.
                    self.blocks(for_);
                    forward::forward(for_, &[]);
                    fused.retain(|other| *other != producer && *other != consumer);
                    fused.push(for_);
                    // An operation that is gone may come back at the same address.
                    declined.clear();
                    self.told.clear();
                }
                Err(decline) => {
                    self.tell(&decline);
                    declined.insert((producer.op, consumer.op));
                }
            }
        }
        if !fused.is_empty() {
            self.rings(block);
        }
        let loops: Vec<For<'c>> = block.ops().filter_map(For::of).collect();
        for for_ in loops {
            self.block(for_.body);
            if fused.contains(&for_) {
                unroll::unroll(for_, self.unrolled);
                forward::forward(for_, &[]);
            }
        }
    }

    /// The next two loops to try: neighbours first.
    fn pair(&self, block: Block<'c>, declined: &HashSet<(Op<'c>, Op<'c>)>) -> Option<Pair<'c>> {
        let loops: Vec<For<'c>> = block
            .ops()
            .filter_map(For::of)
            .filter(|for_| !for_.op.has_attr(LEFT_OVER))
            .collect();
        let touched: Vec<(HashSet<Value<'c>>, HashSet<Value<'c>>)> =
            loops.iter().map(|for_| self.tensors(*for_)).collect();
        for second in 1..loops.len() {
            for first in (0..second).rev() {
                if declined.contains(&(loops[first].op, loops[second].op)) {
                    continue;
                }
                let mut tensors: Vec<Value<'c>> = touched[first].0.intersection(&touched[second].1).copied().collect();
                tensors.retain(|tensor| self.is_intermediate(*tensor));
                tensors.sort_by_key(|tensor| {
                    let place = tensor.defining_op();
                    block.ops().position(|op| Some(op) == place)
                });
                if !tensors.is_empty() {
                    return Some(Pair {
                        producer: loops[first],
                        consumer: loops[second],
                        tensors,
                    });
                }
            }
        }
        None
    }

    /// Allocations outside a loop that it writes, and those that it reads.
    fn tensors(&self, for_: For<'c>) -> (HashSet<Value<'c>>, HashSet<Value<'c>>) {
        let (mut written, mut read) = (HashSet::new(), HashSet::new());
        for access in accesses(for_.op).unwrap_or_default() {
            if let Root::Allocation(root) = access.region.root
                && !root.is_defined_inside(for_.op)
            {
                let list = if access.write { &mut written } else { &mut read };
                list.insert(root);
            }
        }
        (written, read)
    }

    /// True for what may go away: an allocation off chip, or without a memory.
    fn is_intermediate(&self, tensor: Value<'c>) -> bool {
        let memref = MemRef::of(tensor.ty());
        memref.is_some_and(|memref| match memref.space_attr {
            None => true,
            Some(_) => memref.space() == Some(self.off_chip.as_str()),
        })
    }

    fn fuse(&mut self, pair: Pair<'c>) -> Result<For<'c>, Decline<'c>> {
        let fusion = Fusion::of(pair.producer, pair.consumer, pair.tensors)?;
        for tensor in &fusion.tensors {
            storage::views(*tensor)?;
        }
        let fused = write::write(&fusion);
        self.has_changed = true;
        let name = match fusion.trips {
            Trips::Same => "all iterations",
            Trips::Known { .. } => "iterations",
        };
        let (produced, consumed, ahead) = (fusion.produced, fusion.consumed, fusion.ahead);
        Remark::new(fused.op, RemarkKind::Passed, PASS, "fused")
            .message(format!(
                "{name} of two loops run together, {produced} of the first one with {consumed} of the second one, \
                 the first one {ahead} ahead"
            ))
            .metric("Produced", produced)
            .metric("Consumed", consumed)
            .metric("Ahead", ahead)
            .emit();
        Ok(fused)
    }

    /// Puts blocks in place of all tensors that live within an iteration of a loop.
    fn blocks(&mut self, for_: For<'c>) {
        let Some(block) = for_.op.block() else { return };
        for tensor in self.intermediates(block) {
            let uses = tensor.uses();
            if uses
                .iter()
                .all(|used| used.op.is("memref.dealloc") || for_.op.contains(used.op))
                && let Ok(storage) = Storage::block(tensor, for_)
                && storage.bytes() <= self.left
            {
                self.store(&storage);
            }
        }
    }

    /// Puts rings in place of all tensors of a block of which not all is needed at one time.
    fn rings(&mut self, block: Block<'c>) {
        let loops: Vec<For<'c>> = block.ops().filter_map(For::of).collect();
        let touched: Vec<_> = loops.iter().map(|for_| self.tensors(*for_)).collect();
        for tensor in self.intermediates(block) {
            let first = touched.iter().position(|(written, _)| written.contains(&tensor));
            let is_read = touched.iter().any(|(_, read)| read.contains(&tensor));
            let Some(first) = first.filter(|_| is_read) else {
                continue;
            };
            match Storage::ring(tensor, loops[first], self.slack, self.left) {
                Ok(storage) => self.store(&storage),
                Err(decline) => self.tell(&decline),
            }
        }
    }

    /// Moves tensors to the chip that are still off chip and passed from loop to loop.
    fn residents(&mut self, function: Op<'c>, device: &Device) {
        let space = device.default_space.as_str();
        for loop_or_function in [function].into_iter().chain(function.find_all("scf.for")) {
            let Some(block) = loop_or_function.body() else { continue };
            let loops: Vec<For<'c>> = block.ops().filter_map(For::of).collect();
            let touched: Vec<_> = loops.iter().map(|for_| self.tensors(*for_)).collect();
            for tensor in self.intermediates(block) {
                let is_passed = touched.iter().any(|(written, _)| written.contains(&tensor))
                    && touched.iter().any(|(_, read)| read.contains(&tensor));
                if !is_passed || !resident::is_in(tensor, &self.off_chip) {
                    continue;
                }
                match Resident::of(tensor, self.left) {
                    Ok(resident) => {
                        self.left -= resident.bytes;
                        self.has_changed = true;
                        resident.apply(space);
                        for for_ in function.find_all("scf.for").into_iter().filter_map(For::of) {
                            forward::forward(for_, &[tensor]);
                        }
                        resident.lay_out(device);
                    }
                    Err(decline) => self.tell(&decline),
                }
            }
        }
    }

    /// The tensors that are allocated in a block.
    fn intermediates(&self, block: Block<'c>) -> Vec<Value<'c>> {
        let allocations = block.ops().filter(|op| op.is("memref.alloc"));
        let tensors = allocations.map(|op| op.result(0));
        tensors.filter(|tensor| self.is_intermediate(*tensor)).collect()
    }

    fn store(&mut self, storage: &Storage<'c>) {
        let bytes = storage.bytes();
        let whole = MemRef::of(storage.tensor.ty()).and_then(|memref| memref.bytes());
        let whole = whole.map_or_else(|| "unknown".to_owned(), |bytes| bytes.to_string());
        let shape: Vec<String> = storage.shape.iter().map(i64::to_string).collect();
        let (form, what) = match storage.form {
            Form::Block { .. } => ("block", "a block for each iteration"),
            Form::Ring { .. } => ("ring", "a ring"),
        };
        Remark::new(storage.loop_.op, RemarkKind::Passed, PASS, "buffer")
            .message(format!(
                "{what} of {} in place of a tensor: {bytes} bytes, of the tensor {whole}",
                shape.join("x")
            ))
            .metric("Form", form)
            .metric("Bytes", bytes)
            .metric("TensorBytes", whole)
            .emit();
        self.left -= bytes;
        storage.write();
    }

    fn tell(&mut self, decline: &Decline<'c>) {
        if self.told.insert((decline.at, decline.reason)) {
            Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
                .message(decline.message.clone())
                .emit();
        }
    }
}
