//! Text tables with a header, columns as wide as their widest cell.
//!
//! Invariant: the first column is aligned left, all others right, and no line ends in a space.

/// Lays out `rows` under `header`; every row has as many cells as the header.
pub(crate) fn layout(header: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..header.len())
        .map(|column| {
            let cells = rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count());
            cells.chain([header[column].chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let line = |cells: Vec<&str>| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    let mut text = line(header.to_vec());
    text.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    text
}

/// A count with a comma between groups of three digits.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![
            vec!["a".to_owned(), "1".to_owned()],
            vec!["longer".to_owned(), "22".to_owned()],
        ];
        assert_eq!(layout(&["name", "n"], &rows), "name     n\na        1\nlonger  22\n");
    }

    #[test]
    fn digits_are_grouped_by_three() {
        let texts: Vec<_> = [0, 12, 999, 1000, 1234567].map(grouped).to_vec();
        assert_eq!(texts, ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
