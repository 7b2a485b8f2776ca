//! Built-in schedules as total orders of each mesh: linear in the number of units, up to sorting.
//!
//! Invariant: what a predicate demands, the order of the same schedule has; the rest it completes. Fragments that a key
//! does not tell apart keep the order of [`super::unit`].

use std::cmp::Reverse;

use super::error::FragmentError;
use super::name::Builtin;
use super::predicate::Grid;
use super::problem::{NodeId, Program};
use super::slots::Slots;
use super::unit::{Piece, Unit, Units};
use super::{interleaved, vshape, zero_bubble};

/// The numbers of a schedulable mesh.
pub(crate) fn grid(program: &Program, units: &Units, mesh: usize) -> Grid {
    Grid {
        meshes: units.meshes.len() as u32,
        microbatches: units.microbatches,
        mesh: mesh as u32,
        number: number(program.mesh(units.meshes[mesh])).unwrap_or(0),
    }
}

/// The order of a schedule for each schedulable mesh. The program passes the checks of [`Units`].
pub(crate) fn orders(program: &Program, units: &Units, schedule: Builtin) -> Result<Vec<Vec<NodeId>>, FragmentError> {
    (0..units.meshes.len())
        .map(|mesh| order(program, units, schedule, mesh))
        .collect()
}

fn order(program: &Program, units: &Units, schedule: Builtin, mesh: usize) -> Result<Vec<NodeId>, FragmentError> {
    let own = &units.of_mesh[mesh];
    if own.is_empty() {
        return Ok(vec![]);
    }
    let grid = grid(program, units, mesh);
    let slots = |placement| Slots::new(program, units, schedule, mesh, placement);
    Ok(match schedule {
        Builtin::None => own.iter().map(|unit| unit.node).collect(),
        Builtin::OneForwardOneBackward => one_forward_one_backward(own, grid),
        Builtin::GPipe => gpipe(own),
        Builtin::GPipeBut1F1BForLastMesh if grid.remaining() == 1 => one_forward_one_backward(own, grid),
        Builtin::GPipeBut1F1BForLastMesh => gpipe(own),
        Builtin::Circular | Builtin::CircularWithReversedBackward => circular(program, own, schedule, grid)?,
        Builtin::ZeroBubbleH1 => slots(zero_bubble::PLACEMENT)?.fill(zero_bubble::h1(grid)),
        Builtin::ZeroBubbleH2ZeroTxLatency
        | Builtin::ZeroBubbleH2HalfTxLatency
        | Builtin::ZeroBubbleH2FullTxLatency => {
            let doubled = schedule.doubled_latency().unwrap_or(0);
            slots(zero_bubble::PLACEMENT)?.fill(zero_bubble::h2(grid, doubled))
        }
        Builtin::ParallelPipelinesWithWrapAround => wrap_around(program, own, grid, units, mesh)?,
        Builtin::Interleaved1F1B => {
            let slots = slots(interleaved::PLACEMENT)?;
            let row = interleaved::one_forward_one_backward(program, units, grid, slots.chunks())?;
            slots.fill(row)
        }
        Builtin::BreadthFirst => {
            let slots = slots(interleaved::ANY_STAGES)?;
            let row = interleaved::breadth_first(grid, slots.chunks());
            slots.fill(row)
        }
        Builtin::ZeroBubbleV => slots(vshape::PLACEMENT)?.fill(vshape::zero_bubble(grid)),
        Builtin::DualPipeV => {
            let row = vshape::dual_pipe(program, units, grid)?;
            slots(vshape::PLACEMENT)?.fill(row)
        }
    })
}

fn sorted<K: Ord>(units: &[Unit], key: impl Fn(&Unit) -> K) -> Vec<NodeId> {
    let mut units: Vec<&Unit> = units.iter().collect();
    units.sort_by_key(|unit| key(unit));
    units.into_iter().map(|unit| unit.node).collect()
}

/// Equal to the predicate on all grids of up to 8 meshes and 16 microbatches, as a test shows.
fn one_forward_one_backward(units: &[Unit], grid: Grid) -> Vec<NodeId> {
    sorted(units, |unit| {
        let is_backward = unit.piece != Piece::Forward;
        let later = if is_backward { grid.remaining() } else { 0 };
        (i64::from(unit.counter) + later, Reverse(is_backward), unit.counter)
    })
}

fn gpipe(units: &[Unit]) -> Vec<NodeId> {
    sorted(units, |unit| (unit.piece != Piece::Forward, unit.counter))
}

fn circular(program: &Program, units: &[Unit], schedule: Builtin, grid: Grid) -> Result<Vec<NodeId>, FragmentError> {
    need_stages(program, units, schedule)?;
    refuse_equal(program, units, schedule, |unit| (unit.piece, unit.stage, unit.counter))?;
    let reversed = schedule == Builtin::CircularWithReversedBackward;
    let key = |unit: &Unit| {
        let (round, stage) = (
            i64::from(unit.counter / grid.meshes),
            i64::from(unit.stage.unwrap_or(0)),
        );
        let counter = i64::from(unit.counter);
        match (unit.piece, reversed) {
            (Piece::Forward, _) => (0, round, stage, counter, unit.piece),
            (_, false) => (1, round, -stage, counter, unit.piece),
            (_, true) => (1, -round, -stage, -counter, unit.piece),
        }
    };
    Ok(sorted(units, key))
}

fn wrap_around(
    program: &Program,
    own: &[Unit],
    grid: Grid,
    units: &Units,
    mesh: usize,
) -> Result<Vec<NodeId>, FragmentError> {
    let schedule = Builtin::ParallelPipelinesWithWrapAround;
    let refused = |parties, needs: String| FragmentError::DoesNotApply {
        schedule: schedule.name(),
        parties,
        needs,
    };
    if let Some(backward) = own.iter().find(|unit| unit.piece != Piece::Forward) {
        let needs = "it takes forward fragments only; use it for inference".to_owned();
        return Err(refused(vec![program.party(backward.node)], needs));
    }
    let name = program.mesh(units.meshes[mesh]);
    if number(name).is_none() {
        let parties = program.parties(own.iter().map(|unit| unit.node));
        let needs = format!("mesh `{name}` has no number in its name; name the meshes like `mesh1`, `mesh2`");
        return Err(refused(parties, needs));
    }
    refuse_equal(program, own, schedule, |unit| unit.counter)?;
    let k = grid.number;
    Ok(sorted(own, |unit| {
        // Microbatch k, those below it from the largest down, those above it from the largest down.
        (unit.counter > k, Reverse(unit.counter))
    }))
}

/// The last number in a mesh's name.
fn number(name: &str) -> Option<u32> {
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let begin = name[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + name[at..].chars().next().map_or(1, char::len_utf8));
    name[begin..end].parse().ok()
}

pub(crate) fn need_stages(program: &Program, units: &[Unit], schedule: Builtin) -> Result<(), FragmentError> {
    let without: Vec<NodeId> = units
        .iter()
        .filter(|unit| unit.stage.is_none())
        .map(|unit| unit.node)
        .collect();
    if without.is_empty() {
        return Ok(());
    }
    Err(FragmentError::DoesNotApply {
        schedule: schedule.name(),
        parties: program.parties(without),
        needs: "it needs the logical stage of each; give `stage`".to_owned(),
    })
}

/// Refuses two units with one key.
fn refuse_equal<K: Ord>(
    program: &Program,
    units: &[Unit],
    schedule: Builtin,
    key: impl Fn(&Unit) -> K,
) -> Result<(), FragmentError> {
    let mut by_key: Vec<&Unit> = units.iter().collect();
    by_key.sort_by_key(|unit| key(unit));
    match by_key.windows(2).find(|pair| key(pair[0]) == key(pair[1])) {
        None => Ok(()),
        Some(pair) => Err(FragmentError::EqualKeys {
            schedule: schedule.name(),
            first: program.party(pair[0].node),
            second: program.party(pair[1].node),
            same: match pair[0].stage {
                Some(stage) => format!("both have stage {stage} and call counter {}", pair[0].counter),
                None => format!("both have call counter {}", pair[0].counter),
            },
        }),
    }
}
