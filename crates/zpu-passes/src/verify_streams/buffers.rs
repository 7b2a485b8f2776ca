//! The check of `zpu.buffer`: what the program does with a buffer is replayed beside what it is said to mean.

use zpu_analysis::buffer_uses::{Use, uses};
use zpu_ir::buffer::{Buffer, as_buffer};
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, annotation, error, note};
use zpu_stream::replay::{Difference, ReplayError, Touch, compare, meaning, run, verdict};

/// Tells whether the annotation of one allocation holds, and reports it if not. Work is limited to so many accesses.
pub(super) fn check(op: Op<'_>, limit: u64) -> bool {
    let fails = |message: &str| {
        error(op, &format!("'zpu.buffer' {message}"), &[]);
        false
    };
    let Some(recorded) = op.attr(annotation::BUFFER).and_then(as_buffer) else {
        return fails("has an order with a map that divides by what is no number");
    };
    let uses = match uses(op.result(0)) {
        Ok(uses) => uses,
        Err(decline) => {
            let at = note(decline.at, decline.message);
            error(
                op,
                "'zpu.buffer' is about a buffer whose accesses are not known any more",
                &[at],
            );
            return false;
        }
    };
    let meant = match meaning(&recorded.accesses, limit) {
        Ok(meant) => meant,
        Err(error) => return fails(&error.to_string()),
    };
    let made = match made(&uses, limit) {
        Ok(made) => made,
        Err(Unknown::At(at)) => {
            let at = note(
                at,
                "this access depends on more than the loops around it, up to the allocation",
            );
            error(
                op,
                "'zpu.buffer' is about a buffer whose accesses are not known any more",
                &[at],
            );
            return false;
        }
        Err(Unknown::Replay(error)) => return fails(&error.to_string()),
    };
    let Some(shape) = shape(op) else {
        return fails("is about a buffer of unknown size");
    };
    match compare(&meant, &made, &shape, limit) {
        Ok(None) => {}
        Ok(Some(difference)) => {
            report(op, &recorded, &uses, (&meant, &made), &difference);
            return false;
        }
        Err(error) => return fails(&error.to_string()),
    }
    if let Some(message) = kind(&recorded, &meant, limit) {
        return fails(&message);
    }
    true
}

/// A reason why the accesses of a program cannot be gone through.
enum Unknown<'c> {
    At(Op<'c>),
    Replay(ReplayError),
}

/// All accesses as the program makes them, in slots of the buffer.
fn made<'c>(uses: &[Use<'c>], limit: u64) -> Result<Vec<Touch>, Unknown<'c>> {
    let nests: Vec<(Vec<i64>, usize)> = uses.iter().map(Use::nest).collect();
    let mut made = Vec::new();
    run(&nests, &mut |entry, iterations| {
        let each = &uses[entry];
        if made.len() as u64 >= limit {
            return Err(Unknown::Replay(ReplayError::TooLarge(limit)));
        }
        let (Some(from), Some(size)) = (each.from(iterations), each.size()) else {
            return Err(Unknown::At(each.op));
        };
        made.push(Touch {
            entry,
            write: each.access.write,
            from,
            size,
        });
        Ok(())
    })?;
    Ok(made)
}

fn shape(op: Op<'_>) -> Option<Vec<i64>> {
    MemRef::of(op.result(0).ty())?.shape.into_iter().collect()
}

/// The complaint if the kind of the edge is another one, or if two iterations write one element.
fn kind(recorded: &Buffer<'_>, meant: &[Touch], limit: u64) -> Option<String> {
    let derived = match verdict(meant, recorded.advance.is_some(), limit) {
        Ok(derived) => derived,
        Err(error) => return Some(error.to_string()),
    };
    if derived != recorded.verdict {
        return Some(format!("says {}, it is {derived}", recorded.verdict));
    }
    let advance = recorded.advance.as_ref()?;
    for (dim, advance) in advance.iter().enumerate().filter(|(_, advance)| **advance != 0) {
        let writes = || meant.iter().filter(|touch| touch.write);
        let from = writes().map(|touch| touch.from[dim]).min()?;
        let to = writes().map(|touch| touch.from[dim] + touch.size[dim]).max()?;
        if to - from > advance.abs() {
            return Some(format!(
                "says that iterations are {advance} indices of dimension {dim} apart, and each writes {}",
                to - from
            ));
        }
    }
    None
}

fn report(
    op: Op<'_>,
    recorded: &Buffer<'_>,
    uses: &[Use<'_>],
    (meant, made): (&[Touch], &[Touch]),
    difference: &Difference,
) {
    let tensor = recorded.tensor;
    let does = |touch: &Touch| if touch.write { "writes" } else { "reads" };
    let elements = |touch: &Touch| {
        let size: Vec<String> = touch.size.iter().map(i64::to_string).collect();
        format!("{} elements from {:?} on", size.join("x"), touch.from)
    };
    let (message, at) = match difference {
        Difference::Count { meant, made } => {
            let message = format!("has {meant} accesses to the tensor {tensor}, the program makes {made}");
            (message, None)
        }
        Difference::Other { at } => {
            let (one, other) = (&meant[*at], &made[*at]);
            let message = format!(
                "says that access {at} {} {} of the tensor {tensor}, it {} {} slots",
                does(one),
                elements(one),
                does(other),
                other.size.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
            );
            (message, Some(*at))
        }
        Difference::Outside { at, slot } => {
            let message = format!(
                "says that access {at} {} {} of the tensor {tensor}, it takes slot {slot:?}, which is outside",
                does(&meant[*at]),
                elements(&meant[*at])
            );
            (message, Some(*at))
        }
        Difference::Holds {
            at,
            slot,
            element,
            held,
        } => {
            let held = match held {
                Some(held) if held == element => "holds what was written to that element before".to_owned(),
                Some(held) => format!("holds element {held:?}"),
                None => "holds nothing yet".to_owned(),
            };
            let message =
                format!("says that access {at} reads element {element:?} of the tensor {tensor}; slot {slot:?} {held}");
            (message, Some(*at))
        }
    };
    let op_of = |at: usize| uses.get(made.get(at)?.entry).map(|each| each.op);
    let notes = at.and_then(op_of).map(|at| note(at, "this is the access"));
    let notes: Vec<_> = notes.into_iter().collect();
    error(op, &format!("'zpu.buffer' {message}"), &notes);
}
