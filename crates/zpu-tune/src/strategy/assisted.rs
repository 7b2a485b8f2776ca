//! The model corrected by what trials have shown.
//!
//! The model is right about most, and wrong in the same way about configurations of a kind. So what is learned is the
//! residual, log(simulated / predicted), as a linear function of [`crate::features`]: Bayesian regression with the
//! prior that the model is right. Its mean corrects a prediction, its variance says how much is known there. The next
//! trial is the one with the greatest *expected improvement* over the best one, which is high where a configuration is
//! promising or little known (Jones, Schonlau and Welch, *Efficient Global Optimization of Expensive Black-Box
//! Functions*, 1998).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// The residual that is expected before any trial, as a standard deviation of the logarithm: 15 %.
const PRIOR: f64 = 0.15;
/// What the features do not explain, as a standard deviation of the logarithm: 2 %.
const NOISE: f64 = 0.02;

/// A linear function of the features that is known with some certainty.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    precision: DMatrix<f64>,
    weighted: DVector<f64>,
    solved: Option<Cholesky<f64, Dyn>>,
    mean: DVector<f64>,
}

impl Residual {
    /// Nothing is learned yet; rows have `width` numbers.
    pub(super) fn new(width: usize) -> Self {
        // A constant is one more feature: the model may be wrong by the same factor everywhere.
        let width = width + 1;
        let weight = width as f64 / PRIOR.powi(2);
        let mut new = Self {
            precision: DMatrix::identity(width, width) * weight,
            weighted: DVector::zeros(width),
            solved: None,
            mean: DVector::zeros(width),
        };
        new.solve();
        new
    }

    /// Learns that the residual of `row` is `value`.
    pub(super) fn learn(&mut self, row: &[f64], value: f64) {
        let row = with_constant(row);
        self.precision.ger(NOISE.powi(-2), &row, &row, 1.0);
        self.weighted.axpy(value / NOISE.powi(2), &row, 1.0);
        self.solve();
    }

    /// Mean and standard deviation of the residual of `row`.
    pub(super) fn at(&self, row: &[f64]) -> (f64, f64) {
        let row = with_constant(row);
        let variance = self
            .solved
            .as_ref()
            .map_or(PRIOR.powi(2), |solved| row.dot(&solved.solve(&row)));
        (row.dot(&self.mean), (variance + NOISE.powi(2)).sqrt())
    }

    /// The precision is positive definite: that of the prior, and squares added to it.
    fn solve(&mut self) {
        self.solved = Cholesky::new(self.precision.clone());
        if let Some(solved) = &self.solved {
            self.mean = solved.solve(&self.weighted);
        }
    }
}

fn with_constant(row: &[f64]) -> DVector<f64> {
    DVector::from_iterator(row.len() + 1, row.iter().copied().chain([1.0]))
}

/// By how much a normal variable is expected to be below `best`, where it is.
pub(super) fn expected_improvement(best: f64, mean: f64, deviation: f64) -> f64 {
    let z = (best - mean) / deviation;
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    ((best - mean) * below(z) + deviation * density).max(0.0)
}

/// The standard normal distribution function, to 1e-7 (Abramowitz and Stegun, 26.2.17).
fn below(z: f64) -> f64 {
    let t = (1.0 + 0.231_641_9 * z.abs()).recip();
    let terms = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let tail = sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::{NOISE, PRIOR, Residual, expected_improvement};

    #[test]
    fn before_any_trial_the_model_is_right() {
        let residual = Residual::new(2);
        let (mean, deviation) = residual.at(&[1.0, 1.0]);
        assert_eq!(mean, 0.0);
        assert!((deviation - (PRIOR.powi(2) + NOISE.powi(2)).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_linear_error_is_learned_from_few_trials() {
        let error = |row: [f64; 2]| 0.1 * row[0] - 0.05 * row[1] + 0.02;
        let mut residual = Residual::new(2);
        for row in [
            [1.0, 0.0],
            [-1.0, 0.5],
            [0.3, -1.0],
            [0.0, 1.0],
            [1.0, 1.0],
            [-1.0, -1.0],
        ] {
            residual.learn(&row, error(row));
        }
        let unseen = [0.5, 0.25];
        let (mean, deviation) = residual.at(&unseen);
        assert!((mean - error(unseen)).abs() < 0.005, "{mean} {}", error(unseen));
        assert!(deviation < 1.5 * NOISE, "{deviation}");
    }

    #[test]
    fn what_is_known_to_be_worse_promises_nothing() {
        assert!(expected_improvement(1.0, 2.0, 0.01) < 1e-12);
        assert!((expected_improvement(1.0, 0.5, 1e-6) - 0.5).abs() < 1e-6);
        // At the mean, half of the density: deviation / sqrt(2 pi).
        assert!((expected_improvement(1.0, 1.0, 0.1) - 0.1 * 0.398_942_28).abs() < 1e-6);
    }
}
