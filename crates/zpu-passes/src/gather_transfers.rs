//! `zpu-gather-transfers`: gives the transfers of a block to few engines.
//!
//! Assumes synchronous commands on a device. Commands of one engine end in the order of their issue, so the control
//! stream waits for the last of several and knows of all. Where it has more to do than the engines, transfers on few
//! of them cost fewer waits than transfers on many, and come soon enough.
//!
//! ```mlir
//! zpu.dma %a0 to %b0 on @dma0
//! zpu.dma %a1 to %b1 on @dma1
//! zpu.dma %a2 to %b2 on @dma2
//! zpu.dma %a3 to %b3 on @dma3
//! // becomes, if the control stream is busy for as long as two of them take
//! zpu.dma %a0 to %b0 on @dma0 {zpu.gathered}
//! zpu.dma %a1 to %b1 on @dma0 {zpu.gathered}
//! zpu.dma %a2 to %b2 on @dma1 {zpu.gathered}
//! zpu.dma %a3 to %b3 on @dma1 {zpu.gathered}
//! ```
//!
//! The transfers of a block fill one engine after the other in program order, so that those that are waited for
//! together are on one. No engine gets more cycles than the control stream issues commands for, or than the engine with
//! the most computations has, if that is more; of the limits that lead to as few engines the least is taken, so that
//! all have about the same. An engine that is busy all the time makes transfers late; so there may be some times
//! as many. Whether it pays is for `zpu-select-plan` to find.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use zpu_analysis::command::{is_asynchronous, sync_engine};
use zpu_analysis::cost::{Costs, cost};
use zpu_device::Device;
use zpu_ir::ops::{Dma, set_engine};
use zpu_ir::options::GatherTransfersOptions;
use zpu_ir::ty::MemRef;
use zpu_ir::{Block, Failed, Op, PassResult, Remark, RemarkKind, Value, annotation, attr, device, work};

use crate::annotations;

const PASS: &str = "zpu-gather-transfers";

/// Largest multiple that may be asked for: more than a device file may have engines of one entry.
const MOST: i64 = 1024;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &GatherTransfersOptions) -> PassResult {
    let own = annotations::count(function, "times", options.times, MOST)?;
    let all = times_of(function)?.or(options.all.then_some(own));
    let mut wanted = Vec::new();
    for for_ in function.find_all("scf.for") {
        wanted.extend(times_of(for_)?.map(|times| (for_, times)));
    }
    function.remove_attr(annotation::GATHER_TRANSFERS);
    wanted
        .iter()
        .for_each(|(for_, _)| for_.remove_attr(annotation::GATHER_TRANSFERS));
    if all.is_none() && wanted.is_empty() {
        return Ok(());
    }
    let device = device::of(function)?;
    if function.walk().iter().any(|op| is_asynchronous(*op)) {
        Remark::new(function, RemarkKind::Missed, PASS, "asynchronous-body")
            .message("the function already holds asynchronous commands; their engines are left to their author")
            .emit();
        return Ok(());
    }
    let wanted_of = |op: Op<'_>| {
        // A loop inside of another one has the last word.
        let own = wanted.iter().rev().find(|(for_, _)| for_.contains(op));
        own.map(|(_, times)| *times).or(all)
    };
    let transfers = function.walk().into_iter().filter(|op| Dma::of(*op).is_some());
    let mut seen = HashSet::new();
    let blocks = transfers.filter_map(|op| Some((op.block()?, wanted_of(op)?)));
    let blocks: Vec<(Block<'_>, i64)> = blocks.filter(|(block, _)| seen.insert(*block)).collect();
    let (mut transfers, mut most) = (0, 0);
    for (block, times) in blocks {
        let (gathered, engines) = gather(block, times.unsigned_abs() as usize, &device);
        transfers += gathered;
        most = most.max(engines);
    }
    if transfers > 0 {
        Remark::new(function, RemarkKind::Passed, PASS, "gathered")
            .message(format!("{transfers} transfers are on few engines"))
            .metric("Transfers", transfers)
            .metric("Engines", most)
            .emit();
    }
    Ok(())
}

/// The number that is written on a loop or a function.
fn times_of(op: Op<'_>) -> Result<Option<i64>, Failed> {
    annotations::count_on(op, annotation::GATHER_TRANSFERS, MOST)
}

/// Gives the transfers of a block to few engines, up to so many times the fewest; how many, and to how many engines.
fn gather(block: Block<'_>, times: usize, device: &Device) -> (usize, usize) {
    let mut issue = 0u64;
    let [mut computing, mut fixed] = [BTreeMap::<&str, u64>::new(), BTreeMap::new()];
    let mut transfers = Vec::new();
    for op in block.ops() {
        let Some(engine) = sync_engine(op) else { continue };
        issue = issue.saturating_add(device.control.start_cycles);
        let transfer = Dma::of(op);
        if let Some(free) = transfer.and_then(|transfer| Transfer::of(transfer, device)) {
            transfers.push(free);
            continue;
        }
        let cycles = cost(op, device).map_or(0, |cost| cost.occupancy);
        let loads = if transfer.is_some() { &mut fixed } else { &mut computing };
        let load = loads.entry(engine).or_default();
        *load = load.saturating_add(cycles);
    }
    let most = computing.into_values().max().unwrap_or(0).max(issue);
    // One alone has no other to be waited for with.
    let engines: Vec<&[Timed<'_>]> = transfers.iter().map(|transfer| transfer.engines.as_slice()).collect();
    let Some(names) = fewest(&engines, &fixed, (most, times)).filter(|names| names.len() > 1) else {
        return (0, 0);
    };
    for (transfer, name) in transfers.iter().zip(&names) {
        set_engine(transfer.op, name);
        let unit = attr::unit(transfer.op.context());
        transfer.op.set_attr(annotation::GATHERED, unit);
    }
    (transfers.len(), count(&names))
}

/// An engine, and the cycles that a transfer takes it for.
type Timed<'d> = (&'d str, u64);

/// A transfer that several engines could move.
struct Transfer<'c, 'd> {
    op: Op<'c>,
    engines: Vec<Timed<'d>>,
}

impl<'c, 'd> Transfer<'c, 'd> {
    /// A transfer, with the asynchronous engines that are as fast as its own; none if it has no choice.
    fn of(transfer: Dma<'c>, device: &'d Device) -> Option<Self> {
        let op = transfer.op;
        if annotations::keeps_engine(op) || op.has_attr(annotation::CYCLES) {
            return None;
        }
        let space = |value: Value<'c>| MemRef::of(value.ty())?.space();
        let own = device.engine(transfer.engine()).filter(|own| !own.blocking)?;
        let (from, to) = (space(transfer.source())?, space(transfer.dest())?);
        let costs = Costs::of(op);
        let least = costs.on(device, own).ok()?.total();
        let all = device.engines_for_transfer(from, to, work::dims_of(op)).into_iter();
        let able = all.filter(|engine| !engine.blocking).filter_map(|engine| {
            let cost = costs.on(device, engine).ok()?;
            (cost.total() <= least).then_some((engine.name.as_str(), cost.occupancy))
        });
        let engines: Vec<_> = able.collect();
        (engines.len() > 1).then_some(Self { op, engines })
    }
}

/// The engines of transfers that have these to choose from, up to so many times as few as [`first_fit`] finds for
/// limits of up to `most` cycles; of all limits that lead to as few, the least counts.
fn fewest<'d>(
    transfers: &[&[Timed<'d>]],
    fixed: &BTreeMap<&str, u64>,
    (most, times): (u64, usize),
) -> Option<Vec<&'d str>> {
    let mut best = first_fit(transfers, fixed, most)?;
    // Fewer may be found on the way.
    balance(transfers, fixed, most, &mut best, count);
    let engines = count(&best).saturating_mul(times);
    if times > 1 {
        balance(transfers, fixed, most, &mut best, |_| engines);
    }
    Some(best)
}

/// Takes the engines that the least limit leads to, of all limits that lead to no more engines than allowed beside the
/// best ones so far.
fn balance<'d>(
    transfers: &[&[Timed<'d>]],
    fixed: &BTreeMap<&str, u64>,
    most: u64,
    best: &mut Vec<&'d str>,
    allowed: impl Fn(&[&str]) -> usize,
) {
    let (mut low, mut high) = (0, most);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match first_fit(transfers, fixed, middle).filter(|names| count(names) <= allowed(best)) {
            Some(names) => (high, *best) = (middle, names),
            None => low = middle,
        }
    }
}

/// The engines of transfers: each is the first one that has others of them already and would have no more than `most`
/// cycles, or else the first one without; none if that is too much for one, too. Engines begin with `fixed` cycles of
/// transfers that have no choice.
fn first_fit<'d>(transfers: &[&[Timed<'d>]], fixed: &BTreeMap<&str, u64>, most: u64) -> Option<Vec<&'d str>> {
    let mut loads: BTreeMap<&str, u64> = BTreeMap::new();
    let mut names = Vec::with_capacity(transfers.len());
    for engines in transfers {
        let with = |(name, cycles): &Timed<'d>| {
            let load = loads.get(name).or_else(|| fixed.get(name)).copied();
            load.unwrap_or(0).saturating_add(*cycles)
        };
        let able = engines.iter().filter(|engine| with(engine) <= most);
        let best = able.min_by_key(|(name, _)| !loads.contains_key(name))?;
        let load = with(best);
        loads.insert(best.0, load);
        names.push(best.0);
    }
    Some(names)
}

/// The number of different names.
fn count(names: &[&str]) -> usize {
    names.iter().collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Timed, fewest};

    /// The engines of transfers that take so many cycles on each of three.
    fn of(cycles: &[u64], most: u64) -> Option<String> {
        beside(&BTreeMap::new(), cycles, most)
    }

    /// The same where engines have some cycles already.
    fn beside(fixed: &BTreeMap<&str, u64>, cycles: &[u64], most: u64) -> Option<String> {
        let engines: Vec<[Timed<'_>; 3]> = cycles
            .iter()
            .map(|cycles| ["a", "b", "c"].map(|name| (name, *cycles)))
            .collect();
        let engines: Vec<&[Timed<'_>]> = engines.iter().map(<[_; 3]>::as_slice).collect();
        fewest(&engines, fixed, (most, 1)).map(|names| names.concat())
    }

    #[test]
    fn engines_are_as_few_as_are_in_time_and_have_about_the_same_work() {
        assert_eq!(of(&[80, 80, 80, 80], 320).as_deref(), Some("aaaa"));
        // Three would fit on the first one.
        assert_eq!(of(&[80, 80, 80, 80], 319).as_deref(), Some("aabb"));
        assert_eq!(of(&[80, 80, 80, 80, 80], 160).as_deref(), Some("aabbc"));
    }

    #[test]
    fn twice_as_many_engines_have_half_the_work() {
        let engines = ["a", "b", "c"].map(|name| (name, 80));
        let transfers = [engines.as_slice(); 4];
        let names = |times: usize| fewest(&transfers, &BTreeMap::new(), (320, times)).map(|names| names.concat());
        assert_eq!(names(1).as_deref(), Some("aaaa"));
        assert_eq!(names(2).as_deref(), Some("aabb"));
    }

    #[test]
    fn a_later_transfer_fills_what_is_left() {
        assert_eq!(of(&[50, 60, 10], 60).as_deref(), Some("aba"));
    }

    #[test]
    fn what_has_no_choice_counts() {
        let fixed = BTreeMap::from([("a", 50)]);
        assert_eq!(beside(&fixed, &[20, 20], 60).as_deref(), Some("bb"));
        // The first one would fit beside them, and then there would be two engines.
        assert_eq!(beside(&fixed, &[10, 20], 60).as_deref(), Some("bb"));
        let fixed = ["a", "b", "c"].map(|name| (name, 50)).into();
        assert_eq!(beside(&fixed, &[5, 5], 60).as_deref(), Some("aa"));
    }

    #[test]
    fn what_is_too_much_for_all_engines_stays() {
        assert_eq!(of(&[80, 80, 80, 80], 80), None);
        assert_eq!(of(&[81], 80), None);
        assert_eq!(of(&[], 80).as_deref(), Some(""));
    }
}
