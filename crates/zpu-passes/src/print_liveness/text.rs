//! Lives in words.

use zpu_analysis::liveness::{Arc, BufferId, Circle, Liveness, StepId, handed_on};
use zpu_ir::{Names, Op, Place};

/// The lives and names that texts refer to.
pub(super) struct Printer<'a, 'c> {
    pub(super) liveness: &'a Liveness<'c>,
    pub(super) names: &'a Names<'c>,
}

impl<'c> Printer<'_, 'c> {
    /// The buffers of a memory, and the most bytes that are alive at once.
    pub(super) fn space(&self, space: &str) -> String {
        let own = self
            .liveness
            .ids()
            .filter(|id| self.liveness.buffer(*id).space == space);
        let own: Vec<BufferId> = own.collect();
        let bytes: u64 = own.iter().map(|id| self.liveness.buffer(*id).bytes).sum();
        let buffers = if own.len() == 1 { "buffer" } else { "buffers" };
        let sum = format!("{space}: {} {buffers} of {bytes} bytes", own.len());
        let Some(peak) = self.liveness.peak(space) else {
            return format!("{sum}, none of them alive");
        };
        let residents = peak.residents.iter().map(|resident| {
            let buffer = self.liveness.buffer(resident.buffer);
            let name = self.names.name(buffer.value);
            if buffer.is_ring() {
                let (slots, versions) = (resident.slots, buffer.versions);
                format!("{name} {} ({slots} of {versions} versions)", resident.bytes)
            } else {
                format!("{name} {}", resident.bytes)
            }
        });
        let all: u64 = peak.residents.iter().map(|resident| resident.bytes).sum();
        let shared = if all > peak.bytes {
            ", some in the same bytes"
        } else {
            ""
        };
        format!(
            "{sum}; at most {} bytes are alive at once{}, at {}: {}{shared}",
            peak.bytes,
            self.without(&own),
            at(self.liveness.op(peak.step)),
            residents.collect::<Vec<_>>().join(", ")
        )
    }

    /// The buffers of which only one is counted, where there may be one of each iteration.
    fn without(&self, buffers: &[BufferId]) -> String {
        let own = buffers.iter().map(|id| self.liveness.buffer(*id));
        let several = own.filter(|buffer| buffer.op().and_then(handed_on).is_some());
        let names: Vec<String> = several.map(|buffer| self.names.name(buffer.value)).collect();
        if names.is_empty() {
            return String::new();
        }
        let names = names.join(", ");
        format!(", counting once what a loop makes anew and hands to later iterations ({names})")
    }

    /// The size and the life of a buffer.
    pub(super) fn buffer(&self, id: BufferId) -> String {
        let buffer = self.liveness.buffer(id);
        let versions = if buffer.is_ring() {
            format!(", {} versions", buffer.versions)
        } else {
            String::new()
        };
        format!(
            "buffer {} of {}: {} bytes{versions}, {}",
            self.names.name(buffer.value),
            buffer.space,
            buffer.bytes,
            self.life(id)
        )
    }

    fn life(&self, id: BufferId) -> String {
        if let Some(op) = self.liveness.buffer(id).escapes {
            return format!("alive during the whole function: {} is not followed", at(op));
        }
        let Some((first, last)) = self.liveness.life(id).hull() else {
            return "never accessed".to_owned();
        };
        let mut text = format!("alive {}", self.span(first, last));
        for loop_ in self.liveness.loops_of(id) {
            text += &format!("; {}", self.inside(id, loop_));
        }
        text
    }

    /// The life inside a loop.
    fn inside(&self, id: BufferId, loop_: Op<'c>) -> String {
        let buffer = self.liveness.buffer(id);
        let is_ring = buffer.counted_by.contains(&loop_);
        let (whose, place) = (if is_ring { "each version " } else { "" }, line(loop_));
        match self.liveness.circle(id, loop_) {
            Circle::Arcs(arcs) => {
                let arcs: Vec<String> = arcs.iter().map(|arc| self.arc(*arc)).collect();
                format!("{whose}in the loop{place} {}", arcs.join(", and "))
            }
            Circle::Empty | Circle::Full => format!("{whose}during the whole loop{place}"),
        }
    }

    fn arc(&self, arc: Arc) -> String {
        let text = self.span(arc.first, arc.last);
        match arc.iterations {
            0 => text,
            1 => format!("{text} of the next iteration"),
            iterations => format!("{text}, {iterations} iterations later"),
        }
    }

    fn span(&self, first: StepId, last: StepId) -> String {
        if first == last {
            return format!("at {}", at(self.liveness.op(first)));
        }
        format!("from {} to {}", at(self.liveness.op(first)), at(self.liveness.op(last)))
    }
}

/// An operation by its name and its line.
fn at(op: Op<'_>) -> String {
    match Place::of(op.loc()) {
        Some(place) => format!("{} (line {})", op.name(), place.line),
        None => op.name().to_owned(),
    }
}

fn line(op: Op<'_>) -> String {
    Place::of(op.loc()).map_or_else(String::new, |place| format!(" at line {}", place.line))
}
