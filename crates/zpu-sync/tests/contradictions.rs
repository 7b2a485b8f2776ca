//! Texts that say two things of one part are refused at the part, before anything is proven of them.

use serde_json::{Value, json};
use zpu_sync::problem::text::read_problem;

const INNER_LOOP: &str = include_str!("problems/inner_loop.json");

/// The message about the problem with one part in the place of another.
fn fault(pointer: &str, part: Value) -> String {
    let mut problem: Value = serde_json::from_str(INNER_LOOP).expect("JSON");
    *problem.pointer_mut(pointer).expect("a part") = part;
    let read = read_problem(&problem.to_string());
    read.err()
        .map_or_else(|| "it is read".to_owned(), |error| error.to_string())
}

/// The last wait is for the result of the loop, which carries a token around; elsewhere it would be for nothing.
#[test]
fn a_token_is_the_result_that_it_says() {
    let at = "/values/7/def/result";
    assert_eq!(fault(at, json!([2, 0])), "it is read");
    assert_eq!(fault(at, json!([1, 0])), "value 7: is not result 0 of operation 1");
    assert_eq!(fault(at, json!([2, 7])), "value 7: is not result 7 of operation 2");
    let other = fault(at, json!([9, 0]));
    assert_eq!(
        other,
        "operation 2 (`scf.for`): value 7 says that it comes from elsewhere"
    );
    assert_eq!(
        fault(at, json!([99, 0])),
        "value 7: there is no operation 99, there are 13"
    );
    let twice = fault("/operations/6/results", json!([11, 11]));
    assert_eq!(
        twice,
        "operation 6 (`zpu.dma_start`): value 11 says that it comes from elsewhere"
    );
}

#[test]
fn an_operation_is_at_one_place() {
    let at = "/blocks/0/ops";
    assert_eq!(fault(at, json!([1, 2, 8, 9])), "it is read");
    assert_eq!(
        fault(at, json!([1, 2, 2, 8, 9])),
        "operation 2 (`scf.for`): is at several places"
    );
    assert_eq!(
        fault(at, json!([1, 2, 9])),
        "operation 8 (`zpu.dma_wait`): is missing in its block"
    );
    assert_eq!(
        fault(at, json!([2, 8, 9])),
        "operation 1 (`zpu.null_token`): is missing in its block"
    );
    assert_eq!(
        fault(at, json!([1, 2, 9, 8])),
        "operation 9 (`func.return`): is at several places"
    );
}

#[test]
fn a_token_is_known_where_it_is_used() {
    let at = "/blocks/0/ops";
    let early = fault(at, json!([2, 1, 8, 9]));
    assert_eq!(early, "operation 2 (`scf.for`): value 3 is not known there");
    let early = fault(at, json!([1, 8, 2, 9]));
    assert_eq!(early, "operation 8 (`zpu.dma_wait`): value 7 is not known there");
    // A token of an inner loop's body, used after that loop.
    let inside = fault("/operations/8/operands", json!([11]));
    assert_eq!(inside, "operation 8 (`zpu.dma_wait`): value 11 is not known there");
}
