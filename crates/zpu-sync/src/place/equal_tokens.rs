//! Makes one of tokens that always are the same.
//!
//! Two tokens that a loop carries are the same in each iteration if they are before the first one, and if what the loop
//! yields for them is. Each search carries its own, and a loop in a loop carries those of the searches that begin
//! around it, so that in deep nests most are the same as others.
//!
//! The tokens are taken to be the same until something tells them apart: first the loop or branch and the engine, then
//! the parts, until the parts of all that are left together are the same. This is the coarsest such partition, as of
//! the states of an automaton (Moore, Gedanken-experiments on sequential machines, 1956).

use std::collections::HashMap;
use std::hash::Hash;

use crate::id::{Id, IdVec};
use crate::place::tokens::{Carried, CarriedId, Merged, MergedId, Token, Tokens};

/// For each token the first one that it is the same as.
#[derive(PartialEq, Eq)]
struct Firsts {
    carried: IdVec<CarriedId, CarriedId>,
    merged: IdVec<MergedId, MergedId>,
}

impl Firsts {
    fn of(&self, token: Token) -> Token {
        match token {
            Token::Carried(id) => Token::Carried(self.carried[id]),
            Token::Left(id) => Token::Left(self.carried[id]),
            Token::Merged(id) => Token::Merged(self.merged[id]),
            Token::Null | Token::Any | Token::Start(_) => token,
        }
    }

    /// The first of each loop or branch and engine.
    fn of_places(tokens: &Tokens) -> Self {
        Self {
            carried: firsts(&tokens.carried, |_, carried| (carried.item, carried.engine)),
            merged: firsts(&tokens.merged, |_, merged| (merged.item, merged.engine)),
        }
    }

    /// Those that parts tell apart are not the same.
    fn told_apart(&self, tokens: &Tokens) -> Self {
        Self {
            carried: firsts(&tokens.carried, |id, carried| {
                (self.carried[id], self.of(carried.init), self.of(carried.next))
            }),
            merged: firsts(&tokens.merged, |id, merged| {
                (self.merged[id], merged.sides.map(|side| self.of(side)))
            }),
        }
    }
}

/// For each thing the first one with the same key.
fn firsts<I: Id, T, K: Hash + Eq>(things: &IdVec<I, T>, key: impl Fn(I, &T) -> K) -> IdVec<I, I> {
    let mut known: HashMap<K, I> = HashMap::new();
    let all = things.enumerate();
    all.map(|(id, thing)| *known.entry(key(id, thing)).or_insert(id))
        .collect()
}

/// The tokens with the first of all that are the same in their places; the others stay, and nothing names them.
pub(crate) fn with_equal_as_one(tokens: &Tokens) -> Tokens {
    let mut firsts = Firsts::of_places(tokens);
    loop {
        let next = firsts.told_apart(tokens);
        if next == firsts {
            break;
        }
        firsts = next;
    }
    let carried = tokens.carried.iter().map(|carried| Carried {
        init: firsts.of(carried.init),
        next: firsts.of(carried.next),
        ..*carried
    });
    let merged = tokens.merged.iter().map(|merged| Merged {
        sides: merged.sides.map(|side| firsts.of(side)),
        ..*merged
    });
    let mut waits = tokens.waits.clone();
    for list in waits.values_mut() {
        let all = std::mem::take(list);
        for (engine, token) in all {
            let wait = (engine, firsts.of(token));
            if !list.contains(&wait) {
                list.push(wait);
            }
        }
    }
    Tokens {
        carried: carried.collect(),
        merged: merged.collect(),
        waits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::tree::{AsyncEngineId, CommandId};
    use crate::program::ItemId;

    fn carried(item: usize, init: Token, next: Token) -> Carried {
        Carried {
            item: ItemId::new(item),
            engine: AsyncEngineId::new(0),
            init,
            next,
        }
    }

    fn waits_for(all: Vec<Carried>) -> Vec<Token> {
        let carried: IdVec<CarriedId, Carried> = all.into();
        let waits = carried.ids().map(|id| (AsyncEngineId::new(0), Token::Carried(id)));
        let tokens = Tokens {
            waits: [(ItemId::new(9), waits.collect())].into(),
            carried,
            merged: IdVec::new(),
        };
        let list = with_equal_as_one(&tokens).waits.into_values().flatten();
        list.map(|(_, token)| token).collect()
    }

    #[test]
    fn tokens_that_rest_on_each_other_are_one() {
        let token = |at| Token::Carried(CarriedId::new(at));
        let start = |at| Token::Start(CommandId::new(at));
        // 0 and 1 yield each other, 2 itself; 3 begins with something else, and 4 is carried by another loop.
        let all = vec![
            carried(0, start(0), token(1)),
            carried(0, start(0), token(0)),
            carried(0, start(0), token(2)),
            carried(0, start(1), token(3)),
            carried(1, start(0), token(4)),
        ];
        assert_eq!(waits_for(all), [token(0), token(3), token(4)]);
        // What is yielded tells 0 and 1 apart, and so 2 from both.
        let all = vec![
            carried(0, Token::Null, start(0)),
            carried(0, Token::Null, start(1)),
            carried(0, Token::Null, token(0)),
            carried(0, Token::Null, token(1)),
            carried(0, Token::Null, token(0)),
        ];
        assert_eq!(waits_for(all), [token(0), token(1), token(2), token(3)]);
    }
}
