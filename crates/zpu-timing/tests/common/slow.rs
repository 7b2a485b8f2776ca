//! The definitions of a textbook, in exact fractions and single cycles: slow, and plain enough to be read as right.

use std::collections::VecDeque;

use super::{Fraction, Machine};

/// Progressive filling: all rates grow together from 0; what has its demand or crosses a full link stops.
pub fn progressive_filling(flows: &[&(u64, Vec<usize>)], capacities: &[u64]) -> Vec<Fraction> {
    let mut rates = vec![Fraction::from(0); flows.len()];
    let mut growing: Vec<usize> = (0..flows.len()).collect();
    while !growing.is_empty() {
        let unused = |link: usize, rates: &[Fraction]| {
            let crossing = (0..flows.len()).filter(|flow| flows[*flow].1.contains(&link));
            crossing.fold(Fraction::from(capacities[link]), |left, flow| left.minus(rates[flow]))
        };
        let to_demand = growing
            .iter()
            .map(|flow| Fraction::from(flows[*flow].0).minus(rates[*flow]));
        let to_full = (0..capacities.len()).filter_map(|link| {
            let crossing = growing.iter().filter(|flow| flows[**flow].1.contains(&link)).count();
            (crossing > 0).then(|| unused(link, &rates).over(Fraction::from(crossing as u64)))
        });
        let growth = to_demand.chain(to_full).min().expect("something grows");
        for flow in &growing {
            rates[*flow] = rates[*flow].plus(growth);
        }
        let is_full = |link: &usize| !unused(*link, &rates).is_positive();
        let goes_on =
            |flow: &usize| rates[*flow] < Fraction::from(flows[*flow].0) && !flows[*flow].1.iter().any(is_full);
        growing = growing.iter().copied().filter(|flow| goes_on(flow)).collect();
    }
    rates
}

/// Begin and end of each command, cycle by cycle.
pub fn single_cycles(machine: &Machine) -> Vec<(u64, u64)> {
    let commands = &machine.commands;
    let mut spans = vec![(None, None); commands.len()];
    let mut alone: Vec<u64> = commands.iter().map(|command| command.alone).collect();
    let mut shared: Vec<Fraction> = commands.iter().map(|command| Fraction::from(command.shared)).collect();
    let mut queues = vec![VecDeque::new(); machine.engines];
    let mut next = 0;
    let mut now = 0;
    while next < commands.len() || queues.iter().any(|queue| !queue.is_empty()) {
        while let Some(command) = commands.get(next).filter(|command| command.arrival == now) {
            queues[command.engine].push_back(next);
            next += 1;
        }
        for queue in &mut queues {
            while let Some(&head) = queue.front() {
                if now < commands[head].arrival + commands[head].latency {
                    break;
                }
                spans[head].0.get_or_insert(now);
                if alone[head] > 0 || shared[head].is_positive() {
                    break;
                }
                spans[head].1 = Some(now);
                queue.pop_front();
            }
        }
        let heads = queues.iter().filter_map(|queue| queue.front().copied());
        let working: Vec<usize> = heads.filter(|head| spans[*head].0.is_some()).collect();
        let (fixed, moving): (Vec<usize>, Vec<usize>) = working.into_iter().partition(|head| alone[*head] > 0);
        let (crossing, free): (Vec<usize>, Vec<usize>) =
            moving.into_iter().partition(|head| commands[*head].flow.is_some());
        fixed.iter().for_each(|head| alone[*head] -= 1);
        free.iter()
            .for_each(|head| shared[*head] = shared[*head].minus(Fraction::from(1)));
        let flow = |head: &usize| commands[*head].flow.map(|flow| &machine.flows[flow]);
        let flows: Vec<_> = crossing.iter().filter_map(flow).collect();
        let rates = progressive_filling(&flows, &machine.capacities);
        for ((head, flow), rate) in crossing.iter().zip(flows).zip(rates) {
            shared[*head] = shared[*head].minus(rate.over(Fraction::from(flow.0)));
        }
        now += 1;
    }
    let span = |(begin, end): (Option<u64>, Option<u64>)| (begin.unwrap_or(0), end.unwrap_or(0));
    spans.into_iter().map(span).collect()
}
