//! Cycles that no schedule of a nest's commands undercuts, whatever its depth.
//!
//! Four kinds of bounds, the greatest of which counts:
//!
//! - **Engines.** For a set of engines, the commands that only they can do: the work of these commands, each on its
//!   fastest engine, divided by their number. Before the first of them lies a *head*, after the last a *tail*; with
//!   commands of different heads it is Jackson's bound for one machine with release times and tails.
//! - **Links.** The bytes that have to cross one, at its rate.
//! - **Control stream.** The issue of every command, and the whole of a command on a blocking engine.
//! - **Chain.** Head, command and tail of any one command.
//!
//! A *head* is the time before a command may begin: its issue, its start latency, and the command that fills the buffer
//! that it reads. A *tail* is the time after its end: the command that certainly reads its result. Both follow only
//! buffers of the nest; memory from outside may be there from the beginning, and parts of it are not compared.
//!
//! Each is a bound of what a compiler makes of the nest as long as it keeps the commands, or replaces one by several
//! that cost together no less. Commands that one may do for several iterations side by side count by the most of these
//! (the module `alike`).

use zpu_device::{Device, EngineKind};

use crate::alike::{iterations, most_as_one};
use crate::nest::{Command, CommandId, Nest, Operand, Step, Storage};
use crate::own_buffers::with_own_buffers;

/// A bound, and what it is a bound of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Cycles.
    pub cycles: u64,
    /// The engines, the link, `control` or `chain`.
    pub limited_by: String,
}

/// A fraction of cycles less than the rounding of sums of rates.
const ROUNDING: f64 = 1.0 - 1e-9;

/// The greatest of the bounds of a nest that was priced on this device.
pub fn lower_bound(nest: &Nest, device: &Device) -> Bound {
    // What each iteration fills anew may become its own, and then one with that of another iteration.
    let nest = &with_own_buffers(nest);
    let heads = heads(nest, device);
    let tails = tails(nest, device);
    let mut best = Bound {
        cycles: 0,
        limited_by: "nothing".to_owned(),
    };
    let mut offer = |cycles: f64, limited_by: &dyn Fn() -> String| {
        let cycles = (cycles * ROUNDING).ceil() as u64;
        if cycles > best.cycles {
            best = Bound {
                cycles,
                limited_by: limited_by(),
            };
        }
    };
    let all: Vec<(usize, &Command)> = nest
        .commands
        .iter()
        .enumerate()
        .filter(|(_, each)| runs(each))
        .collect();
    // Instances of which one does the work count as one.
    let as_one = most_as_one(nest);
    let share = |amount: &dyn Fn(&Command) -> f64, among: &dyn Fn(&Command) -> bool| {
        let chosen = all.iter().filter(|(_, command)| among(command));
        jackson(
            chosen
                .map(|(at, command)| (heads[*at], amount(command) / f64::from(as_one[*at]), tails[*at]))
                .collect(),
        )
    };

    let mut sets: Vec<Vec<usize>> = all.iter().map(|(_, command)| engines(command)).collect();
    sets.sort();
    sets.dedup();
    let mut union: Vec<usize> = sets.concat();
    union.sort_unstable();
    union.dedup();
    sets.push(union);
    for set in &sets {
        let amount = |command: &Command| work(command) / set.len() as f64;
        let among = |command: &Command| !command.flexible && engines(command).iter().all(|one| set.contains(one));
        let names = || -> String {
            let names: Vec<&str> = set.iter().map(|at| device.engines[*at].name.as_str()).collect();
            names.join("+")
        };
        offer(share(&amount, &among), &names);
    }
    for (at, link) in device
        .links
        .iter()
        .enumerate()
        .filter(|(_, link)| link.bytes_per_cycle > 0.0)
    {
        let amount = |command: &Command| bytes_over(command, at) / link.bytes_per_cycle;
        let among = |command: &Command| !command.flexible && bytes_over(command, at) > 0.0;
        offer(share(&amount, &among), &|| link.name.clone());
    }
    let issues = all.iter().map(|(at, command)| {
        let blocking = |at: &usize| device.engines[*at].blocking;
        let held = if !command.flexible && engines(command).iter().all(blocking) {
            work(command)
        } else {
            0.0
        };
        (count(command) as f64 * device.control.start_cycles as f64 + held) / f64::from(as_one[*at])
    });
    offer(issues.sum(), &|| "control".to_owned());
    for (at, command) in &all {
        let chain = heads[*at] + length(command, device) + tails[*at];
        offer(chain, &|| "chain".to_owned());
    }
    best
}

/// The bound of one machine for jobs of (head, work, tail): the greatest over all thresholds of the threshold, the work
/// of all jobs whose head is at least that, and the least of their tails.
///
/// Source: J. Carlier, "The one-machine sequencing problem", European Journal of Operational Research 11 (1982).
fn jackson(mut jobs: Vec<(f64, f64, f64)>) -> f64 {
    jobs.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (mut work, mut tail, mut best) = (0.0, f64::INFINITY, 0.0f64);
    for (head, amount, after) in jobs {
        work += amount;
        tail = tail.min(after);
        best = best.max(head + work + tail);
    }
    best
}

fn runs(command: &Command) -> bool {
    count(command) > 0
}

fn count(command: &Command) -> u64 {
    command.prices.values().map(|price| price.count).sum()
}

/// Cycles of all instances of a command, each on its fastest engine.
fn work(command: &Command) -> f64 {
    let each = command.prices.values();
    each.map(|price| {
        let fastest = price.ways.iter().map(|way| way.occupancy).min().unwrap_or(0);
        price.count as f64 * fastest as f64
    })
    .sum()
}

fn bytes_over(command: &Command, link: usize) -> f64 {
    let each = command.prices.values();
    each.map(|price| {
        let bytes = |way: &crate::Way| if way.links.contains(&link) { way.bytes } else { 0.0 };
        let least = price.ways.iter().map(bytes).fold(f64::INFINITY, f64::min);
        price.count as f64 * least
    })
    .sum()
}

/// The least of a number over all sizes and ways.
fn shortest(command: &Command, of: impl Fn(&crate::Way) -> u64) -> f64 {
    let ways = command.prices.values().flat_map(|price| &price.ways);
    ways.map(of).min().unwrap_or(0) as f64
}

/// The engines that can do a command.
fn engines(command: &Command) -> Vec<usize> {
    let ways = command.prices.values().flat_map(|price| &price.ways);
    let mut engines: Vec<usize> = ways.map(|way| way.engine).collect();
    engines.sort_unstable();
    engines.dedup();
    engines
}

/// True if two commands are never on one engine, so that the control stream waits between them.
fn apart(one: &Command, other: &Command) -> bool {
    let of_other = engines(other);
    !one.flexible && !other.flexible && engines(one).iter().all(|engine| !of_other.contains(engine))
}

/// Issue and start latency.
fn lead(command: &Command, device: &Device) -> f64 {
    let latency = if command.flexible {
        0.0
    } else {
        shortest(command, |way| way.latency)
    };
    device.control.start_cycles as f64 + latency
}

fn buffers(operands: &[Operand]) -> impl Iterator<Item = usize> {
    operands.iter().filter_map(|operand| match operand.storage {
        Storage::Buffer(buffer) => Some(buffer.0),
        Storage::External(_) => None,
    })
}

/// True if a part of a buffer that is read certainly has bytes of the one that is written: one of them is the whole, or
/// both begin in one place.
/// Parts without elements are asked for elsewhere.
fn overlap(written: &Operand, read: &Operand) -> bool {
    let is_buffer = matches!(written.storage, Storage::Buffer(_));
    let is_whole = written.offsets.is_empty() || read.offsets.is_empty();
    is_buffer && written.storage == read.storage && (is_whole || written.offsets == read.offsets)
}

/// Cycles between the begin of a command and its end. A transfer may be cut into pieces that all engines with its route
/// move at the same time.
fn length(command: &Command, device: &Device) -> f64 {
    let engines = engines(command);
    let is_transfer = engines.iter().all(|at| device.engines[*at].kind == EngineKind::Dma);
    let pieces = if is_transfer { engines.len().max(1) } else { 1 };
    if command.flexible {
        0.0
    } else {
        shortest(command, |way| way.occupancy) / pieces as f64
    }
}

/// For each command, a cycle before which no instance of it takes its engine.
///
/// The numbers grow round by round from the issue of each command, and every round's are right; a chain has as many
/// links as rounds were made.
fn heads(nest: &Nest, device: &Device) -> Vec<f64> {
    const ROUNDS: usize = 8;
    let filled_first = filled_first(nest);
    let mut heads: Vec<f64> = nest.commands.iter().map(|command| lead(command, device)).collect();
    for _ in 0..ROUNDS {
        let next = nest.commands.iter().enumerate().map(|(at, command)| {
            let followed = buffers(&command.reads).filter(|buffer| filled_first[*buffer] && !may_be_empty(command));
            let filled = followed.map(|buffer| {
                let writers = nest.commands.iter().enumerate().filter(|(by, writer)| {
                    *by != at && runs(writer) && buffers(&writer.writes).any(|written| written == buffer)
                });
                let ends = writers.map(|(by, writer)| {
                    // Nobody waits for one that writes nothing.
                    if may_be_empty(writer) {
                        return 0.0;
                    }
                    let wait = if apart(writer, command) {
                        lead(command, device)
                    } else {
                        0.0
                    };
                    heads[by] + length(writer, device) + wait
                });
                ends.reduce(f64::min).unwrap_or(0.0)
            });
            filled.fold(heads[at], f64::max)
        });
        heads = next.collect();
    }
    heads
}

/// True if a command may have nothing to do, so that nothing depends on it: one of its sizes is 0 somewhere.
fn may_be_empty(command: &Command) -> bool {
    command.prices.keys().any(|sizes| sizes.contains(&0))
}

/// For each buffer, whether a command certainly writes it before one reads it, and nothing but commands does.
fn filled_first(nest: &Nest) -> Vec<bool> {
    let mut first = First {
        nest,
        uncertain: 0,
        allocated_at: vec![0; nest.buffers.len()],
        is_filled: nest
            .buffers
            .iter()
            .map(|buffer| buffer.stored.then_some(false))
            .collect(),
    };
    first.steps(&nest.body);
    first.is_filled.into_iter().map(|filled| filled == Some(true)).collect()
}

/// A walk that looks for the first command of each buffer.
struct First<'n> {
    nest: &'n Nest,
    /// Loops that may have no iteration, and branches, around the step.
    uncertain: usize,
    allocated_at: Vec<usize>,
    is_filled: Vec<Option<bool>>,
}

impl First<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Allocate(buffer) => self.allocated_at[buffer.0] = self.uncertain,
                Step::Command(id) => {
                    let command = &self.nest.commands[id.0];
                    for buffer in buffers(&command.reads) {
                        self.is_filled[buffer].get_or_insert(false);
                    }
                    for buffer in buffers(&command.writes) {
                        self.is_filled[buffer].get_or_insert(self.uncertain == self.allocated_at[buffer]);
                    }
                }
                Step::Loop {
                    lower,
                    upper,
                    step,
                    body,
                    ..
                } => {
                    let runs = iterations(lower, upper, step).is_some_and(|iterations| iterations > 0);
                    self.uncertain += usize::from(!runs);
                    self.steps(body);
                    self.uncertain -= usize::from(!runs);
                }
                Step::Branch { then, otherwise, .. } => {
                    self.uncertain += 1;
                    self.steps(then);
                    self.steps(otherwise);
                    self.uncertain -= 1;
                }
                Step::Set { .. } | Step::Access => {}
            }
        }
    }
}

/// For each command, the cycles that at least pass between the end of any instance and the end of the run.
fn tails(nest: &Nest, device: &Device) -> Vec<f64> {
    let mut tails = vec![0.0; nest.commands.len()];
    // What is later has its tail already.
    follow(&nest.body, &mut Vec::new(), nest, device, &mut tails);
    tails
}

/// Goes through a block from its end. `after` are commands that certainly come after it, each with the number of blocks
/// that are left when it is reached.
fn follow(steps: &[Step], after: &mut Vec<(CommandId, bool)>, nest: &Nest, device: &Device, tails: &mut [f64]) {
    let outer = after.len();
    for step in steps.iter().rev() {
        match step {
            Step::Command(id) => {
                let command = &nest.commands[id.0];
                let is_empty = may_be_empty(command);
                let accumulates = |storage: Storage| command.reads.iter().any(|read| read.storage == storage);
                let tail = command.writes.iter().flat_map(|write| {
                    let readers = after.iter().filter(move |(reader, is_outside)| {
                        let reads = nest.commands[reader.0].reads.iter().any(|read| overlap(write, read));
                        // A buffer that each iteration fills anew is read by its own iteration only.
                        let is_empty = is_empty || may_be_empty(&nest.commands[reader.0]);
                        reads && !is_empty && (!is_outside || accumulates(write.storage))
                    });
                    readers.map(|(reader, _)| {
                        let by = &nest.commands[reader.0];
                        let wait = if apart(command, by) { lead(by, device) } else { 0.0 };
                        wait + length(by, device) + tails[reader.0]
                    })
                });
                let tail = tail.fold(0.0, f64::max);
                tails[id.0] = tail;
                after.push((*id, false));
            }
            Step::Loop { body, .. } => inside(body, after, nest, device, tails),
            Step::Branch { then, otherwise, .. } => {
                inside(then, after, nest, device, tails);
                inside(otherwise, after, nest, device, tails);
            }
            Step::Set { .. } | Step::Allocate(_) | Step::Access => {}
        }
    }
    after.truncate(outer);
}

fn inside(body: &[Step], after: &[(CommandId, bool)], nest: &Nest, device: &Device, tails: &mut [f64]) {
    let mut after = after.iter().map(|(command, _)| (*command, true)).collect();
    follow(body, &mut after, nest, device, tails);
}
