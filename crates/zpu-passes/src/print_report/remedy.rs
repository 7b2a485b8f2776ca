//! Advice on loops and operations that a pass left alone, by the reason in its remark.

use zpu_ir::record::Recorded;

/// The advice, if there is any; where a stock pass of MLIR helps, its flag.
pub(super) fn of(remark: &Recorded) -> Option<String> {
    let advice = match remark.name.as_str() {
        "no-counted-loop" => counted(&remark.op),
        "unstructured-control-flow" => "run --lift-cf-to-scf before; a loop that counts has to be an scf.for",
        "control-flow" => "write it with scf.if; --canonicalize removes regions that do nothing",
        "guard-with-results" => "give the scf.if no results and choose the values by arith.select",
        "several-commands" => "run --zpu-split-guards before",
        "asynchronous-body" => "write zpu.dma and zpu.compute without tokens; or keep it, proven by --zpu-verify-sync",
        "unknown-effects" if remark.op == "func.call" => "run --inline before",
        "unknown-effects" | "atomic" => "move the operation out of the loop",
        "nothing-asynchronous" => "give a command to an engine that does not block, by zpu.engine on its operation",
        "no-gain" => return no_gain(remark),
        "not-faster" => "use larger tiles, so that a command takes longer than a wait",
        "no-room" | "capacity" => "use smaller tiles or fewer versions (num-stages, or zpu.versions on the allocation)",
        "unknown-cost" => "write its sizes as constants, or its cycles as zpu.cycles",
        "unknown-engine" | "wanted-engine" => "name an engine of the device that can take it in zpu.engine",
        "partial-annotations" => "give zpu.schedule to all operations of the loop or to none",
        "long-body" => "use fewer stages, or larger tiles in the inner loop",
        "no-space" => "name one of the device's memories in its type, #zpu.space<...>",
        "not-on-buffers" => "run --one-shot-bufferize before",
        "no-route" => "add a route to the device file, or go through a memory that has one",
        "dynamic-size" | "variant-size" => "allocate the largest size and work on a view of it",
        "escapes" if remark.message.contains("reaches scf.yield") => {
            "allocate two buffers before the loop and swap them; a buffer of each iteration has no single place"
        }
        "escapes" => "run --inline before, or work on a buffer of the function's own",
        "layout" => "allocate with the identity layout and take a view",
        "queue-may-be-full" => "use fewer stages, or a deeper queue in the device file",
        "ids-shared" | "ids-exhausted" => "allow more barrier ids, or use tokens (ids=0)",
        _ => return None,
    };
    Some(advice.to_owned())
}

/// The advice that makes an `scf.for` of another loop.
fn counted(op: &str) -> &'static str {
    match op {
        "scf.forall" => "run --scf-forall-to-for before",
        "scf.parallel" => "run --scf-parallel-for-to-nested-fors before",
        "affine.for" => "run --lower-affine before",
        "affine.parallel" => "run --lower-affine --scf-parallel-for-to-nested-fors before",
        _ => "write it as scf.for, with a number of iterations that is known when it begins",
    }
}

fn no_gain(remark: &Recorded) -> Option<String> {
    let number = |key: &str| remark.metric(key)?.parse::<u64>().ok();
    let (interval, bound) = (number("II")?, number("MII")?);
    let set_by = remark.metric("LimitedBy").unwrap_or("the machine");
    if interval > bound {
        Some(format!(
            "its best plan takes {interval} cycles an iteration where none can take less than {bound}; try a larger \
             num-stages, or scheduler=exact"
        ))
    } else {
        Some(format!(
            "nothing in this loop: {set_by} needs {bound} cycles an iteration in any order"
        ))
    }
}

#[cfg(test)]
mod tests {
    use zpu_ir::RemarkKind;

    use super::*;

    fn remark(name: &str, op: &str, metrics: &[(&str, &str)]) -> Recorded {
        let metrics = metrics
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Recorded {
            pass: "zpu-pipeline-planning".to_owned(),
            name: name.to_owned(),
            kind: RemarkKind::Missed,
            message: String::new(),
            metrics: metrics.collect(),
            op: op.to_owned(),
            place: None,
            in_loop: None,
        }
    }

    #[test]
    fn stock_passes_are_named_by_the_loop_that_they_take() {
        for (op, flag) in [
            ("scf.forall", "--scf-forall-to-for"),
            ("affine.for", "--lower-affine"),
            ("scf.parallel", "--scf-parallel-for-to-nested-fors"),
        ] {
            let advice = of(&remark("no-counted-loop", op, &[])).unwrap();
            assert!(advice.contains(flag), "{op}: {advice}");
        }
    }

    #[test]
    fn more_stages_help_only_above_the_bound() {
        let numbers = |interval| [("II", interval), ("MII", "10"), ("LimitedBy", "vector")];
        let advice = |interval| of(&remark("no-gain", "scf.for", &numbers(interval))).unwrap();
        assert!(advice("12").contains("num-stages"));
        assert!(advice("10").contains("vector needs 10 cycles"));
    }

    #[test]
    fn an_unknown_reason_has_no_advice() {
        assert_eq!(of(&remark("never-heard-of", "scf.for", &[])), None);
    }
}
