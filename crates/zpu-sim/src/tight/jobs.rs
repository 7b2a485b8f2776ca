//! The commands of a run as jobs with heads and tails, in bounded memory.
//!
//! Invariant: a job of several commands has the least head and the least tails of them, so no bound of the jobs is
//! above that of the commands.

/// Jobs that are kept, at most; also what keeps the evaluation of a bound to some milliseconds.
const MOST: usize = 1 << 14;

/// Commands of the same work, with the least times around them, in cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jobs {
    /// The piece of work of each of them.
    pub(super) demand: u32,
    pub(super) count: u64,
    /// The cycle before which its issue cannot begin.
    pub(super) head: u64,
    /// The cycle before which it cannot take an engine.
    pub(super) begin: u64,
    /// Cycles from the end of its issue to the end of the run, at least.
    pub(super) after_issue: u64,
    /// Cycles from its end to the end of the run, at least.
    pub(super) after_end: u64,
}

impl Jobs {
    fn with(self, other: Self) -> Self {
        Self {
            demand: self.demand,
            count: self.count + other.count,
            head: self.head.min(other.head),
            begin: self.begin.min(other.begin),
            after_issue: self.after_issue.min(other.after_issue),
            after_end: self.after_end.min(other.after_end),
        }
    }
}

/// The jobs of a run. Where they are too many, neighbours of the same work become one.
#[derive(Clone, Debug, Default)]
pub(super) struct JobList {
    /// By piece of work, in the order of issue.
    by_demand: Vec<Vec<Jobs>>,
    /// Commands that a job takes up before the next one is begun.
    size: u64,
    held: usize,
}

impl JobList {
    pub(super) fn push(&mut self, job: Jobs) {
        let place = job.demand as usize;
        if self.by_demand.len() <= place {
            self.by_demand.resize_with(place + 1, Vec::new);
        }
        let jobs = &mut self.by_demand[place];
        match jobs.last_mut().filter(|last| last.count < self.size) {
            Some(last) => *last = last.with(job),
            None => {
                jobs.push(job);
                self.held += 1;
            }
        }
        // At least one is needed for each piece of work.
        if self.held > MOST + self.by_demand.len() {
            self.halve();
        }
    }

    fn halve(&mut self) {
        self.size = 2 * self.size.max(1);
        self.held = 0;
        for jobs in &mut self.by_demand {
            let pairs = jobs.chunks(2).map(|pair| match pair {
                [one, other] => one.with(*other),
                _ => pair[0],
            });
            *jobs = pairs.collect();
            self.held += jobs.len();
        }
    }

    /// All jobs.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Jobs> {
        self.by_demand.iter().flatten()
    }
}
