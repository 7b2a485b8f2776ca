//! Chooses the form in which a function is written: the one that waits latest and least often, unless only a plainer
//! one is proven.
//!
//! `zpu-verify-sync` follows most of what the search for conflicts, the order of tokens and the proof itself let out,
//! but not all of it: where a loop carries several tokens for commands before it, or a wait of one branch stands for
//! that of another, it may find no reason. So what is to be written is proven here, and if it is not, the forms with
//! less of that are made in turn. The first that is proven is taken; if none is, the first from which nothing was taken
//! out by a proof, which is no less right.

use crate::place::equal_tokens::with_equal_as_one;
use crate::place::guarded::before_branches;
use crate::place::ids::{Ids, Limit};
use crate::place::placement;
use crate::place::redundant::dominated::{Prices, used_only, without_dominated};
use crate::place::redundant::proven::{Draft, Unproven, is_soon_right, left_live, without_proven};
use crate::place::redundant::repeated::without_repeated;
use crate::place::tokens::{self, Tokens};
use crate::place::tree::CommandId;
use crate::problem::OpId;

/// The form in which a function is written.
#[derive(Clone, Debug)]
pub struct Form {
    /// The waits, and how their tokens get to them.
    pub tokens: Tokens,
    /// Barrier ids instead of tokens.
    pub ids: Option<Ids>,
    /// Waits that were not tried without.
    pub untried: usize,
    /// The function is proven in this form.
    pub is_proven: bool,
    /// The proof follows it, and not a better one.
    pub is_plainer: bool,
    /// Commands that stay synchronous since their queue may be full.
    pub kept_synchronous: Vec<OpId>,
}

/// Whether what is to be written is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The first form that is proven is taken.
    Made,
    /// The best form is taken as it is, for a program that is only run.
    LeftOut,
}

/// Means to have fewer and later waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// Each iteration of a loop waits for the commands before the loop that it needs.
    inside: bool,
    /// Waits that the proof does without are left out while commands have tokens, before they are given ids.
    sweeps_tokens: bool,
    /// Waits that other tokens imply are left out, and not only those for the same token.
    implied: bool,
}

impl Shape {
    /// True if the two have the same waits before any is left out by a proof.
    fn has_same_waits(self, other: Self) -> bool {
        (self.inside, self.implied) == (other.inside, other.implied)
    }
}

/// All forms, the best one first.
const SHAPES: [Shape; 5] = [
    shape(true, true, true),
    shape(true, false, true),
    shape(false, true, true),
    shape(false, false, true),
    shape(false, false, false),
];

const fn shape(inside: bool, sweeps_tokens: bool, implied: bool) -> Shape {
    Shape {
        inside,
        sweeps_tokens,
        implied,
    }
}

/// The form in which a function is written.
pub(crate) fn choose(draft: &Draft<'_, '_>, limit: Option<Limit>, proof: Proof) -> Form {
    let mut refused = Unproven::default();
    let mut unproven = None;
    // Shapes next to each other may begin with the same waits.
    let mut placed: Option<(Shape, Tokens)> = None;
    for shape in SHAPES {
        let tokens = match placed.take() {
            Some((other, tokens)) if other.has_same_waits(shape) => tokens,
            _ => waits(draft, shape),
        };
        placed = Some((shape, tokens.clone()));
        let refused = (proof == Proof::Made).then_some(&mut refused);
        let mut form = form(draft, limit, shape, tokens, refused);
        if form.is_proven || proof == Proof::LeftOut {
            form.is_plainer = shape != SHAPES[0];
            return form;
        }
        if !shape.sweeps_tokens {
            unproven.get_or_insert(form);
        }
    }
    let Some(form) = unproven else {
        unreachable!("there is a form");
    };
    form
}

/// The waits of a shape before any is left out by a proof.
fn waits(draft: &Draft<'_, '_>, shape: Shape) -> Tokens {
    let (tree, engines) = (draft.tree, draft.engines);
    let (waits, mut buckets) = placement::place(tree, engines, shape.inside);
    let tokens = used_only(&with_equal_as_one(&tokens::tokens(tree, &waits, &mut buckets)));
    if !shape.implied {
        return without_repeated(tree, tokens);
    }
    let command = |id: CommandId| tree.site(tree.commands[id].item).op.cycles().unwrap_or(u64::MAX);
    let prices = Prices {
        wait: draft.problem.device.control.wait_cycles,
        command: &command,
    };
    without_dominated(tree, tokens, engines, &prices)
}

/// The form of a shape, from its waits. It is proven only if what was refused before is given, which need not be proven
/// again.
fn form(
    draft: &Draft<'_, '_>,
    limit: Option<Limit>,
    shape: Shape,
    mut tokens: Tokens,
    mut refused: Option<&mut Unproven>,
) -> Form {
    let (tree, engines) = (draft.tree, draft.engines);
    let mut untried = 0;
    let mut swept = |tokens: Tokens, ids: Option<&Ids>| {
        let swept = without_proven(draft, tokens, ids);
        untried = untried.max(swept.untried);
        swept.tokens
    };
    if shape.sweeps_tokens {
        tokens = swept(tokens, None);
        // Only of waits that stay: one that goes leaves its command in flight for longer.
        before_branches(tree, &mut tokens);
    }
    // Nothing is taken out by a proof of what may be written without one.
    let whole = (limit.is_some() && !shape.sweeps_tokens).then(|| tokens.clone());
    let mut is_proven = false;
    let mut ids = limit.map(|limit| {
        let ids = Ids::of(tree, &tokens, engines, limit, !shape.sweeps_tokens);
        // A wait for an id that others share may do for one of theirs.
        tokens = swept(std::mem::take(&mut tokens), Some(&ids));
        let fewer = ids.only_for(tree, &tokens);
        is_proven = is_soon_right(draft, &tokens, Some(&fewer));
        if is_proven { fewer } else { ids.with(&tokens) }
    });
    // What the proof said of a wait less does not hold for what is written without what led to the wait.
    let mut is_right = |tokens: &Tokens, ids: Option<&Ids>| {
        let refused = refused.as_mut();
        refused.is_some_and(|refused| refused.is_right(draft, tokens, ids))
    };
    is_proven = is_proven || is_right(&tokens, ids.as_ref());
    if let Some(whole) = whole.filter(|_| !is_proven) {
        tokens = whole;
        ids = ids.map(|ids| ids.with(&tokens));
        is_proven = is_right(&tokens, ids.as_ref());
    }
    // An id that is given is waited for on every way, also where the function's own memory alone is concerned.
    if let Some(ids) = ids.as_mut().filter(|_| is_proven) {
        ids.fenced_at_end = left_live(draft, &tokens, ids);
    }
    Form {
        tokens,
        ids,
        untried,
        is_proven,
        is_plainer: false,
        kept_synchronous: Vec::new(),
    }
}
