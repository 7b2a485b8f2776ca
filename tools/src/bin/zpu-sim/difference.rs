//! Where two runs left different values, in words.

use zpu_sim::{Outcome, Output, element_bytes, read_element};

use crate::elements;

/// The first byte that differs, with the element that it belongs to. Each run comes with its name.
pub(crate) fn first((a, left): (&str, &Outcome), (b, right): (&str, &Outcome)) -> Option<String> {
    let all = [
        ("argument", &left.arguments, &right.arguments),
        ("result", &left.results, &right.results),
    ];
    all.into_iter().find_map(|(what, left, right)| {
        if left.len() != right.len() {
            return Some(format!(
                "the number of {what}s: {} in {a}, {} in {b}",
                left.len(),
                right.len()
            ));
        }
        let mut pairs = left.iter().zip(right).enumerate();
        pairs.find_map(|(i, (left, right))| difference((a, left), (b, right)).map(|text| format!("{what} {i}{text}")))
    })
}

/// The same for what one call left in two orders of completion: the arguments, so many, and then the results.
pub(crate) fn first_output(
    (a, left): (&str, &[Output]),
    (b, right): (&str, &[Output]),
    arguments: usize,
) -> Option<String> {
    let mut pairs = left.iter().zip(right).enumerate();
    pairs.find_map(|(i, (left, right))| {
        let what = match i.checked_sub(arguments) {
            None => format!("argument {i}"),
            Some(i) => format!("result {i}"),
        };
        difference((a, left), (b, right)).map(|text| format!("{what}{text}"))
    })
}

fn difference((a, left): (&str, &Output), (b, right): (&str, &Output)) -> Option<String> {
    if left == right {
        return None;
    }
    match (left, right) {
        (
            Output::Buffer { element, shape, bytes },
            Output::Buffer {
                element: other_element,
                shape: other_shape,
                bytes: other,
            },
        ) if (element, shape) == (other_element, other_shape) => {
            let size = element_bytes(*element);
            let pairs = || bytes.chunks_exact(size).zip(other.chunks_exact(size));
            let at = pairs().position(|(left, right)| left != right)?;
            let number = |bytes: &[u8]| elements::text(read_element(&bytes[at * size..(at + 1) * size]), *element);
            let count = pairs().filter(|(left, right)| left != right).count();
            Some(format!(
                " at {:?}: {} in {a}, {} in {b} ({count} of {} elements differ)",
                point(at, shape),
                number(bytes),
                number(other),
                bytes.len() / size
            ))
        }
        (Output::Scalar(ty, left), Output::Scalar(other, right)) if ty == other => Some(format!(
            ": {} in {a}, {} in {b}",
            elements::text(*left, *ty),
            elements::text(*right, *ty)
        )),
        _ => Some(": of another shape or type, or deallocated by one of them".to_owned()),
    }
}

/// Indices of an element by its position in row-major order.
fn point(at: usize, shape: &[i64]) -> Vec<usize> {
    let mut rest = at;
    let mut indices: Vec<usize> = shape
        .iter()
        .rev()
        .map(|size| {
            let size = (*size).max(1) as usize;
            let index = rest % size;
            rest /= size;
            index
        })
        .collect();
    indices.reverse();
    indices
}
