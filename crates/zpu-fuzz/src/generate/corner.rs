//! Corners of tiles: buffers whose sizes iterations compute.

use super::Generator;
use super::index::Offset;
use crate::program::Shape;

impl Generator {
    /// A corner of a tile, of sizes that are computed here, comes in, is worked on in a buffer of its own, and goes
    /// out.
    pub(super) fn corner(&mut self) {
        self.has(Shape::ComputedSize);
        let [rows, width] = self.tile;
        let sizes = [rows, width].map(|most| self.size(most)).join(", ");
        let corner = format!("memref<?x?x{}>", self.element);
        let buffer = self.define("b", format!("memref.alloc({sizes}) : {corner}"));
        let (from, to) = (self.argument_view(rows, true), self.argument_view(rows, false));
        let [from, to] = [from, to].map(|view| {
            let ty = view.ty.replacen(&format!("memref<{rows}x{width}x"), "memref<?x?x", 1);
            let text = format!(
                "memref.subview {}[0, 0] [{sizes}] [1, 1] : {} to {ty}",
                view.name, view.ty
            );
            (self.define("s", text), ty)
        });
        self.copy(&from.0, &from.1, &buffer, &corner);
        self.line(format!(
            "linalg.add ins({buffer}, {buffer} : {corner}, {corner}) outs({buffer} : {corner})"
        ));
        self.copy(&buffer, &corner, &to.0, &to.1);
        self.line(format!("memref.dealloc {buffer} : {corner}"));
    }

    /// A size from 1 to `most`, as far as can be by an index of a loop.
    fn size(&mut self, most: i64) -> String {
        let less = match self.offset(most - 1, None) {
            Offset::Constant(value) => self.index_constant(value),
            Offset::Value(name) => name,
        };
        let (one, most) = (self.index_constant(1), self.index_constant(most));
        let size = self.define("n", format!("arith.addi {less}, {one} : index"));
        self.define("n", format!("arith.minsi {size}, {most} : index"))
    }
}
