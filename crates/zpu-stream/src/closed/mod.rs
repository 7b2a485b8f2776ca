//! Formulas: verdicts, blocks and sizes without looking at any element, in time that depends on the number of loops.
//!
//! Invariant: what is decided here is what the sweep would say; where that is not certain, nothing is said.

mod block;
mod bound;
mod comb;
mod decide;
mod digits;
mod exchange;
mod gearbox;
mod line;
mod permutation;
mod taps;
mod turned;
mod window;

pub(crate) use self::bound::bound;
use self::decide::{decide, rest_after};
use self::digits::{Digit, Digits, refine, shape, volume};
use crate::analyze::Limits;
use crate::fork::{ConsumerId, Fork as Problem};
use crate::verdict::{Edge, Sizes};

/// A fork as digits, as far as it consists of them.
pub(crate) struct Fork<'f> {
    problem: &'f Problem,
    producer: Option<Digits>,
    consumers: Vec<Option<Digits>>,
}

impl<'f> Fork<'f> {
    pub(crate) fn of(problem: &'f Problem) -> Fork<'f> {
        let consumers = problem.consumers.iter();
        Fork {
            problem,
            producer: Digits::of(&problem.producer, &problem.tensor, true),
            consumers: consumers
                .map(|each| Digits::of(&each.order, &problem.tensor, false))
                .collect(),
        }
    }

    fn rank(&self) -> usize {
        self.problem.tensor.len()
    }

    /// Answer for a consumer without a gate; nothing if it takes a sweep.
    pub(crate) fn edge(&self, id: ConsumerId, limits: &Limits) -> Option<Edge> {
        let consumer = &self.problem.consumers[id.index()];
        if let Some(edge) = window::window(&self.problem.producer, consumer, &self.problem.tensor) {
            return Some(edge);
        }
        let (writes, shape) = (&self.problem.producer, &self.problem.tensor);
        let line = || line::line(writes, consumer, shape, limits).or_else(|| turned::turned(writes, consumer, shape));
        let (Some(producer), Some(digits)) = (&self.producer, &self.consumers[id.index()]) else {
            return line();
        };
        match refine(&[producer, digits], self.rank()).as_deref() {
            Some([producer, consumer]) => Some(decide(producer, consumer, self.rank(), limits)),
            _ => gearbox::gearbox(producer, digits, self.rank()).or_else(line),
        }
    }

    /// One buffer for consumers that have no gates, by a sweep over the largest of their blocks.
    pub(crate) fn shared(&self, limits: &Limits) -> Option<Sizes> {
        if self.problem.consumers.iter().any(|consumer| consumer.gate.is_some()) {
            return None;
        }
        let consumers: Vec<&Digits> = self.consumers.iter().map(Option::as_ref).collect::<Option<_>>()?;
        let sides: Vec<&Digits> = self.producer.iter().chain(consumers).collect();
        let refined = refine(&sides, self.rank())?;
        let (producer, consumers) = refined.split_first()?;
        // Blocks are made of the innermost loops, so that the largest one has the others in it.
        let common = |consumer: &Digits| {
            let pairs = producer.loops.iter().zip(&consumer.loops);
            pairs.take_while(|(one, other)| one == other).count()
        };
        let common = consumers.iter().map(common).min()?;
        let rests: Vec<_> = consumers
            .iter()
            .map(|consumer| rest_after(producer, consumer, common))
            .collect();
        let writes = &rests.first()?.producer;
        let reads: Vec<Digits> = rests.iter().map(|rest| rest.consumer.clone()).collect();
        let swept = block::sweep(writes, &reads, self.rank(), limits.accesses, limits);
        let digits: Vec<Digit> = writes.all().collect();
        let block_shape = shape(&digits, self.rank());
        let epochs = rests.first()?.epochs;
        Some(match swept {
            Some(block) => Sizes {
                min_capacity: block.measure.min_capacity,
                retained: block.measure.retained,
                circular_span: block.measure.circular_span,
                epochs,
                block_shape,
                modulo_shape: block.moduli.shape,
                is_exact: true,
                is_modulo_exact: block.moduli.is_exact,
            },
            None => Sizes {
                min_capacity: volume(&digits),
                retained: volume(&digits),
                circular_span: volume(&digits),
                epochs,
                modulo_shape: comb::moduli(&digits, self.rank()).0,
                block_shape,
                is_exact: false,
                is_modulo_exact: false,
            },
        })
    }
}

/// Tells whether it is certain that every element is written.
pub(crate) fn writes_everything(problem: &Problem) -> bool {
    Digits::of(&problem.producer, &problem.tensor, true).is_some()
}

/// Tells whether it is certain that some event of a consumer touches the tensor: its first or its last one does.
pub(crate) fn touches(problem: &Problem, id: ConsumerId) -> bool {
    let order = &problem.consumers[id.index()].order;
    let first = vec![0; order.loops.len()];
    let last: Vec<i64> = order.loops.iter().map(|trip| trip - 1).collect();
    [first, last]
        .iter()
        .filter_map(|indices| order.map.evaluate(indices))
        .any(|origin| {
            (0..origin.len()).all(|dimension| {
                let (x, dilation) = (origin[dimension], order.dilation[dimension]);
                let begin = if x < 0 {
                    (-x).div_euclid(dilation) + i64::from(-x % dilation > 0)
                } else {
                    0
                };
                begin < order.token[dimension] && x + begin * dilation < problem.tensor[dimension]
            })
        })
}
