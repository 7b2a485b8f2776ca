//! The tight bound against a search through every legal program of the same commands: all orders, all engines that
//! could do each command, synchronous and asynchronous commands, waits and barriers at every place.
//!
//! The search shares with the bound the costs of the device and nothing else. Times are those of `zpu_timing`.

mod common;

use std::collections::BTreeMap;
use std::rc::Rc;

use common::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use zpu_device::{Device, Engine, EngineCost, Operands, Route, Work};
use zpu_sim::*;
use zpu_timing::{Flow, FlowId, Links};

/// Floats of every buffer.
const FLOATS: i64 = 8;
/// Steps after which a search is given up; such a case shows nothing.
const MOST_STEPS: u64 = 300_000;

/// A command with a buffer of its own as its target.
#[derive(Clone, Debug)]
enum Piece {
    Load { floats: i64 },
    Add { floats: i64, of: [usize; 2] },
    Move { floats: i64, of: usize },
    Store { floats: i64, of: usize },
}

impl Piece {
    fn sources(&self) -> Vec<usize> {
        match self {
            Piece::Load { .. } => vec![],
            Piece::Add { of, .. } => of.to_vec(),
            Piece::Move { of, .. } | Piece::Store { of, .. } => vec![*of],
        }
    }

    fn route(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Piece::Load { .. } => Some(("dram", "sram")),
            Piece::Add { .. } => None,
            Piece::Move { .. } => Some(("sram", "sram")),
            Piece::Store { .. } => Some(("sram", "dram")),
        }
    }

    fn floats(&self) -> i64 {
        match self {
            Piece::Load { floats }
            | Piece::Add { floats, .. }
            | Piece::Move { floats, .. }
            | Piece::Store { floats, .. } => *floats,
        }
    }

    /// As work of a vector engine, and as a transfer.
    fn works(&self) -> Vec<Work> {
        let elements = self.floats() as u64;
        let vector = |loads, ops| Work::Vector {
            elements,
            element: F32,
            loads,
            stores: 1,
            ops,
        };
        let Some((from, to)) = self.route() else {
            return vec![vector(2, BTreeMap::from([(zpu_device::VectorOp::Arith, 1)]))];
        };
        let transfer = Work::Transfer {
            from: from.into(),
            to: to.into(),
            rows: 1,
            row_bytes: 4 * elements,
        };
        match self {
            Piece::Move { .. } => vec![transfer, vector(1, BTreeMap::new())],
            _ => vec![transfer],
        }
    }
}

fn pieces(most: usize) -> impl Strategy<Value = Vec<Piece>> {
    let piece = prop_oneof![
        3 => (1..=FLOATS).prop_map(|floats| Piece::Load { floats }),
        3 => (1..=FLOATS, any::<[u16; 2]>()).prop_map(|(floats, of)| Piece::Add { floats, of: of.map(usize::from) }),
        1 => (1..=FLOATS, any::<u16>()).prop_map(|(floats, of)| Piece::Move { floats, of: of.into() }),
        2 => (1..=FLOATS, any::<u16>()).prop_map(|(floats, of)| Piece::Store { floats, of: of.into() }),
    ];
    prop::collection::vec(piece, 1..=most).prop_map(|mut pieces| {
        pieces[0] = Piece::Load { floats: FLOATS };
        for i in 1..pieces.len() {
            // Only targets on chip can be read again.
            let on_chip: Vec<usize> = (0..i).filter(|j| !matches!(pieces[*j], Piece::Store { .. })).collect();
            match &mut pieces[i] {
                Piece::Load { .. } => {}
                Piece::Add { of, .. } => *of = of.map(|j| on_chip[j % on_chip.len()]),
                Piece::Move { of, .. } | Piece::Store { of, .. } => *of = on_chip[*of % on_chip.len()],
            }
        }
        pieces
    })
}

/// The program in the order given, each command synchronous; a move goes by DMA or by the vector engine.
fn program(pieces: &[Piece], by_vector: bool) -> Program {
    let mut b = Builder::new();
    let count = pieces.len() as i64;
    let (input, output) = (b.buffer(F32, &[count, FLOATS]), b.buffer(F32, &[count, FLOATS]));
    let sum = Compute::FloatBinary(FloatBinary::Add, F32);
    let add = b.kernel(Kernel::elementwise("add", 2, F32, sum));
    let local: Vec<Reg> = pieces.iter().map(|_| b.alloc(F32, &[1, FLOATS])).collect();
    for (i, piece) in pieces.iter().enumerate() {
        let row = [Size::Constant(i as i64), Size::Constant(0)];
        let zero = [Size::Constant(0); 2];
        let floats = piece.floats();
        let mut part = |buffer, place: &[Size]| b.subview(buffer, place, &[1, floats]);
        match piece {
            Piece::Load { .. } => {
                let (from, to) = (part(input, &row), part(local[i], &zero));
                b.copy(Some(LOAD), from, to);
            }
            Piece::Add { of, .. } => {
                let parts = [local[of[0]], local[of[1]], local[i]].map(|buffer| part(buffer, &zero));
                b.run(Some(VECTOR), add, &parts);
            }
            Piece::Move { of, .. } => {
                let (from, to) = (part(local[*of], &zero), part(local[i], &zero));
                b.copy(Some(if by_vector { VECTOR } else { LOAD }), from, to);
            }
            Piece::Store { of, .. } => {
                let (from, to) = (part(local[*of], &zero), part(output, &row));
                b.copy(Some(LOAD), from, to);
            }
        }
    }
    b.finish()
}

/// Devices with costs of all kinds: one or two vector engines of different speed, which may copy on chip or not; links,
/// blocking engines, short queues, dear waits and cheap barriers and the reverse.
fn machine() -> impl Strategy<Value = Device> {
    let costs = (0u64..12, 0u64..5, 1u32..5, 1u32..8, 1u64..4);
    let stream = (0u64..6, 0u64..9, 0u64..12);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let blocking = prop::array::uniform4(prop::bool::weighted(0.2));
    (costs, stream, flags, blocking, 1u64..9).prop_map(
        |((latency, gap, rate, link, depth), (issue, wait, barrier), (shared, two, copies), blocking, start)| {
            let mut device = device(shared);
            device.links[0].bytes_per_cycle = f64::from(link);
            device.control.start_cycles = issue;
            device.control.wait_cycles = wait;
            device.control.barrier_cycles = barrier;
            for (engine, blocking) in device.engines.iter_mut().zip(blocking) {
                engine.queue_depth = depth;
                engine.blocking = blocking;
                if let EngineCost::Dma(dma) = &mut engine.cost {
                    dma.start_latency = latency;
                    dma.gap = gap + u64::from(engine.name == "store");
                    dma.bytes_per_cycle = f64::from(rate);
                    dma.routes.push(Route {
                        from: "sram".into(),
                        to: "sram".into(),
                        links: vec![],
                    });
                }
                if copies && matches!(engine.cost, EngineCost::Vector(_)) {
                    engine.operands = Operands {
                        all: vec!["sram".into()],
                        ..Operands::default()
                    };
                }
            }
            if two {
                let mut second: Engine = device.engines[VECTOR.index()].clone();
                second.name = "second".into();
                second.blocking = false;
                if let EngineCost::Vector(vector) = &mut second.cost {
                    vector.start = start;
                }
                device.engines.push(second);
            }
            device
        },
    )
}

/// The form of a command on an engine.
#[derive(Clone, Copy, Debug)]
struct OnEngine {
    engine: usize,
    latency: u64,
    alone: u64,
    shared: u64,
    flow: Option<FlowId>,
}

/// The commands and the machine.
struct Search {
    issue: u64,
    wait: u64,
    barrier: u64,
    blocking: Vec<bool>,
    depths: Vec<usize>,
    ways: Vec<Vec<OnEngine>>,
    sources: Vec<Vec<usize>>,
    steps: u64,
}

/// A program so far.
#[derive(Clone)]
struct State {
    now: u64,
    engines: zpu_timing::Engines<usize>,
    /// Engine and number there of each command that was issued.
    place: Vec<Option<(usize, u64)>>,
    /// By engine: commands that were issued, and those that the stream knows to be complete.
    issued: Vec<u64>,
    known: Vec<u64>,
}

impl Search {
    fn new(pieces: &[Piece], device: &Device) -> (Self, State) {
        let mut links = Links::new(device.links.iter().map(|link| link.bytes_per_cycle).collect());
        let mut ways = Vec::new();
        for piece in pieces {
            let mut of_piece = Vec::new();
            for (engine, facts) in device.engines.iter().enumerate() {
                // A vector engine copies only where its rule names the memory.
                let is_copy = piece.route().is_some();
                if facts.dma().is_none() && is_copy && facts.operands.all.is_empty() {
                    continue;
                }
                let costs = piece
                    .works()
                    .into_iter()
                    .filter_map(|work| device.cost(facts, &work).ok());
                for cost in costs {
                    let route = facts.dma().and_then(|dma| {
                        let (from, to) = piece.route()?;
                        let route = dma.route(from, to)?;
                        let crossed = (0..device.links.len()).filter(|i| route.links.contains(&device.links[*i].name));
                        Some((device.route_rate(dma, route), crossed.collect::<Vec<_>>()))
                    });
                    let flow = route.filter(|(rate, crossed)| *rate > 0.0 && !crossed.is_empty());
                    of_piece.push(OnEngine {
                        engine,
                        latency: cost.latency,
                        alone: cost.occupancy - cost.shareable,
                        shared: cost.shareable,
                        flow: flow.map(|(demand, links_of)| {
                            links.add(Flow {
                                demand,
                                links: links_of,
                            })
                        }),
                    });
                }
            }
            ways.push(of_piece);
        }
        let search = Self {
            issue: device.control.start_cycles,
            wait: device.control.wait_cycles,
            barrier: device.control.barrier_cycles,
            blocking: device.engines.iter().map(|engine| engine.blocking).collect(),
            depths: device
                .engines
                .iter()
                .map(|engine| engine.queue_depth as usize)
                .collect(),
            ways,
            sources: pieces.iter().map(Piece::sources).collect(),
            steps: 0,
        };
        let count = device.engines.len();
        let state = State {
            now: 0,
            engines: zpu_timing::Engines::new(count, Rc::new(links)),
            place: vec![None; pieces.len()],
            issued: vec![0; count],
            known: vec![0; count],
        };
        (search, state)
    }

    /// The cycles of a program of less than `limit` cycles, if there is one and the search comes to its end.
    fn better(&mut self, state: &State, limit: u64) -> Option<u64> {
        self.steps += 1;
        let left = state.place.iter().filter(|place| place.is_none()).count() as u64;
        if self.steps > MOST_STEPS || state.now + left * self.issue >= limit {
            return None;
        }
        if left == 0 {
            let mut engines = state.engines.clone();
            while engines.step(&mut Vec::new()) {}
            let ends = (0..self.depths.len()).map(|engine| engines.last_end(engine));
            let cycles = ends.fold(state.now, u64::max);
            return (cycles < limit).then_some(cycles);
        }
        for i in 0..state.place.len() {
            if state.place[i].is_some() {
                continue;
            }
            for way in self.ways[i].clone() {
                let is_ordered = |source: &usize| {
                    state.place[*source]
                        .is_some_and(|(engine, number)| engine == way.engine || number <= state.known[engine])
                };
                if !self.sources[i].iter().all(is_ordered) {
                    continue;
                }
                for synchronous in [false, true] {
                    let mut next = state.clone();
                    self.issue(&mut next, i, way, synchronous);
                    if let Some(found) = self.better(&next, limit) {
                        return Some(found);
                    }
                    if self.blocking[way.engine] {
                        break;
                    }
                }
            }
        }
        for engine in 0..self.depths.len() {
            for number in state.known[engine] + 1..=state.issued[engine] {
                let mut next = state.clone();
                next.now += self.wait;
                next.until(engine, number);
                if let Some(found) = self.better(&next, limit) {
                    return Some(found);
                }
            }
        }
        if state.issued != state.known {
            let mut next = state.clone();
            next.now += self.barrier;
            for engine in 0..self.depths.len() {
                next.until(engine, state.issued[engine]);
            }
            return self.better(&next, limit);
        }
        None
    }

    fn issue(&self, state: &mut State, i: usize, way: OnEngine, synchronous: bool) {
        state.now += self.issue;
        let mut done = Vec::new();
        state.engines.advance(state.now, &mut done);
        while !state.engines.has_room(way.engine, self.depths[way.engine]) {
            state.engines.step(&mut done);
            state.now = state.now.max(state.engines.now());
        }
        let command = zpu_timing::Command {
            tag: i,
            arrival: state.now,
            latency: way.latency,
            alone: way.alone,
            shared: way.shared,
            flow: way.flow,
        };
        let number = state.engines.push(way.engine, command);
        state.issued[way.engine] = number;
        state.place[i] = Some((way.engine, number));
        if synchronous || self.blocking[way.engine] {
            state.until(way.engine, number);
        }
    }
}

impl State {
    /// Lets the stream wait until an engine has completed so many commands.
    fn until(&mut self, engine: usize, number: u64) {
        let mut done = Vec::new();
        self.engines.advance(self.now, &mut done);
        while !self.engines.is_complete(engine, number) && self.engines.step(&mut done) {}
        self.now = self.now.max(self.engines.now());
        self.known[engine] = self.known[engine].max(number);
    }
}

fn bounds(pieces: &[Piece], device: &Device, by_vector: bool) -> Report {
    let rows = pieces.len() as i64;
    let buffer = || floats(&[rows, FLOATS], |i| i as f32);
    let program = program(pieces, by_vector);
    let outcome = simulate(&program, device, "main", vec![buffer(), buffer()], &Options::default()).unwrap();
    assert!(outcome.report.completed, "{}", messages(&outcome.report));
    outcome.report
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn no_legal_program_is_faster(pieces in pieces(5), device in machine(), by_vector in any::<bool>()) {
        let by_vector = by_vector && !device.engines[VECTOR.index()].operands.all.is_empty();
        let report = bounds(&pieces, &device, by_vector);
        let bound = report.tight_bound.cycles;
        prop_assert!(bound <= report.cycles, "{:?}", report.tight_bound);
        let (mut search, start) = Search::new(&pieces, &device);
        let found = search.better(&start, bound);
        prop_assert_eq!(found, None, "{:?}", report.tight_bound);
    }
}

/// Programs of a generator with a fixed seed.
fn samples<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

#[test]
fn the_bound_is_often_the_optimum_and_never_above_it() {
    let (mut decided, mut equal, mut above_old) = (0, 0, 0);
    for (pieces, device) in samples((pieces(5), machine()), 120) {
        let report = bounds(&pieces, &device, false);
        let bound = report.tight_bound.cycles;
        let (mut search, start) = Search::new(&pieces, &device);
        let mut best = report.cycles;
        while best > bound
            && let Some(found) = search.better(&start, best)
        {
            best = found;
        }
        if search.steps > MOST_STEPS {
            continue;
        }
        assert!(bound <= best, "{pieces:?} {best} {:?}", report.tight_bound);
        decided += 1;
        equal += usize::from(best == bound);
        above_old += usize::from(bound > report.bound.cycles);
    }
    println!("{decided} decided, {equal} equal, {above_old} above the old bound");
    assert!(
        decided >= 100 && equal >= 60 && above_old >= 12,
        "{decided} {equal} {above_old}"
    );
}
