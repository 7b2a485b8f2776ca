//! Orders of completion: a program without races leaves the same bytes in every one, whatever moment each command
//! picks.

mod common;

use common::*;
use proptest::prelude::*;
use zpu_sim::*;

/// A step of the control stream; ranges are of eight floats.
#[derive(Clone, Debug)]
enum Step {
    /// A load, a store, or a doubling on the vector engine, of some floats.
    Start {
        engine: usize,
        from: i64,
        to: i64,
        floats: i64,
    },
    /// Waits for an earlier start, by its number modulo their count.
    Wait(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let start = (0usize..3, 0i64..5, 0i64..5, 1i64..4);
    let start = start.prop_map(|(engine, from, to, floats)| Step::Start {
        engine,
        from,
        to,
        floats,
    });
    prop::collection::vec(prop_oneof![1 => start, 1 => (0usize..12).prop_map(Step::Wait)], 1..20)
}

fn program(steps: &[Step]) -> Program {
    let mut b = Builder::new();
    let far = b.buffer(F32, &[8]);
    let near = b.alloc(F32, &[8]);
    let double = Compute::FloatBinary(FloatBinary::Add, F32);
    let double = b.kernel(Kernel::elementwise("double", 1, F32, double));
    b.copy(Some(LOAD), far, near);
    let mut tokens = Vec::new();
    for step in steps {
        match step {
            Step::Start {
                engine,
                from,
                to,
                floats,
            } => {
                let [far_from, far_to] = [from, to].map(|at| b.subview(far, &[Size::Constant(*at)], &[*floats]));
                let [near_from, near_to] = [from, to].map(|at| b.subview(near, &[Size::Constant(*at)], &[*floats]));
                tokens.push(match engine {
                    0 => b.start_copy(LOAD, far_from, near_to),
                    1 => b.start_copy(STORE, near_from, far_to),
                    _ => b.start(VECTOR, double, &[near_from, near_from, near_to]),
                });
            }
            Step::Wait(which) if !tokens.is_empty() => b.wait(tokens[which % tokens.len()]),
            Step::Wait(_) => {}
        }
    }
    // The caller reads its buffer.
    tokens.iter().for_each(|token| b.wait(*token));
    b.copy(Some(STORE), near, far);
    b.finish()
}

fn run(program: &Program, order: Order) -> Outcome {
    let checks = Checks {
        race: true,
        ..Checks::NONE
    };
    let options = Options {
        checks,
        order,
        ..Options::default()
    };
    let arguments = vec![floats(&[8], |i| (i + 1) as f32)];
    simulate(program, &device(false), "main", arguments, &options).unwrap()
}

const ORDERS: [Order; 8] = [
    Order::Eager,
    Order::Lazy,
    Order::Adversarial,
    Order::Random(1),
    Order::Random(2),
    Order::Random(3),
    Order::Random(4),
    Order::Random(5),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn without_a_race_every_order_leaves_the_same_bytes_in_the_same_time(steps in steps()) {
        let program = program(&steps);
        let timed = run(&program, Order::Timed);
        for order in ORDERS {
            let other = run(&program, order);
            prop_assert_eq!(other.report.cycles, timed.report.cycles);
            prop_assert_eq!(&other.report.findings, &timed.report.findings);
            if timed.report.is_clean() {
                prop_assert_eq!(&other.arguments, &timed.arguments, "{}", order);
            }
        }
    }
}

#[test]
fn some_order_shows_what_the_times_hide() {
    // A load into what the vector engine reads: by the times the load comes first, since its queue is empty.
    let load = Step::Start {
        engine: 0,
        from: 4,
        to: 0,
        floats: 2,
    };
    let add = Step::Start {
        engine: 2,
        from: 0,
        to: 4,
        floats: 2,
    };
    let racy = program(&[load.clone(), add.clone()]);
    assert!(!run(&racy, Order::Timed).report.is_clean());
    assert_ne!(
        run(&racy, Order::Eager).arguments,
        run(&racy, Order::Adversarial).arguments
    );
    let sound = program(&[load, Step::Wait(0), add]);
    assert!(run(&sound, Order::Timed).report.is_clean());
    assert_eq!(
        run(&sound, Order::Eager).arguments,
        run(&sound, Order::Adversarial).arguments
    );
}
