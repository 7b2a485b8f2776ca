//! Max-min fair rates against progressive filling in exact fractions, and against what makes a rate max-min fair.

mod common;

use common::{crowd, progressive_filling};
use proptest::prelude::*;
use zpu_timing::{Flow, max_min_fair};

const ROUNDING: f64 = 1e-9;

fn rates(flows: &[(u64, Vec<usize>)], capacities: &[u64]) -> Vec<f64> {
    let flow = |(demand, links): &(u64, Vec<usize>)| Flow {
        demand: *demand as f64,
        links: links.clone(),
    };
    let flows: Vec<Flow> = flows.iter().map(flow).collect();
    let capacities: Vec<f64> = capacities.iter().map(|capacity| *capacity as f64).collect();
    max_min_fair(&flows.iter().collect::<Vec<_>>(), &capacities).into_vec()
}

#[test]
fn what_one_cannot_use_others_get() {
    let flows = [(2, vec![0]), (100, vec![0]), (100, vec![0, 1]), (9, vec![])];
    assert_eq!(rates(&flows, &[12, 4]), [2.0, 6.0, 4.0, 9.0]);
}

#[test]
fn a_flow_is_held_by_its_tightest_link() {
    assert_eq!(rates(&[(9, vec![0, 1]), (9, vec![1])], &[1, 8]), [1.0, 7.0]);
}

#[test]
fn nobody_gets_nothing_of_no_links() {
    assert!(rates(&[], &[]).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn rates_are_those_of_progressive_filling((capacities, flows) in crowd()) {
        let exact = progressive_filling(&flows.iter().collect::<Vec<_>>(), &capacities);
        for (rate, exact) in rates(&flows, &capacities).into_iter().zip(exact) {
            prop_assert!((rate - exact.rounded()).abs() < ROUNDING, "{} {:?}", rate, exact);
        }
    }

    /// No link carries more than its capacity, no flow gets more than it demands, and a flow that gets less crosses a
    /// full link on which no flow has more: links do not idle while a flow could use them.
    #[test]
    fn nobody_can_have_more_without_taking_it((capacities, flows) in crowd()) {
        let rates = rates(&flows, &capacities);
        let crossing = |link: usize| {
            let crosses = flows.iter().map(|(_, links)| links.contains(&link));
            let rates = crosses.zip(&rates).filter(|(crosses, _)| *crosses);
            rates.map(|(_, rate)| *rate).collect::<Vec<f64>>()
        };
        let is_full = |link: usize| crossing(link).iter().sum::<f64>() >= capacities[link] as f64 - ROUNDING;
        for (link, capacity) in capacities.iter().enumerate() {
            prop_assert!(crossing(link).iter().sum::<f64>() <= *capacity as f64 + ROUNDING);
        }
        for ((demand, links), rate) in flows.iter().zip(&rates) {
            prop_assert!(*rate <= *demand as f64);
            let is_largest = |link: usize| crossing(link).iter().all(|other| *other <= rate + ROUNDING);
            let is_held = links.iter().any(|link| is_full(*link) && is_largest(*link));
            prop_assert!(is_held || *rate >= *demand as f64);
        }
    }

    /// Flows that are told apart by nothing get the same, to the last bit.
    #[test]
    fn equal_flows_have_equal_rates((capacities, mut flows) in crowd()) {
        flows.push(flows[0].clone());
        let rates = rates(&flows, &capacities);
        prop_assert_eq!(rates[0].to_bits(), rates[flows.len() - 1].to_bits());
    }

    /// Cores that do the same at the same time, each with links of its own and all on one link, have an equal part of
    /// that link each: a core among so many is a core alone on that part. docs/tuning.md rests on it.
    #[test]
    fn equal_cores_share_a_link_equally((capacities, flows) in crowd(), cores in 1usize..5) {
        let own = capacities.len() - 1;
        let mut shared = vec![capacities[0] * cores as u64];
        let mut all = Vec::new();
        for core in 0..cores {
            shared.extend(&capacities[1..]);
            for (demand, links) in &flows {
                let links = links.iter().map(|link| if *link == 0 { 0 } else { link + core * own });
                all.push((*demand, links.collect()));
            }
        }
        let alone = rates(&flows, &capacities);
        for (rate, alone) in rates(&all, &shared).into_iter().zip(alone.iter().cycle()) {
            prop_assert!((rate - alone).abs() < ROUNDING, "{} {}", rate, alone);
        }
    }
}
