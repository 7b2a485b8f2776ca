//! The commit of effects to memory: at the times of the cost model, or at any others that the hardware is free to
//! choose.
//!
//! A command may change memory at any moment between its issue and the moment from which the control stream knows that
//! it is complete; only the commands of one engine keep their order. A program without races leaves the same bytes in
//! every such order, a racy one may show it in some. Cycles do not depend on the order.
//!
//! A copy or a computation that names no engine is between the control stream's actions before and after it, and in no
//! order with outstanding commands.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use crate::effect::Effect;

/// The time at which commands change memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// At their completion by the cost model.
    #[default]
    Timed,
    /// At once when they are issued, as in program order.
    Eager,
    /// As late as the waits for them and the depth of their queue allow; at the end, the oldest first.
    Lazy,
    /// A command that is waited for comes last of all outstanding ones; at the end, the newest first.
    Adversarial,
    /// At moments drawn by a generator with this seed.
    Random(u64),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timed => f.write_str("timed"),
            Self::Eager => f.write_str("eager"),
            Self::Lazy => f.write_str("lazy"),
            Self::Adversarial => f.write_str("adversarial"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

/// A name that is no order's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of timed, eager, lazy, adversarial, random:SEED with a SEED below 2^64")]
pub struct UnknownOrder(String);

impl FromStr for Order {
    type Err = UnknownOrder;

    fn from_str(text: &str) -> Result<Self, UnknownOrder> {
        let unknown = || UnknownOrder(text.to_owned());
        match (text, text.split_once(':')) {
            ("timed", _) => Ok(Self::Timed),
            ("eager", _) => Ok(Self::Eager),
            ("lazy", _) => Ok(Self::Lazy),
            ("adversarial", _) => Ok(Self::Adversarial),
            (_, Some(("random", seed))) => seed.parse().map(Self::Random).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

/// The effects of one command that have not reached memory.
#[derive(Debug)]
struct Pending {
    /// Place among the commands of its engine, from 1.
    sequence: u64,
    /// Number among all commands.
    issue: u64,
    effects: Vec<Effect>,
}

/// The effects of all outstanding commands, by engine, oldest first.
#[derive(Debug)]
pub(crate) struct Commit {
    order: Order,
    /// The last one is for what names no engine.
    queues: Vec<VecDeque<Pending>>,
    /// State of the generator.
    random: u64,
}

impl Commit {
    pub(crate) fn new(engines: usize, order: Order) -> Self {
        Self {
            order,
            queues: (0..=engines).map(|_| VecDeque::new()).collect(),
            random: if let Order::Random(seed) = order { seed } else { 0 },
        }
    }

    /// A command was issued to a queue of `depth` places. Returns what changes memory now, in this order.
    pub(crate) fn issued(
        &mut self,
        engine: usize,
        (sequence, issue): (u64, u64),
        effects: Vec<Effect>,
        depth: u64,
    ) -> Vec<Effect> {
        let mut due = Vec::new();
        if self.order != Order::Timed {
            // A command that left the queue to make room is complete.
            self.take(engine, sequence.saturating_sub(depth.max(1)), &mut due);
        }
        self.queues[engine].push_back(Pending {
            sequence,
            issue,
            effects,
        });
        match self.order {
            Order::Eager => self.take(engine, sequence, &mut due),
            Order::Random(_) => self.some(&mut due),
            Order::Timed | Order::Lazy | Order::Adversarial => {}
        }
        due
    }

    /// Something was issued that names no engine, and that the stream waits for at once; by the cost model, `engine`
    /// does it.
    pub(crate) fn issued_bare(&mut self, engine: usize, issue: u64, effects: Vec<Effect>) -> Vec<Effect> {
        if self.order == Order::Timed {
            let sequence = 0;
            self.queues[engine].push_back(Pending {
                sequence,
                issue,
                effects,
            });
            return Vec::new();
        }
        self.issued(self.queues.len() - 1, (issue + 1, issue), effects, u64::MAX)
    }

    /// Commits all commands that name no engine: the stream goes on only when they are complete.
    pub(crate) fn known_bare(&mut self) -> Vec<Effect> {
        self.known(self.queues.len() - 1, u64::MAX)
    }

    /// The oldest command of an engine completed by the cost model.
    pub(crate) fn completed(&mut self, engine: usize) -> Vec<Effect> {
        let pending = (self.order == Order::Timed).then(|| self.queues[engine].pop_front());
        pending.flatten().map_or_else(Vec::new, |pending| pending.effects)
    }

    /// The stream knows from now on that this command of an engine is complete, and all before it.
    pub(crate) fn known(&mut self, engine: usize, sequence: u64) -> Vec<Effect> {
        let mut due = Vec::new();
        let is_due = |pending: &Pending| pending.sequence <= sequence;
        if self.order == Order::Timed || !self.queues[engine].front().is_some_and(is_due) {
            return due;
        }
        match self.order {
            Order::Adversarial => self.newest_first(Some(engine), &mut due),
            Order::Random(_) => self.some(&mut due),
            Order::Timed | Order::Eager | Order::Lazy => {}
        }
        self.take(engine, sequence, &mut due);
        due
    }

    /// The program is over.
    pub(crate) fn end(&mut self) -> Vec<Effect> {
        let mut due = Vec::new();
        match self.order {
            Order::Adversarial => self.newest_first(None, &mut due),
            _ => {
                let oldest = |queues: &[VecDeque<Pending>]| {
                    let heads = queues
                        .iter()
                        .enumerate()
                        .filter_map(|(e, queue)| Some((queue.front()?.issue, e)));
                    heads.min().map(|(_, engine)| engine)
                };
                while let Some(engine) = oldest(&self.queues) {
                    self.take_one(engine, &mut due);
                }
            }
        }
        due
    }

    fn take_one(&mut self, engine: usize, due: &mut Vec<Effect>) {
        if let Some(pending) = self.queues[engine].pop_front() {
            due.extend(pending.effects);
        }
    }

    /// Takes the effects of an engine up to a command.
    fn take(&mut self, engine: usize, sequence: u64, due: &mut Vec<Effect>) {
        while self.queues[engine]
            .front()
            .is_some_and(|pending| pending.sequence <= sequence)
        {
            self.take_one(engine, due);
        }
    }

    /// Takes the effects of all engines but one, the engine with the newest command first.
    fn newest_first(&mut self, except: Option<usize>, due: &mut Vec<Effect>) {
        let newest = |queues: &[VecDeque<Pending>]| {
            let ends = queues.iter().enumerate().filter(|(engine, _)| Some(*engine) != except);
            let ends = ends.filter_map(|(engine, queue)| Some((queue.back()?.issue, engine)));
            ends.max().map(|(_, engine)| engine)
        };
        while let Some(engine) = newest(&self.queues) {
            self.take(engine, u64::MAX, due);
        }
    }

    /// Some commands, chosen by chance.
    fn some(&mut self, due: &mut Vec<Effect>) {
        let engines = self.queues.len() as u64;
        while engines > 0 && self.draw().is_multiple_of(2) {
            let engine = self.draw() % engines;
            self.take_one(engine as usize, due);
        }
    }

    /// The next number of the generator: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
    /// generators, 2014).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) >> 16
    }
}
