//! The proof that the waits of a program are enough, for every trip count and every way through its branches.
//!
//! Only the control stream joins engines, and an engine completes its commands in order. So the stream's knowledge is
//! the set of commands that it has not waited for, and an access is ordered iff none of them that runs on another
//! engine touches the same bytes. The proof is an abstract interpretation of the program; what is known at a point is a
//! must-analysis of available waits, of the kind of available expressions.
//!
//! # Domain
//!
//! A *command instance* `c = (item, epochs)` is an operation that starts a command, with an epoch for each loop around
//! it: `Ago(k)` iterations of a loop that is running, `Before(h)` for `h` or more, `Last(k)` counted from the end of a
//! loop that is over, `Over` for any. With a horizon `h` a loop, the set `C` of instances of a program is finite.
//!
//! A [`State`](state::State) is `s = (O, D, T, W, F)`:
//!
//! - `O ⊆ C`, *outstanding*: every command that some execution has issued here and not waited for is named by one of
//!   `O`;
//! - `D ⊆ O`, *conditional*: only some of the ways here have not waited for these (this decides words, not verdicts);
//! - `T`: token ↦ `covers ⊆ C`: on every way here, a wait for the token completes all of these that are in `O`; a token
//!   that is not in `T` covers nothing;
//! - `W`: commands that hold barrier ids, in the order in which they took them, each with what a wait for it leaves;
//! - `F`: roots of memory that may have been freed.
//!
//! # Order and join
//!
//! `s ⊑ t` iff `O(s) ⊆ O(t)`, `F(s) ⊆ F(t)`, and for each token in `T(t)`: it is in `T(s)`, and
//! `covers(t) ∩ O(s) ⊆ covers(s)`. Greater is less known. The join takes the union of `O` and of `F`, and of each token
//! that both have the instances that each either covers or does not have outstanding:
//! `(A ∩ B) ∪ (A \ O(t)) ∪ (B \ O(s))`. The concretisation `γ(s)` is the set of machine states in which every command
//! in flight is named in `O` and a wait for a token leaves none of `O ∩ covers`; `γ` is monotone, and the join is the
//! least upper bound up to instances that are not outstanding, which [`normalize`](state::State::normalize) takes out.
//!
//! # Transfer
//!
//! - *start* of `c` on engine `e` with token `t`: first the access is checked against `O \ engine(e)`; then `O' = O ∪
//!   {c}` and `T'(t) = (O ∩ engine(e)) ∪ {c}`, since the engine completes what it was given in order. What had the name
//!   `c` before is taken from all other tokens. A blocking engine completes at once: `O' = O \ engine(e)`.
//! - *wait* for `t`: `O' = O \ covers(t)`. *Fence* of engines `E`: `O' = O \ engine(E)`. A *synchronous* command of
//!   `e`: the check, then as a fence of `e`.
//! - *branch*: both sides, each with its condition assumed, then the join; a side that cannot be taken counts for none.
//! - *loop*: `s₀ = s` with the carried tokens handed in, `sₖ₊₁ = next(body(sₖ))`, where `next` renames `Ago(k)` to
//!   `Ago(k+1)`, and to `Before(h)` at the horizon. The first iterations are walked one by one; then
//!   `r := r ⊔ next(body(r))` until nothing changes: the *loop invariant*. After the loop, the join over all iterations
//!   after which it may end, with `Ago(k)` renamed to `Last(k)`.
//!
//! # Soundness and termination
//!
//! Each transfer is monotone and over-approximates the machine's step: what is in flight after it is named. So if no
//! check fails in the fixed point, no execution has a race. Chains are finite, since `O`, `F` and the covers are
//! subsets of finite sets and only grow in one direction; a walk therefore ends, and gives up after a stated number of
//! steps. A failed check is a suspicion only: it may come from a join, from the horizon, or from a condition that is
//! not understood. Executions of [`witness`](crate::witness) refute.
//!
//! # Files
//!
//! [`state`] is the domain, [`ids`] the part of barrier ids; [`interpreter`] has the transfer of single operations,
//! [`control`] that of branches and loops; [`check`] asks which accesses meet, with [`lifetime`] for memory that is
//! gone. Numbers and regions are facts of the program: [`path_context`](crate::program::path_context) knows their
//! bounds, [`overlap`](crate::program::overlap) which accesses meet, [`infeasible`](crate::program::infeasible) which
//! sides cannot be taken. [`record`] writes the walk down as a [`certificate`](crate::certificate).
//! [`left_out`] passes waits by and learns which of them have to stay. All work is
//! bounded; a walk that has enough is repeated more coarsely, and then says so.

pub(crate) mod check;
pub(crate) mod control;
pub(crate) mod ids;
pub(crate) mod interpreter;
pub(crate) mod left_out;
pub(crate) mod lifetime;
pub(crate) mod record;
pub(crate) mod state;

use crate::program::Program;
use interpreter::{Interpreter, Precision};

/// The walk that finds least against a program.
pub(crate) fn closest_interpretation<'p, 'c>(program: &'p Program<'c>) -> Interpreter<'p, 'c> {
    closest(program, |precision| Interpreter::through(program, precision))
}

/// The walk that finds least against a program, with a record of its decisions; see [`Interpreter::certificate`].
pub(crate) fn recorded_interpretation<'p, 'c>(program: &'p Program<'c>) -> Interpreter<'p, 'c> {
    closest(program, |precision| Interpreter::recorded_through(program, precision))
}

/// The walk that finds least against a program, where it only matters whether that is nothing: each ends with what it
/// finds first.
pub(crate) fn first_finding<'p, 'c>(program: &'p Program<'c>) -> Interpreter<'p, 'c> {
    closest(program, |precision| Interpreter::to_first_finding(program, precision))
}

fn closest<'p, 'c>(program: &'p Program<'c>, walk: impl Fn(Precision) -> Interpreter<'p, 'c>) -> Interpreter<'p, 'c> {
    if program.has_nests() {
        let interpreter = walk(Precision::JOINED);
        if interpreter.findings.list.is_empty() && !interpreter.has_given_up() {
            return interpreter;
        }
    }
    let interpreter = walk(Precision::DEFAULT);
    if interpreter.has_given_up() {
        return walk(Precision::COARSE);
    }
    if interpreter.findings.list.is_empty() {
        return interpreter;
    }
    let mut closest = interpreter;
    for precision in [Precision::PATH_SENSITIVE, Precision::LAST_ITERATION] {
        let closer = walk(precision);
        if closer.has_given_up() {
            return closest;
        }
        closest = closer;
        if closest.findings.list.is_empty() {
            return closest;
        }
    }
    // What it does not settle is said as the walk before has it.
    let further = walk(Precision::FURTHER);
    if further.has_given_up() || !further.findings.list.is_empty() {
        return closest;
    }
    further
}
