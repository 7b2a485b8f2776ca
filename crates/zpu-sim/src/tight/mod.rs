//! The tight lower bound: the cycles that no program takes less than, in whatever order and on whichever engines it
//! carries out the commands of a run.
//!
//! A *legal program* issues the commands of the run once each, as asynchronous or synchronous commands on any engines
//! that could do them ([`crate::choices`]), with waits and barriers anywhere. A command comes after its true
//! dependences (what wrote the bytes that it reads). Buffers are unlimited: anti and output dependences can be renamed
//! away.
//!
//! Let E(i) be the engines for command i; L, o and t its least start latency, occupancy and sum of the two over E(i);
//! s, w, b the cycles of an issue, a wait and a barrier. For a dependence of i on p, *apart* means that E(i) and E(p)
//! have no engine in common. Then only the control stream can order the two: between their issues there is a wait or a
//! barrier, or p or a later command of its engine is synchronous. *Blocking* means that all of E(i) hold the stream.
//!
//! Times that hold in every legal program, all in cycles:
//!
//! - the issue of i begins at `H(i)` or later: the greatest of `e(p)` where p is apart from i or blocking, and of
//!   `H(p) + s` otherwise, over the dependences p;
//! - i takes its engine at `B(i) = max(H(i) + s + L, e(p))` or later and ends at `e(i) = max(H(i) + s + t, B(i) + o)`
//!   or later;
//! - after its end the run goes on for `Q(i)` or longer: the greatest of `s + U(j)` for a j that depends on it and is
//!   apart (or any j, if i is blocking), and of `o(j) + Q(j)` otherwise;
//! - after the end of its issue the run goes on for `U(i) = max(t + Q(i), s + U(j))` or longer.
//!
//! The parts, of which the bound is the greatest. *Jackson* means [`zpu_timing::one_machine`], the exact bound of jobs
//! with heads and tails on one unit; what a part leaves out only lowers it.
//!
//! - *dataflow*: the greatest `e(i)`.
//! - *control*: Jackson for the stream, with a job for each command: head `H`, work `s` and tail `U`, or work `s + t`
//!   and tail `Q` if it is blocking; and one job for the waits. On a path of dependences each step that is apart needs
//!   a wait of its own, since the next issue is between this wait and the following one. (A path through a blocking
//!   command needs none for it.) Such a wait takes `min(w, b, t)` cycles of the stream, t the least time of any
//!   command, since a synchronous command may stand in for it. Waits for engines of different kinds are different
//!   waits, but a barrier may be one of each kind at once; the cheapest mixture counts. The head of that job is the
//!   least `e(p)` less its cycles, the tail the least `s + U(i)`.
//! - *engines S*, for the union S of sets E(i) that overlap: Jackson with heads `B` and tails `Q`, where the work is
//!   the least weighted occupancy over E(i) for weights of the engines ([`weights`]): equal ones, and balanced ones
//!   where engines differ. For m engines with equal weights also (sum of the m least heads + work + sum of the m least
//!   tails) / m, over all commands of S (J. Carlier and E. Pinson, *Jackson's pseudo-preemptive schedule*, 1998): the
//!   first commands of the m engines are different ones, and the k-th that is issued begins at `k * s + L` or later.
//! - *queues S*: the same with the places in the queues of S in the place of engines, each of which is taken for `t`.
//! - *stream and S*: while a blocking command holds the stream, an engine works off no more than its full queue. So the
//!   run takes all that holds, and the work of S that is not done meanwhile.
//! - *link*: Jackson with the time of each transfer at the link's full bandwidth.
//!
//! Invariant: no part depends on the order, the engines or the waits that the program chose.
//!
//! Memory is bounded: times before a command are known when it is issued; those after it are the ones within
//! [`crate::window`], at most the true ones; [`jobs`] merges what leaves the window.

mod demand;
mod jobs;
mod weights;

use std::collections::BTreeSet;
use std::rc::Rc;

use zpu_device::Device;
use zpu_timing::{Job, one_machine};

use self::demand::{Demands, LINK_PARTS};
use self::jobs::{JobList, Jobs};
use crate::bound::{BoundPart, BoundReport};
use crate::command_cost::CommandCost;
use crate::distance::Limit;
use crate::window::Window;

/// Kinds of engines.
const KINDS: usize = 3;

/// Unions of sets of engines that are looked at.
const MOST_UNIONS: usize = 64;

/// The tight bound of a run, and the unit that limits it.
#[derive(Clone, Debug)]
pub(crate) struct TightBound {
    pub(crate) report: BoundReport,
    pub(crate) limit: Limit,
}

/// A command as those see it that depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    demand: u32,
    /// Earliest end of its issue, in cycles.
    issued: u64,
    /// Earliest end, in cycles.
    end: u64,
    /// Waits on some path to it: of all kinds, and for commands of each kind.
    waits: u32,
    waits_of_kind: [u32; KINDS],
}

/// A command in the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    demand: u32,
    head: u64,
    begin: u64,
    /// It comes after a wait.
    waits: bool,
}

/// Cycles that the run goes on for, at least: after the end of the issue of a command, and after its end.
#[derive(Clone, Copy, Debug, Default)]
struct After {
    issue: u64,
    end: u64,
}

/// The facts that are known of all commands so far.
#[derive(Debug)]
pub(crate) struct Tight {
    issue: u64,
    wait: u64,
    barrier: u64,
    demands: Demands,
    jobs: JobList,
    /// The latest of the earliest ends.
    end: u64,
    /// Greatest numbers of waits on a path.
    waits: u32,
    waits_of_kind: [u32; KINDS],
    /// Least cycle at which a command ends that is waited for, and least time after a wait among commands that left the
    /// window.
    wait_end: u64,
    after_wait: u64,
    /// Times after the commands of the window, kept for their room.
    room: Vec<After>,
}

impl Tight {
    pub(crate) fn new(device: &Device) -> Self {
        Self {
            issue: device.control.start_cycles,
            wait: device.control.wait_cycles,
            barrier: device.control.barrier_cycles,
            demands: Demands::new(device),
            jobs: JobList::default(),
            end: 0,
            waits: 0,
            waits_of_kind: [0; KINDS],
            wait_end: u64::MAX,
            after_wait: u64::MAX,
            room: Vec::new(),
        }
    }

    /// Adds a command after its dependences.
    pub(crate) fn add<'t>(
        &mut self,
        cost: &CommandCost,
        dependences: impl Iterator<Item = &'t Times>,
    ) -> (Times, Before) {
        let number = self.number(cost);
        let mut head = 0;
        let mut ready = 0;
        let mut waits = 0;
        let mut waits_of_kind = [0; KINDS];
        let mut after_wait = false;
        for before in dependences {
            let apart = self.demands.are_apart(before.demand, number);
            let from = self.demands.get(before.demand);
            ready = ready.max(before.end);
            head = head.max(if apart || from.blocking {
                before.end
            } else {
                before.issued
            });
            let waited = apart && !from.blocking;
            waits = waits.max(before.waits + u32::from(waited));
            for (kind, most) in waits_of_kind.iter_mut().enumerate() {
                let one = waited && from.kind == Some(kind);
                *most = (*most).max(before.waits_of_kind[kind] + u32::from(one));
            }
            if waited {
                after_wait = true;
                self.wait_end = self.wait_end.min(before.end);
            }
        }
        let demand = self.demands.get(number);
        let issued = head.saturating_add(self.issue);
        let begin = issued.saturating_add(demand.latency).max(ready);
        let end = issued
            .saturating_add(demand.time)
            .max(begin.saturating_add(demand.occupancy));
        self.end = self.end.max(end);
        self.waits = self.waits.max(waits);
        for (most, waits) in self.waits_of_kind.iter_mut().zip(waits_of_kind) {
            *most = (*most).max(waits);
        }
        let times = Times {
            demand: number,
            issued,
            end,
            waits,
            waits_of_kind,
        };
        let before = Before {
            demand: number,
            head,
            begin,
            waits: after_wait,
        };
        (times, before)
    }

    fn number(&mut self, cost: &CommandCost) -> u32 {
        if let Some(number) = cost.number.get() {
            return number;
        }
        // What may avoid a link altogether takes it no time.
        let on_links = cost
            .choices
            .iter()
            .all(|choice| cost.demand.engines.contains(&choice.engine));
        let links = if on_links { cost.demand.links.as_slice() } else { &[] };
        let number = self.demands.number(&Rc::clone(&cost.choices), links);
        cost.number.set(Some(number));
        number
    }

    /// Finds the times after the commands of the window, oldest first, in place of what `afters` holds.
    fn afters(&self, window: &Window, afters: &mut Vec<After>) {
        let nodes = window.nodes();
        afters.clear();
        afters.resize(nodes.len(), After::default());
        window.backward(|i, before| {
            let demand = self.demands.get(nodes[i].before.demand);
            let Some(p) = before else {
                let after = &mut afters[i];
                after.issue = after.issue.max(demand.time.saturating_add(after.end));
                return;
            };
            let issued = self.issue.saturating_add(afters[i].issue);
            let queued = demand.occupancy.saturating_add(afters[i].end);
            let from = nodes[p].before.demand;
            let waited = self.demands.are_apart(from, nodes[i].before.demand) || self.demands.get(from).blocking;
            let after = &mut afters[p];
            after.end = after.end.max(if waited { issued } else { queued });
            after.issue = after.issue.max(issued);
        });
    }

    /// The oldest commands of the window as jobs, with the least time after those that come after a wait.
    fn window_jobs(&self, window: &Window, afters: &[After], mut take: impl FnMut(Jobs)) -> u64 {
        let mut after_wait = u64::MAX;
        for (node, after) in window.nodes().iter().zip(afters) {
            let Before {
                demand,
                head,
                begin,
                waits,
            } = node.before;
            if waits {
                after_wait = after_wait.min(self.issue.saturating_add(after.issue));
            }
            take(Jobs {
                demand,
                count: 1,
                head,
                begin,
                after_issue: after.issue,
                after_end: after.end,
            });
        }
        after_wait
    }

    /// Takes over the oldest commands of the window, which they are about to leave.
    pub(crate) fn take_oldest(&mut self, window: &Window, count: usize) {
        let mut afters = std::mem::take(&mut self.room);
        self.afters(window, &mut afters);
        let mut jobs = std::mem::take(&mut self.jobs);
        let after_wait = self.window_jobs(window, &afters[..count.min(afters.len())], |job| jobs.push(job));
        self.after_wait = self.after_wait.min(after_wait);
        (self.jobs, self.room) = (jobs, afters);
    }

    /// The bound for a run that took `cycles`.
    pub(crate) fn report(
        &self,
        window: &Window,
        cycles: u64,
        engine_names: &[String],
        link_names: &[String],
    ) -> TightBound {
        let mut list = self.jobs.clone();
        let mut afters = Vec::new();
        self.afters(window, &mut afters);
        let after_wait = self.window_jobs(window, &afters, |job| list.push(job));
        let after_wait = after_wait.min(self.after_wait);
        let jobs: Vec<Jobs> = list.iter().copied().collect();
        let mut parts = vec![
            (Limit::Path, "dataflow".to_owned(), self.end),
            (
                Limit::Control(self.blocked(&jobs)),
                "control".to_owned(),
                self.control(&jobs, after_wait),
            ),
        ];
        let names = |set: &[usize]| {
            let names = set.iter().filter_map(|engine| engine_names.get(*engine));
            names.map(String::as_str).collect::<Vec<_>>().join("+")
        };
        for set in self.unions() {
            let mine: Vec<Jobs> = jobs
                .iter()
                .filter(|job| self.is_within(job.demand, &set))
                .copied()
                .collect();
            if mine.is_empty() {
                continue;
            }
            let name = names(&set);
            let limit = Limit::Engines(set.clone());
            parts.push((limit.clone(), name.clone(), self.engines(&set, &mine)));
            parts.push((limit.clone(), format!("queues of {name}"), self.queues(&set, &mine)));
            if let Some(cycles) = self.held(&set, &mine, &jobs) {
                parts.push((limit, format!("control and {name}"), cycles));
            }
        }
        for (link, name) in link_names.iter().enumerate() {
            if let Some((cycles, crossing)) = self.link(link, &jobs) {
                parts.push((Limit::Link(crossing), format!("link {name}"), cycles));
            }
        }
        // Of equally great ones the first.
        let best = parts.iter().rev().max_by_key(|(.., cycles)| *cycles);
        let limit = best.map_or(Limit::Path, |(limit, ..)| limit.clone());
        let parts = parts.into_iter().map(|(_, name, cycles)| BoundPart { name, cycles });
        TightBound {
            report: BoundReport::of_parts(parts.collect(), cycles),
            limit,
        }
    }

    fn is_within(&self, demand: u32, set: &[usize]) -> bool {
        let members = &self.demands.sets()[self.demands.get(demand).set];
        members.iter().all(|engine| set.contains(engine))
    }

    fn control(&self, jobs: &[Jobs], after_wait: u64) -> u64 {
        let job = |jobs: &Jobs| {
            let demand = self.demands.get(jobs.demand);
            let (held, tail) = match demand.blocking {
                true => (demand.time, jobs.after_end),
                false => (0, jobs.after_issue),
            };
            Job {
                head: jobs.head.into(),
                work: u128::from(self.issue.saturating_add(held)) * u128::from(jobs.count),
                tail: tail.into(),
            }
        };
        let mut all: Vec<Job> = jobs.iter().map(job).collect();
        let (work, one) = self.waiting();
        if work > 0 && self.wait_end != u64::MAX && after_wait != u64::MAX {
            all.push(Job {
                head: self.wait_end.saturating_sub(one).into(),
                work: work.into(),
                tail: after_wait.into(),
            });
        }
        whole(one_machine(&mut all))
    }

    /// Cycles for which commands that can only block hold the stream.
    fn blocked(&self, jobs: &[Jobs]) -> u64 {
        let blocking = jobs.iter().filter(|job| self.demands.get(job.demand).blocking);
        blocking.fold(0, |sum, job| {
            sum.saturating_add(self.demands.get(job.demand).time.saturating_mul(job.count))
        })
    }

    /// Cycles of the stream for waits, at least, and those of the longest single wait that counts in it.
    fn waiting(&self) -> (u64, u64) {
        let all = self.demands.all();
        let least = |wanted: &dyn Fn(usize) -> bool| {
            let of = |demand: &demand::Demand| demand.kind.is_none_or(wanted).then_some(demand.time);
            all.iter().filter_map(of).min().unwrap_or(0)
        };
        let one = self.wait.min(self.barrier).min(least(&|_| true));
        let on_one_path = one.saturating_mul(self.waits.into());
        let costs: [u64; KINDS] = std::array::from_fn(|kind| self.wait.min(least(&|other| other == kind)));
        let with_barriers = |barriers: u32| {
            let kinds = costs.iter().zip(self.waits_of_kind);
            let others = kinds.map(|(cost, waits)| cost.saturating_mul(waits.saturating_sub(barriers).into()));
            let others = others.fold(0u64, u64::saturating_add);
            others.saturating_add(self.barrier.saturating_mul(barriers.into()))
        };
        // The sum is piecewise linear in the number of barriers, so it is least at a corner.
        let corners = self.waits_of_kind.into_iter().chain([0]);
        let of_kinds = corners.map(with_barriers).min().unwrap_or(0);
        let longest = costs.into_iter().fold(self.barrier.max(one), u64::max);
        if of_kinds > on_one_path {
            (of_kinds, longest)
        } else {
            (on_one_path, one)
        }
    }

    /// The bound of a set of engines by the commands that only they can do.
    fn engines(&self, set: &[usize], mine: &[Jobs]) -> u64 {
        let mut counts: Vec<u64> = vec![0; self.demands.all().len()];
        for job in mine {
            counts[job.demand as usize] += job.count;
        }
        let loads = self.demands.all().iter().zip(counts).filter(|(_, count)| *count > 0);
        let loads: Vec<weights::Load<'_>> = loads.collect();
        let weighted = |weights: &[(usize, u64)]| {
            let total: u64 = weights.iter().map(|(_, weight)| weight).sum();
            let of = |choice: &crate::choices::Choice| {
                let weight = weights.iter().find(|(engine, _)| *engine == choice.engine)?.1;
                Some(u128::from(weight) * u128::from(choice.occupancy))
            };
            let work: Vec<u128> = self
                .demands
                .all()
                .iter()
                .map(|demand| {
                    demand
                        .choices
                        .iter()
                        .map(|choice| of(choice).unwrap_or(0))
                        .min()
                        .unwrap_or(0)
                })
                .collect();
            let total = u128::from(total);
            let job = |job: &Jobs| Job {
                head: u128::from(job.begin) * total,
                work: work[job.demand as usize] * u128::from(job.count),
                tail: u128::from(job.after_end) * total,
            };
            whole(one_machine(&mut mine.iter().map(job).collect::<Vec<_>>()).div_ceil(total))
        };
        let latency = loads.iter().map(|(demand, _)| demand.latency).min().unwrap_or(0);
        let piece = |jobs: &Jobs| (jobs.begin, self.demands.get(jobs.demand).occupancy, jobs.after_end);
        let parallel = self.parallel(set.len() as u64, mine, latency, piece);
        let balanced = weights::balanced(set, &loads).map_or(0, |weights| weighted(&weights));
        weighted(&weights::equal(set)).max(balanced).max(parallel)
    }

    /// The bound of the places in the queues of a set of engines by the commands that only they can do.
    fn queues(&self, set: &[usize], mine: &[Jobs]) -> u64 {
        let places = set
            .iter()
            .fold(0u64, |sum, engine| sum.saturating_add(self.demands.depth(*engine)));
        let total = u128::from(places);
        let time = |jobs: &Jobs| self.demands.get(jobs.demand).time;
        let job = |jobs: &Jobs| Job {
            head: u128::from(jobs.head.saturating_add(self.issue)) * total,
            work: u128::from(time(jobs)) * u128::from(jobs.count),
            tail: u128::from(jobs.after_end) * total,
        };
        let equal = whole(one_machine(&mut mine.iter().map(job).collect::<Vec<_>>()).div_ceil(total.max(1)));
        let piece = |jobs: &Jobs| (jobs.head.saturating_add(self.issue), time(jobs), jobs.after_end);
        equal.max(self.parallel(places, mine, 0, piece))
    }

    /// The bound of m equal units by all jobs: each unit has a first and a last one. `piece` is the head, work and tail
    /// of a job; the k-th that is issued begins `latency` after k issues or later.
    fn parallel(&self, units: u64, jobs: &[Jobs], latency: u64, piece: impl Fn(&Jobs) -> (u64, u64, u64)) -> u64 {
        let count = jobs.iter().fold(0u64, |sum, job| sum.saturating_add(job.count));
        if units == 0 || count < units {
            return 0;
        }
        let pieces: Vec<(u64, u64, u64, u64)> = jobs
            .iter()
            .map(|job| {
                let (head, work, tail) = piece(job);
                (head, work, tail, job.count)
            })
            .collect();
        let least = |of: fn(&(u64, u64, u64, u64)) -> u64| {
            let mut sorted: Vec<(u64, u64)> = pieces.iter().map(|piece| (of(piece), piece.3)).collect();
            sorted.sort_unstable();
            sorted
        };
        let mut sum: u128 = pieces
            .iter()
            .map(|piece| u128::from(piece.1) * u128::from(piece.3))
            .sum();
        let mut place = 0u64;
        for (head, count) in least(|piece| piece.0) {
            // A whole number of issues has passed before each of them.
            for _ in 0..count.min(units - place) {
                place += 1;
                let issued = self.issue.saturating_mul(place).saturating_add(latency);
                sum += u128::from(head.max(issued));
            }
            if place == units {
                break;
            }
        }
        let mut left = units;
        for (tail, count) in least(|piece| piece.2) {
            let here = count.min(left);
            left -= here;
            sum += u128::from(tail) * u128::from(here);
            if left == 0 {
                break;
            }
        }
        whole(sum.div_ceil(u128::from(units)))
    }

    /// The bound of a set of engines that have only their queues while blocking commands of other engines hold the
    /// stream; `None` if nothing does.
    fn held(&self, set: &[usize], mine: &[Jobs], all: &[Jobs]) -> Option<u64> {
        let full: u128 = set
            .iter()
            .map(|engine| {
                let here = |demand: &demand::Demand| {
                    let choice = demand.choices.iter().find(|choice| choice.engine == *engine)?;
                    Some(choice.occupancy)
                };
                let longest = self.demands.all().iter().filter_map(here).max().unwrap_or(0);
                u128::from(self.demands.depth(*engine)) * u128::from(longest)
            })
            .sum();
        let engines = set.len() as u128;
        let mut held = 0u128;
        let mut meanwhile = 0u128;
        for job in all {
            let demand = self.demands.get(job.demand);
            let elsewhere = || demand.choices.iter().all(|choice| !set.contains(&choice.engine));
            if demand.blocking && elsewhere() {
                let (time, count) = (u128::from(demand.time), u128::from(job.count));
                held += time * count;
                meanwhile += (time * engines).min(full) * count;
            }
        }
        let work = mine.iter().map(|job| {
            let occupancy = self.demands.get(job.demand).occupancy;
            u128::from(occupancy) * u128::from(job.count)
        });
        let left = work.sum::<u128>().saturating_sub(meanwhile);
        (held > 0).then(|| whole(held + left.div_ceil(engines.max(1))))
    }

    /// The bound of a link, and the engines of the transfers that cross it; `None` if nothing has to cross it.
    fn link(&self, link: usize, jobs: &[Jobs]) -> Option<(u64, Vec<usize>)> {
        let parts = u128::from(LINK_PARTS);
        let job = |jobs: &Jobs| {
            let demand = self.demands.get(jobs.demand);
            let on_link = demand.links.iter().filter(|(crossed, _)| *crossed == link);
            let work: u64 = on_link.map(|(_, parts)| parts).sum();
            (work > 0).then(|| Job {
                head: u128::from(jobs.begin) * parts,
                work: u128::from(work) * u128::from(jobs.count),
                tail: u128::from(jobs.after_end) * parts,
            })
        };
        let mut crossing: Vec<Job> = jobs.iter().filter_map(job).collect();
        if crossing.is_empty() {
            return None;
        }
        let demands = self.demands.all().iter();
        let demands = demands.filter(|demand| demand.links.iter().any(|(crossed, _)| *crossed == link));
        let engines: BTreeSet<usize> = demands
            .flat_map(|demand| &demand.choices[..])
            .map(|choice| choice.engine)
            .collect();
        let cycles = whole(one_machine(&mut crossing).div_ceil(parts));
        Some((cycles, engines.into_iter().collect()))
    }

    /// The sets of engines, and unions of those that overlap, as long as they are few.
    fn unions(&self) -> Vec<Vec<usize>> {
        let known = self.demands.sets();
        let mut sets: Vec<Vec<usize>> = known.iter().filter(|set| !set.is_empty()).cloned().collect();
        let mut next = 0;
        while next < sets.len() && sets.len() < MOST_UNIONS {
            for set in known {
                // Sets that share no engine bound each other's work separately at least as well.
                if !set.iter().any(|engine| sets[next].contains(engine)) {
                    continue;
                }
                let mut union = sets[next].clone();
                union.extend(set);
                union.sort_unstable();
                union.dedup();
                if !sets.contains(&union) {
                    sets.push(union);
                }
            }
            next += 1;
        }
        sets
    }
}

fn whole(cycles: u128) -> u64 {
    u64::try_from(cycles).unwrap_or(u64::MAX)
}
