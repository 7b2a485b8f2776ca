//! Runs a kernel on memory: strips of lanes along one parallel loop, every other loop outside of it.
//!
//! Invariant: each output element sees its updates in the order of the iteration space, so that results do not depend
//! on how the loops are cut. Where operands overlap in a way that makes the order visible, the loops run one point at a
//! time in order.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::affine::Linear;
use crate::fault::Fault;
use crate::footprint::Footprint;
use crate::kernel::{BodyOp, Contraction, Kernel, LoopKind};
use crate::memory::Memory;
use crate::scalar::{element_bytes, read_element, write_element};
use crate::view::View;

/// Lanes that a strip has at most.
pub(crate) const LANES: usize = 128;

/// A kernel with what follows from its form, found once a run.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// Place in the program.
    pub(crate) id: usize,
    pub(crate) kernel: Rc<Kernel>,
    pub(crate) linear: Option<Vec<Vec<Linear>>>,
    pub(crate) reads: Vec<bool>,
    pub(crate) contraction: Option<Contraction>,
}

impl Prepared {
    pub(crate) fn new(id: usize, kernel: &Kernel) -> Result<Self, Fault> {
        kernel.check()?;
        let linear = kernel.linear_maps();
        Ok(Self {
            id,
            reads: kernel.reads(),
            contraction: kernel.contraction(),
            kernel: Rc::new(kernel.clone()),
            linear,
        })
    }
}

/// The binding of a kernel operand.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Scalar(u64),
    View(Rc<View>),
}

/// A kernel with its operands, as captured when the command was issued.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) prepared: Rc<Prepared>,
    pub(crate) operands: SmallVec<[Bound; 4]>,
    pub(crate) captures: SmallVec<[u64; 2]>,
    pub(crate) extents: Vec<i64>,
    /// Bytes that each operand touches; `None` for a scalar or no element.
    pub(crate) footprints: SmallVec<[Option<Footprint>; 4]>,
}

/// Byte of an operand at the origin of the iteration space, and bytes from one iteration to the next, by loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    pub(crate) origin: i64,
    pub(crate) steps: Vec<i64>,
}

impl Invocation {
    /// Binds a kernel to operands and checks every index that it will use against the operands' extents.
    pub(crate) fn new(
        prepared: &Rc<Prepared>,
        operands: SmallVec<[Bound; 4]>,
        captures: SmallVec<[u64; 2]>,
    ) -> Result<Self, Fault> {
        let kernel = &prepared.kernel;
        if operands.len() != kernel.operands.len() || captures.len() != kernel.body.captures {
            return Err(Fault::Missing("an operand of a kernel"));
        }
        let mut sizes: SmallVec<[&[i64]; 4]> = SmallVec::new();
        for (operand, bound) in kernel.operands.iter().zip(&operands) {
            match bound {
                Bound::View(view) if operand.shaped => {
                    if view.element != operand.element {
                        return Err(Fault::Element {
                            left: view.element,
                            right: operand.element,
                        });
                    }
                    sizes.push(&view.sizes);
                }
                Bound::Scalar(_) if !operand.shaped => sizes.push(&[]),
                _ => return Err(Fault::Value("an operand of the kind that its kernel takes")),
            }
        }
        let extents = kernel.extents(&sizes)?;
        drop(sizes);
        let empty = extents.contains(&0);
        let mut footprints = SmallVec::new();
        for (i, bound) in operands.iter().enumerate() {
            footprints.push(match bound {
                Bound::View(view) if !empty => touched(prepared, i, view, &extents)?,
                _ => None,
            });
        }
        Ok(Self {
            prepared: Rc::clone(prepared),
            operands,
            captures,
            extents,
            footprints,
        })
    }

    fn view(&self, operand: usize) -> Option<&View> {
        match &self.operands[operand] {
            Bound::View(view) => Some(view),
            Bound::Scalar(_) => None,
        }
    }

    /// The steps of a linear operand's address over the loops; none for a table.
    pub(crate) fn walk(&self, operand: usize) -> Result<Option<Walk>, Fault> {
        let (Some(linear), Some(view)) = (&self.prepared.linear, self.view(operand)) else {
            return Ok(None);
        };
        if self.prepared.kernel.operands[operand].table {
            return Ok(None);
        }
        let mut walk = Walk {
            origin: view.origin()?,
            steps: vec![0; self.extents.len()],
        };
        let overflow = || Fault::TooLarge;
        for (dim, result) in linear[operand].iter().enumerate() {
            let stride = view.byte_stride(dim)?;
            let start = result.constant.checked_mul(stride).ok_or_else(overflow)?;
            walk.origin = walk.origin.checked_add(start).ok_or_else(overflow)?;
            for (step, coefficient) in walk.steps.iter_mut().zip(&result.coefficients) {
                let by = coefficient.checked_mul(stride).ok_or_else(overflow)?;
                *step = step.checked_add(by).ok_or_else(overflow)?;
            }
        }
        Ok(Some(walk))
    }

    /// True if an output shares bytes with another operand other than element by element.
    pub(crate) fn order_is_visible(&self) -> Result<bool, Fault> {
        for output in 0..self.operands.len() {
            if !self.prepared.kernel.operands[output].output {
                continue;
            }
            for other in 0..self.operands.len() {
                let (Some(x), Some(y)) = (self.view(output), self.view(other)) else {
                    continue;
                };
                let (Some(a), Some(b)) = (&self.footprints[output], &self.footprints[other]) else {
                    continue;
                };
                if other == output || x.buffer.place() != y.buffer.place() || a.start >= b.end || b.start >= a.end {
                    continue;
                }
                let same = x.element == y.element && self.walk(output)? == self.walk(other)?;
                if (!same || self.prepared.linear.is_none()) && a.overlap(b).is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// The bytes that an operand's map reaches, after a check that all of it is within the view.
fn touched(prepared: &Prepared, operand: usize, view: &View, extents: &[i64]) -> Result<Option<Footprint>, Fault> {
    let Some(linear) = prepared
        .linear
        .as_ref()
        .filter(|_| !prepared.kernel.operands[operand].table)
    else {
        return view.footprint();
    };
    let mut ranges = Vec::with_capacity(linear[operand].len());
    for (dim, result) in linear[operand].iter().enumerate() {
        let (low, high) = result.range(extents).ok_or(Fault::Map)?;
        for index in [low, high] {
            if index < 0 || index >= view.sizes[dim] {
                return Err(Fault::Index {
                    index,
                    dim,
                    size: view.sizes[dim],
                });
            }
        }
        ranges.push((low, high));
    }
    view.footprint_of(&ranges)
}

/// Registers of a body, kept from one invocation to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    registers: Vec<u64>,
    pub(crate) packed: crate::contraction::Packed,
}

/// Carries a kernel out. Its footprints were checked against the buffers when it was issued.
pub(crate) fn run(invocation: &Invocation, memory: &mut Memory, scratch: &mut Scratch) -> Result<(), Fault> {
    if invocation.extents.contains(&0) {
        return Ok(());
    }
    for bound in &invocation.operands {
        if let Bound::View(view) = bound {
            memory.live_bytes(view.buffer)?;
        }
    }
    let ordered = invocation.order_is_visible()?;
    if !ordered && crate::contraction::run(invocation, memory, &mut scratch.packed)? {
        return Ok(());
    }
    let walks: Option<Vec<Option<Walk>>> = if invocation.prepared.linear.is_some() {
        Some(
            (0..invocation.operands.len())
                .map(|i| invocation.walk(i))
                .collect::<Result<_, _>>()?,
        )
    } else {
        None
    };
    let order = loop_order(invocation, ordered || walks.is_none());
    Strips {
        invocation,
        walks,
        registers: &mut scratch.registers,
        point: vec![0; invocation.extents.len()],
    }
    .run(&order, memory)
}

/// The loops outermost first, and the loop that strips run along, if one may.
struct Order {
    outer: Vec<usize>,
    strip: Option<usize>,
}

fn loop_order(invocation: &Invocation, one_by_one: bool) -> Order {
    let extents = &invocation.extents;
    let kinds = &invocation.prepared.kernel.iterators;
    let parallel = || (0..extents.len()).filter(|dim| kinds[*dim] == LoopKind::Parallel);
    let last = parallel().next_back().filter(|dim| extents[*dim] >= LANES as i64 / 8);
    let longest = parallel().max_by_key(|dim| extents[*dim]);
    let strip = if one_by_one { None } else { last.or(longest) };
    Order {
        outer: (0..extents.len()).filter(|dim| Some(*dim) != strip).collect(),
        strip,
    }
}

struct Strips<'a> {
    invocation: &'a Invocation,
    walks: Option<Vec<Option<Walk>>>,
    registers: &'a mut Vec<u64>,
    /// The current value of every loop; of the strip loop, of its first lane.
    point: Vec<i64>,
}

impl Strips<'_> {
    fn run(mut self, order: &Order, memory: &mut Memory) -> Result<(), Fault> {
        let prepared = Rc::clone(&self.invocation.prepared);
        let kernel = &prepared.kernel;
        let first = kernel.operands.len() + kernel.body.captures;
        self.registers.clear();
        self.registers.resize((first + kernel.body.ops.len()) * LANES, 0);
        for (i, bound) in self.invocation.operands.iter().enumerate() {
            if let Bound::Scalar(bits) = bound {
                self.registers[i * LANES..(i + 1) * LANES].fill(*bits);
            }
        }
        for (i, bits) in self.invocation.captures.iter().enumerate() {
            let start = (kernel.operands.len() + i) * LANES;
            self.registers[start..start + LANES].fill(*bits);
        }
        for (i, op) in kernel.body.ops.iter().enumerate() {
            if let BodyOp::Constant(bits) = op {
                self.registers[(first + i) * LANES..(first + i + 1) * LANES].fill(*bits);
            }
        }
        let length = order.strip.map_or(1, |dim| self.invocation.extents[dim]);
        loop {
            let mut done = 0;
            while done < length {
                let lanes = (length - done).min(LANES as i64);
                if let Some(dim) = order.strip {
                    self.point[dim] = done;
                }
                self.strip(&prepared, order.strip, lanes as usize, memory)?;
                done += lanes;
            }
            if !self.advance(&order.outer) {
                return Ok(());
            }
        }
    }

    /// Steps the outer loops; false after the last point.
    fn advance(&mut self, outer: &[usize]) -> bool {
        for &dim in outer.iter().rev() {
            self.point[dim] += 1;
            if self.point[dim] < self.invocation.extents[dim] {
                return true;
            }
            self.point[dim] = 0;
        }
        false
    }

    /// Loads the operands of `lanes` points, runs the body, stores the results.
    fn strip(
        &mut self,
        prepared: &Prepared,
        strip: Option<usize>,
        lanes: usize,
        memory: &mut Memory,
    ) -> Result<(), Fault> {
        let kernel = &prepared.kernel;
        for operand in 0..kernel.operands.len() {
            if prepared.reads[operand]
                && !kernel.operands[operand].table
                && let Some((address, step)) = self.place(operand, strip)?
                && let Some(view) = self.invocation.view(operand)
            {
                let size = element_bytes(view.element);
                let bytes = memory.live_bytes(view.buffer)?;
                load(
                    bytes,
                    address,
                    step,
                    size,
                    &mut self.registers[operand * LANES..operand * LANES + lanes],
                );
            }
        }
        let first = kernel.operands.len() + kernel.body.captures;
        for (i, op) in kernel.body.ops.iter().enumerate() {
            let (sources, rest) = self.registers.split_at_mut((first + i) * LANES);
            let out = &mut rest[..lanes];
            match op {
                BodyOp::Constant(_) => {}
                BodyOp::Index(dim) => {
                    for (lane, out) in out.iter_mut().enumerate() {
                        let offset = if Some(*dim) == strip { lane as i64 } else { 0 };
                        *out = (self.point[*dim] + offset) as u64;
                    }
                }
                BodyOp::Compute(compute, operands) => {
                    let lane = |i: usize| {
                        let register = operands.get(i).copied().unwrap_or(operands[0]);
                        &sources[register * LANES..register * LANES + lanes]
                    };
                    compute.eval([lane(0), lane(1), lane(2)], out)?;
                }
                BodyOp::DivideWhere(conditions, compute, operands) => {
                    let lane = |register: usize| &sources[register * LANES..register * LANES + lanes];
                    let mut divisors = [1; LANES];
                    let divisors = &mut divisors[..lanes];
                    for (i, divisor) in divisors.iter_mut().enumerate() {
                        if conditions
                            .iter()
                            .all(|(register, holds)| (lane(*register)[i] & 1 != 0) == *holds)
                        {
                            *divisor = lane(operands[1])[i];
                        }
                    }
                    compute.eval([lane(operands[0]), divisors, divisors], out)?;
                }
                BodyOp::Load(table, indices) => {
                    let view = self.invocation.view(*table).ok_or(Fault::Value("a memref"))?;
                    let size = element_bytes(view.element);
                    let bytes = memory.live_bytes(view.buffer)?;
                    let mut index = vec![0; indices.len()];
                    for (lane, out) in out.iter_mut().enumerate() {
                        for (index, register) in index.iter_mut().zip(indices) {
                            *index = sources[register * LANES + lane] as i64;
                        }
                        let start = usize::try_from(view.address(&index)?).map_err(|_| Fault::Map)?;
                        *out = read_element(&bytes[start..start + size]);
                    }
                }
            }
        }
        let outputs = (0..kernel.operands.len()).filter(|i| kernel.operands[*i].output);
        for (operand, &register) in outputs.zip(&kernel.body.yields) {
            if let Some((address, step)) = self.place(operand, strip)?
                && let Some(view) = self.invocation.view(operand)
            {
                let size = element_bytes(view.element);
                let values = &self.registers[register * LANES..register * LANES + lanes];
                store(memory.live_bytes_mut(view.buffer)?, address, step, size, values);
            }
        }
        Ok(())
    }

    /// Byte of an operand's element at the current point, and bytes from lane to lane.
    fn place(&self, operand: usize, strip: Option<usize>) -> Result<Option<(usize, i64)>, Fault> {
        let Some(view) = self.invocation.view(operand) else {
            return Ok(None);
        };
        let (address, step) = match &self.walks {
            Some(walks) => {
                let Some(walk) = &walks[operand] else { return Ok(None) };
                let moved: i64 = walk
                    .steps
                    .iter()
                    .zip(&self.point)
                    .map(|(step, index)| step * index)
                    .sum();
                (walk.origin + moved, strip.map_or(0, |dim| walk.steps[dim]))
            }
            None => {
                let map = &self.invocation.prepared.kernel.operands[operand].map;
                let indices: Option<Vec<i64>> = map.results.iter().map(|result| result.eval(&self.point)).collect();
                (view.address(&indices.ok_or(Fault::Map)?)?, 0)
            }
        };
        usize::try_from(address)
            .map(|address| Some((address, step)))
            .map_err(|_| Fault::Map)
    }
}

/// Reads elements of `size` bytes that lie `step` bytes apart.
pub(crate) fn load(bytes: &[u8], address: usize, step: i64, size: usize, out: &mut [u64]) {
    if step == 0 {
        let value = read_element(&bytes[address..address + size]);
        out.fill(value);
        return;
    }
    if step == size as i64 {
        let row = &bytes[address..address + size * out.len()];
        match size {
            2 => each(row, out, |b: [u8; 2]| u64::from(u16::from_le_bytes(b))),
            4 => each(row, out, |b: [u8; 4]| u64::from(u32::from_le_bytes(b))),
            8 => each(row, out, u64::from_le_bytes),
            _ => each(row, out, |b: [u8; 1]| u64::from(b[0])),
        }
        return;
    }
    let mut at = address as i64;
    for out in out {
        let start = at as usize;
        *out = read_element(&bytes[start..start + size]);
        at += step;
    }
}

#[inline(always)]
fn each<const N: usize>(row: &[u8], out: &mut [u64], value: impl Fn([u8; N]) -> u64) {
    for (bytes, out) in row.as_chunks::<N>().0.iter().zip(out) {
        *out = value(*bytes);
    }
}

/// Writes elements of `size` bytes that lie `step` bytes apart.
pub(crate) fn store(bytes: &mut [u8], address: usize, step: i64, size: usize, values: &[u64]) {
    if step == size as i64 && size == 4 {
        let row = &mut bytes[address..address + 4 * values.len()];
        for (bytes, value) in row.as_chunks_mut::<4>().0.iter_mut().zip(values) {
            *bytes = (*value as u32).to_le_bytes();
        }
        return;
    }
    let mut at = address as i64;
    for value in values {
        let start = at as usize;
        write_element(&mut bytes[start..start + size], *value);
        at += step;
    }
}
