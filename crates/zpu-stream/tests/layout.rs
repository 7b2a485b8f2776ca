//! Assignments against exhaustive search, on random graphs. `ZPU_STREAM_SEEDS` sets how many.

mod common;

use common::layouts::{exhaustive, graph};
use common::random::Random;
use zpu_stream::layout::{Alternative, LayoutError, LayoutId, Op, OpId, Problem, assign, cost, vote};

const R: LayoutId = LayoutId(0);
const C: LayoutId = LayoutId(1);

fn op(name: &str, elements: u64, inputs: &[u32], alternatives: &[(LayoutId, &[LayoutId])]) -> Op {
    Op {
        name: name.to_owned(),
        elements,
        inputs: inputs.iter().copied().map(OpId).collect(),
        alternatives: alternatives
            .iter()
            .map(|(output, inputs)| Alternative {
                output: *output,
                inputs: inputs.to_vec(),
            })
            .collect(),
        absorbed: Vec::new(),
    }
}

#[test]
fn the_least_cost_is_that_of_all_choices() {
    let seeds = std::env::var("ZPU_STREAM_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1500);
    for seed in 0..seeds {
        let problem = graph(&mut Random::new(seed), 8);
        let found = assign(&problem, 1 << 20).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(cost(&problem, &found.choice), (found.cost, found.conversions));
        assert_eq!(
            (found.cost, found.is_proven),
            (exhaustive(&problem), true),
            "seed {seed}: {problem:#?}"
        );
        assert!(vote(&problem).expect("a choice").cost >= found.cost);
    }
}

#[test]
fn a_vote_costs_what_one_conversion_saves() {
    // A producer of rows, an elementwise operation, and three readers that want C, C and R of it.
    let readers = [C, C, R].map(|layout| op("reader", 40, &[1], &[(layout, &[layout])]));
    let mut ops = vec![
        op("p", 640, &[], &[(R, &[])]),
        op("e", 640, &[0], &[(R, &[R]), (C, &[C])]),
    ];
    ops.extend(readers);
    let problem = Problem { ops };
    let best = assign(&problem, 1000).expect("a choice");
    assert_eq!((best.cost, best.conversions, best.choice[1]), (640, 1, 0));
    let voted = vote(&problem).expect("a choice");
    assert_eq!((voted.cost, voted.choice[1]), (1280, 1));
}

#[test]
fn a_conversion_waits_until_the_tensor_is_small() {
    let problem = Problem {
        ops: vec![
            op("p", 768, &[], &[(R, &[])]),
            op("sum", 24, &[0], &[(R, &[R]), (C, &[C])]),
            op("b", 96, &[], &[(C, &[])]),
            op("join", 96, &[1, 2], &[(R, &[R, R]), (C, &[C, C])]),
            op("reader", 96, &[3], &[(C, &[C])]),
        ],
    };
    let best = assign(&problem, 1000).expect("a choice");
    assert_eq!((best.cost, best.conversions, best.choice), (24, 1, vec![0, 0, 0, 1, 0]));
}

#[test]
fn absorbed_conversions_are_free() {
    let mut producer = op("p", 640, &[], &[(R, &[])]);
    producer.absorbed.push((R, C));
    let problem = Problem {
        ops: vec![producer, op("q", 1, &[0], &[(C, &[C])])],
    };
    let best = assign(&problem, 1000).expect("a choice");
    assert_eq!((best.cost, best.conversions), (0, 0));
}

#[test]
fn long_chains_are_trees() {
    let next = |at: u32| op("e", 10, &[at], &[(R, &[R]), (C, &[C])]);
    let mut ops = vec![op("p", 10, &[], &[(R, &[])])];
    ops.extend((0..20_000).map(next));
    ops.push(op("q", 10, &[20_000], &[(C, &[C])]));
    let best = assign(&Problem { ops }, 1000).expect("a choice");
    assert_eq!((best.cost, best.conversions, best.is_proven), (10, 1, true));
}

#[test]
fn what_is_no_graph_is_named() {
    let problem = |ops: Vec<Op>| Problem { ops };
    let circle = problem(vec![op("a", 1, &[1], &[(R, &[R])]), op("b", 1, &[0], &[(R, &[R])])]);
    assert!(matches!(assign(&circle, 10), Err(LayoutError::Cycle(_))));
    let empty = problem(vec![op("a", 1, &[], &[])]);
    assert_eq!(assign(&empty, 10), Err(LayoutError::NoAlternative("a".to_owned())));
    let missing = problem(vec![op("a", 1, &[3], &[(R, &[R])])]);
    assert_eq!(
        assign(&missing, 10).map_err(|error| error.to_string()),
        Err("operation `a` reads operation 3, there are 1".to_owned())
    );
}
