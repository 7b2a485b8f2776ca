//! The cycles of a pipelined nest: one pass over all of its commands.
//!
//! The pass is the recurrence of a timed event graph, evaluated in program order. A command begins when the data that
//! it reads is there, when the version of the buffer that it writes is free, when an engine that can do it has time,
//! and when the control stream has had the time to issue it. What the compiler decides is taken to be decided well: of
//! the engines that can do a command, the one that ends it first does it, and work that has to wait leaves its gap to
//! work of later iterations.
//!
//! A long loop is cut short: where its last iterations took equally long several times, so do the ones after them. The
//! first iterations, and the last ones with their partial tiles, are always gone through.
//!
//! Approximations: a link serves at its full rate and with pauses, where the machine divides the rate; queues have no
//! depth; and the gaps of an engine are filled in program order.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use zpu_device::Device;

use crate::expr::Expr;
use crate::machine::{Done, Machine, Prediction};
use crate::nest::{CommandId, MOST_STEPS, Nest, NestError, Operand, Price, Step, Storage, trips};
use crate::versions::Versions;

/// Predicts the cycles of a nest on a device, with so many versions of each buffer (see [`crate::versions()`]).
///
/// # Errors
///
/// Every [`NestError`].
pub fn predict(nest: &Nest, device: &Device, versions: &Versions) -> Result<Prediction, NestError> {
    let mut pass = Pass::new(nest, device, versions);
    pass.steps(&nest.body)?;
    Ok(pass.machine.prediction())
}

/// The accesses to a part of a memory that a later one may have to wait for: the last end on each engine.
#[derive(Clone, Debug, Default)]
struct Accesses {
    written: SmallVec<[Done; 2]>,
    read: SmallVec<[Done; 2]>,
}

impl Accesses {
    fn note(list: &mut SmallVec<[Done; 2]>, done: Done) {
        match list.iter_mut().find(|each| each.engine == done.engine) {
            Some(each) => each.end = each.end.max(done.end),
            None => list.push(done),
        }
    }

    fn shift(&mut self, by: f64) {
        for done in self.written.iter_mut().chain(&mut self.read) {
            done.end += by;
        }
    }
}

/// A buffer's versions.
#[derive(Clone, Debug)]
struct Ring {
    instances: Vec<Accesses>,
    current: usize,
}

struct Pass<'n> {
    nest: &'n Nest,
    values: Vec<i64>,
    left: u64,
    machine: Machine<'n>,
    rings: Vec<Ring>,
    externals: FxHashMap<(usize, SmallVec<[i64; 4]>), Accesses>,
    pieces: &'n [u32],
    /// The costs of the commands of an iteration, as a hash: partial tiles tell themselves apart by it.
    signature: u64,
}

impl<'n> Pass<'n> {
    fn new(nest: &'n Nest, device: &'n Device, versions: &'n Versions) -> Self {
        let ring = |at: usize| Ring {
            instances: vec![Accesses::default(); versions.of_buffers.get(at).copied().unwrap_or(1).max(1) as usize],
            current: 0,
        };
        Self {
            nest,
            values: vec![0; nest.values],
            left: MOST_STEPS,
            machine: Machine::new(device, versions.in_order),
            rings: (0..nest.buffers.len()).map(ring).collect(),
            externals: FxHashMap::default(),
            pieces: &versions.pieces,
            signature: 0,
        }
    }

    fn number(&self, expr: &Expr) -> Result<i64, NestError> {
        expr.evaluate(&self.values).ok_or(NestError::Arithmetic)
    }

    fn steps(&mut self, steps: &'n [Step]) -> Result<(), NestError> {
        for step in steps {
            self.left = self.left.checked_sub(1).ok_or(NestError::TooLong(MOST_STEPS))?;
            match step {
                Step::Set { value, expr } => self.values[value.0] = self.number(expr)?,
                Step::Loop { .. } => self.iterate(step)?,
                Step::Branch {
                    condition,
                    then,
                    otherwise,
                } => {
                    let taken = if self.number(condition)? != 0 { then } else { otherwise };
                    self.steps(taken)?;
                }
                Step::Allocate(buffer) => {
                    let ring = &mut self.rings[buffer.0];
                    ring.current = (ring.current + 1) % ring.instances.len();
                }
                Step::Command(command) => self.command(*command)?,
                Step::Access => self.machine.spend(self.machine.device.control.scalar_cycles),
            }
        }
        Ok(())
    }

    fn iterate(&mut self, step: &'n Step) -> Result<(), NestError> {
        let Step::Loop {
            value,
            lower,
            upper,
            step,
            body,
        } = step
        else {
            return Ok(());
        };
        let all = trips(lower, upper, step, &self.values)?;
        let (first, stride, count) = (self.number(lower)?, self.number(step)?, all.len());
        let mut rhythm = Rhythm::default();
        let mut at = 0;
        while at < count {
            self.values[value.0] = first + at as i64 * stride;
            let around = std::mem::take(&mut self.signature);
            self.steps(body)?;
            self.machine.spend(self.machine.device.control.loop_cycles);
            rhythm.note(self.machine.frontier(), self.signature);
            self.signature ^= around.rotate_left(7);
            at += 1;
            if let Some((period, cycles)) = rhythm.steady() {
                // Partial tiles come last; two periods before the end all is gone through again.
                let periods = (count - at) / period;
                if periods > 4 {
                    self.skip((periods - 2) as f64 * cycles);
                    at += (periods - 2) * period;
                    rhythm = Rhythm::exhausted();
                }
            }
        }
        Ok(())
    }

    /// Moves the state into the future, as if iterations that took `cycles` had been gone through.
    fn skip(&mut self, cycles: f64) {
        self.machine.shift(cycles);
        for ring in &mut self.rings {
            ring.instances.iter_mut().for_each(|each| each.shift(cycles));
        }
        self.externals.values_mut().for_each(|each| each.shift(cycles));
    }

    fn command(&mut self, id: CommandId) -> Result<(), NestError> {
        let nest = self.nest;
        let command = &nest.commands[id.0];
        let mut sizes: SmallVec<[i64; 8]> = SmallVec::new();
        for size in &command.sizes {
            sizes.push(self.number(size)?);
        }
        let price = command.prices.get(sizes.as_slice()).ok_or_else(|| NestError::Price {
            command: command.name.clone(),
            sizes: sizes.to_vec(),
        })?;
        let mut before: SmallVec<[Done; 4]> = SmallVec::new();
        for operand in &command.reads {
            if let Some(accesses) = self.accesses(operand)? {
                before.extend(accesses.written.iter().copied());
            }
        }
        for operand in &command.writes {
            if let Some(accesses) = self.accesses(operand)? {
                before.extend(accesses.written.iter().copied());
                before.extend(accesses.read.iter().copied());
            }
        }
        let pieces = self.pieces_of(id, price);
        let all_done = self.machine.execute(&price.ways, pieces, &before);
        if all_done.is_empty() {
            return Ok(());
        }
        let occupancy = price.ways.first().map_or(0, |way| way.occupancy);
        self.signature = (self.signature.rotate_left(5) ^ occupancy).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for operand in &command.reads {
            let accesses = self.accesses_mut(operand)?;
            for done in &all_done {
                Accesses::note(&mut accesses.read, *done);
            }
        }
        for operand in &command.writes {
            let accesses = self.accesses_mut(operand)?;
            // Whoever waits for this write has waited for what it waited for.
            accesses.written.clear();
            accesses.read.clear();
            for done in &all_done {
                Accesses::note(&mut accesses.written, *done);
            }
        }
        Ok(())
    }

    /// The number of pieces of a command, of those that are allowed the one for which time and issues together take the
    /// least cycles.
    fn pieces_of(&self, id: CommandId, price: &Price) -> u32 {
        let most = self.pieces.get(id.0).copied().unwrap_or(1);
        let cycles = price.ways.first().map_or(0, |way| way.occupancy);
        let start = self.machine.device.control.start_cycles;
        let time = |pieces: &u32| {
            let pieces = u64::from(*pieces);
            cycles.div_ceil(pieces).saturating_add(pieces.saturating_mul(start))
        };
        (1..=most).min_by_key(time).unwrap_or(1)
    }

    fn key(&self, at: usize, operand: &Operand) -> Result<(usize, SmallVec<[i64; 4]>), NestError> {
        let mut offsets = SmallVec::new();
        for offset in &operand.offsets {
            offsets.push(self.number(offset)?);
        }
        Ok((at, offsets))
    }

    fn accesses(&self, operand: &Operand) -> Result<Option<&Accesses>, NestError> {
        Ok(match operand.storage {
            Storage::Buffer(buffer) => {
                let ring = &self.rings[buffer.0];
                Some(&ring.instances[ring.current])
            }
            Storage::External(at) => self.externals.get(&self.key(at, operand)?),
        })
    }

    fn accesses_mut(&mut self, operand: &Operand) -> Result<&mut Accesses, NestError> {
        Ok(match operand.storage {
            Storage::Buffer(buffer) => {
                let ring = &mut self.rings[buffer.0];
                &mut ring.instances[ring.current]
            }
            Storage::External(at) => {
                let key = self.key(at, operand)?;
                self.externals.entry(key).or_default()
            }
        })
    }
}

/// The longest rhythm that is looked for, in iterations: a few versions times a few engines.
const LONGEST_PERIOD: usize = 16;

/// The progress of a loop's last iterations.
#[derive(Debug, Default)]
struct Rhythm {
    last: VecDeque<(f64, u64)>,
    exhausted: bool,
}

impl Rhythm {
    /// No rhythm is found any more.
    fn exhausted() -> Self {
        Self {
            exhausted: true,
            ..Self::default()
        }
    }

    fn note(&mut self, frontier: f64, signature: u64) {
        if self.exhausted {
            return;
        }
        self.last.push_back((frontier, signature));
        if self.last.len() > 3 * LONGEST_PERIOD + 1 {
            self.last.pop_front();
        }
    }

    /// The iterations of a period that came three times, and its cycles.
    fn steady(&self) -> Option<(usize, f64)> {
        // Once in a while is enough.
        if self.last.len() <= 3 * LONGEST_PERIOD {
            return None;
        }
        let end = self.last.len() - 1;
        (1..=LONGEST_PERIOD).find_map(|period| {
            let length = self.last[end].0 - self.last[end - period].0;
            let same = |at: usize| {
                let (now, then) = (self.last[at], self.last[at - period]);
                now.1 == then.1 && ((now.0 - then.0) - length).abs() < 1e-6
            };
            // All that is remembered: two equal steps in a row may be part of a longer rhythm.
            (period..=end).all(same).then_some((period, length))
        })
    }
}
