//! The engines that can do an operation, by the memories of its operands.

use crate::command::sync_engine;
use zpu_device::{Device, Engine, EngineKind, Role};
use zpu_ir::ops::Compute;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, annotation, ty, work};

/// The reason why an operation stays as it is.
pub struct Kept {
    /// The reason as one kebab-case word, for programs.
    pub reason: &'static str,
    /// The reason in words.
    pub message: String,
}

impl Kept {
    /// A reason.
    pub fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }
}

/// The engines that take a structured operation with its operands where they are.
pub fn engines_for_compute<'d>(op: Op<'_>, device: &'d Device) -> Result<Vec<&'d Engine>, Kept> {
    if let Some(effect) = work::scalar_effect(op) {
        let message = format!(
            "{} in the body of {} does more than compute on scalars, which no engine takes; it is done in program \
             order, as it is \
             written",
            effect.name(),
            op.name()
        );
        return Err(Kept::new("body-has-effects", message));
    }
    let operands = op.operands();
    let on_vector = || {
        let roles = operands.iter().map(|operand| (Role::All, *operand)).collect();
        fitting_engines(EngineKind::Vector, roles, device)
    };
    if op.is_contraction() {
        let roles = [Role::A, Role::B, Role::C]
            .into_iter()
            .zip(operands.iter().copied())
            .collect();
        let on_tensor = fitting_engines(EngineKind::Tensor, roles, device);
        return on_tensor.or_else(|kept| {
            if work::is_convolution(op) {
                on_vector().or(Err(kept))
            } else {
                Err(kept)
            }
        });
    }
    on_vector().or_else(|kept| {
        if op.is_zero_fill() {
            zero_init_engines(op, device).ok_or(kept)
        } else {
            Err(kept)
        }
    })
}

/// The tensor engines that set the accumulator to zero which the operation fills; `None` if there is none.
fn zero_init_engines<'d>(fill: Op<'_>, device: &'d Device) -> Option<Vec<&'d Engine>> {
    let dest = fill.operands().last().map(|dest| (Role::C, *dest));
    let mut engines = fitting_engines(EngineKind::Tensor, dest.into_iter().collect(), device).ok()?;
    engines.retain(|engine| engine.zero_init().is_some());
    Some(engines).filter(|engines| !engines.is_empty())
}

/// The engines of a kind whose operand rules are met; scalars meet every rule.
pub fn fitting_engines<'d>(
    kind: EngineKind,
    roles: Vec<(Role, Value<'_>)>,
    device: &'d Device,
) -> Result<Vec<&'d Engine>, Kept> {
    let mut operands = Vec::new();
    for (role, operand) in roles.into_iter().filter(|(_, operand)| ty::is_memref(operand.ty())) {
        operands.push((role, space_of(operand, device)?));
    }
    let mut fitting = Vec::new();
    let mut misfits = Vec::new();
    for engine in device.engines_of_kind(kind) {
        match operands
            .iter()
            .find(|(role, space)| !engine.operands.allows(*role, space))
        {
            None => fitting.push(engine),
            Some((role, space)) => misfits.push(format!(
                "operand '{role}' is in {space}; engine @{} takes it from {}",
                engine.name,
                engine.operands.spaces(*role).join(" or ")
            )),
        }
    }
    if fitting.is_empty() && misfits.is_empty() {
        return Err(Kept::new("no-engine", format!("the device has no {kind} engine")));
    }
    if fitting.is_empty() {
        return Err(Kept::new("no-engine", misfits.join("; ")));
    }
    Ok(fitting)
}

/// The name of the device's memory that a buffer is in.
pub fn space_of<'c>(buffer: Value<'c>, device: &Device) -> Result<&'c str, Kept> {
    let ty = buffer.ty();
    let memref = MemRef::of(ty).ok_or_else(|| {
        Kept::new(
            "no-engine",
            format!("{ty} is not a ranked memref with a strided layout"),
        )
    })?;
    let space = memref.space().ok_or_else(|| {
        let message = format!(
            "{ty} has no #zpu.space; write one, or run zpu-infer-memory-spaces, whose remarks say which buffers it \
             leaves"
        );
        Kept::new("no-space", message)
    })?;
    if device.memory(space).is_none() {
        let message = format!(
            "{space} is no memory of the device, which has {}",
            device.memory_names()
        );
        return Err(Kept::new("no-space", message));
    }
    Ok(space)
}

/// True if some computation of a function could be on another engine.
pub fn has_choice(function: Op<'_>, device: &Device) -> bool {
    let all = computations(function, device);
    all.iter().any(|(.., engines)| engines.len() > 1)
}

/// The computations of a function with the operation that each does and the engines that it may be on, of which its own
/// is one: those of that kind that block as that one does. A computation with an engine or cycles that a user wrote has
/// no choice.
pub fn computations<'c, 'd>(function: Op<'c>, device: &'d Device) -> Vec<(Op<'c>, Op<'c>, Vec<&'d Engine>)> {
    let commands = function.walk().into_iter().filter(|op| op.is(Compute::NAME));
    let each = commands.filter_map(|command| {
        let own = device.engine(sync_engine(command)?)?;
        let work = command.body()?.ops().next()?;
        let is_users = command.has_attr(annotation::ENGINE) || command.has_attr(annotation::CYCLES);
        let mut engines = engines_for_compute(work, device).unwrap_or_default();
        engines.retain(|engine| engine.kind == own.kind && engine.blocking == own.blocking && !is_users);
        if !engines.iter().any(|engine| engine.name == own.name) {
            engines = vec![own];
        }
        Some((command, work, engines))
    });
    each.collect()
}
