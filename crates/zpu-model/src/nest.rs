//! A loop nest as the model sees it: loops with their bounds, buffers, and commands with their costs.
//!
//! It is the program *before* it is pipelined: commands in program order, one allocation for each iteration. The model
//! asks what becomes of it with so many versions of each buffer, without making the program.
//!
//! Invariants: every id names something that there is, and once [`Nest::price`] was called, a command has a price for
//! all sizes that occur.

use rustc_hash::FxHashMap;

use crate::expr::{Expr, ValueId};

/// A buffer that the nest allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub usize);

/// A command of the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandId(pub usize);

/// A nest, or several one after the other.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// The function's name.
    pub name: String,
    /// Number of [`ValueId`]s.
    pub values: usize,
    /// Buffers that are allocated in it.
    pub buffers: Vec<Buffer>,
    /// Number of memories from outside, such as a function's arguments.
    pub externals: usize,
    /// Pairs of them that may overlap.
    pub overlapping: Vec<(usize, usize)>,
    /// Commands, in the order in which they are written.
    pub commands: Vec<Command>,
    /// The compiler may let iterations of a loop around an innermost one run side by side.
    pub side_by_side: bool,
    /// The program.
    pub body: Vec<Step>,
}

/// A step of the control stream.
#[derive(Clone, Debug)]
pub enum Step {
    /// Index arithmetic, which is free.
    Set {
        /// The value.
        value: ValueId,
        /// Its number.
        expr: Expr,
    },
    /// A loop.
    Loop {
        /// Induction variable.
        value: ValueId,
        /// First number.
        lower: Expr,
        /// The number that is not reached any more.
        upper: Expr,
        /// Distance of two numbers, at least 1.
        step: Expr,
        /// One iteration.
        body: Vec<Step>,
    },
    /// A branch.
    Branch {
        /// Condition; 0 is false.
        condition: Expr,
        /// Steps where it is true.
        then: Vec<Step>,
        /// Steps where it is false.
        otherwise: Vec<Step>,
    },
    /// A new instance of a buffer.
    Allocate(BufferId),
    /// A command.
    Command(CommandId),
    /// A load or store of the control stream's own.
    Access,
}

/// A buffer that the nest allocates, once or in each iteration of a loop.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Position of its memory among those of the device.
    pub memory: usize,
    /// Bytes of one version, after alignment.
    pub bytes: u64,
    /// Loops around its allocation; one outside of all loops has a single version.
    pub depth: usize,
    /// Versions that the program asks for itself (`zpu.versions`).
    pub versions: Option<u32>,
    /// The depth that the loop around its allocation asks for itself (`zpu.num_stages`).
    pub stages: Option<u32>,
    /// The control stream may write it, by no command.
    pub stored: bool,
}

/// A command.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its name, such as `dma`.
    pub name: String,
    /// True if a compiler may do it on an engine of another kind, or with less work: bounds by engines leave it out.
    pub flexible: bool,
    /// The sizes that its cost depends on, beside what is constant.
    pub sizes: Vec<Expr>,
    /// The ways to do it, by these sizes.
    pub prices: FxHashMap<Vec<i64>, Price>,
    /// The memory that it reads.
    pub reads: Vec<Operand>,
    /// The memory that it writes.
    pub writes: Vec<Operand>,
}

/// The cost of a command of certain sizes.
#[derive(Clone, Debug, Default)]
pub struct Price {
    /// A way on each engine that can do it.
    pub ways: Vec<Way>,
    /// Commands of that size in the whole run.
    pub count: u64,
}

/// A command on one engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// Position of the engine among those of the device.
    pub engine: usize,
    /// Cycles before it takes the engine; they pass beside the command before it.
    pub latency: u64,
    /// Cycles that it takes the engine, alone on its links.
    pub occupancy: u64,
    /// Bytes that cross links.
    pub bytes: f64,
    /// Positions of these links among those of the device.
    pub links: Vec<usize>,
}

/// A part of a memory.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The memory.
    pub storage: Storage,
    /// Where in it the part begins; empty for the whole. Parts of equal offsets begin in one place. Two parts that
    /// begin in different places are taken to be disjoint by predictions, and by no bound.
    pub offsets: Vec<Expr>,
}

/// A memory that commands read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The current instance of a buffer.
    Buffer(BufferId),
    /// A memory from outside.
    External(usize),
}

/// The reason why a nest has no prediction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NestError {
    /// An index without a value.
    #[error("an index of the nest has no value: a quotient by zero, or a number beyond 64 bits")]
    Arithmetic,
    /// A loop that never ends.
    #[error("a loop has a step of {0}; it has to be at least 1")]
    Step(i64),
    /// Too long to go through.
    #[error("the nest has more than {0} steps, the most that are gone through")]
    TooLong(u64),
    /// A command without a way.
    #[error("{command} has no price for sizes {sizes:?}")]
    Price {
        /// Its name.
        command: String,
        /// Its sizes.
        sizes: Vec<i64>,
    },
}

/// The most steps of a nest that are gone through: some seconds.
pub const MOST_STEPS: u64 = 100_000_000;

impl Nest {
    /// Runs through the nest and counts each command by its sizes: makes an entry in [`Command::prices`] for each, and
    /// asks `price` for its ways.
    ///
    /// # Errors
    ///
    /// Every [`NestError`].
    pub fn price(&mut self, mut price: impl FnMut(CommandId, &[i64]) -> Vec<Way>) -> Result<(), NestError> {
        let mut counts: Vec<FxHashMap<Vec<i64>, u64>> = vec![FxHashMap::default(); self.commands.len()];
        let mut walk = Walk::of(self);
        let mut sizes = Vec::new();
        let count = &mut |event: Event, values: &[i64]| {
            let Event::Command(command) = event else {
                return Ok(());
            };
            sizes.clear();
            for size in &self.commands[command.0].sizes {
                sizes.push(size.evaluate(values).ok_or(NestError::Arithmetic)?);
            }
            match counts[command.0].get_mut(&sizes) {
                Some(count) => *count += 1,
                None => {
                    counts[command.0].insert(sizes.clone(), 1);
                }
            }
            Ok(())
        };
        walk.steps(&self.body, count)?;
        for (at, counts) in counts.into_iter().enumerate() {
            for (sizes, count) in counts {
                let ways = price(CommandId(at), &sizes);
                let command = &mut self.commands[at];
                if ways.is_empty() {
                    let command = command.name.clone();
                    return Err(NestError::Price { command, sizes });
                }
                command.prices.insert(sizes, Price { ways, count });
            }
        }
        Ok(())
    }

    /// Commands of the whole run.
    pub fn commands_in_run(&self) -> u64 {
        let prices = self.commands.iter().flat_map(|command| command.prices.values());
        prices.map(|price| price.count).sum()
    }
}

/// What a walk comes by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Command(CommandId),
    Allocate(BufferId),
}

/// A walk through all iterations that only looks at indices.
pub(crate) struct Walk {
    values: Vec<i64>,
    left: u64,
}

impl Walk {
    /// A walk through a nest that has not begun.
    pub(crate) fn of(nest: &Nest) -> Self {
        Self {
            values: vec![0; nest.values],
            left: MOST_STEPS,
        }
    }

    pub(crate) fn steps(
        &mut self,
        steps: &[Step],
        visit: &mut impl FnMut(Event, &[i64]) -> Result<(), NestError>,
    ) -> Result<(), NestError> {
        for step in steps {
            self.left = self.left.checked_sub(1).ok_or(NestError::TooLong(MOST_STEPS))?;
            match step {
                Step::Set { value, expr } => self.values[value.0] = self.number(expr)?,
                Step::Loop {
                    value,
                    lower,
                    upper,
                    step,
                    body,
                } => {
                    for number in trips(lower, upper, step, &self.values)? {
                        self.values[value.0] = number;
                        self.steps(body, visit)?;
                    }
                }
                Step::Branch {
                    condition,
                    then,
                    otherwise,
                } => {
                    let taken = if self.number(condition)? != 0 { then } else { otherwise };
                    self.steps(taken, visit)?;
                }
                Step::Command(command) => visit(Event::Command(*command), &self.values)?,
                Step::Allocate(buffer) => visit(Event::Allocate(*buffer), &self.values)?,
                Step::Access => {}
            }
        }
        Ok(())
    }

    fn number(&self, expr: &Expr) -> Result<i64, NestError> {
        expr.evaluate(&self.values).ok_or(NestError::Arithmetic)
    }
}

/// The numbers that an induction variable takes.
pub(crate) fn trips(
    lower: &Expr,
    upper: &Expr,
    step: &Expr,
    values: &[i64],
) -> Result<impl ExactSizeIterator<Item = i64> + use<>, NestError> {
    let number = |expr: &Expr| expr.evaluate(values).ok_or(NestError::Arithmetic);
    let (lower, upper, step) = (number(lower)?, number(upper)?, number(step)?);
    if step < 1 {
        return Err(NestError::Step(step));
    }
    let length = i128::from(upper) - i128::from(lower);
    let count = (length.max(0) as u128).div_ceil(step as u128);
    let count = u32::try_from(count).map_err(|_| NestError::TooLong(MOST_STEPS))?;
    Ok((0..count as usize).map(move |at| lower + at as i64 * step))
}
