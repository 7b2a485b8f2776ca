//! Schedules by rules: fragments that users name in the order in which they shall run.
//!
//! A rule on fragments A, B, C adds the control dependences A -> B and B -> C. The grammar is that of Shardy,
//! `shardy/dialect/mpmd/ir/fragment_execution_rules.h`:
//!
//! ```text
//! rules  := rule ("," rule)*
//! rule   := "FragmentScheduleRule(ordered_fragments=[" info ("->" info)* "])"
//! info   := "FragmentInfo(origins=[" origin ("," origin)* "]" ("," field)* ")"
//! origin := '"' name '"' [ "(" transpose count ")" ]
//! field  := "stage=" int | "call_counter=" int | "mesh_name=" '"' name '"'
//!         | "split_type=" ("kKeepTransferred" | "kDropTransferred")
//! ```

mod apply;
mod info;
mod parse;
mod print;

pub(crate) use self::apply::apply;
pub use self::info::{FragmentInfo, MergeRule, Rule};
pub use self::parse::{parse_merge_rules, parse_rules};
