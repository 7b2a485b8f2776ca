//! What the control stream knows at one point of a program.
//!
//! A *flight* is a command that was issued and that the stream has not waited for, named by its operation and by when it was
//! issued, seen from the present point: so many iterations ago of each loop that is still running, so many iterations before
//! the end of each loop that is over. A state holds all flights there may be, and of each token the flights of its engine that
//! a wait for it would leave.

use rustc_hash::FxHashMap;
use zpu_ir::Value;

use super::ids::{Holder, Holders};
use super::program::ItemId;

/// When a command was issued, as seen from one of the loops around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum When {
    /// So many iterations ago of a loop that is still running; 0 is the present one.
    Ago(u32),
    /// That many iterations ago or more.
    Before(u32),
    /// The loop is over; iterations are counted from its last one, which is 1.
    Last(u32),
    /// The loop is over, and it may have been any iteration.
    Over,
}

/// A command and when it was issued.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flight {
    /// The command.
    pub(super) item: ItemId,
    /// The loops around it, outermost first.
    pub(super) when: Vec<(ItemId, When)>,
}

/// Number of a flight.
pub(super) type FlightId = usize;

/// How flights are named at another point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Move {
    /// The next iteration of a loop with this horizon begins.
    Next(ItemId, u32),
    /// A loop ends.
    End(ItemId),
}

/// All flights that were ever named.
#[derive(Debug, Default)]
pub(super) struct Flights {
    pub(super) list: Vec<Flight>,
    index: FxHashMap<Flight, FlightId>,
    moved: FxHashMap<(FlightId, Move), FlightId>,
}

impl Flights {
    /// The number of a flight.
    pub(super) fn number(&mut self, flight: Flight) -> FlightId {
        if let Some(id) = self.index.get(&flight) {
            return *id;
        }
        let id = self.list.len();
        self.index.insert(flight.clone(), id);
        self.list.push(flight);
        id
    }

    /// A flight as it is named after a move.
    pub(super) fn moved(&mut self, id: FlightId, by: Move) -> FlightId {
        if let Some(known) = self.moved.get(&(id, by)) {
            return *known;
        }
        let mut flight = self.list[id].clone();
        for (loop_, when) in &mut flight.when {
            *when = match (by, *when) {
                (Move::Next(at, horizon), When::Ago(ago)) if at == *loop_ => {
                    if ago + 1 >= horizon {
                        When::Before(horizon)
                    } else {
                        When::Ago(ago + 1)
                    }
                }
                // At the end, the iteration that was the present one is a turn ago already.
                (Move::End(at), When::Ago(ago)) if at == *loop_ && ago > 0 => When::Last(ago),
                (Move::End(at), When::Ago(_) | When::Before(_)) if at == *loop_ => When::Over,
                (_, other) => other,
            };
        }
        let to = self.number(flight);
        self.moved.insert((id, by), to);
        to
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Set(Vec<u64>);

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        let longest = self.0.len().max(other.0.len());
        (0..longest).all(|i| self.word(i) == other.word(i))
    }
}

impl Set {
    fn word(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or(0)
    }

    pub(super) fn insert(&mut self, number: usize) {
        let at = number / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (number % 64);
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.word(number / 64) >> (number % 64) & 1 == 1
    }

    /// Machine words that it takes.
    pub(super) fn words(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// `self ∪ other`.
    pub(super) fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    /// `self ∩ other`.
    pub(super) fn keep(&mut self, other: &Self) {
        for (at, word) in self.0.iter_mut().enumerate() {
            *word &= other.word(at);
        }
    }

    /// `self \ other`.
    pub(super) fn remove(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, less)| *word &= !less);
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

/// What a wait for a token, or for a number that is one of a barrier id, brings about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// Commands in flight that it leaves there.
    pub(super) leaves: Set,
    /// It may be that no command was started with it.
    pub(super) may_be_none: bool,
    /// If it is a number: it is negative iff no command was started with it.
    pub(super) sign_tells: bool,
}

impl Token {
    /// That of a command which was just issued, beside those in flight on other engines.
    pub(super) fn of_command(others: Set, sign_tells: bool) -> Self {
        Self {
            leaves: others,
            may_be_none: false,
            sign_tells,
        }
    }

    /// That of no command.
    pub(super) fn none(state: &State<'_>, sign_tells: bool) -> Self {
        Self {
            leaves: state.flights.clone(),
            may_be_none: true,
            sign_tells,
        }
    }

    /// Either of two.
    pub(super) fn join(&mut self, other: &Self) {
        self.leaves.add(&other.leaves);
        self.may_be_none |= other.may_be_none;
        self.sign_tells &= other.sign_tells;
    }
}

/// What the control stream knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State<'c> {
    /// Commands that may be in flight.
    pub(super) flights: Set,
    /// Of these, those that only some ways through branches have waited for.
    pub(super) conditional: Set,
    /// Tokens in scope, and numbers of barrier ids. What is not here covers nothing.
    pub(super) tokens: FxHashMap<Value<'c>, Token>,
    /// Commands with barrier ids.
    pub(super) holders: Holders,
    /// Numbers of the roots that may have been freed, as they are named here.
    pub(super) freed: Set,
    /// The same of roots that are other memory by now, since control has gone on to another iteration.
    pub(super) freed_before: Set,
}

impl<'c> State<'c> {
    /// Either of two states.
    pub(super) fn join(&mut self, other: &Self) {
        self.flights.add(&other.flights);
        self.conditional.add(&other.conditional);
        self.holders.join(&other.holders);
        self.freed.add(&other.freed);
        self.freed_before.add(&other.freed_before);
        self.tokens.retain(|value, known| {
            let token = other.tokens.get(value);
            token.inspect(|token| known.join(token)).is_some()
        });
    }

    /// What a wait for a token leaves.
    pub(super) fn wait(&mut self, token: &Token) {
        self.flights.keep(&token.leaves);
    }

    /// Forgets of tokens what is not in flight any more, so that equal knowledge is equal.
    pub(super) fn normalize(&mut self) {
        self.conditional.keep(&self.flights);
        for token in self.tokens.values_mut() {
            token.leaves.keep(&self.flights);
        }
        for holder in &mut self.holders.list {
            holder.leaves.keep(&self.flights);
        }
    }

    /// How much there is to look through: eight machine words count as one operation.
    pub(super) fn size(&self) -> u64 {
        const AT_ONCE: u64 = 8;
        let words = self.flights.words() as u64;
        ((self.tokens.len() + self.holders.list.len() + 1) as u64 * (words + 1)).div_ceil(AT_ONCE)
    }

    /// The same knowledge where flights have other names.
    pub(super) fn moved(&self, flights: &mut Flights, by: Move) -> Self {
        // All sets that matter are of commands in flight; the names are looked up once.
        let mut names = vec![0; self.flights.words() * 64];
        for id in self.flights.numbers() {
            names[id] = flights.moved(id, by);
        }
        let move_set = |set: &Set| {
            let mut moved = Set::default();
            set.numbers()
                .filter(|id| self.flights.contains(*id))
                .for_each(|id| moved.insert(names[id]));
            moved
        };
        let tokens = self.tokens.iter().map(|(value, token)| {
            let leaves = move_set(&token.leaves);
            (*value, Token { leaves, ..*token })
        });
        let tokens = tokens.collect();
        let mut holders: Vec<Holder> = Vec::new();
        let mut places: FxHashMap<FlightId, usize> = FxHashMap::default();
        for holder in &self.holders.list {
            let leaves = move_set(&holder.leaves);
            let flight = flights.moved(holder.flight, by);
            match places.get(&flight) {
                // Several commands go by one name from now on.
                Some(place) => {
                    holders[*place].leaves.add(&leaves);
                    holders[*place].certain = false;
                }
                None => {
                    places.insert(flight, holders.len());
                    holders.push(Holder {
                        flight,
                        leaves,
                        certain: holder.certain,
                    });
                }
            }
        }
        holders.sort_by_key(|holder| !holder.certain);
        Self {
            flights: move_set(&self.flights),
            conditional: move_set(&self.conditional),
            tokens,
            holders: Holders { list: holders },
            freed: self.freed.clone(),
            freed_before: self.freed_before.clone(),
        }
    }
}
