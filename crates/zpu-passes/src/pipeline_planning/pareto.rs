//! The curve of the interval against bytes, as a remark: what a plan of fewer versions would cost.
//!
//! The curve is that of the scheduler in use, with ever fewer versions allowed; it is only computed where remarks are
//! on.

use zpu_ir::scf::For;
use zpu_ir::{Remark, RemarkKind};
use zpu_sched::{Outcome, Point, Scheduler, pareto_of_plans};

use super::PASS;
use crate::loop_problem::Model;

/// Problems with fewer versions that are solved for one remark.
const MOST_SOLVES: usize = 8;

/// Reports the points of the curve and its knee for a loop whose buffers have more than one version. Versions that a
/// user wrote are no choice, so there is no curve with them.
pub(super) fn report(for_: For<'_>, model: &Model<'_>, outcome: &Outcome, scheduler: Scheduler) {
    let fixed = model.rings.iter().any(|ring| ring.fixed.is_some());
    if fixed || outcome.plan.versions.iter().all(|&versions| versions == 1) {
        return;
    }
    let remark = Remark::new(for_.op, RemarkKind::Analysis, PASS, "pareto")
        .message("the interval against the bytes of all versions, with ever fewer versions allowed");
    remark.emit_with(|remark| {
        let curve = pareto_of_plans(&model.problem, scheduler, &model.options, Some(outcome), MOST_SOLVES);
        let Ok(curve) = curve else { return remark };
        let text = |point: &Point| format!("II {}, {} bytes", point.interval, point.bytes);
        let points = curve.points.iter().enumerate();
        let remark = points.fold(remark, |remark, (index, point)| {
            remark.metric(&format!("Point {index}"), text(point))
        });
        match curve.knee.and_then(|knee| curve.points.get(knee)) {
            Some(knee) => remark.metric("Knee", text(knee)),
            None => remark,
        }
    });
}
