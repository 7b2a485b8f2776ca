//! A program with its arguments, which is run, shrunk and written to a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A property of a program's loops that passes are known to stumble over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Loads, computations, stores, and nothing of the below.
    Plain,
    /// A loop in a loop.
    Nest,
    /// Two loops one after the other.
    Siblings,
    /// Commands under a condition.
    Guard,
    /// A loop that carries a number.
    CarriedScalar,
    /// A loop that carries buffers.
    CarriedBuffer,
    /// A loop that makes a buffer and hands it to its next iteration.
    HandedOn,
    /// A buffer that iterations add to.
    Accumulator,
    /// A buffer that is read after the loop that writes it.
    LiveOut,
    /// Bounds that only the call knows.
    DynamicBounds,
    /// A lower bound other than 0, a step other than 1, or a narrow induction variable.
    OddBounds,
    /// Fewer than two iterations.
    FewTrips,
    /// Arguments that are or may be the same memory.
    Aliasing,
    /// A buffer that one iteration fills twice.
    Rewritten,
    /// A buffer that is filled in parts.
    Partial,
    /// A buffer whose rows are copied to others of its rows.
    Shifted,
    /// A buffer whose sizes iterations compute.
    ComputedSize,
    /// The control stream reads or writes memory itself.
    ControlAccess,
    /// Products of matrices.
    Matrix,
    /// Reshaped or chosen buffers.
    Views,
    /// Tiles that overlap those of other iterations.
    Window,
    /// Loads and stores of one argument.
    InPlace,
    /// A call that passes do not look into.
    Opaque,
    /// An `scf.while` or `scf.parallel` beside loops or in them.
    OtherLoop,
    /// Loops one after the other that pass tensors on.
    Tensors,
}

impl fmt::Display for Shape {
    /// In kebab case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, letter) in format!("{self:?}").chars().enumerate() {
            if letter.is_uppercase() && i > 0 {
                f.write_str("-")?;
            }
            write!(f, "{}", letter.to_ascii_lowercase())?;
        }
        Ok(())
    }
}

/// A module in text form, and what its entry is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// MLIR.
    pub text: String,
    /// The function that is called.
    pub entry: String,
    /// Values of the arguments that are numbers, by position.
    pub scalars: BTreeMap<usize, i64>,
    /// Sizes that stand for the dynamic ones of a buffer, by position of the argument and first dimension first.
    pub sizes: BTreeMap<usize, Vec<i64>>,
    /// Seed of the contents of the other arguments.
    pub contents: u64,
    /// The shapes that it has.
    pub shapes: BTreeSet<Shape>,
}

impl Program {
    /// The options with which `zpu-sim` calls it alike.
    pub fn simulator_options(&self) -> String {
        let mut options = format!("--entry {} --init random:{}", self.entry, self.contents);
        for (position, value) in &self.scalars {
            options += &format!(" --arg {position}={value}");
        }
        for (position, sizes) in &self.sizes {
            let seed = zpu_sim::argument_seed(self.contents, *position);
            let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
            options += &format!(" --arg {position}=random:{seed}:{}", sizes.join("x"));
        }
        options
    }
}
