//! Random engines, links and commands.

use std::rc::Rc;

use proptest::prelude::*;
use zpu_timing::{Command, Completion, Engines, Flow, FlowId, Links};

/// A machine and its commands, in whole numbers.
#[derive(Clone, Debug)]
pub struct Machine {
    pub engines: usize,
    pub capacities: Vec<u64>,
    /// Demand, and the links that are crossed.
    pub flows: Vec<(u64, Vec<usize>)>,
    /// In the order of their issue; arrivals do not decrease.
    pub commands: Vec<Issued>,
}

/// A command; flows by their place.
#[derive(Clone, Debug)]
pub struct Issued {
    pub engine: usize,
    pub arrival: u64,
    pub latency: u64,
    pub alone: u64,
    pub shared: u64,
    pub flow: Option<usize>,
}

impl Machine {
    pub fn links(&self) -> (Rc<Links>, Vec<FlowId>) {
        let mut links = Links::new(self.capacities.iter().map(|capacity| *capacity as f64).collect());
        let flow = |(demand, links): &(u64, Vec<usize>)| Flow {
            demand: *demand as f64,
            links: links.clone(),
        };
        let flows = self.flows.iter().map(|one| links.add(flow(one))).collect();
        (Rc::new(links), flows)
    }

    /// Runs all commands, named by their place; before each one, time goes to its arrival. `looks` are further moments
    /// at which the clock is read.
    pub fn run(&self, looks: &[u64]) -> Vec<Completion<usize>> {
        let (links, flows) = self.links();
        let mut engines = Engines::new(self.engines, links);
        let mut done = Vec::new();
        for (tag, issued) in self.commands.iter().enumerate() {
            for look in looks.iter().filter(|look| **look < issued.arrival) {
                engines.advance(*look, &mut done);
            }
            engines.advance(issued.arrival, &mut done);
            let command = Command {
                tag,
                arrival: issued.arrival,
                latency: issued.latency,
                alone: issued.alone,
                shared: issued.shared,
                flow: issued.flow.map(|flow| flows[flow]),
            };
            engines.push(issued.engine, command);
        }
        for look in looks {
            engines.advance(*look, &mut done);
        }
        while engines.step(&mut done) {}
        done
    }
}

/// Links of small capacities, and flows on them.
pub fn crowd() -> impl Strategy<Value = (Vec<u64>, Vec<(u64, Vec<usize>)>)> {
    (1_usize..4).prop_flat_map(|links| {
        let crossed = prop::collection::btree_set(0..links, 1..=links);
        let flow = (1_u64..25, crossed).prop_map(|(demand, links)| (demand, links.into_iter().collect()));
        (
            prop::collection::vec(1_u64..25, links),
            prop::collection::vec(flow, 1..7),
        )
    })
}

pub fn machine() -> impl Strategy<Value = Machine> {
    (1_usize..5, crowd()).prop_flat_map(|(engines, (capacities, flows))| {
        let command = (
            0..engines,
            0_u64..12,
            prop_oneof![Just(0), 0_u64..9],
            prop_oneof![Just(0), 0_u64..9],
            prop_oneof![Just(0), 0_u64..60],
            prop::option::weighted(0.8, 0..flows.len()),
        );
        prop::collection::vec(command, 1..16).prop_map(move |commands| {
            let mut now = 0;
            let commands = commands.into_iter();
            let issued = |(engine, gap, latency, alone, shared, flow)| {
                now += gap;
                Issued {
                    engine,
                    arrival: now,
                    latency,
                    alone,
                    shared,
                    flow,
                }
            };
            Machine {
                engines,
                capacities: capacities.clone(),
                flows: flows.clone(),
                commands: commands.map(issued).collect(),
            }
        })
    })
}
