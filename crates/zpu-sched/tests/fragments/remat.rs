//! What is computed again, against exhaustive search.

use zpu_sched::fragment::uniform::{Pipeline, Placement};
use zpu_sched::fragment::{
    Answer, Builtin, Claims, NodeId, Piece, Program, RematOptions, Rematerialised, Request, Unit, rematerialise, verify,
};

use crate::numbers::{Numbers, answer, figures};

fn remat(program: &Program, answer: &Answer, options: &RematOptions) -> Rematerialised {
    let found = rematerialise(program, answer, options).unwrap_or_else(|error| panic!("{error}"));
    let claims = Claims {
        timing: Some(&found.answer.timing),
        bound: found.answer.bound,
        memory_cap: options.budget,
        counts: true,
    };
    verify(&found.program, &found.answer.schedule, &claims).unwrap_or_else(|violation| panic!("{violation}"));
    found
}

fn budget(bytes: u64) -> RematOptions {
    RematOptions {
        budget: Some(bytes),
        ..RematOptions::default()
    }
}

/// A random pipeline with different bytes in each fragment.
fn program(numbers: &mut Numbers) -> Program {
    let (p, m) = (numbers.between(1, 3) as u32, numbers.between(1, 4) as u32);
    let mut pipeline = Pipeline::new(p, m);
    pipeline.split = numbers.index(2) == 0;
    let mut program = pipeline.program();
    let is_uniform = numbers.index(3) == 0;
    for node in &mut program.nodes {
        node.cycles = if is_uniform { 1 } else { numbers.between(1, 9) };
        if let zpu_sched::fragment::NodeKind::Fragment(fragment) = &mut node.kind {
            fragment.bytes = if is_uniform { 1 } else { numbers.between(1, 9) };
        }
    }
    program
}

/// Least cycles by trying all sets of forward fragments of each mesh; nothing if none fits.
fn least(program: &Program, answer: &Answer, budget: u64) -> Option<u64> {
    answer
        .schedule
        .order
        .iter()
        .map(|row| least_of_mesh(program, row, budget))
        .sum()
}

fn least_of_mesh(program: &Program, row: &[NodeId], budget: u64) -> Option<u64> {
    let unit = |node: NodeId| Unit::of(node, program.node(node).fragment().expect("a fragment")).expect("a unit");
    let forwards: Vec<usize> = (0..row.len())
        .filter(|at| unit(row[*at]).piece == Piece::Forward)
        .collect();
    let pieces = |forward: usize| {
        let of = unit(row[forward]);
        (0..row.len()).filter(move |at| unit(row[*at]).piece != Piece::Forward && unit(row[*at]).counter == of.counter)
    };
    let bytes = |at: usize| program.node(row[at]).fragment().expect("a fragment").bytes;
    (0..1u32 << forwards.len())
        .filter_map(|set| {
            let mut held = vec![0; row.len()];
            let mut cycles = 0;
            for (number, &forward) in forwards.iter().enumerate() {
                let (first, last) = (pieces(forward).min()?, pieces(forward).max()?);
                let is_again = set >> number & 1 == 1;
                if is_again && first == forward + 1 {
                    return None;
                }
                let places = (forward..=last).filter(|&place| !is_again || place == forward || place >= first);
                places.for_each(|place| held[place] += bytes(forward));
                cycles += if is_again { program.node(row[forward]).cycles } else { 0 };
            }
            held.iter().all(|held| *held <= budget).then_some(cycles)
        })
        .min()
}

#[test]
fn budgets_are_met_at_least_cost() {
    let mut numbers = Numbers(21);
    let (mut met, mut missed) = (0, 0);
    for _ in 0..1_200 {
        let program = program(&mut numbers);
        let builtin = [Builtin::GPipe, Builtin::OneForwardOneBackward][numbers.index(2)];
        let order = answer(&program, &Request::Builtin(builtin));
        let limit = numbers.between(0, figures(&order).2);
        let least = least(&program, &order, limit);
        match rematerialise(&program, &order, &budget(limit)) {
            Ok(_) => {
                let found = remat(&program, &order, &budget(limit));
                assert!(found.cost.proven);
                assert_eq!(Some(found.cost.cycles), least);
                assert_eq!(found.cost.least, found.cost.cycles);
                met += 1;
            }
            Err(error) => {
                assert_eq!(least, None, "{error}");
                missed += 1;
            }
        }
    }
    println!("{met} budgets met, {missed} impossible");
    assert!(met > 300 && missed > 100);
}

#[test]
fn a_sweep_of_budgets_for_four_meshes_and_eight_microbatches() {
    println!("budget  1F1B: cycles more, makespan  GPipe: cycles more, makespan");
    let mut before = None;
    for limit in (1..=8).rev() {
        let row = [Builtin::OneForwardOneBackward, Builtin::GPipe].map(|builtin| {
            let program = Pipeline::new(4, 8).program();
            let order = answer(&program, &Request::Builtin(builtin));
            let found = remat(&program, &order, &budget(limit)).cost.cycles;
            (found, remat(&program, &order, &budget(limit)).answer.timing.makespan)
        });
        println!("{limit:>6}  {row:?}");
        assert!(before.is_none_or(|before: [(u64, u64); 2]| before[0].0 <= row[0].0 && before[1].0 <= row[1].0));
        before = Some(row);
    }
    // 1F1B with one microbatch at a time: all but the last mesh, on which the backward pass follows at once, compute
    // everything again but what is used at once.
    assert!(before.is_some_and(|row| row[0].0 > 0 && row[1].0 >= 4 * 8 - 4));
}

#[test]
fn without_a_budget_all_pairs_that_are_apart_are_computed_again() {
    for (p, m) in [(2, 3), (4, 8)] {
        let program = Pipeline::new(p, m).program();
        let order = answer(&program, &Request::Builtin(Builtin::OneForwardOneBackward));
        let found = remat(&program, &order, &RematOptions::default());
        let rows = order.schedule.order.iter().enumerate();
        let apart = rows.map(|(stage, row)| {
            let place = |name: String| row.iter().position(|node| *program.node(*node).name == *name);
            let is_apart = |i: &u32| place(format!("B{stage}.{i}")) != place(format!("F{stage}.{i}")).map(|at| at + 1);
            (0..m).filter(is_apart).count()
        });
        assert_eq!(found.answer.remat.len(), apart.sum::<usize>());
        let merged = RematOptions {
            merge: true,
            ..RematOptions::default()
        };
        let merged = remat(&program, &order, &merged);
        assert_eq!(merged.answer.remat, found.answer.remat);
        assert_eq!(merged.program.nodes.len(), program.nodes.len());
        // A clone of its own runs while the gradient is still on its way.
        assert!(merged.answer.timing.makespan >= found.answer.timing.makespan);
        let peak = |of: &Rematerialised| figures(&of.answer).2;
        assert_eq!((peak(&found), peak(&merged)), (1, 1));
    }
}

#[test]
fn chunks_are_told_apart() {
    let program = Pipeline::new(2, 4).split().chunked(2, Placement::V).program();
    let order = answer(&program, &Request::Builtin(Builtin::ZeroBubbleV));
    for limit in 3..=4 {
        remat(&program, &order, &budget(limit));
    }
}
