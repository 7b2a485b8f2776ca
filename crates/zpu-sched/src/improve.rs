//! Local improvement of a plan: one operation at a time moves to another place or a neighbouring stage, as long as the
//! reference machine says that this helps.
//!
//! The machine accounts for what times alone do not show: waits of the stream, and the filling and draining of the
//! loop. The moves are tried in a fixed order within a fixed budget, so the result is deterministic.

use crate::budget::Budget;
use crate::incumbent::Incumbent;
use crate::work::Work;

/// Plans tried at most.
const MOST_PLANS: u64 = 3000;
/// Loops with more operations are left as they are: the budget would not reach all of them once.
const MOST_OPERATIONS: usize = 48;

/// Moves operations until no single move helps, or the budget is spent, a plan being a step.
pub(crate) fn improve(work: &Work<'_>, incumbent: &mut Incumbent<'_>, budget: &mut Budget) {
    let count = work.count();
    if count > MOST_OPERATIONS {
        return;
    }
    let mut left = MOST_PLANS;
    let mut since_success = 0;
    for op in (0..count).cycle() {
        if since_success == count {
            return;
        }
        since_success += 1;
        for (stage, place) in moves(work, incumbent, op) {
            if left == 0 || budget.spent() || optimal(work, incumbent) {
                return;
            }
            left -= 1;
            budget.pay(1);
            let plan = &incumbent.best().plan;
            let mut stages = plan.stage.clone();
            // Twice the place leaves room between any two.
            let mut key: Vec<i64> = plan.order.iter().map(|&order| 2 * i64::from(order)).collect();
            (stages[op], key[op]) = (stage, place);
            let before = incumbent.best().plan.clone();
            incumbent.offer_stages(&stages, &key);
            if incumbent.best().plan != before {
                since_success = 0;
                break;
            }
        }
    }
}

/// Stages and keys to try for an operation: near ones first.
fn moves(work: &Work<'_>, incumbent: &Incumbent<'_>, op: usize) -> Vec<(u32, i64)> {
    let plan = &incumbent.best().plan;
    let (stage, order) = (i64::from(plan.stage[op]), i64::from(plan.order[op]));
    let stages = [stage, stage - 1, stage + 1]
        .into_iter()
        .filter(|s| (0..=work.last_stage()).contains(s));
    let mut places: Vec<i64> = (0..=work.count() as i64).map(|place| 2 * place - 1).collect();
    places.sort_by_key(|place| (place - 2 * order).abs());
    stages
        .flat_map(|stage| places.iter().map(move |&place| (stage as u32, place)))
        .collect()
}

/// True if no plan can be better: only the steady rate counts, and it is the bound.
fn optimal(work: &Work<'_>, incumbent: &Incumbent<'_>) -> bool {
    work.options.trip.is_none() && incumbent.best().rate().interval() <= work.bounds.interval()
}
