//! Dotted paths into a device file, `engine.odma.queue_depth`: an entry of a `[[...]]` list is addressed by its name.
//!
//! An override's value is given a span past the end of the text, so that whatever later complains about it can say
//! which override it came from.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::hint;
use crate::{DeviceError, Origin, Place};

/// A text, its name, and the overrides of its keys.
pub(super) struct Overrides<'a> {
    text: &'a str,
    file: &'a str,
    sets: &'a [String],
}

impl<'a> Overrides<'a> {
    pub(super) fn new(text: &'a str, file: &'a str, sets: &'a [String]) -> Self {
        Overrides { text, file, sets }
    }

    /// The place of a span: a line of the text, or an override.
    pub(super) fn place(&self, span: Range<usize>) -> Place {
        match span
            .start
            .checked_sub(self.text.len() + 1)
            .and_then(|index| self.sets.get(index))
        {
            Some(set) => Place {
                file: self.file.to_owned(),
                origin: Origin::Override(set.clone()),
            },
            None => Place::line(self.file, self.text, span.start),
        }
    }

    /// Applies all overrides, in order.
    pub(super) fn apply(&self, root: &mut DeTable<'a>) -> Result<(), DeviceError> {
        for (index, set) in self.sets.iter().enumerate() {
            let span = self.text.len() + 1 + index;
            apply(root, set, span..span).map_err(|message| DeviceError::Override {
                set: set.clone(),
                message,
            })?;
        }
        Ok(())
    }
}

/// The span of the value at a path, or of the nearest one around it that exists.
pub(super) fn locate(root: &DeTable<'_>, path: &str) -> Range<usize> {
    let mut keys = path.split('.');
    let Some(first) = keys.next().and_then(|key| root.get(key)) else {
        return 0..0;
    };
    let (mut span, mut value) = (first.span(), first.get_ref());
    for key in keys {
        let next = match value {
            DeValue::Table(table) => table.get(key),
            DeValue::Array(entries) => entries.iter().find(|entry| name_of(entry) == Some(key)),
            _ => None,
        };
        let Some(next) = next else { break };
        (span, value) = (next.span(), next.get_ref());
    }
    span
}

/// The path of the value at exactly that span, the inverse of [`locate`].
pub(super) fn find(root: &DeTable<'_>, span: &Range<usize>) -> Option<String> {
    root.iter().find_map(|(key, value)| find_in(value, span, key.get_ref()))
}

fn find_in(value: &Spanned<DeValue<'_>>, span: &Range<usize>, path: &str) -> Option<String> {
    let deeper = match value.get_ref() {
        DeValue::Table(table) => table
            .iter()
            .find_map(|(key, value)| find_in(value, span, &join(path, key.get_ref()))),
        DeValue::Array(entries) => entries.iter().find_map(|entry| match name_of(entry) {
            Some(name) => find_in(entry, span, &join(path, name)),
            None => find_in(entry, span, path),
        }),
        _ => None,
    };
    // A part of an override has the same span as the whole, which is the better name for it.
    if value.span() == *span {
        Some(path.to_owned())
    } else {
        deeper
    }
}

fn apply<'a>(root: &mut DeTable<'a>, set: &'a str, span: Range<usize>) -> Result<(), String> {
    let (path, value) = set
        .split_once('=')
        .ok_or("an override is `key=value`, e.g. `control.start_cycles=4`")?;
    let keys: Vec<&'a str> = path.split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(format!("`{path}` is not a dotted key such as `control.start_cycles`"));
    }
    put(root, "", &keys, parse(value.trim(), &span))
}

/// Puts a value at `keys` under `table`, whose own path is `walked`. Keys that are not there yet are made within an
/// entry, where they may be optional ones that the file leaves out; whether they mean anything is for the reader of the
/// whole file to say.
fn put<'a>(table: &mut DeTable<'a>, walked: &str, keys: &[&'a str], value: Spanned<DeValue<'a>>) -> Result<(), String> {
    let Some((&key, rest)) = keys.split_first() else {
        return Ok(());
    };
    let mut known: Vec<String> = table.keys().map(|key| key.get_ref().to_string()).collect();
    known.sort_unstable();
    let path = join(walked, key);
    let new_key = Spanned::new(value.span(), Cow::Borrowed(key));
    match (table.get_mut(key).map(Spanned::get_mut), rest) {
        (None, _) if walked.is_empty() => Err(no_such(walked, key, &known)),
        (Some(DeValue::Table(_) | DeValue::Array(_)), []) if walked.is_empty() => {
            Err(format!("`{path}` is not a single value"))
        }
        (_, []) => {
            table.insert(new_key, value);
            Ok(())
        }
        (None, [inner]) if walked.contains('.') => {
            let mut made = DeTable::new();
            let span = value.span();
            made.insert(Spanned::new(span.clone(), Cow::Borrowed(*inner)), value);
            table.insert(new_key, Spanned::new(span, DeValue::Table(made)));
            Ok(())
        }
        (None, _) => Err(no_such(walked, key, &known)),
        (Some(DeValue::Table(inner)), _) => put(inner, &path, rest, value),
        (Some(DeValue::Array(entries)), [name, rest @ ..]) if entries.iter().any(|entry| name_of(entry).is_some()) => {
            let names: Vec<String> = entries.iter().filter_map(name_of).map(str::to_owned).collect();
            let entry = entries.iter_mut().find(|entry| name_of(entry) == Some(name));
            match entry.map(Spanned::get_mut) {
                Some(DeValue::Table(_)) if rest.is_empty() => Err(format!("`{path}.{name}` is not a single value")),
                Some(DeValue::Table(inner)) => put(inner, &join(&path, name), rest, value),
                _ => Err(no_such(&path, name, &names)),
            }
        }
        (Some(_), _) => Err(format!("`{path}` has no keys of its own")),
    }
}

/// A TOML value, or else the text itself as a string, so that `when_full=drop` needs no quotes.
fn parse<'a>(text: &'a str, span: &Range<usize>) -> Spanned<DeValue<'a>> {
    let value = DeValue::parse(text).map_or_else(|_| DeValue::String(Cow::Borrowed(text)), Spanned::into_inner);
    at(value, span)
}

/// The value with every part of it at one span.
fn at<'a>(value: DeValue<'a>, span: &Range<usize>) -> Spanned<DeValue<'a>> {
    let value = match value {
        DeValue::Array(entries) => {
            DeValue::Array(entries.into_iter().map(|entry| at(entry.into_inner(), span)).collect())
        }
        DeValue::Table(table) => DeValue::Table(
            table
                .into_iter()
                .map(|(key, entry)| {
                    (
                        Spanned::new(span.clone(), key.into_inner()),
                        at(entry.into_inner(), span),
                    )
                })
                .collect(),
        ),
        scalar => scalar,
    };
    Spanned::new(span.clone(), value)
}

fn name_of<'v>(entry: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
    entry.get_ref().as_table()?.get("name")?.get_ref().as_str()
}

fn join(walked: &str, key: &str) -> String {
    if walked.is_empty() {
        key.to_owned()
    } else {
        format!("{walked}.{key}")
    }
}

fn no_such(walked: &str, key: &str, known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let within = if walked.is_empty() {
        String::new()
    } else {
        format!(" in `{walked}`")
    };
    format!("there is no `{key}`{within}{}", hint(key, &known))
}
