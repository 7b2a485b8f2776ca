//! A whole run as a problem: commands with engines as alternatives, issued by one control stream that pays for issues
//! and waits, with storage that lives from the first command that uses it to the last.
//!
//! Invariant: a problem that [`RunProblem::check`] accepts has a schedule, unless its memory is too small, and no sum
//! of its times overflows.

/// A whole run. Operations, works, engines, links and spaces are named by their places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunProblem {
    /// The name in messages.
    pub name: String,
    /// Cycles of the program that it is the dataflow of, if it is of one.
    pub cycles: Option<u64>,
    /// The costs of the control stream.
    pub control: ControlCosts,
    /// In-order engines.
    pub engines: Vec<RunEngine>,
    /// Bandwidth that transfers share max-min fairly.
    pub links: Vec<RunLink>,
    /// Memory capacities.
    pub spaces: Vec<RunSpace>,
    /// Pieces of work, each with its alternatives.
    pub works: Vec<Vec<RunWay>>,
    /// The commands, each after those that it depends on.
    pub operations: Vec<RunOperation>,
    /// Bytes that live while commands use them.
    pub storages: Vec<RunStorage>,
}

/// Cycles of the control stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlCosts {
    /// For an issue.
    pub issue: u64,
    /// For a wait for one command.
    pub wait: u64,
    /// For a wait for all commands.
    pub barrier: u64,
}

/// An engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEngine {
    /// Its name.
    pub name: String,
    /// Commands that it holds, the one that it works on included, at least 1.
    pub queue: u64,
    /// Holds the stream until each of its commands is complete.
    pub blocking: bool,
}

/// A link.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLink {
    /// Its name.
    pub name: String,
    /// Bytes a cycle.
    pub rate: f64,
}

/// A memory space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpace {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Bytes that are taken throughout.
    pub resident: u64,
}

/// An alternative for a piece of work. Times are cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct RunWay {
    /// The engine.
    pub engine: usize,
    /// Cycles after it enters the queue during which it does not take the engine.
    pub start_latency: u64,
    /// Cycles on the engine that sharing does not stretch.
    pub alone: u64,
    /// Further cycles if it is alone on its links.
    pub shared: u64,
    /// Bytes a cycle that it wants of its links meanwhile.
    pub rate: f64,
    /// The links.
    pub links: Vec<usize>,
}

impl RunWay {
    /// Cycles on the engine if it is alone on its links.
    pub fn occupancy(&self) -> u64 {
        self.alone + self.shared
    }

    /// True if others on its links can stretch it.
    pub(super) fn is_shared(&self) -> bool {
        self.shared > 0 && self.rate > 0.0 && !self.links.is_empty()
    }
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOperation {
    /// The name in reports.
    pub name: String,
    /// Its piece of work.
    pub work: usize,
    /// Operations before it in the list that are complete before it begins.
    pub after: Vec<u32>,
}

/// Bytes in a space. They are taken from the issue of the first of these operations until all are known to be complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStorage {
    /// The size.
    pub bytes: u64,
    /// The memory space.
    pub space: usize,
    /// The operations that use it, at least one.
    pub operations: Vec<u32>,
}

/// The largest sum of all times of a problem, in cycles.
const MOST_CYCLES: u64 = 1 << 52;

/// The most times that a transfer's rate may be that of a link that it crosses: the speed of a transfer that is slowed
/// down by more is no longer exact.
const MOST_TIMES: f64 = 1e6;

/// Something that is wrong with a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// A place in a list that is not there.
    #[error("{of} names {what} {place}, there are {count}, counted from 0")]
    Missing {
        /// What names it.
        of: String,
        /// What it should be.
        what: &'static str,
        /// The place.
        place: usize,
        /// Entries of the list.
        count: usize,
    },
    /// A dependence on a later operation, or on itself.
    #[error("operation {operation} comes after operation {after}; list operations after those that they depend on")]
    Order {
        /// The operation.
        operation: usize,
        /// What it names.
        after: usize,
    },
    /// A piece of work that no engine does.
    #[error("work {0} has no alternative; give at least one engine that does it")]
    NoWay(usize),
    /// An engine whose queue holds nothing.
    #[error("engine {0} has a queue of 0 places; it needs one at least")]
    NoQueue(String),
    /// A rate that is no positive number.
    #[error("{of} has the rate {rate}; it has to be above 0 and finite")]
    Rate {
        /// What has it.
        of: String,
        /// The rate.
        rate: f64,
    },
    /// A transfer that could use far more than a link that it crosses has.
    #[error("work {work} has the rate {rate}, more than {MOST_TIMES} times that of link {link}; give both in one unit")]
    Unit {
        /// The work.
        work: usize,
        /// Its rate.
        rate: f64,
        /// The link.
        link: String,
    },
    /// Times that are too large to be added up.
    #[error("the times add up to more than {MOST_CYCLES} cycles; give them in a larger unit")]
    TooLong,
    /// Commands that do not fit even one after the other.
    #[error("operation {operation} needs {needed} bytes of {space} together with what is live, the space has {bytes}")]
    Memory {
        /// The operation.
        operation: usize,
        /// Bytes.
        needed: u64,
        /// The space.
        space: String,
        /// Its size.
        bytes: u64,
    },
}

impl RunProblem {
    /// Checks that every place is in its list, that dependences go backward, and that times can be added up.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), RunError> {
        let within = |of: &dyn Fn() -> String, what, place: usize, count: usize| match place < count {
            true => Ok(()),
            false => Err(RunError::Missing {
                of: of(),
                what,
                place,
                count,
            }),
        };
        let rate = |of: &dyn Fn() -> String, rate: f64| match rate.is_finite() && rate > 0.0 {
            true => Ok(()),
            false => Err(RunError::Rate { of: of(), rate }),
        };
        for engine in &self.engines {
            if engine.queue == 0 {
                return Err(RunError::NoQueue(engine.name.clone()));
            }
        }
        for link in &self.links {
            rate(&|| format!("link {}", link.name), link.rate)?;
        }
        let mut longest = vec![0u64; self.works.len()];
        for (work, ways) in self.works.iter().enumerate() {
            let name = || format!("work {work}");
            if ways.is_empty() {
                return Err(RunError::NoWay(work));
            }
            for way in ways {
                within(&name, "engine", way.engine, self.engines.len())?;
                for link in &way.links {
                    within(&name, "link", *link, self.links.len())?;
                }
                let mut slower = 1.0f64;
                if !way.links.is_empty() {
                    rate(&name, way.rate)?;
                    for link in way.links.iter().map(|link| &self.links[*link]) {
                        slower = slower.max(way.rate / link.rate);
                        if slower > MOST_TIMES {
                            let (rate, link) = (way.rate, link.name.clone());
                            return Err(RunError::Unit { work, rate, link });
                        }
                    }
                }
                // A link with less than the rate of the transfer stretches it even where it is alone.
                let shared = way.shared.saturating_mul(slower.ceil() as u64);
                let time = way.start_latency.saturating_add(way.alone).saturating_add(shared);
                longest[work] = longest[work].max(time);
            }
        }
        let control = self.control.issue.saturating_add(self.control.wait);
        // Sharing stretches a transfer by the number of engines at most.
        let stretch = self.engines.len() as u64 + 1;
        let mut sum = self.control.barrier;
        for (i, operation) in self.operations.iter().enumerate() {
            within(&|| format!("operation {i}"), "work", operation.work, self.works.len())?;
            if let Some(after) = operation.after.iter().find(|after| **after as usize >= i) {
                return Err(RunError::Order {
                    operation: i,
                    after: *after as usize,
                });
            }
            let time = control.saturating_add(longest[operation.work].saturating_mul(stretch));
            sum = sum.saturating_add(time);
        }
        if sum > MOST_CYCLES {
            return Err(RunError::TooLong);
        }
        for (i, storage) in self.storages.iter().enumerate() {
            let name = || format!("buffer {i}");
            within(&name, "space", storage.space, self.spaces.len())?;
            for operation in &storage.operations {
                within(&name, "operation", *operation as usize, self.operations.len())?;
            }
        }
        self.check_memory()
    }

    /// Checks that the operations fit one after the other.
    fn check_memory(&self) -> Result<(), RunError> {
        let mut begins: Vec<Vec<usize>> = vec![Vec::new(); self.operations.len()];
        let mut ends = begins.clone();
        for (i, storage) in self.storages.iter().enumerate() {
            let operations = &storage.operations;
            let (Some(first), Some(last)) = (operations.iter().min(), operations.iter().max()) else {
                continue;
            };
            begins[*first as usize].push(i);
            ends[*last as usize].push(i);
        }
        let mut live: Vec<u64> = self.spaces.iter().map(|space| space.resident).collect();
        for operation in 0..self.operations.len() {
            for storage in &begins[operation] {
                let RunStorage { bytes, space, .. } = self.storages[*storage];
                live[space] = live[space].saturating_add(bytes);
                if live[space] > self.spaces[space].bytes {
                    return Err(RunError::Memory {
                        operation,
                        needed: live[space],
                        space: self.spaces[space].name.clone(),
                        bytes: self.spaces[space].bytes,
                    });
                }
            }
            for storage in &ends[operation] {
                let RunStorage { bytes, space, .. } = self.storages[*storage];
                live[space] -= bytes;
            }
        }
        Ok(())
    }

    /// The alternatives of an operation.
    pub fn ways(&self, operation: usize) -> &[RunWay] {
        &self.works[self.operations[operation].work]
    }
}
