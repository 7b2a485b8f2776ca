//! A run for people. Every number here is in the JSON document as well.

use std::fmt::Write as _;

use zpu_sim::MemoryReport;

use crate::program::Run;

/// The text of a run.
pub(crate) fn of(run: &Run) -> String {
    let report = &run.outcome.report;
    let mut text = String::new();
    let stopped = if report.completed {
        ""
    } else {
        ", stopped before its end"
    };
    let _ = writeln!(
        text,
        "{} on {}: {} cycles, {} commands, {} bytes moved{stopped}",
        report.entry,
        report.device,
        report.cycles,
        report.commands,
        report.bytes_moved(),
    );
    if !report.values {
        text.push_str("without values: no races and no reads of unwritten memory were looked for\n");
    }
    for (position, value) in run.results() {
        let _ = writeln!(text, "result {position}: {value}");
    }
    let mut rows = vec![["", "commands", "busy", "stalled", "idle", "bytes"].map(str::to_owned)];
    let control = &report.control;
    let number = |value: u64| value.to_string();
    rows.push([
        "control".to_owned(),
        number(report.commands),
        number(control.busy),
        number(control.stalled),
        number(control.idle),
        String::new(),
    ]);
    rows.extend(report.engines.iter().map(|engine| {
        [
            engine.name.clone(),
            number(engine.commands),
            number(engine.busy),
            number(engine.stalled),
            number(engine.idle),
            number(engine.bytes),
        ]
    }));
    table(&mut text, &rows);
    memories(&mut text, &report.memories);
    // A run that stopped tells nothing about the time that the program takes.
    let bound = &report.bound;
    if report.completed {
        for (name, bound) in [("lower bound", bound), ("tight bound", &report.tight_bound)] {
            let _ = writeln!(
                text,
                "{name}: {} cycles, {:.1} % reached, limited by {}",
                bound.cycles,
                100.0 * bound.share,
                bound.limit
            );
        }
        let distance = &report.distance;
        let causes = [
            ("fill and drain", distance.fill_and_drain),
            ("control stream", distance.control_stream),
            ("waits", distance.waits),
            ("order", distance.order),
            ("memory", distance.memory),
            ("unproven", distance.unproven),
        ];
        let causes = causes.iter().filter(|(_, cycles)| *cycles > 0);
        let causes: Vec<String> = causes.map(|(name, cycles)| format!("{name} {cycles}")).collect();
        if !causes.is_empty() {
            let _ = writeln!(text, "distance: {} cycles: {}", distance.cycles, causes.join(", "));
        }
    }
    text
}

/// The memories that were used, with what was alive in them if that was counted.
fn memories(text: &mut String, memories: &[MemoryReport]) {
    let used: Vec<&MemoryReport> = memories.iter().filter(|memory| memory.peak > 0).collect();
    let number = |value: u64| value.to_string();
    if used.iter().any(|memory| memory.live.is_some()) {
        let mut rows = vec![["memory", "peak", "live", "of"].map(str::to_owned)];
        rows.extend(used.iter().map(|memory| {
            let live = memory.live.map(number).unwrap_or_default();
            [memory.name.clone(), number(memory.peak), live, number(memory.capacity)]
        }));
        table(text, &rows);
    } else if !used.is_empty() {
        let mut rows = vec![["memory", "peak", "of"].map(str::to_owned)];
        let row = |memory: &&MemoryReport| [memory.name.clone(), number(memory.peak), number(memory.capacity)];
        rows.extend(used.iter().map(row));
        table(text, &rows);
    }
}

/// Columns: the first to the left, numbers to the right.
pub(crate) fn table<const N: usize>(text: &mut String, rows: &[[String; N]]) {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let mut line = format!("  {:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(line, "  {cell:>width$}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}
