//! Rows, from remarks as passes emit them.

use super::*;

fn remark(pass: &str, name: &str, kind: RemarkKind, line: u32, metrics: &[(&str, &str)]) -> Recorded {
    let metrics = metrics
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Recorded {
        pass: pass.to_owned(),
        name: name.to_owned(),
        kind,
        message: format!("the message of {name}"),
        metrics: metrics.collect(),
        op: "scf.for".to_owned(),
        place: Some(("f.mlir".to_owned(), line)),
        in_loop: Some(LoopId(line)),
    }
}

fn a_loop(line: u32, around: &str) -> Recorded {
    remark(
        "zpu-record-remarks",
        LOOP,
        RemarkKind::Analysis,
        line,
        &[("Around", around)],
    )
}

fn seen(lines: &[u32]) -> Seen {
    let work = Work {
        engines: ["odma0".to_owned()].into(),
        commands: 2,
        waits: 1,
    };
    Seen {
        name: "f".to_owned(),
        place: Some(("f.mlir".to_owned(), 1)),
        device: "toy".to_owned(),
        commands: 2,
        waits: 3,
        loops: lines.iter().map(|line| (LoopId(*line), work.clone())).collect(),
    }
}

fn only(report: &Report) -> &Row {
    assert_eq!(report.loops.len(), 1, "{report:?}");
    &report.loops[0]
}

#[test]
fn a_plan_that_was_carried_out_has_numbers() {
    let metrics = [
        ("II", "16"),
        ("MII", "12"),
        ("LimitedBy", "vector"),
        ("Buffer 0", "2 x 64 bytes of rsram"),
        ("Buffer 1", "3 x 32 bytes of rsram"),
        ("Buffer 2", "1 versions"),
    ];
    let recorded = [
        a_loop(5, "0"),
        remark(PLANNING, "planned", RemarkKind::Analysis, 5, &metrics),
        remark(PIPELINE, "pipelined", RemarkKind::Passed, 5, &[("Stages", "2")]),
        remark(
            WAITS,
            "waits",
            RemarkKind::Analysis,
            5,
            &[("Waits", "1"), ("Minimum", "1")],
        ),
    ];
    let report = Report::of(&recorded, &seen(&[5]));
    let row = only(&report);
    let expected = Plan {
        interval: Some(16),
        bound: Some((12, "vector".to_owned())),
        recurrence: None,
        stages: Some(2),
        versions: vec![2, 3, 1],
        bytes: [("rsram".to_owned(), 224)].into(),
    };
    assert_eq!(row.outcome, Outcome::Pipelined(expected));
    assert_eq!(row.engines, ["odma0"]);
    assert_eq!(
        row.waits,
        Waits {
            count: 1,
            needed: Some(1)
        }
    );
}

#[test]
fn a_plan_that_was_refused_is_no_plan() {
    let recorded = [
        a_loop(5, "0"),
        remark(PLANNING, "planned", RemarkKind::Analysis, 5, &[("II", "16")]),
        remark(PIPELINE, "broken-dependence", RemarkKind::Missed, 5, &[]),
    ];
    let report = Report::of(&recorded, &seen(&[5]));
    let Outcome::Kept(note) = &only(&report).outcome else {
        panic!("{report:?}")
    };
    assert_eq!(
        (note.reason.as_str(), note.lines.as_slice()),
        ("broken-dependence", &["5".to_owned()][..])
    );
}

#[test]
fn every_loop_has_a_row_whatever_was_said_of_it() {
    let recorded = [a_loop(5, "0"), a_loop(6, "1"), a_loop(9, "0")];
    let mut seen = seen(&[5, 6]);
    seen.loops.insert(LoopId(6), Work::default());
    let reasons: Vec<(usize, String)> = Report::of(&recorded, &seen)
        .loops
        .into_iter()
        .map(|row| match row.outcome {
            Outcome::Kept(note) => (row.around, note.reason),
            Outcome::Pipelined(plan) => panic!("{plan:?}"),
        })
        .collect();
    let expected = [(0, "no-plan"), (1, "no-commands"), (0, "gone")];
    assert_eq!(reasons, expected.map(|(around, reason)| (around, reason.to_owned())));
}

#[test]
fn one_note_names_all_lines_of_one_cause() {
    let mut kept = remark("zpu-convert-to-dma", "no-route", RemarkKind::Missed, 7, &[]);
    let mut recorded = vec![kept.clone()];
    kept.place = Some(("f.mlir".to_owned(), 9));
    recorded.extend([kept.clone(), kept]);
    let notes = Report::of(&recorded, &seen(&[])).notes;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].lines, ["7", "9"]);
}

#[test]
fn an_outer_loop_is_named_by_its_own_decline() {
    let mut no_room = remark(PLANNING, "no-room", RemarkKind::Missed, 5, &[]);
    no_room.op = "memref.alloc".to_owned();
    let recorded = [
        a_loop(5, "0"),
        remark(PLANNING, "inner-loop", RemarkKind::Missed, 5, &[]),
        no_room,
    ];
    let report = Report::of(&recorded, &seen(&[5]));
    assert!(matches!(&only(&report).outcome, Outcome::Kept(note) if note.reason == "inner-loop"));
    assert_eq!(report.notes.len(), 1);
}
