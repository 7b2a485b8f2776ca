//! Programs of several loops that pass tensors on, for the pass that makes one loop of them.
//!
//! Each loop reads tiles of what earlier loops wrote, or of an argument, and writes tiles of a tensor of its own. Tiles
//! and steps are drawn independently, so loops go at different rates, look ahead, leave elements out and read them
//! again. Some loops go through columns, which is another order. The last tensor, and some others, are arguments.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::program::{Program, Shape};
use crate::random::Random;

/// Rows that a window of the computation takes, at most.
const MOST_ROWS: i64 = 3;

/// A tensor by name.
#[derive(Clone, Debug)]
struct Tensor {
    name: String,
    rows: i64,
    space: &'static str,
}

/// A program of a seed with several loops.
pub(super) fn tensors(seed: u64) -> Program {
    let mut writer = Writer {
        random: Random::new(seed, 6),
        columns_apart: Random::new(seed, 8),
        columns: 8,
        beside: Vec::new(),
        space: "",
        constants: BTreeSet::new(),
        names: 0,
        text: String::new(),
    };
    let text = writer.module();
    Program {
        text,
        entry: "tensors".to_owned(),
        scalars: std::collections::BTreeMap::new(),
        sizes: std::collections::BTreeMap::new(),
        contents: seed,
        shapes: BTreeSet::from([Shape::Tensors]),
    }
}

struct Writer {
    random: Random,
    /// Decides which loops go through columns.
    columns_apart: Random,
    columns: i64,
    /// Arguments that get what a tensor gets.
    beside: Vec<Tensor>,
    /// The memory of tensors that are not arguments.
    space: &'static str,
    constants: BTreeSet<i64>,
    names: usize,
    text: String,
}

impl Writer {
    fn module(&mut self) -> String {
        self.columns = self.random.pick(&[8, 16]);
        self.space = self.random.pick(&["", ", #zpu.space<dram>", ", #zpu.space<dram>"]);
        let rows = self.random.pick(&[24, 32, 40, 48]);
        let given = self.random.range(1, 2);
        let mut arguments: Vec<Tensor> = (0..given).map(|i| self.tensor(format!("%a{i}"), rows, "")).collect();
        let mut known = arguments.clone();
        let mut local: Vec<Tensor> = Vec::new();
        let loops = self.random.range(2, 4);
        for number in 0..loops {
            let mut sources = vec![self.source(&known, arguments.len())];
            if self.random.chance(30) {
                let other = self.random.index(known.len());
                sources.push(known[other].clone());
            }
            let is_last = number + 1 == loops;
            let space = if is_last { "" } else { self.space };
            let name = format!("%t{number}");
            let made = if self.columns_apart.chance(15) {
                Some(self.column_nest(&sources[0], name, space))
            } else {
                self.nest(&sources, name, space)
            };
            let Some(made) = made else { continue };
            if is_last {
                arguments.push(made);
            } else {
                local.push(made.clone());
                known.push(made);
            }
        }
        for tensor in &local {
            if self.random.chance(25) {
                let copy = self.tensor(tensor.name.replace('t', "r"), tensor.rows, "");
                let (from, to) = (self.type_of(tensor), self.type_of(&copy));
                self.line(&format!(
                    "  memref.copy {}, {} : {from} to {to}",
                    tensor.name, copy.name
                ));
                arguments.push(copy);
            }
        }
        arguments.append(&mut self.beside);
        self.around(&arguments, &local)
    }

    /// The function around the loops.
    fn around(&self, arguments: &[Tensor], local: &[Tensor]) -> String {
        let list: Vec<String> = arguments
            .iter()
            .map(|tensor| format!("{}: {} {{llvm.noalias}}", tensor.name, self.type_of(tensor)))
            .collect();
        let mut text = format!("func.func @tensors({}) {{\n", list.join(", "));
        for constant in &self.constants {
            let _ = writeln!(text, "  {} = arith.constant {constant} : index", name_of(*constant));
        }
        text += "  %zero = arith.constant 0.0 : f32\n  %half = arith.constant 0.5 : f32\n";
        for rows in 1..=MOST_ROWS {
            let _ = writeln!(text, "  %window{rows} = memref.alloc() : memref<{rows}xf32>");
            let _ = writeln!(
                text,
                "  linalg.fill ins(%zero : f32) outs(%window{rows} : memref<{rows}xf32>)"
            );
        }
        for tensor in local {
            let _ = writeln!(text, "  {} = memref.alloc() : {}", tensor.name, self.type_of(tensor));
        }
        text += &self.text;
        for tensor in local {
            let _ = writeln!(text, "  memref.dealloc {} : {}", tensor.name, self.type_of(tensor));
        }
        text + "  return\n}\n"
    }

    /// Mostly a tensor of an earlier loop.
    fn source(&mut self, known: &[Tensor], arguments: usize) -> Tensor {
        let made = &known[arguments.min(known.len())..];
        let from = if made.is_empty() || self.random.chance(15) {
            known
        } else {
            made
        };
        from[self.random.index(from.len())].clone()
    }

    /// A loop that makes a tensor of others; none if they are too small.
    fn nest(&mut self, sources: &[Tensor], name: String, space: &'static str) -> Option<Tensor> {
        let height = self.random.pick(&[1, 2, 2, 4]);
        let apart = if self.random.chance(90) {
            height
        } else {
            (height - 1).max(1)
        };
        let window = self.random.pick(&[1, 1, 1, 2, MOST_ROWS]);
        let step = self.random.pick(&[apart, apart, apart, height, 2 * apart, 1, 2, 3]);
        let read = height + window - 1;
        let first = self.random.pick(&[0, 0, 0, 1, 2]);
        let rows = sources.iter().map(|source| source.rows).min()?;
        let mut trips = (rows - read - first).div_euclid(step) + 1;
        if self.random.chance(15) {
            trips -= self.random.range(0, 2);
        }
        if trips < 1 {
            return None;
        }
        let made = self.tensor(name, apart * (trips - 1) + height, space);
        // The induction variable is that many times the number of the iteration.
        let each = self.random.pick(&[1, 1, step, apart]);
        let (end, each_name) = (self.constant(each * trips), self.constant(each));
        let zero = self.constant(0);
        let iv = self.fresh("i");
        self.line(&format!("  scf.for {iv} = {zero} to {end} step {each_name} {{"));
        let number = if each == 1 {
            iv.clone()
        } else {
            let number = self.fresh("n");
            self.line(&format!("    {number} = arith.divui {iv}, {each_name} : index"));
            number
        };
        let offset = |writer: &mut Self, factor: i64, first: i64| {
            let (from, factor) = if factor % each == 0 {
                (iv.clone(), factor / each)
            } else {
                (number.clone(), factor)
            };
            let (scaled, moved) = (writer.fresh("x"), writer.fresh("x"));
            let (factor, first) = (writer.constant(factor), writer.constant(first));
            writer.line(&format!("    {scaled} = arith.muli {from}, {factor} : index"));
            writer.line(&format!("    {moved} = arith.addi {scaled}, {first} : index"));
            moved
        };
        let mut tiles: Vec<(String, String)> = Vec::new();
        let mut owned: Vec<(String, String)> = Vec::new();
        for source in sources {
            let at = offset(self, step, first);
            let (view, view_type) = self.view(source, &at, read);
            if self.random.chance(15) {
                tiles.push((view, view_type));
                continue;
            }
            let (tile, tile_type) = self.tile(read);
            self.line(&format!("    memref.copy {view}, {tile} : {view_type} to {tile_type}"));
            if self.random.chance(20) {
                self.line(&format!(
                    "    linalg.exp ins({tile} : {tile_type}) outs({tile} : {tile_type})"
                ));
            }
            owned.push((tile.clone(), tile_type.clone()));
            tiles.push((tile, tile_type));
        }
        let at = offset(self, apart, 0);
        let (view, view_type) = self.view(&made, &at, height);
        let is_direct = self.random.chance(15);
        let (result, result_type) = if is_direct {
            (view.clone(), view_type.clone())
        } else {
            self.tile(height)
        };
        self.computation(&tiles, window, &result, &result_type);
        if !is_direct {
            self.line(&format!(
                "    memref.copy {result}, {view} : {result_type} to {view_type}"
            ));
            if self.random.chance(20) {
                let beside = self.tensor(format!("{}b", made.name), made.rows, "");
                let (view, view_type) = self.view(&beside, &at, height);
                self.line(&format!(
                    "    memref.copy {result}, {view} : {result_type} to {view_type}"
                ));
                self.beside.push(beside);
            }
            owned.push((result, result_type));
        }
        for (tile, tile_type) in owned {
            if self.random.chance(80) {
                self.line(&format!("    memref.dealloc {tile} : {tile_type}"));
            }
        }
        self.line("  }");
        Some(made)
    }

    /// A loop over columns, four at a time, that makes a tensor of another one, element by element.
    fn column_nest(&mut self, source: &Tensor, name: String, space: &'static str) -> Tensor {
        let made = self.tensor(name, source.rows, space);
        let (rows, columns) = (source.rows, self.columns);
        let (zero, four, end) = (self.constant(0), self.constant(4), self.constant(columns));
        let iv = self.fresh("j");
        self.line(&format!("  scf.for {iv} = {zero} to {end} step {four} {{"));
        let mut views = Vec::new();
        for tensor in [source, &made] {
            let view = self.fresh("p");
            let view_type = format!(
                "memref<{rows}x4xf32, strided<[{columns}, 1], offset: ?>{}>",
                tensor.space
            );
            let of = self.type_of(tensor);
            self.line(&format!(
                "    {view} = memref.subview {}[0, {iv}] [{rows}, 4] [1, 1] : {of} to {view_type}",
                tensor.name
            ));
            views.push((view, view_type));
        }
        let tile_type = format!("memref<{rows}x4xf32>");
        let (from, to) = (self.fresh("l"), self.fresh("l"));
        for tile in [&from, &to] {
            self.line(&format!("    {tile} = memref.alloc() : {tile_type}"));
        }
        self.line(&format!(
            "    memref.copy {}, {from} : {} to {tile_type}",
            views[0].0, views[0].1
        ));
        self.line(&format!(
            "    linalg.abs ins({from} : {tile_type}) outs({to} : {tile_type})"
        ));
        self.line(&format!(
            "    memref.copy {to}, {} : {tile_type} to {}",
            views[1].0, views[1].1
        ));
        self.line("  }");
        made
    }

    /// Half the sum of all rows in a window of all tiles.
    fn computation(&mut self, tiles: &[(String, String)], window: i64, result: &str, result_type: &str) {
        self.line(&format!(
            "    linalg.fill ins(%zero : f32) outs({result} : {result_type})"
        ));
        let map = "affine_map<(r, c, k) -> (r + k, c)>, ".repeat(tiles.len());
        let (names, types): (Vec<&str>, Vec<&str>) =
            tiles.iter().map(|(name, ty)| (name.as_str(), ty.as_str())).unzip();
        self.line(&format!(
            "    linalg.generic {{indexing_maps = [{map}affine_map<(r, c, k) -> (k)>, \
             affine_map<(r, c, k) -> (r, c)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}} \
             ins({}, %window{window} : {}, memref<{window}xf32>) outs({result} : {result_type}) {{",
            names.join(", "),
            types.join(", ")
        ));
        let values: Vec<String> = tiles.iter().map(|_| self.fresh("v")).collect();
        let list: Vec<String> = values.iter().map(|value| format!("{value}: f32")).collect();
        self.line(&format!("    ^bb0({}, %ignored: f32, %old: f32):", list.join(", ")));
        let mut sum = "%old".to_owned();
        for value in values {
            let next = self.fresh("s");
            self.line(&format!("      {next} = arith.addf {sum}, {value} : f32"));
            sum = next;
        }
        let half = self.fresh("s");
        self.line(&format!("      {half} = arith.mulf {sum}, %half : f32"));
        self.line(&format!("      linalg.yield {half} : f32\n    }}"));
    }

    /// Rows of a tensor.
    fn view(&mut self, tensor: &Tensor, at: &str, rows: i64) -> (String, String) {
        let (view, columns) = (self.fresh("p"), self.columns);
        let view_type = format!(
            "memref<{rows}x{columns}xf32, strided<[{columns}, 1], offset: ?>{}>",
            tensor.space
        );
        let of = self.type_of(tensor);
        self.line(&format!(
            "    {view} = memref.subview {}[{at}, 0] [{rows}, {columns}] [1, 1] : {of} to {view_type}",
            tensor.name
        ));
        (view, view_type)
    }

    /// A buffer of one iteration.
    fn tile(&mut self, rows: i64) -> (String, String) {
        let tile = self.fresh("l");
        let tile_type = format!("memref<{rows}x{}xf32>", self.columns);
        self.line(&format!("    {tile} = memref.alloc() : {tile_type}"));
        (tile, tile_type)
    }

    fn tensor(&self, name: String, rows: i64, space: &'static str) -> Tensor {
        Tensor { name, rows, space }
    }

    fn type_of(&self, tensor: &Tensor) -> String {
        format!("memref<{}x{}xf32{}>", tensor.rows, self.columns, tensor.space)
    }

    fn constant(&mut self, value: i64) -> String {
        self.constants.insert(value);
        name_of(value)
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("%{letter}{}", self.names)
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }
}

fn name_of(constant: i64) -> String {
    format!("%c{constant}")
}
