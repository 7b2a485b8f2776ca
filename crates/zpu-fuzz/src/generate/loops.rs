//! Loops: bounds, what they carry, and bodies.

use super::Generator;
use super::scope::Induction;
use crate::program::Shape;

/// A value that a loop carries from one iteration to the next.
enum Carried {
    /// A number of the element type; added to in each iteration.
    Number { name: String },
    /// An index that grows by a constant.
    Counter { name: String, step: i64 },
    /// Two buffers that change places.
    Pair { names: [String; 2], ty: String },
    /// A buffer of the iteration before, or of one before that.
    Fresh { name: String, ty: String },
}

/// The bounds of a loop as text and as numbers.
struct Bounds {
    text: String,
    /// Values of the induction variable.
    values: Vec<i64>,
    /// The induction variable is an i32.
    narrow: bool,
    /// Bounds are compared as unsigned numbers.
    unsigned: bool,
}

impl Generator {
    /// A loop with so many levels inside.
    pub(super) fn loop_of(&mut self, levels: i64) {
        if levels > 0 {
            self.has(Shape::Nest);
        }
        let before_loop = self.buffers.len();
        let needs_buffer = [Shape::LiveOut, Shape::Accumulator, Shape::Guard];
        if needs_buffer.iter().any(|shape| self.wants(*shape)) || self.random.chance(15) {
            let at = self.allocate();
            self.initialise(at);
        }
        let bounds = self.bounds(levels);
        let trips = bounds.values.len();
        let carried = self.carried();
        let iv = self.name("i");
        let results = self.open(&iv, &bounds, &carried);
        let saved = self.buffers.clone();
        self.depth += 1;
        let visible = self.inductions.len();
        let index = if bounds.narrow {
            self.define("j", format!("arith.index_cast {iv} : i32 to index"))
        } else {
            iv
        };
        self.inductions.push(Induction {
            name: index,
            values: bounds.values,
        });
        self.enter(&carried, trips);
        if levels > 0 {
            self.nest_body(levels);
        } else if self.tame {
            self.tame_body(before_loop);
        } else {
            self.wild_body();
        }
        let yielded = self.leave(&carried, saved.len());
        self.inductions.truncate(visible);
        if self.random.chance(40) {
            let inner = self.buffers.split_off(saved.len());
            for buffer in inner {
                self.line(format!("memref.dealloc {} : {}", buffer.name, buffer.ty()));
            }
        }
        if let Some(yielded) = yielded {
            self.line(yielded);
        }
        self.depth -= 1;
        self.line("}");
        self.behind(saved, trips, &carried, &results);
    }

    fn bounds(&mut self, levels: i64) -> Bounds {
        let few = self.wants(Shape::FewTrips) || (!self.tame && self.random.chance(25));
        let inner = !self.inductions.is_empty() || levels > 0;
        let trips = match (few, inner) {
            (true, _) => self.random.pick(&[0, 1, 1, 2]),
            (false, true) => self.random.pick(&[2, 3, 4, 5, 6]),
            (false, false) => self.random.pick(&[2, 3, 4, 5, 6, 7, 8, 8]),
        };
        if trips < 2 {
            self.has(Shape::FewTrips);
        }
        let odd = self.wants(Shape::OddBounds) && self.random.chance(80);
        let rows = self.tile[0];
        let (lower, step) = if odd {
            self.has(Shape::OddBounds);
            (self.random.pick(&[0, 1, 2, 5]), self.random.pick(&[1, 1, 2, 3, rows]))
        } else {
            (0, self.random.pick(&[1, 1, rows]))
        };
        let slack = if odd && trips > 0 {
            self.random.range(0, step - 1)
        } else {
            0
        };
        let upper = if trips == 0 && self.random.chance(50) {
            (lower - 1).max(0)
        } else {
            lower + trips * step - slack
        };
        let narrow = odd && self.random.chance(15);
        let ty = if narrow { "i32" } else { "index" };
        let dynamic = if self.wants(Shape::DynamicBounds) {
            [20, 80, 12]
        } else {
            [0; 3]
        };
        let mut texts = Vec::new();
        for (i, (value, percent)) in [lower, upper, step].into_iter().zip(dynamic).enumerate() {
            texts.push(if self.random.chance(percent) {
                self.has(Shape::DynamicBounds);
                if i < 2 && self.random.chance(30) {
                    self.computed(value, ty)
                } else {
                    self.given(value, ty)
                }
            } else {
                self.define("c", format!("arith.constant {value} : {ty}"))
            });
        }
        Bounds {
            text: format!("{} to {} step {}", texts[0], texts[1], texts[2]),
            values: (0..trips).map(|i| lower + i * step).collect(),
            narrow,
            unsigned: odd && self.random.chance(10),
        }
    }

    /// A number that only the call knows.
    fn given(&mut self, value: i64, ty: &'static str) -> String {
        let name = format!("%n{}", self.scalars.len());
        self.scalars.push((name.clone(), ty, value));
        name
    }

    /// A number that is computed from one that only the call knows, as bounds of tiled loops are.
    fn computed(&mut self, value: i64, ty: &'static str) -> String {
        let more = self.random.range(1, 9);
        let (op, from, with) = match self.random.index(6) {
            0 => ("remui", value + 2 * (value + more), value + more),
            1 => ("remsi", value + value + more, value + more),
            2 => ("divui", value * more + self.random.range(0, more - 1), more),
            3 => ("ceildivsi", value * more - self.random.range(0, more - 1), more),
            4 => ("minsi", value + more, value),
            _ => ("subi", value + more, more),
        };
        let from = self.given(from, ty);
        let with = self.define("c", format!("arith.constant {with} : {ty}"));
        self.define("b", format!("arith.{op} {from}, {with} : {ty}"))
    }

    /// Chooses the values that the next loop carries, and makes their initial values.
    fn carried(&mut self) -> Vec<(Carried, String)> {
        let mut all = Vec::new();
        let odds = |wild: bool| if wild { 12 } else { 0 };
        if self.wants(Shape::CarriedScalar) || self.random.chance(odds(!self.tame)) {
            self.has(Shape::CarriedScalar);
            if self.random.chance(60) {
                let init = self.constant();
                let name = self.name("acc");
                all.push((Carried::Number { name }, init));
            }
            if all.is_empty() || self.random.chance(40) {
                let init = self.index_constant(0);
                let step = self.random.pick(&[1, 2, self.tile[0]]);
                let name = self.name("t");
                all.push((Carried::Counter { name, step }, init));
            }
        }
        if self.wants(Shape::CarriedBuffer) || self.random.chance(odds(!self.tame) / 2) {
            self.has(Shape::CarriedBuffer);
            // Placed by hand, so that the type of the pair is known here.
            let pair = [0; 2].map(|_| self.allocate_as(self.tile.to_vec(), true));
            pair.into_iter().for_each(|at| self.initialise(at));
            let inits = pair.map(|at| self.buffers[at].name.clone());
            let ty = self.buffers[pair[0]].ty();
            // The pair is only reached through the loop from now on.
            self.buffers.truncate(self.buffers.len() - 2);
            let names = [self.name("u"), self.name("v")];
            all.push((Carried::Pair { names, ty }, inits.join(" ")));
        }
        if self.wants(Shape::HandedOn) {
            let (init, ty) = self.first_handed_on();
            let name = self.name("h");
            all.push((Carried::Fresh { name, ty }, init));
        }
        all
    }

    /// The line of the loop; returns the names of its results.
    fn open(&mut self, iv: &str, bounds: &Bounds, carried: &[(Carried, String)]) -> Vec<String> {
        let ty = if bounds.narrow { " : i32" } else { "" };
        let unsigned = if bounds.unsigned { "unsigned " } else { "" };
        if carried.is_empty() {
            self.line(format!("scf.for {unsigned}{iv} = {}{ty} {{", bounds.text));
            return Vec::new();
        }
        let (mut inits, mut types) = (Vec::new(), Vec::new());
        for (kind, init) in carried {
            match kind {
                Carried::Number { name } => {
                    inits.push(format!("{name} = {init}"));
                    types.push(self.element.to_owned());
                }
                Carried::Counter { name, .. } => {
                    inits.push(format!("{name} = {init}"));
                    types.push("index".to_owned());
                }
                Carried::Pair { names, ty } => {
                    inits.extend(
                        names
                            .iter()
                            .zip(init.split(' '))
                            .map(|(name, init)| format!("{name} = {init}")),
                    );
                    types.extend([ty.clone(), ty.clone()]);
                }
                Carried::Fresh { name, ty } => {
                    inits.push(format!("{name} = {init}"));
                    types.push(ty.clone());
                }
            }
        }
        let result = self.name("r");
        let count = types.len();
        self.line(format!(
            "{result}:{count} = scf.for {unsigned}{iv} = {} iter_args({}) -> ({}){ty} {{",
            bounds.text,
            inits.join(", "),
            types.join(", ")
        ));
        (0..count).map(|i| format!("{result}#{i}")).collect()
    }

    /// Makes the carried values usable in the body.
    fn enter(&mut self, carried: &[(Carried, String)], trips: usize) {
        for (kind, _) in carried {
            match kind {
                Carried::Counter { name, step } if self.random.chance(60) => {
                    let values = (0..trips as i64).map(|i| i * step).collect();
                    // Before the loop's own induction variable, which offsets mostly follow.
                    let at = self.inductions.len() - 1;
                    self.inductions.insert(
                        at,
                        Induction {
                            name: name.clone(),
                            values,
                        },
                    );
                }
                Carried::Pair { names, .. } => names.iter().for_each(|name| self.receive(name)),
                Carried::Fresh { name, .. } => {
                    self.receive(name);
                    self.maybe_make_early();
                }
                _ => {}
            }
        }
    }

    /// A carried buffer, usable in the body.
    fn receive(&mut self, name: &str) {
        self.buffers.push(super::scope::Buffer {
            name: name.to_owned(),
            shape: self.tile.to_vec(),
            element: self.element,
            placed: true,
            written: true,
        });
    }

    /// Computes what goes to the next iteration; the line that yields it. Buffers from `inner` on are those of the
    /// body.
    fn leave(&mut self, carried: &[(Carried, String)], inner: usize) -> Option<String> {
        if carried.is_empty() {
            return None;
        }
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for (kind, _) in carried {
            match kind {
                Carried::Number { name } => {
                    let element = self.argument_element(false);
                    let other = self.define("x", format!("memref.load {element}"));
                    let op = if self.is_float() { "addf" } else { "addi" };
                    let sum = self.define("y", format!("arith.{op} {name}, {other} : {}", self.element));
                    if let Some(buffer) = self.source().filter(|_| self.random.chance(50)) {
                        let indices = vec![self.index_constant(0); self.buffers[buffer].shape.len()];
                        let (buffer, ty) = (self.buffers[buffer].name.clone(), self.buffers[buffer].ty());
                        self.line(format!("memref.store {sum}, {buffer}[{}] : {ty}", indices.join(", ")));
                    }
                    values.push(sum);
                    types.push(self.element.to_owned());
                }
                Carried::Counter { name, step } => {
                    let step = self.index_constant(*step);
                    values.push(self.define("y", format!("arith.addi {name}, {step} : index")));
                    types.push("index".to_owned());
                }
                Carried::Pair { names, ty } => {
                    let [first, second] = names.clone();
                    if self.random.chance(70) {
                        let view = self.argument_view(self.tile[0], false);
                        self.copy(&first, ty, &view.name, &view.ty);
                    }
                    let mut order = vec![second, first];
                    if self.random.chance(10) {
                        order.reverse();
                    }
                    values.extend(order);
                    types.extend([ty.clone(), ty.clone()]);
                    // The names of the pair end with the body.
                    self.buffers.retain(|buffer| !names.contains(&buffer.name));
                }
                Carried::Fresh { name, ty } => {
                    values.push(self.hand_on(name, ty, inner));
                    types.push(ty.clone());
                }
            }
        }
        Some(format!("scf.yield {} : {}", values.join(", "), types.join(", ")))
    }

    /// Updates the knowledge about buffers after the loop, and uses its results.
    fn behind(
        &mut self,
        mut saved: Vec<super::scope::Buffer>,
        trips: usize,
        carried: &[(Carried, String)],
        results: &[String],
    ) {
        if trips > 0 {
            for (before, after) in saved.iter_mut().zip(&self.buffers) {
                before.written |= after.written;
            }
        }
        self.buffers = saved;
        let mut results = results.iter();
        for (kind, _) in carried {
            match kind {
                Carried::Number { .. } => {
                    let element = self.argument_element(true);
                    let result = results.next().cloned().unwrap_or_default();
                    self.line(format!("memref.store {result}, {element}"));
                }
                Carried::Counter { .. } => {
                    results.next();
                }
                Carried::Pair { ty, .. } | Carried::Fresh { ty, .. } => {
                    let count = if matches!(kind, Carried::Fresh { .. }) { 1 } else { 2 };
                    for _ in 0..count {
                        let result = results.next().cloned().unwrap_or_default();
                        let view = self.argument_view(self.tile[0], false);
                        self.copy(&result, ty, &view.name, &view.ty);
                    }
                }
            }
        }
        if (self.wants(Shape::LiveOut) || self.random.chance(10))
            && let Some(at) = self.source()
        {
            self.has(Shape::LiveOut);
            let view = self.argument_view(self.tile[0], false);
            let (name, ty) = (self.buffers[at].name.clone(), self.buffers[at].ty());
            self.copy(&name, &ty, &view.name, &view.ty);
        }
    }

    fn nest_body(&mut self, levels: i64) {
        let around = if self.tame { 40 } else { 80 };
        self.some_operations(around);
        self.loop_of(levels - 1);
        self.some_operations(around);
        if self.random.chance(if self.tame { 8 } else { 25 }) {
            self.has(Shape::Siblings);
            self.loop_of(levels - 1);
        }
    }

    /// Writes a body in which tiles come in, are worked on, and go out; other wanted operations come somewhere in
    /// between.
    fn tame_body(&mut self, first_outside: usize) {
        let mut oddities = Vec::new();
        let last = self.buffers.len();
        for shape in [
            Shape::Guard,
            Shape::Accumulator,
            Shape::Partial,
            Shape::ComputedSize,
            Shape::ControlAccess,
            Shape::Views,
            Shape::Rewritten,
            Shape::LiveOut,
        ] {
            if self.wants(shape) {
                oddities.push(shape);
            }
        }
        for _ in 0..self.random.range(1, 3) {
            self.load();
        }
        let work = self.random.range(1, self.budget.clamp(1, 8));
        for step in 0..work {
            if !oddities.is_empty() && self.random.chance(50) || step + 1 == work {
                let at = if oddities.is_empty() {
                    None
                } else {
                    Some(self.random.index(oddities.len()))
                };
                if let Some(shape) = at.map(|at| oddities.swap_remove(at)) {
                    self.oddity_of(shape, first_outside..last);
                }
            }
            self.compute();
            self.budget -= 1;
        }
        for shape in oddities {
            if self.random.chance(60) {
                self.oddity_of(shape, first_outside..last);
            }
        }
        for _ in 0..self.random.pick(&[1, 1, 1, 2]) {
            self.store();
        }
    }

    /// Writes one operation that gives the body a wanted shape. `outside` are the buffers made for this loop before it.
    fn oddity_of(&mut self, shape: Shape, outside: std::ops::Range<usize>) {
        match shape {
            Shape::Guard => match outside.into_iter().next() {
                Some(at) if self.random.chance(75) => self.refresh(at),
                _ => self.guard(),
            },
            Shape::Accumulator => match outside.into_iter().next() {
                Some(at) => self.add_to(at),
                None => self.accumulate(),
            },
            Shape::ComputedSize => self.corner(),
            Shape::Partial => self.fill_parts(),
            Shape::ControlAccess => self.store_element(),
            Shape::Views => self.reshape(),
            Shape::LiveOut => {
                if let (Some(at), Some(from)) = (outside.into_iter().next(), self.source()) {
                    self.overwrite(at, from);
                }
            }
            _ => self.load(),
        }
    }

    /// In some iterations a tile comes into that buffer; all of them use it.
    fn refresh(&mut self, at: usize) {
        self.has(Shape::Guard);
        let condition = self.condition();
        self.line(format!("scf.if {condition} {{"));
        self.depth += 1;
        let view = self.argument_view(self.tile[0], true);
        let buffer = self.buffers[at].clone();
        self.copy(&view.name, &view.ty, &buffer.name, &buffer.ty());
        self.depth -= 1;
        self.line("}");
        let mut result = buffer.clone();
        if self.random.chance(60) {
            let at = self.allocate();
            result = self.buffers[at].clone();
            let (ty, to_ty) = (buffer.ty(), result.ty());
            self.line(format!(
                "linalg.add ins({0}, {0} : {ty}, {ty}) outs({1} : {to_ty})",
                buffer.name, result.name
            ));
            self.buffers[at].written = true;
        }
        let view = self.argument_view(self.tile[0], false);
        self.copy(&result.name, &result.ty(), &view.name, &view.ty);
    }

    fn wild_body(&mut self) {
        for _ in 0..self.random.range(2, 12) {
            self.operation();
        }
        if self.random.chance(80) {
            self.store();
        }
    }

    /// Adds a source to that buffer.
    fn add_to(&mut self, at: usize) {
        let Some(from) = self.source().filter(|from| *from != at) else {
            return self.accumulate();
        };
        self.has(Shape::Accumulator);
        let (from, to) = (self.buffers[from].clone(), self.buffers[at].clone());
        self.line(format!(
            "linalg.add ins({}, {} : {}, {}) outs({} : {})",
            from.name,
            to.name,
            from.ty(),
            to.ty(),
            to.name,
            to.ty()
        ));
    }

    /// Writes that buffer as a whole, by a computation or a load.
    fn overwrite(&mut self, at: usize, from: usize) {
        let (to, source) = (self.buffers[at].clone(), self.buffers[from].clone());
        if self.random.chance(50) || at == from {
            let view = self.argument_view(self.tile[0], true);
            self.copy(&view.name, &view.ty, &to.name, &to.ty());
        } else {
            self.line(format!(
                "linalg.mul ins({}, {} : {}, {}) outs({} : {})",
                source.name,
                source.name,
                source.ty(),
                source.ty(),
                to.name,
                to.ty()
            ));
        }
        self.buffers[at].written = true;
    }
}
