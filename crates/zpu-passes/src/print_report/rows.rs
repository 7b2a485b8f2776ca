//! Rows of a report, made of remarks and of the program: one for each loop, and notes for the rest.

use std::collections::BTreeMap;

use zpu_ir::RemarkKind;
use zpu_ir::record::{LoopId, Recorded};

use super::remedy;
use super::seen::{Seen, Work};
use zpu_ir::record::LOOP;

const PLANNING: &str = "zpu-pipeline-planning";
const PIPELINE: &str = "zpu-inject-software-pipeline";
const OVERLAP: &str = "zpu-schedule-dma-compute-overlap";
const JOINING: &str = "zpu-join-rings";
const SIDE_BY_SIDE: &str = "zpu-unroll-and-jam";
const VERSIONS: &str = "zpu-multi-version-buffer";
const WAITS: &str = "zpu-inject-dma-barrier";
const PROOF: &str = "zpu-verify-sync";
const SELECTION: &str = "zpu-select-plan";
/// The remark on versions that a plan had no room for. The loop has a plan, so this is no decline.
const CAPACITY: &str = "capacity";

/// The report on a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) function: String,
    /// File and line, `?` where there is none.
    pub(super) place: String,
    pub(super) device: String,
    pub(super) commands: usize,
    pub(super) waits: Waits,
    /// The verdict of the proof; none if there was no proof.
    pub(super) verdict: Option<String>,
    /// The loops in the order of the source.
    pub(super) loops: Vec<Row>,
    /// Further notes, in the order in which they were found.
    pub(super) notes: Vec<Note>,
}

/// The number of waits, and how many of them are shown to be needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waits {
    pub(super) count: usize,
    pub(super) needed: Option<usize>,
}

/// A loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// Its line, with the file if that is not the function's.
    pub(super) line: String,
    /// Number of loops around it.
    pub(super) around: usize,
    pub(super) outcome: Outcome,
    /// Engines that work in it, without those of loops inside it.
    pub(super) engines: Vec<String>,
    pub(super) waits: Waits,
}

/// The outcome for a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its iterations overlap. Numbers are missing for a plan that no scheduler made.
    Pipelined(Plan),
    /// It was left as it was, or it is gone from the function.
    Kept(Note),
}

impl Default for Outcome {
    fn default() -> Self {
        Self::Pipelined(Plan::default())
    }
}

/// Numbers of a plan. Cycles are the device's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Cycles between the beginnings of two iterations.
    pub(super) interval: Option<u64>,
    /// The least interval of any plan, and the name of what bounds it: a resource, or a recurrence.
    pub(super) bound: Option<(u64, String)>,
    /// The operations of the recurrence, if the bound is one.
    pub(super) recurrence: Option<String>,
    pub(super) stages: Option<u64>,
    /// Versions of each buffer.
    pub(super) versions: Vec<u64>,
    /// Bytes of all versions together, in each memory.
    pub(super) bytes: BTreeMap<String, u64>,
}

/// A note on something that was left alone, or is worth knowing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// Lines that it is about.
    pub(super) lines: Vec<String>,
    pub(super) text: String,
    /// The reason as one kebab-case word, for programs.
    pub(super) reason: String,
    pub(super) remedy: Option<String>,
}

impl Report {
    /// Makes the report of a function from its recorded remarks and from its present commands and waits.
    pub(super) fn of(recorded: &[Recorded], seen: &Seen) -> Self {
        let file = seen.place.as_ref().map_or("", |(file, _)| file.as_str());
        let loops = recorded.iter().filter(|remark| remark.name == LOOP);
        let rows = loops.map(|loop_| row(loop_, recorded, seen, file));
        let about_function = |remark: &&Recorded| remark.op == "func.func";
        let waits = last(recorded, |remark| is(remark, WAITS, "waits") && about_function(&remark));
        let verdicts = ["proven", "unknown", "refuted"];
        let verdict = last(recorded, |remark| {
            remark.pass == PROOF && about_function(&remark) && verdicts.contains(&remark.name.as_str())
        });
        Self {
            function: seen.name.clone(),
            place: seen
                .place
                .as_ref()
                .map_or("?".to_owned(), |(file, line)| format!("{file}:{line}")),
            device: seen.device.clone(),
            commands: seen.commands,
            waits: Waits {
                count: seen.waits,
                needed: waits.and_then(|remark| number(remark, "Minimum")),
            },
            verdict: verdict.map(|remark| remark.name.clone()),
            loops: rows.collect(),
            notes: notes(recorded, file),
        }
    }

    /// True if there is nothing to say.
    pub(super) fn is_empty(&self) -> bool {
        self.loops.is_empty() && self.commands == 0 && self.notes.is_empty()
    }
}

fn row(loop_: &Recorded, recorded: &[Recorded], seen: &Seen, file: &str) -> Row {
    let own = recorded.iter().filter(|remark| remark.in_loop == loop_.in_loop);
    let own: Vec<&Recorded> = own.collect();
    let find = |pass: &str, name: &str| own.iter().rev().copied().find(|remark| is(remark, pass, name));
    let work = loop_.in_loop.and_then(|id| seen.loops.get(&id));
    let line = line(loop_, file);
    let outcome = match find(PIPELINE, "pipelined") {
        Some(pipelined) => Outcome::Pipelined(plan(pipelined, find(PLANNING, "planned"))),
        None => Outcome::Kept(kept(&own, work, &line)),
    };
    let count = work.map_or(0, |work| work.waits);
    // Several loops may have been made of this one; this finds the remark on the one whose waits were counted.
    let about = |remark: &&&Recorded| is(remark, WAITS, "waits") && number(remark, "Waits") == Some(count);
    let needed = own.iter().find(about).and_then(|remark| number(remark, "Minimum"));
    Row {
        line,
        around: number(loop_, "Around").unwrap_or(0),
        outcome,
        engines: work.into_iter().flat_map(|work| work.engines.iter().cloned()).collect(),
        waits: Waits { count, needed },
    }
}

/// The line of a remark's operation, with the file if it is another one.
fn line(remark: &Recorded, file: &str) -> String {
    match &remark.place {
        Some((own, line)) if own == file => line.to_string(),
        Some((own, line)) => format!("{own}:{line}"),
        None => "?".to_owned(),
    }
}

fn plan(pipelined: &Recorded, planned: Option<&Recorded>) -> Plan {
    let mut plan = Plan {
        stages: number(pipelined, "Stages"),
        ..Plan::default()
    };
    let Some(planned) = planned else { return plan };
    plan.interval = number(planned, "II");
    let set_by = planned.metric("LimitedBy").unwrap_or_default();
    plan.recurrence = set_by.strip_prefix("recurrence of ").map(str::to_owned);
    let set_by = plan.recurrence.as_ref().map_or(set_by, |_| "recurrence");
    plan.bound = number(planned, "MII").map(|bound| (bound, set_by.to_owned()));
    for (_, buffer) in planned.metrics.iter().filter(|(key, _)| key.starts_with("Buffer ")) {
        // `2 x 4096 bytes of asram`, or `2 versions` of a buffer whose size is not known.
        let words: Vec<&str> = buffer.split(' ').collect();
        let versions: u64 = words[0].parse().unwrap_or(1);
        plan.versions.push(versions);
        if let [_, "x", bytes, "bytes", "of", space] = words[..] {
            let bytes: u64 = bytes.parse().unwrap_or(0);
            let sum = plan.bytes.entry(space.to_owned()).or_default();
            *sum = sum.saturating_add(versions.saturating_mul(bytes));
        }
    }
    plan
}

/// The reason why a loop is as it was. A decline by the rewriting pass is later than one by the planner, so it counts.
fn kept(own: &[&Recorded], work: Option<&Work>, line: &str) -> Note {
    // A decline is the first remark of a pass on a loop; remarks on its buffers come after it.
    let declined = |pass: &str| {
        let mut remarks = own.iter().copied();
        remarks.find(|remark| remark.pass == pass && remark.kind == RemarkKind::Missed && remark.name != CAPACITY)
    };
    if let Some(remark) = declined(PIPELINE).or_else(|| declined(PLANNING)) {
        return note(remark, line.to_owned());
    }
    let (reason, text) = match work {
        None => ("gone", "the loop is gone: it was folded away, or unrolled as a whole"),
        Some(work) if work.commands == 0 => (
            "no-commands",
            "no engine works in it: there is no copy or linalg operation",
        ),
        Some(_) => ("no-plan", "nobody planned it"),
    };
    Note {
        lines: vec![line.to_owned()],
        text: text.to_owned(),
        reason: reason.to_owned(),
        remedy: None,
    }
}

/// The notes beside the loops: operations that no engine takes, gains of orders of straight-line commands, limits of
/// waits.
fn notes(recorded: &[Recorded], file: &str) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let outer = recorded.iter().filter(|remark| is(remark, PLANNING, "inner-loop"));
    let outer: Vec<Option<LoopId>> = outer.map(|remark| remark.in_loop).collect();
    let is_worth_knowing = |remark: &&Recorded| is_worth_knowing(remark, outer.contains(&remark.in_loop));
    for remark in recorded.iter().filter(is_worth_knowing) {
        let new = note(remark, line(remark, file));
        let same = |known: &&mut Note| (&known.text, &known.reason) == (&new.text, &new.reason);
        match notes.iter_mut().find(same) {
            Some(known) if known.lines.contains(&new.lines[0]) => {}
            Some(known) => known.lines.extend(new.lines),
            None => notes.push(new),
        }
    }
    notes
}

fn is_worth_knowing(remark: &Recorded, is_of_outer_loop: bool) -> bool {
    match remark.pass.as_str() {
        // The decline of a loop stands in its row; that a buffer has one version is worth a note only if more were
        // asked for.
        PLANNING => match remark.name.as_str() {
            CAPACITY | "deep-nest" | "prefetch" | "prefetch-depth" => true,
            name => name == "no-room" && is_of_outer_loop,
        },
        PIPELINE => matches!(remark.name.as_str(), "outer-iterations-overlapped" | "long-body"),
        VERSIONS => false,
        JOINING if remark.name == "joined" => true,
        SIDE_BY_SIDE if matches!(remark.name.as_str(), "jammed" | "shared") => true,
        OVERLAP => match remark.name.as_str() {
            "overlapped" => number::<u64>(remark, "After") < number(remark, "Before"),
            name => matches!(name, "not-faster" | "queue-full"),
        },
        SELECTION if remark.name == "selected" => remark.metric("Plan") != remark.metric("Requested"),
        PROOF => remark.kind != RemarkKind::Passed && remark.op != "func.func",
        _ => matches!(remark.kind, RemarkKind::Missed | RemarkKind::Failed),
    }
}

fn note(remark: &Recorded, line: String) -> Note {
    let text = match (number::<u64>(remark, "Before"), number::<u64>(remark, "After")) {
        (Some(before), Some(after)) => format!("{}: {after} cycles where it was {before}", remark.message),
        _ => remark.message.clone(),
    };
    Note {
        lines: vec![line],
        text,
        reason: remark.name.clone(),
        remedy: remedy::of(remark),
    }
}

fn is(remark: &Recorded, pass: &str, name: &str) -> bool {
    remark.pass == pass && remark.name == name
}

fn last(recorded: &[Recorded], wanted: impl Fn(&Recorded) -> bool) -> Option<&Recorded> {
    recorded.iter().rev().find(|remark| wanted(remark))
}

fn number<T: std::str::FromStr>(remark: &Recorded, key: &str) -> Option<T> {
    remark.metric(key)?.parse().ok()
}

#[cfg(test)]
mod tests;
