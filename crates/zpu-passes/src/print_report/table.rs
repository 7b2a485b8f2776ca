//! Reports as text: a head line, a table, and notes on single lines below it.

use std::fmt::Write as _;

use super::rows::{Note, Outcome, Plan, Report, Row, Waits};

const HEADER: [&str; 9] = [
    "line", "II", "bound", "set by", "stages", "versions", "bytes", "engines", "waits",
];
/// Columns of words, aligned left; the others have numbers.
const LEFT: [usize; 4] = [0, 3, 6, 7];
/// The most lines that one note names.
const MOST_LINES: usize = 6;

/// Lays a report out.
pub(super) fn text(report: &Report) -> String {
    let mut text = head(report);
    if !report.loops.is_empty() {
        let cells: Vec<[String; 9]> = report.loops.iter().map(cells).collect();
        let header = HEADER.map(str::to_owned);
        let widths: Vec<usize> = (0..header.len())
            .map(|column| {
                let rows = [&header].into_iter().chain(&cells);
                rows.map(|row| row[column].chars().count()).max().unwrap_or(0)
            })
            .collect();
        for row in [&header].into_iter().chain(&cells) {
            text += &line(row, &widths);
        }
    }
    for row in &report.loops {
        if let Outcome::Pipelined(Plan {
            recurrence: Some(of), ..
        }) = &row.outcome
        {
            text += &format!(
                "  line {}: the bound is that of the recurrence through {of}\n",
                row.line
            );
        }
    }
    let kept = report.loops.iter().filter_map(|row| match &row.outcome {
        Outcome::Kept(note) => Some((note, " left alone")),
        Outcome::Pipelined(_) => None,
    });
    for (note, verb) in kept.chain(report.notes.iter().map(|note| (note, ""))) {
        text += &said(note, verb);
    }
    text
}

fn head(report: &Report) -> String {
    let mut facts = Vec::new();
    let pipelined = |row: &&Row| matches!(row.outcome, Outcome::Pipelined(_));
    match report.loops.len() {
        0 => facts.push("no loops".to_owned()),
        1 => {
            let which = if report.loops.iter().any(|row| pipelined(&row)) {
                "its loop"
            } else {
                "no loop"
            };
            facts.push(format!("{which} pipelined"));
        }
        all => facts.push(format!(
            "{} of {all} loops pipelined",
            report.loops.iter().filter(pipelined).count()
        )),
    }
    facts.push(counted(report.commands, "command"));
    let Waits { count, needed } = report.waits;
    facts.push(match needed {
        Some(needed) if 0 < needed && needed < count => format!("{}, at least {needed} needed", counted(count, "wait")),
        Some(needed) if needed == count && count > 0 => format!("{}, all needed", counted(count, "wait")),
        _ => counted(count, "wait"),
    });
    facts.extend(report.verdict.clone());
    format!(
        "@{} ({}) on {}: {}\n",
        report.function,
        report.place,
        report.device,
        facts.join("; ")
    )
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn cells(row: &Row) -> [String; 9] {
    let Row {
        line,
        around,
        engines,
        waits,
        ..
    } = row;
    let nothing = Plan::default();
    let plan = match &row.outcome {
        Outcome::Pipelined(plan) => plan,
        Outcome::Kept(_) => &nothing,
    };
    let number = |value: Option<u64>| value.map_or("-".to_owned(), grouped);
    let list = |items: Vec<String>, separator: &str| match items.is_empty() {
        true => "-".to_owned(),
        false => items.join(separator),
    };
    let bytes = plan
        .bytes
        .iter()
        .map(|(space, bytes)| format!("{space} {}", grouped(*bytes)));
    [
        format!("{}{line}", "  ".repeat(*around)),
        number(plan.interval),
        number(plan.bound.as_ref().map(|(bound, _)| *bound)),
        plan.bound.as_ref().map_or("-".to_owned(), |(_, set_by)| set_by.clone()),
        number(plan.stages),
        list(repeated(&plan.versions), "+"),
        list(bytes.collect(), ", "),
        list(numbered(engines), ", "),
        match waits.needed {
            Some(needed) if 0 < needed && needed < waits.count => format!("{}, least {needed}", waits.count),
            _ => waits.count.to_string(),
        },
    ]
}

/// Numbers, of which more than three equal ones in a row are written once: `16x2`.
fn repeated(numbers: &[u64]) -> Vec<String> {
    let runs = numbers.chunk_by(|one, next| one == next);
    runs.flat_map(|run| match run {
        [first, _, _, _, ..] => vec![format!("{}x{first}", run.len())],
        few => few.iter().map(u64::to_string).collect(),
    })
    .collect()
}

/// Names of engines, of which more than three that differ in a number alone, each one more than the one before, are
/// written by the first and the last number: `dma0-15`.
fn numbered(names: &[String]) -> Vec<String> {
    let parts = |name: &str| {
        let stem = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
        (stem.to_owned(), name[stem.len()..].parse::<u64>().ok())
    };
    let mut sorted: Vec<_> = names.iter().map(|name| parts(name)).collect();
    sorted.sort();
    let follows = |one: &(String, Option<u64>), next: &(String, Option<u64>)| {
        one.0 == next.0 && one.1.is_some() && one.1.and_then(|number| number.checked_add(1)) == next.1
    };
    let name = |(stem, number): &(String, Option<u64>)| match number {
        Some(number) => format!("{stem}{number}"),
        None => stem.clone(),
    };
    let runs = sorted.chunk_by(follows);
    runs.flat_map(|run| match run {
        [first, _, _, .., (_, Some(last))] => vec![format!("{}-{last}", name(first))],
        few => few.iter().map(name).collect(),
    })
    .collect()
}

fn line(cells: &[String; 9], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let _ = if LEFT.contains(&column) {
            write!(line, "  {cell:<width$}")
        } else {
            write!(line, "  {cell:>width$}")
        };
    }
    format!("{}\n", line.trim_end())
}

fn said(note: &Note, verb: &str) -> String {
    let lines = match note.lines.as_slice() {
        [line] => format!("line {line}"),
        lines => {
            let more = lines.len().saturating_sub(MOST_LINES);
            let shown = lines[..lines.len() - more].join(", ");
            let more = if more == 0 {
                String::new()
            } else {
                format!(" and {more} more")
            };
            format!("lines {shown}{more}")
        }
    };
    let remedy = note
        .remedy
        .as_ref()
        .map_or(String::new(), |remedy| format!("\n    to do: {remedy}"));
    format!("  {lines}{verb}: {} ({}){remedy}\n", note.text, note.reason)
}

/// A count with a comma between groups of three digits.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(lines: &[&str], remedy: Option<&str>) -> Note {
        Note {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            text: "only scf.for is planned, this is scf.forall".to_owned(),
            reason: "no-counted-loop".to_owned(),
            remedy: remedy.map(str::to_owned),
        }
    }

    fn report() -> Report {
        let plan = Plan {
            interval: Some(1234),
            bound: Some((1200, "vector".to_owned())),
            recurrence: None,
            stages: Some(3),
            versions: vec![2, 2],
            bytes: [("rsram".to_owned(), 8192)].into(),
        };
        let pipelined = Row {
            line: "12".to_owned(),
            around: 1,
            outcome: Outcome::Pipelined(plan),
            engines: vec!["odma0".to_owned(), "vector".to_owned()],
            waits: Waits {
                count: 3,
                needed: Some(2),
            },
        };
        let kept = Row {
            line: "20".to_owned(),
            outcome: Outcome::Kept(note(&["20"], Some("run --scf-forall-to-for before"))),
            ..Row::default()
        };
        Report {
            function: "f".to_owned(),
            place: "f.mlir:3".to_owned(),
            device: "toy".to_owned(),
            commands: 5,
            waits: Waits {
                count: 4,
                needed: Some(4),
            },
            verdict: Some("proven".to_owned()),
            loops: vec![pipelined, kept],
            notes: Vec::new(),
        }
    }

    #[test]
    fn long_lists_are_written_short() {
        assert_eq!(repeated(&[2, 2, 2, 2, 3, 3]), ["4x2", "3", "3"]);
        assert_eq!(repeated(&[]), Vec::<String>::new());
        let names = [
            "dma0", "dma1", "dma10", "dma11", "dma2", "dma3", "dma4", "vector", "odma7", "odma8",
        ];
        let names = names.map(str::to_owned);
        assert_eq!(
            numbered(&names),
            ["dma0-4", "dma10", "dma11", "odma7", "odma8", "vector"]
        );
    }

    #[test]
    fn a_table_has_a_row_a_loop_and_a_line_for_what_was_left_alone() {
        let expected = "\
@f (f.mlir:3) on toy: 1 of 2 loops pipelined; 5 commands; 4 waits, all needed; proven
  line     II  bound  set by  stages  versions  bytes        engines             waits
    12  1,234  1,200  vector       3       2+2  rsram 8,192  odma0, vector  3, least 2
  20        -      -  -            -         -  -            -                       0
  line 20 left alone: only scf.for is planned, this is scf.forall (no-counted-loop)
    to do: run --scf-forall-to-for before
";
        assert_eq!(text(&report()), expected);
    }

    #[test]
    fn many_lines_are_counted() {
        let lines = ["1", "2", "3", "4", "5", "6", "7", "8"];
        assert!(said(&note(&lines, None), "").starts_with("  lines 1, 2, 3, 4, 5, 6 and 2 more: only"));
    }
}
