//! Requests for versions: by a buffer's annotation, by the option, or by the loop's plan.

use std::collections::HashMap;

use zpu_device::Device;
use zpu_ir::scf::For;
use zpu_ir::{Failed, Op, Remark, RemarkKind, Value, annotation, attr, device};

use super::PASS;
use crate::annotations::{self, MOST_VERSIONS};
use crate::loop_problem::versions_of_plan;
use zpu_analysis::body::{Body, Decline, command_loops};

/// The option `versions`: the number of versions of buffers without an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefaultVersions {
    /// No request.
    Leave,
    /// This number for all privatizable buffers of innermost loops with commands.
    Count(i64),
    /// For each privatizable buffer of a loop with a plan, the least number that the plan needs.
    Auto,
}

impl DefaultVersions {
    /// Reads the option; the error is its message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let count: i64 = text
            .parse()
            .map_err(|_| format!("versions is '{text}', must be a number or 'auto'"))?;
        match count {
            0 => Ok(Self::Leave),
            1..=MOST_VERSIONS => Ok(Self::Count(count)),
            _ => Err(format!("versions is {count}, must be 0 to {MOST_VERSIONS}")),
        }
    }
}

/// The requests of a function.
pub(super) struct VersionRequests<'c> {
    default: DefaultVersions,
    /// Innermost loops with commands.
    planned: Vec<For<'c>>,
    /// The request of [`DefaultVersions::Auto`] for each privatizable buffer.
    by_plan: HashMap<Value<'c>, i64>,
}

impl<'c> VersionRequests<'c> {
    /// Reads the annotations; those on views are moved to their buffers.
    pub(super) fn of(function: Op<'c>, default: DefaultVersions) -> Result<Self, Failed> {
        annotations::check_versions(function)?;
        // Only a plan's model needs the machine; rings do not.
        let device = match default {
            DefaultVersions::Auto => Some(device::of(function)?),
            _ => None,
        };
        let mut requests = Self {
            default,
            planned: Vec::new(),
            by_plan: HashMap::new(),
        };
        for view in annotations::gather_versions(function) {
            let message = "the view is not one of an allocation, so it cannot have versions";
            missed(&Decline::new("no-allocation", view, message));
        }
        if default != DefaultVersions::Leave {
            requests.planned = command_loops(function);
            for for_ in requests.planned.clone() {
                if let Err(decline) = requests.read_loop(for_, device.as_ref()) {
                    missed(&decline);
                }
            }
        }
        Ok(requests)
    }

    /// The number of versions for a buffer whose versions this loop counts.
    pub(super) fn versions(&self, root: Value<'c>, for_: For<'c>) -> Option<i64> {
        if let Some(versions) = root.defining_op()?.attr(annotation::VERSIONS) {
            return attr::as_int(versions);
        }
        match self.default {
            DefaultVersions::Leave => None,
            DefaultVersions::Count(count) => self.planned.contains(&for_).then_some(count),
            DefaultVersions::Auto => self.by_plan.get(&root).copied(),
        }
    }

    /// Drops a loop that cannot be taken apart into units; reads the requests of its plan otherwise.
    fn read_loop(&mut self, for_: For<'c>, device: Option<&Device>) -> Result<(), Decline<'c>> {
        let body = Body::of(for_).inspect_err(|_| self.planned.retain(|planned| *planned != for_))?;
        let Some(device) = device else { return Ok(()) };
        if body.units.iter().any(|unit| !unit.op.has_attr(annotation::SCHEDULE)) {
            let message = "the loop has no plan that tells how many versions its buffers need";
            return Err(Decline::new("no-plan", for_.op, message));
        }
        for (root, versions) in versions_of_plan(&body, device)? {
            let known = self.by_plan.entry(root).or_insert(1);
            *known = i64::from(versions).max(*known);
        }
        Ok(())
    }
}

fn missed(decline: &Decline<'_>) {
    Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
        .message(decline.message.clone())
        .emit();
}
