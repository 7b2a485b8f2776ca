//! The numbers of waits that `zpu-inject-dma-barrier` reports, and the waits left when they are removed in all ways.

use std::io::Write as _;
use std::process::{Command, Stdio};

use zpu_driver::Session;
use zpu_ir::{Module, Op, edit};

/// Waits that may be tried together in all combinations.
const MOST_TOGETHER: usize = 10;

/// A remark about the waits of a loop or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// True for the whole function, false for a loop.
    pub(crate) is_function: bool,
    pub(crate) waits: usize,
    pub(crate) minimum: usize,
}

/// The remarks of a pass, run by `zpu-opt`.
pub(crate) fn told(text: &str, pipeline: &str) -> Result<Vec<Told>, String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zpu-opt"))
        .arg(format!("--pass-pipeline={pipeline}"))
        .args(["-o", "/dev/null", "--remark-format=emitRemark"])
        .arg("--remarks-filter=zpu-inject-dma-barrier")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut input = child.stdin.take().ok_or("no input")?;
    input.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(messages.into_owned());
    }
    let lines = messages
        .lines()
        .filter(|line| line.contains("remark: [Analysis] waits "));
    lines
        .map(|line| of_line(line).ok_or(format!("no numbers in {line}")))
        .collect()
}

fn of_line(line: &str) -> Option<Told> {
    let number = |key: &str| -> Option<usize> {
        let (_, rest) = line.split_once(key)?;
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    };
    Some(Told {
        is_function: line.contains("in this function"),
        waits: number(", Waits=")?,
        minimum: number("Minimum=")?,
    })
}

pub(crate) fn is_wait(op: &Op<'_>) -> bool {
    op.is("zpu.dma_wait") || op.is("zpu.compute_wait")
}

/// The result of removing waits.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) waits: usize,
    /// Waits that may be removed, one at a time.
    pub(crate) unneeded: Vec<usize>,
    /// The fewest that a program without a race has; `None` if there are too many combinations.
    pub(crate) fewest: Option<usize>,
}

/// Removes waits of a program in all ways. `is_racy` tells whether the rest has a race.
pub(crate) fn remove_all_ways(
    session: &Session,
    text: &str,
    is_racy: &mut dyn FnMut(&Module<'_>) -> Result<bool, String>,
) -> Result<Left, String> {
    let mut is_racy_without = |removed: &[usize]| -> Result<bool, String> {
        let module = session.parse(text, "result").map_err(super::text)?;
        let waits: Vec<Op<'_>> = Op::of_module(&module).walk().into_iter().filter(is_wait).collect();
        for index in removed {
            edit::erase(waits[*index]);
        }
        is_racy(&module)
    };
    let module = session.parse(text, "result").map_err(super::text)?;
    let waits = Op::of_module(&module).walk().iter().filter(|op| is_wait(op)).count();
    let mut unneeded = Vec::new();
    for index in 0..waits {
        if !is_racy_without(&[index])? {
            unneeded.push(index);
        }
    }
    if unneeded.len() > MOST_TOGETHER {
        let fewest = None;
        return Ok(Left {
            waits,
            unneeded,
            fewest,
        });
    }
    // Without a wait that is needed alone, no other can be spared either.
    let mut sets: Vec<u32> = (0..1 << unneeded.len()).collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
    for set in sets {
        let chosen = unneeded.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        let removed: Vec<usize> = chosen.map(|(_, wait)| *wait).collect();
        if removed.len() < 2 || !is_racy_without(&removed)? {
            let fewest = Some(waits - removed.len());
            return Ok(Left {
                waits,
                unneeded,
                fewest,
            });
        }
    }
    let fewest = Some(waits);
    Ok(Left {
        waits,
        unneeded,
        fewest,
    })
}
