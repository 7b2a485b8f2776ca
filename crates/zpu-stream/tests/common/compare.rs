//! An answer against the brute force.

use zpu_stream::brute::{BruteAnswer, Numbers};
use zpu_stream::fork::Fork;
use zpu_stream::verdict::Sizes;
use zpu_stream::{Answer, Limits, analyze, brute::brute};

/// Formulas and sweep together, and the sweep alone.
pub const BOTH: [Limits; 2] = [
    Limits {
        accesses: 1 << 20,
        modulo_steps: 1 << 24,
        modulo_accesses: 1 << 20,
        use_formulas: true,
    },
    Limits {
        accesses: 1 << 20,
        modulo_steps: 1 << 24,
        modulo_accesses: 1 << 20,
        use_formulas: false,
    },
];

fn sizes(sizes: &Sizes) -> Numbers {
    assert!(
        sizes.is_exact && sizes.is_modulo_exact,
        "small tensors are decided exactly"
    );
    let small = |number: u128| usize::try_from(number).unwrap_or(usize::MAX);
    Numbers {
        min_capacity: small(sizes.min_capacity),
        retained: small(sizes.retained),
        circular_span: small(sizes.circular_span),
        epochs: small(sizes.epochs),
        block_shape: sizes.block_shape.clone(),
        modulo_shape: sizes.modulo_shape.clone(),
    }
}

/// An answer in the form of the brute force.
pub fn as_brute(answer: &Answer) -> BruteAnswer {
    let small = |number: Option<u128>| usize::try_from(number.unwrap_or(0)).unwrap_or(usize::MAX);
    let edges = answer.edges.iter().map(|edge| zpu_stream::brute::BruteEdge {
        verdict: edge.verdict,
        multiplicity: small(edge.multiplicity),
        dropped: small(edge.dropped),
        numbers: edge.sizes.as_ref().map(sizes),
    });
    BruteAnswer {
        edges: edges.collect(),
        groups: answer
            .groups
            .iter()
            .map(|group| group.iter().map(|id| id.index()).collect())
            .collect(),
        shared: answer.shared.as_ref().map(|shared| sizes(&shared.sizes)),
    }
}

/// The answer with formulas, if it and that of the sweep alone are those of the brute force.
pub fn agree(fork: &Fork) -> Result<Answer, String> {
    let expected = brute(fork, 1 << 20).ok_or("too large for the brute force")?;
    for limits in BOTH {
        let answer = analyze(fork, limits).map_err(|error| error.to_string())?;
        let found = as_brute(&answer);
        if found != expected {
            return Err(format!(
                "with formulas: {}\n{fork:#?}\nfound    {found:?}\nexpected {expected:?}",
                limits.use_formulas
            ));
        }
    }
    analyze(fork, BOTH[0]).map_err(|error| error.to_string())
}
