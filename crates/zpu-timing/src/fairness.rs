//! Max-min fair rates: no flow gets more at the cost of one that has less.

use crate::links::Flow;

/// The rate of each flow, by progressive filling (Bertsekas and Gallager, "Data Networks", 6.5.2): all rise together
/// until one reaches its demand or a link is full; those have their rate, and the others go on.
///
/// Fractions are rounded. Flows that reach their rate together have the same one to the last bit, so that equal engines
/// stay equal.
pub fn max_min_fair(flows: &[&Flow], capacities: &[f64]) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    let mut left = capacities.to_vec();
    let mut most = Vec::with_capacity(flows.len());
    loop {
        let is_rising = |flow: usize| rates[flow].is_none();
        let crossing = |link: usize| {
            let crosses = |flow: &usize| is_rising(*flow) && flows[*flow].links.contains(&link);
            (0..flows.len()).filter(crosses).count()
        };
        let share = |link: &usize| left[*link].max(0.0) / crossing(*link) as f64;
        // The rate of each if all went on rising like it.
        let would_have = |flow: usize| flows[flow].links.iter().map(share).fold(flows[flow].demand, f64::min);
        let rising = (0..flows.len()).filter(|&flow| is_rising(flow));
        most.extend(rising.map(|flow| (flow, would_have(flow))));
        let Some(level) = most.iter().map(|(_, most)| *most).reduce(f64::min) else {
            break;
        };
        for (flow, _) in most.drain(..).filter(|(_, most)| *most <= level) {
            rates[flow] = Some(level);
            flows[flow].links.iter().for_each(|&link| left[link] -= level);
        }
    }
    rates.into_iter().map(Option::unwrap_or_default).collect()
}
