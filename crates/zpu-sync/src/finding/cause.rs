//! Findings with one cause: one missing wait is one message.
//!
//! A wait for a command orders all accesses that come after it, and a wait for the last of several commands of an
//! engine orders all of them. So races have one cause when they are with the same command, or when they are of the same
//! access with commands of one engine.

use crate::finding::{Finding, Findings, who};
use crate::problem::EngineId;
use crate::program::{ItemId, Program};
use crate::report::{Note, note};

/// Further parties that a message names.
const MOST_SHOWN: usize = 3;

/// Findings with one cause: the one to report, and the others.
pub(crate) struct Group<'f, 'c> {
    pub(crate) head: &'f Finding<'c>,
    others: Vec<&'f Finding<'c>>,
}

impl<'c> Group<'_, 'c> {
    /// The further parties.
    pub(crate) fn notes(&self, program: &Program<'c>) -> Vec<Note> {
        let Some((_, shown)) = self.head.race(program) else {
            return Vec::new();
        };
        let (mut notes, mut named) = (Vec::new(), vec![shown.0, shown.1]);
        for (_, (earlier, later)) in self.others.iter().filter_map(|other| other.race(program)) {
            let item = if named.contains(&later) { earlier } else { later };
            if named.contains(&item) || notes.len() == MOST_SHOWN {
                continue;
            }
            named.push(item);
            let text = if item == later {
                format!("{} comes without that wait, too", who(program, item))
            } else {
                format!(
                    "{} may be in flight as well; a wait for the last one is enough",
                    who(program, item)
                )
            };
            notes.push(note(program.items[item].op, text));
        }
        notes
    }
}

/// A race: the engine of the outstanding command; the command, and what does not wait for it.
pub(crate) type Race = (Option<EngineId>, (ItemId, ItemId));

/// All findings, by cause, in the order in which they were first seen. What is certain is reported rather than what may
/// be.
pub(crate) fn groups<'f, 'c>(program: &Program<'c>, findings: &'f Findings<'c>) -> Vec<Group<'f, 'c>> {
    let mut groups: Vec<Vec<&'f Finding<'c>>> = Vec::new();
    for finding in &findings.list {
        let (mut joined, mut apart) = (vec![finding], Vec::new());
        for group in groups {
            if group.iter().any(|other| is_same(program, other, finding)) {
                // What was seen first stays first.
                joined = group.into_iter().chain(joined).collect();
                apart.push(None);
            } else {
                apart.push(Some(group));
            }
        }
        let place = apart.iter().position(Option::is_none);
        match place {
            Some(place) => apart[place] = Some(joined),
            None => apart.push(Some(joined)),
        }
        groups = apart.into_iter().flatten().collect();
    }
    let groups = groups.into_iter().filter_map(|mut group| {
        // Data that is not there yet says more than data that is still read.
        let rank = |finding: &Finding<'c>| (!finding.certain, !finding.is_of_writer());
        let head = (0..group.len()).min_by_key(|at| rank(group[*at])).unwrap_or(0);
        (!group.is_empty()).then(|| Group {
            head: group.remove(head),
            others: group,
        })
    });
    groups.collect()
}

fn is_same<'c>(program: &Program<'c>, left: &Finding<'c>, right: &Finding<'c>) -> bool {
    match (left.race(program), right.race(program)) {
        (Some((left_engine, left)), Some((right_engine, right))) => {
            left.0 == right.0 || (left_engine, left.1) == (right_engine, right.1)
        }
        _ => false,
    }
}
