//! The forms of a program that the compiler compares.

use zpu_device::Device;

use crate::machine::Prediction;
use crate::nest::{Nest, NestError};
use crate::own_buffers::with_own_buffers;
use crate::predict::predict;
use crate::side_by_side::{FACTORS, side_by_side};
use crate::versions::{Depth, Versions, versions};
use crate::written_out::predict_written_out;

/// Pieces, at most, of transfers beside loops: as many as end them soonest where runs of the inner loop follow each
/// other; and whole, or in few pieces, where whole runs are one body, which keeps the engines busy with fewer issues.
const MOST_PIECES: [u32; 3] = [u32::MAX, 4, 1];

/// Numbers of stages that are predicted for a request of more, too: the compiler compares plans of fewer stages, so
/// that more are never slower.
const FEWER_STAGES: [u32; 2] = [2, 4];

/// So many iterations side by side have to gain one part in so many.
const SMALL_GAIN: u64 = 32;

/// Predicts the cycles of a nest on a device with a depth, in the best of the forms that the compiler compares.
///
/// # Errors
///
/// Every [`NestError`].
pub fn predict_best(nest: &Nest, device: &Device, depth: Depth) -> Result<Prediction, NestError> {
    let nest = &with_own_buffers(nest);
    let mut best = predict_depths(nest, device, depth)?;
    if depth == Depth::Stages(0) {
        return Ok(best);
    }
    let may_write_out = !matches!(depth, Depth::Stages(..=1));
    let of_all = |nest: &Nest| match may_write_out {
        true => predict_written_out(nest, device),
        false => Ok(None),
    };
    best = sooner(best, of_all(nest)?);
    let most = best.cycles - best.cycles / SMALL_GAIN;
    for nest in FACTORS.iter().filter_map(|factor| side_by_side(nest, *factor)) {
        let other = sooner(predict_depths(&nest, device, depth)?, of_all(&nest)?);
        if other.cycles < best.cycles.min(most) {
            best = other;
        }
    }
    Ok(best)
}

/// The one of two predictions with fewer cycles.
fn sooner(one: Prediction, other: Option<Prediction>) -> Prediction {
    match other {
        Some(other) if other.cycles < one.cycles => other,
        _ => one,
    }
}

/// Predicts the cycles of a nest with a depth or a smaller one, with transfers in the best number of pieces.
fn predict_depths(nest: &Nest, device: &Device, depth: Depth) -> Result<Prediction, NestError> {
    let mut best = predict_pieces(nest, device, depth)?;
    for fewer in FEWER_STAGES {
        if matches!(depth, Depth::Stages(stages) if stages <= fewer) {
            break;
        }
        best = sooner(best, Some(predict_pieces(nest, device, Depth::Stages(fewer))?));
    }
    Ok(best)
}

/// Predicts the cycles of a nest, with transfers in the best number of pieces.
fn predict_pieces(nest: &Nest, device: &Device, depth: Depth) -> Result<Prediction, NestError> {
    let versions = versions(nest, device, depth);
    let mut best = predict(nest, device, &versions)?;
    let mut last = versions.pieces.clone();
    for most in MOST_PIECES {
        let pieces: Vec<u32> = versions.pieces.iter().map(|pieces| most.min(*pieces)).collect();
        if pieces == last {
            continue;
        }
        let form = Versions {
            pieces: pieces.clone(),
            ..versions.clone()
        };
        last = pieces;
        let other = predict(nest, device, &form)?;
        if other.cycles < best.cycles {
            best = other;
        }
    }
    Ok(best)
}
