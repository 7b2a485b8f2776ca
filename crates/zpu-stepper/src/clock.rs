//! Single cycles. At the beginning of a cycle the units do all that takes no time: commands that have nothing left are
//! complete, the next ones start, the control stream goes on to its next step. Then the cycle passes.
//!
//! Invariant: within a cycle nothing changes but counters, and those of links are exact. With [`Options::skip`] several
//! cycles pass at once, as many as every counter has left; a test holds that to the plain form.

use std::collections::VecDeque;

use zpu_device::{Device, WhenFull};
use zpu_sim::EngineId;

use crate::error::StepError;
use crate::fraction::Fraction;
use crate::share::{Flow, shares};
use crate::stream::{Step, Stream};
use crate::{CommandTimes, Options, Run};

/// Counts the cycles of the control stream's steps.
pub(crate) fn count(device: &Device, stream: &Stream, options: &Options) -> Result<Run, StepError> {
    let links = device.links.iter().map(|link| Fraction::decimal(link.bytes_per_cycle));
    let mut clock = Clock {
        device,
        stream,
        links: links.collect::<Result<_, _>>()?,
        now: 0,
        next: 0,
        doing: Doing::Next,
        queues: vec![VecDeque::new(); device.engines.len()],
        commands: Vec::new(),
        left: stream.jobs.iter().map(|job| (job.fixed, job.bytes)).collect(),
    };
    loop {
        while clock.retire() | clock.stream_goes_on()? {}
        if let (true, Some(mistake)) = (clock.stream_ended(), &stream.mistake) {
            return Err(mistake.clone());
        }
        if clock.stream_ended() && clock.queues.iter().all(VecDeque::is_empty) {
            return Ok(Run {
                cycles: clock.now,
                commands: clock.commands,
            });
        }
        if clock.now >= options.max_cycles {
            return Err(StepError::Cycles(options.max_cycles));
        }
        clock.pass(options.skip)?;
    }
}

/// The activity of the control stream.
#[derive(Clone, Debug)]
enum Doing {
    /// None: the next step is due.
    Next,
    /// Pays for its step, which takes effect after that.
    Paying { left: u64, step: Step },
    /// Is held until the command is complete.
    Held(usize),
}

struct Clock<'a> {
    device: &'a Device,
    stream: &'a Stream,
    /// Bytes per cycle.
    links: Vec<Fraction>,
    now: u64,
    /// Steps that are begun.
    next: usize,
    doing: Doing,
    /// Commands that are issued and not complete, by engine. The first one is on the unit.
    queues: Vec<VecDeque<usize>>,
    /// All that are issued.
    commands: Vec<CommandTimes>,
    /// Remaining unshared cycles and bytes, by command.
    left: Vec<(u64, Fraction)>,
}

impl Clock<'_> {
    fn stream_ended(&self) -> bool {
        matches!(self.doing, Doing::Next) && self.next == self.stream.steps.len()
    }

    /// The cycle from which the command takes its engine, if it is at the head: its latency runs from its issue.
    fn taken_from(&self, command: usize) -> u64 {
        self.commands[command]
            .issue
            .saturating_add(self.stream.jobs[command].latency)
    }

    /// Heads that have nothing left are complete; the ones after them are on the unit now.
    fn retire(&mut self) -> bool {
        let mut changed = false;
        for engine in 0..self.queues.len() {
            while let Some(&head) = self.queues[engine].front() {
                if self.now < self.taken_from(head) {
                    break;
                }
                self.commands[head].start.get_or_insert(self.now);
                if self.left[head].0 > 0 || self.left[head].1.is_positive() {
                    break;
                }
                self.commands[head].end = Some(self.now);
                self.queues[engine].pop_front();
                changed = true;
            }
        }
        changed
    }

    /// The control stream does one thing that takes no time, if it can.
    fn stream_goes_on(&mut self) -> Result<bool, StepError> {
        let control = &self.device.control;
        let after = match &self.doing {
            Doing::Next => {
                let Some(step) = self.stream.steps.get(self.next) else {
                    return Ok(false);
                };
                self.next += 1;
                let left = match step {
                    Step::Spend(cycles) => *cycles,
                    Step::Issue { .. } => control.start_cycles,
                    Step::Wait(_) | Step::Hang => control.wait_cycles,
                    Step::Barrier(_) => control.barrier_cycles,
                };
                Doing::Paying {
                    left,
                    step: step.clone(),
                }
            }
            Doing::Paying { left: 0, step } => match step {
                Step::Spend(_) => Doing::Next,
                Step::Wait(command) if command.is_none_or(|command| self.is_complete(command)) => Doing::Next,
                Step::Barrier(engines) if engines.iter().all(|engine| self.queues[*engine].is_empty()) => Doing::Next,
                Step::Issue { command, synchronous } => return self.issue(*command, *synchronous),
                _ => return Ok(false),
            },
            Doing::Held(command) if self.is_complete(*command) => Doing::Next,
            _ => return Ok(false),
        };
        self.doing = after;
        Ok(true)
    }

    fn is_complete(&self, command: usize) -> bool {
        self.commands[command].end.is_some()
    }

    /// The command enters its queue, or follows the policy of a full queue.
    fn issue(&mut self, command: usize, synchronous: bool) -> Result<bool, StepError> {
        let index = self.stream.jobs[command].engine;
        let engine = &self.device.engines[index];
        let is_full = self.queues[index].len() as u64 >= engine.queue_depth;
        let dropped = match engine.when_full {
            _ if !is_full => false,
            WhenFull::Drop if !synchronous => true,
            WhenFull::Error if !synchronous => {
                return Err(StepError::QueueFull {
                    command,
                    engine: index,
                    cycle: self.now,
                });
            }
            _ => return Ok(false),
        };
        self.commands.push(CommandTimes {
            engine: EngineId(index as u32),
            issue: self.now,
            start: None,
            end: None,
        });
        self.doing = Doing::Next;
        if !dropped {
            self.queues[index].push_back(command);
            if synchronous || engine.blocking {
                self.doing = Doing::Held(command);
            }
        }
        Ok(true)
    }

    /// Passes one cycle of every unit; with `skip`, all cycles up to the next change.
    fn pass(&mut self, skip: bool) -> Result<(), StepError> {
        let heads: Vec<usize> = self.queues.iter().filter_map(|queue| queue.front().copied()).collect();
        let (taken, early): (Vec<usize>, Vec<usize>) =
            heads.into_iter().partition(|head| self.now >= self.taken_from(*head));
        let (busy, moving): (Vec<usize>, Vec<usize>) = taken.into_iter().partition(|head| self.left[*head].0 > 0);
        let flow = |command: &usize| Flow {
            alone: self.stream.jobs[*command].alone,
            links: &self.stream.jobs[*command].links,
        };
        let shares = shares(&moving.iter().map(flow).collect::<Vec<_>>(), &self.links)?;
        let paying = match self.doing {
            Doing::Paying { left, .. } if left > 0 => Some(left),
            _ => None,
        };
        // The cycles until each of them changes.
        let mut lasts: Vec<u64> = early.iter().map(|head| self.taken_from(*head) - self.now).collect();
        lasts.extend(busy.iter().map(|head| self.left[*head].0).chain(paying));
        for (head, share) in moving.iter().zip(&shares) {
            lasts.push(self.left[*head].1.divided_up(*share)?);
        }
        // With all units idle, no command will ever be complete.
        let least = lasts.into_iter().min().ok_or(StepError::Stuck(self.now))?;
        let cycles = if skip { least } else { 1 };
        for head in busy {
            self.left[head].0 -= cycles;
        }
        for (head, share) in moving.into_iter().zip(shares) {
            self.left[head].1 = self.left[head].1.minus(share.times(cycles)?)?;
        }
        if let Doing::Paying { left, .. } = &mut self.doing {
            *left = left.saturating_sub(cycles);
        }
        self.now = self.now.saturating_add(cycles);
        Ok(())
    }
}
