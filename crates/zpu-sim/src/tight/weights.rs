//! Weights of engines by which unequal engines bound a run together.
//!
//! For weights of sum 1 over a set of engines, the run takes at least the sum over the commands of the least weighted
//! time on any of its engines: that is a lower bound of the weighted mean of the engines' work, and no mean exceeds the
//! greatest. (The weights are the dual of the linear program that spreads work over unrelated machines.)
//!
//! Invariant: any weights give a right bound; how they are found decides only how good it is.

use super::demand::Demand;

/// Weights are whole parts of about that many.
const PARTS: f64 = 4096.0;
/// Steps of the search.
const STEPS: u32 = 60;

/// A piece of work and how many commands do it.
pub(super) type Load<'d> = (&'d Demand, u64);

/// Equal weights.
pub(super) fn equal(set: &[usize]) -> Vec<(usize, u64)> {
    set.iter().map(|engine| (*engine, 1)).collect()
}

/// Weights under which the set is loaded evenly, for work that not all of its engines do in equal times; `None` if
/// equal weights are the best.
pub(super) fn balanced(set: &[usize], loads: &[Load<'_>]) -> Option<Vec<(usize, u64)>> {
    let is_uneven = |demand: &Demand| {
        let first = demand.choices.first().map(|choice| choice.occupancy);
        demand.choices.len() < set.len() || demand.choices.iter().any(|choice| Some(choice.occupancy) != first)
    };
    if set.len() < 2 || !loads.iter().any(|(demand, _)| is_uneven(demand)) {
        return None;
    }
    let place = |engine: usize| set.iter().position(|member| *member == engine);
    let mut weights = vec![1.0 / set.len() as f64; set.len()];
    let (mut best, mut best_value) = (weights.clone(), 0.0);
    for step in 0..STEPS {
        // Each piece of work goes where it weighs least.
        let mut busy = vec![0.0; set.len()];
        let mut value = 0.0;
        for (demand, count) in loads {
            let costs = demand.choices.iter().filter_map(|choice| {
                let at = place(choice.engine)?;
                let cycles = choice.occupancy as f64 * *count as f64;
                Some((cycles * weights[at], cycles, at))
            });
            if let Some((weighted, cycles, at)) = costs.min_by(|one, other| one.0.total_cmp(&other.0)) {
                value += weighted;
                busy[at] += cycles;
            }
        }
        if value > best_value {
            (best, best_value) = (weights.clone(), value);
        }
        // An engine with more than its share of the work gets more weight, by steps that get smaller.
        let mean = busy.iter().sum::<f64>() / set.len() as f64;
        let factor = 1.0 + 2.0 / f64::from(step + 2);
        for (weight, busy) in weights.iter_mut().zip(&busy) {
            *weight = if *busy > mean {
                *weight * factor
            } else {
                *weight / factor
            };
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
    let parts = best.iter().map(|weight| (weight * PARTS) as u64);
    let weights: Vec<(usize, u64)> = set.iter().copied().zip(parts).collect();
    weights.iter().any(|(_, weight)| *weight > 0).then_some(weights)
}
