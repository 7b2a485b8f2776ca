//! Derived orders against runs: random nests on a tensor are executed access by access, and what a stream says of them
//! has to be what happened.
//!
//! The execution shares nothing with the derivation: it evaluates index arithmetic in numbers, and goes through views
//! coordinate by coordinate. Checked are the sequences of elements on both sides, and that no element is read before
//! its last write or after a write that is not the producer's.

#![forbid(unsafe_code)]

mod program;
mod run;

use std::collections::HashMap;

use program::Random;
use run::{Touched, run};
use zpu_analysis::order::{Stream, streams};
use zpu_ir::{Op, new_context, parse_text};
use zpu_stream::order::{Order, events};

/// The most elements of an order that are listed.
const MANY: u128 = 1 << 16;

#[test]
fn streams_are_what_runs_do() -> Result<(), Box<dyn std::error::Error>> {
    let context = new_context();
    context.load_all_available_dialects();
    let (mut known, mut declined) = (0u32, HashMap::<&str, u32>::new());
    for seed in 0..1500 {
        let text = program::program(&mut Random::new(seed));
        let module = parse_text(&context, &text, "program").map_err(|error| format!("seed {seed}: {error}\n{text}"))?;
        let function = Op::of_module(&module).find_all("func.func")[0];
        let tensor = function.find_all("memref.alloc")[0].result(0);
        let trace = run(function, tensor);
        for found in streams(function) {
            match found.stream {
                Ok(stream) => {
                    known += 1;
                    check(&stream, &trace).map_err(|error| format!("seed {seed}: {error}\n{text}"))?;
                }
                Err(decline) => *declined.entry(decline.reason).or_default() += 1,
            }
        }
    }
    // Most programs are simple enough, and some are not.
    assert!(known > 1000, "{known} streams, declined {declined:?}");
    assert!(declined.len() > 2, "{known} streams, declined {declined:?}");
    Ok(())
}

/// Whatever a consumer uses of another one was made at indices for which its gate waits.
#[test]
fn gates_wait_for_what_runs_use() -> Result<(), Box<dyn std::error::Error>> {
    let context = new_context();
    context.load_all_available_dialects();
    let mut prefixes = [0u32; 4];
    for seed in 0..1000 {
        let text = program::joined(&mut Random::new(seed));
        let module = parse_text(&context, &text, "program").map_err(|error| format!("seed {seed}: {error}\n{text}"))?;
        let function = Op::of_module(&module).find_all("func.func")[0];
        let allocations = function.find_all("memref.alloc");
        let between = run(function, allocations[1].result(0));
        let found = streams(function);
        let stream = found[0]
            .stream
            .as_ref()
            .map_err(|decline| format!("seed {seed}: {}\n{text}", decline.message))?;
        let [first, second] = stream.fork.consumers.as_slice() else {
            return Err(format!("seed {seed}: {} consumers\n{text}", stream.fork.consumers.len()).into());
        };
        let gate = second.gate.ok_or_else(|| format!("seed {seed}: no gate\n{text}"))?;
        prefixes[gate.prefix] += 1;
        let (writes, reads): (Vec<_>, Vec<_>) = between.iter().partition(|touched| touched.write);
        for (event, read) in reads.iter().enumerate() {
            let made = writes
                .iter()
                .rposition(|write| write.at == read.at)
                .ok_or("nothing is made")?;
            let prefix = |loops: &[i64], event: usize| indices(loops, event)[..gate.prefix].to_vec();
            if prefix(&first.order.loops, made) > prefix(&second.order.loops, event) {
                return Err(format!(
                    "seed {seed}: event {event} uses {made}, the gate has {}\n{text}",
                    gate.prefix
                )
                .into());
            }
        }
    }
    // Most waits are for all; some are for one loop or for two.
    assert!(prefixes.iter().take(3).all(|count| *count > 20), "{prefixes:?}");
    Ok(())
}

/// Loop indices of an event.
fn indices(loops: &[i64], event: usize) -> Vec<i64> {
    let mut rest = i64::try_from(event).expect("few events");
    let mut indices: Vec<i64> = Vec::new();
    for trip in loops.iter().rev() {
        indices.push(rest % trip);
        rest /= trip;
    }
    indices.reverse();
    indices
}

fn check<'c>(stream: &Stream<'c>, trace: &[Touched<'c>]) -> Result<(), String> {
    let runs: i64 = stream
        .outside
        .iter()
        .filter_map(|for_| for_.constant_trip_count())
        .product();
    let (runs, length) = (usize::try_from(runs).unwrap_or(0), trace.len());
    if runs == 0 || !length.is_multiple_of(runs) {
        return Err(format!("{length} accesses in {runs} runs"));
    }
    for run in trace.chunks(length / runs) {
        let by = |op: Op<'c>| run.iter().filter(move |touched| touched.op == op);
        let own = |op: Op<'c>, write: bool| {
            by(op)
                .filter(move |touched| touched.write == write)
                .map(|touched| touched.at.clone())
        };
        let written: Vec<Vec<i64>> = own(stream.producer.op, true).collect();
        if written != elements(&stream.fork.producer, &stream.fork.tensor)? {
            return Err("the producer's elements differ".to_owned());
        }
        for (party, consumer) in stream.consumers.iter().zip(&stream.fork.consumers) {
            let read: Vec<Vec<i64>> = own(party.op, false).collect();
            let expected = elements(&consumer.order, &stream.fork.tensor)?;
            // Of a window that several loads make, the first load has one element an event.
            let is_window = expected.len() > read.len();
            let is_part = read.iter().all(|at| expected.contains(at));
            if if is_window { !is_part } else { read != expected } {
                return Err(format!("the elements of {} differ", party.op.name()));
            }
        }
        let sums = |op: Op<'c>| by(op).any(|touched| touched.write);
        for (place, reader) in run
            .iter()
            .enumerate()
            .filter(|(_, touched)| !touched.write && !sums(touched.op))
        {
            let writes = |touched: &&Touched<'c>| touched.write && touched.at == reader.at;
            if let Some(later) = run[place..].iter().find(writes) {
                return Err(format!("{:?} is read before {} writes it", reader.at, later.op.name()));
            }
            let by_producer = written.contains(&reader.at);
            let last = run[..place].iter().rfind(writes);
            if by_producer && last.is_some_and(|last| last.op != stream.producer.op) {
                return Err(format!("{:?} is written last by another operation", reader.at));
            }
        }
    }
    Ok(())
}

/// All elements of an order, in their sequence.
fn elements(order: &Order, shape: &[i64]) -> Result<Vec<Vec<i64>>, String> {
    let events = events(order, shape, MANY).map_err(|error| error.to_string())?;
    Ok(events.into_iter().flat_map(|event| event.elements).collect())
}
