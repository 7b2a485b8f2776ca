//! Max-min fair shares of links: nobody gets more by taking from somebody who has less.

/// A transfer that wants bandwidth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flow {
    /// Bytes per cycle that it can use.
    pub(crate) demand: f64,
    /// Links that it crosses.
    pub(crate) links: Vec<usize>,
}

/// Bytes per cycle of each flow, by water-filling: all flows rise together until one has what it wants or a link is
/// full.
pub(crate) fn max_min_fair<F: std::ops::Deref<Target = Flow>>(flows: &[F], capacities: &[f64]) -> Vec<f64> {
    let mut rates = vec![0.0; flows.len()];
    if flows.is_empty() {
        return rates;
    }
    let mut open: Vec<usize> = (0..flows.len()).collect();
    let mut left = capacities.to_vec();
    while !open.is_empty() {
        let share = |link: usize| {
            let crossing = open.iter().filter(|flow| flows[**flow].links.contains(&link)).count();
            left[link].max(0.0) / crossing as f64
        };
        let limit = |flow: usize| {
            flows[flow]
                .links
                .iter()
                .map(|link| share(*link))
                .fold(f64::INFINITY, f64::min)
        };
        let least_demand = open
            .iter()
            .map(|flow| flows[*flow].demand)
            .fold(f64::INFINITY, f64::min);
        let least_share = open.iter().map(|flow| limit(*flow)).fold(f64::INFINITY, f64::min);
        let level = least_demand.min(least_share);
        let settled = |flow: &usize| flows[*flow].demand <= level || limit(*flow) <= level;
        let (done, rest): (Vec<usize>, Vec<usize>) = open.iter().partition(|flow| settled(flow));
        for flow in &done {
            rates[*flow] = level;
            for link in &flows[*flow].links {
                left[*link] -= level;
            }
        }
        if done.is_empty() {
            break;
        }
        open = rest;
    }
    rates
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flow(demand: f64, links: &[usize]) -> Box<Flow> {
        let links = links.to_vec();
        Box::new(Flow { demand, links })
    }

    #[test]
    fn what_one_cannot_use_others_get() {
        let rates = max_min_fair(&[flow(2.0, &[0]), flow(100.0, &[0]), flow(100.0, &[0])], &[12.0]);
        assert_eq!(rates, [2.0, 5.0, 5.0]);
    }

    #[test]
    fn a_flow_is_held_by_its_tightest_link() {
        let rates = max_min_fair(&[flow(9.0, &[0, 1]), flow(9.0, &[1])], &[1.0, 8.0]);
        assert_eq!(rates, [1.0, 7.0]);
    }

    proptest! {
        #[test]
        fn shares_are_feasible_and_max_min(
            raw in prop::collection::vec((1u32..50, prop::collection::btree_set(0usize..4, 0..3)), 0..8),
            capacities in prop::collection::vec(1u32..50, 4),
        ) {
            let flows: Vec<Box<Flow>> =
                raw.iter().map(|(d, links)| flow(f64::from(*d), &links.iter().copied().collect::<Vec<_>>())).collect();
            let capacities: Vec<f64> = capacities.into_iter().map(f64::from).collect();
            let rates = max_min_fair(&flows, &capacities);
            let used = |link: usize| -> f64 {
                flows.iter().zip(&rates).filter(|(f, _)| f.links.contains(&link)).map(|(_, r)| r).sum()
            };
            for (link, capacity) in capacities.iter().enumerate() {
                prop_assert!(used(link) <= capacity + 1e-9);
            }
            for (i, flow) in flows.iter().enumerate() {
                prop_assert!(rates[i] <= flow.demand + 1e-9);
                // A flow that wants more crosses a full link on which nobody has more than it.
                let held = flow.links.iter().any(|link| {
                    used(*link) >= capacities[*link] - 1e-9
                        && flows.iter().zip(&rates).all(|(f, r)| !f.links.contains(link) || *r <= rates[i] + 1e-9)
                });
                prop_assert!(held || rates[i] >= flow.demand - 1e-9);
            }
        }
    }
}
