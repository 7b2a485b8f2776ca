//! Rules and tables as text.

use proptest::prelude::*;
use zpu_sched::fragment::uniform::{Pipeline, Placement};
use zpu_sched::fragment::{
    Builtin, FragmentInfo, MergeRule, Origin, Program, Request, Rule, Split, Table, parse_merge_rules, parse_rules,
    schedule,
};

use crate::numbers::answer;

const EXAMPLE: &str = "FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=[\"enc\"],call_counter=3,\
                       mesh_name=\"a\")->FragmentInfo(origins=[\"dec\"(1)],mesh_name=\"a\")])";

fn infos() -> impl Strategy<Value = FragmentInfo> {
    let origin = ("[a-z_./ ]{1,6}", 0u32..3).prop_map(|(name, transpose_count)| Origin {
        name: name.into(),
        transpose_count,
    });
    let split = prop::option::of(prop::bool::ANY);
    let number = || prop::option::of(any::<u32>());
    let mesh = prop::option::of("[a-z0-9/]{0,5}");
    (prop::collection::vec(origin, 0..3), number(), number(), split, mesh).prop_map(
        |(origins, stage, call_counter, split, mesh)| FragmentInfo {
            origins,
            stage,
            call_counter,
            split: split.map(|keep| {
                if keep {
                    Split::KeepTransferred
                } else {
                    Split::DropTransferred
                }
            }),
            mesh,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_are_inverse(lists in prop::collection::vec(prop::collection::vec(infos(), 0..4), 1..4)) {
        let rules: Vec<Rule> = lists.into_iter().map(|ordered_fragments| Rule { ordered_fragments }).collect();
        let text = rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        prop_assert_eq!(parse_rules(&text), Ok(rules));
    }

    #[test]
    fn merge_rules_are_inverse_too(sources in prop::collection::vec(infos(), 0..3), target in infos()) {
        let rule = MergeRule { sources, target };
        prop_assert_eq!(parse_merge_rules(&rule.to_string()), Ok(vec![rule]));
    }

    #[test]
    fn no_text_makes_the_parsers_panic(text in "\\PC{0,60}") {
        let _ = parse_rules(&text);
        let _ = Table::parse(&text);
        let _ = parse_rules(&format!("FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=[{text}"));
    }
}

#[test]
fn the_example_of_the_grammar_is_read() {
    let rules = parse_rules(EXAMPLE).expect("the example");
    assert_eq!(rules[0].ordered_fragments[0].call_counter, Some(3));
    assert_eq!(rules[0].ordered_fragments[1].origins[0].transpose_count, 1);
    assert_eq!(rules[0].to_string(), EXAMPLE);
    let spaced = EXAMPLE.replace(',', " ,\n ").replace("->", " -> ");
    assert_eq!(parse_rules(&spaced), Ok(rules));
}

#[test]
fn errors_of_rules_have_a_place() {
    let message = |text: &str| parse_rules(text).expect_err("no rule").to_string();
    let cases = [
        (
            "Rule()",
            "at character 0: expected `FragmentScheduleRule(`, found `Rule()`",
        ),
        (&EXAMPLE[..EXAMPLE.len() - 2], "expected `->` or `]`, found the end"),
        (
            &EXAMPLE.replace("counter=3", "counter=x"),
            "expected a number below 2^32, found `x",
        ),
        (
            &EXAMPLE.replace("call_counter=3", "stage=1,stage=2"),
            "expected a field that is not there yet, found `stage=2",
        ),
        (
            &EXAMPLE.replace("counter=3", "counter=4294967296"),
            "expected a number below 2^32",
        ),
    ];
    for (text, part) in cases {
        assert!(message(text).contains(part), "{} has not {part}", message(text));
    }
}

fn info(stage: u32, microbatch: u32, transpose_count: u32) -> FragmentInfo {
    FragmentInfo {
        origins: vec![Origin {
            name: "f".into(),
            transpose_count,
        }],
        stage: Some(stage),
        call_counter: Some(microbatch),
        split: None,
        mesh: Some(format!("m{stage}")),
    }
}

fn rule(infos: &[FragmentInfo]) -> Rule {
    Rule {
        ordered_fragments: infos.to_vec(),
    }
}

fn reasons(program: &Program, rules: &[Rule]) -> Vec<&'static str> {
    let answer = answer(program, &Request::Rules(rules.to_vec()));
    answer.remarks.iter().map(|remark| remark.reason.name()).collect()
}

#[test]
fn rules_that_cannot_hold_are_skipped_with_a_remark() {
    let program = Pipeline::new(2, 2).program();
    let (f, other) = (info(0, 0, 0), info(0, 1, 0));
    let missing = info(0, 7, 0);
    assert_eq!(reasons(&program, &[rule(std::slice::from_ref(&f))]), ["short-rule"]);
    assert_eq!(reasons(&program, &[rule(&[f.clone(), f.clone()])]), ["same-fragment"]);
    assert_eq!(
        reasons(&program, &[rule(&[f.clone(), info(1, 0, 0)])]),
        ["different-meshes"]
    );
    assert_eq!(
        reasons(&program, &[rule(&[info(0, 0, 1), f.clone()])]),
        ["against-data"]
    );
    // A field that is left out is no wildcard.
    let without_mesh = FragmentInfo {
        mesh: None,
        ..f.clone()
    };
    assert_eq!(
        reasons(&program, &[rule(&[without_mesh, other.clone()])]),
        ["missing-fragment"]
    );
    // x -> y -> z without y is x -> z.
    let rules = [rule(&[other.clone(), missing, f.clone()])];
    let answer = answer(&program, &Request::Rules(rules.to_vec()));
    let names: Vec<&str> = answer.schedule.order[0]
        .iter()
        .map(|node| &*program.node(*node).name)
        .collect();
    assert_eq!(names, ["F0.1", "F0.0", "B0.0", "B0.1"]);
    assert_eq!(answer.schedule.control.len(), 1);
}

#[test]
fn rules_that_contradict_each_other_are_an_error() {
    let program = Pipeline::new(2, 2).program();
    let (f, b) = (info(0, 1, 0), info(0, 0, 1));
    let rules = vec![rule(&[info(0, 0, 0), f.clone()]), rule(&[f.clone(), info(0, 0, 0)])];
    let error = schedule(&program, &Request::Rules(rules))
        .expect_err("a circle")
        .to_string();
    assert!(
        error.contains("`F0.0` -> `F0.1` -> `F0.0`; leave out one of the rules 0, 1"),
        "{error}"
    );
    // B before F of the next microbatch on mesh 0, F before B on mesh 1: a circle through data.
    let rules = vec![rule(&[b, f]), rule(&[info(1, 1, 0), info(1, 0, 1)])];
    let error = schedule(&program, &Request::Rules(rules))
        .expect_err("a circle")
        .to_string();
    assert!(
        error.contains("`B0.0` -> `F0.1` -> `F1.1` -> `B1.0` -> `B0.0`"),
        "{error}"
    );
}

#[test]
fn fragments_that_rules_cannot_tell_apart_are_an_error() {
    let mut program = Pipeline::new(1, 1).program();
    let mut twin = program.nodes[0].clone();
    twin.name = "twin".into();
    program.nodes.push(twin);
    let error = schedule(&program, &Request::Rules(vec![]))
        .expect_err("ambiguous")
        .to_string();
    assert!(error.contains("`F0.0` and `twin` apart"), "{error}");
}

/// A table as PyTorch writes it for a schedule; whole backward fragments as `B`.
fn table(program: &Program, builtin: Builtin) -> String {
    let answer = answer(program, &Request::Builtin(builtin));
    let rows = answer.schedule.order.iter().map(|row| {
        let entries = row.iter().map(|node| {
            let node = program.node(*node);
            let fragment = node.fragment().expect("a fragment");
            let letter = match (fragment.transpose_count, fragment.split) {
                (Some(0), _) => 'F',
                (_, None) => 'B',
                (_, Some(Split::KeepTransferred)) => 'I',
                _ => 'W',
            };
            format!("{}{letter}{}", fragment.stage.unwrap(), fragment.call_counter.unwrap())
        });
        entries.collect::<Vec<_>>().join(",")
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn tables_give_the_order_that_they_have() {
    let programs = [
        (Pipeline::new(3, 5).program(), Builtin::OneForwardOneBackward),
        (
            Pipeline::new(3, 6).split().chunked(2, Placement::V).program(),
            Builtin::ZeroBubbleV,
        ),
        (
            Pipeline::new(2, 4).split().chunked(2, Placement::V).program(),
            Builtin::DualPipeV,
        ),
    ];
    for (program, builtin) in programs {
        let table = Table::parse(&table(&program, builtin)).expect("a table");
        let found = answer(&program, &Request::Table(table));
        let known = answer(&program, &Request::Builtin(builtin));
        assert_eq!(found.schedule.order, known.schedule.order);
    }
}

#[test]
fn tables_may_have_idle_entries_pairs_and_communication() {
    let program = Pipeline::new(2, 2).split().program();
    let text = "0F0,,0F1,0SEND_F1,0B0,0W0,0I1,0W1\n,1F0,(1F1;1B0)OVERLAP_F_B,1B1\n";
    let found = answer(&program, &Request::Table(Table::parse(text).expect("a table")));
    let row: Vec<&str> = found.schedule.order[1]
        .iter()
        .map(|node| &*program.node(*node).name)
        .collect();
    assert_eq!(row, ["F1.0", "F1.1", "B1.0", "W1.0", "B1.1", "W1.1"]);
}

#[test]
fn errors_of_tables_have_a_place() {
    let program = Pipeline::new(2, 1).program();
    let message = |text: &str| match Table::parse(text) {
        Err(error) => error.to_string(),
        Ok(table) => schedule(&program, &Request::Table(table))
            .expect_err("no order")
            .to_string(),
    };
    let cases = [
        ("", "line 1: it is empty"),
        ("0F0,0B0", "it has 1 lines, the program has 2 meshes"),
        ("0F0,0X0\n1F0,1B0", "line 1, entry 2: `0X0` is no action"),
        ("0F0,F0\n1F0,1B0", "line 1, entry 2: `F0` has no number of a stage"),
        ("0F0,0F99999999999\n1F0,1B0", "has no number of a microbatch below 2^32"),
        (
            "0F0,0B0,0F0\n1F0,1B0",
            "line 1, entry 3: mesh `m0` has no fragment F of stage 0 for microbatch 0, or",
        ),
        (
            "0F0\n1F0,1B0",
            "line 1: `B0.0` of mesh `m0` is missing; add B of stage 0 for microbatch 0",
        ),
        ("0B0,0F0\n1F0,1B0", "contradicts data: `B0.0` -> `F0.0` -> `B0.0`"),
    ];
    for (text, part) in cases {
        assert!(message(text).contains(part), "{} has not {part}", message(text));
    }
}
