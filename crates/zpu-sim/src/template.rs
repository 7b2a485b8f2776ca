//! Commands whose operands are laid out as they were the last time: such a command costs what it did, and touches the
//! same bytes from where its operands begin now.
//!
//! Invariant: what a template says is what the effects of the command would say. Checks of shapes and indices, prices
//! and footprints depend on the extents and strides of the operands and on their memories; where a view begins only
//! moves its footprint.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::command_cost::CommandCost;
use crate::effect::Effect;
use crate::machine::{Machine, Stop};
use crate::program::{ActionKind, Command, Reg, SpaceId};
use crate::simulate::Values;
use crate::touch::{Touch, touches_of};
use crate::value::Frame;
use crate::view::View;

/// An operand as it was.
#[derive(Debug)]
struct Operand {
    register: Reg,
    view: Rc<View>,
    space: SpaceId,
}

/// A command as it was.
#[derive(Debug)]
struct Template {
    operands: SmallVec<[Operand; 4]>,
    /// The bytes that it touched, each with the place of its operand.
    touches: SmallVec<[(usize, Touch); 4]>,
    price: Rc<CommandCost>,
}

/// The commands of a run as they were the last time, by the address of the operation. Only looked up, never iterated,
/// so that hashing decides nothing.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    known: FxHashMap<usize, Template>,
}

fn address(command: &Command) -> usize {
    std::ptr::from_ref(command).addr()
}

impl Machine<'_> {
    /// The price of a command that is laid out as it was the last time, and what it touches.
    pub(crate) fn known_work(
        &self,
        command: &Command,
        frame: &Frame,
        touches: &mut Vec<Touch>,
    ) -> Option<Rc<CommandCost>> {
        let template = self.templates.known.get(&address(command))?;
        let mut shifts: SmallVec<[(&View, i64); 4]> = SmallVec::new();
        for operand in &template.operands {
            let (view, before) = (frame.view(operand.register).ok()?, &operand.view);
            if self.space(view) != operand.space {
                return None;
            }
            let mut shift = 0;
            if !Rc::ptr_eq(view, before) {
                let is_alike = view.sizes == before.sizes && view.strides == before.strides;
                if !is_alike || view.element != before.element {
                    return None;
                }
                shift = view.origin().ok()?.checked_sub(before.origin().ok()?)?;
            }
            shifts.push((view, shift));
        }
        for (operand, touch) in &template.touches {
            let (view, shift) = shifts[*operand];
            touches.push(Touch {
                buffer: view.buffer,
                footprint: touch.footprint.moved(shift)?,
                ..*touch
            });
        }
        Some(Rc::clone(&template.price))
    }

    /// Checks that every operand of such a command lies in a live buffer.
    pub(crate) fn check_touches(&self, command: &Command, touches: &[Touch]) -> Result<(), Stop> {
        if self.options.values == Values::Assumed {
            return Ok(());
        }
        touches.iter().try_for_each(|touch| {
            let check = self.memory.check(touch.buffer, &touch.footprint);
            check.map_err(|fault| Stop::Fault(fault, command.actions[touch.part].location))
        })
    }

    /// True if the effects of a command agree with its template, or if there are none to compare.
    pub(crate) fn is_as_known(
        &mut self,
        engine: usize,
        command: &Command,
        effects: &[Effect],
        touches: &[Touch],
        price: &CommandCost,
    ) -> bool {
        let is_alike = |other: Rc<CommandCost>| {
            let facts = |price: &CommandCost| {
                (
                    price.cost,
                    price.flow,
                    Rc::clone(&price.choices),
                    price.route,
                    price.bytes,
                )
            };
            facts(&other) == facts(price)
        };
        effects.is_empty()
            || touches_of(effects) == touches && self.priced(engine, effects, command.cycles).is_ok_and(is_alike)
    }

    /// Remembers a command.
    pub(crate) fn learn_work(
        &mut self,
        command: &Command,
        frame: &Frame,
        effects: &[Effect],
        touches: &[Touch],
        price: &Rc<CommandCost>,
    ) {
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        let mut of_operands: SmallVec<[(usize, Touch); 4]> = SmallVec::new();
        let mut next = touches.iter();
        for (action, effect) in command.actions.iter().zip(effects) {
            let registers: &[Reg] = match &action.kind {
                ActionKind::Copy { source, target } | ActionKind::Softmax { source, target, .. } => &[*source, *target],
                ActionKind::Run { operands, .. } => operands,
            };
            // The others are numbers.
            let views = registers.iter().map(|register| (register, frame.view(*register).ok()));
            let mut places: SmallVec<[Option<usize>; 4]> = SmallVec::new();
            for (register, view) in views {
                places.push(view.map(|_| operands.len()));
                operands.extend(view.map(|view| Operand {
                    register: *register,
                    view: Rc::clone(view),
                    space: self.space(view),
                }));
            }
            // By its place: two operands may be one view now and another one each the next time.
            effect.for_each_operand_at(|at, _, _, _, _| {
                let place = places.get(at).copied().flatten();
                of_operands.extend(place.zip(next.next().cloned()));
            });
        }
        if of_operands.len() != touches.len() {
            return;
        }
        let template = Template {
            operands,
            touches: of_operands,
            price: Rc::clone(price),
        };
        self.templates.known.insert(address(command), template);
    }
}
