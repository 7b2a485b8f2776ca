//! The last commands of a run with what each depends on: enough to find the longest chains after them in bounded
//! memory.
//!
//! A chain is a path in the graph of dependences, and its length the least cycles of the path. For a command that
//! leaves the window, the longest chain among the commands that were issued so far counts. Commands that come later can
//! only make it longer, so this is never more than the true one.

use std::collections::VecDeque;

use crate::tight::Before;

/// Commands and dependences that are kept. At 56 bytes a command and 8 a dependence, that is 10 MiB at most
/// where each command has a dependence.
pub(crate) const WEIGHT: usize = 1 << 18;

/// A command in the longest chains after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) class: u32,
    /// Commands that it depends on.
    dependences: u32,
    pub(crate) latency: u64,
    pub(crate) occupancy: u64,
    /// The same command for the tight bound.
    pub(crate) before: Before,
}

/// The last commands.
#[derive(Debug)]
pub(crate) struct Window {
    /// Number of the oldest command that is kept, among all of the run.
    first: u64,
    nodes: VecDeque<Node>,
    /// The dependences of each command, one command after the other.
    dependences: VecDeque<u64>,
    weight: usize,
}

impl Window {
    /// An empty window for so many commands and dependences.
    pub(crate) fn new(weight: usize) -> Self {
        Self {
            first: 0,
            nodes: VecDeque::new(),
            dependences: VecDeque::new(),
            weight,
        }
    }

    /// Adds the next command; its dependences on commands that left the window are not named.
    pub(crate) fn push(
        &mut self,
        class: usize,
        latency: u64,
        occupancy: u64,
        before: Before,
        dependences: impl Iterator<Item = u64>,
    ) {
        let known = self.dependences.len();
        let first = self.first;
        self.dependences.extend(dependences.filter(|number| *number >= first));
        self.nodes.push_back(Node {
            class: class as u32,
            dependences: (self.dependences.len() - known) as u32,
            latency,
            occupancy,
            before,
        });
    }

    /// The commands by their places, oldest first.
    pub(crate) fn nodes(&self) -> &VecDeque<Node> {
        &self.nodes
    }

    /// Visits the commands, newest first, by their places among those that are kept: each by itself, and then with each
    /// one that it depends on.
    pub(crate) fn backward(&self, mut visit: impl FnMut(usize, Option<usize>)) {
        let mut end = self.dependences.len();
        for (i, node) in self.nodes.iter().enumerate().rev() {
            visit(i, None);
            let begin = end - node.dependences as usize;
            for number in self.dependences.range(begin..end) {
                // A command that has left the window has no place here any more.
                if let Some(place) = number.checked_sub(self.first) {
                    visit(i, Some(place as usize));
                }
            }
            end = begin;
        }
    }

    /// True if it holds more than it should.
    pub(crate) fn is_full(&self) -> bool {
        self.held() > self.weight
    }

    /// Commands and dependences in it.
    pub(crate) fn held(&self) -> usize {
        self.nodes.len() + self.dependences.len()
    }

    /// The longest chain after the end of each command, oldest first, in place of what `tails` holds. `gap` is the time
    /// from the end of a command to the begin of one that depends on it.
    pub(crate) fn tails(&self, tails: &mut Vec<u64>, gap: impl Fn(&Node, &Node) -> u64) {
        tails.clear();
        tails.resize(self.nodes.len(), 0);
        self.backward(|i, before| {
            let Some(p) = before else { return };
            let node = &self.nodes[i];
            let tail = gap(&self.nodes[p], node)
                .saturating_add(node.occupancy)
                .saturating_add(tails[i]);
            tails[p] = tails[p].max(tail);
        });
    }

    /// The number of commands, the oldest ones, that have to go until half of the window is free.
    pub(crate) fn surplus(&self) -> usize {
        let mut held = self.held();
        let mut count = 0;
        while held > self.weight / 2
            && let Some(node) = self.nodes.get(count)
        {
            held -= 1 + node.dependences as usize;
            count += 1;
        }
        count
    }

    /// Forgets the oldest commands.
    pub(crate) fn forget(&mut self, count: usize) {
        for node in self.nodes.drain(..count) {
            self.dependences.drain(..node.dependences as usize);
        }
        self.first += count as u64;
    }
}
