//! Reading JSON values, with the path to what is wrong.

use serde_json::{Map, Value};

use super::ReadError;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct At<'v> {
    pub(super) value: &'v Value,
    pub(super) path: String,
}

impl<'v> At<'v> {
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::At {
            path: self.path.clone(),
            message: message.into(),
        }
    }

    /// The value of a key of an object.
    pub(super) fn get(&self, key: &str) -> Option<At<'v>> {
        let value = self.value.get(key)?;
        let path = if self.path == "document" {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        Some(At { value, path })
    }

    /// The value of a key that must be there.
    pub(super) fn need(&self, key: &str) -> Result<At<'v>, ReadError> {
        self.get(key)
            .ok_or_else(|| self.error(format!("key `{key}` is missing")))
    }

    /// An object that has no other keys than these.
    pub(super) fn object(&self, keys: &[&str]) -> Result<&'v Map<String, Value>, ReadError> {
        let Value::Object(object) = self.value else {
            return Err(self.error(format!("is {}, must be an object", shown(self.value))));
        };
        match object.keys().find(|key| !keys.contains(&key.as_str())) {
            None => Ok(object),
            Some(unknown) => Err(self.error(format!("unknown key `{unknown}`; {}", nearest(unknown, keys)))),
        }
    }

    /// The entries of a list.
    pub(super) fn list(&self) -> Result<Vec<At<'v>>, ReadError> {
        let Value::Array(list) = self.value else {
            return Err(self.error(format!("is {}, must be a list", shown(self.value))));
        };
        let at = |(place, value)| At {
            value,
            path: format!("{}[{place}]", self.path),
        };
        Ok(list.iter().enumerate().map(at).collect())
    }

    pub(super) fn text(&self) -> Result<&'v str, ReadError> {
        self.value
            .as_str()
            .ok_or_else(|| self.error(format!("is {}, must be a text", shown(self.value))))
    }

    pub(super) fn integer(&self) -> Result<i64, ReadError> {
        self.value
            .as_i64()
            .ok_or_else(|| self.error(format!("is {}, must be an integer of 64 bits", shown(self.value))))
    }

    /// A number that is not negative.
    pub(super) fn count(&self, limit: u64) -> Result<u64, ReadError> {
        let number = self.value.as_u64().filter(|&number| number <= limit);
        number.ok_or_else(|| {
            self.error(format!(
                "is {}, must be an integer from 0 to {limit}",
                shown(self.value)
            ))
        })
    }

    /// A number of elements or iterations.
    pub(super) fn extent(&self) -> Result<i64, ReadError> {
        let is_dynamic = match self.value {
            Value::Null => true,
            Value::String(text) => text == "?",
            value => value.as_i64() == Some(-1) || value.as_i64() == Some(i64::MIN),
        };
        if is_dynamic {
            return Err(self.error(format!(
                "is {}, a dynamic extent; give its upper bound",
                shown(self.value)
            )));
        }
        self.integer()
    }

    pub(super) fn extents(&self) -> Result<Vec<i64>, ReadError> {
        self.list()?.iter().map(At::extent).collect()
    }

    pub(super) fn integers(&self) -> Result<Vec<i64>, ReadError> {
        self.list()?.iter().map(At::integer).collect()
    }

    pub(super) fn counts(&self, limit: u64) -> Result<Vec<usize>, ReadError> {
        let count = |at: &At<'_>| Ok(usize::try_from(at.count(limit)?).unwrap_or(usize::MAX));
        self.list()?.iter().map(count).collect()
    }
}

/// A value as it is written, cut if it is long.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// The known key that is most like an unknown one.
fn nearest(unknown: &str, keys: &[&str]) -> String {
    let distance = |key: &&&str| strsim::damerau_levenshtein(&unknown.chars().take(64).collect::<String>(), key);
    match keys.iter().min_by_key(distance) {
        Some(key) if distance(&key) <= key.len().max(3) / 2 => format!("did you mean `{key}`?"),
        Some(key) => format!("the nearest known key is `{key}`"),
        None => "there are none".to_owned(),
    }
}
