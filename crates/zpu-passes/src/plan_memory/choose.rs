//! The choice of what is shared.

use zpu_analysis::liveness::Liveness;
use zpu_device::Device;
use zpu_ir::{Failed, Op, error};

use super::banks::{Apart, apart, wrong_pins};
use super::problem::{Addresses, Planned, planned};
use super::sharing::Sharing;
use super::tell;
use super::trial::{Cost, Outcome, Trials};

/// Plans that are tried until one costs nothing; the last one shares nothing.
const MOST_ROUNDS: usize = 4;

/// Copies that are compiled in each round to find what costs something: each takes as long as putting in the waits.
const MOST_TRIALS: usize = 16;

/// Commands, and tokens or ids that loops and branches hand on, of all these copies together, from which on fewer
/// copies are compiled: where many are handed on, a proof takes that much longer.
const MOST_TRIED: usize = 4_096;

/// Finds the plan that shares the most bytes and costs nothing, or one that costs something if none fits that does not.
pub(super) fn choose<'c>(
    function: Op<'c>,
    device: &Device,
    lives: &Liveness<'c>,
    trials: &mut Trials<'c, '_>,
    reuse: i64,
) -> Result<Planned, Failed> {
    let apart: Vec<Apart<'c>> = apart(function, lives, device);
    if let Some((apart, bank)) = wrong_pins(lives, device, &apart) {
        tell::same_bank(function, lives, apart, bank);
        return Err(Failed);
    }
    let wide = Sharing::of(lives).in_banks(apart.iter().map(|apart| apart.pair).collect());
    let (allowed, mut sharing) = match (reuse, trials.asynchronous(function, lives)) {
        (0, Ok(with_waits)) => {
            let both = wide.clone().and(&with_waits);
            (both.clone(), both)
        }
        (0, Err(reason)) => {
            tell::not_tried(function, &reason);
            (wide.clone(), wide.none())
        }
        _ => (wide.clone(), wide.clone()),
    };
    let mut search = Search {
        function,
        device,
        lives,
        baseline: trials.baseline(function),
        trials,
        reuse,
    };
    if let Some(mut plan) = search.wide(&wide, &sharing)? {
        search.bound(&mut plan, &wide)?;
        return Ok(plan);
    }
    let mut round = 0;
    loop {
        let mut plan = search.plan(&sharing)?;
        if plan.unfit.is_some() {
            let mut last = search.at_a_cost(wide.clone())?.unwrap_or(plan);
            if let Some(unfit) = &last.unfit {
                tell::does_not_fit(function, lives, unfit, device, &apart);
                return Err(Failed);
            }
            search.bound(&mut last, &wide)?;
            return Ok(last);
        }
        match search.compare(&plan, &sharing) {
            Outcome::Free => {
                if sharing != allowed.relaxed() {
                    search.bound(&mut plan, &allowed)?;
                }
                return Ok(plan);
            }
            // Each time takes pairs apart for good, so this ends.
            Outcome::Clobbered(pairs) => search.separate(pairs, &mut sharing)?,
            Outcome::Costs(_) if round < MOST_ROUNDS => {
                round += 1;
                let guilty = search.guilty(&plan);
                guilty.into_iter().for_each(|(one, other)| sharing.separate(one, other));
            }
            Outcome::Costs(_) => sharing = wide.none(),
            Outcome::Failed(reason) => {
                tell::not_tried(function, &reason);
                sharing = wide.none();
            }
        }
    }
}

/// The search for the plan of one function.
struct Search<'s, 'c, 'd> {
    function: Op<'c>,
    device: &'s Device,
    lives: &'s Liveness<'c>,
    trials: &'s mut Trials<'c, 'd>,
    baseline: Result<Cost, String>,
    reuse: i64,
}

impl Search<'_, '_, '_> {
    fn plan(&self, sharing: &Sharing) -> Result<Planned, Failed> {
        planned(self.lives, self.device, sharing).map_err(|message| self.fail(&message))
    }

    fn bound(&self, plan: &mut Planned, sharing: &Sharing) -> Result<(), Failed> {
        let bounded = plan.bound_by(self.lives, self.device, sharing);
        bounded.map_err(|message| self.fail(&message))
    }

    fn fail(&self, message: &str) -> Failed {
        error(self.function, message, &[]);
        Failed
    }

    /// The plan by lives alone, if it needs less than one by `narrow` sharing and costs nothing all the same: a wait
    /// that has to be there in any case may only have to stand earlier.
    fn wide(&mut self, wide: &Sharing, narrow: &Sharing) -> Result<Option<Planned>, Failed> {
        if wide == narrow {
            return Ok(None);
        }
        let (plan, other) = (self.plan(wide)?, self.plan(narrow)?);
        let is_smaller = plan.unfit.is_none() && (other.unfit.is_some() || plan.bytes() < other.bytes());
        let is_free = is_smaller && self.compare(&plan, wide) == Outcome::Free;
        Ok(is_free.then_some(plan))
    }

    /// The plan by lives alone, whatever it costs, also if the buffers do not fit even then; none if it is not known to
    /// be right.
    fn at_a_cost(&mut self, mut sharing: Sharing) -> Result<Option<Planned>, Failed> {
        loop {
            let plan = self.plan(&sharing)?;
            if plan.unfit.is_some() {
                return Ok(Some(plan));
            }
            match self.compare(&plan, &sharing) {
                Outcome::Clobbered(pairs) => self.separate(pairs, &mut sharing)?,
                Outcome::Free => return Ok(Some(plan)),
                Outcome::Costs(cost) => {
                    if let Ok(baseline) = &self.baseline {
                        tell::costs(self.function, baseline, &cost);
                    }
                    return Ok(Some(plan));
                }
                Outcome::Failed(reason) => {
                    tell::not_tried(self.function, &reason);
                    return Ok(None);
                }
            }
        }
    }

    /// Takes buffers apart of which one reads the other's bytes; an error if the user put them together.
    fn separate(&self, pairs: Vec<(usize, usize)>, sharing: &mut Sharing) -> Result<(), Failed> {
        if let Some(pair) = pairs.iter().find(|(one, other)| sharing.is_users(*one, *other)) {
            tell::wrong_pins(self.function, self.lives, *pair);
            return Err(Failed);
        }
        pairs.into_iter().for_each(|(one, other)| sharing.separate(one, other));
        Ok(())
    }

    fn compare(&mut self, plan: &Planned, sharing: &Sharing) -> Outcome {
        let shared = plan.shared(self.lives);
        if shared.iter().all(|(one, other)| sharing.is_users(*one, *other)) {
            return Outcome::Free;
        }
        match &self.baseline {
            Ok(baseline) => {
                let (function, lives) = (self.function, self.lives);
                self.trials
                    .compare(function, lives, &plan.addresses, baseline, self.reuse)
            }
            Err(reason) => Outcome::Failed(reason.clone()),
        }
    }

    /// The pairs of buffers whose sharing costs something: pairs are tried together, and halves of those that cost.
    /// Pairs that cost something only together with others count as guilty, and so do those that are left when the
    /// trials are used up.
    fn guilty(&mut self, plan: &Planned) -> Vec<(usize, usize)> {
        let lives = self.lives;
        let pairs = plan.shared(lives);
        let Ok(baseline) = &self.baseline else { return pairs };
        let (mut guilty, mut left) = (Vec::new(), MOST_TRIALS.min(MOST_TRIED / baseline.size.max(1)));
        let mut open: Vec<Vec<(usize, usize)>> = lives
            .spaces()
            .into_iter()
            .map(|space| {
                let own = pairs.iter().copied();
                own.filter(|(one, _)| lives.buffers[*one].space == space).collect()
            })
            .collect();
        while let Some(mut some) = open.pop() {
            if some.is_empty() {
                continue;
            }
            if left == 0 {
                guilty.extend(some);
                continue;
            }
            left -= 1;
            let is_in = |at: usize| some.iter().any(|(one, other)| *one == at || *other == at);
            let addresses = plan.addresses.iter().enumerate();
            let only: Addresses = addresses.map(|(at, address)| address.filter(|_| is_in(at))).collect();
            if self.trials.is_free(self.function, lives, &only, baseline, self.reuse) {
                continue;
            }
            if some.len() == 1 {
                guilty.extend(some);
                continue;
            }
            let half = some.split_off(some.len() / 2);
            open.extend([some, half]);
        }
        if guilty.is_empty() { pairs } else { guilty }
    }
}
