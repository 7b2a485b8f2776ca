//! Single operations: copies, computations, accesses of the control stream, guards.

use super::Generator;
use super::scope::Buffer;
use crate::program::Shape;

impl Generator {
    /// A new buffer of a tile's shape.
    pub(super) fn allocate(&mut self) -> usize {
        self.allocate_shape(self.tile.to_vec())
    }

    fn allocate_shape(&mut self, shape: Vec<i64>) -> usize {
        self.allocate_as(shape, false)
    }

    /// A new buffer; its memory is in its type, or left to be found.
    pub(super) fn allocate_as(&mut self, shape: Vec<i64>, placed: bool) -> usize {
        let mut buffer = Buffer {
            name: String::new(),
            shape,
            element: self.element,
            placed,
            written: false,
        };
        let alignment = if self.random.chance(15) {
            " {alignment = 64 : i64}"
        } else {
            ""
        };
        buffer.name = self.define("b", format!("memref.alloc(){alignment} : {}", buffer.ty()));
        self.buffers.push(buffer);
        self.buffers.len() - 1
    }

    /// A buffer of that shape that may be read.
    fn source_of(&mut self, shape: &[i64]) -> Option<usize> {
        let fits: Vec<usize> = (0..self.buffers.len())
            .filter(|i| self.buffers[*i].written && self.buffers[*i].shape == shape)
            .collect();
        // The latest ones are those of this iteration.
        let recent = fits.len().saturating_sub(3);
        let from = if self.random.chance(80) { recent } else { 0 };
        (!fits.is_empty()).then(|| self.random.pick(&fits[from..]))
    }

    pub(super) fn source(&mut self) -> Option<usize> {
        let tile = self.tile;
        self.source_of(&tile)
    }

    /// A buffer of that shape that is going to be written as a whole.
    fn destination_of(&mut self, shape: &[i64]) -> usize {
        let reuse = if self.tame && !self.wants(Shape::Rewritten) {
            12
        } else {
            55
        };
        if self.random.chance(reuse) {
            let fits: Vec<usize> = (0..self.buffers.len())
                .filter(|i| self.buffers[*i].shape == shape)
                .collect();
            if !fits.is_empty() {
                let at = self.random.pick(&fits);
                if self.buffers[at].written {
                    self.has(Shape::Rewritten);
                }
                return at;
            }
        }
        self.allocate_shape(shape.to_vec())
    }

    fn destination(&mut self) -> usize {
        let tile = self.tile;
        self.destination_of(&tile)
    }

    /// Name and type.
    fn typed(&self, at: usize) -> (String, String) {
        (self.buffers[at].name.clone(), self.buffers[at].ty())
    }

    pub(super) fn copy(&mut self, from: &str, from_ty: &str, to: &str, to_ty: &str) {
        if self.random.chance(85) {
            self.line(format!("memref.copy {from}, {to} : {from_ty} to {to_ty}"));
        } else {
            self.line(format!("linalg.copy ins({from} : {from_ty}) outs({to} : {to_ty})"));
        }
    }

    /// One more operation, if the budget allows.
    pub(super) fn operation(&mut self) {
        if self.budget <= 0 {
            return;
        }
        self.budget -= 1;
        if self.tame {
            match self.random.range(0, 9) {
                0..=1 => self.load(),
                2..=7 => self.compute(),
                _ => self.store(),
            }
        } else {
            match self.random.range(0, 24) {
                0..=4 => self.load(),
                5..=8 => self.store(),
                9..=16 => self.compute(),
                _ => self.oddity(),
            }
        }
    }

    /// A tile, or now and then a row, comes in.
    pub(super) fn load(&mut self) {
        if self.random.chance(8) {
            let row = self.argument_row();
            let width = self.tile[1];
            let to = self.destination_of(&[width]);
            let (name, ty) = self.typed(to);
            self.copy(&row.name, &row.ty, &name, &ty);
            self.buffers[to].written = true;
            return;
        }
        let view = self.argument_view(self.tile[0], true);
        let to = self.destination();
        let (name, ty) = self.typed(to);
        self.copy(&view.name, &view.ty, &name, &ty);
        self.buffers[to].written = true;
    }

    /// A tile goes out.
    pub(super) fn store(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        let view = self.argument_view(self.tile[0], false);
        let (name, ty) = self.typed(from);
        self.copy(&name, &ty, &view.name, &view.ty);
    }

    /// Writes the whole buffer by a load or a constant.
    pub(super) fn initialise(&mut self, at: usize) {
        let (name, ty) = self.typed(at);
        if self.random.chance(50) && self.buffers[at].shape == self.tile {
            let view = self.argument_view(self.tile[0], true);
            self.copy(&view.name, &view.ty, &name, &ty);
        } else {
            let value = self.constant();
            self.line(format!(
                "linalg.fill ins({value} : {}) outs({name} : {ty})",
                self.element
            ));
        }
        self.buffers[at].written = true;
    }

    /// A number of the element type.
    pub(super) fn constant(&mut self) -> String {
        let value = self.random.range(-3, 3);
        let text = if self.is_float() {
            format!("{value}.5")
        } else {
            value.to_string()
        };
        self.define("k", format!("arith.constant {text} : {}", self.element))
    }

    /// A number of the element type from wherever one can come.
    pub(super) fn scalar(&mut self) -> String {
        let from_memory = !self.tame || self.wants(Shape::ControlAccess);
        if !from_memory || self.random.chance(30) {
            return self.constant();
        }
        self.has(Shape::ControlAccess);
        let written: Vec<usize> = (0..self.buffers.len()).filter(|i| self.buffers[*i].written).collect();
        let mut value = if written.is_empty() || self.random.chance(60) {
            let element = self.argument_element(false);
            self.define("x", format!("memref.load {element}"))
        } else {
            let at = self.random.pick(&written);
            let element = self.buffer_element(at);
            self.define("x", format!("memref.load {element}"))
        };
        if self.random.chance(40) {
            let other = self.constant();
            let op = if self.is_float() { "addf" } else { "addi" };
            value = self.define("x", format!("arith.{op} {value}, {other} : {}", self.element));
        }
        value
    }

    /// An element of a buffer as loads and stores take it.
    fn buffer_element(&mut self, at: usize) -> String {
        let buffer = self.buffers[at].clone();
        let indices: Vec<String> = buffer
            .shape
            .iter()
            .map(|size| {
                let index = self.random.range(0, size - 1);
                self.index_constant(index)
            })
            .collect();
        format!("{}[{}] : {}", buffer.name, indices.join(", "), buffer.ty())
    }

    /// Work on buffers.
    pub(super) fn compute(&mut self) {
        match self.random.range(0, 13) {
            0..=3 => self.binary(),
            4..=5 => self.unary(),
            6 => self.generic(),
            7 => self.reduction(),
            8 => self.broadcast(),
            9 => self.move_between(),
            10 if self.tile[0] == self.tile[1] => self.transpose(),
            11..=13 if self.wants(Shape::Matrix) => self.product(),
            _ => self.binary(),
        }
    }

    fn binary(&mut self) {
        let (Some(left), Some(right)) = (self.source(), self.source()) else {
            return self.load();
        };
        let to = self.destination();
        let op = self.random.pick(&["add", "mul", "sub", "max"]);
        let ((left, left_ty), (right, right_ty), (to_name, to_ty)) =
            (self.typed(left), self.typed(right), self.typed(to));
        self.line(format!(
            "linalg.{op} ins({left}, {right} : {left_ty}, {right_ty}) outs({to_name} : {to_ty})"
        ));
        self.buffers[to].written = true;
    }

    fn unary(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        if !self.is_float() {
            return self.generic();
        }
        let to = self.destination();
        let op = self.random.pick(&["negf", "abs", "exp"]);
        let ((from, from_ty), (to_name, to_ty)) = (self.typed(from), self.typed(to));
        self.line(format!("linalg.{op} ins({from} : {from_ty}) outs({to_name} : {to_ty})"));
        self.buffers[to].written = true;
    }

    /// Writes an addition of a number, or of a buffer to another, element by element.
    fn generic(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        let number = self.scalar();
        let to = self.destination();
        let on_top = self.buffers[to].written && self.random.chance(30);
        let op = if self.is_float() { "addf" } else { "addi" };
        let ((from, from_ty), (to_name, to_ty)) = (self.typed(from), self.typed(to));
        self.line(
            "linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], \
             iterator_types = [\"parallel\", \"parallel\"]}",
        );
        let element = self.element;
        self.line(format!("    ins({from} : {from_ty}) outs({to_name} : {to_ty}) {{"));
        self.line(format!("^bb0(%in: {element}, %out: {element}):"));
        let other = if on_top { "%out".to_owned() } else { number };
        let sum = self.define("y", format!("arith.{op} %in, {other} : {element}"));
        self.line(format!("linalg.yield {sum} : {element}"));
        self.line("}");
        self.buffers[to].written = true;
    }

    /// Columns added up, or their maximum.
    fn reduction(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        let width = self.tile[1];
        let to = match self.source_of(&[width]) {
            Some(to) if self.random.chance(40) && (!self.tame || self.wants(Shape::Accumulator)) => {
                self.has(Shape::Accumulator);
                to
            }
            _ => {
                let to = self.destination_of(&[width]);
                let value = self.constant();
                let (name, ty) = self.typed(to);
                self.line(format!(
                    "linalg.fill ins({value} : {}) outs({name} : {ty})",
                    self.element
                ));
                self.buffers[to].written = true;
                to
            }
        };
        let op = match (self.is_float(), self.random.chance(50)) {
            (true, true) => "addf",
            (true, false) => "maximumf",
            (false, true) => "addi",
            (false, false) => "maxsi",
        };
        let ((from, from_ty), (to_name, to_ty), element) = (self.typed(from), self.typed(to), self.element);
        self.line(
            "linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], \
             iterator_types = [\"reduction\", \"parallel\"]}",
        );
        self.line(format!("    ins({from} : {from_ty}) outs({to_name} : {to_ty}) {{"));
        self.line(format!("^bb0(%in: {element}, %out: {element}):"));
        let sum = self.define("y", format!("arith.{op} %in, %out : {element}"));
        self.line(format!("linalg.yield {sum} : {element}"));
        self.line("}");
    }

    /// A row into all rows.
    fn broadcast(&mut self) {
        let width = self.tile[1];
        let Some(from) = self.source_of(&[width]) else {
            return self.binary();
        };
        let to = self.destination();
        let ((from, from_ty), (to_name, to_ty)) = (self.typed(from), self.typed(to));
        self.line(format!(
            "linalg.broadcast ins({from} : {from_ty}) outs({to_name} : {to_ty}) dimensions = [0]"
        ));
        self.buffers[to].written = true;
    }

    fn transpose(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        let to = self.allocate();
        let ((from, from_ty), (to_name, to_ty)) = (self.typed(from), self.typed(to));
        self.line(format!(
            "linalg.transpose ins({from} : {from_ty}) outs({to_name} : {to_ty}) permutation = [1, 0]"
        ));
        self.buffers[to].written = true;
    }

    fn move_between(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        let to = self.destination();
        if to != from {
            let ((from, from_ty), (to_name, to_ty)) = (self.typed(from), self.typed(to));
            self.copy(&from, &from_ty, &to_name, &to_ty);
            self.buffers[to].written = true;
        }
    }

    /// Writes a product that is added to a buffer, which is filled before or keeps its contents.
    fn product(&mut self) {
        let (Some(left), Some(right)) = (self.source(), self.source()) else {
            return self.load();
        };
        self.has(Shape::Matrix);
        let onto = self.source().filter(|to| *to != left && *to != right);
        let to = match onto {
            Some(to) if self.random.chance(30) && (!self.tame || self.wants(Shape::Accumulator)) => {
                self.has(Shape::Accumulator);
                to
            }
            _ => {
                let to = self.allocate();
                let value = self.constant();
                let (name, ty) = self.typed(to);
                self.line(format!(
                    "linalg.fill ins({value} : {}) outs({name} : {ty})",
                    self.element
                ));
                self.buffers[to].written = true;
                to
            }
        };
        let ((left, left_ty), (right, right_ty), (to, to_ty)) = (self.typed(left), self.typed(right), self.typed(to));
        self.line(format!(
            "linalg.matmul ins({left}, {right} : {left_ty}, {right_ty}) outs({to} : {to_ty})"
        ));
    }

    /// Writes an operation that tame programs have only on demand.
    pub(super) fn oddity(&mut self) {
        match self.random.range(0, 11) {
            0 => self.accumulate(),
            1 => self.fill_parts(),
            2 => self.store_part(),
            3 => self.store_element(),
            4 => self.reshape(),
            5 => self.choose(),
            6 => self.guard(),
            7 if self.called => self.call_opaque(),
            8 if self.wants(Shape::OtherLoop) => self.other_loop(),
            10 => self.corner(),
            11 => self.shift(),
            _ => self.generic(),
        }
    }

    /// Adds to a buffer.
    pub(super) fn accumulate(&mut self) {
        let (Some(from), Some(to)) = (self.source(), self.source_of_any_age()) else {
            return self.load();
        };
        self.has(Shape::Accumulator);
        let ((from, from_ty), (to, to_ty)) = (self.typed(from), self.typed(to));
        self.line(format!(
            "linalg.add ins({from}, {to} : {from_ty}, {to_ty}) outs({to} : {to_ty})"
        ));
    }

    fn source_of_any_age(&mut self) -> Option<usize> {
        let fits: Vec<usize> = (0..self.buffers.len())
            .filter(|i| self.buffers[*i].written && self.buffers[*i].shape == self.tile)
            .collect();
        (!fits.is_empty()).then(|| self.random.pick(&fits))
    }

    /// Copies rows of a buffer to others of its rows, up or down.
    fn shift(&mut self) {
        let (rows, at) = (self.tile[0], self.source_of_any_age());
        let Some(at) = at.filter(|_| rows > 1) else {
            return self.load();
        };
        self.has(Shape::Shifted);
        let by = self.random.range(1, rows - 1);
        let [low, high] = [0, by].map(|start| self.buffer_rows(at, rows - by, start));
        let (from, to) = if self.random.chance(50) {
            (low, high)
        } else {
            (high, low)
        };
        self.copy(&from.name, &from.ty, &to.name, &to.ty);
    }

    /// Writes loads of one part of a buffer or of both parts.
    pub(super) fn fill_parts(&mut self) {
        self.has(Shape::Partial);
        let rows = self.tile[0];
        let to = self.destination();
        let cut = self.random.range(1, rows - 1);
        let parts = [(0, cut), (cut, rows - cut)];
        let both = !self.buffers[to].written || self.random.chance(50);
        for (start, count) in parts.into_iter().take(if both { 2 } else { 1 }) {
            let view = self.argument_view(count, true);
            let part = self.buffer_rows(to, count, start);
            self.copy(&view.name, &view.ty, &part.name, &part.ty);
        }
        self.buffers[to].written = true;
    }

    fn store_part(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        self.has(Shape::Partial);
        let rows = self.tile[0];
        let count = self.random.range(1, rows);
        let start = self.random.range(0, rows - count);
        let view = self.argument_view(count, false);
        let part = self.buffer_rows(from, count, start);
        self.copy(&part.name, &part.ty, &view.name, &view.ty);
    }

    /// The control stream writes a number.
    pub(super) fn store_element(&mut self) {
        self.has(Shape::ControlAccess);
        let value = self.scalar();
        let element = match self.source() {
            Some(at) if self.random.chance(40) => self.buffer_element(at),
            _ => self.argument_element(true),
        };
        self.line(format!("memref.store {value}, {element}"));
    }

    /// A buffer under another shape and back.
    pub(super) fn reshape(&mut self) {
        let Some(from) = self.source() else { return self.load() };
        self.has(Shape::Views);
        let (name, ty) = self.typed(from);
        let [rows, width] = self.tile;
        let flat = format!(
            "memref<{}x{}{}>",
            rows * width,
            self.element,
            self.buffers[from].space()
        );
        let collapsed = self.define("w", format!("memref.collapse_shape {name} [[0, 1]] : {ty} into {flat}"));
        let expanded = self.define(
            "w",
            format!("memref.expand_shape {collapsed} [[0, 1]] output_shape [{rows}, {width}] : {flat} into {ty}"),
        );
        if self.random.chance(50) {
            let view = self.argument_view(rows, false);
            self.copy(&expanded, &ty, &view.name, &view.ty);
        } else {
            let view = self.argument_view(rows, true);
            self.copy(&view.name, &view.ty, &expanded, &ty);
        }
    }

    /// One of two buffers.
    fn choose(&mut self) {
        let (Some(left), Some(right)) = (self.source(), self.source()) else {
            return self.load();
        };
        if left == right || self.buffers[left].placed != self.buffers[right].placed {
            return self.load();
        }
        self.has(Shape::Views);
        let condition = self.condition();
        let ((left, ty), (right, _)) = (self.typed(left), self.typed(right));
        let chosen = self.define("w", format!("arith.select {condition}, {left}, {right} : {ty}"));
        let read = self.random.chance(50);
        let view = self.argument_view(self.tile[0], !read);
        if read {
            self.copy(&chosen, &ty, &view.name, &view.ty);
        } else {
            self.copy(&view.name, &view.ty, &chosen, &ty);
        }
    }

    /// A condition on an induction variable or on memory.
    pub(super) fn condition(&mut self) -> String {
        if self.inductions.is_empty() || self.random.chance(20) {
            self.has(Shape::ControlAccess);
            let element = self.argument_element(false);
            let value = self.define("x", format!("memref.load {element}"));
            let zero = if self.is_float() { "0.0" } else { "0" };
            let zero = self.define("k", format!("arith.constant {zero} : {}", self.element));
            let op = if self.is_float() { "cmpf ogt" } else { "cmpi sgt" };
            return self.define("q", format!("arith.{op}, {value}, {zero} : {}", self.element));
        }
        let at = self.random.index(self.inductions.len());
        let Some(last) = self.inductions.get(at.max(self.inductions.len().saturating_sub(2))) else {
            return String::new();
        };
        let (mut name, values) = (last.name.clone(), last.values.clone());
        let mut other = if values.is_empty() {
            1
        } else {
            self.random.pick(&values)
        };
        if self.random.chance(35) {
            let two = self.index_constant(2);
            name = self.define("o", format!("arith.remui {name}, {two} : index"));
            other = self.random.range(0, 1);
        }
        let other = self.index_constant(other);
        let predicate = self.random.pick(&["eq", "ne", "ult", "sgt", "sge"]);
        self.define("q", format!("arith.cmpi {predicate}, {name}, {other} : index"))
    }

    /// Operations under a condition.
    pub(super) fn guard(&mut self) {
        self.has(Shape::Guard);
        let condition = self.condition();
        self.line(format!("scf.if {condition} {{"));
        let most = if self.random.chance(60) { 1 } else { 3 };
        self.guarded_block(most);
        if self.random.chance(15) {
            self.line("} else {");
            self.guarded_block(1);
        }
        self.line("}");
    }

    /// Writes up to so many operations; the buffers that they write are not certain after the block.
    fn guarded_block(&mut self, most: i64) {
        let saved = self.buffers.clone();
        self.depth += 1;
        for _ in 0..self.random.range(1, most) {
            match self.random.range(0, 5) {
                0..=1 => self.load_over(),
                2..=3 => self.store(),
                4 => self.accumulate(),
                _ => self.compute(),
            }
        }
        self.depth -= 1;
        self.buffers = saved;
    }

    /// A tile comes into a buffer that holds something already.
    fn load_over(&mut self) {
        let Some(to) = self.source() else { return self.load() };
        let view = self.argument_view(self.tile[0], true);
        let (name, ty) = self.typed(to);
        self.copy(&view.name, &view.ty, &name, &ty);
    }

    fn call_opaque(&mut self) {
        self.has(Shape::Opaque);
        let name = {
            let at = self.random.index(self.arguments.len());
            self.arguments[at].name.clone()
        };
        let index = match self.offset(super::ROWS - 1, None) {
            super::index::Offset::Constant(row) => self.index_constant(row),
            super::index::Offset::Value(name) => name,
        };
        let ty = self.argument_type(false);
        self.line(format!("func.call @touch({name}, {index}) : ({ty}, index) -> ()"));
    }
}
