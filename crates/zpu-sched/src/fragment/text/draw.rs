//! Schedules as the field draws them: a row for each mesh, F, B and W with the number of the microbatch.

use super::super::problem::{NodeId, Program, Recompute};
use super::super::replay::Timing;
use super::super::schedule::Schedule;
use super::super::unit::Unit;

/// The widest figure; a schedule that needs more is drawn without time.
const MOST_COLUMNS: u64 = 400;

/// A figure of a schedule. A cell is the greatest common divisor of all times, if the rows then stay within 400
/// columns; otherwise cells only show the order. Several stages of a mesh are told apart by letters: `F3` and `F3b`.
/// `R` is forward work that is done again, `x` a fragment that is no scheduling unit, and a full stop idle time.
pub fn draw(program: &Program, schedule: &Schedule, timing: &Timing) -> String {
    let rows = schedule.order.iter();
    let labels: Vec<Vec<String>> = rows.map(|row| labels(program, row)).collect();
    let cell = labels.iter().flatten().map(String::len).max().unwrap_or(1) + 1;
    let margin = program
        .meshes
        .iter()
        .map(|mesh| mesh.chars().count())
        .max()
        .unwrap_or(0);
    let unit = unit(program, schedule, timing);
    let is_timed = unit > 0 && (timing.makespan / unit).saturating_mul(cell as u64) <= MOST_COLUMNS;
    let mut figure = String::new();
    for (mesh, (row, labels)) in program.meshes.iter().zip(schedule.order.iter().zip(&labels)) {
        let mut line = format!("{mesh:<margin$}  ");
        let mut now = 0;
        for (node, label) in row.iter().zip(labels) {
            let (mut cells, mut idle) = (1, 0);
            if is_timed {
                let start = timing.start[node.index()];
                cells = (program.node(*node).cycles / unit) as usize;
                idle = (start - now) / unit;
                now = start + program.node(*node).cycles;
            }
            (0..idle).for_each(|_| line += &format!("{:<cell$}", "."));
            // What takes no time has no cell.
            if cells > 0 {
                let fill = if is_timed && cells > 1 { "-" } else { " " };
                let width = cells * cell - 1;
                line += label;
                line += &fill.repeat(width - label.len());
                line.push(' ');
            }
        }
        figure += line.trim_end();
        figure.push('\n');
    }
    match (is_timed, unit) {
        (true, 1) => figure += "a cell is 1 cycle\n",
        (true, _) => figure += &format!("a cell is {unit} cycles\n"),
        _ => figure += "cells show the order, not the time\n",
    }
    figure
}

/// The greatest common divisor of the times of fragments; 0 if all are 0.
fn unit(program: &Program, schedule: &Schedule, timing: &Timing) -> u64 {
    let nodes = schedule.order.iter().flatten();
    nodes.fold(0, |unit, node| {
        gcd(gcd(unit, timing.start[node.index()]), program.node(*node).cycles)
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn labels(program: &Program, row: &[NodeId]) -> Vec<String> {
    let unit = |node: &NodeId| {
        let fragment = program.node(*node).fragment()?;
        Unit::of(*node, fragment).map(|unit| (unit, fragment.recompute))
    };
    let mut stages: Vec<u32> = row.iter().filter_map(unit).filter_map(|(unit, _)| unit.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    row.iter()
        .map(|node| {
            let Some((unit, recompute)) = unit(node) else {
                return "x".to_owned();
            };
            let letter = match recompute {
                Recompute::Clone { of } if of != *node && unit.piece.letter() == 'F' => 'R',
                _ => unit.piece.letter(),
            };
            let chunk = stages.iter().position(|stage| Some(*stage) == unit.stage).unwrap_or(0);
            let chunk = match chunk {
                0 => String::new(),
                1..=25 => char::from(b'a' + chunk as u8).to_string(),
                _ => format!("/{chunk}"),
            };
            format!("{letter}{}{chunk}", unit.counter)
        })
        .collect()
}
