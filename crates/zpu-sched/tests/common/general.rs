//! Random problems of every kind, among them ones that the check refuses.

use proptest::prelude::*;
use proptest::sample::select;
use zpu_sched::{
    Alternative, Buffer, CONTROL, Dependence, Kind, OpId, Operation, Problem, Resource, ResourceId, Space, SpaceId, Use,
};

/// Loops and straight lines of up to `most` operations: resources of any capacity, bandwidth and a control stream among
/// them, demands that do not fit, operations that take nothing and no time, dependences in both directions with
/// latencies above, at and below 0, and buffers with any writers and readers in spaces that may be too small.
pub fn problems(most: usize) -> impl Strategy<Value = Problem> {
    let spaces = prop::collection::vec(0u64..400, 0..3);
    let kind = select(vec![Kind::Cyclic, Kind::Acyclic]);
    (kind, resources(), spaces, 0..=most, any::<bool>()).prop_flat_map(|(kind, resources, spaces, count, deadlines)| {
        let operations = prop::collection::vec((alternatives(&resources), prop::option::weighted(0.2, 0u32..2)), count);
        let dependences = prop::collection::vec(dependence(count.max(1), deadlines), 0..2 * count + 1);
        let together = prop::collection::vec(together(count.max(1)), if deadlines { 0..3 } else { 0..1 });
        let buffers = prop::collection::vec(buffer(count.max(1), spaces.len()), 0..count / 2 + 1);
        (operations, dependences, together, buffers).prop_map(
            move |(operations, mut dependences, together, buffers)| {
                dependences.extend(together.into_iter().flatten());
                let none = operations.is_empty();
                Problem {
                    name: "any".into(),
                    kind,
                    resources: resources.clone(),
                    operations: named("op", operations, |name, (alternatives, condition)| Operation {
                        name,
                        alternatives,
                        condition,
                    }),
                    dependences: if none { vec![] } else { dependences },
                    buffers: if none {
                        vec![]
                    } else {
                        named("buffer", buffers, |name, buffer| Buffer { name, ..buffer })
                    },
                    spaces: named("space", spaces.clone(), |name, bytes| Space { name, bytes }),
                }
            },
        )
    })
}

fn named<T, U>(kind: &str, each: Vec<T>, make: impl Fn(String, T) -> U) -> Vec<U> {
    let numbered = each.into_iter().enumerate();
    numbered
        .map(|(index, one)| make(format!("{kind}{index}"), one))
        .collect()
}

fn resources() -> impl Strategy<Value = Vec<Resource>> {
    let resource = (1u32..5, prop::option::weighted(0.3, 1u32..4), prop::bool::weighted(0.2));
    (prop::collection::vec(resource, 0..5), any::<bool>()).prop_map(|(each, controlled)| {
        let mut resources = named("resource", each, |name, (capacity, queue, shared)| Resource {
            name,
            capacity,
            queue,
            shared,
        });
        if let Some(first) = resources.first_mut().filter(|_| controlled) {
            (first.name, first.capacity) = (CONTROL.into(), 1);
        }
        resources
    })
}

/// Mostly one way to carry an operation out, mostly with demands that fit.
fn alternatives(resources: &[Resource]) -> BoxedStrategy<Vec<Alternative>> {
    let latency = prop_oneof![4 => 0u64..40, 1 => Just(0), 1 => 0u64..3000];
    let capacities: Vec<u32> = resources.iter().map(|resource| resource.capacity).collect();
    let uses = if capacities.is_empty() {
        Just(vec![]).boxed()
    } else {
        let used = (
            0..capacities.len(),
            any::<u32>(),
            0u64..30,
            prop_oneof![3 => Just(0u64), 1 => 0u64..12],
        );
        let used = used.prop_map(move |(index, amount, cycles, offset)| Use {
            resource: ResourceId(index as u32),
            // One in sixty-four is too much.
            amount: amount % capacities[index] + if amount >> 26 == 0 { 5 } else { 1 },
            cycles,
            offset,
        });
        prop::collection::vec(used, 0..3).boxed()
    };
    let alternative = (latency, uses).prop_map(|(latency, uses)| Alternative { latency, uses });
    prop_oneof![3 => 1usize..2, 1 => 1usize..4]
        .prop_flat_map(move |count| prop::collection::vec(alternative.clone(), count))
        .boxed()
}

/// Mostly forward; backward mostly over iterations.
fn dependence(operations: usize, deadlines: bool) -> impl Strategy<Value = Dependence> {
    let latency = prop_oneof![
        6 => Just(None),
        2 => (0i64..50).prop_map(Some),
        1 => Just(Some(0)),
        1 => (-80i64..0).prop_map(move |latency| deadlines.then_some(latency)),
    ];
    (0..operations, 0..operations, latency, 0u32..4, 0u8..40).prop_map(|(one, other, latency, distance, kind)| {
        let forward = one < other || kind == 0;
        Dependence {
            from: OpId(one as u32),
            to: OpId(other as u32),
            latency,
            distance: if forward { distance / 3 } else { distance.max(1) },
        }
    })
}

/// A cycle within one iteration that takes no time.
fn together(operations: usize) -> impl Strategy<Value = Vec<Dependence>> {
    let cycle = prop::collection::vec(0..operations as u32, 1..4);
    cycle.prop_map(|cycle| {
        let next = cycle.iter().cycle().skip(1);
        let pairs = cycle.iter().zip(next);
        let dependence = |(&from, &to)| Dependence {
            from: OpId(from),
            to: OpId(to),
            latency: Some(0),
            distance: 0,
        };
        pairs.map(dependence).collect()
    })
}

fn buffer(operations: usize, spaces: usize) -> impl Strategy<Value = Buffer> {
    let op = || (0..operations as u32).prop_map(OpId);
    let space = prop::option::of(0..spaces.max(1) as u32);
    (
        prop::collection::vec(op(), 1..3),
        prop::collection::vec(op(), 0..4),
        0u64..100,
        space,
        prop::option::of(1u32..5),
    )
        .prop_map(move |(writers, readers, bytes, space, max_versions)| Buffer {
            name: String::new(),
            writers,
            readers,
            bytes,
            space: space.filter(|_| spaces > 0).map(SpaceId),
            max_versions,
        })
}
