//! From the accesses to a tensor to a producer and its consumers.

use zpu_ir::{Op, Value};
use zpu_stream::fork::{Consumer, Fork};
use zpu_stream::order::Order;

use super::causal::{Side, follows};
use super::nest::{Nest, Numbers};
use super::through::static_shape;
use super::token::Token;
use super::touch::{Events, Touch, Touches};
use super::{Accesses, Decline, Party, Stream};

/// An access with its events, in which loops below a common place are outside.
struct Access<'t, 'c> {
    touch: &'t Touch<'c>,
    events: Events,
}

/// The stream of a tensor; nothing if the function does not write it and read it elsewhere.
pub(super) fn stream_of<'c>(
    tensor: Value<'c>,
    touches: &Touches<'c>,
    function: &Accesses<'c>,
) -> Result<Option<Stream<'c>>, Decline<'c>> {
    let Some(maker) = tensor.defining_op() else {
        return Ok(None);
    };
    let is_written = touches.list.iter().any(|touch| touch.writes);
    let is_sum = |touch: &Touch<'c>| touches.list.iter().any(|other| other.op == touch.op && other.writes);
    let is_read = touches.list.iter().any(|touch| touch.reads && !is_sum(touch));
    // Memory that leaves after it was filled is not ours to judge.
    let mut users = touches.unknown.iter().filter(|(op, _)| *op != maker);
    let may_be_read = users.any(|(_, decline)| decline.reason != "escapes");
    if !is_read && !may_be_read {
        return Ok(None);
    }
    if let Some((_, decline)) = touches.unknown.first() {
        return Err(decline.clone());
    }
    if !is_written {
        return Ok(None);
    }
    let shape = static_shape(maker, tensor)?;
    let drop = outside(maker, touches)?;
    let mut accesses = Vec::new();
    for touch in &touches.list {
        let events = touch.events(drop)?;
        accesses.push(Access { touch, events });
    }
    let Some(last) = accesses.iter().rposition(|access| access.touch.writes) else {
        return Ok(None);
    };
    let producer = &accesses[last];
    let base = Nest::around(maker)?.loops.len();
    check_writers(&accesses, producer, base, drop)?;
    let readers = readers(&accesses, producer, drop, &function.numbers)?;
    if readers.is_empty() {
        return Ok(None);
    }
    let readers = at_once(readers)?;
    let write = producer.touch.order(&producer.events, drop)?;
    let mut consumers = Vec::new();
    for reader in &readers {
        consumers.push(Consumer::new(
            reader.touch.op.name(),
            reader.touch.order(&reader.events, drop)?,
        ));
    }
    if consumers.len() > 1 {
        let sides: Vec<(Op<'c>, &Order)> = readers
            .iter()
            .zip(&consumers)
            .map(|(reader, consumer)| (reader.touch.unit, &consumer.order))
            .collect();
        let gates = function.waits(drop).gates(tensor, &sides).map_err(|at| {
            let message = "waits for two other consumers of which neither waits for the other".to_owned();
            Decline::new("several-gates", readers[at].touch.op, message)
        })?;
        for (consumer, gate) in consumers.iter_mut().zip(gates) {
            consumer.gate = gate;
        }
    }
    let party = |touch: &Touch<'c>| Party {
        op: touch.op,
        view: touch.view,
        loops: touch.nest.loops.get(drop..).unwrap_or_default().to_vec(),
    };
    let others = accesses
        .iter()
        .filter(|access| access.touch.writes && access.touch.op != producer.touch.op);
    Ok(Some(Stream {
        tensor,
        outside: producer.touch.nest.loops.iter().take(drop).copied().collect(),
        fork: Fork {
            name: String::new(),
            tensor: shape,
            producer: write,
            consumers,
        },
        producer: party(producer.touch),
        others: others.map(|access| access.touch.op).collect(),
        consumers: readers.iter().map(|reader| party(reader.touch)).collect(),
    }))
}

/// Number of outermost loops that are outside of the edge: those around the operation that makes the tensor, and
/// common ones in each iteration of which the tensor is written anew.
fn outside<'c>(maker: Op<'c>, touches: &Touches<'c>) -> Result<usize, Decline<'c>> {
    let base = Nest::around(maker)?.loops.len();
    let mut tokens = Vec::new();
    for touch in &touches.list {
        tokens.push(touch.elements()?.token);
    }
    let mentions = |place: usize| {
        let of = |token: &Token| token.origin.iter().any(|origin| origin.mentions(place));
        tokens.iter().position(of)
    };
    if let Some(at) = (0..base).find_map(mentions) {
        let op = touches.list[at].op;
        let message = format!("{} depends on a loop around the tensor", op.name());
        return Err(Decline::new("data-dependent", op, message));
    }
    let first = touches.list.first().map_or(base, |touch| touch.nest.loops.len());
    let common = touches
        .list
        .iter()
        .map(|touch| touch.nest.common(&touches.list[0].nest))
        .fold(first, usize::min);
    let drop = (base..common)
        .find(|place| mentions(*place).is_some())
        .unwrap_or(common.max(base));
    let is_repeat = |place: &usize| mentions(*place).is_none();
    if let Some(place) = (drop..common).find(is_repeat) {
        let for_ = touches.list[0].nest.loops[place];
        let message = "each iteration of the loop writes anew what a loop around it moves over".to_owned();
        return Err(Decline::new("rewritten", for_.op, message));
    }
    Ok(drop)
}

/// Tells whether no event of `later` touches an element whose last write by `earlier` comes after it.
fn is_after(earlier: &Access<'_, '_>, later: &Access<'_, '_>, drop: usize) -> bool {
    let common = earlier.touch.nest.common(&later.touch.nest).max(drop);
    follows(of(&earlier.events), of(&later.events), drop, common)
}

fn of(events: &Events) -> Side<'_> {
    Side {
        token: &events.token,
        trips: &events.trips,
    }
}

/// Other writers begin what the producer completes: a fill, or an operation in the same nest. What they write for a
/// producer that does not read it is lost.
fn check_writers<'c>(
    accesses: &[Access<'_, 'c>],
    producer: &Access<'_, 'c>,
    base: usize,
    drop: usize,
) -> Result<(), Decline<'c>> {
    let is_other = |access: &&Access<'_, 'c>| access.touch.writes && access.touch.op != producer.touch.op;
    let mut others = accesses.iter().filter(is_other).peekable();
    // Its own unit reads what it writes then: the operation itself, or loads of its body before it.
    let last = accesses.iter().rposition(|access| access.touch.op == producer.touch.op);
    let before = accesses.iter().take(last.map_or(0, |last| last + 1));
    let sums = before
        .filter(|access| access.touch.unit == producer.touch.unit)
        .any(|access| access.touch.reads);
    // A sum that no operation begins goes on from one iteration of the loops outside to the next.
    if sums && others.peek().is_none() && drop > base {
        return Err(read_before_written(producer.touch.op));
    }
    for other in others {
        let is_near = other.touch.op.is("linalg.fill") || other.touch.nest.common(&producer.touch.nest) > drop;
        if sums && !is_near || !is_after(other, producer, drop) {
            let (op, by) = (other.touch.op, producer.touch.op);
            let message = format!(
                "{} writes what {} writes as well, in another nest or later",
                op.name(),
                by.name()
            );
            return Err(Decline::new("several-producers", op, message));
        }
    }
    Ok(())
}

fn read_before_written(op: Op<'_>) -> Decline<'_> {
    let message = format!(
        "{} reads what a later operation, or a later iteration, writes",
        op.name()
    );
    Decline::new("read-before-written", op, message)
}

/// The accesses that read what the producer has completed; those of writers to their own sums are left out.
fn readers<'t, 'c>(
    accesses: &'t [Access<'t, 'c>],
    producer: &Access<'t, 'c>,
    drop: usize,
    numbers: &Numbers<'c>,
) -> Result<Vec<&'t Access<'t, 'c>>, Decline<'c>> {
    let mut readers = Vec::new();
    for access in accesses.iter().filter(|access| access.touch.reads) {
        let own = accesses
            .iter()
            .find(|other| other.touch.op == access.touch.op && other.touch.writes);
        if let Some(own) = own {
            if own.events != access.events {
                return Err(read_before_written(access.touch.op));
            }
        } else if numbers.is_before(access.touch.op, producer.touch.op) {
            let is_own = access.touch.unit == producer.touch.unit && access.events == producer.events;
            if !is_own || !only_feeds(access.touch.op, producer.touch.op) {
                return Err(read_before_written(access.touch.op));
            }
        } else if is_after(producer, access, drop) {
            readers.push(access);
        } else {
            return Err(read_before_written(access.touch.op));
        }
    }
    Ok(readers)
}

/// True if what a load gives is used, by way of operations without effects, by one store only.
fn only_feeds(load: Op<'_>, store: Op<'_>) -> bool {
    /// Operations in the body of a sum.
    const MANY: usize = 256;
    let mut open = load.results();
    for _ in 0..MANY {
        let Some(value) = open.pop() else { return true };
        for each in value.uses() {
            if each.op == store {
                continue;
            }
            if each.op.block() != store.block() || !each.op.regions().is_empty() || !each.op.is_memory_effect_free() {
                return false;
            }
            open.extend(each.op.results());
        }
    }
    false
}

/// Joins accesses of one unit: equal ones, and taps of a window.
fn at_once<'t, 'c>(readers: Vec<&'t Access<'t, 'c>>) -> Result<Vec<Access<'t, 'c>>, Decline<'c>> {
    let mut units: Vec<Vec<&Access<'t, 'c>>> = Vec::new();
    for reader in readers {
        match units.iter_mut().find(|unit| unit[0].touch.unit == reader.touch.unit) {
            Some(unit) => unit.push(reader),
            None => units.push(vec![reader]),
        }
    }
    let mut joined = Vec::new();
    for unit in units {
        let (first, all) = (unit[0], unit.iter());
        let tokens: Vec<Token> = all.clone().map(|access| access.events.token.clone()).collect();
        let is_equal = all.clone().all(|access| access.events == first.events);
        let have_equal_loops = all.clone().all(|access| access.events.trips == first.events.trips);
        let window = Token::joined(&tokens).filter(|_| have_equal_loops);
        let token = match is_equal {
            true => Some(first.events.token.clone()),
            false => window,
        };
        let Some(token) = token else {
            let op = unit.last().map_or(first.touch.op, |access| access.touch.op);
            let message = format!(
                "{} and {} read it at once in several orders",
                first.touch.op.name(),
                op.name()
            );
            return Err(Decline::new("reads-at-once", op, message));
        };
        let trips = first.events.trips.clone();
        joined.push(Access {
            touch: first.touch,
            events: Events { token, trips },
        });
    }
    Ok(joined)
}
