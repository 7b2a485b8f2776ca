//! Max-min fair rates: no flow gets more at the cost of one that has less.

use smallvec::{SmallVec, smallvec};

use crate::links::Flow;

/// A number for each flow or link; that many need no allocation.
type Few<T> = SmallVec<[T; 8]>;

/// The rate of each flow, by progressive filling (Bertsekas and Gallager, "Data Networks", 6.5.2): all rise together
/// until one reaches its demand or a link is full; those have their rate, and the others go on.
///
/// Fractions are rounded. Flows that reach their rate together have the same one to the last bit, so that equal engines
/// stay equal.
pub fn max_min_fair(flows: &[&Flow], capacities: &[f64]) -> SmallVec<[f64; 8]> {
    if let [alone] = flows {
        let most = alone.links.iter().map(|link| capacities[*link].max(0.0));
        return smallvec![most.fold(alone.demand, f64::min)];
    }
    let mut rates: Few<f64> = smallvec![0.0; flows.len()];
    let mut left: Few<f64> = Few::from_slice(capacities);
    // By link: the flows that cross it and rise.
    let mut crossing: Few<usize> = smallvec![0; capacities.len()];
    for &link in flows.iter().flat_map(|flow| &flow.links) {
        crossing[link] += 1;
    }
    let mut rising: Few<usize> = (0..flows.len()).collect();
    let mut most: Few<f64> = smallvec![0.0; flows.len()];
    let mut share: Few<f64> = smallvec![0.0; capacities.len()];
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
        rising.retain(|&mut flow| {
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
