//! The option `costs`: cycles of fragments by the computations that they come from.

use std::collections::BTreeMap;

/// Cycles by `NAME`, `NAME(1)`, `NAME(1).drop` or `inferred`.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs {
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    cycles: u64,
    is_used: bool,
}

/// The entry of fragments without origins.
const INFERRED: &str = "inferred";

impl Costs {
    /// Reads the option.
    ///
    /// # Errors
    ///
    /// An entry that is none, or a name that is there twice.
    pub(super) fn parse(entries: &[String]) -> Result<Self, String> {
        let mut costs = Self::default();
        for entry in entries {
            let (name, cycles) = entry
                .rsplit_once('=')
                .ok_or_else(|| format!("costs: '{entry}' is no NAME=CYCLES"))?;
            let cycles = cycles.trim().parse::<u32>().map_err(|_| {
                format!(
                    "costs: '{entry}' has '{cycles}' where a number of cycles is expected, from 0 to {}",
                    u32::MAX
                )
            })?;
            let entry = Entry {
                cycles: cycles.into(),
                is_used: false,
            };
            if costs.entries.insert(name.trim().to_owned(), entry).is_some() {
                return Err(format!("costs: '{}' is there twice", name.trim()));
            }
        }
        Ok(costs)
    }

    /// Cycles of a fragment of these origins; nothing if one of them has no entry.
    pub(super) fn of(&mut self, origins: &[(String, i64)], split: &str) -> Option<u64> {
        let name = |(name, count): &(String, i64)| match count {
            0 => format!("{name}{split}"),
            count => format!("{name}({count}){split}"),
        };
        let mut names: Vec<String> = origins.iter().map(name).collect();
        if names.is_empty() {
            names.push(INFERRED.to_owned());
        }
        let all: Option<Vec<u64>> = names.iter().map(|name| Some(self.entries.get(name)?.cycles)).collect();
        for name in &names {
            if let Some(entry) = self.entries.get_mut(name) {
                entry.is_used = true;
            }
        }
        Some(all?.into_iter().sum())
    }

    /// The first entry of which there is no fragment.
    pub(super) fn unused(&self) -> Option<&str> {
        let mut unused = self.entries.iter().filter(|(_, entry)| !entry.is_used);
        unused.next().map(|(name, _)| &**name)
    }
}
