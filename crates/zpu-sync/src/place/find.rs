//! Finds the latest command that concerns an operation, and when it was issued: a [`Moment`], seen from the operation's
//! block.

use std::collections::BTreeSet;

use crate::place::query::{Search, candidates_in};
use crate::place::tree::{CommandId, Entry, Role, Tree};
use crate::problem::algebra::Linear;
use crate::program::epoch::Moment;
use crate::program::{BlockId, ItemId, Loop};
use crate::seeded;

/// Tokens are carried at most this many iterations far; a conflict further away waits for a later command, which is
/// right too. Each iteration is one more value that the loop carries.
pub(crate) const MOST_CARRIED: u32 = 16;

/// The latest command that concerns somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The time at which it is issued, if it is.
    pub(crate) moment: Moment,
    /// It certainly is issued: then all that were issued before it are complete when it is.
    pub(crate) certain: bool,
}

impl Found {
    /// The command, seen from elsewhere.
    fn seen(self, from: impl FnOnce(Moment) -> Moment) -> Self {
        Self {
            moment: from(self.moment),
            ..self
        }
    }
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing concerns us.
    Nothing,
    /// Something does, and inside the innermost loop.
    Here(Found),
    /// Nothing in this loop does; commands before it were not looked at.
    Outside(ItemId),
}

/// An iteration of a loop with a command that concerns somebody.
#[derive(Clone, Debug)]
pub(crate) struct Hit<'c> {
    /// Iterations back, seen from the operation, or from the end of the loop.
    pub(crate) distance: u32,
    /// The latest command of that iteration.
    pub(crate) found: Found,
    /// The question at the end of that iteration.
    pub(crate) search: Search<'c>,
}

impl<'c> Tree<'c> {
    /// Looks in a block before a position, from there backwards.
    pub(crate) fn find(&self, block: BlockId, index: usize, search: &Search<'c>) -> Outcome {
        if let Some(found) = self.scan(block, index, search) {
            return Outcome::Here(found);
        }
        match self.node(block).entry {
            Entry::Root => Outcome::Nothing,
            Entry::Branch(item) => match self.find(self.site(item).block, self.site(item).index, search) {
                Outcome::Here(found) => Outcome::Here(found.seen(Moment::seen_from_branch)),
                other => other,
            },
            Entry::Body(item) => match self.earlier_hit(item, search) {
                Some(hit) if self.is_before_all(item, search, hit.distance) => Outcome::Nothing,
                Some(hit) => Outcome::Here(hit.found.seen(|moment| moment.in_earlier(hit.distance))),
                None => Outcome::Outside(item),
            },
        }
    }

    /// Looks among the items of a block before a position.
    pub(crate) fn scan(&self, block: BlockId, index: usize, search: &Search<'c>) -> Option<Found> {
        let mut range = self.commands_before(block, index);
        while let Some(command) = candidates_in(search, range.clone()).last() {
            let id = self.ancestor(*command, block);
            let item = self.site(id);
            if let Some(found) = self.scan_item(id, search) {
                return Some(found.seen(|moment| moment.in_item(item.index)));
            }
            range.end = item.commands.start;
        }
        None
    }

    /// Looks into an item that is over.
    fn scan_item(&self, id: ItemId, search: &Search<'c>) -> Option<Found> {
        let found = |certain| Found {
            moment: Moment::own(),
            certain,
        };
        match &self.site(id).role {
            Role::Command(command, _) => search.concerns(self, *command).then(|| found(true)),
            Role::Access => None,
            Role::Loop(..) => {
                let hit = self.last_hit(id, search)?;
                let issued = self
                    .loop_of(id)
                    .constant_trips
                    .is_some_and(|trips| trips >= i64::from(hit.distance));
                let mut found = hit.found.seen(|moment| moment.in_last(hit.distance));
                found.certain &= issued;
                Some(found)
            }
            Role::If(branches) => {
                let hits: Vec<Option<Found>> = branches
                    .iter()
                    .map(|branch| self.scan(*branch, usize::MAX, search))
                    .collect();
                let both = hits.len() == 2 && hits.iter().all(|hit| hit.as_ref().is_some_and(|hit| hit.certain));
                hits.iter().any(Option::is_some).then(|| Found {
                    moment: Moment::in_a_branch(),
                    certain: both,
                })
            }
        }
    }

    /// The last iteration of a loop that is over with a command that concerns us.
    pub(crate) fn last_hit(&self, loop_: ItemId, search: &Search<'c>) -> Option<Hit<'c>> {
        let body = self.loop_of(loop_).body;
        let hit_in = |distance, search: Search<'c>| {
            let found = self.scan(body, usize::MAX, &search)?;
            Some(Hit {
                distance,
                found,
                search,
            })
        };
        let Loop {
            trips, constant_trips, ..
        } = self.loop_of(loop_);
        let any = search.behind(loop_, None);
        self.scan(body, usize::MAX, &any)?;
        let Some(count) = trips else {
            return hit_in(1, any);
        };
        let most = constant_trips.map_or(i64::from(MOST_CARRIED), |trips| trips.min(i64::from(MOST_CARRIED)));
        for back in 1..=most {
            let iteration = count.add_scaled(&Linear::constant(back), -1);
            let hit = match iteration {
                Some(iteration) => hit_in(back as u32, search.behind(loop_, Some(iteration))),
                None => return hit_in(1, any),
            };
            if hit.is_some() {
                return hit;
            }
        }
        let is_longer = constant_trips.is_none_or(|trips| trips > i64::from(MOST_CARRIED));
        if is_longer { hit_in(MOST_CARRIED, any) } else { None }
    }

    /// The latest earlier iteration of the loop around us with a command that concerns us.
    pub(crate) fn earlier_hit(&self, loop_: ItemId, search: &Search<'c>) -> Option<Hit<'c>> {
        let members = self.members(loop_, search);
        let body = self.loop_of(loop_).body;
        let hit_in = |distance: u32, forced: BTreeSet<CommandId>| {
            let search = search.earlier(self, loop_, distance, forced);
            let found = self.scan(body, usize::MAX, &search)?;
            Some(Hit {
                distance: distance.min(MOST_CARRIED) + u32::from(seeded!(OlderToken)),
                found,
                search,
            })
        };
        let least = members.iter().map(|(_, distance)| *distance).min()?;
        // What inner loops hold has several places in an iteration: it is looked up, and not known to be there.
        let is_direct = |command: CommandId| self.commands[command].loops.first() == Some(&loop_);
        let direct = |most: u32| -> BTreeSet<CommandId> {
            let near = members
                .iter()
                .filter(|(id, distance)| is_direct(*id) && *distance <= most);
            near.map(|(id, _)| *id).collect()
        };
        let certainly = members
            .iter()
            .filter(|(id, _)| is_direct(*id))
            .map(|(_, distance)| *distance)
            .min();
        let first = if members.iter().all(|(id, _)| is_direct(*id)) {
            certainly?
        } else {
            least
        };
        let last = certainly.unwrap_or(least + MOST_CARRIED);
        (first..=last)
            .find_map(|distance| hit_in(distance, direct(distance)))
            .or_else(|| hit_in(least, members.iter().map(|(id, _)| *id).collect()))
    }

    /// True if no command is that many iterations back: the loop has fewer, and none before it concerns us.
    fn is_before_all(&self, loop_: ItemId, search: &Search<'c>, distance: u32) -> bool {
        let Some(trips) = self
            .loop_of(loop_)
            .constant_trips
            .filter(|trips| *trips <= distance.into())
        else {
            return false;
        };
        let item = self.site(loop_);
        let before = |iteration| search.before(self, loop_, Some(iteration));
        (0..trips).all(|iteration| self.find(item.block, item.index, &before(iteration)) == Outcome::Nothing)
    }

    /// The commands of the loop around us that concern us in a later iteration, with the least number of iterations.
    pub(crate) fn members(&self, loop_: ItemId, search: &Search<'c>) -> Vec<(CommandId, u32)> {
        candidates_in(search, self.site(loop_).commands.clone())
            .iter()
            .filter_map(|id| Some((*id, search.distance(self, loop_, *id)?)))
            .collect()
    }
}
