//! Puts one wait before a branch for those inside and after it.
//!
//! ```mlir
//! scf.if %p { zpu.dma_wait %t; zpu.compute ... }      // wait %t; scf.if %p { zpu.compute ... }; store
//! zpu.dma_wait %t; store
//! ```
//!
//! Each wait stands as late as its own way allows, and on the way through the branch the token is waited for twice.
//! Where nothing is done between the branch and these waits, on no way, a wait before it is no earlier, and every way
//! passes one.

use std::collections::BTreeSet;

use crate::place::tokens::{Token, Tokens};
use crate::place::tree::{AsyncEngineId, Role, Tree};
use crate::program::{BlockId, ItemId};

/// Items that wait for a token, from some place on.
#[derive(Debug, Default)]
struct Waiting {
    items: Vec<ItemId>,
    /// Every way from there waits for it.
    on_all_ways: bool,
}

/// Puts such waits before branches.
pub(crate) fn before_branches(tree: &Tree<'_>, tokens: &mut Tokens) {
    for node in tree.nodes() {
        for item in &node.items {
            let Role::If(branches) = &tree.site(*item).role else {
                continue;
            };
            for wait in waits_inside(tree, tokens, branches) {
                move_before(tree, tokens, *item, wait);
            }
        }
    }
}

/// Tokens that are waited for in branches, on whatever level.
fn waits_inside(tree: &Tree<'_>, tokens: &Tokens, branches: &[BlockId]) -> BTreeSet<(AsyncEngineId, Token)> {
    let (mut found, mut open) = (BTreeSet::new(), branches.to_vec());
    while let Some(block) = open.pop() {
        for item in &tree.node(block).items {
            found.extend(tokens.waits.get(item).into_iter().flatten());
            if let Role::If(branches) = &tree.site(*item).role {
                open.extend(branches);
            }
        }
    }
    found
}

fn move_before(tree: &Tree<'_>, tokens: &mut Tokens, branch: ItemId, wait: (AsyncEngineId, Token)) {
    let item = tree.site(branch);
    let inside = in_branch(tree, tokens, branch, wait).filter(|inside| !inside.items.is_empty());
    let behind = from(tree, tokens, item.block, item.index + 1, wait).filter(|behind| behind.on_all_ways);
    let Some((inside, behind)) = inside.zip(behind) else {
        return;
    };
    for item in inside.items.into_iter().chain(behind.items) {
        if let Some(list) = tokens.waits.get_mut(&item) {
            list.retain(|other| *other != wait);
        }
    }
    tokens.waits.entry(branch).or_default().push(wait);
    tokens.waits.retain(|_, list| !list.is_empty());
}

/// Items that wait in a block from a position on; `None` if something is done before on some way.
fn from(
    tree: &Tree<'_>,
    tokens: &Tokens,
    block: BlockId,
    index: usize,
    wait: (AsyncEngineId, Token),
) -> Option<Waiting> {
    let mut waiting = Waiting::default();
    for item in tree.node(block).items.iter().skip(index) {
        if tokens.waits.get(item).is_some_and(|list| list.contains(&wait)) {
            waiting.items.push(*item);
            waiting.on_all_ways = true;
            break;
        }
        let mut inside = in_branch(tree, tokens, *item, wait)?;
        waiting.items.append(&mut inside.items);
        if inside.on_all_ways {
            waiting.on_all_ways = true;
            break;
        }
    }
    Some(waiting)
}

/// Items that wait in the sides of a branch; `None` if it is none.
fn in_branch(tree: &Tree<'_>, tokens: &Tokens, branch: ItemId, wait: (AsyncEngineId, Token)) -> Option<Waiting> {
    let Role::If(branches) = &tree.site(branch).role else {
        return None;
    };
    let mut waiting = Waiting {
        on_all_ways: branches.len() == 2,
        items: Vec::new(),
    };
    for block in branches {
        let mut side = from(tree, tokens, *block, 0, wait)?;
        waiting.items.append(&mut side.items);
        waiting.on_all_ways &= side.on_all_ways;
    }
    Some(waiting)
}
