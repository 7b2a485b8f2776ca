//! Tokens, moved from the coordinates of a view to those of what it is a view of.
//!
//! Invariant: a moved token has the same elements in the same sequence, up to the order of its lanes among dimensions
//! of one element. A box that is none in the source gives nothing.

use super::affine::Affine;

/// The box of elements that one event touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// First element along each dimension.
    pub(crate) origin: Vec<Affine>,
    /// Elements along each dimension.
    pub(crate) size: Vec<i64>,
    /// Distance of neighbouring elements along each dimension.
    pub(crate) dilation: Vec<i64>,
    /// Dimensions in the order in which elements follow each other, slowest first.
    pub(crate) lanes: Vec<usize>,
}

/// One dimension of a token.
struct Side {
    origin: Affine,
    size: i64,
    dilation: i64,
}

impl Side {
    fn one(origin: Affine) -> Side {
        Side {
            origin,
            size: 1,
            dilation: 1,
        }
    }
}

impl Token {
    /// A dense box, row by row.
    pub(crate) fn dense(origin: Vec<Affine>, size: Vec<i64>) -> Token {
        let rank = size.len();
        Token {
            origin,
            size,
            dilation: vec![1; rank],
            lanes: (0..rank).collect(),
        }
    }

    /// A single element.
    pub(crate) fn element(origin: Vec<Affine>) -> Token {
        let size = vec![1; origin.len()];
        Token::dense(origin, size)
    }

    fn side(&self, dimension: usize) -> Option<Side> {
        Some(Side {
            origin: self.origin.get(dimension)?.clone(),
            size: *self.size.get(dimension)?,
            dilation: *self.dilation.get(dimension)?,
        })
    }

    /// Dimensions of the source in the order of their lanes. `of` are those of the source that a dimension of the view
    /// is, slowest first; dimensions of the source that the view leaves out come first.
    fn lanes_of(&self, rank: usize, of: &[Vec<usize>]) -> Option<Vec<usize>> {
        let mut kept: Vec<usize> = Vec::new();
        // The fastest lane of a dimension of the source that several of the view walk is where it stands.
        for &lane in self.lanes.iter().rev() {
            for &dimension in of.get(lane)?.iter().rev() {
                if !kept.contains(&dimension) {
                    kept.push(dimension);
                }
            }
        }
        kept.reverse();
        let mut lanes: Vec<usize> = (0..rank).filter(|dimension| !kept.contains(dimension)).collect();
        lanes.extend(kept);
        Some(lanes)
    }

    fn of_sides(sides: Vec<Side>, lanes: Vec<usize>) -> Token {
        let mut token = Token::dense(Vec::new(), Vec::new());
        for side in sides {
            token.origin.push(side.origin);
            token.size.push(side.size);
            token.dilation.push(if side.size == 1 { 1 } else { side.dilation });
        }
        token.lanes = lanes;
        token
    }

    /// The token that touches what these do at once, each once: taps of a window, which lie in a grid.
    pub(crate) fn joined(tokens: &[Token]) -> Option<Token> {
        let (first, others) = tokens.split_first()?;
        let rank = first.size.len();
        if others.is_empty() {
            return Some(first.clone());
        }
        let mut places: Vec<Vec<i64>> = Vec::new();
        for token in tokens {
            if token.size.iter().any(|size| *size != 1) {
                return None;
            }
            let distance = |dimension: usize| {
                token
                    .origin
                    .get(dimension)?
                    .plus(&first.origin[dimension], -1)?
                    .as_constant()
            };
            places.push((0..rank).map(distance).collect::<Option<_>>()?);
        }
        places.sort_unstable();
        places.dedup();
        let mut joined = first.clone();
        let mut grid: Vec<Vec<i64>> = vec![Vec::new()];
        for dimension in 0..rank {
            let mut own: Vec<i64> = places.iter().map(|place| place[dimension]).collect();
            own.sort_unstable();
            own.dedup();
            let step = own.get(1).map_or(Some(1), |second| second.checked_sub(own[0]))?;
            joined.origin[dimension] = joined.origin[dimension].plus(&Affine::constant(own[0]), 1)?;
            joined.size[dimension] = i64::try_from(own.len()).ok()?;
            joined.dilation[dimension] = step;
            if own.windows(2).any(|pair| pair[1].checked_sub(pair[0]) != Some(step))
                || !places.len().is_multiple_of(own.len())
            {
                return None;
            }
            grid = grid
                .into_iter()
                .flat_map(|at| own.iter().map(move |place| [at.as_slice(), &[*place]].concat()))
                .collect();
            if grid.len() > places.len() {
                return None;
            }
        }
        (grid == places).then_some(joined)
    }

    /// Of a view that begins at `offsets` and takes every `steps`-th element; `kept` are the dimensions of the source
    /// that those of the view are.
    pub(crate) fn out_of_slice(&self, offsets: &[Affine], steps: &[i64], kept: &[usize]) -> Option<Token> {
        let mut sides: Vec<Side> = offsets.iter().cloned().map(Side::one).collect();
        for (dimension, &source) in kept.iter().enumerate() {
            let (own, step) = (self.side(dimension)?, *steps.get(source)?);
            let side = sides.get_mut(source)?;
            side.origin = side.origin.plus(&own.origin, step)?;
            side.size = own.size;
            side.dilation = own.dilation.checked_mul(step)?;
        }
        let of: Vec<Vec<usize>> = kept.iter().map(|&source| vec![source]).collect();
        let lanes = self.lanes_of(offsets.len(), &of)?;
        Some(Token::of_sides(sides, lanes))
    }

    /// Of a view whose dimension i is dimension `dims[i]` of the source.
    pub(crate) fn out_of_permutation(&self, dims: &[usize]) -> Option<Token> {
        let origin = vec![Affine::default(); dims.len()];
        self.out_of_slice(&origin, &vec![1; dims.len()], dims)
    }

    /// Of a view of extents `shape` in which each of `groups` is one dimension of the source.
    pub(crate) fn out_of_expansion(&self, groups: &[Vec<usize>], shape: &[i64]) -> Option<Token> {
        let mut of = vec![Vec::new(); shape.len()];
        let mut sides = Vec::new();
        for (source, group) in groups.iter().enumerate() {
            let mut joined = Side::one(Affine::default());
            let mut pitch = 1i64;
            for &dimension in group.iter().rev() {
                let own = self.side(dimension)?;
                joined.origin = joined.origin.plus(&own.origin, pitch)?;
                let step = own.dilation.checked_mul(pitch)?;
                if joined.size == 1 {
                    (joined.size, joined.dilation) = (own.size, step);
                } else if own.size != 1 {
                    // The outer dimension goes on where the inner one ends.
                    if joined.size.checked_mul(joined.dilation)? != step {
                        return None;
                    }
                    joined.size = joined.size.checked_mul(own.size)?;
                }
                pitch = pitch.checked_mul(*shape.get(dimension)?)?;
                of.get_mut(dimension)?.push(source);
            }
            sides.push(joined);
        }
        let lanes = self.lanes_of(groups.len(), &of)?;
        // Elements that walk one dimension are one run only if they follow each other in that order.
        let walks = |group: &Vec<usize>| {
            let wide = || {
                self.lanes
                    .iter()
                    .filter(|lane| self.size.get(**lane).is_some_and(|n| *n > 1))
            };
            let own: Vec<usize> = wide().copied().filter(|lane| group.contains(lane)).collect();
            let places: Vec<usize> = wide()
                .enumerate()
                .filter(|(_, lane)| group.contains(lane))
                .map(|(at, _)| at)
                .collect();
            own.is_sorted() && places.windows(2).all(|pair| pair[0] + 1 == pair[1])
        };
        groups.iter().all(walks).then(|| Token::of_sides(sides, lanes))
    }

    /// Of a view in which each of `groups` of dimensions of the source, of extents `shape`, is one dimension.
    pub(crate) fn out_of_collapse(&self, groups: &[Vec<usize>], shape: &[i64]) -> Option<Token> {
        let mut sides: Vec<Option<Side>> = shape.iter().map(|_| None).collect();
        for (dimension, group) in groups.iter().enumerate() {
            let mut rest = self.side(dimension)?;
            for (place, &source) in group.iter().enumerate().rev() {
                let extent = *shape.get(source)?;
                let is_last = place == 0;
                let (inner, outer) = if is_last { (rest, None) } else { rest.split(extent)? };
                *sides.get_mut(source)? = Some(inner);
                match outer {
                    Some(outer) => rest = outer,
                    None => break,
                }
            }
        }
        let sides: Vec<Side> = sides.into_iter().collect::<Option<_>>()?;
        let lanes = self.lanes_of(shape.len(), groups)?;
        Some(Token::of_sides(sides, lanes))
    }
}

impl Side {
    /// The part within rows of an extent, and the part that is rows; nothing if an end of a row is crossed.
    fn split(self, extent: i64) -> Option<(Side, Option<Side>)> {
        let row = self.origin.quotient(extent)?;
        let column = self.origin.remainder(extent)?;
        if self.size == 1 {
            return Some((Side::one(column), Some(Side::one(row))));
        }
        let reach = self.size.checked_mul(self.dilation)?;
        if self.dilation % extent == 0 {
            // Whole rows apart.
            let rows = Side {
                dilation: self.dilation / extent,
                origin: row,
                ..self
            };
            return Some((Side::one(column), Some(rows)));
        }
        if extent % reach == 0 && self.origin.moves_by(reach) {
            // Within a row wherever it begins, if it does once.
            let first = column_of(&self.origin, extent, reach)?;
            let last = first.checked_add((self.size - 1).checked_mul(self.dilation)?)?;
            let part = Side { origin: column, ..self };
            return (last < reach).then_some((part, Some(Side::one(row))));
        }
        if extent % self.dilation == 0 && reach % extent == 0 && self.origin.moves_by(extent) {
            let first = column_of(&self.origin, extent, extent)?;
            let whole = first < self.dilation;
            let rows = Side {
                origin: row,
                size: reach / extent,
                dilation: 1,
            };
            let part = Side {
                origin: column,
                size: extent / self.dilation,
                dilation: self.dilation,
            };
            return whole.then_some((part, Some(rows)));
        }
        None
    }
}

/// The place within a unit of what moves by units only.
fn column_of(origin: &Affine, extent: i64, unit: i64) -> Option<i64> {
    debug_assert!(extent % unit == 0, "units fill rows");
    origin.remainder(unit)?.as_constant()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coordinates of all elements, in their sequence, at an index of the only loop.
    fn elements(token: &Token, index: i64) -> Vec<Vec<i64>> {
        let origin: Vec<i64> = token
            .origin
            .iter()
            .map(|each| {
                each.expr(0)
                    .and_then(|expr| expr.evaluate(&[index]))
                    .unwrap_or(i64::MIN)
            })
            .collect();
        let mut all = vec![origin];
        for &lane in &token.lanes {
            let places = 0..token.size[lane];
            all = all
                .into_iter()
                .flat_map(|at| {
                    places.clone().map(move |place| {
                        let mut at = at.clone();
                        at[lane] += place * token.dilation[lane];
                        at
                    })
                })
                .collect();
        }
        all
    }

    fn flat(at: &[i64], shape: &[i64]) -> i64 {
        at.iter().zip(shape).fold(0, |flat, (at, extent)| flat * extent + at)
    }

    #[test]
    fn a_collapse_keeps_elements_and_their_sequence() {
        let mut moved = 0;
        let (shape, groups) = ([4, 3, 8], [vec![0, 1, 2]]);
        for size in 1..=48 {
            for dilation in [1, 2, 3, 4, 8, 24] {
                for (step, base) in [(0, 0), (1, 0), (4, 0), (8, 0), (24, 0), (24, 1), (8, 6), (12, 3)] {
                    let origin = Affine::constant(base).plus(&Affine::index(0), step).unwrap_or_default();
                    let token = Token {
                        origin: vec![origin],
                        size: vec![size],
                        dilation: vec![dilation],
                        lanes: vec![0],
                    };
                    let Some(source) = token.out_of_collapse(&groups, &shape) else {
                        continue;
                    };
                    moved += 1;
                    for index in 0..4 {
                        let own: Vec<i64> = elements(&token, index).iter().map(|at| at[0]).collect();
                        let theirs: Vec<i64> = elements(&source, index).iter().map(|at| flat(at, &shape)).collect();
                        assert_eq!(own, theirs, "{size} by {dilation} from {base} + {step} i");
                    }
                }
            }
        }
        assert!(moved > 100, "only {moved} are boxes");
    }

    #[test]
    fn an_expansion_keeps_elements_and_their_sequence() {
        let mut moved = 0;
        let (shape, groups) = ([2, 3, 4], [vec![0, 1, 2]]);
        for size in [
            [1, 1, 4],
            [1, 3, 4],
            [2, 3, 4],
            [1, 2, 1],
            [2, 1, 1],
            [1, 2, 4],
            [2, 1, 4],
            [1, 2, 2],
        ] {
            for lanes in [[0, 1, 2], [2, 1, 0], [0, 2, 1]] {
                let origin = vec![Affine::default(), Affine::default(), Affine::default()];
                let token = Token {
                    lanes: lanes.to_vec(),
                    ..Token::dense(origin, size.to_vec())
                };
                let Some(source) = token.out_of_expansion(&groups, &shape) else {
                    continue;
                };
                moved += 1;
                let own: Vec<i64> = elements(&token, 0).iter().map(|at| flat(at, &shape)).collect();
                let theirs: Vec<i64> = elements(&source, 0).iter().map(|at| at[0]).collect();
                assert_eq!(own, theirs, "{size:?} in lanes {lanes:?}");
            }
        }
        assert!(moved > 8, "only {moved} are boxes");
    }

    #[test]
    fn taps_that_lie_in_a_grid_are_one_window() {
        let at = |i: i64, j: i64| {
            let place = |from: i64, index| {
                Affine::constant(from)
                    .plus(&Affine::index(index), 1)
                    .unwrap_or_default()
            };
            Token::element(vec![place(i, 0), place(j, 1)])
        };
        let taps: Vec<Token> = [-1, 1]
            .into_iter()
            .flat_map(|i| (0..3).map(move |j| (i, j)))
            .map(|(i, j)| at(i, j))
            .collect();
        let window = Token::joined(&taps);
        assert_eq!(
            window
                .as_ref()
                .map(|window| (window.size.clone(), window.dilation.clone())),
            Some((vec![2, 3], vec![2, 1]))
        );
        assert_eq!(window.map(|window| window.origin), Some(at(-1, 0).origin));
        assert_eq!(Token::joined(&[at(0, 0), at(0, 0)]), Some(at(0, 0)));
        assert_eq!(Token::joined(&[at(0, 0), at(1, 1)]), None);
        assert_eq!(Token::joined(&[at(0, 0), at(0, 1), at(0, 3)]), None);
        let turned = Token::element(vec![Affine::index(1), Affine::index(0)]);
        assert_eq!(Token::joined(&[at(0, 0), turned]), None);
    }

    #[test]
    fn a_slice_moves_and_a_dropped_dimension_stays_in_front() {
        let token = Token::dense(vec![Affine::index(0), Affine::default()], vec![2, 3]);
        let offsets = [Affine::constant(1), Affine::constant(5), Affine::default()];
        let source = token
            .out_of_slice(&offsets, &[1, 1, 4], &[0, 2])
            .map(|token| elements(&token, 2));
        let expected = [[3, 5, 0], [3, 5, 4], [3, 5, 8], [4, 5, 0], [4, 5, 4], [4, 5, 8]];
        assert_eq!(source, Some(expected.map(|each| each.to_vec()).to_vec()));
        let turned = token.out_of_permutation(&[1, 0]).map(|token| elements(&token, 2));
        let expected = [[0, 2], [1, 2], [2, 2], [0, 3], [1, 3], [2, 3]];
        assert_eq!(turned, Some(expected.map(|each| each.to_vec()).to_vec()));
    }
}
