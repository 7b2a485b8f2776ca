//! Cases as text: what is answered, what is refused and how, and that nothing panics.

mod common;

use common::random::Random;
use expect_test::{Expect, expect};
use serde_json::Value;
use zpu_stream::Limits;
use zpu_stream::text::{Answered, answers, json, read, table};

const EXAMPLE: &str = include_str!("data/cases.json");

fn limits() -> Limits {
    Limits {
        accesses: 1 << 16,
        modulo_steps: 1 << 18,
        ..Limits::default()
    }
}

fn check(text: &str, expected: Expect) {
    let document = read(text).unwrap_or_else(|error| panic!("{error}"));
    expected.assert_eq(&wrapped(&json(&document, &answers(&document, limits()))));
}

/// A text in lines that are not too long, each broken after a comma or a blank.
fn wrapped(text: &str) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let mut column = 0;
        for part in line.split_inclusive([',', ' ']) {
            if column > 0 && column + part.len() > 96 {
                all.push('\n');
                column = 0;
            }
            all.push_str(part);
            column += part.len();
        }
        all.push('\n');
    }
    all
}

fn refused(text: &str, expected: Expect) {
    match read(text) {
        Ok(document) => panic!("read as {document:?}"),
        Err(error) => expected.assert_eq(&wrapped(&error.to_string())),
    }
}

/// A case of a 4 x 6 tensor with something else in place of a text.
fn case_with(from: &str, to: &str) -> String {
    let text = r#"{"id": "x", "tensor": [4, 6], "producer": {"loops": [4, 6], "map": "(d0, d1) -> (d0, d1)",
        "token": [1, 1]}, "consumers": [{"name": "c", "loops": [6, 4], "map": "(j, i) -> (i, j)", "token": [1, 1]}]}"#;
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn a_single_case_has_a_single_answer() {
    check(
        &case_with("x", "rows-to-columns"),
        expect![[r#"
            {"id":"rows-to-columns","producer_layout":{"vector_dim":null,"order":[0,1],"align":1},
            "consumers":[{"name":"c","verdict":"REORDER_FULL","multiplicity":1,"dropped":0,
            "min_capacity":16,"retained":15,"circular_span":18,"epochs":1,"block_shape":[4,6],
            "modulo_shape":[3,6],"ping_pong":48,"exact":true,"modulo_exact":true,"class":"broadcast 
            compatible","layout":{"vector_dim":null,"order":[1,0],"align":1},"method":"formula"}],
            "groups":[[0]],"shared":{"verdict":"REORDER_FULL","min_capacity":16,"retained":15,
            "circular_span":18,"epochs":1,"block_shape":[4,6],"modulo_shape":[3,6],"ping_pong":48,
            "exact":true,"modulo_exact":true,"separate":16,"taken":"shared"}}
        "#]],
    );
}

#[test]
fn lists_are_answered_in_order() {
    check(
        EXAMPLE,
        expect![[r#"
            [
            {"id":"tiles-to-tiles","producer_layout":{"vector_dim":1,"order":[0,1,0,1],"align":1},
            "consumers":[{"verdict":"REORDER_BLOCK","multiplicity":1,"dropped":0,"min_capacity":36,
            "retained":12,"circular_span":36,"epochs":2,"block_shape":[6,8],"modulo_shape":[6,8],
            "ping_pong":96,"exact":true,"modulo_exact":true,"class":"broadcast compatible",
            "layout":{"vector_dim":1,"order":[0,1,0,1],"align":4},"method":"formula, moduli by a sweep of a 
            block"}],"groups":[[0]],"shared":{"verdict":"REORDER_BLOCK","min_capacity":36,"retained":12,
            "circular_span":36,"epochs":2,"block_shape":[6,8],"modulo_shape":[6,8],"ping_pong":96,
            "exact":true,"modulo_exact":true,"separate":36,"taken":"shared"}},
            {"id":"window-and-skip","producer_layout":{"vector_dim":null,"order":[0,1],"align":1},
            "consumers":[{"name":"window","verdict":"WINDOW","multiplicity":9,"dropped":0,"min_capacity":17,
            "retained":16,"circular_span":17,"epochs":1,"block_shape":[6,7],"modulo_shape":[3,7],
            "ping_pong":84,"exact":true,"modulo_exact":true,"class":"broadcast compatible",
            "layout":{"vector_dim":1,"order":[0,1,0,1],"align":1},"method":"formula"},{"name":"skip",
            "verdict":"REPACK","multiplicity":1,"dropped":22,"min_capacity":7,"retained":6,
            "circular_span":9,"epochs":1,"block_shape":[6,7],"modulo_shape":[2,6],"ping_pong":84,
            "exact":true,"modulo_exact":true,"class":"broadcast compatible","layout":{"vector_dim":null,
            "order":[0,1],"align":1},"method":"sweep"}],"groups":[[0],[1]],"shared":{"verdict":"WINDOW",
            "min_capacity":17,"retained":16,"circular_span":17,"epochs":1,"block_shape":[6,7],
            "modulo_shape":[3,7],"ping_pong":84,"exact":true,"modulo_exact":true,"separate":24,
            "taken":"shared"}},
            {"id":"one-short","producer_layout":{"vector_dim":null,"order":[0],"align":1},
            "consumers":[{"verdict":"INCOMPATIBLE","reason":"reads element [5], which is never written",
            "layout":{"vector_dim":null,"order":[0],"align":1},"method":"sweep"}],"groups":[[0]],
            "shared":null},
            {"id":"chain","min_cost":64,"conversions":1,"choice":{"p":0,"e":0,"q":0},"proven":true,
            "majority_vote":64}
            ]
        "#]],
    );
}

#[test]
fn a_table_shows_every_edge() {
    let document = read(EXAMPLE).expect("a document");
    expect![[r#"
        tiles-to-tiles
          consumer   verdict         capacity   retained       ring  ping-pong  blocks block      in place   bound
          0          REORDER_BLOCK         36         12         36         96       2 6x8        6x8        exact
        window-and-skip
          consumer   verdict         capacity   retained       ring  ping-pong  blocks block      in place   bound
          window     WINDOW                17         16         17         84       1 6x7        3x7        exact
          skip       REPACK                 7          6          9         84       1 6x7        2x6        exact
          shared     WINDOW                17         16         17         84       1 6x7        3x7        exact
          groups {0} {1} hold 24 in one buffer each: one buffer for all
        one-short
          consumer   verdict         capacity   retained       ring  ping-pong  blocks block      in place   bound
          0          INCOMPATIBLE  reads element [5], which is never written
        chain
          cost 64 (proven minimal), 1 conversions; majority vote 64
          p          alternative 0
          e          alternative 0
          q          alternative 0
    "#]]
    .assert_eq(&table(&answers(&document, limits())));
}

#[test]
fn unknown_keys_name_the_nearest_known_one() {
    refused(
        &case_with("\"token\"", "\"tokens\""),
        expect![[r#"
            producer: unknown key `tokens`; did you mean `token`?
        "#]],
    );
    refused(
        &case_with("\"tensor\"", "\"shape\""),
        expect![[r#"
            document: unknown key `shape`; the nearest known key is `title`
        "#]],
    );
    refused(
        r#"{"schema": 1, "case": [], "graphs": []}"#,
        expect![[r#"
            document: unknown key `case`; did you mean `cases`?
        "#]],
    );
}

#[test]
fn numbers_that_cannot_be_are_named() {
    refused(
        &case_with("[4, 6]", "[4, 0]"),
        expect![[r#"
            document: tensor: `tensor` has 0 at 1, must be at least 1
        "#]],
    );
    refused(
        &case_with("[4, 6]", "[4, \"?\"]"),
        expect![[r#"
            tensor[1]: is "?", a dynamic extent; give its upper bound
        "#]],
    );
    refused(
        &case_with("[6, 4]", "[6, -1]"),
        expect![[r#"
            consumers[0].loops[1]: is -1, a dynamic extent; give its upper bound
        "#]],
    );
    refused(
        &case_with("[6, 4]", "[6, 4.5]"),
        expect![[r#"
            consumers[0].loops[1]: is 4.5, must be an integer of 64 bits
        "#]],
    );
    refused(
        &case_with("[6, 4]", "[6]"),
        expect![[r#"
            document: consumer 0 (`c`): `loops` has 1 entries, must have 2: one for each index of the map
        "#]],
    );
    refused(
        &case_with("[4, 6]", "[4, 4611686018427387904]"),
        expect![[r#"
            document: tensor: `tensor` has 4611686018427387904 at 1, the limit is 1152921504606846976
        "#]],
    );
    refused(
        &case_with("(i, j)", "(i, j * 2305843009213693952)"),
        expect![[r#"
            document: consumer 0 (`c`): `map` result 1 leaves the range of -1152921504606846976 to 
            1152921504606846976
        "#]],
    );
    refused(
        &case_with("\"token\": [1, 1]", "\"token\": [1]"),
        expect![[r#"
            document: producer: `token` has 1 entries, must have 2: one for each dimension of the tensor
        "#]],
    );
    refused(
        &case_with("\"token\": [1, 1]", "\"token\": [1, 1], \"lanes\": [0, 0]"),
        expect![[r#"
            document: producer: `lanes` is [0, 0], must have each dimension of the tensor once
        "#]],
    );
    refused(
        r#"{"schema": 2, "cases": []}"#,
        expect![[r#"
            schema: is 2, this program reads schema 1
        "#]],
    );
    refused(
        "",
        expect![[r#"
            the text is empty; a case is a JSON object, as in {"tensor": [4, 6], "producer": ..., 
            "consumers": ...}
        "#]],
    );
    refused(
        "[3]",
        expect![[r#"
            document[0]: is 3, must be an object
        "#]],
    );
}

#[test]
fn lanes_of_single_elements_may_be_left_out() {
    let with = |lanes: &str| {
        let text = case_with("\"token\": [1, 1]", &format!("\"token\": [1, 6]{lanes}"));
        read(&text.replacen("[4, 6], \"map\"", "[4, 1], \"map\"", 1)).expect("a case")
    };
    let answer = |lanes: &str| json(&with(lanes), &answers(&with(lanes), limits()));
    assert_eq!(answer(""), answer(", \"lanes\": [1]"));
}

#[test]
fn orders_that_depend_on_data_are_refused() {
    refused(
        &case_with("(j, i) -> (i, j)", "(j, i)[s] -> (i, s)"),
        expect![[r#"
            consumers[0].map: symbols in brackets make the order depend on data; only loop indices are 
            followed
        "#]],
    );
    refused(
        &case_with("(j, i) -> (i, j)", "(j, i) -> (i, j * i)"),
        expect![[r#"
            consumers[0].map: column 17: `*` needs a constant, the order is not affine otherwise
        "#]],
    );
    refused(
        &case_with("(j, i) -> (i, j)", "(j, i) -> (i, k)"),
        expect![[r#"
            consumers[0].map: column 15: `k` is no input of the map
        "#]],
    );
    refused(
        &case_with("(j, i) -> (i, j)", "(j, i) -> (i, j mod 0)"),
        expect![[r#"
            consumers[0].map: column 17: divides by 0, a divisor must be at least 1
        "#]],
    );
    refused(
        &case_with("(j, i) -> (i, j)", "(j, i) -> (i, j"),
        expect![[r#"
            consumers[0].map: column 16: expected `)`, found the end
        "#]],
    );
}

#[test]
fn gates_are_checked() {
    let gated = |gate: &str| case_with("\"name\": \"c\"", &format!("\"name\": \"c\", \"gate\": {gate}"));
    refused(
        &gated(r#"{"on": 1, "prefix": 1}"#),
        expect![[r#"
            document: consumer 0 (`c`): the gate is on consumer 1, there are 1 consumers
        "#]],
    );
    refused(
        &gated(r#"{"on": 0, "prefix": 3}"#),
        expect![[r#"
            document: consumer 0 (`c`): the gate shares 3 loop indices, but consumer 0 (`c`) has 2 loops
        "#]],
    );
    check(
        &gated(r#"{"on": 0, "prefix": 1}"#),
        expect![[r#"
            {"id":"x","producer_layout":{"vector_dim":null,"order":[0,1],"align":1},
            "consumers":[{"name":"c","verdict":"INCOMPATIBLE","reason":"waits by its gate for itself",
            "layout":{"vector_dim":null,"order":[1,0],"align":1},"method":"formula"}],"groups":[[0]],
            "shared":null}
        "#]],
    );
}

#[test]
fn what_never_works_is_incompatible() {
    check(
        &case_with("(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0, d1 + 1)"),
        expect![[r#"
            {"id":"x","producer_layout":{"vector_dim":null,"order":[0,1],"align":1},
            "consumers":[{"name":"c","verdict":"INCOMPATIBLE","reason":"reads element [0, 0], which is 
            never written","layout":{"vector_dim":null,"order":[1,0],"align":1},"method":"sweep"}],
            "groups":[[0]],"shared":null}
        "#]],
    );
    check(
        &case_with("(j, i) -> (i, j)", "(j, i) -> (i + 4, j)"),
        expect![[r#"
            {"id":"x","producer_layout":{"vector_dim":null,"order":[0,1],"align":1},
            "consumers":[{"name":"c","verdict":"INCOMPATIBLE","reason":"no token touches the tensor",
            "layout":{"vector_dim":null,"order":[1,0],"align":1},"method":"sweep"}],"groups":[[0]],
            "shared":null}
        "#]],
    );
    check(
        r#"{"id": "g", "ops": {"a": {"elems": 1, "ins": ["a"], "alts": [{"out": "R", "in": ["R"]}]}}}"#,
        expect![[r#"
            {"id":"g","declined":"operation `a` reads what depends on its own result; layouts of cyclic 
            graphs are not assigned"}
        "#]],
    );
}

#[test]
fn huge_orders_are_bounded_or_declined() {
    let huge = |map: &str| {
        format!(
            r#"{{"id": "h", "tensor": [1048576, 1048576],
            "producer": {{"loops": [1048576, 1048576], "map": "(i, j) -> (i, j)", "token": [1, 1]}},
            "consumers": [{{"loops": [1048576, 1048576], "map": "{map}", "token": [1, 1]}}]}}"#
        )
    };
    check(
        &huge("(j, i) -> (i, j)"),
        expect![[r#"
            {"id":"h","producer_layout":{"vector_dim":null,"order":[0,1],"align":1},
            "consumers":[{"verdict":"REORDER_FULL","multiplicity":1,"dropped":0,
            "min_capacity":1099509530626,"retained":1099509530625,"circular_span":1099510579200,"epochs":1,
            "block_shape":[1048576,1048576],"modulo_shape":[1048575,1048576],"ping_pong":2199023255552,
            "exact":true,"modulo_exact":true,"class":"broadcast compatible","layout":{"vector_dim":null,
            "order":[1,0],"align":1},"method":"formula"}],"groups":[[0]],"shared":{"verdict":"REORDER_FULL",
            "min_capacity":1099509530626,"retained":1099509530625,"circular_span":1099510579200,"epochs":1,
            "block_shape":[1048576,1048576],"modulo_shape":[1048575,1048576],"ping_pong":2199023255552,
            "exact":true,"modulo_exact":true,"separate":1099509530626,"taken":"shared"}}
        "#]],
    );
    check(
        &huge("(i, j) -> (i, (j * 5 + i) mod 1048576)"),
        expect![[r#"
            {"id":"h","producer_layout":{"vector_dim":null,"order":[0,1],"align":1},
            "consumers":[{"verdict":"REORDER_FULL","min_capacity":1099511627776,"retained":1099511627776,
            "circular_span":1099511627776,"epochs":1,"block_shape":[1048576,1048576],
            "modulo_shape":[1048576,1048576],"ping_pong":2199023255552,"exact":false,"modulo_exact":false,
            "class":"broadcast compatible","layout":{"vector_dim":null,"order":null,"align":1},
            "method":"bound"}],"groups":[[0]],"shared":{"verdict":"REORDER_FULL",
            "min_capacity":1099511627776,"retained":1099511627776,"circular_span":1099511627776,"epochs":1,
            "block_shape":[1048576,1048576],"modulo_shape":[1048576,1048576],"ping_pong":2199023255552,
            "exact":false,"modulo_exact":false,"separate":1099511627776,"taken":"shared"}}
        "#]],
    );
    let partly = huge("(i, j) -> (i, (j * 5 + i) mod 1048576)").replacen("(i, j)\"", "(i, j - 1)\"", 1);
    check(
        &partly,
        expect![[r#"
            {"id":"h","declined":"tensor: deciding needs 3298534883328 accesses, the limit is 65536"}
        "#]],
    );
}

#[test]
fn spoilt_texts_never_panic() {
    let mut random = Random::new(7);
    let pieces: Vec<&str> = vec![
        "0",
        "-1",
        "1",
        "7",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "null",
        "1e9",
        "9223372036854775807",
        "true",
        "mod",
        "floordiv",
        "(",
        ")",
        "->",
        "d0",
        "d1",
        "*",
        "+",
        "\"gate\"",
        "\"on\"",
        "\u{feff}",
        "é",
    ];
    let mut read_at_all = 0;
    for _ in 0..6000 {
        let mut bytes = EXAMPLE.as_bytes().to_vec();
        for _ in 0..random.number(1, 3) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len() as i64) as usize;
            match random.below(4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(at..at, pieces[random.below(pieces.len() as i64) as usize].bytes())),
                2 => bytes[at] = b' ' + random.below(94) as u8,
                _ => {
                    let end = (at + random.number(1, 8) as usize).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
        }
        let Ok(document) = read(&String::from_utf8_lossy(&bytes)) else {
            continue;
        };
        read_at_all += 1;
        let small = Limits {
            accesses: 1 << 12,
            modulo_steps: 1 << 12,
            ..Limits::default()
        };
        let answers = answers(&document, small);
        let text = json(&document, &answers);
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        assert!(!table(&answers).is_empty() || document.questions.is_empty());
        assert!(
            answers
                .iter()
                .all(|answer| !matches!(answer, Answered::Declined(declined) if declined.declined.is_empty()))
        );
    }
    assert!(read_at_all > 100, "{read_at_all}");
}

/// Puts another number in place of some.
fn spoil(random: &mut Random, value: &mut Value) {
    const NUMBERS: [i64; 14] = [
        0,
        1,
        2,
        3,
        5,
        7,
        -1,
        -2,
        64,
        1 << 20,
        1 << 31,
        1 << 40,
        1 << 60,
        i64::MAX,
    ];
    const MAPS: [&str; 8] = [
        "(d0, d1) -> (d1, d0)",
        "(d0, d1) -> (d0 * 1152921504606846976, d1)",
        "(d0, d1) -> (-d0 * 3 + 5, d1 floordiv 2)",
        "(d0, d1) -> ((d0 + d1) mod 3, d1 * 1099511627776 floordiv 1099511627776)",
        "(d0) -> (d0 floordiv 7)",
        "(d0) -> (d0 mod 2, d0)",
        "(d0, d1) -> (d0 * 1048576 + d1, d1 mod 1048576 * 4)",
        "() -> ()",
    ];
    match value {
        Value::Number(_) if random.chance(15) => {
            *value = NUMBERS[random.below(NUMBERS.len() as i64) as usize].into();
        }
        Value::String(text) if text.contains("->") && random.chance(20) => {
            *text = MAPS[random.below(MAPS.len() as i64) as usize].to_owned();
        }
        Value::Array(list) => {
            list.iter_mut().for_each(|each| spoil(random, each));
            if random.chance(4) {
                list.pop();
            }
        }
        Value::Object(object) => object.iter_mut().for_each(|(_, each)| spoil(random, each)),
        _ => {}
    }
}

#[test]
fn extreme_numbers_never_panic() {
    let example: Value = serde_json::from_str(EXAMPLE).expect("a document");
    let questions = ["cases", "graphs"].map(|key| example[key].as_array().cloned().unwrap_or_default());
    let (mut refused, mut answered) = (0, 0);
    for seed in 0..6000 {
        let random = &mut Random::new(seed);
        let mut value = questions.concat()[random.below(4) as usize].clone();
        spoil(random, &mut value);
        let small = Limits {
            accesses: 1 << 12,
            modulo_steps: 1 << 12,
            modulo_accesses: 1 << 10,
            ..Limits::default()
        };
        match read(&value.to_string()) {
            Ok(document) => {
                answered += 1;
                for use_formulas in [true, false] {
                    let answers = answers(&document, Limits { use_formulas, ..small });
                    assert!(!table(&answers).is_empty());
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(
        refused > 500 && answered > 500,
        "{refused} refused, {answered} answered"
    );
}
