//! The value of the option `num-stages`.

use std::fmt;
use std::str::FromStr;

use zpu_sched::MAX_STAGES;

/// The depth that plans of loops may have. A larger value, in the order of this type, allows all that a smaller one
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NumStages {
    /// The largest stage; 0 switches pipelining off.
    AtMost(u32),
    /// For each loop the least depth with the best estimate.
    Auto,
}

impl NumStages {
    /// Reads the option, or returns the message about it.
    pub(crate) fn of_option(text: &str) -> Result<Self, String> {
        text.parse().map_err(|wrong: String| format!("num-stages {wrong}"))
    }

    /// The largest stage that is allowed.
    pub(crate) fn limit(self) -> u32 {
        match self {
            Self::AtMost(stages) => stages,
            Self::Auto => MAX_STAGES,
        }
    }
}

impl FromStr for NumStages {
    type Err = String;

    /// Reads `auto` or a number, or returns the text behind the option's name in an error.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let number = text
            .parse()
            .map_err(|_| format!("is `{text}`, must be auto or a number from 0 to {MAX_STAGES}"))?;
        stage_limit(number).map(Self::AtMost)
    }
}

impl fmt::Display for NumStages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(stages) => stages.fmt(f),
            Self::Auto => f.write_str("auto"),
        }
    }
}

/// The number in the type of the schedulers, or the text of an error about it.
pub(crate) fn stage_limit(stages: i64) -> Result<u32, String> {
    match u32::try_from(stages) {
        Ok(stages) if stages <= MAX_STAGES => Ok(stages),
        _ if stages < 0 => Err(format!("is {stages}, must be at least 0")),
        _ => Err(format!("is {stages}, must be at most {MAX_STAGES}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_auto_or_an_error_that_names_the_value() {
        assert_eq!("0".parse(), Ok(NumStages::AtMost(0)));
        assert_eq!("256".parse(), Ok(NumStages::AtMost(256)));
        assert_eq!("auto".parse(), Ok(NumStages::Auto));
        for (text, message) in [
            ("257", "is 257, must be at most 256"),
            ("-1", "is -1, must be at least 0"),
            ("", "is ``, must be auto or a number from 0 to 256"),
            ("Auto", "is `Auto`, must be auto or a number from 0 to 256"),
            (
                "99999999999999999999",
                "is `99999999999999999999`, must be auto or a number from 0 to 256",
            ),
        ] {
            assert_eq!(text.parse::<NumStages>(), Err(message.to_owned()));
        }
    }

    #[test]
    fn auto_allows_more_than_any_number() {
        assert!(NumStages::Auto > NumStages::AtMost(MAX_STAGES));
        assert_eq!(NumStages::Auto.limit(), MAX_STAGES);
    }
}
