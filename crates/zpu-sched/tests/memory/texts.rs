//! Texts: every mutilated one is read, or refused with a reason.

use proptest::prelude::*;
use zpu_sched::memory::text::{read_csv, read_json};
use zpu_sched::memory::{Effort, check, plan};

use super::common::config;

const JSON: &str = r#"{"schema": 1, "name": "toy", "period": 226,
 "spaces":  [{"name": "asram", "bytes": 1048576, "align": 64, "banks": 2}],
 "buffers": [{"name": "A", "space": "asram", "bytes": 8192, "from": 0, "length": 334, "align": 64, "offset": null, "group": "mma"},
             {"name": "B", "space": "asram", "bytes": 4096, "from": 9, "length": 90, "apart": ["A"], "versions": 1}]}"#;

const CSV: &str = "id,lower,upper,size\na,0,4,3\nb,2,6,5\nc,5,9,3\n";

#[test]
fn texts_are_read() {
    let problem = read_json(JSON).expect("it is right");
    assert_eq!(check(&problem), Ok(()));
    assert_eq!(
        (problem.period, problem.buffers.len(), problem.buffers[1].apart[0].0),
        (226, 2, 0)
    );
    let problem = read_csv(CSV, "csv").expect("it is right");
    assert_eq!(check(&problem), Ok(()));
    assert_eq!(plan(&problem, &Effort::default()).expect("a plan").spaces[0].planned, 8);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn mutilated_texts_are_refused_or_planned(
        is_csv: bool,
        at: prop::sample::Index,
        length in 0usize..6,
        with in "[0-9,\"\\[\\]{}:a-c\n-]{0,6}",
    ) {
        let text = if is_csv { CSV } else { JSON };
        let from = at.index(text.len());
        let mutilated = format!("{}{with}{}", &text[..from], &text[(from + length).min(text.len())..]);
        let problem = if is_csv { read_csv(&mutilated, "csv").ok() } else { read_json(&mutilated).ok() };
        if let Some(problem) = problem.filter(|problem| check(problem).is_ok()) {
            let effort = Effort { nodes: 100, ..Effort::default() };
            let plan = plan(&problem, &effort);
            prop_assert!(plan.is_ok(), "{:?}", plan);
        }
    }
}
