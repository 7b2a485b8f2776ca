//! The resources of a device during a run that is foretold: the control stream, the engines and the links.

use smallvec::SmallVec;
use zpu_device::Device;

use crate::nest::Way;
use crate::timeline::Timeline;

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

/// The end of an access, and the engine that made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) engine: usize,
    pub(crate) end: f64,
}

/// A machine at work.
pub(crate) struct Machine<'n> {
    pub(crate) device: &'n Device,
    /// The control stream issues commands in the order in which they come.
    in_order: bool,
    control: Timeline,
    engines: Vec<Timeline>,
    links: Vec<Timeline>,
    end: f64,
}

impl<'n> Machine<'n> {
    pub(crate) fn new(device: &'n Device, in_order: bool) -> Self {
        Self {
            device,
            in_order,
            control: Timeline::default(),
            engines: vec![Timeline::default(); device.engines.len()],
            links: vec![Timeline::default(); device.links.len()],
            end: 0.0,
        }
    }

    /// What the run took.
    pub(crate) fn prediction(&self) -> Prediction {
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

    /// Cycles of the control stream that belong to no command.
    pub(crate) fn spend(&mut self, cycles: u64) {
        if cycles > 0 {
            let start = if self.in_order {
                self.control.end()
            } else {
                self.control.find(0.0, cycles as f64)
            };
            self.control.take(start, cycles as f64);
        }
    }

    /// Cycles until the last resource has nothing to do any more.
    pub(crate) fn frontier(&self) -> f64 {
        let engines = self.engines.iter().map(Timeline::end);
        engines.fold(self.control.end(), f64::max)
    }

    /// Moves everything `by` cycles into the future.
    pub(crate) fn shift(&mut self, by: f64) {
        self.control.shift(by);
        self.engines.iter_mut().for_each(|line| line.shift(by));
        self.links.iter_mut().for_each(|line| line.shift(by));
        self.end += by;
    }

    /// Does a command in so many pieces of equal cost, after the ends that it waits for; the ends of the pieces, none
    /// if there is no way to do it.
    pub(crate) fn execute(&mut self, ways: &'n [Way], pieces: u32, before: &[Done]) -> SmallVec<[Done; 4]> {
        let part = f64::from(pieces).recip();
        let mut all = SmallVec::new();
        for _ in 0..pieces {
            let Some(best) = self.best(ways, part, before) else {
                break;
            };
            self.commit(&best);
            all.push(Done {
                engine: best.of.way.engine,
                end: best.end,
            });
        }
        all
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
