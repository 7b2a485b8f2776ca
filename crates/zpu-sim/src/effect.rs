//! Effects of commands on memory, captured when a command is issued and carried out when it completes.

use std::rc::Rc;

use crate::execute::{self, Bound, Invocation, Scratch};
use crate::fault::Fault;
use crate::footprint::Footprint;
use crate::memory::{BufferId, Memory};
use crate::program::LocationId;
use crate::scalar::{read_element, write_element};
use crate::softmax::Softmax;
use crate::view::View;

/// A part of a command with its operands.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) location: LocationId,
    /// Measured cycles, which win over the cost model.
    pub(crate) cycles: Option<u64>,
    pub(crate) kind: EffectKind,
}

#[derive(Clone, Debug)]
pub(crate) enum EffectKind {
    Copy(Copy),
    Softmax(Softmax),
    Run(Box<Invocation>),
}

/// A copy between views of equal extents and element types.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) source: Rc<View>,
    pub(crate) target: Rc<View>,
    /// Bytes of source and target; `None` if there is no element.
    footprints: Option<(Footprint, Footprint)>,
}

impl Copy {
    pub(crate) fn new(source: Rc<View>, target: Rc<View>) -> Result<Self, Fault> {
        if source.element != target.element {
            return Err(Fault::Element {
                left: source.element,
                right: target.element,
            });
        }
        if source.sizes.len() != target.sizes.len() {
            return Err(Fault::Rank {
                expected: source.sizes.len(),
                found: target.sizes.len(),
            });
        }
        for (dim, (&left, &right)) in source.sizes.iter().zip(&target.sizes).enumerate() {
            if left != right {
                return Err(Fault::Extent { dim, left, right });
            }
        }
        let footprints = source.footprint()?.zip(target.footprint()?);
        Ok(Self {
            source,
            target,
            footprints,
        })
    }

    /// Contiguous pieces of the more fragmented side, and the bytes of each.
    pub(crate) fn rows(&self) -> (u64, u64) {
        let run = self.source.contiguous_run().min(self.target.contiguous_run()).max(1);
        (self.source.elements() / run, run * self.source.element_bytes() as u64)
    }

    /// Strided dimensions that a transfer goes through.
    pub(crate) fn dims(&self) -> u64 {
        self.source.dims_with(&self.target)
    }

    /// Bytes that are moved.
    pub(crate) fn bytes(&self) -> u64 {
        self.source
            .elements()
            .saturating_mul(self.source.element_bytes() as u64)
    }
}

impl Effect {
    /// Calls `visit` with the bytes of every operand that has some: the operand, its footprint, whether they are read,
    /// whether they are written.
    pub(crate) fn for_each_operand(&self, mut visit: impl FnMut(&View, &Footprint, bool, bool)) {
        self.for_each_operand_at(|_, view, footprint, read, write| visit(view, footprint, read, write));
    }

    /// The same, with the place of the operand among the operands of the action.
    pub(crate) fn for_each_operand_at(&self, mut visit: impl FnMut(usize, &View, &Footprint, bool, bool)) {
        match &self.kind {
            EffectKind::Copy(copy) | EffectKind::Softmax(Softmax { operands: copy, .. }) => {
                if let Some((source, target)) = &copy.footprints {
                    visit(0, &copy.source, source, true, false);
                    visit(1, &copy.target, target, false, true);
                }
            }
            EffectKind::Run(invocation) => {
                for (i, (bound, footprint)) in invocation.operands.iter().zip(&invocation.footprints).enumerate() {
                    if let (Bound::View(view), Some(footprint)) = (bound, footprint) {
                        let output = invocation.prepared.kernel.operands[i].output;
                        visit(i, view, footprint, invocation.prepared.reads[i], output);
                    }
                }
            }
        }
    }

    /// Checks that every operand lies in a live buffer.
    pub(crate) fn check(&self, memory: &Memory) -> Result<(), Fault> {
        let mut result = Ok(());
        self.for_each_operand(|view, footprint, _, _| {
            if result.is_ok() {
                result = memory.check(view.buffer, footprint);
            }
        });
        result
    }

    /// The first operand byte that is read and was never written.
    pub(crate) fn first_unwritten(&self, memory: &Memory) -> Option<(BufferId, u64)> {
        let mut found = None;
        self.for_each_operand(|view, footprint, read, _| {
            if read && found.is_none() {
                let first = memory.first_unwritten(view.buffer, footprint);
                found = first.map(|byte| (view.buffer, byte));
            }
        });
        found
    }

    /// The first byte that is read through one window and written through another one: the buffers that read and
    /// write, and the byte. Which of the two comes first is the machine's affair.
    pub(crate) fn first_overwritten(&self, memory: &Memory) -> Option<(BufferId, BufferId, u64)> {
        let mut writes: Vec<(BufferId, Footprint)> = Vec::new();
        self.for_each_operand(|view, footprint, _, write| {
            if write && memory.window(view.buffer).is_some() {
                writes.push((view.buffer, footprint.clone()));
            }
        });
        if writes.is_empty() {
            return None;
        }
        let mut found = None;
        self.for_each_operand(|view, footprint, read, _| {
            let buffer = view.buffer;
            let is_other = |written: BufferId| written != buffer && written.place() == buffer.place();
            for (written, bytes) in writes.iter().filter(|(written, _)| read && is_other(*written)) {
                let overlap = footprint.overlap(bytes).map(|(first, _)| (buffer, *written, first));
                found = found.or(overlap);
            }
        });
        found
    }

    /// Carries it out.
    pub(crate) fn apply(&self, memory: &mut Memory, scratch: &mut Scratch) -> Result<(), Fault> {
        match &self.kind {
            EffectKind::Copy(copy) => copy_view(copy, memory)?,
            EffectKind::Softmax(softmax) => softmax.apply(memory)?,
            EffectKind::Run(invocation) => execute::run(invocation, memory, scratch)?,
        }
        self.for_each_operand(|view, footprint, _, write| {
            if write {
                memory.mark_written(view.buffer, footprint);
            }
        });
        Ok(())
    }
}

fn copy_view(copy: &Copy, memory: &mut Memory) -> Result<(), Fault> {
    if copy.footprints.is_none() {
        return Ok(());
    }
    let (source, target) = (&copy.source, &copy.target);
    memory.live_bytes(source.buffer)?;
    memory.live_bytes(target.buffer)?;
    let (rows, row_bytes) = copy.rows();
    let row_bytes = row_bytes as usize;
    let mut walk = RowWalk::new(source, target, row_bytes)?;
    if source.buffer.place() == target.buffer.place() {
        // All of the source is read before any of the target is written, whatever they share.
        let mut values = Vec::new();
        let bytes = memory.live_bytes(source.buffer)?;
        let mut places = Vec::new();
        for _ in 0..rows {
            let (from, to) = walk.next();
            values.extend_from_slice(&bytes[from..from + row_bytes]);
            places.push(to);
        }
        let bytes = memory.live_bytes_mut(target.buffer)?;
        for (row, to) in values.chunks_exact(row_bytes).zip(places) {
            bytes[to..to + row_bytes].copy_from_slice(row);
        }
        return Ok(());
    }
    let [from_buffer, to_buffer] = memory
        .buffers
        .get_disjoint_mut([source.buffer.place(), target.buffer.place()])
        .map_err(|_| Fault::Missing("a buffer"))?;
    for _ in 0..rows {
        let (from, to) = walk.next();
        let (source, target) = (
            &from_buffer.bytes[from..from + row_bytes],
            &mut to_buffer.bytes[to..to + row_bytes],
        );
        if row_bytes <= 8 {
            write_element(target, read_element(source));
        } else {
            target.copy_from_slice(source);
        }
    }
    Ok(())
}

/// The first bytes of corresponding rows of two views, in row-major order.
struct RowWalk {
    /// Extent, source stride, target stride of the dimensions that are not within a row, outermost first.
    dims: Vec<(i64, i64, i64)>,
    point: Vec<i64>,
    from: i64,
    to: i64,
}

impl RowWalk {
    fn new(source: &View, target: &View, row_bytes: usize) -> Result<Self, Fault> {
        let mut dims = Vec::new();
        for (dim, &size) in source.sizes.iter().enumerate() {
            dims.push((size, source.byte_stride(dim)?, target.byte_stride(dim)?));
        }
        let mut row = row_bytes as i64 / source.element_bytes();
        while row > 1 {
            let Some((size, ..)) = dims.pop() else { break };
            row /= size;
        }
        let point = vec![0; dims.len()];
        Ok(Self {
            dims,
            point,
            from: source.origin()?,
            to: target.origin()?,
        })
    }

    fn next(&mut self) -> (usize, usize) {
        let here = (self.from as usize, self.to as usize);
        for (index, &(size, from, to)) in self.point.iter_mut().zip(&self.dims).rev() {
            *index += 1;
            self.from += from;
            self.to += to;
            if *index < size {
                break;
            }
            self.from -= from * size;
            self.to -= to * size;
            *index = 0;
        }
        here
    }
}
