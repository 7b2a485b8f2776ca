//! A plan that a user wrote: it is kept, or refused with a reason.

use zpu_device::Device;
use zpu_ir::{Op, Value, annotation, attr};
use zpu_sched::{MAX_STAGES, Plan, PlanError, PlanViolation, minimal_versions, verify_plan};

use super::model::Model;
use super::wanted_stages;
use zpu_analysis::body::{Body, Decline};

/// Declines a plan that breaks a rule, or the number of stages that the loop asks for.
pub(crate) fn refused_plan<'c>(body: &Body<'c>, device: &Device) -> Result<(), Decline<'c>> {
    checked(body, device, wanted_stages(body.for_)?).map(drop)
}

/// The problem, the stages and the least numbers of versions of a plan that breaks no rule; declines any other plan.
pub(crate) fn checked<'c>(
    body: &Body<'c>,
    device: &Device,
    wanted: Option<u32>,
) -> Result<(Model<'c>, Vec<u32>, Vec<u32>), Decline<'c>> {
    let (stage, order) = written(body)?;
    let model = Model::without_costs(body, device)?;
    let versions = needed_versions(&model, body.for_.op, &stage, &order)?;
    if let Some(wanted) = wanted {
        check_wanted(&model, body, &stage, &versions, wanted)?;
    }
    check_dependences(&model, body, (&stage, &order), &versions)?;
    Ok((model, stage, versions))
}

/// The least number of versions that the plan written on a loop's units needs, for each of the loop's privatizable
/// buffers.
pub(crate) fn versions_of_plan<'c>(body: &Body<'c>, device: &Device) -> Result<Vec<(Value<'c>, u32)>, Decline<'c>> {
    let (stage, order) = written(body)?;
    let model = Model::without_costs(body, device)?;
    let versions = needed_versions(&model, body.for_.op, &stage, &order)?;
    let rings = model.rings.iter();
    Ok(rings
        .map(|ring| {
            let needed = ring.buffer.map_or(1, |id| versions[id.index()]);
            (ring.allocation.result(0), needed)
        })
        .collect())
}

/// Stage of each unit, and its place in the order of issue, as the annotations say.
fn written<'c>(body: &Body<'c>) -> Result<(Vec<u32>, Vec<u32>), Decline<'c>> {
    let (mut stage, mut keys) = (Vec::new(), Vec::new());
    for (i, unit) in body.units.iter().enumerate() {
        let schedule = unit.op.attr(annotation::SCHEDULE).and_then(attr::as_schedule);
        let Some(schedule) = schedule.filter(|schedule| schedule.stage < i64::from(MAX_STAGES)) else {
            let message = format!("the stage is too large, the limit is {}", MAX_STAGES - 1);
            return Err(Decline::new("too-many-stages", unit.op, message));
        };
        stage.push(u32::try_from(schedule.stage).unwrap_or(0));
        keys.push((schedule.order, i));
    }
    keys.sort_unstable();
    let mut order = vec![0; keys.len()];
    for (position, (_, unit)) in (0u32..).zip(keys) {
        order[unit] = position;
    }
    Ok((stage, order))
}

/// The least number of versions of each buffer of the problem.
fn needed_versions<'c>(model: &Model<'c>, at: Op<'c>, stage: &[u32], order: &[u32]) -> Result<Vec<u32>, Decline<'c>> {
    minimal_versions(&model.problem, stage, order).map_err(|error| match error {
        PlanError::Versions { buffer, needed, limit } => {
            let ring = model
                .rings
                .iter()
                .find(|ring| ring.buffer.is_some_and(|id| id.index() == buffer));
            let message = format!("the loop's own plan needs {needed} versions of the buffer, allowed are {limit}");
            Decline::new("versions", ring.map_or(at, |ring| ring.allocation), message)
        }
        other => Decline::new("versions", at, format!("the loop's own plan: {other}")),
    })
}

/// Checks that the plan is within the number of stages that the loop asks for: no later stage, and no more versions of
/// a buffer whose number is not fixed.
fn check_wanted<'c>(
    model: &Model<'c>,
    body: &Body<'c>,
    stage: &[u32],
    versions: &[u32],
    wanted: u32,
) -> Result<(), Decline<'c>> {
    let contradiction = |at, message| Err(Decline::new("contradicting-stages", at, message));
    for (unit, stage) in body.units.iter().zip(stage) {
        if *stage > wanted {
            let message = format!("stage {stage} is beyond zpu.num_stages = {wanted}; raise that or lower the stage");
            return contradiction(unit.op, message);
        }
    }
    for ring in &model.rings {
        let needed = ring.buffer.map_or(1, |id| versions[id.index()]);
        if needed > wanted.max(1) && !ring.allocation.has_attr(annotation::VERSIONS) {
            let message = format!(
                "the loop's own stages need {needed} versions of the buffer, zpu.num_stages = {wanted} allows \
                 {wanted}; \
                 raise that, or give the buffer zpu.versions = {needed}"
            );
            return contradiction(ring.allocation, message);
        }
    }
    Ok(())
}

/// Checks that the plan keeps every dependence.
fn check_dependences<'c>(
    model: &Model<'c>,
    body: &Body<'c>,
    (stage, order): (&[u32], &[u32]),
    versions: &[u32],
) -> Result<(), Decline<'c>> {
    let plan = Plan {
        ii: 1,
        stage: stage.to_vec(),
        order: order.to_vec(),
        cycle: vec![0; stage.len()],
        versions: versions.to_vec(),
        chosen: vec![0; stage.len()],
    };
    let Err(violation) = verify_plan(&model.problem, &plan) else {
        return Ok(());
    };
    let PlanViolation::Dependence { from, to, distance, .. } = violation else {
        let message = format!("the loop's own plan: {violation}");
        return Err(Decline::new("contradicting-stages", body.for_.op, message));
    };
    let name = |id: zpu_sched::OpId| &model.problem.operations[id.index()].name;
    let of = if distance == 0 {
        String::new()
    } else {
        format!(" of {distance} iterations before")
    };
    let message = format!(
        "the loop's own plan has '{}' in stage {}, before '{}' in stage {}, but it depends on that{of}; give it a \
         later stage or order",
        name(to),
        stage[to.index()],
        name(from),
        stage[from.index()],
    );
    Err(Decline::new("contradicting-stages", body.units[to.index()].op, message))
}
