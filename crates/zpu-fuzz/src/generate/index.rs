//! Offsets: constants and affine combinations of induction variables that stay in bounds.

use super::scope::View;
use super::{Generator, ROWS};
use crate::program::Shape;

/// An offset with the values that it takes.
pub(super) enum Offset {
    Constant(i64),
    Value(String),
}

impl Offset {
    /// In a list of offsets.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Value(name) => name.clone(),
        }
    }
}

impl Generator {
    /// An index in `0..=limit`. With `apart`, different iterations of the innermost loop are so many apart where that
    /// fits.
    pub(super) fn offset(&mut self, limit: i64, apart: Option<i64>) -> Offset {
        for _ in 0..8 {
            if self.inductions.is_empty() || (apart.is_none() && self.random.chance(12)) {
                break;
            }
            let terms = self.terms(apart);
            if let Some(offset) = self.combination(limit, &terms, apart.is_some()) {
                return offset;
            }
        }
        Offset::Constant(self.random.range(0, limit))
    }

    /// Positions of inductions with their factors.
    fn terms(&mut self, apart: Option<i64>) -> Vec<(usize, i64)> {
        let last = self.inductions.len() - 1;
        let rows = self.tile[0];
        if let Some(apart) = apart {
            let values = &self.inductions[last].values;
            let step = values
                .get(1)
                .zip(values.first())
                .map_or(1, |(b, a)| (b - a).abs().max(1));
            let mut terms = vec![(last, (apart + step - 1) / step)];
            if last > 0 && self.random.chance(60) {
                let outer = self.random.index(last);
                let factor = self.random.pick(&[1, rows, 2 * rows, 4 * rows]);
                terms.push((outer, factor));
            }
            return terms;
        }
        let mut terms = Vec::new();
        let first = if self.random.chance(70) {
            last
        } else {
            self.random.index(last + 1)
        };
        let factor = self.random.pick(&[1, 1, 1, 2, 3, rows, rows]);
        terms.push((first, factor));
        if last > 0 && self.random.chance(40) {
            let other = self.random.index(last + 1);
            let factor = self.random.pick(&[1, 1, 2, rows, -1]);
            if other != first {
                terms.push((other, factor));
            }
        }
        terms
    }

    /// The sum of the terms and a constant, if there is one that stays in bounds.
    fn combination(&mut self, limit: i64, terms: &[(usize, i64)], plain: bool) -> Option<Offset> {
        let (mut low, mut high) = (0, 0);
        for (at, factor) in terms {
            let values = self.inductions[*at].values.iter().map(|value| value * factor);
            low += values.clone().min().unwrap_or(0);
            high += values.max().unwrap_or(0);
        }
        let rows = self.tile[0];
        let wish = if plain {
            self.random.pick(&[0, 0, rows, -low])
        } else {
            self.random.pick(&[0, 0, 0, 1, -1, 2, rows, -rows, 3])
        };
        let constant = wish.max(-low);
        if high + constant > limit {
            return None;
        }
        let names: Vec<String> = terms.iter().map(|(at, _)| self.inductions[*at].name.clone()).collect();
        if terms.len() == 1 && terms[0].1 == 1 && constant == 0 {
            return names.into_iter().next().map(Offset::Value);
        }
        let mut sum = if self.random.chance(50) {
            self.affine_sum(&names, terms, constant)
        } else {
            self.arithmetic_sum(&names, terms, constant)
        };
        if !plain && self.random.chance(8) {
            // These do not change the value, and hide it from an analysis that knows only sums.
            let bound = self.index_constant(limit + 1);
            let op = self.random.pick(&["remui", "minui", "minsi"]);
            sum = self.define("o", format!("arith.{op} {sum}, {bound} : index"));
        }
        Some(Offset::Value(sum))
    }

    fn affine_sum(&mut self, names: &[String], terms: &[(usize, i64)], constant: i64) -> String {
        let dims: Vec<String> = (0..names.len()).map(|i| format!("d{i}")).collect();
        let products: Vec<String> = dims
            .iter()
            .zip(terms)
            .map(|(dim, (_, factor))| format!("{dim} * {factor}"))
            .collect();
        let text = format!(
            "affine.apply affine_map<({}) -> ({} + {constant})>({})",
            dims.join(", "),
            products.join(" + "),
            names.join(", ")
        );
        self.define("o", text)
    }

    fn arithmetic_sum(&mut self, names: &[String], terms: &[(usize, i64)], constant: i64) -> String {
        let mut sum: Option<String> = None;
        for (name, (_, factor)) in names.iter().zip(terms) {
            let mut term = name.clone();
            if *factor != 1 {
                let factor = self.index_constant(*factor);
                term = self.define("o", format!("arith.muli {term}, {factor} : index"));
            }
            sum = Some(match sum {
                None => term,
                Some(sum) => self.define("o", format!("arith.addi {sum}, {term} : index")),
            });
        }
        let sum = sum.unwrap_or_default();
        if constant == 0 {
            return sum;
        }
        let (op, amount) = if constant > 0 {
            ("addi", constant)
        } else {
            ("subi", -constant)
        };
        let amount = self.index_constant(amount);
        self.define("o", format!("arith.{op} {sum}, {amount} : index"))
    }

    /// The argument that is read from, or written to. A tame program reads all but the last and writes that.
    fn argument(&mut self, write: bool) -> usize {
        let last = self.arguments.len() - 1;
        if !self.tame || self.wants(Shape::InPlace) && self.random.chance(50) {
            let at = self.random.index(last + 1);
            if write != (at == last) {
                self.has(Shape::InPlace);
            }
            return at;
        }
        if write { last } else { self.random.index(last) }
    }

    /// A tile of an argument with that many rows.
    pub(super) fn argument_view(&mut self, rows: i64, read: bool) -> View {
        let at = self.argument(!read);
        let windows = !self.tame || (self.wants(Shape::Window) && self.random.chance(60));
        if windows && !self.inductions.is_empty() {
            self.has(Shape::Window);
        }
        let offset = self.offset(ROWS - rows, (!windows).then_some(rows));
        let width = self.tile[1];
        let column = if self.columns > width {
            self.random.pick(&[0, width])
        } else {
            0
        };
        let (name, dynamic) = (self.arguments[at].name.clone(), self.arguments[at].dynamic);
        let start = match &offset {
            Offset::Constant(row) => Some(row * self.columns + column),
            Offset::Value(_) => None,
        };
        let ty = self.view_type(&[rows, width], &[self.columns, 1], start);
        let source = self.argument_type(dynamic);
        let text = format!(
            "memref.subview {name}[{}, {column}] [{rows}, {width}] [1, 1] : {source} to {ty}",
            offset.text()
        );
        let name = self.define("s", text);
        View { name, ty }
    }

    /// A row of an argument as a vector.
    pub(super) fn argument_row(&mut self) -> View {
        let at = self.argument(false);
        let offset = self.offset(ROWS - 1, None);
        let (name, dynamic) = (self.arguments[at].name.clone(), self.arguments[at].dynamic);
        let start = match &offset {
            Offset::Constant(row) => Some(row * self.columns),
            Offset::Value(_) => None,
        };
        let width = self.tile[1];
        let ty = self.view_type(&[width], &[1], start);
        let source = self.argument_type(dynamic);
        let text = format!(
            "memref.subview {name}[{}, 0] [1, {width}] [1, 1] : {source} to {ty}",
            offset.text()
        );
        let name = self.define("s", text);
        View { name, ty }
    }

    /// An element of an argument: its name, indices and type, as loads and stores take them.
    pub(super) fn argument_element(&mut self, write: bool) -> String {
        let at = self.argument(write);
        let row = match self.offset(ROWS - 1, None) {
            Offset::Constant(row) => self.index_constant(row),
            Offset::Value(name) => name,
        };
        let column = self.random.range(0, self.columns - 1);
        let column = self.index_constant(column);
        let (name, dynamic) = (self.arguments[at].name.clone(), self.arguments[at].dynamic);
        format!("{name}[{row}, {column}] : {}", self.argument_type(dynamic))
    }

    fn view_type(&self, shape: &[i64], strides: &[i64], start: Option<i64>) -> String {
        let offset = match start {
            Some(0) => String::new(),
            Some(start) => format!(", offset: {start}"),
            None => ", offset: ?".to_owned(),
        };
        let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
        let strides: Vec<String> = strides.iter().map(i64::to_string).collect();
        let space = if self.called { ", #zpu.space<dram>" } else { "" };
        format!(
            "memref<{sizes}{}, strided<[{}]{offset}>{space}>",
            self.element,
            strides.join(", ")
        )
    }

    /// Rows of a local buffer that has a tile's shape.
    pub(super) fn buffer_rows(&mut self, at: usize, rows: i64, start: i64) -> View {
        let width = self.tile[1];
        let buffer = self.buffers[at].clone();
        let offset = if start == 0 {
            String::new()
        } else {
            format!(", offset: {}", start * width)
        };
        let ty = format!(
            "memref<{rows}x{width}x{}, strided<[{width}, 1]{offset}>{}>",
            buffer.element,
            buffer.space()
        );
        let (name, source) = (&buffer.name, buffer.ty());
        let text = format!("memref.subview {name}[{start}, 0] [{rows}, {width}] [1, 1] : {source} to {ty}");
        let name = self.define("p", text);
        View { name, ty }
    }
}
