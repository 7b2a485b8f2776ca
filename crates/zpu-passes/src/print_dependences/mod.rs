//! `zpu-print-dependences`: prints the results of the dependence analysis for every loop that accesses memory.
//!
//! Assumes a device, as most passes do, and changes nothing. For each `scf.for` with commands or other accesses in it,
//! innermost or not (a loop inside counts as one unit), it emits diagnostics of severity remark: the numbers of units
//! and dependences, the role of each buffer in the loop, and at the later unit of each dependence its kind, its
//! distance and the region, with a note at the earlier unit.
//!
//! ```mlir
//! scf.for %k = %c0 to %c8 step %c1 {          // remark: buffer %a: privatizable
//!   zpu.dma %x to %a on @odma0 : ...           // remark: WAR at distance 1: zpu.dma writes %a[0, 0][16, 16]
//!   zpu.compute on @tensor { reads %a }        // remark: RAW at distance 0: zpu.compute reads %a[0, 0][16, 16]
//! }
//! ```
//!
//! With `summary` it emits only the first of these. Distances are the smallest ones, in iterations; a dependence of the
//! same pair and kind at a larger distance is implied.

mod text;

use std::collections::BTreeMap;

use zpu_ir::options::PrintDependencesOptions;
use zpu_ir::scf::For;
use zpu_ir::{Names, Op, PassResult, note, remark_diagnostic};

use text::Printer;
use zpu_analysis::access::{Access, Fence, accesses, fence_of};
use zpu_analysis::dependence::{Conflict, Kind, conflicts};
use zpu_analysis::region::region_of;
use zpu_analysis::role::{Role, roles};
use zpu_analysis::uses::needs;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &PrintDependencesOptions) -> PassResult {
    let has_accesses =
        |for_: &For<'_>| !for_.op.is_memory_effect_free() && !units(*for_).is_ok_and(|units| units.is_empty());
    let loops: Vec<For<'_>> = function
        .walk()
        .into_iter()
        .filter_map(For::of)
        .filter(has_accesses)
        .collect();
    if !loops.is_empty() {
        let names = Names::of(function);
        for for_ in loops {
            report(for_, &names, options.summary);
        }
    }
    Ok(())
}

/// An operation whose order matters, with its accesses.
type Unit<'c> = (Op<'c>, Vec<Access<'c>>);

/// The operations of a body whose order matters, with their accesses; the error is an operation that is a fence.
fn units(for_: For<'_>) -> Result<Vec<Unit<'_>>, (Op<'_>, Fence)> {
    let is_own = |op: Op<'_>| region_of(op.operand(0)).base.parent_block() == Some(for_.body);
    for_.ops()
        .into_iter()
        .filter(|op| match op.name() {
            "memref.alloc" | "memref.alloca" => false,
            "memref.dealloc" => !is_own(*op),
            _ => !op.is_memory_effect_free(),
        })
        .map(|op| Ok((op, accesses(op).ok_or_else(|| (op, fence_of(op)))?)))
        .collect()
}

fn report<'c>(for_: For<'c>, names: &Names<'c>, only_summary: bool) {
    let units = match units(for_) {
        Ok(units) => units,
        Err((op, fence)) => {
            let message = format!(
                "fence ({}): {}; nothing in the loop is moved",
                fence.reason, fence.message
            );
            remark_diagnostic(op, &message, &[note(for_.op, "in this loop")]);
            return;
        }
    };
    let lists: Vec<&[Access<'c>]> = units.iter().map(|(_, accesses)| accesses.as_slice()).collect();
    let found = conflicts(for_, &lists);
    let lines = lines(for_, &units, &found);
    let summary = format!("loop with {} units, {} dependences", units.len(), lines.len());
    remark_diagnostic(for_.op, &summary, &[]);
    if only_summary {
        return;
    }

    let printer = Printer { for_, names };
    for (buffer, role) in roles(for_, &units, &found) {
        let message = format!("buffer {}: {}", names.name(buffer), role.describe());
        let notes = match role {
            Role::State(op) => vec![note(op, "may read what an earlier iteration wrote")],
            _ => Vec::new(),
        };
        remark_diagnostic(for_.op, &message, &notes);
    }
    for line in lines {
        let ((from, earlier), (to, later)) = (&units[line.from], &units[line.to]);
        let (message, other) = match line.accesses {
            Some((e, l)) => {
                let (earlier, later) = (&earlier[e], &later[l]);
                (printer.access(*to, later), printer.access(*from, earlier))
            }
            None => (
                format!("{} uses a value", to.name()),
                format!("{} makes it", from.name()),
            ),
        };
        let message = format!("{} at distance {}: {message}", name(line.kind), line.distance);
        remark_diagnostic(*to, &message, &[note(*from, other)]);
    }
}

/// One dependence to print.
#[derive(Clone, Copy)]
struct Line {
    from: usize,
    to: usize,
    kind: Kind,
    distance: u32,
    /// The accesses of the two units by position; none for a dependence through a value.
    accesses: Option<(usize, usize)>,
}

/// For each pair of units and each kind the smallest distance, by the later unit.
fn lines<'c>(for_: For<'c>, units: &[Unit<'c>], found: &[Conflict]) -> Vec<Line> {
    let mut best: BTreeMap<(usize, usize, Kind), Line> = BTreeMap::new();
    let mut add = |line: Line| {
        let known = best.entry((line.to, line.from, line.kind)).or_insert(line);
        if line.distance < known.distance {
            *known = line;
        }
    };
    for conflict in found {
        let (from, to) = (conflict.from, conflict.to);
        add(Line {
            from,
            to,
            kind: Kind::of(&units[from].1[conflict.earlier], &units[to].1[conflict.later]),
            distance: conflict.distance,
            accesses: Some((conflict.earlier, conflict.later)),
        });
    }
    let ops: Vec<Op<'c>> = units.iter().map(|(op, _)| *op).collect();
    let needs = needs(for_, &ops);
    for to in 0..units.len() {
        for (from, distance) in needs.makers(to) {
            add(Line {
                from,
                to,
                kind: Kind::Value,
                distance,
                accesses: None,
            });
        }
    }
    best.into_values().collect()
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Raw => "RAW",
        Kind::War => "WAR",
        Kind::Waw => "WAW",
        Kind::Value => "VALUE",
    }
}
