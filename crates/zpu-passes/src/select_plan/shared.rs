//! Plans that fit into a memory only since buffers share bytes.
//!
//! How much sharing saves is known when addresses are found, and which versions there are depends on how much it saves.
//! So a plan is made as if no memory had an end. If its addresses do not fit, the next plan is made for a memory with
//! as many bytes more than it has as sharing saved, which are fewer each time: it ends with a plan that fits, or with
//! one that needs no sharing.
//!
//! Where not even one version of each buffer fits without sharing, the programs that were measured compete as they are
//! with addresses.

use zpu_device::Device;
use zpu_ir::Op;
use zpu_sim::PaceArgument;

use super::Measurements;
use super::candidates::{Candidate, Plain};
use super::trial::{Placed, Sizes, Trials};
use crate::measure::Measured;

/// Plans that are made for one request.
const MOST_ROUNDS: usize = 5;

/// Programs that get addresses where none fits without: each takes as long as finding them.
const MOST_UNFIT: usize = 12;

/// A size that is no limit.
const UNLIMITED: u64 = 1 << 40;

/// Measures such plans for what was asked for, and for what is fastest without.
pub(super) fn share<'c>(
    function: Op<'c>,
    device: &Device,
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Vec<PaceArgument>],
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
}

/// Takes programs away that do not fit, but for those that do with addresses.
fn place_unfit<'c>(
    function: Op<'c>,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Vec<PaceArgument>],
) {
    let all = std::mem::take(&mut measurements.measured);
    let (fit, mut unfit): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, measured)| measured.fits);
    let cycles = |measured: &Measured| measured.cycles.iter().flatten().last().copied().unwrap_or(u64::MAX);
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
        if let Ok(Placed::Fits(measured)) = trials.measure_placed(function, candidate, false, scenarios) {
            measurements.measured.push((candidate, measured));
        }
    }
}

fn unlimited(device: &Device) -> Sizes {
    let on_chip = device
        .memories
        .iter()
        .filter(|memory| !device.is_off_chip(&memory.name));
    on_chip.map(|memory| (memory.name.clone(), UNLIMITED)).collect()
}

/// The plan with the most bytes whose addresses cost nothing and fit, if it is another one than without sharing; and,
/// if that is not the one for memories without an end, the latter with whatever sharing makes it fit.
fn fitting<'c>(
    function: Op<'c>,
    device: &Device,
    plan: Plain,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Vec<PaceArgument>],
) -> Vec<(Candidate, Measured)> {
    let mut sizes = unlimited(device);
    let mut found = Vec::new();
    for round in 0..MOST_ROUNDS {
        let candidate = trials.shared(plan, sizes.clone());
        let needs = match trials.measure_placed(function, candidate, true, scenarios) {
            Ok(Placed::Needs(needs)) => needs,
            Ok(Placed::Fits(measured)) => {
                found.push((candidate, measured));
                break;
            }
            // What cannot be compiled that way is compiled without sharing.
            Ok(Placed::Known) | Err(_) => break,
        };
        if round == 0
            && let Ok(Placed::Fits(measured)) = trials.measure_placed(function, candidate, false, scenarios)
        {
            found.push((candidate, measured));
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
