//! Rows that are written from their first element on and read from another one on, around the end and back:
//! `(i, j) -> (i, (a * i + j + b) mod n)`.
//!
//! Of a row that is read from element r > 0 on, write r comes when all r before it are there and none is read; from
//! then on each element is read as it comes, and the first r when the row ends. So r + 1 are held, r are retained, the
//! first of them until the last one comes: the span is n, a row is the least block, and the first element has an
//! inversion with element r. Element p >= r stands beside elements 0 to r - 1, so that a modulus m < n has p = m meet
//! element 0 if m >= r, and two of the first r meet otherwise. Rows with r = 0 are streams and hold one element.

use super::window::row_major;
use crate::fork::Consumer;
use crate::order::{Expr, Order};
use crate::verdict::{Edge, Method, Sizes, Verdict};

/// The most rows and remainders that are tried.
const MOST_TRIED: usize = 1 << 20;

/// The edge, if both sides go by single elements, row by row, and some row is turned.
pub(crate) fn turned(producer: &Order, consumer: &Consumer, shape: &[i64]) -> Option<Edge> {
    let order = &consumer.order;
    let (last, outer) = (shape.len().checked_sub(1)?, &shape[..shape.len() - 1]);
    let is_in_rows = row_major(producer, shape)?.is_sorted();
    let is_single = [producer, order]
        .iter()
        .all(|order| order.token.iter().all(|&n| n == 1));
    let is_own = |(at, result): (usize, &Expr)| *result == Expr::Index(at);
    let mut rows = order.map.results[..last].iter().enumerate();
    if !is_in_rows || !is_single || order.loops != shape || !rows.all(is_own) {
        return None;
    }
    let n = shape[last];
    let Expr::Mod(index, by) = &order.map.results[last] else {
        return None;
    };
    let mut indices = vec![0; shape.len()];
    let base = index.evaluate(&indices)?;
    let mut factor = |at: usize| {
        indices[at] = 1;
        let value = index.evaluate(&indices)?.checked_sub(base);
        indices[at] = 0;
        value
    };
    if *by != n || !is_linear(index) || factor(last)?.rem_euclid(n) != 1 % n {
        return None;
    }
    let mut begins = vec![base.rem_euclid(n)];
    for (at, &extent) in outer.iter().enumerate() {
        let step = factor(at)?.rem_euclid(n);
        if step == 0 || extent == 1 {
            continue;
        }
        // Remainders begin anew after n of them.
        let count = extent.min(n);
        if begins.len().checked_mul(usize::try_from(count).ok()?)? > MOST_TRIED {
            return None;
        }
        let next = |begin: &i64| {
            let begin = *begin;
            (0..count).map(move |k| (begin + k * step) % n)
        };
        begins = begins.iter().flat_map(next).collect();
        begins.sort_unstable();
        begins.dedup();
    }
    let most = begins.into_iter().max().filter(|&most| most > 0)?;
    let held = u128::from(most.unsigned_abs());
    let epochs: u128 = outer.iter().map(|&extent| u128::from(extent.unsigned_abs())).product();
    let mut row = vec![1; shape.len()];
    row[last] = n;
    Some(Edge {
        verdict: match epochs {
            1 => Verdict::ReorderFull,
            _ => Verdict::ReorderBlock,
        },
        multiplicity: Some(1),
        dropped: Some(0),
        sizes: Some(Sizes {
            min_capacity: held + 1,
            retained: held,
            circular_span: u128::from(n.unsigned_abs()),
            epochs,
            block_shape: row.clone(),
            modulo_shape: row,
            is_exact: true,
            is_modulo_exact: true,
        }),
        reason: None,
        method: Method::Formula,
    })
}

fn is_linear(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Index(_) => true,
        Expr::Sum(terms) => terms.iter().all(is_linear),
        Expr::Scaled(inner, _) => is_linear(inner),
        Expr::FloorDiv(..) | Expr::Mod(..) => false,
    }
}
