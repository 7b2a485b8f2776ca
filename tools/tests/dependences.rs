//! Results of `zpu-print-dependences` on random loops, compared with the elements that their iterations touch.
//!
//! The check knows nothing of the analysis: it writes loops of transfers from and to views of one buffer, lists the
//! elements of every view in every iteration by evaluating the offsets, and compares. A conflict that is not reported,
//! or reported at a greater distance, fails; those reported at a smaller one only lack precision, of which a minimum is
//! asked where offsets differ by constants and multiples of the iteration (regions are boxes: strided views count with
//! their gaps).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use rand::{RngExt as _, SeedableRng as _};
use rand_xorshift::XorShiftRng;

/// Loops in the module.
const LOOPS: usize = 400;
/// Iterations of each.
const TRIPS: i64 = 7;
/// Iterations of the loop around, in which the buffer's offsets may move too.
const OUTER: i64 = 3;
/// Values that the function's argument is tried with.
const ARGUMENT: [i64; 4] = [0, 1, 2, 5];
/// Extents of the buffer: every view stays within.
const EXTENTS: [i64; 2] = [96, 48];

/// `(iteration * i + outer * j + argument * n + constant) mod modulus`, without modulus where it is 0.
#[derive(Clone, Copy, Debug)]
struct Offset {
    iteration: i64,
    outer: i64,
    argument: i64,
    constant: i64,
    modulus: i64,
}

/// A view of the buffer and whether a transfer writes it.
#[derive(Clone, Debug)]
struct Access {
    writes: bool,
    offsets: [Offset; 2],
    sizes: [i64; 2],
    strides: [i64; 2],
}

impl Offset {
    fn random(random: &mut XorShiftRng) -> Self {
        let mut some = |percent: u32, high: i64| {
            if random.random_range(0..100) < percent {
                random.random_range(1..=high)
            } else {
                0
            }
        };
        Self {
            iteration: some(70, 4),
            outer: some(25, 3),
            argument: some(15, 1),
            constant: some(60, 5),
            modulus: some(30, 5),
        }
    }

    fn at(self, iteration: i64, outer: i64, argument: i64) -> i64 {
        let sum = self.iteration * iteration + self.outer * outer + self.argument * argument + self.constant;
        if self.modulus == 0 { sum } else { sum % self.modulus }
    }

    /// The text of an affine expression of `d0` (iteration), `d1` (outer) and `s0` (argument).
    fn text(self) -> String {
        let sum = format!(
            "d0 * {} + d1 * {} + s0 * {} + {}",
            self.iteration, self.outer, self.argument, self.constant
        );
        if self.modulus == 0 {
            sum
        } else {
            format!("({sum}) mod {}", self.modulus)
        }
    }
}

impl Access {
    fn random(random: &mut XorShiftRng) -> Self {
        Self {
            writes: random.random_range(0..2) == 0,
            offsets: [Offset::random(random), Offset::random(random)],
            sizes: [random.random_range(1..=4), random.random_range(1..=3)],
            strides: [random.random_range(1..=2), 1],
        }
    }

    /// True if the analysis can know the difference of the offsets: no modulus, and the same symbols.
    fn follows_as(&self, other: &Self) -> bool {
        self.offsets.iter().zip(&other.offsets).all(|(ours, others)| {
            (ours.modulus, others.modulus) == (0, 0) && ours.outer == others.outer && ours.argument == others.argument
        })
    }

    fn elements(&self, iteration: i64, outer: i64, argument: i64) -> BTreeSet<(i64, i64)> {
        let [row, column] = self.offsets.map(|offset| offset.at(iteration, outer, argument));
        (0..self.sizes[0])
            .flat_map(|i| (0..self.sizes[1]).map(move |j| (i, j)))
            .map(|(i, j)| (row + i * self.strides[0], column + j * self.strides[1]))
            .inspect(|(i, j)| assert!(*i < EXTENTS[0] && *j < EXTENTS[1], "a view leaves the buffer"))
            .collect()
    }

    /// The view and its transfer; the transfer stands on the last line.
    fn text(&self, i: usize) -> String {
        let [rows, columns] = self.sizes;
        let [row, column] = self.strides;
        let strided = format!(
            "{rows}x{columns}xf32, strided<[{}, {column}], offset: ?>, #zpu.space<rsram>",
            EXTENTS[1] * row
        );
        let plain = format!("memref<{rows}x{columns}xf32, strided<[{columns}, 1], offset: ?>, #zpu.space<dram>>");
        let mut text = String::new();
        for (axis, offset) in self.offsets.iter().enumerate() {
            let map = format!("affine_map<(d0, d1)[s0] -> ({})>", offset.text());
            let _ = writeln!(text, "      %o{i}_{axis} = affine.apply {map}(%i, %j)[%n]");
        }
        let _ = writeln!(
            text,
            "      %v{i} = memref.subview %b[%o{i}_0, %o{i}_1][{rows}, {columns}][{row}, {column}] : {BUFFER} to \
             memref<{strided}>"
        );
        let (outside, ends) = if self.writes {
            ("%x", "%e to %v")
        } else {
            ("%y", "%v to %e")
        };
        let _ = writeln!(
            text,
            "      %e{i} = memref.reinterpret_cast {outside} to offset: [0], sizes: [{rows}, {columns}], strides: \
             [{columns}, 1] : {OUTSIDE} to {}",
            plain.replace("offset: ?", "offset: 0")
        );
        let plain = plain.replace("offset: ?", "offset: 0");
        let ends = ends.replace("%e", &format!("%e{i}")).replace("%v", &format!("%v{i}"));
        let types = if self.writes {
            format!("{plain} to memref<{strided}>")
        } else {
            format!("memref<{strided}> to {plain}")
        };
        let _ = writeln!(text, "      zpu.dma {ends} on @odma0 : {types}");
        text
    }
}

const BUFFER: &str = "memref<96x48xf32, #zpu.space<rsram>>";
const OUTSIDE: &str = "memref<16xf32, #zpu.space<dram>>";

/// The smallest distance at which each ordered pair of accesses conflicts, for some argument and outer iteration.
fn conflicts(accesses: &[Access]) -> BTreeMap<(usize, usize), i64> {
    let mut found = BTreeMap::new();
    for argument in ARGUMENT {
        for outer in 0..OUTER {
            let touched: Vec<Vec<BTreeSet<(i64, i64)>>> = accesses
                .iter()
                .map(|access| (0..TRIPS).map(|i| access.elements(i, outer, argument)).collect())
                .collect();
            for (earlier, first) in accesses.iter().enumerate() {
                for (later, second) in accesses.iter().enumerate() {
                    if !first.writes && !second.writes {
                        continue;
                    }
                    for distance in i64::from(earlier >= later)..TRIPS {
                        let meets = (0..TRIPS - distance).any(|i| {
                            !touched[earlier][i as usize].is_disjoint(&touched[later][(i + distance) as usize])
                        });
                        if meets {
                            let least = found.entry((earlier, later)).or_insert(distance);
                            *least = distance.min(*least);
                            break;
                        }
                    }
                }
            }
        }
    }
    found
}

/// Number before the column in `<stdin>:LINE:COLUMN: ...`.
fn line_of(text: &str) -> Option<usize> {
    text.strip_prefix("<stdin>:")?.split(':').next()?.parse().ok()
}

/// Smallest distance reported for each (line of the earlier transfer, line of the later one) because of the buffer.
fn reported(output: &str) -> BTreeMap<(usize, usize), i64> {
    let mut found = BTreeMap::new();
    let mut later = None;
    for text in output.lines() {
        if let Some((place, rest)) = text.split_once("remark: ") {
            later = rest
                .split_once(" at distance ")
                .filter(|(_, rest)| rest.contains("%alloc"))
                .and_then(|(_, rest)| rest.split(':').next()?.parse::<i64>().ok())
                .zip(line_of(place));
        } else if text.contains("note: ")
            && let (Some((distance, later)), Some(earlier)) = (later, line_of(text))
        {
            let least = found.entry((earlier, later)).or_insert(distance);
            *least = distance.min(*least);
        }
    }
    found
}

#[test]
fn no_conflict_of_random_loops_is_missed() {
    let mut random = XorShiftRng::seed_from_u64(5);
    let mut text = String::from(include_str!("../../test/passes/Inputs/toy.mlir"));
    let mut loops: Vec<(Vec<Access>, Vec<usize>)> = Vec::new();
    for number in 0..LOOPS {
        let accesses: Vec<Access> = (0..random.random_range(2..=4))
            .map(|_| Access::random(&mut random))
            .collect();
        let _ = writeln!(
            text,
            "func.func @f{number}(%x: {OUTSIDE} {{llvm.noalias}}, %y: {OUTSIDE} {{llvm.noalias}}, %n: index) {{\n  \
             %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %trips = arith.constant {TRIPS} : \
             index\n  \
             %outer = arith.constant {OUTER} : index\n  %b = memref.alloc() : {BUFFER}\n  \
             scf.for %j = %c0 to %outer step %c1 {{\n    scf.for %i = %c0 to %trips step %c1 {{"
        );
        let mut lines = Vec::new();
        for (i, access) in accesses.iter().enumerate() {
            text.push_str(&access.text(i));
            lines.push(text.lines().count());
        }
        text.push_str("    }\n  }\n  return\n}\n");
        loops.push((accesses, lines));
    }

    let mut child = Command::new(env!("CARGO_BIN_EXE_zpu-opt"))
        .args(["--zpu-print-dependences", "-o", "/dev/null"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("zpu-opt starts");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(text.as_bytes())
        .expect("zpu-opt reads");
    let output = child.wait_with_output().expect("zpu-opt ends");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");

    let reported = reported(&messages);
    let (mut exact, mut total) = (0, 0);
    for (number, (accesses, lines)) in loops.iter().enumerate() {
        let real = conflicts(accesses);
        for earlier in 0..accesses.len() {
            for later in 0..accesses.len() {
                let said = reported.get(&(lines[earlier], lines[later]));
                let seen = real.get(&(earlier, later));
                if let Some(seen) = seen {
                    assert!(
                        said.is_some_and(|said| said <= seen),
                        "@f{number}: lines {} and {} conflict at distance {seen}, reported: {said:?}\n{accesses:#?}",
                        lines[earlier],
                        lines[later]
                    );
                }
                let comparable = accesses[earlier].follows_as(&accesses[later]);
                if comparable && (accesses[earlier].writes || accesses[later].writes) {
                    total += 1;
                    exact += usize::from(said == seen);
                }
            }
        }
    }
    println!("{exact} of {total} pairs exact");
    assert!(exact * 100 >= total * 85, "only {exact} of {total} pairs exact");
}
