//! Knowledge of the control stream at one point of a program.
//!
//! An *instance* is a command that was issued and that the stream has not waited for, named by its operation and by
//! when it was issued, seen from the present point: so many iterations ago of each loop that is still running, so many
//! iterations before the end of each loop that is over. A state holds all instances there may be, and of each token the
//! instances that a wait for it covers: what is issued later is not among them, so that a start changes no other token.

use std::marker::PhantomData;
use std::rc::Rc;

use crate::id::{Id, IdVec, id};
use crate::problem::view::Value;
use crate::program::epoch::{Epoch, Instance};
use crate::program::{ItemId, RootId};
use crate::verify::ids::{Owner, Owners};
use rustc_hash::FxHashMap;

id! {
    /// Number of an instance in one walk.
    pub(crate) struct InstanceId(u32);
}

/// A change of the names of instances from one point to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    /// The next iteration of a loop with this horizon begins.
    Next(ItemId, u32),
    /// A loop ends.
    End(ItemId),
}

/// All instances that were ever named.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    pub(crate) list: IdVec<InstanceId, Instance>,
    index: FxHashMap<Instance, InstanceId>,
    /// By move and instance.
    moved: FxHashMap<Move, Vec<Option<InstanceId>>>,
}

impl Instances {
    /// The number of an instance.
    pub(crate) fn number(&mut self, instance: Instance) -> InstanceId {
        if let Some(id) = self.index.get(&instance) {
            return *id;
        }
        let id = self.list.push(instance.clone());
        self.index.insert(instance, id);
        id
    }

    /// An instance as it is named after a move.
    pub(crate) fn moved(&mut self, id: InstanceId, by: Move) -> InstanceId {
        if let Some(known) = self.moved.get(&by).and_then(|names| *names.get(id.at())?) {
            return known;
        }
        let mut instance = self.list[id].clone();
        for (loop_, when) in &mut instance.when {
            *when = match (by, *when) {
                (Move::Next(at, horizon), Epoch::Ago(ago)) if at == *loop_ => {
                    if ago + 1 >= horizon {
                        Epoch::Before(horizon)
                    } else {
                        Epoch::Ago(ago + 1)
                    }
                }
                // At the end, the iteration that was the present one is one iteration ago already.
                (Move::End(at), Epoch::Ago(ago)) if at == *loop_ && ago > 0 => Epoch::Last(ago),
                (Move::End(at), Epoch::Ago(_) | Epoch::Before(_)) if at == *loop_ => Epoch::Over,
                (_, other) => other,
            };
        }
        let to = self.number(instance);
        let names = self.moved.entry(by).or_default();
        if names.len() <= id.at() {
            names.resize(id.at() + 1, None);
        }
        names[id.at()] = Some(to);
        to
    }
}

/// A set of small numbers of one kind.
#[derive(Debug)]
pub(crate) struct Set<I> {
    words: Vec<u64>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I> Clone for Set<I> {
    fn clone(&self) -> Self {
        let words = self.words.clone();
        Self {
            words,
            ids: PhantomData,
        }
    }
}

impl<I> Default for Set<I> {
    fn default() -> Self {
        Self {
            words: Vec::new(),
            ids: PhantomData,
        }
    }
}

impl<I> PartialEq for Set<I> {
    fn eq(&self, other: &Self) -> bool {
        let longest = self.words.len().max(other.words.len());
        (0..longest).all(|i| self.word(i) == other.word(i))
    }
}

impl<I> Eq for Set<I> {}

impl<I> Set<I> {
    fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or(0)
    }
}

impl<I: Id> Set<I> {
    pub(crate) fn insert(&mut self, id: I) {
        let at = id.at() / 64;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (id.at() % 64);
    }

    pub(crate) fn contains(&self, id: I) -> bool {
        self.word(id.at() / 64) >> (id.at() % 64) & 1 == 1
    }

    pub(crate) fn discard(&mut self, id: I) {
        if let Some(word) = self.words.get_mut(id.at() / 64) {
            *word &= !(1 << (id.at() % 64));
        }
    }

    /// `self ⊆ other`.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.words
            .iter()
            .enumerate()
            .all(|(at, word)| word & !other.word(at) == 0)
    }

    /// Machine words that it takes.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// `self ∪ other`.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, more)| *word |= more);
    }

    /// `self ∩ other`.
    pub(crate) fn keep(&mut self, other: &Self) {
        for (at, word) in self.words.iter_mut().enumerate() {
            *word &= other.word(at);
        }
    }

    /// `self \ other`.
    pub(crate) fn remove(&mut self, other: &Self) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, less)| *word &= !less);
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(I::new(at * 64 + bit))
            })
        })
    }
}

/// The effect of a wait for a token, or for the number of a barrier id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    /// Commands that are complete after it. Of those that are not outstanding it says nothing. Tokens that are handed
    /// on, and states of two branches, have the same sets.
    pub(crate) covers: Rc<Set<InstanceId>>,
    /// It may be that no command was started with it.
    pub(crate) may_be_none: bool,
    /// It is a number, and negative iff no command was started with it.
    pub(crate) sign_tells: bool,
}

impl Token {
    /// That of a command which was just issued, and of those that are complete before it.
    pub(crate) fn of_command(covers: Rc<Set<InstanceId>>, sign_tells: bool) -> Self {
        Self {
            covers,
            may_be_none: false,
            sign_tells,
        }
    }

    /// That of no command.
    pub(crate) fn none(sign_tells: bool) -> Self {
        Self {
            covers: Rc::default(),
            may_be_none: true,
            sign_tells,
        }
    }

    /// Either of two in one state.
    pub(crate) fn join(&mut self, other: &Self) {
        self.keep(&other.covers);
        self.merge_origin(other);
    }

    /// Either of two in states with these instances: what is not outstanding in one of them is covered there.
    fn join_across(&mut self, own: &Set<InstanceId>, other: &Self, others: &Set<InstanceId>) {
        self.merge_origin(other);
        if Rc::ptr_eq(&self.covers, &other.covers) {
            return;
        }
        let mut only_other = other.covers.as_ref().clone();
        only_other.remove(own);
        let mut only_own = self.covers.as_ref().clone();
        only_own.remove(others);
        self.keep(&other.covers);
        for more in [only_own, only_other] {
            if !more.is_within(&self.covers) {
                Rc::make_mut(&mut self.covers).add(&more);
            }
        }
    }

    /// Covers no more than `covers`.
    fn keep(&mut self, covers: &Set<InstanceId>) {
        if !self.covers.is_within(covers) {
            Rc::make_mut(&mut self.covers).keep(covers);
        }
    }

    fn merge_origin(&mut self, other: &Self) {
        self.may_be_none |= other.may_be_none;
        self.sign_tells &= other.sign_tells;
    }
}

/// Instances among which are all that any token covers. No knowledge, only a shortcut: all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered(Set<InstanceId>);

impl PartialEq for Covered {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Sets that were made from others, so that those that were one stay one.
#[derive(Default)]
struct Renewed(FxHashMap<*const Set<InstanceId>, [Rc<Set<InstanceId>>; 2]>);

impl Renewed {
    fn of(
        &mut self,
        old: &Rc<Set<InstanceId>>,
        renew: impl FnOnce(&Set<InstanceId>) -> Set<InstanceId>,
    ) -> Rc<Set<InstanceId>> {
        // The old set is kept, so that no other one gets its address.
        let both = self.0.entry(Rc::as_ptr(old));
        let [_, new] = both.or_insert_with(|| [Rc::clone(old), Rc::new(renew(old))]);
        Rc::clone(new)
    }
}

/// Knowledge of the control stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State<'c> {
    /// Commands that may be outstanding.
    pub(crate) outstanding: Set<InstanceId>,
    /// Of these, those that only some ways through branches have waited for.
    pub(crate) conditional: Set<InstanceId>,
    /// Tokens in scope, and numbers of barrier ids. What is not here covers nothing.
    pub(crate) tokens: FxHashMap<Value<'c>, Token>,
    covered: Covered,
    /// Commands with barrier ids.
    pub(crate) owners: Owners,
    /// The roots that may have been freed, as they are named here.
    pub(crate) freed: Set<RootId>,
    /// Roots that may have been freed and are other memory by now, since control has gone on to another iteration.
    pub(crate) freed_before: Set<RootId>,
}

impl<'c> State<'c> {
    /// Either of two states.
    pub(crate) fn join(&mut self, other: &Self) {
        let own = &self.outstanding;
        self.tokens.retain(|value, known| {
            let token = other.tokens.get(value);
            token
                .inspect(|token| known.join_across(own, token, &other.outstanding))
                .is_some()
        });
        self.covered.0.add(&other.covered.0);
        self.outstanding.add(&other.outstanding);
        self.conditional.add(&other.conditional);
        self.owners.join(&other.owners);
        self.freed.add(&other.freed);
        self.freed_before.add(&other.freed_before);
    }

    /// A command is issued, and `token` stands for it.
    pub(crate) fn issue(&mut self, instance: InstanceId, value: Value<'c>, token: Token) {
        // What had this name before is complete, or not covered by anything any more.
        if self.covered.0.contains(instance) {
            let tokens = self.tokens.values_mut();
            for token in tokens.filter(|token| token.covers.contains(instance)) {
                Rc::make_mut(&mut token.covers).discard(instance);
            }
        }
        self.outstanding.insert(instance);
        self.name(value, token);
    }

    /// A value is a token from now on.
    pub(crate) fn name(&mut self, value: Value<'c>, token: Token) {
        self.covered.0.add(&token.covers);
        self.tokens.insert(value, token);
    }

    /// Takes out what a wait for a token completes.
    pub(crate) fn wait(&mut self, token: &Token) {
        self.outstanding.remove(&token.covers);
    }

    /// Forgets of tokens what is not outstanding any more, so that equal knowledge is equal.
    pub(crate) fn normalize(&mut self) {
        self.conditional.keep(&self.outstanding);
        let mut kept = Renewed::default();
        for token in self.tokens.values_mut() {
            if !token.covers.is_within(&self.outstanding) {
                token.covers = kept.of(&token.covers, |covers| {
                    let mut covers = covers.clone();
                    covers.keep(&self.outstanding);
                    covers
                });
            }
        }
        for owner in &mut self.owners.list {
            owner.leaves.keep(&self.outstanding);
        }
    }

    /// The work of looking through it: eight machine words count as one operation.
    pub(crate) fn size(&self) -> u64 {
        const AT_ONCE: u64 = 8;
        let words = self.outstanding.words() as u64;
        ((self.tokens.len() + self.owners.list.len() + 1) as u64 * (words + 1)).div_ceil(AT_ONCE)
    }

    /// The knowledge where instances have other names.
    pub(crate) fn moved(&self, instances: &mut Instances, by: Move) -> Self {
        // All sets that matter are of outstanding commands; the names are looked up once.
        let mut names = vec![InstanceId::new(0); self.outstanding.words() * 64];
        for id in self.outstanding.numbers() {
            names[id.at()] = instances.moved(id, by);
        }
        let move_set = |set: &Set<InstanceId>| {
            let mut moved = Set::default();
            set.numbers()
                .filter(|id| self.outstanding.contains(*id))
                .for_each(|id| moved.insert(names[id.at()]));
            moved
        };
        let moved = move_set(&self.outstanding);
        // Where several go by one name from now on, it is covered if all of them are.
        let is_one_to_one = moved.len() == self.outstanding.len();
        let mut renewed = Renewed::default();
        let tokens = self.tokens.iter().map(|(value, token)| {
            let covers = renewed.of(&token.covers, |covers| {
                if is_one_to_one {
                    return move_set(covers);
                }
                let (mut left, mut names) = (self.outstanding.clone(), moved.clone());
                left.remove(covers);
                names.remove(&move_set(&left));
                names
            });
            (*value, Token { covers, ..*token })
        });
        let tokens = tokens.collect();
        let mut owners: Vec<Owner> = Vec::new();
        let mut places: FxHashMap<InstanceId, usize> = FxHashMap::default();
        for owner in &self.owners.list {
            let leaves = move_set(&owner.leaves);
            let instance = instances.moved(owner.instance, by);
            match places.get(&instance) {
                // Several commands go by one name from now on.
                Some(place) => {
                    owners[*place].leaves.add(&leaves);
                    owners[*place].certain = false;
                }
                None => {
                    places.insert(instance, owners.len());
                    owners.push(Owner {
                        instance,
                        leaves,
                        certain: owner.certain,
                    });
                }
            }
        }
        owners.sort_by_key(|owner| !owner.certain);
        Self {
            covered: Covered(moved.clone()),
            conditional: move_set(&self.conditional),
            outstanding: moved,
            tokens,
            owners: Owners { list: owners },
            freed: self.freed.clone(),
            freed_before: self.freed_before.clone(),
        }
    }
}
