//! The search space: axes with their values, and the configurations that they make.
//!
//! Invariant: a configuration is a number, the position in the product of all axes, the last axis changing fastest.
//! The order of the axes is that of the file.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most configurations of a space.
pub const MOST_CONFIGURATIONS: usize = 1_000_000;

/// A value of an axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A truth.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A text.
    Text(String),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl Setting {
    /// The value as a script has it, texts in quotes.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Text(text) => format!("\"{text}\""),
            Self::Bool(_) | Self::Int(_) => self.to_string(),
        }
    }
}

/// The part of the work that an axis changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A `transform.tune.knob` or `transform.tune.alternatives` of the script.
    Knob,
    /// An option of `--zpu-pipeline`.
    Pipeline,
    /// A key of the device, as in `set=KEY=VALUE`.
    Device,
}

/// A parameter with the values that are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The part of the work that it changes.
    pub part: Part,
    /// The parameter's name.
    pub name: String,
    /// Values, at least one, none of them twice.
    pub values: Vec<Setting>,
}

/// A space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// The transform script, as a path beside the space's file.
    pub script: Option<String>,
    /// The device, as a name or a path.
    pub device: Option<String>,
    /// The function.
    pub entry: Option<String>,
    /// Axes.
    pub axes: Vec<Axis>,
}

/// The reason why a text is no space.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// Bad TOML, or a table of another form.
    #[error("{0}")]
    Toml(String),
    /// Not a table of the format.
    #[error("unknown key `{key}`; a space has {known}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that there are.
        known: String,
    },
    /// An option of the pipeline that the space says elsewhere.
    #[error("`pipeline.{option}` is no axis; {instead}")]
    Elsewhere {
        /// The option.
        option: String,
        /// The place for it.
        instead: &'static str,
    },
    /// A value of another type.
    #[error("`{key}` has to be {wanted}")]
    Type {
        /// The key.
        key: String,
        /// The type, in words.
        wanted: &'static str,
    },
    /// An axis without values.
    #[error("`{0}` has no values; give at least one, or leave the key out")]
    Empty(String),
    /// A value twice.
    #[error("`{key}` has the value {value} twice; write it once")]
    Twice {
        /// The axis.
        key: String,
        /// The value.
        value: String,
    },
    /// A text that is none for an option.
    #[error(
        "`{key}` has the value `{value}`; an option takes one word without spaces and braces, commas in brackets only"
    )]
    Word {
        /// The axis.
        key: String,
        /// The value.
        value: String,
    },
    /// Too many configurations.
    #[error("the space has more than {MOST_CONFIGURATIONS} configurations; take values out, or several axes apart")]
    TooLarge,
}

/// Stands for all values that a script lists for a parameter.
pub(crate) const ALL: &str = "all";

const KEYS: [&str; 6] = ["script", "device", "entry", "knobs", "pipeline", "set"];

impl Space {
    /// Reads a space of the format in docs/tuning.md.
    ///
    /// # Errors
    ///
    /// [`SpaceError`].
    pub fn from_toml(text: &str) -> Result<Self, SpaceError> {
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| SpaceError::Toml(error.to_string()))?;
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(SpaceError::UnknownKey {
                key: key.clone(),
                known: KEYS.join(", "),
            });
        }
        let string = |key: &str| match table.get(key) {
            None => Ok(None),
            Some(toml::Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
            Some(_) => Err(SpaceError::Type {
                key: key.to_owned(),
                wanted: "a string that is not empty",
            }),
        };
        let mut space = Self {
            script: string("script")?,
            device: string("device")?,
            entry: string("entry")?,
            axes: Vec::new(),
        };
        for (key, part) in [
            ("knobs", Part::Knob),
            ("pipeline", Part::Pipeline),
            ("set", Part::Device),
        ] {
            match table.get(key) {
                None => {}
                Some(toml::Value::Table(table)) => {
                    for (name, values) in table {
                        if let Some(instead) = elsewhere(name).filter(|_| part == Part::Pipeline) {
                            let option = name.clone();
                            return Err(SpaceError::Elsewhere { option, instead });
                        }
                        space.axes.push(axis(part, key, name, values)?);
                    }
                }
                Some(_) => {
                    return Err(SpaceError::Type {
                        key: key.to_owned(),
                        wanted: "a table of names with lists of values",
                    });
                }
            }
        }
        space.check()
    }

    /// The space with a check of its size.
    ///
    /// # Errors
    ///
    /// [`SpaceError::TooLarge`].
    pub fn check(self) -> Result<Self, SpaceError> {
        let mut sizes = self.axes.iter().map(|axis| axis.values.len());
        let size = sizes.try_fold(1usize, |product, size| product.checked_mul(size));
        match size {
            Some(1..=MOST_CONFIGURATIONS) => Ok(self),
            _ => Err(SpaceError::TooLarge),
        }
    }

    /// Number of configurations.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// True if there is none, which [`Self::from_toml`] excludes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of each axis in a configuration, in the order of the axes.
    pub fn settings(&self, configuration: usize) -> Vec<&Setting> {
        let mut rest = configuration;
        let mut settings: Vec<&Setting> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            settings.push(&axis.values[rest % axis.values.len()]);
            rest /= axis.values.len();
        }
        settings.reverse();
        settings
    }

    /// Name and value of each axis of one part in a configuration.
    pub fn of_part(&self, part: Part, configuration: usize) -> Vec<(&str, &Setting)> {
        let all = self.axes.iter().zip(self.settings(configuration));
        let own = all.filter(|(axis, _)| axis.part == part);
        own.map(|(axis, setting)| (axis.name.as_str(), setting)).collect()
    }

    /// A configuration in words, by the axes of which there is a choice: `tile_m=64 tile_n=128 num-stages=2`.
    pub fn describe(&self, configuration: usize) -> String {
        let all = self.axes.iter().zip(self.settings(configuration));
        let all = all.filter(|(axis, _)| axis.values.len() > 1);
        let each: Vec<String> = all.map(|(axis, value)| format!("{}={value}", axis.name)).collect();
        if each.is_empty() {
            "as it is".to_owned()
        } else {
            each.join(" ")
        }
    }
}

/// True of a text that can be the value of an option in the text of a pipeline. Commas are between brackets, as in
/// `[16,16,16]`.
fn is_word(text: &str) -> bool {
    let mut depth = 0;
    let is_fine = text.chars().all(|c| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        let is_part = !c.is_whitespace() && !"{}".contains(c);
        is_part && depth >= 0 && (c != ',' || depth > 0)
    });
    is_fine && depth == 0
}

/// The place of what is an option of the pipeline and no axis of its own.
fn elsewhere(option: &str) -> Option<&'static str> {
    match option {
        "device" => Some("`device` at the top, or --device, names the one device of a space"),
        "set" => Some("the table `set` has what is overridden of the device"),
        _ => None,
    }
}

fn axis(part: Part, table: &str, name: &str, values: &toml::Value) -> Result<Axis, SpaceError> {
    let key = format!("{table}.{name}");
    let wrong = || SpaceError::Type {
        key: key.clone(),
        wanted: "a list of numbers, strings or truths; of a knob, \"all\" takes those of the script",
    };
    // All that the script lists; known when the script is read.
    if part == Part::Knob && values.as_str() == Some(ALL) {
        return Ok(Axis {
            part,
            name: name.to_owned(),
            values: vec![Setting::Text(ALL.to_owned())],
        });
    }
    if part == Part::Device && values.is_table() {
        let wanted =
            "a list of values; a key with dots stands in quotes, as in \"link.NAME.bytes_per_cycle\" = [8, 16]";
        return Err(SpaceError::Type { key, wanted });
    }
    let list = values.as_array().ok_or_else(wrong)?;
    let mut found: Vec<Setting> = Vec::new();
    for value in list {
        let setting = match value {
            toml::Value::Integer(number) => Setting::Int(*number),
            toml::Value::String(text) => Setting::Text(text.clone()),
            toml::Value::Boolean(truth) => Setting::Bool(*truth),
            // A rate of a device; its text is what `set` takes.
            toml::Value::Float(number) if part == Part::Device => Setting::Text(number.to_string()),
            _ => return Err(wrong()),
        };
        if let Setting::Text(text) = &setting
            && part != Part::Knob
            && !is_word(text)
        {
            let value = text.clone();
            return Err(SpaceError::Word { key, value });
        }
        if found.contains(&setting) {
            return Err(SpaceError::Twice {
                key: key.clone(),
                value: setting.to_string(),
            });
        }
        found.push(setting);
    }
    if found.is_empty() {
        return Err(SpaceError::Empty(key));
    }
    Ok(Axis {
        part,
        name: name.to_owned(),
        values: found,
    })
}

#[cfg(test)]
mod tests {
    use super::{Part, Space, SpaceError};

    const TEXT: &str = r#"
        script = "matmul.transform.mlir"
        [knobs]
        tile_m = [64, 128]
        order = ["a", "b", "c"]
        [pipeline]
        num-stages = [1, "auto"]
    "#;

    #[test]
    fn a_text_is_the_value_of_one_option() {
        let read = |value: &str| Space::from_toml(&format!("[set]\n\"engine.tensor.block\" = [\"{value}\"]"));
        for value in ["[16,16,16]", "[[0,1],[1,0]]", "8", "two-words"] {
            assert!(read(value).is_ok(), "{value}");
        }
        for value in [
            "8,num-stages=2",
            "8 num-stages=2",
            "[16,16",
            "16],[16",
            "{8}",
            "[16, 16]",
        ] {
            assert!(matches!(read(value), Err(SpaceError::Word { .. })), "{value}");
        }
    }

    #[test]
    fn the_last_axis_changes_fastest() {
        let space = Space::from_toml(TEXT).unwrap();
        assert_eq!(space.len(), 12);
        assert_eq!(space.describe(0), "tile_m=64 order=a num-stages=1");
        assert_eq!(space.describe(1), "tile_m=64 order=a num-stages=auto");
        assert_eq!(space.describe(11), "tile_m=128 order=c num-stages=auto");
        let all: std::collections::HashSet<String> = (0..12).map(|at| space.describe(at)).collect();
        assert_eq!(all.len(), 12);
        assert_eq!(space.of_part(Part::Pipeline, 11)[0].1.to_string(), "auto");
    }

    #[test]
    fn bad_files_are_told_apart() {
        let error = |text: &str| Space::from_toml(text).unwrap_err();
        assert!(matches!(error("[knobs"), SpaceError::Toml(_)));
        assert!(matches!(error("knob = 1"), SpaceError::UnknownKey { .. }));
        assert!(matches!(error("knobs = 1"), SpaceError::Type { .. }));
        assert!(matches!(error("[knobs]\nm = 1"), SpaceError::Type { .. }));
        assert_eq!(error("[knobs]\nm = []"), SpaceError::Empty("knobs.m".to_owned()));
        assert!(matches!(error("[knobs]\nm = [1, 1]"), SpaceError::Twice { .. }));
        let wide: Vec<String> = (0..1001).map(|at| at.to_string()).collect();
        let wide = wide.join(",");
        assert_eq!(
            error(&format!("[knobs]\na = [{wide}]\nb = [{wide}]")),
            SpaceError::TooLarge
        );
    }

    #[test]
    fn a_space_without_axes_has_one_configuration() {
        let space = Space::from_toml("").unwrap();
        assert_eq!((space.len(), space.describe(0)), (1, "as it is".to_owned()));
    }
}
