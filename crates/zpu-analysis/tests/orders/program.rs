//! Random programs: a tensor that one nest writes and others read, in many ways to write a nest.

use std::fmt::Write as _;

/// Numbers that look random and are the same each time (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

/// A program text that grows, with numbers for its names.
#[derive(Default)]
struct Text {
    body: String,
    names: usize,
    arguments: Vec<String>,
}

impl Text {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.body, "  {line}").expect("writing to a string");
    }

    /// A name for an index expression of others, `d0` and so on.
    fn apply(&mut self, expr: &str, of: &[&str]) -> String {
        let name = self.name();
        let dims: Vec<String> = (0..of.len()).map(|at| format!("d{at}")).collect();
        let (dims, of) = (dims.join(", "), of.join(", "));
        self.line(&format!("{name} = affine.apply affine_map<({dims}) -> ({expr})>({of})"));
        name
    }

    fn open(&mut self, iv: &str, (from, to, step): (i64, i64, i64)) {
        self.line(&format!("scf.for {iv} = %c{from} to %c{to} step %c{step} {{"));
    }

    /// The whole function, with constants for bounds of loops.
    fn function(&self) -> String {
        /// Elements of the largest tensor.
        const MOST: i64 = 216;
        let constants: String = (0..=MOST)
            .map(|n| format!("  %c{n} = arith.constant {n} : index\n"))
            .collect();
        let (arguments, body) = (self.arguments.join(", "), &self.body);
        format!("func.func @f({arguments}) {{\n  %zero = arith.constant 0.0 : f32\n{constants}{body}  return\n}}\n")
    }

    fn argument(&mut self, ty: &str) -> String {
        let name = format!("%arg{}", self.arguments.len());
        self.arguments.push(format!("{name}: {ty}"));
        name
    }
}

/// The text of a function `@f` with one allocation.
pub(crate) fn program(random: &mut Random) -> String {
    let rank = 1 + random.below(3);
    let shape: Vec<i64> = (0..rank).map(|_| random.pick(&[1, 2, 3, 4, 6])).collect();
    let mut text = Text::default();
    let outer = random.below(4) == 0;
    let tensor = format!("memref<{}xf32>", dims(&shape));
    text.line(&format!("%a = memref.alloc() : {tensor}"));
    if outer {
        text.open("%outer", (0, 2, 1));
    }
    if random.below(6) == 0 {
        text.line(&format!("linalg.fill ins(%zero : f32) outs(%a : {tensor})"));
    }
    if rank > 1 && random.below(4) == 0 {
        fused(&mut text, random, &shape);
    } else {
        nest(&mut text, random, &shape, true, None);
        for _ in 0..1 + random.below(2) {
            nest(&mut text, random, &shape, false, None);
        }
    }
    if outer {
        text.line("}");
    }
    text.function()
}

/// The text of a function with a tensor that two nests read, and another one that the first of them makes for the
/// second one.
pub(crate) fn joined(random: &mut Random) -> String {
    let shape: Vec<i64> = (0..2).map(|_| random.pick(&[2, 3, 4])).collect();
    let mut text = Text::default();
    let tensor = format!("memref<{}xf32>", dims(&shape));
    // One dimension of the tensor, or both.
    let kept: &[usize] = random.pick(&[&[0], &[1], &[0, 1]]);
    let extents: Vec<i64> = kept.iter().map(|&dimension| shape[dimension]).collect();
    let between = format!("memref<{}xf32>", dims(&extents));
    let from = text.argument(&tensor);
    text.line(&format!("%a = memref.alloc() : {tensor}"));
    text.line(&format!("%b = memref.alloc() : {between}"));
    text.line(&format!("memref.copy {from}, %a : {tensor} to {tensor}"));
    for is_first in [true, false] {
        let mut loops: Vec<(usize, String)> = (0..2).map(|dimension| (dimension, text.name())).collect();
        random.shuffle(&mut loops);
        for (dimension, iv) in &loops {
            text.open(iv, (0, shape[*dimension], 1));
        }
        loops.sort();
        let at: Vec<&str> = loops.iter().map(|(_, iv)| iv.as_str()).collect();
        let value = text.name();
        text.line(&format!("{value} = memref.load %a[{}] : {tensor}", at.join(", ")));
        let mut places = Vec::new();
        for &dimension in kept {
            let last = shape[dimension] - 1;
            let plain = if last > 0 && random.below(4) == 0 {
                format!("{last} - d0")
            } else {
                "d0".to_owned()
            };
            places.push(text.apply(&plain, &[at[dimension]]));
        }
        let places = places.join(", ");
        if is_first {
            text.line(&format!("memref.store {value}, %b[{places}] : {between}"));
        } else {
            let other = text.name();
            text.line(&format!("{other} = memref.load %b[{places}] : {between}"));
        }
        text.line("}");
        text.line("}");
    }
    text.function()
}

/// Producer and consumer in one loop over the first dimension, now and then a row apart.
fn fused(text: &mut Text, random: &mut Random, shape: &[i64]) {
    let iv = text.name();
    let away = |random: &mut Random| random.pick(&[0, 0, 0, 1]).min(shape[0] - 1);
    let (write, read) = (away(random), away(random));
    text.open(&iv, (0, shape[0] - write.max(read), 1));
    for (distance, is_write) in [(write, true), (read, false)] {
        let row = text.apply(&format!("d0 + {distance}"), &[&iv]);
        nest(text, random, shape, is_write, Some(row));
    }
    text.line("}");
}

/// A nest that writes or reads the whole tensor, or one row of it.
fn nest(text: &mut Text, random: &mut Random, shape: &[i64], is_write: bool, row: Option<String>) {
    match random.below(3) {
        0 if row.is_none() => tiles(text, random, shape, is_write),
        _ => elements(text, random, shape, is_write, row),
    }
}

/// Loads or stores of single elements, whose indices are written in many ways.
fn elements(text: &mut Text, random: &mut Random, shape: &[i64], is_write: bool, row: Option<String>) {
    let mut loops: Vec<(String, (i64, i64, i64))> = Vec::new();
    // An expression for each dimension, of loops by their places.
    let mut indices: Vec<(String, Vec<String>)> = Vec::new();
    let mut dimension = 0;
    if let Some(row) = row {
        indices.push(("d0".to_owned(), vec![row]));
        dimension = 1;
    }
    while dimension < shape.len() {
        let extent = shape[dimension];
        let iv = text.name();
        let mut plain = |loops: &mut Vec<_>, range, expr: String| {
            loops.push((iv.clone(), range));
            indices.push((expr, vec![iv.clone()]));
        };
        match random.below(7) {
            0 => plain(&mut loops, (0, extent, 1), format!("{} - d0", extent - 1)),
            1 if extent > 1 => plain(&mut loops, (1, extent, 1), "d0".to_owned()),
            2 if extent > 1 => plain(
                &mut loops,
                (0, extent, 1),
                format!("(d0 + {}) mod {extent}", extent / 2),
            ),
            3 if extent % 2 == 0 => {
                let inner = text.name();
                loops.push((iv.clone(), (0, extent, extent / 2)));
                loops.push((inner.clone(), (0, extent / 2, 1)));
                indices.push(("d0 + d1".to_owned(), vec![iv, inner]));
            }
            4 if dimension + 1 < shape.len() => {
                let next = shape[dimension + 1];
                loops.push((iv.clone(), (0, extent * next, 1)));
                indices.push((format!("d0 floordiv {next}"), vec![iv.clone()]));
                indices.push((format!("d0 mod {next}"), vec![iv]));
                dimension += 1;
            }
            _ => plain(&mut loops, (0, extent, 1), "d0".to_owned()),
        }
        dimension += 1;
    }
    if random.below(5) == 0 {
        loops.push((text.name(), (0, 2, 1)));
    }
    random.shuffle(&mut loops);
    for (iv, range) in &loops {
        text.open(iv, *range);
    }
    let mut names = Vec::new();
    for (expr, of) in &indices {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        names.push(text.apply(expr, &of));
    }
    let (ty, at) = (format!("memref<{}xf32>", dims(shape)), names.join(", "));
    if is_write {
        text.line(&format!("memref.store %zero, %a[{at}] : {ty}"));
    } else {
        let name = text.name();
        text.line(&format!("{name} = memref.load %a[{at}] : {ty}"));
        if random.below(4) == 0 && indices.len() == 1 && shape[0] > 2 {
            // A second tap beside the first.
            let tap = text.apply(&format!("(d0 + 1) mod {}", shape[0]), &[&names[0]]);
            let name = text.name();
            text.line(&format!("{name} = memref.load %a[{tap}] : {ty}"));
        }
    }
    for _ in &loops {
        text.line("}");
    }
}

/// Copies of tiles, of the tensor or of a view of it.
fn tiles(text: &mut Text, random: &mut Random, shape: &[i64], is_write: bool) {
    let (mut base, mut extents) = ("%a".to_owned(), shape.to_vec());
    let from = format!("memref<{}xf32>", dims(shape));
    match random.below(4) {
        0 if shape.len() > 1 => {
            let group: Vec<String> = (0..shape.len()).map(|at| at.to_string()).collect();
            extents = vec![shape.iter().product()];
            base = text.name();
            let group = group.join(", ");
            text.line(&format!(
                "{base} = memref.collapse_shape %a [[{group}]] : {from} into memref<{}xf32>",
                extents[0]
            ));
        }
        1 if shape[0] % 2 == 0 => {
            extents.splice(0..1, [2, shape[0] / 2]);
            let mut groups = vec!["[0, 1]".to_owned()];
            groups.extend((2..extents.len()).map(|at| format!("[{at}]")));
            base = text.name();
            let sizes: Vec<String> = extents.iter().map(ToString::to_string).collect();
            let (groups, sizes) = (groups.join(", "), sizes.join(", "));
            let to = dims(&extents);
            text.line(&format!(
                "{base} = memref.expand_shape %a [{groups}] output_shape [{sizes}] : {from} into memref<{to}xf32>"
            ));
        }
        _ => {}
    }
    let divisors = |extent: i64| (1..=extent).filter(|by| extent % by == 0).collect::<Vec<i64>>();
    let tile: Vec<i64> = extents.iter().map(|&extent| random.pick(&divisors(extent))).collect();
    let mut loops: Vec<(usize, String)> = (0..extents.len()).map(|at| (at, text.name())).collect();
    random.shuffle(&mut loops);
    for (at, iv) in &loops {
        text.open(iv, (0, extents[*at], tile[*at]));
    }
    loops.sort();
    let offsets: Vec<String> = loops.iter().map(|(_, iv)| iv.clone()).collect();
    let sizes: Vec<String> = tile.iter().map(ToString::to_string).collect();
    let ones = vec!["1"; tile.len()].join(", ");
    let mut pitches: Vec<i64> = vec![1; extents.len()];
    for at in (1..extents.len()).rev() {
        pitches[at - 1] = pitches[at] * extents[at];
    }
    let strides: Vec<String> = pitches.iter().map(ToString::to_string).collect();
    let view = text.name();
    let ty = format!(
        "memref<{}xf32, strided<[{}], offset: ?>>",
        dims(&tile),
        strides.join(", ")
    );
    text.line(&format!(
        "{view} = memref.subview {base}[{}] [{}] [{ones}] : memref<{}xf32> to {ty}",
        offsets.join(", "),
        sizes.join(", "),
        dims(&extents)
    ));
    let other_ty = format!("memref<{}xf32>", dims(&tile));
    let other = text.argument(&other_ty);
    if is_write {
        text.line(&format!("memref.copy {other}, {view} : {other_ty} to {ty}"));
    } else {
        text.line(&format!("memref.copy {view}, {other} : {ty} to {other_ty}"));
    }
    for _ in &extents {
        text.line("}");
    }
}

fn dims(shape: &[i64]) -> String {
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    shape.join("x")
}
