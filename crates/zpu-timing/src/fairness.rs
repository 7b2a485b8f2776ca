//! Max-min fair rates: no flow gets more at the cost of one that has less.

use crate::links::Flow;

/// The rate of each flow, by progressive filling (Bertsekas and Gallager, "Data Networks", 6.5.2): all rise together
/// until one reaches its demand or a link is full; those have their rate, and the others go on.
///
/// Fractions are rounded. Flows that reach their rate together have the same one to the last bit, so that equal engines
/// stay equal.
pub fn max_min_fair(flows: &[&Flow], capacities: &[f64]) -> Vec<f64> {
    let mut rates = vec![0.0; flows.len()];
    let mut left = capacities.to_vec();
    // By link: the flows that cross it and rise.
    let mut crossing = vec![0usize; capacities.len()];
    for &link in flows.iter().flat_map(|flow| &flow.links) {
        crossing[link] += 1;
    }
    let mut rising: Vec<usize> = (0..flows.len()).collect();
    let mut most = vec![0.0; flows.len()];
    let mut share = vec![0.0; capacities.len()];
    while !rising.is_empty() {
        for ((share, left), crossing) in share.iter_mut().zip(&left).zip(&crossing) {
            *share = left.max(0.0) / *crossing as f64;
        }
        let mut level = f64::INFINITY;
        for &flow in &rising {
            let Flow { demand, links } = flows[flow];
            // The rate of each if all went on rising like it.
            most[flow] = links.iter().map(|&link| share[link]).fold(*demand, f64::min);
            level = level.min(most[flow]);
        }
        rising.retain(|&flow| {
            let goes_on = most[flow] > level;
            if !goes_on {
                rates[flow] = level;
                for &link in &flows[flow].links {
                    left[link] -= level;
                    crossing[link] -= 1;
                }
            }
            goes_on
        });
    }
    rates
}
