//! Random graphs of operations with layouts, and the least cost of all choices.

use super::random::Random;
use zpu_stream::layout::{Alternative, LayoutId, Op, OpId, Problem, cost};

/// Up to so many operations with one to three alternatives each, reading up to three earlier results.
pub fn graph(random: &mut Random, most: i64) -> Problem {
    let count = random.number(1, most);
    let layouts = random.number(1, 3);
    let is_sparse = random.chance(50);
    let mut ops: Vec<Op> = Vec::new();
    for at in 0..count {
        let inputs = if at == 0 {
            0
        } else {
            random.number(0, if is_sparse { 1 } else { 3 })
        };
        let inputs: Vec<OpId> = (0..inputs).map(|_| OpId(random.below(at) as u32)).collect();
        let layout = |random: &mut Random| LayoutId(random.below(layouts) as u32);
        let alternatives = (0..random.number(1, 3)).map(|_| Alternative {
            output: layout(random),
            inputs: inputs.iter().map(|_| layout(random)).collect(),
        });
        let alternatives = alternatives.collect();
        let absorbed = if random.chance(15) {
            vec![(layout(random), layout(random))]
        } else {
            Vec::new()
        };
        ops.push(Op {
            name: format!("op{at}"),
            elements: random.number(0, 100) as u64,
            inputs,
            alternatives,
            absorbed,
        });
    }
    Problem { ops }
}

/// The least cost of all choices.
pub fn exhaustive(problem: &Problem) -> u128 {
    let mut choice = vec![0; problem.ops.len()];
    let mut best = u128::MAX;
    loop {
        best = best.min(cost(problem, &choice).0);
        let next = (0..choice.len()).find(|&at| choice[at] + 1 < problem.ops[at].alternatives.len());
        let Some(at) = next else { return best };
        choice[at] += 1;
        choice[..at].fill(0);
    }
}
