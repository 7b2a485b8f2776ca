//! Certificates that claim more than a proof has shown: each differs from it in one place.

use zpu_sync::certificate::{Certificate, Decision, Invariant, Loop, Token, Walk};
use zpu_sync::problem::ValueId;

/// Makes a loop claim more.
type Change = Box<dyn Fn(&mut Loop)>;

/// All of them, each with what was done in words.
pub(crate) fn tampered(certificate: &Certificate) -> impl Iterator<Item = (String, Certificate)> {
    let loops = loops(&certificate.walk).into_iter().enumerate();
    let changes = loops.flat_map(|(number, loop_)| {
        let place = format!("loop {number}, operation {}", loop_.at.0);
        let named = move |(what, change)| (number, format!("{place}: {what}"), change);
        of_loop(loop_).into_iter().map(named)
    });
    changes.map(|(number, what, change): (usize, String, Change)| {
        let mut tampered = certificate.clone();
        at_loop(&mut tampered.walk, &mut { number }, &change);
        (what, tampered)
    })
}

/// The walks right inside a decision.
fn walks(decision: &Decision) -> Vec<&Walk> {
    match decision {
        Decision::Split { holds, fails, .. } => vec![holds, fails],
        Decision::Loop(loop_) => {
            let bodies = loop_.singles.iter().chain(loop_.rest.iter().map(|rest| &rest.body));
            bodies.flat_map(|body| [&body.walk, &body.as_last]).collect()
        }
    }
}

fn loops(walk: &Walk) -> Vec<&Loop> {
    let mut found = Vec::new();
    for decision in walk {
        if let Decision::Loop(loop_) = decision {
            found.push(loop_);
        }
        found.extend(walks(decision).into_iter().flat_map(loops));
    }
    found
}

/// Changes the loop that comes after so many others, in the order of [`loops`].
fn at_loop(walk: &mut Walk, left: &mut usize, change: &Change) {
    for decision in walk {
        match decision {
            Decision::Split { holds, fails, .. } => {
                at_loop(holds, left, change);
                at_loop(fails, left, change);
            }
            Decision::Loop(loop_) => {
                if *left == 0 {
                    change(loop_);
                }
                *left = left.wrapping_sub(1);
                let bodies = loop_
                    .singles
                    .iter_mut()
                    .chain(loop_.rest.iter_mut().map(|rest| &mut rest.body));
                for body in bodies {
                    at_loop(&mut body.walk, left, change);
                    at_loop(&mut body.as_last, left, change);
                }
            }
        }
    }
}

fn of_loop(loop_: &Loop) -> Vec<(String, Change)> {
    let Some(rest) = &loop_.rest else {
        // Without an invariant, each single iteration is one that has to be walked.
        let drop: Change = Box::new(|loop_| {
            loop_.singles.pop();
        });
        let is_walked = !loop_.singles.is_empty();
        return is_walked
            .then(|| ("drop the last single iteration".to_owned(), drop))
            .into_iter()
            .collect();
    };
    let drop: Change = Box::new(|loop_| loop_.rest = None);
    let mut all = vec![("drop the invariant".to_owned(), drop)];
    of_invariant(&rest.invariant, &mut all);
    all
}

fn of_invariant(invariant: &Invariant, all: &mut Vec<(String, Change)>) {
    let outstanding = &invariant.outstanding;
    for (at, instance) in outstanding.iter().enumerate() {
        add(all, format!("remove instance {instance}"), move |other| {
            other.outstanding.remove(at);
        });
    }
    for (at, token) in invariant.tokens.iter().enumerate() {
        let value = token.value.0;
        for instance in outstanding.iter().copied().filter(|each| !token.covers.contains(each)) {
            let what = format!("value {value} covers instance {instance}");
            add(all, what, move |other| other.tokens[at].covers.push(instance));
        }
        if token.may_be_none {
            let what = format!("value {value} is never none");
            add(all, what, move |other| other.tokens[at].may_be_none = false);
        }
        if !token.sign_tells {
            let what = format!("the sign of value {value} tells");
            add(all, what, move |other| other.tokens[at].sign_tells = true);
        }
    }
    // A token of which nothing is known.
    let unknown = (0..).find(|id| invariant.tokens.iter().all(|token| token.value.0 != *id));
    if let Some(value) = unknown {
        let token = Token {
            value: ValueId(value),
            covers: outstanding.clone(),
            may_be_none: false,
            sign_tells: false,
        };
        let what = format!("value {value} is a token");
        add(all, what, move |other| other.tokens.push(token.clone()));
    }
    for at in 0..invariant.freed.len() {
        add(all, format!("remove freed root {at}"), move |other| {
            other.freed.remove(at);
        });
    }
    for at in 0..invariant.freed_before.len() {
        add(all, format!("remove root {at} that was freed before"), move |other| {
            other.freed_before.remove(at);
        });
    }
    for (at, owner) in invariant.owners.iter().enumerate() {
        add(all, format!("remove owner {at}"), move |other| {
            other.owners.remove(at);
        });
        if !owner.certain {
            add(all, format!("owner {at} is certain"), move |other| {
                other.owners[at].certain = true;
            });
        }
        for place in 0..owner.leaves.len() {
            add(all, format!("owner {at} leaves less, by {place}"), move |other| {
                other.owners[at].leaves.remove(place);
            });
        }
        let next = invariant.owners.get(at + 1);
        if owner.certain && next.is_some_and(|next| next.certain) {
            let what = format!("swap owners {at} and {}", at + 1);
            add(all, what, move |other| other.owners.swap(at, at + 1));
        }
    }
}

fn add(all: &mut Vec<(String, Change)>, what: String, change: impl Fn(&mut Invariant) + 'static) {
    let of_rest = move |loop_: &mut Loop| loop_.rest.iter_mut().for_each(|rest| change(&mut rest.invariant));
    all.push((what, Box::new(of_rest)));
}
