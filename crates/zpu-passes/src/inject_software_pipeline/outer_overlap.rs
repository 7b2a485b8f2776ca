//! Overlaps the end of an inner loop with its beginning in the next iteration of the loop around it, instead of filling
//! its pipeline anew.
//!
//! A pipelined inner loop has its prologue before it and its epilogue after it, both in the body of the loop around:
//!
//! ```mlir
//! scf.for %i {                     // becomes   load(0, 0)
//!   load(%i, 0)                    //           scf.for %i = 0 to n - 1 {
//!   scf.for %k { load, mma }       //             scf.for %k { load, mma }
//!   mma(%i, last)                  //             load(%i + 1, 0)
//! }                                //             mma(%i, last)
//!                                  //           }
//!                                  //           scf.for %k { load, mma } ; mma(n - 1, last)
//! ```
//!
//! So the prologue is executed by itself once, not once an iteration. This is the same transformation as for a single
//! loop, with inner loops as units. The loop may have a plan already, which loads tiles ahead; without one, everything
//! is stage 1 in program order. Then each command of the last stage before the inner loops goes to the stage before
//! it if no dependence forbids it, and a kernel iteration issues it after them, as early as the dependences allow.
//! Since the slots of rings are counted on over outer iterations, one flat loop over all iterations would issue it at
//! the same place.

use zpu_ir::scf::For;
use zpu_ir::{Remark, RemarkKind};

use super::{PASS, Planned, legality};
use crate::annotations;
use zpu_analysis::body::{Body, Place, sync_engine};
use zpu_analysis::dependence::{Dependence, dependences};

/// Commands of a loop and those inside it, at the most: afterwards the IR holds the body two or three times. Products
/// in tiles have 240 to 500 commands where the inner loop's body is several whole runs of the loop over k.
const MOST_COMMANDS: usize = 512;

/// The plan of this module on top of the loop's own; none if no more command can go ahead.
pub(super) fn join<'c>(for_: For<'c>, own: Option<&Planned<'c>>) -> Option<Planned<'c>> {
    let is_off = annotations::num_stages(for_.op) == Some(0);
    if is_off || for_.constant_trip_count().is_some_and(|trips| trips < 2) {
        return None;
    }
    let commands = for_.op.walk().into_iter().filter(|op| sync_engine(*op).is_some());
    let commands = commands.count();
    if commands > MOST_COMMANDS {
        report_long(for_, commands);
        return None;
    }
    let mut issue = match own {
        Some(own) if own.last_stage() == 0 => return None,
        Some(own) => Issue {
            body: own.body.clone(),
            stages: own.stages.clone(),
            order: own.order.clone(),
            last: own.last_stage(),
        },
        None => Issue::in_program_order(for_)?,
    };
    let ahead = issue.go_ahead()?;
    let planned = Planned::new(issue.body, issue.stages, issue.order);
    legality::check(&planned).ok()?;
    Remark::new(for_.op, RemarkKind::Passed, PASS, "outer-iterations-overlapped")
        .message("the first commands of the inner loop's next run are issued before the last ones of this run")
        .metric("Commands", ahead)
        .emit();
    Some(planned)
}

fn report_long(for_: For<'_>, commands: usize) {
    Remark::new(for_.op, RemarkKind::Missed, PASS, "long-body")
        .message(format!(
            "runs of the inner loop are not overlapped: {commands} commands are more than {MOST_COMMANDS}"
        ))
        .emit();
}

/// A plan in the making: stages, and the units in the order in which a kernel iteration issues them.
struct Issue<'c> {
    body: Body<'c>,
    stages: Vec<i64>,
    order: Vec<usize>,
    /// The stage of the inner loops.
    last: i64,
}

impl<'c> Issue<'c> {
    fn in_program_order(for_: For<'c>) -> Option<Self> {
        let body = Body::of_nest(for_).ok().filter(|body| body.allocations.is_empty())?;
        Some(Self {
            stages: vec![1; body.units.len()],
            order: (0..body.units.len()).collect(),
            last: 1,
            body,
        })
    }

    /// Moves commands of the last stage from before the inner loops to after them. Returns their number; none if it
    /// is 0.
    fn go_ahead(&mut self) -> Option<usize> {
        let (last, early) = (self.last, self.last - 1);
        let all = dependences(&self.body, 1);
        let first = self.order.iter().position(|unit| self.is_loop(*unit))?;
        let mut moved: Vec<usize> = Vec::new();
        let in_front = self.order[..first].to_vec();
        for unit in in_front {
            if self.stages[unit] != last || !self.is_command(unit) {
                continue;
            }
            let sources: Vec<&Dependence> = all.iter().filter(|edge| edge.to == unit && edge.from != unit).collect();
            if sources
                .iter()
                .any(|source| source.distance == 0 && self.stages[source.from] == last)
            {
                continue;
            }
            // The command goes after the inner loops, after the units that it depends on in the same kernel iteration,
            // and after those that went ahead before it.
            let is_same_iteration =
                |source: &&&Dependence| i64::from(source.distance) + early == self.stages[source.from];
            let waits_for = sources
                .iter()
                .filter(is_same_iteration)
                .map(|source| source.from)
                .chain(moved.last().copied());
            let behind = waits_for
                .filter_map(|other| self.position(other))
                .chain(self.last_loop())
                .max()?;
            let overtaken = |other: &usize| self.stages[*other] == last && self.is_command(*other);
            if self.order[behind + 1..].iter().any(overtaken) {
                self.order.retain(|other| *other != unit);
                self.order.insert(behind, unit);
                self.stages[unit] = early;
                moved.push(unit);
            }
        }
        (!moved.is_empty()).then_some(moved.len())
    }

    fn is_loop(&self, unit: usize) -> bool {
        self.body.units[unit].op.is("scf.for")
    }

    fn is_command(&self, unit: usize) -> bool {
        matches!(self.body.units[unit].place, Place::Engine(_))
    }

    fn position(&self, unit: usize) -> Option<usize> {
        self.order.iter().position(|other| *other == unit)
    }

    fn last_loop(&self) -> Option<usize> {
        self.order.iter().rposition(|unit| self.is_loop(*unit))
    }
}
