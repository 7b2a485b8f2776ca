//! Which of two tokens of one engine was issued first.
//!
//! A token is no later than another one if, wherever both have a value, what the first names was issued before what the
//! second names, or is the same command, or is nothing. Whatever has a value when a command is started is no later than
//! that command. Tokens that loops carry and branches yield are compared by all that they may be: what holds for the
//! values before the first iteration, and from each iteration to the next, holds in all of them. So a claim may rest on
//! itself, and it is proven when all claims that it needs are found with none refuted.

use crate::id::IdVec;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::place::tokens::{Token, Tokens};
use crate::place::tree::{Role, Tree};
use crate::program::ItemId;

/// Claims that one question may rest on; a question that needs more is answered with "not known". There may be as many
/// as pairs of tokens, and a question is asked for each wait.
const MOST_CLAIMS: usize = 512;

/// A point in program order: where an item stands, before it, or after all that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position(usize);

impl Position {
    /// The beginning of the function.
    pub(crate) const FIRST: Self = Self(0);

    /// The end of the function.
    pub(crate) const LAST: Self = Self(usize::MAX);

    /// The point before an item, where waits for it stand.
    pub(crate) fn before(item: ItemId) -> Self {
        Self(2 * item.at())
    }

    /// The point of an item itself.
    pub(crate) fn of(item: ItemId) -> Self {
        Self(2 * item.at() + 1)
    }

    /// The point after an item that holds none.
    fn after(item: ItemId) -> Self {
        Self(2 * item.at() + 2)
    }
}

/// Answers about the tokens of one function.
pub(crate) struct TokenOrder<'t, 'c> {
    tree: &'t Tree<'c>,
    tokens: &'t Tokens,
    /// The last item in each one.
    ends: IdVec<ItemId, ItemId>,
    known: FxHashMap<(Token, Token), bool>,
}

/// Claims that a claim needs: for both tokens what they stand for on one way.
type Claims = Vec<(Token, Token)>;

impl<'t, 'c> TokenOrder<'t, 'c> {
    pub(crate) fn new(tree: &'t Tree<'c>, tokens: &'t Tokens) -> Self {
        Self {
            tree,
            tokens,
            ends: ends(tree),
            known: FxHashMap::default(),
        }
    }

    /// The point in program order where a token gets its value.
    pub(crate) fn position(&self, token: Token) -> Position {
        match token {
            Token::Null | Token::Any => Position::FIRST,
            Token::Start(command) => Position::of(self.tree.commands[command].item),
            Token::Carried(id) => Position::of(self.tokens.carried[id].item),
            Token::Left(id) => Position::after(self.ends[self.tokens.carried[id].item]),
            Token::Merged(id) => Position::after(self.ends[self.tokens.merged[id].item]),
        }
    }

    /// True if `early` certainly is no later than `late`, of the same engine.
    pub(crate) fn is_no_later(&mut self, early: Token, late: Token) -> bool {
        if early == late || matches!(early, Token::Null | Token::Any) {
            return true;
        }
        if let Some(known) = self.known.get(&(early, late)) {
            return *known;
        }
        let (mut open, mut seen) = (vec![(early, late)], FxHashSet::default());
        while let Some((left, right)) = open.pop() {
            if left == right || matches!(left, Token::Null | Token::Any) || !seen.insert((left, right)) {
                continue;
            }
            let claims = match self.known.get(&(left, right)) {
                Some(true) => continue,
                Some(false) => None,
                None => self.claims(left, right).filter(|_| seen.len() <= MOST_CLAIMS),
            };
            let Some(claims) = claims else {
                self.known.insert((left, right), false);
                self.known.insert((early, late), false);
                return false;
            };
            open.extend(claims);
        }
        self.known.extend(seen.into_iter().map(|claim| (claim, true)));
        true
    }

    /// Claims from which it follows that the first is no later than the second; `None` if that is not known.
    fn claims(&self, left: Token, right: Token) -> Option<Claims> {
        use Token::{Any, Carried, Left, Merged, Null, Start};
        let (carried, merged) = (&self.tokens.carried, &self.tokens.merged);
        let both = match (left, right) {
            (Carried(x), Carried(y)) if carried[x].item == carried[y].item => true,
            (Left(x), Left(y)) if carried[x].item == carried[y].item => true,
            (Merged(x), Merged(y)) if merged[x].item == merged[y].item => true,
            (_, Null | Any) => return None,
            (_, Start(_)) if self.position(left) < self.position(right) => return Some(Claims::new()),
            _ => false,
        };
        let zip = |left: Vec<Token>, right: Vec<Token>| left.into_iter().zip(right).collect();
        if both {
            Some(zip(self.ways(left)?, self.ways(right)?))
        } else if self.position(left) < self.position(right) {
            Some(self.ways(right)?.into_iter().map(|way| (left, way)).collect())
        } else {
            Some(self.ways(left)?.into_iter().map(|way| (way, right)).collect())
        }
    }

    /// All that a token may stand for, in an order that is the same for all of one loop or branch. `None` for a start,
    /// which is itself.
    pub(crate) fn ways(&self, token: Token) -> Option<Vec<Token>> {
        match token {
            Token::Null | Token::Any => Some(Vec::new()),
            Token::Start(_) => None,
            Token::Carried(id) => {
                let carried = &self.tokens.carried[id];
                let mut ways = vec![carried.init];
                ways.extend((self.trips(carried.item) != Some(1)).then_some(carried.next));
                Some(ways)
            }
            Token::Left(id) => {
                let carried = &self.tokens.carried[id];
                let mut ways = vec![carried.next];
                ways.extend((!self.is_entered(carried.item)).then_some(carried.init));
                Some(ways)
            }
            Token::Merged(id) => Some(self.tokens.merged[id].sides.to_vec()),
        }
    }

    /// True if a loop certainly has an iteration.
    pub(crate) fn is_entered(&self, loop_: ItemId) -> bool {
        self.trips(loop_).is_some_and(|trips| trips > 0)
    }

    /// The number of iterations of a loop, if it is constant.
    pub(crate) fn trips(&self, loop_: ItemId) -> Option<i64> {
        self.tree.loop_of(loop_).constant_trips
    }
}

/// The last item in each one.
pub(crate) fn ends(tree: &Tree<'_>) -> IdVec<ItemId, ItemId> {
    let mut ends: IdVec<ItemId, ItemId> = tree.sites().ids().collect();
    for (id, site) in tree.sites().enumerate().rev() {
        let blocks = match site.as_ref().map(|site| &site.role) {
            Some(Role::Loop(body)) => std::slice::from_ref(body),
            Some(Role::If(branches)) => branches.as_slice(),
            Some(Role::Command(..) | Role::Access) | None => continue,
        };
        let last = blocks.iter().filter_map(|block| tree.node(*block).items.last());
        if let Some(last) = last.map(|last| ends[*last]).max() {
            ends[id] = last;
        }
    }
    ends
}
