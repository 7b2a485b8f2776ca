//! Plans that fit into a memory only since buffers share bytes.
//!
//! How much sharing saves is known when addresses are found, and which versions there are depends on how much it saves.
//! So a plan is made as if no memory had an end. If its addresses do not fit, the next plan is made for a memory with
//! as many bytes more than it has as sharing saved, which are fewer each time: it ends with a plan that fits, or with
//! one that needs no sharing.
//!
//! Of plans that are equally fast, the one of the fewest bytes is taken, so plans are also made for smaller memories
//! than there are.
//!
//! Where not even one version of each buffer fits without sharing, the programs that were measured compete as they are
//! with addresses.
//!
//! A program may fit as it runs and not with addresses: buffers of two plans for one loop are never there together, and
//! each has bytes of its own. So what wins is measured once more as it will be, and wins again or not.

use zpu_device::{Device, Memory};
use zpu_ir::Op;

use super::Measurements;
use super::candidates::{Candidate, Plain};
use super::joint::{self, Joint};
use super::trial::{Need, Placed, Program, Sharing, Sizes, Trials};
use crate::measure::Measured;
use crate::measure::scenario::Scenario;
use crate::num_stages::NumStages;

/// Plans that are made for one request.
const MOST_ROUNDS: usize = 5;

/// Programs that get addresses where none fits without: each takes as long as finding them.
const MOST_UNFIT: usize = 12;

/// Winners that are measured with their addresses.
const MOST_CONFIRMED: usize = 8;

/// Pairs of buffers on one ring that are tried.
const MOST_JOINED: usize = 6;

/// A size that is no limit.
const UNLIMITED: u64 = 1 << 40;

/// Measures such plans for what was asked for, and for what is fastest without.
pub(super) fn share<'c>(
    function: Op<'c>,
    device: &Device,
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) {
    place_unfit(function, measurements, trials, scenarios);
    let (scheduler, stages) = measurements.requested;
    let requested = Plain::Planned(scheduler, stages);
    let winner = measurements.winner(slack).and_then(Candidate::plain);
    let other = winner.filter(|winner| *winner != requested);
    for plan in [Some(requested), other].into_iter().flatten() {
        let found = fitting(function, device, plan, trials, scenarios);
        measurements.measured.extend(found);
    }
    shrink(function, device, slack, measurements, trials, scenarios);
    confirm(function, slack, measurements, trials, scenarios);
}

/// Measures the winner with the addresses that it will get, for as long as that makes another one win.
fn confirm<'c>(
    function: Op<'c>,
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) {
    let mut confirmed: Vec<Candidate> = Vec::new();
    while let Some(winner) = measurements.winner(slack).filter(|winner| !confirmed.contains(winner)) {
        // Where sharing is looked for, it was measured so.
        if matches!(winner, Candidate::Shared(..)) || confirmed.len() == MOST_CONFIRMED {
            break;
        }
        confirmed.push(winner);
        let is_only = measurements.measured.len() == 1;
        match trials.measure_placed(function, winner, false, scenarios) {
            Ok(Placed::Fits(_, measured)) => measurements.replace(winner, measured),
            // It will be refused where another one may fit.
            Ok(Placed::Needs(_)) if !is_only => measurements.measured.retain(|(candidate, _)| *candidate != winner),
            _ => break,
        }
    }
}

/// True if a program takes no longer with its addresses in any run than another one, but for the slack.
pub(super) fn is_as_fast<'c>(
    function: Op<'c>,
    program: Program,
    than: &Measured,
    slack: u64,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) -> bool {
    match trials.measure_placed(function, program, false, scenarios) {
        Ok(Placed::Fits(_, measured)) => measured.is_as_fast(than, slack),
        _ => false,
    }
}

/// Looks for plans of fewer bytes that take no longer: those in which two buffers take turns on one ring, and those for
/// memories in which the buffers of the fastest plan do not fit side by side, one memory after the other.
fn shrink<'c>(
    function: Op<'c>,
    device: &Device,
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) {
    let Some(winner) = measurements.winner(slack) else {
        return;
    };
    let (Some(plain), false) = (winner.plain(), matches!(winner, Candidate::Dispatched(..))) else {
        return;
    };
    let Ok(Placed::Fits(mut needs, mut best)) = trials.measure_placed(function, winner, true, scenarios) else {
        return;
    };
    // A plan of more stages may be the same in a large memory, and another one in a smaller memory.
    let is_equal = |(candidate, measured): &(Candidate, Measured)| {
        (measured.cycles == best.cycles).then(|| candidate.plain()).flatten()
    };
    let stages = |plain: &Plain| Candidate::from(*plain).asks_for().map(|(_, stages)| stages.limit());
    let fixed = |plain: &Plain| !matches!(plain, Plain::Planned(_, NumStages::Auto));
    let equal = measurements.measured.iter().filter_map(is_equal);
    let deepest = equal.filter(fixed).filter(|other| *other != plain).max_by_key(stages);
    let plans: Vec<Plain> = [Some(plain), deepest].into_iter().flatten().collect();
    let known = trials.sharing_of(winner).cloned();
    let mut sharing = known.unwrap_or_else(|| sizes(device, |memory| memory.bytes).into());
    let versions = trials.versions(function, winner).unwrap_or_default();
    let mut left = MOST_JOINED;
    for pair in joint::pairs(function, device, &versions) {
        let is_taken = |ring: &Joint| ring.members.iter().any(|member| pair.members.contains(member));
        if sharing.rings.iter().any(is_taken) {
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        let mut with_pair = sharing.clone();
        with_pair.rings.push(pair);
        let candidate = trials.shared(plain, with_pair.clone());
        if let Some((needs_now, measured)) = smaller(function, candidate, &best, trials, scenarios) {
            measurements.measured.push((candidate, measured.clone()));
            (sharing, needs, best) = (with_pair, needs_now, measured);
        }
    }
    for _ in 0..MOST_ROUNDS {
        needs.sort_by_key(|need| std::cmp::Reverse(need.planned));
        let each = needs
            .iter()
            .flat_map(|need| plans.iter().map(move |plan| (need, *plan)));
        let found = each.into_iter().find_map(|(need, plain)| {
            let mut sharing = sharing.clone();
            let size = sharing.sizes.iter_mut().find(|(space, _)| *space == need.space)?;
            size.1 = need.rings.saturating_sub(1);
            let candidate = trials.shared(plain, sharing.clone());
            let (needs, measured) = smaller(function, candidate, &best, trials, scenarios)?;
            Some((candidate, sharing, needs, measured))
        });
        let Some((candidate, with_less, left, measured)) = found else {
            break;
        };
        measurements.measured.push((candidate, measured.clone()));
        (sharing, needs, best) = (with_less, left, measured);
    }
}

/// The needs and the run of a program, if it has fewer bytes than another one and takes as long.
fn smaller<'c>(
    function: Op<'c>,
    candidate: Candidate,
    than: &Measured,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) -> Option<(Vec<Need>, Measured)> {
    match trials.measure_placed(function, candidate, true, scenarios) {
        Ok(Placed::Fits(needs, measured)) if measured.cycles == than.cycles && measured.bytes < than.bytes => {
            Some((needs, measured))
        }
        _ => None,
    }
}

/// A size of each memory on the chip.
fn sizes(device: &Device, of: impl Fn(&Memory) -> u64) -> Sizes {
    let all = device.memories.iter();
    let on_chip = all.filter(|memory| !device.is_off_chip(&memory.name));
    on_chip.map(|memory| (memory.name.clone(), of(memory))).collect()
}

/// Takes programs away that do not fit, but for those that do with addresses.
fn place_unfit<'c>(
    function: Op<'c>,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) {
    let all = std::mem::take(&mut measurements.measured);
    let (fit, mut unfit): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, measured)| measured.fits);
    let cycles = |measured: &Measured| measured.longest().unwrap_or(u64::MAX);
    let least = fit
        .iter()
        .map(|(_, measured)| cycles(measured))
        .min()
        .unwrap_or(u64::MAX);
    measurements.measured = fit;
    unfit.retain(|(candidate, measured)| {
        let is_one = !matches!(candidate, Candidate::Dispatched(..) | Candidate::Long(..));
        is_one && !measured.is_repeated && cycles(measured) < least
    });
    unfit.sort_by_key(|(_, measured)| cycles(measured));
    for (candidate, _) in unfit.into_iter().take(MOST_UNFIT) {
        if let Ok(Placed::Fits(_, measured)) = trials.measure_placed(function, candidate, false, scenarios) {
            measurements.measured.push((candidate, measured));
        }
    }
}

/// The plan for memories without an end, with each pair of its buffers on one ring with which it fits.
fn joined<'c>(
    function: Op<'c>,
    device: &Device,
    (plan, sizes): (Plain, &Sizes),
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) -> Vec<(Candidate, Measured)> {
    let apart = trials.shared(plan, sizes.clone());
    let versions = trials.versions(function, apart).unwrap_or_default();
    let pairs = joint::pairs(function, device, &versions).into_iter();
    let placed = pairs.take(MOST_JOINED).filter_map(|pair| {
        let sharing = Sharing {
            sizes: sizes.clone(),
            rings: vec![pair],
        };
        let candidate = trials.shared(plan, sharing);
        match trials.measure_placed(function, candidate, true, scenarios) {
            Ok(Placed::Fits(_, measured)) => Some((candidate, measured)),
            _ => None,
        }
    });
    placed.collect()
}

/// The plan with the most bytes whose addresses cost nothing and fit, if it is another one than without sharing; and,
/// if that is not the one for memories without an end, the latter with whatever sharing makes it fit.
fn fitting<'c>(
    function: Op<'c>,
    device: &Device,
    plan: Plain,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) -> Vec<(Candidate, Measured)> {
    let mut sizes = sizes(device, |_| UNLIMITED);
    let mut found = Vec::new();
    for round in 0..MOST_ROUNDS {
        let candidate = trials.shared(plan, sizes.clone());
        let needs = match trials.measure_placed(function, candidate, true, scenarios) {
            Ok(Placed::Needs(needs)) => needs,
            Ok(Placed::Fits(_, measured)) => {
                found.push((candidate, measured));
                break;
            }
            // What cannot be compiled that way is compiled without sharing.
            Ok(Placed::Known) | Err(_) => break,
        };
        if round == 0 {
            if let Ok(Placed::Fits(_, measured)) = trials.measure_placed(function, candidate, false, scenarios) {
                found.push((candidate, measured));
            }
            found.extend(joined(function, device, (plan, &sizes), trials, scenarios));
        }
        for (space, size) in &mut sizes {
            let capacity = device.memory(space).map_or(0, |memory| memory.bytes);
            if let Some(need) = needs.iter().find(|need| need.space == *space) {
                let saved = need.rings.saturating_sub(need.planned);
                *size = if need.planned <= capacity {
                    need.rings.max(capacity)
                } else {
                    capacity.saturating_add(saved)
                };
            }
        }
    }
    found
}
