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
use crate::nest::{CommandId, MOST_STEPS, Nest, NestError, Operand, Price, Step, Storage, Way, trips};
use crate::timeline::Timeline;
use crate::versions::Versions;

/// The cycles of a nest with certain versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Cycles from the start to the end of the last command.
    pub cycles: u64,
    /// The resource that is taken for the longest time: an engine, a link or `control`.
    pub busiest: String,
    /// Cycles that it is taken.
    pub busy: u64,
}

/// Predicts the cycles of a nest on a device, with so many versions of each buffer (see [`crate::versions()`]).
///
/// # Errors
///
/// Every [`NestError`].
pub fn predict(nest: &Nest, device: &Device, versions: &Versions) -> Result<Prediction, NestError> {
    let mut pass = Pass::new(nest, device, versions);
    pass.steps(&nest.body)?;
    Ok(pass.prediction())
}

/// The end of an access, and the engine that made it.
#[derive(Clone, Copy, Debug)]
struct Done {
    engine: usize,
    end: f64,
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
    device: &'n Device,
    values: Vec<i64>,
    left: u64,
    control: Timeline,
    engines: Vec<Timeline>,
    links: Vec<Timeline>,
    rings: Vec<Ring>,
    externals: FxHashMap<(usize, SmallVec<[i64; 4]>), Accesses>,
    in_order: bool,
    pieces: &'n [u32],
    end: f64,
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
            device,
            values: vec![0; nest.values],
            left: MOST_STEPS,
            control: Timeline::default(),
            engines: vec![Timeline::default(); device.engines.len()],
            links: vec![Timeline::default(); device.links.len()],
            rings: (0..nest.buffers.len()).map(ring).collect(),
            externals: FxHashMap::default(),
            in_order: versions.in_order,
            pieces: &versions.pieces,
            end: 0.0,
            signature: 0,
        }
    }

    fn prediction(&self) -> Prediction {
        let named = |names: Vec<&str>, lines: &[Timeline]| -> Vec<(String, f64)> {
            let busy = lines.iter().map(Timeline::busy);
            names.into_iter().map(str::to_owned).zip(busy).collect()
        };
        let engines = self.device.engines.iter().map(|engine| engine.name.as_str()).collect();
        let links = self.device.links.iter().map(|link| link.name.as_str()).collect();
        let mut all = named(engines, &self.engines);
        all.extend(named(links, &self.links));
        all.push(("control".to_owned(), self.control.busy()));
        let (busiest, busy) = all.into_iter().fold(
            (String::new(), 0.0),
            |most, each| if each.1 > most.1 { each } else { most },
        );
        Prediction {
            cycles: self.end.max(self.control.end()).ceil() as u64,
            busiest,
            busy: busy.ceil() as u64,
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
                Step::Access => self.spend(self.device.control.scalar_cycles),
            }
        }
        Ok(())
    }

    /// Cycles of the control stream that belong to no command.
    fn spend(&mut self, cycles: u64) {
        if cycles > 0 {
            let start = if self.in_order {
                self.control.end()
            } else {
                self.control.find(0.0, cycles as f64)
            };
            self.control.take(start, cycles as f64);
        }
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
            self.spend(self.device.control.loop_cycles);
            rhythm.note(self.frontier(), self.signature);
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

    fn frontier(&self) -> f64 {
        let engines = self.engines.iter().map(Timeline::end);
        engines.fold(self.control.end(), f64::max)
    }

    /// Moves the state into the future, as if iterations that took `cycles` had been gone through.
    fn skip(&mut self, cycles: f64) {
        self.control.shift(cycles);
        self.engines.iter_mut().for_each(|line| line.shift(cycles));
        self.links.iter_mut().for_each(|line| line.shift(cycles));
        for ring in &mut self.rings {
            ring.instances.iter_mut().for_each(|each| each.shift(cycles));
        }
        self.externals.values_mut().for_each(|each| each.shift(cycles));
        self.end += cycles;
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
        let mut all_done: SmallVec<[Done; 4]> = SmallVec::new();
        for _ in 0..pieces {
            let part = f64::from(pieces).recip();
            let best = self.best(&price.ways, part, &before);
            let Some(best) = best else { return Ok(()) };
            self.commit(&best);
            all_done.push(Done {
                engine: best.of.way.engine,
                end: best.end,
            });
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
        let start = self.device.control.start_cycles;
        let time = |pieces: &u32| {
            let pieces = u64::from(*pieces);
            cycles.div_ceil(pieces).saturating_add(pieces.saturating_mul(start))
        };
        (1..=most).min_by_key(time).unwrap_or(1)
    }

    /// The way that ends a command first; of several the first one.
    fn best(&self, ways: &'n [Way], part: f64, before: &[Done]) -> Option<Placed<'n>> {
        let mut best: Option<Placed<'n>> = None;
        let mut offer = |placed: Placed<'n>| {
            let is_sooner = |best: &Placed<'n>| (placed.end, placed.of.way.engine) < (best.end, best.of.way.engine);
            if best.as_ref().is_none_or(is_sooner) {
                best = Some(placed);
            }
        };
        let is_apart = |way: &Way| before.iter().all(|done| done.engine != way.engine);
        for same in ways.chunk_by(|one, other| self.cost_alike(one, other)) {
            let part_of = |way: &'n Way| Part { way, part };
            let mut apart = same.iter().filter(|way| is_apart(way)).map(part_of).peekable();
            if let Some(first) = apart.peek() {
                // None of them is sooner than one that has nothing to do, and most often one has not.
                let issue = self.issue(*first, before);
                let length = self.length(*first);
                let begin = self.together(*first, issue.ready, |begin| begin);
                let idle = apart
                    .clone()
                    .find(|of| self.engines[of.way.engine].is_free(begin, length));
                match idle {
                    Some(of) => offer(issue.placed(of, begin, begin + length)),
                    None => apart.for_each(|of| offer(self.place(of, issue))),
                }
            }
            for of in same.iter().filter(|way| !is_apart(way)).map(part_of) {
                offer(self.place(of, self.issue(of, before)));
            }
        }
        best
    }

    /// True for two ways that take the same cycles of the same links.
    fn cost_alike(&self, one: &Way, other: &Way) -> bool {
        let blocking = |way: &Way| self.device.engines[way.engine].blocking;
        (one.latency, one.occupancy, blocking(one)) == (other.latency, other.occupancy, blocking(other))
            && one.bytes == other.bytes
            && one.links == other.links
    }

    /// When a command would be issued for one engine.
    fn issue(&self, of: Part<'n>, before: &[Done]) -> Issue {
        let way = of.way;
        let control = &self.device.control;
        let (mut elsewhere, mut here) = (0.0f64, 0.0f64);
        let mut waits = false;
        for done in before {
            if done.engine == way.engine {
                here = here.max(done.end);
            } else {
                elsewhere = elsewhere.max(done.end);
                waits |= !self.device.engines[done.engine].blocking;
            }
        }
        let issue = (control.start_cycles + if waits { control.wait_cycles } else { 0 }) as f64;
        let latency = way.latency as f64;
        let held = if self.device.engines[way.engine].blocking {
            issue + latency + of.occupancy()
        } else {
            issue
        };
        // Cycles of a wait run while the command that it waits for does.
        let wait = if waits { control.wait_cycles as f64 } else { 0.0 };
        let ready = (elsewhere - wait).max(0.0);
        let issued = if self.in_order {
            self.control.end().max(ready)
        } else {
            self.control.find(ready, held)
        };
        Issue {
            issued,
            held,
            ready: (issued + issue + latency).max(here),
        }
    }

    /// When a command would begin and end on one engine.
    fn place(&self, of: Part<'n>, issue: Issue) -> Placed<'n> {
        let length = self.length(of);
        let begin = self.together(of, issue.ready, |ready| self.engines[of.way.engine].find(ready, length));
        issue.placed(of, begin, begin + length)
    }

    /// The first cycle, at `ready` or after it, from which engine and links have time for a transfer: the bytes cross
    /// each link while the engine works, as soon as others leave room for them. A transfer that waits for a link does
    /// not hold its engine, since another one can be issued before it.
    ///
    /// `engine` gives the first cycle from which the engine has time.
    fn together(&self, of: Part<'n>, ready: f64, engine: impl Fn(f64) -> f64) -> f64 {
        let length = self.length(of);
        let mut begin = ready;
        // Each round moves the beginning, past a gap of one of the lines.
        for _ in 0..MOST_ROUNDS {
            let free = engine(begin);
            let late = of.way.links.iter().map(|link| {
                let line = &self.links[*link];
                line.reach(free, self.on_link(of, *link)) - length
            });
            let moved = late.fold(free, f64::max);
            if moved <= begin {
                break;
            }
            begin = moved;
        }
        engine(begin)
    }

    /// Cycles that a command takes of its engine, links included.
    fn length(&self, of: Part<'n>) -> f64 {
        let links = of.way.links.iter().map(|link| self.on_link(of, *link));
        links.fold(of.occupancy(), f64::max)
    }

    fn on_link(&self, of: Part<'n>, link: usize) -> f64 {
        let rate = self.device.links[link].bytes_per_cycle;
        if rate > 0.0 { of.way.bytes * of.part / rate } else { 0.0 }
    }

    fn commit(&mut self, placed: &Placed<'n>) {
        let (of, way) = (placed.of, placed.of.way);
        self.control.take(placed.issued, placed.held);
        for link in &way.links {
            let length = self.on_link(of, *link);
            self.links[*link].take_with_pauses(placed.begin, length);
        }
        self.engines[way.engine].take(placed.begin, placed.end - placed.begin);
        self.end = self.end.max(placed.end);
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

/// A part of a command on one engine.
#[derive(Clone, Copy)]
struct Part<'n> {
    way: &'n Way,
    part: f64,
}

impl Part<'_> {
    fn occupancy(&self) -> f64 {
        (self.way.occupancy as f64 * self.part).ceil()
    }
}

/// The issue of a command.
#[derive(Clone, Copy)]
struct Issue {
    /// The cycle at which the control stream begins with it.
    issued: f64,
    /// Cycles that it takes of the control stream.
    held: f64,
    /// The first cycle at which the command may take its engine.
    ready: f64,
}

impl Issue {
    fn placed(self, of: Part<'_>, begin: f64, end: f64) -> Placed<'_> {
        Placed {
            of,
            issued: self.issued,
            held: self.held,
            begin,
            end,
        }
    }
}

struct Placed<'n> {
    of: Part<'n>,
    issued: f64,
    held: f64,
    begin: f64,
    end: f64,
}

/// Rounds of the search for a time when engine and links are free.
const MOST_ROUNDS: usize = 64;

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
