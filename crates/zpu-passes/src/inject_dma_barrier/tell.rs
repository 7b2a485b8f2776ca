//! Remarks on the form that is written, and on what it gives up.

use zpu_ir::{Op, Remark, RemarkKind, annotation, attr};
use zpu_sync::id::IdVec;
use zpu_sync::place::{AsyncEngineId, Form, Ids, Limit, Means};

use super::PASS;
use super::rewrite::Function;

/// Reports what a form gives up, and marks the commands that stay synchronous.
pub(super) fn tell(of: &Function<'_, '_, '_>, form: &Form, limit: Option<Limit>) {
    let function = of.function;
    for command in &form.kept_synchronous {
        keep_synchronous(of.sources.op(*command));
    }
    if form.is_plainer {
        Remark::new(function, RemarkKind::Missed, PASS, "plainer-form")
            .message(
                "waits may be earlier or more than needed: with fewer of them the proof does not see that they \
                are enough",
            )
            .emit();
    }
    let untried = form.untried;
    if untried > 0 {
        Remark::new(function, RemarkKind::Missed, PASS, "waits-not-tried")
            .message(format!(
                "the proof that tells which waits can be left out had enough: {untried} waits were not tried without"
            ))
            .metric("Untried", untried)
            .emit();
    }
    if let (Some(ids), Some(limit)) = (&form.ids, limit) {
        of_ids(function, ids, of.engines, limit);
    }
}

fn keep_synchronous(command: Op<'_>) {
    Remark::new(command, RemarkKind::Missed, PASS, "queue-may-be-full")
        .message("stays synchronous: its queue may be full, and the machine does not wait for a place")
        .emit();
    command.set_attr(annotation::SYNCHRONOUS, attr::unit(command.context()));
}

/// Reports how many ids are used, and what had to be given up.
fn of_ids(function: Op<'_>, ids: &Ids, engines: &IdVec<AsyncEngineId, String>, limit: Limit) {
    let (used, exact) = ids.counts();
    let needed = usize::try_from(exact).unwrap_or(usize::MAX);
    for (engine, means) in engines.iter().zip(ids.means()) {
        let (name, message) = match means {
            Means::Own => continue,
            Means::Shared(size) => (
                "ids-shared",
                format!(
                    "{exact} barrier ids tell all commands apart, {} may be used: the commands of @{engine} share \
                     {size}, and \
                     waits may take longer",
                    limit.ids
                ),
            ),
            Means::Fence => (
                "ids-exhausted",
                format!(
                    "{exact} barrier ids tell all commands apart, {} may be used: none is left for @{engine}, \
                     whose waits \
                     become fences",
                    limit.ids
                ),
            ),
        };
        Remark::new(function, RemarkKind::Missed, PASS, name)
            .message(message)
            .metric("Needed", needed)
            .emit();
    }
    Remark::new(function, RemarkKind::Passed, PASS, "barrier-ids")
        .message(format!("{} barrier ids, {exact} tell all commands apart", used))
        .metric("Ids", usize::try_from(used).unwrap_or(0))
        .metric("Needed", needed)
        .emit();
}
