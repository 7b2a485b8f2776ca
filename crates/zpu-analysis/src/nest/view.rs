//! Shapes of views as expressions of a nest.

use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, attr};
use zpu_model::{Comparison, Expr, Operand, Storage};

use super::Reader;
use crate::sizes::kept_dims;

/// A memref: sizes and strides in elements, and where in its memory it begins.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) sizes: Vec<Expr>,
    pub(super) strides: Vec<Expr>,
    storage: Storage,
    /// Offsets of all subviews on the way, outermost first: equal lists are equal places.
    offsets: Vec<Expr>,
    /// Dimensions that the last subview left out, as bits. Offsets in what it left are in other directions then.
    dropped: i64,
}

impl View {
    /// The view of a type whose sizes and strides are static.
    pub(super) fn of_type(memref: &MemRef<'_>, storage: Storage) -> Option<Self> {
        let constants = |all: &[Option<i64>]| -> Option<Vec<Expr>> {
            all.iter().map(|number| number.map(Expr::Constant)).collect()
        };
        Some(Self {
            sizes: constants(&memref.shape)?,
            strides: constants(&memref.strides)?,
            storage,
            offsets: Vec::new(),
            dropped: 0,
        })
    }

    /// A memref of these sizes, with the strides of its type, or else in row-major order.
    pub(super) fn row_major(memref: &MemRef<'_>, sizes: Vec<Expr>, storage: Storage) -> Self {
        let mut strides = Vec::new();
        let mut run = Expr::Constant(1);
        for (size, stride) in sizes.iter().zip(&memref.strides).rev() {
            strides.push(stride.map_or_else(|| run.clone(), Expr::Constant));
            run = product(&run, size);
        }
        strides.reverse();
        Self {
            sizes,
            strides,
            storage,
            offsets: Vec::new(),
            dropped: 0,
        }
    }

    pub(super) fn storage(&self) -> Storage {
        self.storage
    }

    /// The part of memory that it is.
    pub(super) fn operand(&self) -> Operand {
        Operand {
            storage: self.storage,
            offsets: self.offsets.clone(),
        }
    }
}

/// What is no offset, among offsets: these are numbers and values, and never comparisons.
fn mark(kind: Comparison, of: Expr) -> Expr {
    Expr::Compare(kind, of.into(), Expr::Constant(-1).into())
}

fn product(left: &Expr, right: &Expr) -> Expr {
    match (left, right) {
        (Expr::Constant(left), Expr::Constant(right)) => Expr::Constant(left.saturating_mul(*right)),
        (Expr::Constant(1), other) | (other, Expr::Constant(1)) => other.clone(),
        _ => Expr::Multiply(left.clone().into(), right.clone().into()),
    }
}

impl<'c> Reader<'c, '_> {
    /// The view that an operation makes, `None` for one that is not followed.
    pub(super) fn viewed(&self, op: Op<'c>) -> Option<View> {
        let memref = MemRef::of(op.result(0).ty())?;
        let source = self.views.get(op.operands().first()?)?;
        match op.name() {
            "memref.cast" | "memref.memory_space_cast" | "memref.assume_alignment" => Some(source.clone()),
            "memref.view" => {
                let mut dynamic = op.operands().into_iter().skip(2);
                let sizes = memref.shape.iter().map(|size| match size {
                    Some(size) => Some(Expr::Constant(*size)),
                    None => self.number(op, dynamic.next()?).ok(),
                });
                let mut view = View::row_major(&memref, sizes.collect::<Option<_>>()?, source.storage);
                view.offsets.clone_from(&source.offsets);
                view.offsets.push(self.number(op, op.operand(1)).ok()?);
                Some(view)
            }
            "memref.subview" => {
                let kept = kept_dims(op)?;
                let groups = attr::as_int_array(op.attr("operandSegmentSizes")?)?;
                let count = |at: usize| groups.get(at).and_then(|count| usize::try_from(*count).ok());
                let offsets = self.mixed(op, "static_offsets", 1)?;
                let sizes = self.mixed(op, "static_sizes", 1 + count(1)?)?;
                let steps = self.mixed(op, "static_strides", 1 + count(1)? + count(2)?)?;
                let strides = |dim: &usize| Some(product(source.strides.get(*dim)?, steps.get(*dim)?));
                let mut view = View {
                    sizes: kept.iter().map(|dim| sizes.get(*dim).cloned()).collect::<Option<_>>()?,
                    strides: kept.iter().map(strides).collect::<Option<_>>()?,
                    storage: source.storage,
                    offsets: source.offsets.clone(),
                    dropped: (0..steps.len())
                        .filter(|dim| !kept.contains(dim))
                        .fold(0, |bits, dim| bits | 1 << dim.min(62)),
                };
                // Whatever else says where the offsets lead.
                if source.dropped != 0 {
                    view.offsets
                        .push(mark(Comparison::NotEqual, Expr::Constant(source.dropped)));
                }
                view.offsets.extend(offsets);
                if steps.iter().any(|step| *step != Expr::Constant(1)) {
                    view.offsets
                        .extend(steps.into_iter().map(|step| mark(Comparison::Less, step)));
                }
                Some(view)
            }
            _ => {
                let mut view = View::of_type(&memref, source.storage)?;
                view.offsets.clone_from(&source.offsets);
                // Another shape: offsets in it lead elsewhere than those in any other view.
                let number = i64::try_from(self.views.len()).ok()?;
                view.offsets.push(mark(Comparison::Equal, Expr::Constant(number)));
                Some(view)
            }
        }
    }

    /// Numbers that are in an attribute, or operands from `first` on where that says that they are dynamic.
    fn mixed(&self, op: Op<'c>, name: &str, first: usize) -> Option<Vec<Expr>> {
        let mut dynamic = op.operands().into_iter().skip(first);
        let numbers = attr::as_int_array(op.attr(name)?)?.into_iter();
        let each = numbers.map(|number| match number {
            dynamic_size if dynamic_size == ty::dynamic_size() => self.number(op, dynamic.next()?).ok(),
            number => Some(Expr::Constant(number)),
        });
        each.collect()
    }
}
