//! The fewest bytes that conversions can move: all ways to carry out each operation, in all combinations.

use std::collections::BTreeSet;

use crate::program::{Program, Rule, Tensor};

/// One way: the order of the result, and that of each tensor that is read, under the names of its own dimensions.
struct Way {
    result: Vec<usize>,
    reads: Vec<Vec<usize>>,
}

/// The fewest bytes; `None` if there are more than so many combinations.
pub(crate) fn least(program: &Program, most: usize) -> Option<u64> {
    let ways: Vec<Vec<Way>> = program.tensors.iter().map(ways).collect();
    let combinations = ways.iter().try_fold(1usize, |all, ways| all.checked_mul(ways.len()));
    combinations.filter(|combinations| *combinations <= most)?;
    let mut choice = vec![0; ways.len()];
    let mut least = u64::MAX;
    loop {
        least = least.min(bytes(program, &ways, &choice));
        let next = (0..choice.len()).find(|at| choice[*at] + 1 < ways[*at].len());
        let Some(at) = next else { return Some(least) };
        choice[at] += 1;
        choice[..at].fill(0);
    }
}

fn bytes(program: &Program, ways: &[Vec<Way>], choice: &[usize]) -> u64 {
    let mut wanted: BTreeSet<(usize, &[usize])> = BTreeSet::new();
    for (tensor, (ways, choice)) in program.tensors.iter().zip(ways.iter().zip(choice)) {
        for (read, order) in tensor.reads.iter().zip(&ways[*choice].reads) {
            wanted.insert((read.tensor, order));
        }
    }
    for (tensor, order) in &program.fixed {
        wanted.insert((*tensor, order));
    }
    let is_converted = |(tensor, order): &&(usize, &[usize])| ways[*tensor][choice[*tensor]].result != *order;
    let size = |(tensor, _): &(usize, &[usize])| 4 * program.tensors[*tensor].shape.iter().product::<usize>() as u64;
    wanted.iter().filter(is_converted).map(size).sum()
}

fn ways(tensor: &Tensor) -> Vec<Way> {
    let written = Way {
        result: (0..tensor.shape.len()).collect(),
        reads: tensor.reads.iter().map(|read| read.dims.clone()).collect(),
    };
    match &tensor.rule {
        Rule::Fixed => vec![written],
        Rule::Loops(is_reduced) => {
            let orders = permutations(is_reduced.len());
            let is_kept = |order: &&Vec<usize>| order.iter().filter(|at| is_reduced[**at]).is_sorted();
            let by_loops = orders.iter().filter(is_kept).map(|order| Way {
                result: sorted(order, &tensor.loops, |dim| dim),
                reads: tensor
                    .reads
                    .iter()
                    .map(|read| sorted(order, &read.loops, |dim| read.dims[dim]))
                    .collect(),
            });
            std::iter::once(written).chain(by_loops).collect()
        }
        Rule::Product => (0..4)
            .map(|at| {
                let mut reads = written.reads.clone();
                for factor in (0..2).filter(|factor| at >> factor & 1 == 1) {
                    reads[factor].reverse();
                }
                Way {
                    result: written.result.clone(),
                    reads,
                }
            })
            .collect(),
    }
}

/// Dimensions in the order of their loops.
fn sorted(order: &[usize], loops: &[usize], name: impl Fn(usize) -> usize) -> Vec<usize> {
    let dims = order.iter().filter_map(|at| loops.iter().position(|own| own == at));
    dims.map(name).collect()
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let insert = |known: &Vec<usize>| -> Vec<Vec<usize>> {
            let at = |place| {
                let mut more = known.clone();
                more.insert(place, next);
                more
            };
            (0..=known.len()).map(at).collect()
        };
        all = all.iter().flat_map(insert).collect();
    }
    all
}
