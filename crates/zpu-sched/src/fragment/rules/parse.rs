//! The parser of rules. White space between tokens is ignored.

use super::super::error::FragmentError;
use super::super::problem::{Origin, Split};
use super::info::{FragmentInfo, MergeRule, Rule};

type Result<T> = std::result::Result<T, FragmentError>;

/// Reads schedule rules. Nothing but white space is no rule.
///
/// # Errors
///
/// [`FragmentError::RuleSyntax`] with the place.
pub fn parse_rules(text: &str) -> Result<Vec<Rule>> {
    Parser { text, at: 0 }.rules(Parser::rule)
}

/// Reads merge rules: `FragmentMergeRule(sources=[info,...],target=info)`.
///
/// # Errors
///
/// [`FragmentError::RuleSyntax`] with the place.
pub fn parse_merge_rules(text: &str) -> Result<Vec<MergeRule>> {
    Parser { text, at: 0 }.rules(Parser::merge_rule)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.error(&format!("`{token}`")))
        }
    }

    fn error(&mut self, expected: &str) -> FragmentError {
        let found: String = self.rest().chars().take(20).collect();
        let found = if found.is_empty() {
            "the end".to_owned()
        } else {
            format!("`{found}`")
        };
        FragmentError::RuleSyntax {
            at: self.text[..self.at].chars().count(),
            problem: format!("expected {expected}, found {found}"),
        }
    }

    fn rules<T>(&mut self, rule: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut rules = Vec::new();
        if self.rest().is_empty() {
            return Ok(rules);
        }
        loop {
            rules.push(rule(self)?);
            if !self.take(",") {
                break;
            }
        }
        if self.rest().is_empty() {
            Ok(rules)
        } else {
            Err(self.error("`,` or the end"))
        }
    }

    fn rule(&mut self) -> Result<Rule> {
        self.expect("FragmentScheduleRule(")?;
        self.expect("ordered_fragments=")?;
        let ordered_fragments = self.list("->", Self::info)?;
        self.expect(")")?;
        Ok(Rule { ordered_fragments })
    }

    fn merge_rule(&mut self) -> Result<MergeRule> {
        self.expect("FragmentMergeRule(")?;
        self.expect("sources=")?;
        let sources = self.list(",", Self::info)?;
        self.expect(",")?;
        self.expect("target=")?;
        let target = self.info()?;
        self.expect(")")?;
        Ok(MergeRule { sources, target })
    }

    fn list<T>(&mut self, separator: &str, entry: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect("[")?;
        let mut list = Vec::new();
        if self.take("]") {
            return Ok(list);
        }
        loop {
            list.push(entry(self)?);
            if self.take("]") {
                return Ok(list);
            }
            if !self.take(separator) {
                return Err(self.error(&format!("`{separator}` or `]`")));
            }
        }
    }

    fn info(&mut self) -> Result<FragmentInfo> {
        self.expect("FragmentInfo(")?;
        self.expect("origins=")?;
        let mut info = FragmentInfo {
            origins: self.list(",", Self::origin)?,
            ..FragmentInfo::default()
        };
        while self.take(",") {
            self.field(&mut info)?;
        }
        self.expect(")")?;
        Ok(info)
    }

    fn field(&mut self, info: &mut FragmentInfo) -> Result<()> {
        let begin = self.at;
        let is_second = if self.take("stage=") {
            info.stage.replace(self.number()?).is_some()
        } else if self.take("call_counter=") {
            info.call_counter.replace(self.number()?).is_some()
        } else if self.take("mesh_name=") {
            info.mesh.replace(self.quoted()?).is_some()
        } else if self.take("split_type=") {
            info.split.replace(self.split()?).is_some()
        } else {
            return Err(self.error("`stage=`, `call_counter=`, `mesh_name=` or `split_type=`"));
        };
        if is_second {
            self.at = begin;
            return Err(self.error("a field that is not there yet"));
        }
        Ok(())
    }

    fn origin(&mut self) -> Result<Origin> {
        let name = self.quoted()?.into_boxed_str();
        let transpose_count = if self.take("(") {
            let count = self.number()?;
            self.expect(")")?;
            count
        } else {
            0
        };
        Ok(Origin { name, transpose_count })
    }

    fn split(&mut self) -> Result<Split> {
        if self.take("kKeepTransferred") {
            Ok(Split::KeepTransferred)
        } else if self.take("kDropTransferred") {
            Ok(Split::DropTransferred)
        } else {
            Err(self.error("`kKeepTransferred` or `kDropTransferred`"))
        }
    }

    fn number(&mut self) -> Result<u32> {
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
        let number = digits.parse().map_err(|_| self.error("a number below 2^32"))?;
        self.at += digits.len();
        Ok(number)
    }

    fn quoted(&mut self) -> Result<String> {
        self.expect("\"")?;
        let rest = &self.text[self.at..];
        let Some(end) = rest.find('"') else {
            self.at = self.text.len();
            return Err(self.error("`\"`"));
        };
        let name = rest[..end].to_owned();
        self.at += end + 1;
        Ok(name)
    }
}
