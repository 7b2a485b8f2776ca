//! Random loop programs as MLIR text.
//!
//! Invariants: a seed gives the same program everywhere; every program is valid, stays in the bounds of its buffers,
//! reads only what was written, and ends. Most programs are of the kind that pipelines well (tiles come in, are worked
//! on, and go out to another place) with one or two of the things added that make it hard; the rest is put together
//! without such sense.

mod corner;
mod handed_on;
mod index;
mod loops;
mod ops;
mod other_loops;
mod scope;
mod tensors;

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{Program, Shape};
use crate::random::Random;
use scope::{Argument, Buffer, Induction};

/// Rows of every argument.
const ROWS: i64 = 96;

/// So many of a hundred programs are loops that pass tensors on.
const TENSORS: u32 = 8;

/// So many of a hundred programs have loops that hand on what they make.
const HANDED_ON: u32 = 4;

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    if Random::new(seed, 7).chance(TENSORS) {
        return tensors::tensors(seed);
    }
    let mut generator = Generator::new(seed);
    generator.function();
    generator.finish(seed)
}

/// The program as far as it is written.
struct Generator {
    random: Random,
    /// Lines of the function's body.
    lines: Vec<String>,
    /// Nesting of the line that comes next.
    depth: usize,
    /// Names given so far.
    names: usize,
    element: &'static str,
    /// Rows and columns of a tile.
    tile: [i64; 2],
    /// Columns of the arguments.
    columns: i64,
    arguments: Vec<Argument>,
    /// Numbers that are passed: name, type, value.
    scalars: Vec<(String, &'static str, i64)>,
    /// Buffers that can be named here.
    buffers: Vec<Buffer>,
    /// Indices of the loops around the next line, outermost first, and whatever else has known values.
    inductions: Vec<Induction>,
    /// True if only what pipelines well is wanted, but for `wanted`.
    tame: bool,
    /// Shapes that the program has to have.
    wanted: BTreeSet<Shape>,
    /// Shapes that it has so far.
    shapes: BTreeSet<Shape>,
    /// Operations that may still be made.
    budget: i64,
    /// True if the arguments are pieces of one buffer, passed through a call.
    called: bool,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, 1);
        let element = random.pick(&["f32", "f32", "f32", "f16", "bf16", "i32"]);
        let tame = random.chance(92);
        let mut wanted = BTreeSet::new();
        let spices = [
            (Shape::Nest, 14),
            (Shape::Siblings, 8),
            (Shape::Guard, 16),
            (Shape::CarriedScalar, 8),
            (Shape::CarriedBuffer, 2),
            (Shape::Accumulator, 15),
            (Shape::LiveOut, 10),
            (Shape::DynamicBounds, 35),
            (Shape::OddBounds, 35),
            (Shape::FewTrips, 4),
            (Shape::Rewritten, 10),
            (Shape::Partial, 5),
            (Shape::ComputedSize, 8),
            (Shape::ControlAccess, 15),
            (Shape::Matrix, 30),
            (Shape::Views, 5),
            (Shape::Window, 10),
            (Shape::InPlace, 10),
            (Shape::OtherLoop, 4),
        ];
        for (shape, percent) in spices {
            if random.chance(if tame { percent } else { percent.max(25) }) {
                wanted.insert(shape);
            }
        }
        // By a sequence of its own, so that the other programs stay what they were.
        if Random::new(seed, 9).chance(HANDED_ON) {
            wanted.insert(Shape::HandedOn);
        }
        let called = random.chance(if tame { 3 } else { 20 });
        if called || (!tame && random.chance(40)) {
            wanted.insert(Shape::Aliasing);
        }
        let rows = if wanted.contains(&Shape::Matrix) {
            8
        } else {
            random.pick(&[2, 4, 4, 8])
        };
        let width = if wanted.contains(&Shape::Matrix) {
            8
        } else {
            random.pick(&[4, 8, 16])
        };
        let columns = width * random.pick(&[1, 1, 2]);
        let budget = random.range(2, 18);
        Self {
            random,
            lines: Vec::new(),
            depth: 1,
            names: 0,
            element,
            tile: [rows, width],
            columns,
            arguments: Vec::new(),
            scalars: Vec::new(),
            buffers: Vec::new(),
            inductions: Vec::new(),
            tame,
            wanted,
            shapes: BTreeSet::new(),
            budget,
            called,
        }
    }

    /// True if the program is to have that.
    fn wants(&self, shape: Shape) -> bool {
        self.wanted.contains(&shape)
    }

    /// Remembers that the program has that.
    fn has(&mut self, shape: Shape) {
        self.shapes.insert(shape);
    }

    fn is_float(&self) -> bool {
        self.element != "i32"
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "  ".repeat(self.depth), text.as_ref()));
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("%{prefix}{}", self.names)
    }

    /// A line that defines a value.
    fn define(&mut self, prefix: &str, text: impl AsRef<str>) -> String {
        let name = self.name(prefix);
        self.line(format!("{name} = {}", text.as_ref()));
        name
    }

    fn index_constant(&mut self, value: i64) -> String {
        self.define("c", format!("arith.constant {value} : index"))
    }

    /// The whole body of the function.
    fn function(&mut self) {
        self.make_arguments();
        for _ in 0..self.random.range(0, 2) {
            let buffer = self.allocate();
            if self.random.chance(50) {
                self.initialise(buffer);
            }
        }
        let straight = if self.tame { 10 } else { 50 };
        self.some_operations(straight);
        let depth = if self.wants(Shape::Nest) {
            self.random.pick(&[1, 1, 2])
        } else {
            0
        };
        self.loop_of(depth);
        self.some_operations(straight);
        if self.wants(Shape::OtherLoop) {
            self.other_loop();
        }
        if self.wants(Shape::Siblings) {
            self.has(Shape::Siblings);
            let depth = if self.wants(Shape::Nest) && self.random.chance(40) {
                1
            } else {
                0
            };
            self.loop_of(depth);
        }
        self.store_what_is_left();
        if self.random.chance(30) {
            for buffer in self.buffers.clone() {
                self.line(format!("memref.dealloc {} : {}", buffer.name, buffer.ty()));
            }
        }
    }

    fn some_operations(&mut self, percent: u32) {
        if self.random.chance(percent) {
            for _ in 0..self.random.range(1, 3) {
                self.operation();
            }
        }
    }

    fn make_arguments(&mut self) {
        let count = self.random.range(2, 4) as usize;
        let noalias = !self.wants(Shape::Aliasing);
        let dynamic = !self.called && self.random.chance(15);
        for position in 0..count {
            self.arguments.push(Argument {
                name: format!("%A{position}"),
                noalias: noalias || (!self.called && self.random.chance(40)),
                dynamic,
            });
        }
        if !noalias {
            self.has(Shape::Aliasing);
        }
    }

    /// Puts what was computed where the caller sees it.
    fn store_what_is_left(&mut self) {
        for buffer in self.buffers.clone() {
            if buffer.written && buffer.shape.len() == 2 && self.random.chance(60) {
                let view = self.argument_view(buffer.shape[0], false);
                self.copy(&buffer.name, &buffer.ty(), &view.name, &view.ty);
            }
        }
    }

    fn argument_type(&self, dynamic: bool) -> String {
        let rows = if dynamic { "?".to_owned() } else { ROWS.to_string() };
        let space = if self.called { ", #zpu.space<dram>" } else { "" };
        format!("memref<{rows}x{}x{}{space}>", self.columns, self.element)
    }

    fn finish(mut self, seed: u64) -> Program {
        if self.shapes.is_empty() {
            self.has(Shape::Plain);
        }
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .map(|argument| {
                let attribute = if argument.noalias { " {llvm.noalias}" } else { "" };
                format!("{}: {}{attribute}", argument.name, self.argument_type(argument.dynamic))
            })
            .collect();
        let scalars: Vec<String> = self
            .scalars
            .iter()
            .map(|(name, ty, _)| format!("{name}: {ty}"))
            .collect();
        let visibility = if self.called { "private " } else { "" };
        let mut text = format!(
            "func.func {visibility}@f({}) {{\n{}\n  return\n}}\n",
            [arguments, scalars.clone()].concat().join(", "),
            self.lines.join("\n")
        );
        let mut first_scalar = self.arguments.len();
        if self.called {
            text += &self.caller(&scalars);
            first_scalar = 1;
        }
        let dynamic = self
            .arguments
            .iter()
            .enumerate()
            .filter(|(_, argument)| argument.dynamic);
        Program {
            entry: if self.called { "main" } else { "f" }.to_owned(),
            scalars: (first_scalar..)
                .zip(&self.scalars)
                .map(|(i, scalar)| (i, scalar.2))
                .collect(),
            sizes: dynamic
                .map(|(i, _)| (i, vec![ROWS, self.columns]))
                .collect::<BTreeMap<_, _>>(),
            contents: seed % 1000,
            shapes: self.shapes,
            text,
        }
    }

    /// A function that passes one buffer for all the arguments, and the function that passes do not look into.
    fn caller(&self, scalars: &[String]) -> String {
        let ty = self.argument_type(false);
        let operands: Vec<String> = self
            .arguments
            .iter()
            .map(|_| "%M".to_owned())
            .chain(self.scalars.iter().map(|(name, _, _)| name.clone()))
            .collect();
        let types: Vec<String> = self
            .arguments
            .iter()
            .map(|_| ty.clone())
            .chain(self.scalars.iter().map(|(_, ty, _)| (*ty).to_owned()))
            .collect();
        let parameters = [vec![format!("%M: {ty}")], scalars.to_vec()].concat();
        format!(
            "func.func private @touch(%A: {ty}, %i: index) {{\n  %c0 = arith.constant 0 : index\n  \
             %x = memref.load %A[%c0, %c0] : {ty}\n  memref.store %x, %A[%i, %c0] : {ty}\n  return\n}}\n\
             func.func @main({}) {{\n  call @f({}) : ({}) -> ()\n  return\n}}\n",
            parameters.join(", "),
            operands.join(", "),
            types.join(", ")
        )
    }
}
