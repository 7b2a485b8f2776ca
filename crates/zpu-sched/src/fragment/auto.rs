//! The best schedule that is found: all built-in ones that apply, list schedules, and an exact search.
//!
//! Guarantee: what it returns holds no more than the cap, and takes no longer than any built-in schedule that holds no
//! more than the cap. Of equal makespans, the smaller peak counts, then the order in which they were tried.

use super::bound::{bound_under, heads_and_tails, ordered};
use super::error::FragmentError;
use super::exact;
use super::greedy::{Facts, Rule, list};
use super::name::Builtin;
use super::problem::{MeshId, NodeId, Program};
use super::remark::{Reason, Remark};
use super::replay::worst;
use super::schedule::{Answer, Prepared};

/// The options of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoOptions {
    /// The most bytes that a mesh may hold.
    pub memory_cap: Option<u64>,
    /// Steps of the exact search; no clock is read.
    pub effort: u64,
}

impl Default for AutoOptions {
    /// A step on the largest programs that are searched takes some ten microseconds.
    fn default() -> AutoOptions {
        AutoOptions {
            memory_cap: None,
            effort: 20_000,
        }
    }
}

/// Nodes that all list schedules together may place: some seconds. The rules come in the order of their success.
const MOST_PLACED: usize = 20_000_000;

/// The best so far.
struct Best {
    answer: Option<Answer>,
    cap: Option<u64>,
    /// No order that fits has a smaller makespan.
    least_makespan: u64,
    /// The smallest peak of all that were tried, for the message that nothing fits.
    least: Option<(u64, MeshId)>,
}

impl Best {
    fn consider(&mut self, answer: Answer) {
        let (mesh, peak) = worst(&answer.timing);
        if self.least.is_none_or(|(least, _)| peak < least) {
            self.least = Some((peak, mesh));
        }
        let key = |answer: &Answer| (answer.timing.makespan, worst(&answer.timing).1);
        let fits = self.cap.is_none_or(|cap| peak <= cap);
        if fits && self.answer.as_ref().is_none_or(|best| key(&answer) < key(best)) {
            self.answer = Some(raised(answer, self.least_makespan));
        }
    }

    fn makespan(&self) -> u64 {
        self.answer.as_ref().map_or(u64::MAX, |answer| answer.timing.makespan)
    }

    fn is_proven(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.proven)
    }
}

/// The answer with a bound that is at least this one.
fn raised(answer: Answer, bound: u64) -> Answer {
    let bound = answer.bound.max(bound);
    Answer {
        proven: answer.timing.makespan == bound,
        bound,
        ..answer
    }
}

/// The best of all.
pub(crate) fn auto(program: &Program, options: &AutoOptions) -> Result<Answer, FragmentError> {
    let prepared = Prepared::new(program);
    prepared.units.check_equal(program)?;
    let cap = options.memory_cap;
    let mut best = Best {
        answer: None,
        cap,
        least_makespan: 0,
        least: None,
    };
    let mut remarks = Vec::new();
    let mut not_applicable = Vec::new();
    for builtin in Builtin::ALL {
        match prepared.by_name(builtin) {
            Ok(answer) => best.consider(answer),
            Err(error) => not_applicable.push(error),
        }
    }
    if let Some(cap) = cap {
        best.least_makespan = bound_under(program, cap);
        best.answer = best.answer.map(|answer| raised(answer, best.least_makespan));
    }
    lists(&prepared, cap, &mut best);
    let is_searched = !best.is_proven() && improve(&prepared, options, &mut best);
    let Some(mut answer) = best.answer else {
        let (least, mesh) = best.least.unwrap_or((0, MeshId(0)));
        let bytes = program.fragments().map(|(_, fragment)| fragment.bytes);
        return Err(FragmentError::OverCap {
            cap: cap.unwrap_or(u64::MAX),
            least,
            mesh: program.mesh(mesh).to_owned(),
            needed: bytes.max().unwrap_or(0),
        });
    };
    remarks.push(Remark::new(
        Reason::Chosen,
        vec![],
        format!(
            "`{}`, {} cycles; bound {}{}",
            answer.name,
            answer.timing.makespan,
            answer.bound,
            match (answer.proven, is_searched) {
                (true, _) => ", proven minimal",
                (false, true) => ", the search ended with its steps",
                (false, false) => ", not searched further",
            }
        ),
    ));
    let texts = not_applicable
        .into_iter()
        .map(|error| Remark::new(Reason::NotApplicable, vec![], error.to_string()));
    remarks.extend(texts);
    remarks.append(&mut answer.remarks);
    answer.remarks = remarks;
    Ok(answer)
}

/// List schedules by all rules, until one is proven minimal.
fn lists(prepared: &Prepared<'_>, cap: Option<u64>, best: &mut Best) {
    let program = prepared.program;
    let (_, tails) = heads_and_tails(program, &ordered(program));
    let facts = Facts::new(prepared, tails);
    let mut placed = 0;
    for cap in caps(prepared, cap) {
        for rule in Rule::all(cap) {
            if best.is_proven() || placed > MOST_PLACED {
                return;
            }
            placed += program.nodes.len();
            consider(prepared, "list", list(prepared, &facts, rule), best);
        }
    }
}

/// Caps to try: the one that is asked for, and smaller ones, which keep meshes from running too far ahead: what one to
/// four microbatches for each mesh hold.
fn caps(prepared: &Prepared<'_>, cap: Option<u64>) -> Vec<Option<u64>> {
    let program = prepared.program;
    let bytes = program
        .fragments()
        .map(|(_, fragment)| fragment.bytes)
        .max()
        .unwrap_or(0);
    let meshes = prepared.units.meshes.len() as u64;
    let mut caps = vec![cap];
    for number in [4, 3, 2, 1] {
        let smaller = bytes.saturating_mul(meshes).saturating_mul(number) / 2;
        if smaller > 0 && cap.is_none_or(|cap| smaller < cap) {
            caps.push(Some(smaller));
        }
    }
    caps
}

fn consider(prepared: &Prepared<'_>, name: &str, order: Option<Vec<Vec<NodeId>>>, best: &mut Best) {
    if let Some((schedule, timing)) = order.and_then(|order| prepared.finish(order)) {
        best.consider(prepared.answer(name, schedule, timing));
    }
}

/// Searches for something better; true if that was possible.
fn improve(prepared: &Prepared<'_>, options: &AutoOptions, best: &mut Best) -> bool {
    let (known, least) = (best.makespan(), best.answer.as_ref().map_or(0, |answer| answer.bound));
    let Some(found) = exact::search(prepared, known, least, options.memory_cap, options.effort) else {
        return false;
    };
    consider(prepared, "exact", found.best, best);
    if let Some(answer) = best.answer.as_mut().filter(|_| found.is_complete) {
        answer.bound = answer.timing.makespan;
        answer.proven = true;
    }
    true
}
