//! Certificates that claim more than a proof has shown: each differs from it in one place.

use zpu_sync::certificate::{Certificate, Decision, Invariant, Loop, Token, Walk};

/// All of them, each with what was done in words.
pub(crate) fn tampered(certificate: &Certificate) -> Vec<(String, Certificate)> {
    let mut all = Vec::new();
    for (number, loop_) in loops(&certificate.walk).into_iter().enumerate() {
        for (what, other) in of_loop(loop_) {
            let mut tampered = certificate.clone();
            let mut left = number;
            replace(&mut tampered.walk, &mut left, &other);
            all.push((format!("loop {number}, operation {}: {what}", loop_.at.0), tampered));
        }
    }
    all
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

/// Replaces the loop that comes after so many others, in the order of [`loops`].
fn replace(walk: &mut Walk, left: &mut usize, other: &Loop) {
    for decision in walk {
        if let Decision::Loop(loop_) = decision {
            if *left == 0 {
                *loop_ = other.clone();
            }
            *left = left.wrapping_sub(1);
        }
        match decision {
            Decision::Split { holds, fails, .. } => {
                replace(holds, left, other);
                replace(fails, left, other);
            }
            Decision::Loop(loop_) => {
                let bodies = loop_
                    .singles
                    .iter_mut()
                    .chain(loop_.rest.iter_mut().map(|rest| &mut rest.body));
                for body in bodies {
                    replace(&mut body.walk, left, other);
                    replace(&mut body.as_last, left, other);
                }
            }
        }
    }
}

fn of_loop(loop_: &Loop) -> Vec<(String, Loop)> {
    let mut all = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut Loop)| {
        let mut other = loop_.clone();
        change(&mut other);
        all.push((what, other));
    };
    let Some(rest) = &loop_.rest else {
        // Without an invariant, each single iteration is one that has to be walked.
        if !loop_.singles.is_empty() {
            add("drop the last single iteration".to_owned(), &|other| {
                other.singles.pop();
            });
        }
        return all;
    };
    add("drop the invariant".to_owned(), &|other| other.rest = None);
    for (what, invariant) in of_invariant(&rest.invariant) {
        add(what, &|other| {
            other
                .rest
                .iter_mut()
                .for_each(|rest| rest.invariant = invariant.clone());
        });
    }
    all
}

fn of_invariant(invariant: &Invariant) -> Vec<(String, Invariant)> {
    let mut all = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut Invariant)| {
        let mut other = invariant.clone();
        change(&mut other);
        all.push((what, other));
    };
    for at in 0..invariant.outstanding.len() {
        add(format!("remove instance {}", invariant.outstanding[at]), &|other| {
            other.outstanding.remove(at);
        });
    }
    for (at, token) in invariant.tokens.iter().enumerate() {
        let value = token.value.0;
        for instance in invariant.outstanding.iter().filter(|each| !token.covers.contains(each)) {
            add(format!("value {value} covers instance {instance}"), &|other| {
                other.tokens[at].covers.push(*instance);
            });
        }
        if token.may_be_none {
            add(format!("value {value} is never none"), &|other| {
                other.tokens[at].may_be_none = false
            });
        }
        if !token.sign_tells {
            add(format!("the sign of value {value} tells"), &|other| {
                other.tokens[at].sign_tells = true
            });
        }
    }
    // A token of which nothing is known.
    let unknown = (0..).find(|id| invariant.tokens.iter().all(|token| token.value.0 != *id));
    if let Some(value) = unknown {
        let token = Token {
            value: zpu_sync::problem::ValueId(value),
            covers: invariant.outstanding.clone(),
            may_be_none: false,
            sign_tells: false,
        };
        add(format!("value {value} is a token"), &|other| {
            other.tokens.push(token.clone())
        });
    }
    for at in 0..invariant.freed.len() {
        add(format!("remove freed root {at}"), &|other| {
            other.freed.remove(at);
        });
    }
    for at in 0..invariant.freed_before.len() {
        add(format!("remove root {at} that was freed before"), &|other| {
            other.freed_before.remove(at);
        });
    }
    for (at, owner) in invariant.owners.iter().enumerate() {
        add(format!("remove owner {at}"), &|other| {
            other.owners.remove(at);
        });
        if !owner.certain {
            add(format!("owner {at} is certain"), &|other| {
                other.owners[at].certain = true
            });
        }
        for place in 0..owner.leaves.len() {
            add(
                format!("owner {at} leaves less: not {}", owner.leaves[place]),
                &|other| {
                    other.owners[at].leaves.remove(place);
                },
            );
        }
        let next = invariant.owners.get(at + 1);
        if owner.certain && next.is_some_and(|next| next.certain) {
            add(format!("swap owners {at} and {}", at + 1), &|other| {
                other.owners.swap(at, at + 1)
            });
        }
    }
    all
}
