//! Check that a plan keeps every dependence of the loop body.
//!
//! Unit `u` of iteration `k` is issued at `(k + stage(u), position(u))`. A dependence of `v` on `u` with distance `d`
//! is kept exactly when `(stage(u), position(u)) < (stage(v) + d, position(v))`, lexicographically: then every instance
//! of `v` that needs an instance of `u` comes after it. Dependences further apart than the number of stages are always
//! kept.

use super::Planned;
use zpu_analysis::body::Decline;
use zpu_analysis::dependence::dependences;

/// Checks every dependence; declines at the first one that the plan breaks.
pub(super) fn check<'c>(planned: &Planned<'c>) -> Result<(), Decline<'c>> {
    let furthest = u32::try_from(planned.last_stage()).unwrap_or(u32::MAX);
    let positions = planned.positions();
    for dependence in dependences(&planned.body, furthest) {
        let key = |unit: usize, distance: u32| (planned.stages[unit] + i64::from(distance), positions[unit]);
        if key(dependence.from, 0) < key(dependence.to, dependence.distance) {
            continue;
        }
        if dependence.from == dependence.to && dependence.distance > 0 {
            continue;
        }
        let units = &planned.body.units;
        let message = format!(
            "the plan breaks a dependence ({}, distance {}): {} at {} (stage {}) must come before {} at {} (stage {})",
            dependence.kind.describe(),
            dependence.distance,
            units[dependence.from].op.name(),
            units[dependence.from].op.loc(),
            planned.stages[dependence.from],
            units[dependence.to].op.name(),
            units[dependence.to].op.loc(),
            planned.stages[dependence.to],
        );
        return Err(Decline::new("broken-dependence", units[dependence.to].op, message));
    }
    Ok(())
}
