//! Operations that make a view of another buffer.

use zpu_ir::ty::MemRef;
use zpu_ir::{Op, affine, attr, ty};
use zpu_sim::{self as sim, Size, ViewOp};

use crate::emitter::Emitter;
use crate::{Result, attribute, types, unsupported};

impl<'c> Emitter<'_, 'c, '_> {
    /// A view of the first operand; false if the operation makes none that is known.
    pub(crate) fn view(&mut self, op: Op<'c>) -> Result<bool> {
        let view = match op.name() {
            "memref.subview" => self.subview(op)?,
            "memref.reinterpret_cast" => {
                let [offsets, sizes, strides] = self.offsets_sizes_strides(op)?;
                ViewOp::Reinterpret {
                    offset: offsets.first().copied().unwrap_or(Size::Constant(0)),
                    sizes,
                    strides,
                }
            }
            "memref.view" => {
                let memref = types::memref(op, self.shared.device, op.result(0).ty())?;
                let mut dynamic = op.operands().into_iter().skip(2);
                let shift = self.size(op.operand(1));
                let sizes = memref
                    .shape
                    .iter()
                    .map(|size| self.static_or(*size, &mut dynamic))
                    .collect();
                ViewOp::Bytes {
                    shift,
                    element: memref.element,
                    sizes,
                }
            }
            "memref.collapse_shape" => ViewOp::Collapse { groups: groups(op)? },
            "memref.expand_shape" => {
                let fixed = attribute(op, "static_output_shape", attr::as_int_array)?;
                let sizes = self.mixed(&fixed, &mut op.operands().into_iter().skip(1));
                ViewOp::Expand {
                    groups: groups(op)?,
                    sizes,
                }
            }
            "memref.transpose" => {
                let map = attribute(op, "permutation", affine::Map::of)?;
                let permutation = map
                    .as_dims()
                    .ok_or_else(|| unsupported(op, "whose map is no permutation"))?;
                ViewOp::Transpose { permutation }
            }
            "memref.cast" => {
                let ty = op.result(0).ty();
                let memref = MemRef::of(ty).ok_or_else(|| unsupported(op, format!("to {ty}")))?;
                if MemRef::of(op.operand(0).ty()).is_none() {
                    return Err(unsupported(op, format!("from {}", op.operand(0).ty())));
                }
                ViewOp::Cast { shape: memref.shape }
            }
            _ => return Ok(false),
        };
        let (source, result) = (self.reg(op.operand(0)), self.reg(op.result(0)));
        self.push(sim::Op::View { result, source, view });
        if hides_layout(op) {
            let name = format!("the result of {}", op.name());
            self.push(sim::Op::CheckLayout { memref: result, name });
        }
        Ok(true)
    }

    fn offsets_sizes_strides(&mut self, op: Op<'c>) -> Result<[Vec<Size>; 3]> {
        let mut dynamic = op.operands().into_iter().skip(1);
        let mut next = |name| {
            let fixed = attribute(op, name, attr::as_int_array)?;
            Ok(self.mixed(&fixed, &mut dynamic))
        };
        Ok([next("static_offsets")?, next("static_sizes")?, next("static_strides")?])
    }

    fn subview(&mut self, op: Op<'c>) -> Result<ViewOp> {
        let [offsets, sizes, strides] = self.offsets_sizes_strides(op)?;
        let parts = MemRef::of(op.operand(0).ty()).zip(MemRef::of(op.result(0).ty()));
        let (source, result) = parts.ok_or_else(|| unsupported(op, "on a memref without strides"))?;
        let fixed_sizes = attribute(op, "static_sizes", attr::as_int_array)?;
        let fixed_strides = attribute(op, "static_strides", attr::as_int_array)?;
        let known = |number: &i64| (*number != ty::dynamic_size()).then_some(*number);
        let full = MemRef {
            shape: fixed_sizes.iter().map(known).collect(),
            strides: source
                .strides
                .iter()
                .zip(&fixed_strides)
                .map(|(stride, step)| stride.zip(known(step)).map(|(stride, step)| stride * step))
                .collect(),
            ..source
        };
        let keep = kept(&full, &result, true)
            .or_else(|| kept(&full, &result, false))
            .ok_or_else(|| unsupported(op, "whose result has dimensions that its source has not"))?;
        Ok(ViewOp::Subview {
            offsets,
            sizes,
            strides,
            keep,
        })
    }
}

/// True if the type of a view leaves open where its elements are, as the type of its source does not: that they are at
/// different places is then known by MLIR's rule for layouts alone.
fn hides_layout(op: Op<'_>) -> bool {
    let Some(memref) = MemRef::of(op.result(0).ty()) else {
        return false;
    };
    match op.name() {
        "memref.reinterpret_cast" => memref.strides.contains(&None) || memref.shape.contains(&None),
        "memref.cast" => {
            let source = MemRef::of(op.operand(0).ty())
                .map(|source| source.strides)
                .unwrap_or_default();
            let mut pairs = source.iter().zip(&memref.strides);
            pairs.any(|(before, after)| before.is_some() && after.is_none())
        }
        _ => false,
    }
}

/// The dimensions of a subview that its rank-reduced result keeps: all but some of extent 1, in order; of several ways,
/// the one whose strides agree.
fn kept(full: &MemRef<'_>, result: &MemRef<'_>, strides: bool) -> Option<Vec<bool>> {
    fn search(
        full: &MemRef<'_>,
        result: &MemRef<'_>,
        strides: bool,
        from: usize,
        to: usize,
        keep: &mut Vec<bool>,
    ) -> bool {
        if from == full.shape.len() {
            return to == result.shape.len();
        }
        let agrees = to < result.shape.len()
            && full.shape[from] == result.shape[to]
            && (!strides || full.strides[from] == result.strides[to]);
        for keeps in [true, false] {
            if if keeps { agrees } else { full.shape[from] == Some(1) } {
                keep.push(keeps);
                if search(full, result, strides, from + 1, to + usize::from(keeps), keep) {
                    return true;
                }
                keep.pop();
            }
        }
        false
    }
    let mut keep = Vec::new();
    search(full, result, strides, 0, 0, &mut keep).then_some(keep)
}

fn groups(op: Op<'_>) -> Result<Vec<Vec<usize>>> {
    attribute(op, "reassociation", |groups| {
        attr::as_array(groups)?
            .into_iter()
            .map(|group| {
                let dims = attr::as_array(group)?.into_iter();
                dims.map(|dim| usize::try_from(attr::as_int(dim)?).ok()).collect()
            })
            .collect()
    })
}
