//! Options of the passes, generated from `dialect/Passes.td` by the build script.

/// The value of one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// A number, or a flag as 0 and 1.
    Number(i64),
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

#[allow(dead_code)] // not every kind of option is in use at any time
impl OptionValue {
    fn number(&self) -> Option<i64> {
        if let Self::Number(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    fn flag(&self) -> Option<bool> {
        self.number().map(|number| number != 0)
    }

    fn text(&self) -> Option<String> {
        if let Self::Text(text) = self {
            Some(text.clone())
        } else {
            None
        }
    }

    fn list(&self) -> Option<Vec<String>> {
        if let Self::List(list) = self {
            Some(list.clone())
        } else {
            None
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/pass_options.rs"));
