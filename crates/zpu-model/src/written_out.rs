//! A run that is written out whole: no loop is left, and its commands may come in any order that their data allows.
//!
//! Of the next commands the one that most of the rest waits for is placed first: they are taken in the order of the
//! longest path from them to the end, and each goes where it ends the soonest, also into a gap before others.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use zpu_device::{Device, EngineKind};

use crate::machine::{Done, Machine, Prediction};
use crate::nest::{BufferId, CommandId, Event, Nest, NestError, Operand, Price, Step, Storage, Walk};
use crate::pieces::pieces_without_loops;
use crate::versions::fit;

/// Commands of a run up to which the compiler writes it out.
pub const MOST_COMMANDS: u64 = 512;

/// Parts of an iteration that a piece of a transfer takes one of, the smallest first, as the compiler tries them. What
/// engines have to do differs by such a part at most, and each piece is one more command to issue.
pub const PARTS: [u64; 3] = [4, 2, 1];

/// Iterations that a run without a loop is taken for: what it begins and ends with is worth more pieces than the rest.
pub const QUARTERS: u64 = 4;

/// Commands that an order looks ahead, as the compiler tries them: where transfers keep all engines busy, those of the
/// last tiles are not to come before the computations of the first ones.
const WINDOWS: [usize; 3] = [MOST_COMMANDS as usize, 64, 32];

/// Predicts the cycles of a nest without loops; none if the compiler leaves them.
///
/// # Errors
///
/// Every [`NestError`].
pub(crate) fn predict_written_out(nest: &Nest, device: &Device) -> Result<Option<Prediction>, NestError> {
    let is_users = nest
        .buffers
        .iter()
        .any(|buffer| buffer.stages.is_some() || buffer.versions.is_some());
    let has_loops = nest.body.iter().any(|step| matches!(step, Step::Loop { .. }));
    if is_users || !has_loops || nest.commands_in_run() > MOST_COMMANDS {
        return Ok(None);
    }
    let run = Run::of(nest, device)?;
    let mut best: Option<Prediction> = None;
    let mut last = Vec::new();
    for parts in PARTS {
        let pieces = run.pieces(parts);
        if pieces == last {
            continue;
        }
        for window in WINDOWS {
            let prediction = run.predict(&pieces, window, device);
            if best.as_ref().is_none_or(|best| prediction.cycles < best.cycles) {
                best = Some(prediction);
            }
        }
        last = pieces;
    }
    Ok(best)
}

/// A command of the run.
struct Task<'n> {
    price: &'n Price,
    /// The most pieces that it may go in.
    most: u32,
    /// The commands that it waits for.
    after: SmallVec<[usize; 4]>,
}

/// All commands of a run, in the order in which they are written.
struct Run<'n> {
    tasks: Vec<Task<'n>>,
    /// The least cycles of a quarter of it.
    quarter: u64,
}

/// A part of a memory: a buffer with the number of its instance, or a memory from outside with offsets.
type Place = (usize, bool, SmallVec<[i64; 4]>);

/// The commands that accessed a part of a memory last.
#[derive(Default)]
struct Last {
    written: Option<usize>,
    read: SmallVec<[usize; 4]>,
}

impl<'n> Run<'n> {
    fn of(nest: &'n Nest, device: &Device) -> Result<Self, NestError> {
        let instances = instances(nest, device)?;
        let most = pieces_without_loops(nest, device);
        let mut current: Vec<u32> = vec![0; nest.buffers.len()];
        let mut places: FxHashMap<Place, Last> = FxHashMap::default();
        let mut tasks: Vec<Task<'n>> = Vec::new();
        Walk::of(nest).steps(&nest.body, &mut |event, values| {
            let id = match event {
                Event::Allocate(BufferId(buffer)) => {
                    current[buffer] = (current[buffer] + 1) % instances[buffer];
                    return Ok(());
                }
                Event::Command(id) => id,
            };
            let new = tasks.len();
            let mut task = Task::of(nest, id, values)?;
            task.most = most[id.0];
            let command = &nest.commands[id.0];
            for operand in &command.reads {
                let last = places.entry(place(operand, &current, values)?).or_default();
                task.after.extend(last.written);
                last.read.push(new);
            }
            for operand in &command.writes {
                let last = places.entry(place(operand, &current, values)?).or_default();
                let read = last.read.drain(..).filter(|reader| *reader != new);
                task.after.extend(read);
                task.after.extend(last.written.replace(new));
            }
            task.after.sort_unstable();
            task.after.dedup();
            tasks.push(task);
            Ok(())
        })?;
        Ok(Self {
            quarter: least(&tasks, device).div_ceil(QUARTERS),
            tasks,
        })
    }

    /// The pieces of each command, if one takes about one part of a quarter.
    fn pieces(&self, parts: u64) -> Vec<u32> {
        let each = self.tasks.iter().map(|task| {
            let cycles = task.cycles();
            if cycles <= self.quarter / 2 {
                return 1;
            }
            let wanted = cycles.saturating_mul(parts).div_ceil(self.quarter.max(1));
            u32::try_from(wanted).unwrap_or(u32::MAX).min(task.most).max(1)
        });
        each.collect()
    }

    /// The cycles, if commands come in the order of [`Self::order`].
    fn predict(&self, pieces: &[u32], window: usize, device: &Device) -> Prediction {
        let mut machine = Machine::new(device, false);
        let mut ends: Vec<SmallVec<[Done; 4]>> = vec![SmallVec::new(); self.tasks.len()];
        for at in self.order(pieces, window, device.control.start_cycles) {
            let task = &self.tasks[at];
            let before: Vec<Done> = task
                .after
                .iter()
                .flat_map(|other| ends[*other].iter().copied())
                .collect();
            ends[at] = machine.execute(&task.price.ways, pieces[at], &before);
        }
        machine.prediction()
    }

    /// All commands, none before one that it waits for: of the first `window` of those that are left, as they are
    /// written, the one with the longest path to the end comes next.
    fn order(&self, pieces: &[u32], window: usize, start_cycles: u64) -> Vec<usize> {
        let mut paths = vec![0u64; self.tasks.len()];
        let mut followers: Vec<SmallVec<[usize; 4]>> = vec![SmallVec::new(); self.tasks.len()];
        for (at, task) in self.tasks.iter().enumerate().rev() {
            let own = [task.latency(), task.cycles().div_ceil(pieces[at].into()), start_cycles];
            paths[at] = own.into_iter().fold(paths[at], u64::saturating_add);
            for other in &task.after {
                paths[*other] = paths[*other].max(paths[at]);
                followers[*other].push(at);
            }
        }
        let mut left: Vec<usize> = self.tasks.iter().map(|task| task.after.len()).collect();
        let (mut rest, mut waiting, mut order) = (0..left.len(), Vec::new(), Vec::with_capacity(left.len()));
        loop {
            waiting.extend(rest.by_ref().take(window - waiting.len()));
            let ready = (0..waiting.len()).filter(|place| left[waiting[*place]] == 0);
            let Some(place) = ready.max_by_key(|place| (paths[waiting[*place]], Reverse(waiting[*place]))) else {
                break;
            };
            let at: usize = waiting.remove(place);
            order.push(at);
            for other in &followers[at] {
                left[*other] -= 1;
            }
        }
        order
    }
}

impl<'n> Task<'n> {
    fn of(nest: &'n Nest, id: CommandId, values: &[i64]) -> Result<Self, NestError> {
        let command = &nest.commands[id.0];
        let sizes = command.sizes.iter().map(|size| size.evaluate(values));
        let sizes: Vec<i64> = sizes.collect::<Option<_>>().ok_or(NestError::Arithmetic)?;
        let price = command.prices.get(&sizes).ok_or_else(|| NestError::Price {
            command: command.name.clone(),
            sizes,
        })?;
        Ok(Self {
            price,
            most: 1,
            after: SmallVec::new(),
        })
    }

    fn cycles(&self) -> u64 {
        self.price.ways.first().map_or(0, |way| way.occupancy)
    }

    fn latency(&self) -> u64 {
        self.price.ways.first().map_or(0, |way| way.latency)
    }
}

/// The least cycles of a run by what its engines and the control stream have to do.
fn least(tasks: &[Task<'_>], device: &Device) -> u64 {
    let mut computing = vec![0u64; device.engines.len()];
    let (mut moves, mut movers) = (0u64, 1u64);
    for task in tasks {
        let Some(way) = task.price.ways.first() else { continue };
        if device.engines[way.engine].kind == EngineKind::Dma {
            moves = moves.saturating_add(task.cycles());
            movers = movers.max(task.price.ways.len() as u64);
        } else {
            computing[way.engine] = computing[way.engine].saturating_add(task.cycles());
        }
    }
    let issues = device.control.start_cycles.saturating_mul(tasks.len() as u64);
    let computing = computing.into_iter().max().unwrap_or(0);
    moves.div_ceil(movers).max(computing).max(issues)
}

fn place(operand: &Operand, current: &[u32], values: &[i64]) -> Result<Place, NestError> {
    Ok(match operand.storage {
        Storage::Buffer(BufferId(buffer)) => (buffer, true, SmallVec::from_slice(&[current[buffer].into()])),
        Storage::External(at) => {
            let offsets = operand.offsets.iter().map(|offset| offset.evaluate(values));
            let offsets: Option<_> = offsets.collect();
            (at, false, offsets.ok_or(NestError::Arithmetic)?)
        }
    })
}

/// The instances that each buffer has, at least one: one for each allocation, and less where a memory has no room.
fn instances(nest: &Nest, device: &Device) -> Result<Vec<u32>, NestError> {
    let mut counts = vec![0u32; nest.buffers.len()];
    Walk::of(nest).steps(&nest.body, &mut |event, _| {
        if let Event::Allocate(buffer) = event {
            counts[buffer.0] = counts[buffer.0].saturating_add(1);
        }
        Ok(())
    })?;
    counts.iter_mut().for_each(|count| *count = (*count).max(1));
    fit(nest, device, &mut counts);
    Ok(counts)
}
