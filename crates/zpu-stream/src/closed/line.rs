//! Windows with any step, dilation and halo over a row-major producer: a line buffer, dimension by dimension.
//!
//! In units of the producer's token, let c be an event, X(c) the last element that it reads, and rl(x) the last reader
//! of x. Places move forward along each dimension, so that X grows with c in each of them, and rl(x) is the vector of
//! the last readers along each dimension; both are compared lexicographically. When write X(c) comes and no event
//! before c needed one as late, exactly the elements x <= X(c) with rl(x) >= c are held:
//!
//! > N(c) = #{x : x <= X(c), rl(x) >= c}, and min_capacity = max N(c), retained = max N(c) - 1.
//!
//! Other writes hold fewer: of those before X(c) all that is held is among them, and X(c) itself is not. An event that
//! is not the first to need its write has a smaller set. The count splits at the first dimension: x is before X(c)
//! there or equal, and so is rl(x) after c or equal. With T the elements further in that are read, G those with
//! rl >= c, P those with x <= X(c), and primes for what is further in,
//!
//! > G = later T' + equal G', P = before T' + P', N = later_before T' + equal_before G' + (P' or N'),
//!
//! where the last is P' if a later place reads the last coordinate of c too. All are linear, so that of places whose
//! numbers are in arithmetic progression the first and the last have the largest. The span is X(c) less the first
//! element with rl >= c, split the same way.

use super::taps::{Split, Table, Taps};
use super::window::row_major;
use crate::analyze::Limits;
use crate::fork::{Consumer, ConsumerId};
use crate::order::{Nest, Order};
use crate::sweep::{Side, Swept};
use crate::verdict::{Edge, Method, Sizes, Verdict};

/// The most coordinates and places of a dimension.
const MOST_PLACES: i64 = 1 << 20;

/// The most combinations of numbers that are tried.
const MOST_TRIED: usize = 1 << 16;

/// The edge, if the consumer is such a window and does not read in order.
pub(crate) fn line(producer: &Order, consumer: &Consumer, shape: &[i64], limits: &Limits) -> Option<Edge> {
    let dimensions = row_major(producer, shape)?;
    let taps = taps(producer, &consumer.order, shape, &dimensions)?;
    let outer = taps.iter().take_while(|taps| taps.is_identity()).count();
    let inner = taps[outer..].iter().map(|taps| taps.table(MOST_PLACES));
    let inner: Vec<Table> = inner.collect::<Option<_>>()?;
    let moves_forward = |table: &Table| {
        table
            .places
            .windows(2)
            .all(|pair| pair[0].last <= pair[1].last && pair[0].first <= pair[1].first)
    };
    if inner.is_empty() || !inner.iter().all(moves_forward) || !is_out_of_order(&inner) {
        return None;
    }
    let unit = &producer.token;
    let token: u128 = unit.iter().map(|&n| u128::from(n.unsigned_abs())).product();
    let epochs: u128 = taps[..outer]
        .iter()
        .map(|taps| u128::from(taps.extent.unsigned_abs()))
        .product();
    let rows = rows_of_block(&inner[0])?;
    let epochs = epochs * u128::from((inner[0].extent / rows).unsigned_abs());
    let held = u128::try_from(capacity(&inner)?).ok()? * token;
    let span = Spans::of(&inner);
    let verdict = match has_inversion(&inner) {
        false => Verdict::Window,
        true if epochs > 1 => Verdict::ReorderBlock,
        true => Verdict::ReorderFull,
    };
    let (mut block_shape, mut modulo_shape) = (shape.to_vec(), shape.to_vec());
    for &dimension in &dimensions[..outer] {
        block_shape[dimension] = unit[dimension];
        modulo_shape[dimension] = unit[dimension];
    }
    let first = dimensions[outer];
    block_shape[first] = rows * unit[first];
    modulo_shape[first] = (span.rows * unit[first]).min(shape[first]);
    let (mut method, mut is_modulo_exact) = (Method::Formula, has_full_rows(&inner, span.rows));
    if !is_modulo_exact {
        // Rows that some place is over bound the moduli; a sweep finds smaller ones where it is short.
        let sides = [Side::writer(producer), Side::reader(&consumer.order)];
        if let Some(edge) = Swept::of_sides(shape, &sides[0], &sides[1..], limits.modulo_accesses)
            .ok()
            .and_then(|swept| swept.sizes(&[ConsumerId(0)], limits.modulo_steps))
        {
            method = Method::BlockSweep;
            (modulo_shape, is_modulo_exact) = (edge.modulo_shape, edge.is_modulo_exact);
        }
    }
    let all: u128 = shape.iter().map(|&n| u128::from(n.unsigned_abs())).product();
    let read = taps[..outer]
        .iter()
        .map(|taps| taps.extent)
        .chain(inner.iter().map(|table| table.read));
    let read = read.fold(token, |product, n| product * u128::from(n.unsigned_abs()));
    Some(Edge {
        verdict,
        multiplicity: Some(
            inner
                .iter()
                .map(|table| u128::from(table.multiplicity.unsigned_abs()))
                .product(),
        ),
        dropped: Some(all - read),
        sizes: Some(Sizes {
            min_capacity: held,
            retained: held - token,
            circular_span: u128::try_from(span.largest).ok()? * token,
            epochs,
            block_shape,
            modulo_shape,
            is_exact: true,
            is_modulo_exact,
        }),
        reason: None,
        method,
    })
}

/// The window along each dimension in the order of production, in units of the producer's token.
fn taps(producer: &Order, order: &Order, shape: &[i64], dimensions: &[usize]) -> Option<Vec<Taps>> {
    let nest = Nest::of(order)?;
    let mut loops = nest.loops.iter().peekable();
    let mut all = Vec::new();
    for &dimension in dimensions {
        let unit = producer.token[dimension];
        let is_own = |step: &[i64]| (0..step.len()).all(|at| (step[at] > 0) == (at == dimension) && step[at] >= 0);
        let each = loops.next_if(|each| is_own(&each.step));
        let (step, trip) = each.map_or((0, 1), |each| (each.step[dimension], each.trip));
        let (token, base) = (order.token[dimension], nest.base[dimension]);
        let dilation = if token == 1 { 1 } else { order.dilation[dimension] };
        if [token, base, step].iter().any(|n| n % unit != 0) || (unit > 1 && dilation > 1) {
            return None;
        }
        all.push(Taps {
            extent: shape[dimension] / unit,
            width: token / unit,
            dilation,
            base: base / unit,
            step: step / unit,
            trip,
        });
    }
    // Along the others both have all there is.
    let is_whole = |dimension: usize| {
        dimensions.contains(&dimension)
            || (nest.base[dimension] == 0
                && order.token[dimension] == shape[dimension]
                && (order.token[dimension] == 1 || order.dilation[dimension] == 1))
    };
    (loops.next().is_none() && (0..shape.len()).all(is_whole)).then_some(all)
}

/// Tells whether it is certain that an event needs a later write than one after it has: two that differ in the last
/// dimension that moves, of which the first is over two rows or overlaps the second.
fn is_out_of_order(inner: &[Table]) -> bool {
    let Some(last) = inner.iter().rposition(|table| table.places.len() > 1) else {
        return false;
    };
    let has_rows = inner[..last]
        .iter()
        .any(|table| table.places.iter().any(|place| place.count > 1));
    has_rows || inner[last].places.windows(2).any(|pair| pair[0].last > pair[1].first)
}

/// The least number of rows of the first dimension that divides them such that nothing is held between such blocks;
/// nothing if that is a single one, since smaller blocks may do then.
fn rows_of_block(first: &Table) -> Option<i64> {
    // The largest last reader of the coordinates before each.
    let mut before = Vec::with_capacity(first.readers.len());
    let mut latest = None;
    for reader in &first.readers {
        before.push(latest);
        latest = latest.max(reader.map(|(_, last)| last));
    }
    let is_clean = |row: i64| {
        let next = first.places.partition_point(|place| place.last < row);
        next == first.places.len() || before[row as usize].is_none_or(|last| last < next)
    };
    let divides = |rows: &i64| first.extent % rows == 0;
    let mut sizes = (1..=first.extent).filter(divides);
    let rows = sizes.find(|&rows| (1..first.extent / rows).all(|block| is_clean(block * rows)))?;
    (rows > 1).then_some(rows)
}

/// Numbers of elements from some dimension on, for the places there.
type Counts = [i128; 3];

/// The largest N(c).
fn capacity(inner: &[Table]) -> Option<i128> {
    let (mut total, mut all): (i128, Vec<Counts>) = (1, vec![[1, 1, 1]]);
    for table in inner.iter().rev() {
        let splits = ends(&table.splits(), |split: &Split| {
            let Split {
                later,
                equal,
                later_before,
                equal_before,
                read_before,
                is_last_shared,
            } = *split;
            [
                later,
                equal,
                later_before,
                equal_before,
                read_before,
                i64::from(is_last_shared),
            ]
            .map(i128::from)
        });
        if splits.len().checked_mul(all.len())? > MOST_TRIED {
            return None;
        }
        let counts = splits.iter().flat_map(|split| {
            all.iter().map(move |&[held, passed, both]| {
                let of = |n: i64, each: i128| i128::from(n) * each;
                let on_the_row = if split.is_last_shared { passed } else { both };
                [
                    of(split.later, total) + of(split.equal, held),
                    of(split.read_before, total) + passed,
                    of(split.later_before, total) + of(split.equal_before, held) + on_the_row,
                ]
            })
        });
        all = ends(&counts.collect::<Vec<Counts>>(), |counts| *counts);
        total *= i128::from(table.read);
    }
    all.iter().map(|[.., both]| *both).max()
}

/// The items without those inside an arithmetic progression.
fn ends<T: Copy, const N: usize>(items: &[T], numbers: impl Fn(&T) -> [i128; N]) -> Vec<T> {
    let is_inside = |at: usize| {
        at > 0 && at + 1 < items.len() && {
            let [one, here, other] = [at - 1, at, at + 1].map(|at| numbers(&items[at]));
            (0..N).all(|n| here[n] - one[n] == other[n] - here[n])
        }
    };
    (0..items.len())
        .filter(|&at| !is_inside(at))
        .map(|at| items[at])
        .collect()
}

/// Distances in the order of production.
struct Spans {
    /// The largest circular span.
    largest: i128,
    /// Coordinates of the first dimension within which all lies that is held at once.
    rows: i64,
}

impl Spans {
    fn of(inner: &[Table]) -> Spans {
        // Of what is further in: the last element of a place from the first that is held, and from the first read.
        let (mut held, mut read, mut pitch, mut rows) = (0i128, 0i128, 1i128, 0);
        for table in inner.iter().rev() {
            let mut ending = vec![i64::MAX; table.places.len()];
            for (x, reader) in (0..).zip(&table.readers) {
                if let Some((_, last)) = reader {
                    ending[*last] = ending[*last].min(x);
                }
            }
            let (mut later, mut largest) = (i64::MAX, i128::MIN);
            rows = 0;
            for (place, &equal) in table.places.iter().zip(&ending).rev() {
                let from = if later < equal { read } else { held };
                let distance = place.last - later.min(equal);
                largest = largest.max(i128::from(distance) * pitch + from);
                rows = rows.max(distance + 1);
                later = later.min(equal);
            }
            let last = table.places.iter().map(|place| place.last).max().unwrap_or(0);
            read += i128::from(last - table.least) * pitch;
            held = largest;
            pitch *= i128::from(table.extent);
        }
        Spans {
            largest: held + 1,
            rows,
        }
    }
}

/// Tells whether so many rows, each next to the other, hold something in one column: that of the last element of a
/// place. Before the first place along a row it has all of an earlier row, if all of it is read. Then no smaller moduli
/// do.
fn has_full_rows(inner: &[Table], rows: i64) -> bool {
    let first = &inner[0];
    let splits = first.splits();
    let is_dense = |(at, split): (usize, &Split)| {
        let last = first.places[at].last;
        let held = (0..)
            .zip(&first.readers)
            .filter(|(_, reader)| reader.is_some_and(|(_, last)| last >= at));
        let least = held.map(|(x, _)| x).next().unwrap_or(last);
        let count = split.later_before + split.equal_before + 1;
        rows > 1 && last - least + 1 == rows && count == rows
    };
    let is_whole = |table: &Table| table.read == table.extent;
    inner[1..].iter().all(is_whole) && splits.iter().enumerate().any(is_dense)
}

/// Tells whether an element is done with before an earlier one is read at all.
fn has_inversion(inner: &[Table]) -> bool {
    let readers = |table: &Table| table.readers.iter().flatten().copied().collect::<Vec<_>>();
    let (mut found, mut ends): (bool, std::cmp::Ordering) = (false, std::cmp::Ordering::Equal);
    for table in inner.iter().rev() {
        let readers = readers(table);
        let (mut largest, mut is_inverted, mut meets) = (None, false, false);
        for &(first, last) in &readers {
            is_inverted |= largest > Some(last);
            meets |= largest == Some(last);
            largest = largest.max(Some(first));
        }
        let is_single = readers.iter().any(|(first, last)| first == last);
        // The least last reader further in is before the greatest first one.
        let is_less = ends == std::cmp::Ordering::Less;
        found = is_inverted || (meets && is_less) || (is_single && found);
        let least = readers.iter().map(|(_, last)| last).min();
        let greatest = readers.iter().map(|(first, _)| first).max();
        ends = least.cmp(&greatest).then(ends);
    }
    found
}
