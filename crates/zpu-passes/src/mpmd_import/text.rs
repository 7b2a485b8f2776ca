//! The texts of Shardy's attributes and types, which arrive as the dialect `mpmd` prints them.
//!
//! Invariant: a text is read to its end; what is between is kept or named, never skipped.

/// A named mesh of a topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mesh {
    pub(super) name: String,
    /// Its axes as they are written, `["x"=2]`.
    pub(super) axes: String,
}

/// `mesh_tensor<"m1", tensor<4x8xf32>, sharding=..., memory_kind=...>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MeshTensor<'t> {
    pub(super) mesh: String,
    pub(super) tensor: &'t str,
    /// Whatever else is written, an entry each.
    pub(super) rest: Vec<&'t str>,
}

/// Reads `topology<<"m1" : <["x"=2]>>, ...>`.
pub(super) fn topology(text: &str) -> Option<Vec<Mesh>> {
    let mut meshes = Vec::new();
    for entry in split(within(text, "topology<", ">")?)? {
        let inner = within(entry, "<", ">")?;
        let (name, rest) = string(inner)?;
        let axes = within(rest.trim_start().strip_prefix(':')?.trim(), "<", ">")?;
        meshes.push(Mesh {
            name,
            axes: axes.trim().to_owned(),
        });
    }
    Some(meshes)
}

/// Reads `user_origin<"f"(1)>`: name and transpose count.
pub(super) fn origin(text: &str) -> Option<(String, i64)> {
    let (name, rest) = string(within(text, "user_origin<", ">")?)?;
    let count = match rest.trim() {
        "" => 0,
        rest => within(rest, "(", ")")?
            .trim()
            .parse()
            .ok()
            .filter(|count| *count >= 0)?,
    };
    Some((name, count))
}

/// Reads a `mesh_tensor<...>`.
pub(super) fn mesh_tensor(text: &str) -> Option<MeshTensor<'_>> {
    let mut entries = split(within(text, "mesh_tensor<", ">")?)?.into_iter();
    let (mesh, rest) = string(entries.next()?)?;
    let tensor = entries.next()?;
    rest.trim().is_empty().then(|| MeshTensor {
        mesh,
        tensor,
        rest: entries.collect(),
    })
}

/// The text between `open` and `close`, which are its ends.
fn within<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    text.trim().strip_prefix(open)?.strip_suffix(close)
}

/// The string with which a text begins, and what follows. MLIR writes bytes that cannot be printed as `\` and two
/// hexadecimal digits.
fn string(text: &str) -> Option<(String, &str)> {
    let inner = text.trim_start().strip_prefix('"')?;
    let mut bytes = Vec::new();
    let mut at = 0;
    loop {
        match *inner.as_bytes().get(at)? {
            b'"' => break,
            b'\\' => {
                let next = *inner.as_bytes().get(at + 1)?;
                match next {
                    b'"' | b'\\' => bytes.push(next),
                    b'n' => bytes.push(b'\n'),
                    b't' => bytes.push(b'\t'),
                    _ => {
                        bytes.push(u8::from_str_radix(inner.get(at + 1..at + 3)?, 16).ok()?);
                        at += 1;
                    }
                }
                at += 2;
            }
            byte => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    Some((String::from_utf8(bytes).ok()?, &inner[at + 1..]))
}

/// The entries between commas that stand in no bracket and no string. Nothing if brackets do not fit.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut entries, mut open, mut begin, mut at) = (Vec::new(), Vec::new(), 0, 0);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let (_, rest) = string(&text[at..])?;
                at = text.len() - rest.len();
                continue;
            }
            b'<' | b'[' | b'(' | b'{' => open.push(byte),
            // `->` in a type of functions closes nothing.
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b']' | b')' | b'}' => {
                let fits = matches!(
                    (open.pop()?, byte),
                    (b'<', b'>') | (b'[', b']') | (b'(', b')') | (b'{', b'}')
                );
                if !fits {
                    return None;
                }
            }
            b',' if open.is_empty() => {
                entries.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let last = text[begin..].trim();
    if !last.is_empty() || begin > 0 {
        entries.push(last);
    }
    (open.is_empty() && entries.iter().all(|entry| !entry.is_empty())).then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_are_read() {
        let meshes = topology(r#"topology<<"m,1" : <["x"=2, "y"=4]>>, <"m2/cpu": <["z"=3]>>>"#);
        let meshes = meshes.unwrap_or_default();
        let read: Vec<(&str, &str)> = meshes.iter().map(|mesh| (&*mesh.name, &*mesh.axes)).collect();
        assert_eq!(read, [("m,1", r#"["x"=2, "y"=4]"#), ("m2/cpu", r#"["z"=3]"#)]);
        for bad in [
            "topology<",
            "topology<<m : <[]>>>",
            r#"topology<<"m" : <["x"=2>>>"#,
            r#"topology<<"m">>"#,
        ] {
            assert_eq!(topology(bad), None, "{bad}");
        }
    }

    #[test]
    fn origins_are_read() {
        assert_eq!(origin(r#"user_origin<"f">"#), Some(("f".to_owned(), 0)));
        assert_eq!(origin(r#"user_origin<"f\22(x)"(2)>"#), Some(("f\"(x)".to_owned(), 2)));
        for bad in [
            r#"user_origin<"f"(-1)>"#,
            r#"user_origin<"f"(x)>"#,
            r#"user_origin<"f>"#,
            r#"origin<"f">"#,
        ] {
            assert_eq!(origin(bad), None, "{bad}");
        }
    }

    #[test]
    fn mesh_tensors_are_read() {
        let text = r#"mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"x"}, {?}]>, memory_kind="pinned_host">"#;
        let read = mesh_tensor(text);
        let read = read.as_ref().map(|read| (&*read.mesh, read.tensor, &read.rest[..]));
        let rest: &[&str] = &[r#"sharding=<@mesh, [{"x"}, {?}]>"#, r#"memory_kind="pinned_host""#];
        assert_eq!(read, Some(("m1", "tensor<4x8xf32>", rest)));
        for bad in [
            r#"mesh_tensor<"m1">"#,
            r#"mesh_tensor<"m1", tensor<4xf32>,>"#,
            r#"mesh_tensor<"m1"x, tensor<4xf32>>"#,
        ] {
            assert_eq!(mesh_tensor(bad), None, "{bad}");
        }
    }
}
