//! Assignment by propagation and majority vote, to compare with: forward once, each operation takes the alternative
//! that most of its inputs agree with; then backward until nothing changes, each result takes the layout that most of
//! its consumers want. Source: US 11,645,057, claims 4 to 7. No cost takes part.

use super::{Assignment, LayoutError, OpId, Problem, assignment, check, consumers, wants};

/// The choice of the vote.
///
/// # Errors
///
/// As [`super::assign`].
pub fn vote(problem: &Problem) -> Result<Assignment, LayoutError> {
    let order = check(problem)?;
    let consumers = consumers(problem);
    let mut choice = vec![0; problem.ops.len()];
    for &id in &order {
        choice[id.index()] = agreeing(problem, id, &choice, |_| true);
    }
    // A change can only follow a change of a consumer, so that as many rounds as operations would do.
    for _ in 0..order.len() {
        let before = choice.clone();
        for &id in order.iter().rev() {
            let mut votes = Vec::new();
            for &consumer in &consumers[id.index()] {
                votes.extend(wants(&problem.ops[consumer.index()], choice[consumer.index()], id));
            }
            let count = |layout| votes.iter().filter(|&&vote| vote == layout).count();
            let outputs = problem.ops[id.index()].alternatives.iter().map(|each| each.output);
            let own = problem.ops[id.index()].alternatives[choice[id.index()]].output;
            let Some(most) = outputs.clone().map(count).max().filter(|&most| most > count(own)) else {
                continue;
            };
            choice[id.index()] = agreeing(problem, id, &choice, |output| count(output) == most);
        }
        if choice == before {
            break;
        }
    }
    Ok(assignment(problem, choice, false))
}

/// Of the alternatives with an allowed output the one whose wishes most of the inputs have, of equal ones the first.
fn agreeing(problem: &Problem, id: OpId, choice: &[usize], is_allowed: impl Fn(super::LayoutId) -> bool) -> usize {
    let op = &problem.ops[id.index()];
    let agreement = |alternative: &super::Alternative| {
        let pairs = op.inputs.iter().zip(&alternative.inputs);
        let given = |input: &OpId| problem.ops[input.index()].alternatives[choice[input.index()]].output;
        pairs.filter(|(input, layout)| given(input) == **layout).count()
    };
    let mut best: Option<(usize, usize)> = None;
    for (at, alternative) in op
        .alternatives
        .iter()
        .enumerate()
        .filter(|(_, each)| is_allowed(each.output))
    {
        let agrees = agreement(alternative);
        if best.is_none_or(|(most, _)| agrees > most) {
            best = Some((agrees, at));
        }
    }
    best.map_or(0, |(_, at)| at)
}
