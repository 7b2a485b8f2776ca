//! `--orders`: the same program with its commands completing at other legal moments.

use anyhow::Result;
use zpu_sim::{Argument, Options, Order};

use crate::difference;
use crate::program::{Run, Runnable};

/// Runs the program in `count` orders, the first of which was `first`; whether the values that it leaves depend on the order, which
/// is said on standard error.
pub(crate) fn differ(
    count: u64,
    program: &Runnable,
    first: &Run,
    arguments: &[Argument],
    options: &Options,
) -> Result<bool> {
    let name = format!("`{}`", options.order);
    for order in others(options.order).take((count - 1) as usize) {
        let run = program.run(
            arguments.to_vec(),
            &Options {
                order,
                ..options.clone()
            },
        )?;
        let other = format!("`{order}`");
        if let Some(text) = difference::first((&name, &first.outcome), (&other, &run.outcome)) {
            let file = &first.file;
            eprintln!("{file}: error: the values depend on when commands complete, first in {text}");
            return Ok(true);
        }
    }
    Ok(false)
}

/// All orders but one, the telling ones first.
fn others(first: Order) -> impl Iterator<Item = Order> {
    let named = [Order::Eager, Order::Lazy, Order::Adversarial, Order::Timed];
    let all = named.into_iter().chain((1..).map(Order::Random));
    all.filter(move |order| *order != first)
}
