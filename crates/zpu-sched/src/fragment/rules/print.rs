//! Rules as text: the inverse of [`super::parse_rules`].

use std::fmt;

use super::super::problem::Split;
use super::info::{FragmentInfo, MergeRule, Rule};

impl fmt::Display for FragmentInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FragmentInfo(origins=[")?;
        for (place, origin) in self.origins.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(f, "{comma}\"{}\"", origin.name)?;
            if origin.transpose_count > 0 {
                write!(f, "({})", origin.transpose_count)?;
            }
        }
        f.write_str("]")?;
        if let Some(stage) = self.stage {
            write!(f, ",stage={stage}")?;
        }
        if let Some(counter) = self.call_counter {
            write!(f, ",call_counter={counter}")?;
        }
        match self.split {
            Some(Split::KeepTransferred) => f.write_str(",split_type=kKeepTransferred")?,
            Some(Split::DropTransferred) => f.write_str(",split_type=kDropTransferred")?,
            None => {}
        }
        if let Some(mesh) = &self.mesh {
            write!(f, ",mesh_name=\"{mesh}\"")?;
        }
        f.write_str(")")
    }
}

fn list(f: &mut fmt::Formatter<'_>, infos: &[FragmentInfo], separator: &str) -> fmt::Result {
    for (place, info) in infos.iter().enumerate() {
        write!(f, "{}{info}", if place > 0 { separator } else { "" })?;
    }
    Ok(())
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FragmentScheduleRule(ordered_fragments=[")?;
        list(f, &self.ordered_fragments, "->")?;
        f.write_str("])")
    }
}

impl fmt::Display for MergeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FragmentMergeRule(sources=[")?;
        list(f, &self.sources, ",")?;
        write!(f, "],target={})", self.target)
    }
}
