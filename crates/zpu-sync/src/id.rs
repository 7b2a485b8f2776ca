//! Numbers that each name one kind of thing, and lists that are indexed by them.
//!
//! Invariant: a number of one kind indexes the lists of that kind and no other. A list is dense: its numbers are those
//! from 0 up to its length.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The number of a thing in its list.
pub trait Id: Copy {
    /// The number of the thing at a position.
    fn new(at: usize) -> Self;

    /// Position in the list.
    fn at(self) -> usize;
}

/// Declares a number: `id! { /// The number of a thing. pub struct ThingId(u32); }`.
macro_rules! id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($field:vis $number:ty);) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis struct $name($field $number);

        impl $name {
            /// Position in the list.
            #[allow(trivial_numeric_casts, clippy::unnecessary_cast, reason = "a number may be a position")]
            $vis fn at(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::id::Id for $name {
            #[allow(trivial_numeric_casts, clippy::unnecessary_cast, reason = "a number may be a position")]
            fn new(at: usize) -> Self {
                debug_assert!(<$number>::try_from(at).is_ok(), "there are fewer things than numbers");
                Self(at as $number)
            }

            fn at(self) -> usize {
                $name::at(self)
            }
        }
    };
}
pub(crate) use id;

/// A list that is indexed by numbers of one kind.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    list: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// No things.
    pub fn new() -> Self {
        Self::from(Vec::new())
    }

    /// As many equal things as another list has.
    pub fn like<U>(other: &IdVec<I, U>, thing: T) -> Self
    where
        T: Clone,
    {
        Self::from(vec![thing; other.len()])
    }

    /// The number of things.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there is nothing.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number that the next thing gets.
    pub fn next_id(&self) -> I {
        I::new(self.list.len())
    }

    /// Appends a thing.
    pub fn push(&mut self, thing: T) -> I {
        let id = self.next_id();
        self.list.push(thing);
        id
    }

    /// The thing of a number, if the list is that long.
    pub fn get(&self, id: I) -> Option<&T> {
        self.list.get(id.at())
    }

    /// The numbers, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.list.len()).map(I::new)
    }

    /// The things, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.list.iter()
    }

    /// The things with their numbers, in order.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.list.iter().enumerate().map(|(at, thing)| (I::new(at), thing))
    }

    /// Appends things.
    pub fn extend(&mut self, things: impl IntoIterator<Item = T>) {
        self.list.extend(things);
    }

    /// The things from a number on.
    pub fn tail(&self, first: I) -> &[T] {
        &self.list[first.at()..]
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(list: Vec<T>) -> Self {
        Self { list, ids: PhantomData }
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.list[id.at()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.list[id.at()]
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<L: IntoIterator<Item = T>>(list: L) -> Self {
        Self::from(Vec::from_iter(list))
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
