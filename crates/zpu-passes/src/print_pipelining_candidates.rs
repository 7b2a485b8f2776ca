//! `zpu-print-pipelining-candidates`: prints for each buffer of each loop whether it can be a ring of a pipeline, or
//! the rule that forbids it.
//!
//! Changes nothing, and needs no commands: copies count as well as transfers. Each loop that holds commands, copies or
//! computations gets a diagnostic of severity remark, with a note for each allocation that it accesses:
//!
//! ```text
//! x.mlir:9:3: remark: loop of 8 iterations: 2 of 3 buffers can have versions
//! x.mlir:10:10: note: memref<8xf32, #zpu.space<asram>>: filled by zpu.dma on @odma0; levels dram -> rsram -> asram; eligible
//! x.mlir:5:8: note: memref<8xf32, #zpu.space<rsram>>: filled by linalg.exp on @vector; levels rsram; not eligible: accumulates
//! x.mlir:9:3: note: one pipeline of 2 levels: dram -> rsram -> asram
//! ```
//!
//! A second note for each buffer says what `asynchronous_copy_rules` finds.
//!
//! A buffer is listed with the innermost loop for which it is eligible, as `zpu-multi-version-buffer` takes it, and
//! with every loop inside that one for which it is not. If `zpu-pipeline-planning` and `zpu-multi-version-buffer` leave
//! a whole loop as it is because of an operation in its body, none of its buffers is eligible; the same is true of a
//! loop that is no `scf.for`. Levels are the memories that the data passes through by copies, each from the one before;
//! a level that is filled outside the loop is marked as such: the pipeline around fills it ahead.

use zpu_device::Device;
use zpu_ir::ops::Dma;
use zpu_ir::scf::{For, is_loop};
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, PassResult, Value, device, note, remark_diagnostic};

use crate::asynchronous_copy_rules;

use zpu_analysis::access::accesses;
use zpu_analysis::body::{Decline, obstacle as body_obstacle, sync_engine};
use zpu_analysis::privatizable::{Life, Touched, view_at_zero};
use zpu_analysis::region::{Root, region_of};

/// The longest chain of copies that is followed; no built-in device has as many memories.
const MOST_LEVELS: usize = 16;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>) -> PassResult {
    // The device says which copies are asynchronous; without one, any is taken to be.
    let device = device::find(function).and_then(|_| device::read(function).ok());
    let loops: Vec<Touched<'_>> = function
        .walk()
        .into_iter()
        .filter_map(For::of)
        .map(Touched::of)
        .collect();
    // A buffer that is eligible in an inner loop is taken there; in `loops`, inner loops come after those around them.
    let mut taken: Vec<(Value<'_>, Op<'_>)> = Vec::new();
    let mut reports = Vec::new();
    for touched in loops.iter().rev() {
        let at = touched.for_.op;
        let obstacle = Some(touched.for_)
            .filter(|for_| for_.is_innermost())
            .and_then(body_obstacle);
        let mut buffers = Vec::new();
        for root in &touched.roots {
            let inner = |(buffer, for_): &(Value<'_>, Op<'_>)| buffer == root && at.contains(*for_);
            if taken.iter().any(inner) || lives_in_inner_loop(*root, touched.for_) {
                continue;
            }
            let candidate = Candidate::of(touched, &loops, *root, obstacle.as_ref(), device.as_ref());
            if candidate.life.is_ok() {
                taken.push((*root, at));
            }
            buffers.push(candidate);
        }
        reports.push((touched.for_, buffers));
    }
    let mut reports = reports.iter().rev();
    for op in function.walk().into_iter().filter(|op| is_loop(*op)) {
        if For::of(op).is_none() {
            report_uncounted(op);
        } else if let Some((for_, buffers)) = reports.next().filter(|(_, buffers)| !buffers.is_empty()) {
            report(*for_, buffers);
        }
    }
    Ok(())
}

/// Reports the buffers that a loop that is no `scf.for` fills; none of them can have versions.
fn report_uncounted(at: Op<'_>) {
    let mut roots = Vec::new();
    let mut notes = Vec::new();
    let own = |op: &Op<'_>| op.parents().find(|parent| is_loop(*parent)) == Some(at);
    let is_leaf = |op: &Op<'_>| op.regions().is_empty() || op.name().starts_with("linalg.");
    for op in at
        .walk()
        .into_iter()
        .filter(|op| own(op) && is_leaf(op) && !op.is("memref.dealloc"))
    {
        let writes = accesses(op)
            .unwrap_or_default()
            .into_iter()
            .filter(|access| access.write);
        for root in writes.map(|access| access.region.root) {
            let Root::Allocation(root) = root else { continue };
            if !roots.contains(&root) {
                roots.push(root);
                let allocation = root.defining_op().unwrap_or(at);
                let by = op.parents().find(|parent| sync_engine(*parent).is_some()).unwrap_or(op);
                let source = copied(op).map(|source| region_of(source).root.value());
                let levels: Vec<String> = source.into_iter().chain([root]).map(space).collect();
                let text = format!(
                    "{}: filled by {}; levels {}; not eligible: no-counted-loop",
                    root.ty(),
                    describe(op, by),
                    levels.join(" -> ")
                );
                notes.push(note(allocation, text));
            }
        }
    }
    if !notes.is_empty() {
        let message = format!("{}: 0 of {} buffers can have versions", at.name(), notes.len());
        remark_diagnostic(at, &message, &notes);
    }
}

/// A buffer of a loop.
struct Candidate<'c> {
    root: Value<'c>,
    allocation: Op<'c>,
    filler: String,
    /// The levels of its data, from the first memory to the buffer itself.
    levels: Vec<Level<'c>>,
    /// The rules of another tool, and which of them it keeps.
    rules: String,
    life: Result<Life, Decline<'c>>,
}

/// A memory that data passes through.
#[derive(Clone)]
struct Level<'c> {
    space: String,
    /// The buffer; none for memory that is no allocation.
    root: Option<Value<'c>>,
    /// True if the loop itself fills it; always so for memory that is no allocation.
    here: bool,
}

impl<'c> Candidate<'c> {
    fn of(
        touched: &Touched<'c>,
        loops: &[Touched<'c>],
        root: Value<'c>,
        obstacle: Option<&Decline<'c>>,
        device: Option<&Device>,
    ) -> Self {
        let writer = touched.touches(root).iter().find(|touch| !touch.writes.is_empty());
        let mut levels = levels(touched, loops, root);
        levels.reverse();
        let ring = |life: Life| match view_at_zero(root) {
            Some(view) => {
                let message = format!("{} needs a buffer that starts at offset 0", view.name());
                Err(Decline::new("view-of-slot", view, message))
            }
            None => Ok(life),
        };
        let life = touched.life(root).and_then(ring).and_then(|life| match obstacle {
            Some(decline) => Err(decline.clone()),
            None => Ok(life),
        });
        Self {
            rules: asynchronous_copy_rules::text(touched, root, &life, device, copied),
            root,
            allocation: root.defining_op().unwrap_or(touched.for_.op),
            filler: writer.map_or("nothing in the loop".to_owned(), |touch| {
                describe(touch.op, touch.command)
            }),
            levels,
            life,
        }
    }

    fn text(&self) -> String {
        let verdict = match &self.life {
            Ok(Life::Iteration) => "eligible".to_owned(),
            Ok(Life::After) => "eligible, the last version is used after the loop".to_owned(),
            Err(decline) => format!("not eligible: {}", decline.reason),
        };
        let ty = self.root.ty();
        format!(
            "{ty}: filled by {}; levels {}; {verdict}",
            self.filler,
            chain(&self.levels)
        )
    }
}

/// The text of an operation, with the engine of the command around it.
fn describe(op: Op<'_>, command: Op<'_>) -> String {
    match sync_engine(command) {
        Some(engine) => format!("{} on @{engine}", op.name()),
        None => op.name().to_owned(),
    }
}

/// The memref that an operation copies, if it is a copy.
fn copied<'c>(op: Op<'c>) -> Option<Value<'c>> {
    let transferred = Dma::of(op).map(Dma::source);
    transferred.or_else(|| matches!(op.name(), "memref.copy" | "linalg.copy").then(|| op.operand(0)))
}

fn chain(levels: &[Level<'_>]) -> String {
    let names: Vec<String> = levels
        .iter()
        .map(|level| match level.here {
            true => level.space.clone(),
            false => format!("{} (filled outside)", level.space),
        })
        .collect();
    names.join(" -> ")
}

/// The memories that a buffer's data passes through, the buffer's own first.
fn levels<'c>(touched: &Touched<'c>, loops: &[Touched<'c>], root: Value<'c>) -> Vec<Level<'c>> {
    let mut levels: Vec<Level<'c>> = Vec::new();
    let mut next = Some(root);
    while let Some(value) = next.take().filter(|_| levels.len() < MOST_LEVELS) {
        if levels.iter().any(|level| level.root == Some(value)) {
            break;
        }
        let is_allocation = value
            .defining_op()
            .is_some_and(|op| matches!(op.name(), "memref.alloc" | "memref.alloca"));
        // The loop itself, or the nearest one around it that fills the buffer.
        let fills = |candidate: &&Touched<'c>| {
            let mut touches = candidate.touches(value).iter();
            candidate.for_.op.contains(touched.for_.op) && touches.any(|touch| !touch.writes.is_empty())
        };
        let filled_in = loops.iter().rev().find(fills);
        levels.push(Level {
            space: space(value),
            root: is_allocation.then_some(value),
            here: !is_allocation || filled_in.is_some_and(|filled| filled.for_ == touched.for_),
        });
        let source = filled_in.and_then(|filled| copied_from(filled, value));
        next = source.map(|source| region_of(source).root.value());
    }
    levels
}

/// The source of the first copy that fills a buffer.
fn copied_from<'c>(touched: &Touched<'c>, buffer: Value<'c>) -> Option<Value<'c>> {
    let mut writes = touched.touches(buffer).iter().filter(|touch| !touch.writes.is_empty());
    writes.find_map(|touch| copied(touch.op))
}

fn space(value: Value<'_>) -> String {
    let memref = MemRef::of(value.ty());
    let space = memref.as_ref().and_then(MemRef::space);
    space.unwrap_or("(no space)").to_owned()
}

/// True if the buffer is allocated in a loop inside this one.
fn lives_in_inner_loop(root: Value<'_>, for_: For<'_>) -> bool {
    let Some(allocation) = root.defining_op() else {
        return false;
    };
    let nearest = allocation.parents().find_map(For::of);
    nearest.is_some_and(|nearest| nearest != for_ && for_.op.contains(nearest.op))
}

fn report<'c>(for_: For<'c>, buffers: &[Candidate<'c>]) {
    let eligible = buffers.iter().filter(|buffer| buffer.life.is_ok()).count();
    let length = match for_.constant_trip_count() {
        Some(1) => "loop of 1 iteration".to_owned(),
        Some(trips) => format!("loop of {trips} iterations"),
        None => "loop of a dynamic number of iterations".to_owned(),
    };
    let message = format!("{length}: {eligible} of {} buffers can have versions", buffers.len());
    let mut notes: Vec<_> = buffers
        .iter()
        .flat_map(|buffer| [buffer.text(), buffer.rules.clone()].map(|text| note(buffer.allocation, text)))
        .collect();
    for buffer in buffers.iter().filter(|buffer| is_pipeline(buffer, buffers)) {
        let text = format!(
            "one pipeline of {} levels: {}",
            buffer.levels.len() - 1,
            chain(&buffer.levels)
        );
        notes.push(note(for_.op, text));
    }
    remark_diagnostic(for_.op, &message, &notes);
}

/// True if the buffer is the end of a chain of at least two copies, and every buffer of the chain that the loop fills
/// can have versions.
fn is_pipeline(buffer: &Candidate<'_>, all: &[Candidate<'_>]) -> bool {
    let is_eligible = |root: Value<'_>| all.iter().any(|other| other.root == root && other.life.is_ok());
    let level = |level: &Level<'_>| !level.here || level.root.is_none_or(is_eligible);
    let goes_on = |other: &Candidate<'_>| {
        let before = other.levels.len().saturating_sub(1);
        other.levels[..before]
            .iter()
            .any(|level| level.root == Some(buffer.root))
    };
    buffer.levels.len() > 2 && buffer.levels.iter().all(level) && !all.iter().any(goes_on)
}
