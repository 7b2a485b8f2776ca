//! `--orders`: the same program with its commands completing at other legal moments.

use anyhow::Result;
use zpu_driver::{differences, of_outputs};
use zpu_sim::{Argument, Difference, Limits, Options, Order, Step};

use crate::failure::invalid;
use crate::program::{Run, Runnable};

/// Runs the program in `count` orders, the first of which was `first`. Returns true if the values that it leaves depend
/// on the order, which is also printed on standard error.
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
        if let Some(difference) = differences(&first.outcome, &run.outcome).first() {
            let (file, text) = (&first.file, difference.describe(&name, &other));
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

/// Tries all orders of a program. Returns true if the values that it leaves depend on the order, which is also printed
/// on standard error.
pub(crate) fn all(program: &Runnable, arguments: Vec<Argument>, limits: &Limits) -> Result<bool> {
    let file = &program.name;
    let count = arguments.len();
    let orders = program.all_orders(arguments, limits)?;
    let Some(difference) = orders.difference else {
        if !orders.complete {
            return Err(invalid(format!(
                "{file}: error: gave up after {} states of {} commands, and no two orders left other values; a larger \
                 limit is set \
                 by --max-states, and --orders=K tries some orders",
                orders.states, orders.commands
            )));
        }
        let notice = if orders.order_matters {
            "the values are the same, but what commands read or overwrite depends on it"
        } else {
            "all the same"
        };
        eprintln!(
            "{file}: all orders of {} commands, {} states: {notice}",
            orders.commands, orders.states
        );
        return Ok(false);
    };
    match difference {
        Difference::Contents {
            first,
            other,
            first_order,
            other_order,
        } => {
            let differences = of_outputs(&first, &other, count);
            let text = differences.first().map(|first| first.describe("one order", "another"));
            let text = text.unwrap_or_else(|| "what is returned".into());
            eprintln!("{file}: error: the values depend on when commands complete, first in {text}");
            let (one, another) = parting(&first_order, &other_order);
            eprintln!("{file}: note: one order: {}", listed(one));
            eprintln!("{file}: note: another: {}", listed(another));
        }
        Difference::Read {
            location,
            first,
            other,
            order,
        } => {
            eprintln!(
                "{location}: error: the control stream reads a value that depends on when commands complete: bits \
                 {first:#x} in \
                 program order, {other:#x} in another"
            );
            eprintln!("{file}: note: another: {}", listed(&order));
        }
        Difference::QueueFull { engine, location } => {
            eprintln!(
                "{location}: error: whether the queue of @{engine} is full here depends on when commands complete"
            );
        }
        Difference::Fault { location, message } => {
            eprintln!("{location}: error: in some order of completion: {message}");
        }
    }
    Ok(true)
}

/// Two orders from where they part on.
fn parting<'a>(first: &'a [Step], other: &'a [Step]) -> (&'a [Step], &'a [Step]) {
    let same = first
        .iter()
        .zip(other)
        .take_while(|(first, other)| first == other)
        .count();
    (&first[same..], &other[same..])
}

fn listed(steps: &[Step]) -> String {
    /// Steps that a message lists.
    const LISTED: usize = 8;
    let mut texts: Vec<String> = steps.iter().take(LISTED).map(Step::to_string).collect();
    if steps.len() > LISTED {
        texts.push(format!("{} more", steps.len() - LISTED));
    }
    texts.join(", then ")
}
