//! Regions as text.
//!
//! A region reads as in `memref.subview`: base, offsets, sizes. `i` is the iteration number of the loop in question,
//! `i1` that of the next loop around it, and so on; a `?` is a size that is not known.

use zpu_ir::scf::For;
use zpu_ir::{Names, Op};

use zpu_analysis::access::Access;
use zpu_analysis::linear::{Index, Linear, Symbol};
use zpu_analysis::region::{Extent, Region};

/// The loop and the names that texts refer to.
pub(super) struct Printer<'a, 'c> {
    pub(super) for_: For<'c>,
    pub(super) names: &'a Names<'c>,
}

impl<'c> Printer<'_, 'c> {
    /// The text of an access by an operation.
    pub(super) fn access(&self, op: Op<'c>, access: &Access<'c>) -> String {
        let verb = if access.write { "writes" } else { "reads" };
        format!("{} {verb} {}", op.name(), self.region(&access.region))
    }

    fn region(&self, region: &Region<'c>) -> String {
        let (base, root) = (self.names.name(region.base), self.names.name(region.root.value()));
        let of = if base == root {
            String::new()
        } else {
            format!(" of {root}")
        };
        match (&region.extents, &region.bytes) {
            (Some(extents), _) => {
                let list = |part: &dyn Fn(&Extent<'c>) -> String| {
                    let parts: Vec<String> = extents.iter().map(part).collect();
                    parts.join(", ")
                };
                let offsets = list(&|extent| self.index(&extent.offset));
                let sizes = list(&|extent| self.span(extent));
                format!("{base}[{offsets}][{sizes}]{of}")
            }
            (None, Some(bytes)) => {
                format!("bytes [{}][{}] of {root}", self.index(&bytes.offset), self.span(bytes))
            }
            (None, None) => format!("anything of {root}"),
        }
    }

    fn span(&self, extent: &Extent<'c>) -> String {
        extent
            .span
            .as_ref()
            .map_or_else(|| "?".to_owned(), |span| self.linear(span))
    }

    fn index(&self, index: &Index<'c>) -> String {
        match index {
            Index::Linear(linear) => self.linear(linear),
            Index::Modulo(modulo) => {
                let remainder = format!("({}) mod {}", self.linear(&modulo.dividend), modulo.modulus);
                let scaled = match modulo.factor {
                    1 => remainder,
                    factor => format!("{factor} * ({remainder})"),
                };
                match modulo.rest.as_constant() {
                    Some(0) => scaled,
                    _ => format!("{} + {scaled}", self.linear(&modulo.rest)),
                }
            }
        }
    }

    fn linear(&self, linear: &Linear<'c>) -> String {
        let mut text = String::new();
        for (symbol, coefficient) in linear.terms() {
            let sign = match (text.is_empty(), *coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let name = self.symbol(*symbol);
            text += sign;
            text += &match coefficient.unsigned_abs() {
                1 => name,
                times => format!("{times} * {name}"),
            };
        }
        match (text.is_empty(), linear.offset()) {
            (true, constant) => constant.to_string(),
            (false, 0) => text,
            (false, constant) if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
            (false, constant) => format!("{text} + {constant}"),
        }
    }

    fn symbol(&self, symbol: Symbol<'c>) -> String {
        match symbol {
            Symbol::Value(value, _) => self.names.name(value),
            Symbol::Iteration(op) => self.iteration(op),
            Symbol::Travel(op) => {
                let step = For::of(op).map(|for_| self.names.name(for_.step())).unwrap_or_default();
                format!("{step} * {}", self.iteration(op))
            }
        }
    }

    /// The name of a loop's iteration number, by how many loops further out it is.
    fn iteration(&self, op: Op<'c>) -> String {
        let loops =
            std::iter::once(self.for_.op).chain(self.for_.op.parents().filter(|parent| For::of(*parent).is_some()));
        match loops.into_iter().position(|known| known == op) {
            Some(0) => "i".to_owned(),
            Some(level) => format!("i{level}"),
            None => For::of(op).map(|for_| self.names.name(for_.iv())).unwrap_or_default(),
        }
    }
}
