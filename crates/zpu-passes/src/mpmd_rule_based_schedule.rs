//! `zpu-mpmd-rule-based-schedule`: orders fragments as rules of the user say, by `zpu_sched::fragment`.

use zpu_analysis::fragments::Fragments;
use zpu_ir::options::MpmdRuleBasedScheduleOptions;
use zpu_ir::{Op, PassResult};
use zpu_sched::fragment::{Request, parse_rules, schedule};

use crate::mpmd::{Control, analysis, refuse, remark, reorder};

const PASS: &str = "zpu-mpmd-rule-based-schedule";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MpmdRuleBasedScheduleOptions) -> PassResult {
    let rules = parse_rules(&options.rules).map_err(|problem| refuse(function, None, &problem))?;
    let Some(fragments) = Fragments::of(function)? else {
        return Ok(());
    };
    let answer = schedule(&fragments.program, &Request::Rules(rules))
        .map_err(|problem| refuse(function, Some(&fragments), &problem))?;
    for said in &answer.remarks {
        remark(PASS, function, &fragments, said);
    }
    let control = if options.remove_control_dependencies {
        Control::Removed
    } else {
        Control::Kept
    };
    reorder(&fragments, &answer.schedule, control);
    analysis(PASS, "scheduled", function, &fragments, &answer);
    Ok(())
}
