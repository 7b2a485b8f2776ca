//! The streams of a function with their verdicts, as they stand in the annotation `zpu.streams`.

use zpu_analysis::order::{Decline, Stream, streams};
use zpu_ir::stream::Record;
use zpu_ir::{Def, Failed, Op, Value, error};
use zpu_stream::fork::ForkError;
use zpu_stream::verdict::{Edge, Reason};
use zpu_stream::{Answer, Limits, analyze};

/// Accesses of a buffer that are replayed to record and to verify what it stands for, at most, and elements of them.
pub(crate) const MOST_REPLAYED: u64 = 1 << 26;

/// A stream and what is known of its edges.
pub(crate) struct Decided<'c> {
    pub(crate) stream: Stream<'c>,
    pub(crate) answer: Answer,
}

/// A tensor that the function makes and reads: decided, or why it is not.
pub(crate) struct Tensor<'c> {
    pub(crate) value: Value<'c>,
    pub(crate) decided: Result<Decided<'c>, Decline<'c>>,
}

/// Work that may be done for one tensor; the error is a number of accesses that is none.
pub(crate) fn limits(function: Op<'_>, max_accesses: i64) -> Result<Limits, Failed> {
    let most = i64::from(u32::MAX);
    match u32::try_from(max_accesses) {
        Ok(accesses @ 1..) => Ok(Limits {
            accesses,
            ..Limits::default()
        }),
        _ => {
            let message = format!("max-accesses is {max_accesses}, must be at least 1 and at most {most}");
            error(function, &message, &[]);
            Err(Failed)
        }
    }
}

/// All tensors of a function that it both makes and reads, in program order.
pub(crate) fn decided<'c>(function: Op<'c>, limits: Limits) -> Vec<Tensor<'c>> {
    let decide = |stream: Stream<'c>| match analyze(&stream.fork, limits) {
        Ok(answer) => match hidden_producer(&stream, &answer).or_else(|| unwritable(&stream, &answer)) {
            Some(decline) => Err(decline),
            None => Ok(Decided { stream, answer }),
        },
        Err(error) => Err(declined(&stream, &error)),
    };
    streams(function)
        .into_iter()
        .map(|found| Tensor {
            value: found.tensor,
            decided: found.stream.and_then(decide),
        })
        .collect()
}

/// An element that the producer never writes may be written by an operation before it, or by an earlier iteration of
/// the loops outside.
fn hidden_producer<'c>(stream: &Stream<'c>, answer: &Answer) -> Option<Decline<'c>> {
    let is_unwritten = |edge: &Edge| matches!(edge.reason, Some(Reason::NeverWritten(_)));
    let at = answer.edges.iter().position(is_unwritten)?;
    let (reason, by) = (answer.edges[at].reason.as_ref()?, stream.producer.op.name());
    if let Some(other) = stream.others.first() {
        let message = format!("a consumer {reason} by {by}, the last of several producers");
        return Some(Decline::new("several-producers", *other, message));
    }
    let maker = stream.tensor.defining_op()?;
    let lives_on = stream.outside.iter().any(|for_| !for_.op.contains(maker));
    lives_on.then(|| {
        let message = format!("a consumer {reason} by {by} in the same iteration of the loops around both");
        Decline::new("read-before-written", stream.consumers[at].op, message)
    })
}

/// A size that is no 64-bit number has no annotation.
fn unwritable<'c>(stream: &Stream<'c>, answer: &Answer) -> Option<Decline<'c>> {
    let edges = answer.edges.iter().filter_map(|edge| edge.sizes.as_ref());
    let mut all = edges.chain(answer.shared.iter().map(|shared| &shared.sizes));
    let fits = |size: u128| i64::try_from(size).is_ok();
    let too_large = all.find_map(|sizes| {
        let each = [sizes.min_capacity, sizes.retained, sizes.circular_span, sizes.epochs];
        each.into_iter().find(|size| !fits(*size))
    })?;
    let message = format!("a size is {too_large}, the limit is {}", i64::MAX);
    Some(Decline::new("too-large", stream.producer.op, message))
}

fn declined<'c>(stream: &Stream<'c>, error: &ForkError) -> Decline<'c> {
    let reason = match error {
        ForkError::TooLarge { .. } => "too-large",
        _ => "not-an-order",
    };
    Decline::new(reason, stream.producer.op, error.to_string())
}

impl Decided<'_> {
    /// The number of the result that is the tensor.
    fn result(&self) -> usize {
        match self.stream.tensor.def() {
            Def::Result(_, index) => index,
            Def::Argument(..) => 0,
        }
    }

    /// The entries of the annotation, of which `first` others stand before: one for each consumer, and one for the
    /// buffer that serves all of them if there are several.
    pub(crate) fn records(&self, first: usize) -> Vec<Record> {
        let fork = &self.stream.fork;
        let edges = self.answer.edges.iter().zip(&fork.consumers);
        let mut records: Vec<Record> = edges
            .map(|(edge, consumer)| Record {
                verdict: edge.verdict,
                write: fork.producer.clone(),
                read: Some(consumer.order.clone()),
                result: self.result(),
                gate: consumer.gate.map(|gate| (first + gate.on.index(), gate.prefix)),
                sizes: edge.sizes.clone(),
            })
            .collect();
        let shared = self.answer.shared.as_ref().filter(|_| fork.consumers.len() > 1);
        records.extend(shared.map(|shared| Record {
            verdict: shared.verdict,
            write: fork.producer.clone(),
            read: None,
            result: self.result(),
            gate: None,
            sizes: Some(shared.sizes.clone()),
        }));
        records
    }
}
