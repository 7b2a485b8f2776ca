//! MLIR's rule about layouts: no two indices of a memref are at one element.

/// The most elements that are visited one by one if nothing simpler decides.
const MOST: i64 = 1 << 20;

/// Two indices of a strided layout that are at one element; `None` if there are none, or if the layout is neither
/// nested nor small enough to say.
pub(crate) fn two_at_one_element(sizes: &[i64], strides: &[i64]) -> Option<(Vec<i64>, Vec<i64>)> {
    // Dimensions of one element say nothing, and no two elements are few enough.
    if sizes.iter().any(|size| *size <= 0) {
        return None;
    }
    let mut dims: Vec<(usize, i64, u64)> = Vec::new();
    for (dim, (&size, &stride)) in sizes.iter().zip(strides).enumerate() {
        if size > 1 {
            dims.push((dim, size, stride.unsigned_abs()));
        }
    }
    dims.sort_by_key(|dim| dim.2);
    // A dimension that steps over all that the smaller ones reach never meets itself.
    while let Some((&(_, _, stride), smaller)) = dims.split_last() {
        let reach = smaller.iter().fold(0u128, |reach, (_, size, stride)| {
            reach + u128::from(size.unsigned_abs() - 1) * u128::from(*stride)
        });
        if u128::from(stride) <= reach || stride == 0 {
            break;
        }
        dims.pop();
    }
    if dims.is_empty() {
        return None;
    }
    let indices = |of: &[(usize, i64)]| {
        // For a negative stride, the index goes the other way.
        let (mut one, mut other) = (vec![0; sizes.len()], vec![0; sizes.len()]);
        for &(dim, by) in of {
            let by = if strides[dim] < 0 { -by } else { by };
            if by > 0 {
                one[dim] = by;
            } else {
                other[dim] = -by;
            }
        }
        (one, other)
    };
    if let Some((dim, ..)) = dims.iter().find(|dim| dim.2 == 0) {
        return Some(indices(&[(*dim, 1)]));
    }
    for (i, &(one, size, stride)) in dims.iter().enumerate() {
        for &(other, other_size, other_stride) in &dims[i + 1..] {
            let common = gcd(stride, other_stride);
            let (by, back) = (other_stride / common, stride / common);
            if by < size.unsigned_abs() && back < other_size.unsigned_abs() {
                return Some(indices(&[(one, -(by as i64)), (other, back as i64)]));
            }
        }
    }
    if dims.len() == 2 {
        return None;
    }
    one_by_one(&dims).map(|steps| indices(&steps))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The steps from one element to another at the same place, found by looking at all elements.
fn one_by_one(dims: &[(usize, i64, u64)]) -> Option<Vec<(usize, i64)>> {
    let count = dims.iter().try_fold(1i64, |count, dim| count.checked_mul(dim.1));
    let count = count.filter(|count| *count <= MOST)?;
    let point = |mut number: i64| -> Vec<i64> {
        let index = |(_, size, _): &(usize, i64, u64)| {
            let index = number % size;
            number /= size;
            index
        };
        dims.iter().map(index).collect()
    };
    let place = |number: i64| -> u128 {
        let steps = point(number).into_iter().zip(dims);
        steps
            .map(|(index, dim)| u128::from(index.unsigned_abs()) * u128::from(dim.2))
            .sum()
    };
    let mut places: Vec<(u128, i64)> = (0..count).map(|number| (place(number), number)).collect();
    places.sort_unstable();
    let pair = places.windows(2).find(|pair| pair[0].0 == pair[1].0)?;
    let (one, other) = (point(pair[0].1), point(pair[1].1));
    let steps = dims.iter().zip(one).zip(other);
    Some(steps.map(|((dim, one), other)| (dim.0, other - one)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(indices: &[i64], strides: &[i64]) -> i64 {
        indices.iter().zip(strides).map(|(index, stride)| index * stride).sum()
    }

    proptest! {
        #[test]
        fn two_indices_are_found_where_there_are_two(
            dims in prop::collection::vec((1i64..5, -12i64..13), 0..4),
        ) {
            let (sizes, strides): (Vec<i64>, Vec<i64>) = dims.into_iter().unzip();
            let mut all = vec![vec![]];
            for size in &sizes {
                let longer = |index: Vec<i64>| (0..*size).map(move |i| [index.as_slice(), &[i]].concat());
                all = all.into_iter().flat_map(longer).collect();
            }
            let mut places: Vec<i64> = all.iter().map(|index| place(index, &strides)).collect();
            places.sort_unstable();
            places.dedup();
            let found = two_at_one_element(&sizes, &strides);
            prop_assert_eq!(found.is_some(), places.len() < all.len());
            if let Some((one, other)) = found {
                prop_assert!(one != other && all.contains(&one) && all.contains(&other));
                prop_assert_eq!(place(&one, &strides), place(&other, &strides));
            }
        }
    }

    #[test]
    fn sizes_of_every_size_are_answered() {
        for sizes in [[i64::MAX; 3], [0, 5, 5], [1, 1, 1]] {
            two_at_one_element(&sizes, &[i64::MIN, i64::MAX, 1]);
        }
        assert_eq!(two_at_one_element(&[2, 8], &[4, 1]), Some((vec![1, 0], vec![0, 4])));
        assert_eq!(two_at_one_element(&[4, 4], &[0, 1]), Some((vec![1, 0], vec![0, 0])));
        assert_eq!(two_at_one_element(&[4, 4], &[4, 1]), None);
    }
}
