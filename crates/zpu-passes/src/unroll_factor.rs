//! The number of iterations of a loop that become one, where so many are allowed.

/// The factor for a loop: all iterations, or as many as are allowed; fewer, but more than half, if nothing is left over
/// then.
pub(crate) fn factor(trips: Option<i64>, allowed: i64) -> i64 {
    match trips {
        Some(trips) if trips <= allowed => trips,
        Some(trips) => {
            let mut even = (allowed / 2 + 1..=allowed).rev().filter(|factor| trips % factor == 0);
            even.next().unwrap_or(allowed)
        }
        None => allowed,
    }
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn a_factor_leaves_nothing_over_if_it_can() {
        assert_eq!(factor(Some(3), 8), 3);
        assert_eq!(factor(Some(8), 8), 8);
        assert_eq!(factor(Some(36), 8), 6);
        assert_eq!(factor(Some(22), 8), 8);
        assert_eq!(factor(Some(21), 8), 7);
        assert_eq!(factor(None, 8), 8);
        assert_eq!(factor(Some(0), 8), 0);
        assert_eq!(factor(Some(9), 1), 1);
    }
}
