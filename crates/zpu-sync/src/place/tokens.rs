//! Finds the token of each wait: static single assignment for "the latest command that concerns the waiter".
//!
//! In straight-line code that is the result of a start. A branch yields it from both sides: the start of the one, and
//! what was the latest before on the other. A loop carries it as many iterations far as the conflict reaches; what it
//! carries in is the latest command before the loop that concerns the waiter in that iteration, or a null token.

use std::collections::{BTreeMap, HashMap};

use crate::id::{IdVec, id};
use crate::place::find::{Hit, MOST_CARRIED, Outcome};
use crate::place::placement::Wait;
use crate::place::query::{Buckets, Search, candidates_in};
use crate::place::tree::{AsyncEngineId, CommandId, Entry, Role, Tree};
use crate::program::{BlockId, ItemId};
use crate::seeded;

id! {
    /// Number of a token that a loop carries.
    pub struct CarriedId(u32);
}

id! {
    /// Number of a token that a branch yields.
    pub struct MergedId(u32);
}

/// The origin of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Token {
    /// There is nothing to wait for.
    Null,
    /// Whatever it is, nobody waits for it.
    Any,
    /// The start of a command.
    Start(CommandId),
    /// A token that a loop carries, inside its body.
    Carried(CarriedId),
    /// A token that a loop carries, after the loop.
    Left(CarriedId),
    /// A token that a branch yields.
    Merged(MergedId),
}

/// A token that a loop carries.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// The loop.
    pub item: ItemId,
    /// The engine of the commands that it stands for.
    pub engine: AsyncEngineId,
    /// The token in the first iteration.
    pub init: Token,
    /// The token in the next iteration.
    pub next: Token,
}

/// A token that a branch yields.
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    /// The branch.
    pub item: ItemId,
    /// The engine of the commands that it stands for.
    pub engine: AsyncEngineId,
    /// On both sides.
    pub sides: [Token; 2],
}

/// All tokens of a function.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// Tokens that loops carry.
    pub carried: IdVec<CarriedId, Carried>,
    /// Tokens that branches yield.
    pub merged: IdVec<MergedId, Merged>,
    /// For each item the engines and tokens that are waited for before it.
    pub waits: BTreeMap<ItemId, Vec<(AsyncEngineId, Token)>>,
}

/// The tokens of waits.
pub(crate) fn tokens<'c>(tree: &Tree<'c>, waits: &[Wait<'c>], buckets: &mut Buckets<'c>) -> Tokens {
    let mut search = Construction {
        tree,
        tokens: Tokens::default(),
        carried: HashMap::new(),
        merged: HashMap::new(),
        inside: None,
    };
    for wait in waits {
        search.inside = wait.inside.map(|loop_| (loop_, tree.site(wait.item).block));
        let item = tree.site(wait.item);
        let question = buckets.search(wait.engine, wait.queries.clone(), tree.node(item.block).base);
        let token = search.before(item.block, item.index, &question, None, &mut Known::new());
        if !matches!(token, Token::Null | Token::Any) {
            let list = search.tokens.waits.entry(wait.item).or_default();
            if !list.contains(&(wait.engine, token)) {
                list.push((wait.engine, token));
            }
        }
    }
    search.tokens
}

/// The block where a search inside a loop that is over ends, and the token that stands for all that is further back.
type End = Option<(BlockId, Token)>;

/// Tokens that one question found at places to which several branches lead back.
type Known = HashMap<(BlockId, usize), Token>;

struct Construction<'t, 'c> {
    tree: &'t Tree<'c>,
    tokens: Tokens,
    /// Tokens carried by a loop with this next value.
    carried: HashMap<(ItemId, Token), Vec<CarriedId>>,
    merged: HashMap<(ItemId, [Token; 2]), MergedId>,
    /// The loop that the present wait is in, if it waits for commands before it, and the wait's block.
    inside: Option<(ItemId, BlockId)>,
}

impl<'c> Construction<'_, 'c> {
    /// The token before a position of a block.
    fn before(&mut self, block: BlockId, index: usize, search: &Search<'c>, end: End, known: &mut Known) -> Token {
        let tree = self.tree;
        let mut range = tree.commands_before(block, index);
        while let Some(command) = candidates_in(search, range.clone()).last() {
            let id = tree.ancestor(*command, block);
            let item = tree.site(id);
            range.end = item.commands.start;
            match &item.role {
                Role::Command(command, _) if search.concerns(tree, *command) => return Token::Start(*command),
                Role::Loop(..) => {
                    if let Some(hit) = tree.last_hit(id, search) {
                        return self.behind_loop(id, &hit, search, end, known);
                    }
                }
                Role::If(branches)
                    if branches
                        .iter()
                        .any(|branch| tree.scan(*branch, usize::MAX, search).is_some()) =>
                {
                    let mut side = |side: usize| match branches.get(side) {
                        Some(branch) => self.before(*branch, usize::MAX, search, end, known),
                        None if seeded!(LostBranchToken) => Token::Null,
                        None => self.further(block, item.index, search, end, known),
                    };
                    let sides = [side(0), side(1)];
                    return self.merge(id, search.engine, sides);
                }
                _ => {}
            }
        }
        if let Some((_, token)) = end.filter(|(at, _)| *at == block) {
            return token;
        }
        match tree.node(block).entry {
            Entry::Root => Token::Null,
            Entry::Branch(item) => self.further(tree.site(item).block, tree.site(item).index, search, end, known),
            Entry::Body(item) => match tree.earlier_hit(item, search) {
                Some(hit) => self.around_loop(item, hit, search),
                None if self.inside.is_some_and(|(loop_, _)| loop_ == item) => self.each_iteration(item, search),
                None => self.in_front(item, None, search),
            },
        }
    }

    /// As [`Self::before`], found once.
    fn further(&mut self, block: BlockId, index: usize, search: &Search<'c>, end: End, known: &mut Known) -> Token {
        if let Some(token) = known.get(&(block, index)) {
            return *token;
        }
        let token = self.before(block, index, search, end, known);
        known.insert((block, index), token);
        token
    }

    /// The token before a loop that we are in.
    fn in_front(&mut self, loop_: ItemId, iteration: Option<i64>, search: &Search<'c>) -> Token {
        let item = self.tree.site(loop_);
        let search = search.before(self.tree, loop_, iteration);
        self.before(item.block, item.index, &search, None, &mut Known::new())
    }

    /// The token that each iteration of a loop needs of the commands before the loop.
    fn each_iteration(&mut self, loop_: ItemId, search: &Search<'c>) -> Token {
        let inside = self.inside.take();
        // Where each iteration waits, nothing is left to wait for after the latest one.
        let is_passed = inside.is_some_and(|(_, block)| block == self.tree.loop_of(loop_).body);
        let trips = self.tree.loop_of(loop_).constant_trips;
        let few = trips.filter(|trips| *trips <= i64::from(MOST_CARRIED));
        let (tree, item) = (self.tree, self.tree.site(loop_));
        let latest = |iteration: Option<i64>| tree.find(item.block, item.index, &search.before(tree, loop_, iteration));
        let (any, latest_of_any) = (self.in_front(loop_, None, search), latest(None));
        let mut inits = Vec::new();
        for iteration in 0..few.unwrap_or(i64::from(MOST_CARRIED)) {
            let is_any = matches!(latest_of_any, Outcome::Here(_)) && latest(Some(iteration)) == latest_of_any;
            inits.push(if is_any {
                any
            } else {
                self.in_front(loop_, Some(iteration), search)
            });
            if inits.last() == Some(&any) && (is_passed || few.is_none()) {
                break;
            }
        }
        if few.is_none() && inits.last() != Some(&any) {
            inits.push(any);
        }
        self.inside = inside;
        while let [.., one, other] = inits.as_slice()
            && one == other
        {
            inits.pop();
        }
        let Some(last) = inits.pop() else { return Token::Null };
        let mut token = match last {
            Token::Null => Token::Null,
            last if is_passed => Token::Carried(self.carried(loop_, search.engine, last, Token::Null)),
            last => Token::Carried(self.constant(loop_, search.engine, last)),
        };
        for init in inits.into_iter().rev() {
            token = Token::Carried(self.carried(loop_, search.engine, init, token));
        }
        token
    }

    /// A token that is the same in all iterations of a loop.
    fn constant(&mut self, item: ItemId, engine: AsyncEngineId, init: Token) -> CarriedId {
        let own = self.tokens.carried.next_id();
        let is_same = |(at, other): &(CarriedId, &Carried)| {
            (other.item, other.engine, other.init, other.next) == (item, engine, init, Token::Carried(*at))
        };
        let known = self.tokens.carried.enumerate().find(is_same).map(|(at, _)| at);
        if let Some(at) = known {
            return at;
        }
        self.tokens.carried.push(Carried {
            item,
            engine,
            init,
            next: Token::Carried(own),
        });
        own
    }

    /// The token that a loop around us carries from an earlier iteration.
    fn around_loop(&mut self, loop_: ItemId, hit: Hit<'c>, search: &Search<'c>) -> Token {
        let inits: Vec<Token> = (0..hit.distance)
            .map(|iteration| {
                // Where nothing may have been issued for long, the first token answers for all iterations that follow.
                let any = iteration + 1 == hit.distance && !hit.found.certain;
                self.in_front(loop_, (!any).then_some(i64::from(iteration)), search)
            })
            .collect();
        let inside = if hit.found.certain {
            hit.search
        } else {
            let members = self.tree.members(loop_, search);
            hit.search.forcing(members.into_iter().map(|(id, _)| id))
        };
        Token::Carried(self.carry(loop_, &inside, hit.found.certain, &inits))
    }

    /// The token of a command in a loop that is over.
    fn behind_loop(&mut self, loop_: ItemId, hit: &Hit<'c>, search: &Search<'c>, end: End, known: &mut Known) -> Token {
        let item = self.tree.site(loop_);
        let is_certain = hit.found.certain;
        let issued = self
            .tree
            .loop_of(loop_)
            .constant_trips
            .is_some_and(|trips| trips >= i64::from(hit.distance));
        let init = if is_certain && issued {
            Token::Any
        } else {
            self.further(item.block, item.index, search, end, known)
        };
        let inside = if is_certain {
            hit.search.clone()
        } else {
            let any = search.behind(loop_, None);
            let inside = candidates_in(search, item.commands.clone()).iter().copied();
            hit.search
                .forcing(inside.filter(|command| any.concerns(self.tree, *command)))
        };
        let inits = vec![init; hit.distance as usize];
        Token::Left(self.carry(loop_, &inside, is_certain, &inits))
    }

    /// Carries what a search finds at the end of the body, as many iterations far as there are initial values; that of
    /// the first iteration comes first. What is found nowhere is what it was.
    fn carry(&mut self, loop_: ItemId, search: &Search<'c>, is_certain: bool, inits: &[Token]) -> CarriedId {
        let body = self.tree.loop_of(loop_).body;
        let (last, others) = inits.split_last().expect("conflicts are at least one iteration apart");
        let mut at = if is_certain {
            let next = self.before(body, usize::MAX, search, Some((body, Token::Null)), &mut Known::new());
            self.carried(loop_, search.engine, *last, next)
        } else {
            let own = self.tokens.carried.next_id();
            self.tokens.carried.push(Carried {
                item: loop_,
                engine: search.engine,
                init: *last,
                next: Token::Carried(own),
            });
            let end = Some((body, Token::Carried(own)));
            self.tokens.carried[own].next = self.before(body, usize::MAX, search, end, &mut Known::new());
            own
        };
        for init in others.iter().rev() {
            at = self.carried(loop_, search.engine, *init, Token::Carried(at));
        }
        at
    }

    /// A carried token; one that is there already if it is the same.
    fn carried(&mut self, item: ItemId, engine: AsyncEngineId, init: Token, next: Token) -> CarriedId {
        let list = self.carried.entry((item, next)).or_default();
        let carried = &mut self.tokens.carried;
        let agrees =
            |at: &&CarriedId| [carried[**at].init, Token::Any].contains(&init) || carried[**at].init == Token::Any;
        if let Some(at) = list.iter().find(agrees).copied() {
            if carried[at].init == Token::Any {
                carried[at].init = init;
            }
            return at;
        }
        let new = carried.push(Carried {
            item,
            engine,
            init,
            next,
        });
        list.push(new);
        new
    }

    fn merge(&mut self, item: ItemId, engine: AsyncEngineId, sides: [Token; 2]) -> Token {
        if sides[0] == sides[1] {
            return sides[0];
        }
        let merged = &mut self.tokens.merged;
        let at = *self
            .merged
            .entry((item, sides))
            .or_insert_with(|| merged.push(Merged { item, engine, sides }));
        Token::Merged(at)
    }
}
