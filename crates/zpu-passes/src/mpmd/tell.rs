//! Errors and remarks of the core, at the operations of fragments.

use zpu_ir::{Failed, Note, Op, Remark, RemarkKind, error, note};
use zpu_sched::fragment::{self, Answer, FragmentError, NodeId, Program, Reason, Timing};

use zpu_analysis::fragments::Fragments;

/// The most fragments that one message points at.
const SHOWN: usize = 8;

/// Reports why there is no order: at the first fragment that the error names, with a note at each of the others.
pub(crate) fn refuse<'c>(function: Op<'c>, fragments: Option<&Fragments<'c>>, problem: &FragmentError) -> Failed {
    let named: Vec<NodeId> = problem.parties().into_iter().map(|party| party.id).collect();
    let ops: Vec<Op<'c>> = fragments
        .map(|fragments| named.iter().map(|id| fragments.ops[id.index()]).collect())
        .unwrap_or_default();
    let at = ops.first().copied().unwrap_or(function);
    let others = ops.iter().enumerate().skip(1).take(SHOWN);
    let notes: Vec<Note<'c>> = others
        .map(|(place, op)| note(*op, format!("this is {}", problem.parties()[place])))
        .collect();
    error(at, &problem.to_string(), &notes);
    Failed
}

/// Hands on a remark of the core.
pub(crate) fn remark<'c>(pass: &'static str, function: Op<'c>, fragments: &Fragments<'c>, said: &fragment::Remark) {
    let first = said.parties.first().map(|party| fragments.ops[party.id.index()]);
    let kind = match said.reason {
        Reason::Chosen | Reason::Recomputed => RemarkKind::Passed,
        Reason::OrderCompleted | Reason::Clamped | Reason::ForcedUnknown => RemarkKind::Analysis,
        _ => RemarkKind::Missed,
    };
    let at = first.unwrap_or(function);
    Remark::new(at, kind, pass, said.reason.name()).emit_with(|remark| {
        let names: Vec<String> = said.parties.iter().take(SHOWN).map(ToString::to_string).collect();
        let separator = if names.is_empty() || said.text.is_empty() {
            ""
        } else {
            ": "
        };
        remark
            .message(format!("{}{separator}{}", names.join(", "), said.text))
            .metric("fragments", said.parties.len())
    });
}

/// Tells in a remark what comes of a schedule.
pub(crate) fn analysis<'c>(
    pass: &'static str,
    name: &'static str,
    function: Op<'c>,
    fragments: &Fragments<'c>,
    answer: &Answer,
) {
    measured(pass, name, function, &fragments.program, (&answer.timing, answer.bound));
}

/// Tells in a remark the times of a schedule and the lower bound of its makespan.
pub(crate) fn measured(
    pass: &'static str,
    name: &'static str,
    function: Op<'_>,
    program: &Program,
    (timing, bound): (&Timing, u64),
) {
    Remark::new(function, RemarkKind::Analysis, pass, name).emit_with(|remark| {
        let makespan = timing.makespan;
        let mut remark = remark
            .message(format!("{makespan} cycles, at least {bound} are needed"))
            .metric("makespan", makespan)
            .metric("bound", bound);
        for (mesh, timing) in program.meshes.iter().zip(&timing.meshes) {
            remark = remark
                .metric(&format!("bubble {mesh}"), timing.bubble())
                .metric(&format!("peak {mesh}"), timing.peak);
        }
        remark
    });
}

/// The value of an option of which -1 stands for none.
pub(crate) fn at_least(function: Op<'_>, name: &str, value: i64) -> Result<Option<u64>, Failed> {
    match value {
        -1 => Ok(None),
        _ => u64::try_from(value).map(Some).map_err(|_| {
            error(
                function,
                &format!("{name} is {value}, must be at least 0, or -1 for none"),
                &[],
            );
            Failed
        }),
    }
}
