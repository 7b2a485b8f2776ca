//! The event-driven engine against a slow executor that knows nothing but single cycles, on random programs of
//! commands.
//!
//! The two share the device and its costs, and nothing else.

mod common;

use std::collections::VecDeque;

use common::*;
use proptest::prelude::*;
use zpu_device::{Device, EngineCost};
use zpu_sim::*;

/// A step of the control stream.
#[derive(Clone, Debug)]
enum Step {
    /// Moves or computes so many floats on an engine.
    Start {
        engine: usize,
        floats: i64,
    },
    /// Waits for an earlier start, by its number modulo their count.
    Wait(usize),
    Barrier,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0usize..4, 1i64..9).prop_map(|(engine, floats)| Step::Start { engine, floats }),
        3 => (0usize..8).prop_map(Step::Wait),
        1 => Just(Step::Barrier),
    ]
}

#[derive(Clone, Debug)]
struct Machine {
    latency: [u64; 2],
    gap: [u64; 2],
    rate: [u32; 2],
    link: u32,
    shared: bool,
    depth: u64,
    blocking: [bool; 4],
    control: [u64; 3],
}

fn machine() -> impl Strategy<Value = Machine> {
    (
        prop::array::uniform2(0u64..12),
        prop::array::uniform2(0u64..5),
        prop::array::uniform2(1u32..4),
        1u32..6,
        any::<bool>(),
        1u64..4,
        prop::array::uniform4(prop::bool::weighted(0.2)),
        prop::array::uniform3(0u64..4),
    )
        .prop_map(|(latency, gap, rate, link, shared, depth, blocking, control)| Machine {
            latency,
            gap,
            rate,
            link,
            shared,
            depth,
            blocking,
            control,
        })
}

impl Machine {
    fn device(&self) -> Device {
        let mut device = device(self.shared);
        device.links[0].bytes_per_cycle = f64::from(self.link);
        for (i, engine) in device.engines.iter_mut().enumerate() {
            engine.queue_depth = self.depth;
            engine.blocking = self.blocking[i];
            if let EngineCost::Dma(dma) = &mut engine.cost {
                (dma.start_latency, dma.gap) = (self.latency[i], self.gap[i]);
                dma.bytes_per_cycle = f64::from(self.rate[i]);
            }
        }
        let [start, wait, barrier] = self.control;
        device.control.start_cycles = start;
        device.control.wait_cycles = wait;
        device.control.barrier_cycles = barrier;
        device
    }

    /// Latency, unshared cycles, bytes that cross the link, bytes per cycle alone.
    fn work(&self, engine: usize, floats: i64) -> (u64, u64, f64, f64) {
        let floats = floats as u64;
        match engine {
            0 | 1 => {
                let rate = f64::from(if self.shared {
                    self.rate[engine].min(self.link)
                } else {
                    self.rate[engine]
                });
                let cycles = (4 * floats).div_ceil(rate as u64);
                match self.shared {
                    true => (self.latency[engine], self.gap[engine], cycles as f64 * rate, rate),
                    false => (self.latency[engine], self.gap[engine] + cycles, 0.0, rate),
                }
            }
            2 => (0, 5 + floats, 0.0, 1.0),
            _ => (0, 5 + floats, 0.0, 1.0),
        }
    }
}

fn program(steps: &[Step]) -> Program {
    let mut b = Builder::new();
    let far = b.buffer(F32, &[64]);
    let near = b.alloc(F32, &[64]);
    let add = b.kernel(Kernel::elementwise(
        "add",
        1,
        F32,
        Compute::FloatBinary(FloatBinary::Add, F32),
    ));
    let product = b.kernel(Kernel::matmul(F32, F32, false));
    let mut tokens = Vec::new();
    for step in steps {
        match step {
            Step::Start { engine, floats } => {
                let zero = Size::Constant(0);
                let (there, here) = (
                    b.subview(far, &[zero], &[*floats]),
                    b.subview(near, &[zero], &[*floats]),
                );
                tokens.push(match engine {
                    0 => b.start_copy(LOAD, there, here),
                    1 => b.start_copy(STORE, here, there),
                    2 => {
                        let [row, one, out] = [[*floats, 1], [1, 1], [*floats, 1]].map(|shape| b.alloc(F32, &shape));
                        b.start(TENSOR, product, &[row, one, out])
                    }
                    _ => b.start(VECTOR, add, &[here, here, here]),
                });
            }
            Step::Wait(which) if !tokens.is_empty() => b.wait(tokens[which % tokens.len()]),
            Step::Wait(_) => {}
            Step::Barrier => b.push(Op::Barrier { engines: None }),
        }
    }
    b.finish()
}

struct Job {
    number: usize,
    arrival: u64,
    latency: u64,
    alone: u64,
    bytes: f64,
    rate: f64,
    begun: bool,
}

/// The activity of the control stream.
enum Doing {
    Next,
    Issuing { engine: usize, floats: i64, left: u64 },
    Waiting { on: Vec<usize>, left: u64 },
}

/// Cycles of the steps, one at a time.
fn stepped(machine: &Machine, steps: &[Step]) -> u64 {
    let mut queues: [VecDeque<Job>; 4] = Default::default();
    let (mut done, mut started) = (Vec::new(), 0);
    let mut steps = steps.iter();
    let mut doing = Doing::Next;
    let mut last = 0;
    for now in 0.. {
        // The control stream acts as long as nothing that it does takes time.
        loop {
            doing = match doing {
                Doing::Next => match steps.next() {
                    None => break,
                    Some(Step::Start { engine, floats }) => Doing::Issuing {
                        engine: *engine,
                        floats: *floats,
                        left: machine.control[0],
                    },
                    Some(Step::Wait(_)) if started == 0 => continue,
                    Some(Step::Wait(which)) => Doing::Waiting {
                        on: vec![which % started],
                        left: machine.control[1],
                    },
                    Some(Step::Barrier) => Doing::Waiting {
                        on: (0..started).collect(),
                        left: machine.control[2],
                    },
                },
                Doing::Issuing {
                    left: 0,
                    engine,
                    floats,
                } if queues[engine].len() < machine.depth as usize => {
                    let (latency, alone, bytes, rate) = machine.work(engine, floats);
                    let number = started;
                    queues[engine].push_back(Job {
                        number,
                        arrival: now,
                        latency,
                        alone,
                        bytes,
                        rate,
                        begun: false,
                    });
                    started += 1;
                    done.push(false);
                    let on = if machine.blocking[engine] { vec![number] } else { vec![] };
                    Doing::Waiting { on, left: 0 }
                }
                Doing::Waiting { left: 0, on } if on.iter().all(|number| done[*number]) => Doing::Next,
                other => {
                    doing = other;
                    break;
                }
            };
            last = last.max(now);
        }
        if matches!(doing, Doing::Next) && steps.len() == 0 && queues.iter().all(VecDeque::is_empty) {
            return last;
        }
        match &mut doing {
            Doing::Issuing { left, .. } | Doing::Waiting { left, .. } => *left = left.saturating_sub(1),
            Doing::Next => {}
        }
        // One cycle of every engine. Two flows at most: each gets its half, or what the other leaves.
        let transferring = |queue: &VecDeque<Job>| {
            queue
                .front()
                .filter(|job| now >= job.arrival + job.latency && job.alone == 0 && job.bytes > 0.0)
                .map(|job| job.rate)
        };
        let demands = [transferring(&queues[0]), transferring(&queues[1])];
        let link = f64::from(machine.link);
        for (engine, queue) in queues.iter_mut().enumerate() {
            let Some(job) = queue.front_mut() else { continue };
            if now < job.arrival + job.latency {
                continue;
            }
            job.begun = true;
            if job.alone > 0 {
                job.alone -= 1;
            } else {
                let other = demands.get(1 - engine.min(1)).copied().flatten().unwrap_or(0.0);
                job.bytes -= job.rate.min((link - other).max(link / 2.0));
            }
            if job.alone == 0 && job.bytes <= 1e-5 {
                done[job.number] = true;
                last = last.max(now + 1);
                queue.pop_front();
            }
        }
    }
    unreachable!()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn events_and_single_cycles_agree(machine in machine(), steps in prop::collection::vec(step(), 0..16)) {
        let options = Options { checks: Checks { race: true, ..Checks::NONE }, ..Options::default() };
        let arguments = vec![floats(&[64], |i| i as f32)];
        let outcome = simulate(&program(&steps), &machine.device(), "main", arguments, &options);
        let report = outcome.unwrap().report;
        prop_assert_eq!(report.cycles, stepped(&machine, &steps));
        assert_adds_up(&report);
    }

    #[test]
    fn a_deeper_queue_or_one_wait_less_is_never_slower_without_sharing(
        machine in machine(),
        steps in prop::collection::vec(step(), 1..16),
        which in any::<prop::sample::Index>(),
    ) {
        let machine = Machine { shared: false, ..machine };
        let options = Options { checks: Checks::NONE, ..Options::default() };
        let cycles = |machine: &Machine, steps: &[Step]| {
            let arguments = vec![floats(&[64], |i| i as f32)];
            let outcome = simulate(&program(steps), &machine.device(), "main", arguments, &options);
            outcome.unwrap().report.cycles
        };
        let base = cycles(&machine, &steps);
        let deeper = cycles(&Machine { depth: machine.depth + 1, ..machine.clone() }, &steps);
        prop_assert!(deeper <= base);
        let mut fewer = steps.clone();
        let index = which.index(steps.len());
        if !matches!(steps[index], Step::Start { .. }) {
            fewer.remove(index);
        }
        prop_assert!(cycles(&machine, &fewer) <= base);
    }
}
