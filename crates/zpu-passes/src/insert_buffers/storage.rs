//! The buffer in place of a tensor: a block of it for each iteration of a loop, or a ring.
//!
//! In the one dimension that moves, iteration `k` of a loop writes indices from `s k + w` up to `s k + w'` and reads
//! some from `s k + r` up to `s k + r'`. If it reads only what it writes itself, and no two iterations write the same,
//! a buffer of `w' - w` that is allocated in the loop does. Otherwise index `x` may be kept at `x mod m` for any `m`
//! that no two indices which are needed at one time are apart (`trace`).

use zpu_analysis::access::Access;
use zpu_analysis::body::{Body, Decline};
use zpu_analysis::linear::{Index, Linear, Symbol, index_of};
use zpu_analysis::region::Root;
use zpu_analysis::trace::{span, trace};
use zpu_analysis::walk::{Walk, gcd, moving, walks};
use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Block, Builder, Op, Value, annotation, attr, edit};

use super::fusion::all_of;
use super::record;

/// A buffer in place of a tensor.
#[derive(Debug)]
pub(super) struct Storage<'c> {
    pub tensor: Value<'c>,
    /// The loop that writes and reads it.
    pub loop_: For<'c>,
    /// First index that is kept, in each dimension; of the moving one, in iteration 0.
    first: Vec<i64>,
    pub shape: Vec<i64>,
    pub form: Form,
}

/// The form of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One for each iteration, which moves by so many indices in a dimension.
    Block { dim: usize, stride: i64 },
    /// Index `x` of a dimension is at `x mod m`, where `m` is the size of the buffer. A view that may go around the end
    /// is taken in parts of `piece` indices, which do not.
    Ring { dim: usize, piece: i64 },
}

/// The part of a ring beyond what is needed if one operation runs after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slack {
    /// The part of so many iterations.
    Iterations(i64),
    /// So many times the number of indices by which the ring can grow.
    Slots(i64),
}

impl<'c> Storage<'c> {
    /// A block for each iteration of the only loop that accesses the tensor.
    pub(super) fn block(tensor: Value<'c>, loop_: For<'c>) -> Result<Self, Decline<'c>> {
        let at = tensor.defining_op().unwrap_or(loop_.op);
        let views = views(tensor)?;
        let body = Body::of_nest(loop_)?;
        let (written, read) = (of_tensor(&body, tensor, true), of_tensor(&body, tensor, false));
        let (Some(written), Some(read)) = (walks(&written, tensor, loop_.op), walks(&read, tensor, loop_.op)) else {
            let message = "the parts of the tensor that an iteration accesses do not move linearly with its number";
            return Err(Decline::new("no-walk", at, message));
        };
        let Some(dim) = moving(&written).filter(|dim| moving(&read) == Some(*dim)) else {
            let message = "the loop does not move along one dimension of the tensor";
            return Err(Decline::new("no-moving-dimension", at, message));
        };
        let (write, own) = (written[dim], read[dim]);
        let is_own = own.stride == write.stride && own.least >= write.least && own.end <= write.end;
        if !is_own || write.stride < write.width() {
            let message = "an iteration reads what another one writes";
            return Err(Decline::new("no-block", at, message));
        }
        let all: Option<Vec<Walk>> = written
            .iter()
            .zip(&read)
            .map(|(one, other)| one.around(*other))
            .collect();
        let all = all.unwrap_or(written);
        let storage = Self {
            tensor,
            loop_,
            first: all.iter().map(|walk| walk.least).collect(),
            shape: all.iter().map(|walk| walk.width()).collect(),
            form: Form::Block {
                dim,
                stride: write.stride,
            },
        };
        views.iter().try_for_each(|view| storage.check(*view))?;
        Ok(storage)
    }

    /// A ring for a tensor that is allocated in a block and accessed by some of its loops, the first of which is
    /// `loop_`. It holds up to `slack` more than what is needed, as far as `most` bytes suffice.
    pub(super) fn ring(tensor: Value<'c>, loop_: For<'c>, slack: Slack, most: i64) -> Result<Self, Decline<'c>> {
        let at = tensor.defining_op().unwrap_or(loop_.op);
        let whole = sizes_of(tensor)?;
        let views = views(tensor)?;
        let block = at.block().unwrap_or(loop_.body);
        let touches = trace(tensor, block)?;
        let hull = |dim: usize| {
            let from = touches.iter().map(|touch| touch.from[dim]).min().unwrap_or(0);
            let to = touches.iter().map(|touch| touch.to[dim]).max().unwrap_or(0);
            (from, to - from)
        };
        let mut best: Option<Self> = None;
        for (dim, size) in whole.iter().enumerate() {
            if touches.iter().any(|touch| touch.to[dim] - touch.from[dim] >= *size) {
                continue;
            }
            let (piece, unit) = pieces(&views, dim, loop_)?;
            let stride = stride(tensor, block, dim);
            let Some(span) = span(&touches, dim) else { continue };
            let hulls: Vec<(i64, i64)> = (0..whole.len()).map(hull).collect();
            let (each, slack) = match slack {
                Slack::Iterations(iterations) => (stride, iterations),
                Slack::Slots(slots) => (unit, slots),
            };
            let of = |slack: i64| {
                let needed = span.saturating_add(each.saturating_mul(slack));
                let needed = needed.saturating_add(unit - 1).div_euclid(unit).saturating_mul(unit);
                let (mut first, mut shape): (Vec<i64>, Vec<i64>) = hulls.iter().copied().unzip();
                (first[dim], shape[dim]) = (0, needed);
                Self {
                    tensor,
                    loop_,
                    first,
                    shape,
                    form: Form::Ring { dim, piece },
                }
            };
            let fits = |ring: &Self| ring.bytes() <= most && ring.shape[dim] < *size;
            let largest = (0..=slack).rev().map(of).find(fits);
            if let Some(ring) = largest
                && best.as_ref().is_none_or(|best| ring.elements() < best.elements())
            {
                best = Some(ring);
            }
        }
        let Some(ring) = best else {
            let message = "a ring would be no smaller than the tensor, or not fit on the chip";
            return Err(Decline::new("whole-tensor", at, message));
        };
        views.iter().try_for_each(|view| ring.check(*view))?;
        Ok(ring)
    }

    /// Indices from one iteration to the next along each dimension, if each has a buffer of its own.
    fn advance(&self) -> Option<Vec<i64>> {
        let Form::Block { dim, stride } = self.form else {
            return None;
        };
        let along = |each: usize| if each == dim { stride } else { 0 };
        Some((0..self.shape.len()).map(along).collect())
    }

    fn elements(&self) -> i64 {
        self.shape.iter().fold(1, |product, size| product.saturating_mul(*size))
    }

    /// Bytes of the buffer.
    pub(super) fn bytes(&self) -> i64 {
        let element = MemRef::of(self.tensor.ty()).and_then(|memref| ty::element_bytes(memref.element));
        self.elements().saturating_mul(element.map_or(0, i64::from))
    }

    /// Declines a view that cannot become one of the buffer.
    fn check(&self, view: Op<'c>) -> Result<(), Decline<'c>> {
        let sizes = view
            .attr("static_sizes")
            .and_then(attr::as_int_array)
            .unwrap_or_default();
        for user in view.result(0).uses() {
            if !only_accesses(user.op) {
                let message = format!("{} does not only access a view of the tensor", user.op.name());
                return Err(Decline::new("view-of-view", user.op, message));
            }
            let Form::Ring { dim, piece } = self.form else { continue };
            if !goes_around(view, dim, piece) {
                continue;
            }
            if !user.op.is("memref.copy") {
                let message = format!(
                    "{} takes {} indices of dimension {dim} at once, which may go around the end of the ring; copy \
                     them",
                    user.op.name(),
                    sizes[dim]
                );
                return Err(Decline::new("around-the-end", user.op, message));
            }
            let other = user.op.operand(1 - user.index);
            let is_within = other
                .defining_op()
                .is_some_and(|op| op.operands().first() == Some(&self.tensor));
            let rank = MemRef::of(other.ty()).map(|memref| memref.rank());
            if is_within || rank != Some(sizes.len()) {
                let message = "the copy goes around the end of the ring, and is from the tensor to itself or has no \
                               rank";
                return Err(Decline::new("around-the-end", user.op, message));
            }
        }
        Ok(())
    }

    /// Puts the buffer in place of the tensor.
    pub(super) fn write(&self) {
        let views = views(self.tensor).unwrap_or_default();
        let memref = MemRef::of(self.tensor.ty()).expect("a tensor is a ranked memref");
        let allocation = self.tensor.defining_op().expect("a tensor is allocated");
        let shape: Vec<Option<i64>> = self.shape.iter().copied().map(Some).collect();
        let type_ = ty::make(&shape, memref.element, None, None);
        let is_block = matches!(self.form, Form::Block { .. });
        let first = self.loop_.ops().first().copied().filter(|_| is_block);
        let mut builder = Builder::before(first.unwrap_or(allocation)).like(allocation);
        let segments = attr::int32_array(builder.context(), &[0, 0]);
        let stands_for = record::stands_for(self.tensor, &self.first, self.advance());
        let attrs = [("operandSegmentSizes", segments), (annotation::BUFFER, stands_for)];
        let buffer = builder.op("memref.alloc", &[], &[type_], &attrs).result(0);
        for view in views {
            self.rewrite(view, buffer);
        }
        for user in self.tensor.uses() {
            if is_block {
                edit::erase(user.op);
            } else {
                edit::set_operand(user.op, user.index, buffer);
            }
        }
        edit::erase(allocation);
        if is_block {
            Builder::before(self.loop_.terminator()).op("memref.dealloc", &[buffer], &[], &[]);
        }
    }

    /// Makes a view of the buffer of one of the tensor.
    fn rewrite(&self, view: Op<'c>, buffer: Value<'c>) {
        let mut builder = Builder::before(view);
        let sizes = view
            .attr("static_sizes")
            .and_then(attr::as_int_array)
            .unwrap_or_default();
        let offsets: Vec<Index<'c>> = offsets(view);
        let moved: Vec<Linear<'c>> = offsets
            .iter()
            .zip(&self.first)
            .map(|(offset, first)| {
                let linear = offset.as_linear().cloned().unwrap_or_else(|| Linear::constant(0));
                linear.add_scaled(&Linear::constant(*first), -1).unwrap_or(linear)
            })
            .collect();
        match self.form {
            Form::Block { dim, .. } => {
                let mut moved = moved;
                moved[dim] = moved[dim].split(Symbol::Iteration(self.loop_.op)).0;
                let new = subview(&mut builder, buffer, &moved, &sizes);
                edit::replace_all_uses(view.result(0), new);
            }
            Form::Ring { dim, piece } if !goes_around(view, dim, piece) => {
                let new = self.ring_view(&mut builder, buffer, &moved, &sizes, dim);
                edit::replace_all_uses(view.result(0), new);
            }
            Form::Ring { dim, piece } => {
                let mut part = sizes.clone();
                part[dim] = piece;
                for user in view.result(0).uses() {
                    let mut builder = Builder::before(user.op);
                    for number in 0..sizes[dim] / piece {
                        let mut begin = moved.clone();
                        let before = Linear::constant(number * piece);
                        begin[dim] = begin[dim].add_scaled(&before, 1).unwrap_or(before);
                        let own = self.ring_view(&mut builder, buffer, &begin, &part, dim);
                        let other = user.op.operand(1 - user.index);
                        let mut zero = vec![Linear::constant(0); part.len()];
                        zero[dim] = Linear::constant(number * piece);
                        let other = subview(&mut builder, other, &zero, &part);
                        let operands = if user.index == 0 { [own, other] } else { [other, own] };
                        let attrs = user.op.discardable_attrs();
                        builder.op("memref.copy", &operands, &[], &attrs);
                    }
                    edit::erase(user.op);
                }
            }
        }
        edit::erase(view);
    }

    /// A view of a ring, with offsets in the tensor.
    fn ring_view(
        &self,
        builder: &mut Builder<'c>,
        ring: Value<'c>,
        offsets: &[Linear<'c>],
        sizes: &[i64],
        dim: usize,
    ) -> Value<'c> {
        let mut offsets = offsets.to_vec();
        let modulus = self.shape[dim];
        // Constants as well: `record` finds the element before the remainder.
        let index = value_of(builder, &offsets[dim]);
        let modulus = builder.index(modulus);
        let slot = builder.binary("arith.remui", index, modulus);
        offsets[dim] = Linear::symbol(Symbol::Value(slot, 0));
        subview(builder, ring, &offsets, sizes)
    }
}

/// True if an operation does nothing with a buffer that it is given but read and write it, or free it.
pub(super) fn only_accesses(op: Op<'_>) -> bool {
    let name = op.name();
    let is_known = matches!(name, "memref.copy" | "memref.load" | "memref.store" | "memref.dealloc")
        || (name.starts_with("linalg.") || name.starts_with("vector.")) && !name.ends_with(".yield");
    is_known && !op.results().into_iter().any(|result| ty::is_memref(result.ty()))
}

/// The subviews through which all of the tensor's accesses go.
pub(super) fn views<'c>(tensor: Value<'c>) -> Result<Vec<Op<'c>>, Decline<'c>> {
    let mut views = Vec::new();
    for user in tensor.uses().into_iter().map(|used| used.op) {
        if user.is("memref.dealloc") {
            continue;
        }
        let is_plain = user.is("memref.subview") && {
            let constant = |name: &str| user.attr(name).and_then(attr::as_int_array);
            let has_steps = constant("static_strides").is_none_or(|steps| steps.iter().any(|step| *step != 1));
            let sizes = constant("static_sizes").unwrap_or_default();
            let is_static = sizes.iter().all(|size| *size != ty::dynamic_size());
            let rank = MemRef::of(user.result(0).ty()).map(|memref| memref.rank());
            !has_steps
                && is_static
                && rank == Some(sizes.len())
                && offsets(user).iter().all(|o| o.as_linear().is_some())
        };
        if !is_plain {
            let message = format!(
                "{} accesses the tensor other than by a subview of constant sizes without steps",
                user.name()
            );
            return Err(Decline::new("no-subview", user, message));
        }
        views.push(user);
    }
    Ok(views)
}

/// The sizes of a tensor.
fn sizes_of(tensor: Value<'_>) -> Result<Vec<i64>, Decline<'_>> {
    let memref = MemRef::of(tensor.ty()).filter(MemRef::is_identity_layout);
    let sizes: Option<Vec<i64>> = memref.and_then(|memref| memref.shape.into_iter().collect());
    sizes.ok_or_else(|| {
        let message = "the sizes of the tensor are not constant, or its layout is not the identity";
        let at = tensor.defining_op().expect("a tensor is allocated");
        Decline::new("tensor-form", at, message)
    })
}

/// How far the loops of a block move along a dimension of the tensor in an iteration, at most.
fn stride<'c>(tensor: Value<'c>, block: Block<'c>, dim: usize) -> i64 {
    let of = |for_: For<'c>| {
        let body = Body::of_nest(for_).ok()?;
        let written = walks(&of_tensor(&body, tensor, true), tensor, for_.op)?;
        Some(written[dim].stride.abs())
    };
    block.ops().filter_map(For::of).filter_map(of).max().unwrap_or(0)
}

/// The offsets of a subview.
fn offsets<'c>(view: Op<'c>) -> Vec<Index<'c>> {
    offsets_by(view, index_of)
}

/// The offsets of a subview, those that are values by `of`.
pub(super) fn offsets_by<'c>(view: Op<'c>, of: impl Fn(Value<'c>) -> Index<'c>) -> Vec<Index<'c>> {
    let fixed = view
        .attr("static_offsets")
        .and_then(attr::as_int_array)
        .unwrap_or_default();
    let mut next = 1;
    let mut all = Vec::with_capacity(fixed.len());
    for offset in fixed {
        if offset == ty::dynamic_size() {
            all.push(of(view.operand(next)));
            next += 1;
        } else {
            all.push(Index::constant(offset));
        }
    }
    all
}

fn of_tensor<'a, 'c>(body: &'a Body<'c>, tensor: Value<'c>, write: bool) -> Vec<&'a Access<'c>> {
    let own = |access: &&Access<'c>| access.region.root == Root::Allocation(tensor) && access.write == write;
    all_of(body).into_iter().filter(own).collect()
}

/// The largest number of indices that divides every offset and size in a dimension, so that a run of so many does not
/// go around the end of a ring whose size it divides as well; and the number that the size of the ring is to be a
/// multiple of, so that no view goes around the end that begins at multiples of its own size.
fn pieces<'c>(views: &[Op<'c>], dim: usize, loop_: For<'c>) -> Result<(i64, i64), Decline<'c>> {
    let mut piece = 0;
    for view in views {
        piece = gcd(gcd(piece, step_of(*view, dim)), size_of(*view, dim));
    }
    if piece == 0 {
        return Err(Decline::new("no-access", loop_.op, "nothing of the tensor is accessed"));
    }
    let mut unit = piece;
    for view in views.iter().filter(|view| !goes_around(**view, dim, piece)) {
        let size = size_of(*view, dim);
        unit = unit / gcd(unit, size) * size;
    }
    Ok((piece, unit))
}

/// True if a view may go around the end of a ring in a dimension.
fn goes_around(view: Op<'_>, dim: usize, piece: i64) -> bool {
    let size = size_of(view, dim);
    size > piece && step_of(view, dim) % size != 0
}

fn size_of(view: Op<'_>, dim: usize) -> i64 {
    let sizes = view
        .attr("static_sizes")
        .and_then(attr::as_int_array)
        .unwrap_or_default();
    sizes.get(dim).copied().unwrap_or(1)
}

/// The largest number that all first indices of a view in a dimension are multiples of; 0 if they are 0.
fn step_of(view: Op<'_>, dim: usize) -> i64 {
    let offsets = offsets(view);
    let linear = offsets.get(dim).and_then(|offset| offset.as_linear().cloned());
    let Some(linear) = linear else { return 1 };
    let terms = linear.terms().iter().map(|(_, factor)| *factor);
    terms.fold(linear.offset(), gcd).abs()
}

/// A subview without steps; the source itself if it is all of it.
pub(super) fn subview<'c>(
    builder: &mut Builder<'c>,
    source: Value<'c>,
    offsets: &[Linear<'c>],
    sizes: &[i64],
) -> Value<'c> {
    let memref = MemRef::of(source.ty()).expect("a buffer is a ranked memref");
    let is_at_zero = offsets.iter().all(|offset| offset.as_constant() == Some(0));
    if is_at_zero && memref.shape.iter().zip(sizes).all(|(own, size)| *own == Some(*size)) {
        return source;
    }
    let mut operands = vec![source];
    let mut fixed = Vec::with_capacity(offsets.len());
    for offset in offsets {
        match offset.as_constant() {
            Some(constant) => {
                fixed.push(constant);
            }
            None => {
                operands.push(value_of(builder, offset));
                fixed.push(ty::dynamic_size());
            }
        }
    }
    let context = builder.context();
    let begin = memref.offset_at(offsets.iter().map(Linear::as_constant));
    let layout = ty::strided_layout(context, begin, &memref.strides);
    let shape: Vec<Option<i64>> = sizes.iter().copied().map(Some).collect();
    let result = ty::make(&shape, memref.element, Some(layout), memref.space_attr);
    let dynamic = i32::try_from(operands.len() - 1).unwrap_or(i32::MAX);
    let attrs = [
        ("static_offsets", attr::int_array(context, &fixed)),
        ("static_sizes", attr::int_array(context, sizes)),
        ("static_strides", attr::int_array(context, &vec![1; sizes.len()])),
        ("operandSegmentSizes", attr::int32_array(context, &[1, dynamic, 0, 0])),
    ];
    builder.op("memref.subview", &operands, &[result], &attrs).result(0)
}

/// The value of an expression, as arithmetic on induction variables.
fn value_of<'c>(builder: &mut Builder<'c>, linear: &Linear<'c>) -> Value<'c> {
    let mut constant = linear.offset();
    let mut all: Vec<Value<'c>> = Vec::new();
    for (symbol, factor) in linear.terms() {
        let (value, factor) = match *symbol {
            Symbol::Value(value, _) => (value, *factor),
            Symbol::Iteration(loop_) | Symbol::Travel(loop_) => {
                let for_ = For::of(loop_).expect("only scf.for has iteration numbers");
                let is_number = matches!(symbol, Symbol::Iteration(_));
                let step = for_.step().as_constant_int().filter(|_| is_number);
                let lower = for_.lower().as_constant_int();
                match lower.zip(step).filter(|(_, step)| *factor % step == 0) {
                    Some((lower, step)) => {
                        constant -= factor / step * lower;
                        (for_.iv(), factor / step)
                    }
                    None => {
                        let travelled = builder.binary("arith.subi", for_.iv(), for_.lower());
                        let number = match step {
                            _ if !is_number => travelled,
                            Some(1) => travelled,
                            _ => builder.binary("arith.divui", travelled, for_.step()),
                        };
                        (number, *factor)
                    }
                }
            }
        };
        let value = match ty::is_index(value.ty()) {
            true => value,
            false => {
                let index = ty::index(builder.context());
                builder.op("arith.index_cast", &[value], &[index], &[]).result(0)
            }
        };
        all.push(match factor {
            1 => value,
            factor => {
                let factor = builder.index(factor);
                builder.binary("arith.muli", value, factor)
            }
        });
    }
    if constant != 0 || all.is_empty() {
        all.push(builder.index(constant));
    }
    let mut values = all.into_iter();
    let first = values.next().expect("there is a constant at least");
    values.fold(first, |sum, value| builder.binary("arith.addi", sum, value))
}
