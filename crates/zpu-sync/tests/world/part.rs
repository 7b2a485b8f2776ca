//! Parts of buffers: which elements and bytes they are, and the regions that are said of them.

use super::draw::{Where, index, sum};
use super::{Moment, ROW, ROWS, Value, Variable, World, value_of, value_of_index};
use crate::random::Random;
use zpu_sync::index::{Access, Extent, Facts, Index, Linear, Region, Root, Symbol};

/// Elements of a buffer, with nothing left out: where they are, in each dimension of the base.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) root: Root<World>,
    pub(crate) base: Value,
    pub(crate) extents: Vec<(Index<World>, Linear<World>)>,
}

impl Part {
    pub(crate) fn random(random: &mut Random, place: Where) -> Self {
        let tile = Root::Allocation(Value::Tile);
        let nest = [
            (tile, Value::Tile),
            (tile, Value::Tile),
            (tile, Value::Tile),
            (tile, Value::Pairs),
            (tile, Value::Window),
            (Root::Allocation(Value::Local), Value::Local),
            (Root::Window(Value::Near), Value::Near),
            (Root::Window(Value::Far), Value::Far),
        ];
        let others = [
            (tile, Value::Tile),
            (tile, Value::Pairs),
            (Root::Window(Value::Near), Value::Near),
            (Root::NoAliasArgument(Value::First), Value::First),
            (Root::NoAliasArgument(Value::Second), Value::Second),
            (Root::Argument(Value::Left), Value::Left),
            (Root::Argument(Value::Right), Value::Right),
        ];
        let list = if place == Where::Nest && random.chance(75) {
            &nest[..]
        } else {
            &others[..]
        };
        let (root, base) = random.pick(list).unwrap_or(nest[0]);
        let mut part = Self {
            root,
            base,
            extents: Vec::new(),
        };
        part.draw(random, place);
        part
    }

    pub(crate) fn draw(&mut self, random: &mut Random, place: Where) {
        let extent = |random: &mut Random| {
            let span = match random.below(8) {
                0 => sum(
                    &Linear::symbol(Symbol::Value(Value::Bounded, 0)),
                    &Linear::constant(1),
                    1,
                ),
                _ => Linear::constant(random.number(1, 3)),
            };
            (index(random, place), span)
        };
        self.extents = World::shape(self.base).iter().map(|_| extent(random)).collect();
        if random.chance(8) {
            // All of it.
            let all = World::shape(self.base).into_iter().map(|size| {
                let size = Linear::constant(size.unwrap_or(ROW));
                (Index::constant(0), size)
            });
            self.extents = all.collect();
        }
    }

    /// Another part, of the same buffer more often than not.
    pub(crate) fn beside(&self, random: &mut Random, place: Where) -> Self {
        if random.chance(25) {
            return Self::random(random, place);
        }
        let mut other = self.clone();
        if place == Where::Nest && matches!(self.root, Root::Window(_)) && random.chance(50) {
            // The same place in the other window.
            other.base = if self.base == Value::Near {
                Value::Far
            } else {
                Value::Near
            };
            other.root = Root::Window(other.base);
            let gap = Index::constant(address(self.base) - address(other.base) + random.number(-3, 3));
            for (offset, _) in &mut other.extents {
                *offset = offset.add_scaled(&gap, 1).unwrap_or(gap.clone());
            }
            return other;
        }
        if random.chance(30) {
            other.draw(random, place);
            return other;
        }
        // Not far away.
        for (offset, _) in &mut other.extents {
            let gap = Index::constant(random.number(-3, 3));
            *offset = offset.add_scaled(&gap, 1).unwrap_or(gap);
        }
        other
    }

    /// The region, as far as somebody knows it.
    pub(crate) fn region(&self, random: &mut Random) -> Region<World> {
        let known = random.chance(90);
        let extents = self.extents.iter().map(|(offset, span)| Extent {
            offset: offset.clone(),
            span: Some(span.clone()).filter(|_| random.chance(95)),
            exact: random.chance(85),
        });
        let extents = extents.collect();
        Region {
            root: self.root,
            base: self.base,
            extents: Some(extents).filter(|_| known),
            bytes: self.bytes().filter(|_| random.chance(80)),
        }
    }

    pub(crate) fn bytes(&self) -> Option<Extent<World>> {
        let (first, length) = match (self.base, self.extents.as_slice()) {
            (Value::Tile, [(row, rows), (column, columns)]) => (
                column.add_scaled(row, ROW)?,
                columns.add_scaled(rows, ROW)?.add_scaled(&Linear::constant(ROW), -1)?,
            ),
            (Value::Pairs, [(first, length)]) => (Index::constant(0).add_scaled(first, 2)?, length.scale(2)?),
            (Value::Window, [(first, length)]) => {
                let beginning = Index::Linear(Linear::symbol(Symbol::Value(Value::OfOuter, 0)));
                (first.add_scaled(&beginning, 4)?, length.clone())
            }
            (base, [(first, length)]) => (first.add_scaled(&Index::constant(address(base)), 1)?, length.clone()),
            _ => return None,
        };
        Some(Extent {
            offset: first,
            span: Some(length),
            exact: false,
        })
    }

    /// The elements at a moment: in each dimension, from the first to the one after the last.
    pub(crate) fn elements(&self, now: &Moment) -> Vec<(i64, i64)> {
        let now = [*now; 2];
        let extents = self.extents.iter();
        extents
            .map(|(offset, span)| {
                let first = value_of_index(offset, &now);
                (first, first + value_of(span, &now))
            })
            .collect()
    }

    /// The bytes at a moment; of a tile those of each row.
    pub(crate) fn rows_of_bytes(&self, now: &Moment) -> Vec<(i64, i64)> {
        match (self.base, self.elements(now).as_slice()) {
            (Value::Tile, [rows, columns]) => (rows.0..rows.1)
                .map(|row| (ROW * row + columns.0, ROW * row + columns.1))
                .collect(),
            (Value::Pairs, [(from, to)]) => vec![(2 * from, 2 * to)],
            (Value::Window, [(from, to)]) => {
                let beginning = 4 * now[Variable::OfOuter as usize];
                vec![(beginning + from, beginning + to)]
            }
            (base, elements) => elements
                .iter()
                .map(|(from, to)| (address(base) + from, address(base) + to))
                .collect(),
        }
    }

    /// Whether the two have something in common: in the coordinates of one base, or else in bytes. Two buffers that may
    /// overlap do, wherever somebody wants it.
    pub(crate) fn meets(&self, now: &Moment, other: &Self, then: &Moment, is_one_iteration: bool) -> bool {
        let are_windows = matches!((self.root, other.root), (Root::Window(_), Root::Window(_)));
        if self.root != other.root && !are_windows {
            let is_plain = |root: Root<World>| matches!(root, Root::Argument(_));
            let may_be_plain = |root: Root<World>| matches!(root, Root::NoAliasArgument(_) | Root::Window(_));
            return is_plain(self.root) && is_plain(other.root)
                || is_plain(self.root) && may_be_plain(other.root)
                || is_plain(other.root) && may_be_plain(self.root);
        }
        if self.base == other.base && self.base != Value::Window {
            return (is_one_iteration || self.base != Value::Local)
                && all_meet(&self.elements(now), &other.elements(then));
        }
        let others = other.rows_of_bytes(then);
        self.rows_of_bytes(now)
            .iter()
            .any(|own| others.iter().any(|other| meet(*own, *other)))
    }

    /// Whether all of it is in the memory.
    pub(crate) fn is_inside(&self, now: &Moment) -> bool {
        let sizes = World::shape(self.base);
        let fits = |((from, to), size): (&(i64, i64), &Option<i64>)| *from >= 0 && size.is_none_or(|size| *to <= size);
        let rows = self.rows_of_bytes(now);
        self.elements(now).iter().zip(&sizes).all(fits)
            && rows
                .iter()
                .all(|row| row.0 >= address(self.base) && row.1 <= address(self.base) + ROWS * ROW)
    }
}

/// The first byte, from where those of its root are counted.
fn address(base: Value) -> i64 {
    World::window(base).map_or(0, |window| window.first)
}

pub(crate) fn meet(left: (i64, i64), right: (i64, i64)) -> bool {
    left.0 < right.1 && right.0 < left.1
}

pub(crate) fn all_meet(left: &[(i64, i64)], right: &[(i64, i64)]) -> bool {
    left.iter().zip(right).all(|(left, right)| meet(*left, *right))
}

pub(crate) fn access(region: Region<World>, write: bool) -> Access<World> {
    Access {
        region,
        write,
        full: true,
        whole_of: None,
        ends: false,
    }
}
