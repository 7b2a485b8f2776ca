//! Verdicts and sizes by enumeration, written from the definitions alone: the checker of everything else, for small
//! tensors.
//!
//! Invariant: it uses the order's events and nothing of `closed` or `sweep`. Sets are sets of coordinates, progress is
//! executed event by event, and each condition is tested on all pairs that it speaks of.

use std::collections::{BTreeMap, BTreeSet};

use crate::fork::Fork;
use crate::order::{Event, events};
use crate::verdict::Verdict;

type Element = Vec<i64>;

/// All that is defined of one consumer, or of several that share a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The largest |L(p)|.
    pub min_capacity: usize,
    /// Most elements after the consumers have drained.
    pub retained: usize,
    /// The largest distance in L(p), in the order of production.
    pub circular_span: usize,
    /// Number of blocks into which the writes fall.
    pub epochs: usize,
    /// Their shape.
    pub block_shape: Vec<i64>,
    /// Moduli of the least product.
    pub modulo_shape: Vec<i64>,
}

/// Answer for one consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BruteEdge {
    /// The first row that holds.
    pub verdict: Verdict,
    /// The largest number of events that read one element.
    pub multiplicity: usize,
    /// Elements that are written and never read.
    pub dropped: usize,
    /// Sizes; nothing if it is incompatible.
    pub numbers: Option<Numbers>,
}

/// Answer for a fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BruteAnswer {
    /// By consumer.
    pub edges: Vec<BruteEdge>,
    /// Consumers with identical events and gates.
    pub groups: Vec<Vec<usize>>,
    /// One buffer for all; nothing if one of them is incompatible.
    pub shared: Option<Numbers>,
}

/// The channel: final writes, in order.
struct Channel {
    writes: Vec<Vec<Element>>,
    written_at: BTreeMap<Element, usize>,
    place: BTreeMap<Element, usize>,
}

/// Enumerates everything; nothing if there are more accesses than a limit.
pub fn brute(fork: &Fork, limit: u128) -> Option<BruteAnswer> {
    fork.check().ok()?;
    let channel = channel(&events(&fork.producer, &fork.tensor, limit).ok()?);
    let readers: Vec<Vec<Event>> = fork
        .consumers
        .iter()
        .map(|consumer| events(&consumer.order, &fork.tensor, limit).ok())
        .collect::<Option<_>>()?;
    let executed = progress(fork, &channel, &readers);
    let edge = |at: usize| {
        let reader = &readers[at];
        let completes = executed.last().is_some_and(|last| last[at] == reader.len());
        let touches = reader.iter().any(|event| !event.elements.is_empty());
        let reads: BTreeSet<&Element> = reader.iter().flat_map(|event| &event.elements).collect();
        let numbers = (completes && touches).then(|| numbers(fork, &channel, &readers, &executed, &[at]));
        let count = |element: &Element| reader.iter().filter(|event| event.elements.contains(element)).count();
        BruteEdge {
            verdict: numbers
                .as_ref()
                .map_or(Verdict::Incompatible, |n| verdict(fork, &channel, at, reader, n.epochs)),
            multiplicity: if numbers.is_some() {
                reads.iter().map(|element| count(element)).max().unwrap_or(0)
            } else {
                0
            },
            dropped: match numbers {
                Some(_) => channel.place.keys().filter(|element| !reads.contains(element)).count(),
                None => 0,
            },
            numbers,
        }
    };
    let edges: Vec<BruteEdge> = (0..readers.len()).map(edge).collect();
    let all: Vec<usize> = (0..readers.len()).collect();
    let is_possible = edges.iter().all(|edge| edge.numbers.is_some());
    Some(BruteAnswer {
        shared: is_possible.then(|| numbers(fork, &channel, &readers, &executed, &all)),
        groups: groups(fork, &readers),
        edges,
    })
}

fn channel(producer: &[Event]) -> Channel {
    let mut last: BTreeMap<Element, usize> = BTreeMap::new();
    for (at, event) in producer.iter().enumerate() {
        for element in &event.elements {
            last.insert(element.clone(), at);
        }
    }
    let finally = |(at, event): (usize, &Event)| -> Vec<Element> {
        event
            .elements
            .iter()
            .filter(|element| last[*element] == at)
            .cloned()
            .collect()
    };
    let writes: Vec<Vec<Element>> = producer
        .iter()
        .enumerate()
        .map(finally)
        .filter(|write| !write.is_empty())
        .collect();
    let numbered = writes.iter().enumerate();
    let written_at = numbered
        .flat_map(|(p, write)| write.iter().map(move |element| (element.clone(), p)))
        .collect();
    let place = writes.iter().flatten().cloned().zip(0..).collect();
    Channel {
        writes,
        written_at,
        place,
    }
}

/// Executed events of each consumer after 0, 1, ... channel writes, as soon as possible.
fn progress(fork: &Fork, channel: &Channel, readers: &[Vec<Event>]) -> Vec<Vec<usize>> {
    let mut now = vec![0; readers.len()];
    let mut all = Vec::new();
    for written in 0..=channel.writes.len() {
        let mut moves = true;
        while moves {
            moves = false;
            for (at, reader) in readers.iter().enumerate() {
                let Some(event) = reader.get(now[at]) else { continue };
                let has_all = event
                    .elements
                    .iter()
                    .all(|e| channel.written_at.get(e).is_some_and(|&p| p < written));
                let is_open = fork.consumers[at].gate.is_none_or(|gate| {
                    let others = readers[gate.on.index()].iter().enumerate();
                    let same = |other: &Event| other.indices[..gate.prefix] == event.indices[..gate.prefix];
                    others
                        .filter(|(_, other)| same(other))
                        .all(|(number, _)| number < now[gate.on.index()])
                });
                if has_all && is_open {
                    now[at] += 1;
                    moves = true;
                }
            }
        }
        all.push(now.clone());
    }
    all
}

/// Elements of writes 0..=p that are still needed, the consumers having executed so many events each.
fn needed(channel: &Channel, readers: &[Vec<Event>], which: &[usize], now: &[usize], p: usize) -> BTreeSet<Element> {
    let open = which.iter().flat_map(|&at| readers[at].iter().skip(now[at]));
    let elements = open.flat_map(|event| &event.elements);
    elements
        .filter(|element| channel.written_at[*element] <= p)
        .cloned()
        .collect()
}

fn numbers(
    fork: &Fork,
    channel: &Channel,
    readers: &[Vec<Event>],
    executed: &[Vec<usize>],
    which: &[usize],
) -> Numbers {
    let writes = channel.writes.len();
    let live: Vec<BTreeSet<Element>> = (0..writes)
        .map(|p| {
            let mut live = needed(channel, readers, which, &executed[p], p);
            live.extend(channel.writes[p].iter().cloned());
            live
        })
        .collect();
    let after: Vec<usize> = (0..writes)
        .map(|p| needed(channel, readers, which, &executed[p + 1], p).len())
        .collect();
    let span = |live: &BTreeSet<Element>| {
        let places = live.iter().map(|element| channel.place[element]);
        places
            .clone()
            .max()
            .zip(places.min())
            .map_or(0, |(newest, oldest)| newest - oldest + 1)
    };
    let (epochs, block_shape) = epochs(fork, channel, &after);
    Numbers {
        min_capacity: live.iter().map(BTreeSet::len).max().unwrap_or(0),
        retained: after.iter().copied().max().unwrap_or(0),
        circular_span: live.iter().map(span).max().unwrap_or(0),
        epochs,
        block_shape,
        modulo_shape: modulo(&fork.tensor, &live),
    }
}

/// The largest number of equal chunks; what is written is one chunk, also if it is no box.
fn epochs(fork: &Fork, channel: &Channel, after: &[usize]) -> (usize, Vec<i64>) {
    let writes = channel.writes.len();
    let shape = |chunk: &[Vec<Element>]| -> (Vec<i64>, bool) {
        let coordinates =
            |dimension: usize| -> BTreeSet<i64> { chunk.iter().flatten().map(|element| element[dimension]).collect() };
        let shape: Vec<i64> = (0..fork.tensor.len())
            .map(|dimension| coordinates(dimension).len() as i64)
            .collect();
        let elements: usize = chunk.iter().map(Vec::len).sum();
        let is_box = shape.iter().product::<i64>() == elements as i64;
        (shape, is_box)
    };
    for epochs in (1..=writes).rev().filter(|epochs| writes.is_multiple_of(*epochs)) {
        let length = writes / epochs;
        let chunks: Vec<(Vec<i64>, bool)> = channel.writes.chunks(length).map(shape).collect();
        let is_empty = (1..=epochs).all(|chunk| after[chunk * length - 1] == 0);
        if is_empty && chunks.iter().all(|chunk| chunk.1 && chunk.0 == chunks[0].0) {
            return (epochs, chunks[0].0.clone());
        }
    }
    (1, shape(&channel.writes).0)
}

/// All moduli, the smallest product first, until one keeps the elements of every set apart.
fn modulo(tensor: &[i64], live: &[BTreeSet<Element>]) -> Vec<i64> {
    let mut all: Vec<Vec<i64>> = vec![vec![]];
    for &extent in tensor {
        all = all
            .iter()
            .flat_map(|m| (1..=extent).map(|n| m.iter().copied().chain([n]).collect()))
            .collect();
    }
    all.sort_by_key(|m: &Vec<i64>| (m.iter().product::<i64>(), m.clone()));
    let most = live.iter().map(BTreeSet::len).max().unwrap_or(0);
    let is_injective = |m: &Vec<i64>| {
        let slot = |element: &Element| -> Vec<i64> { element.iter().zip(m).map(|(x, m)| x % m).collect() };
        m.iter().product::<i64>() >= most as i64
            && live
                .iter()
                .all(|live| live.iter().map(slot).collect::<BTreeSet<_>>().len() == live.len())
    };
    all.into_iter().find(is_injective).unwrap_or_default()
}

fn verdict(fork: &Fork, channel: &Channel, at: usize, reader: &[Event], epochs: usize) -> Verdict {
    let times = |event: &Event| -> Vec<usize> { event.elements.iter().map(|e| channel.written_at[e]).collect() };
    let reads: Vec<&Event> = reader.iter().filter(|event| !event.elements.is_empty()).collect();
    let in_order = reads
        .windows(2)
        .all(|pair| times(pair[0]).iter().max() <= times(pair[1]).iter().min());
    let all: BTreeSet<&Element> = reads.iter().flat_map(|event| &event.elements).collect();
    let drops = channel.place.keys().any(|element| !all.contains(element));
    let sorted = |tokens: &[&Vec<Element>]| -> Vec<BTreeSet<Element>> {
        tokens.iter().map(|token| token.iter().cloned().collect()).collect()
    };
    let written: Vec<&Vec<Element>> = channel.writes.iter().collect();
    let read: Vec<&Vec<Element>> = reads.iter().map(|event| &event.elements).collect();
    let mut once = read.clone();
    once.dedup();
    if in_order && !drops && read == written {
        return Verdict::Stream;
    }
    if in_order && !drops && sorted(&read) == sorted(&written) {
        return Verdict::LanePermute;
    }
    if in_order && !drops && once == written {
        return Verdict::Hold;
    }
    if in_order {
        return Verdict::Repack;
    }
    debug_assert!(at < fork.consumers.len());
    let first = |element: &Element| reader.iter().position(|event| event.elements.contains(element));
    let last = |element: &Element| reader.iter().rposition(|event| event.elements.contains(element));
    let lives: Vec<(usize, Option<usize>, Option<usize>)> = all
        .iter()
        .map(|e| (channel.written_at[*e], first(e), last(e)))
        .collect();
    let inverted = lives.iter().any(|e| lives.iter().any(|f| e.0 < f.0 && f.2 < e.1));
    match (inverted, epochs > 1) {
        (false, _) => Verdict::Window,
        (true, true) => Verdict::ReorderBlock,
        (true, false) => Verdict::ReorderFull,
    }
}

fn groups(fork: &Fork, readers: &[Vec<Event>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let elements = |at: usize| readers[at].iter().map(|event| &event.elements);
    for at in 0..readers.len() {
        let is_same = |group: &Vec<usize>| {
            fork.consumers[group[0]].gate == fork.consumers[at].gate && elements(group[0]).eq(elements(at))
        };
        match groups.iter().position(is_same) {
            Some(group) => groups[group].push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}
