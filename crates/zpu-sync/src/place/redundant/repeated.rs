//! Removes waits for a token before which the same token is waited for on every way.
//!
//! The weakest of what [`dominated`](super::dominated) finds, and the only part of it that needs no order of tokens: a
//! value means one command from where it is defined on, and whoever comes to a place has passed the waits before it,
//! and before what it is in. Of two branches with one condition, whoever takes a side of the second has taken that of
//! the first.

use std::collections::HashMap;

use crate::problem::view::Value;

use crate::place::redundant::dominated::used_only;
use crate::place::tokens::{Token, Tokens};
use crate::place::tree::{Entry, Role, Tree};
use crate::program::{BlockId, ItemId};

/// The tokens without those waits.
pub(crate) fn without_repeated(tree: &Tree<'_>, mut tokens: Tokens) -> Tokens {
    let mut known: HashMap<Token, Vec<ItemId>> = HashMap::new();
    let mut waits = std::mem::take(&mut tokens.waits);
    for (item, list) in &mut waits {
        let sides = sides_around(tree, *item);
        list.retain(|(_, token)| {
            let earlier = known.entry(named(tree, &tokens, *token, &sides)).or_default();
            let is_repeated = earlier.iter().any(|other| is_passed(tree, *other, *item, &sides));
            if !is_repeated {
                earlier.push(*item);
            }
            !is_repeated
        });
    }
    waits.retain(|_, list| !list.is_empty());
    tokens.waits = waits;
    used_only(&tokens)
}

/// The branch that a block is a side of, its condition, and which side.
fn side<'c>(tree: &Tree<'c>, block: BlockId) -> Option<(ItemId, Value<'c>, usize)> {
    let Entry::Branch(item) = tree.node(block).entry else {
        return None;
    };
    let Role::If(branches) = &tree.site(item).role else {
        return None;
    };
    let side = branches.iter().position(|branch| *branch == block)?;
    Some((item, tree.site(item).op.operand(0), side))
}

/// An item, what it is in, and what that is in.
fn around(tree: &Tree<'_>, item: ItemId) -> impl Iterator<Item = ItemId> {
    std::iter::successors(Some(item), |item| match tree.node(tree.site(*item).block).entry {
        Entry::Body(item) | Entry::Branch(item) => Some(item),
        Entry::Root => None,
    })
}

/// The conditions that hold around an item, and those that do not: with side 1.
fn sides_around<'c>(tree: &Tree<'c>, item: ItemId) -> Vec<(Value<'c>, usize)> {
    let blocks = around(tree, item).map(|item| tree.site(item).block);
    let sides = blocks.filter_map(|block| side(tree, block));
    sides.map(|(_, condition, side)| (condition, side)).collect()
}

/// The token that another one is where these conditions hold.
fn named<'c>(tree: &Tree<'c>, tokens: &Tokens, mut token: Token, sides: &[(Value<'c>, usize)]) -> Token {
    while let Token::Merged(id) = token {
        let condition = tree.site(tokens.merged[id].item).op.operand(0);
        match sides.iter().find(|(known, _)| *known == condition) {
            Some((_, side)) => token = tokens.merged[id].sides[*side],
            None => break,
        }
    }
    token
}

/// True if all ways to an item pass the waits before another one. `sides` are those around the item.
fn is_passed<'c>(tree: &Tree<'c>, other: ItemId, item: ItemId, sides: &[(Value<'c>, usize)]) -> bool {
    let mut other = tree.site(other);
    loop {
        let mut holders = around(tree, item).map(|item| tree.site(item));
        if let Some(holder) = holders.find(|holder| holder.block == other.block) {
            return other.index <= holder.index;
        }
        match side(tree, other.block) {
            Some((branch, condition, side)) if sides.contains(&(condition, side)) => other = tree.site(branch),
            _ => return false,
        }
    }
}
