//! Single operations in the check: what is required before them, and the state after them.

use std::rc::Rc;

use super::known::{Instances, Known, Token};
use super::walk::Script;
use super::{Checker, Rejection};
use crate::index::range;
use crate::problem::EngineId;
use crate::problem::view::Value;
use crate::program::{ItemId, Kind};

/// Choices of choices that are looked through, as deep as the proof looks: each level may double them.
const MOST_CHOICES: u32 = 8;

impl<'c> Checker<'_, 'c> {
    /// An item: the state after it.
    pub(super) fn item(&mut self, id: ItemId, mut known: Known, script: &mut Script<'_>) -> Result<Known, Rejection> {
        let program = self.program;
        self.require_memory(id, &mut known)?;
        match &program.items[id].kind {
            Kind::Start(engine, token, barrier) => self.start(id, *engine, (*token, *barrier), &mut known)?,
            Kind::Synchronous(engine) => {
                self.require_order(id, Some(*engine), &known)?;
                known.complete(&known.on_engine(program, *engine));
            }
            Kind::Wait(value) => known.complete(&self.token(*value, &known).covers),
            Kind::WaitId(number) => self.wait_id(id, *number, &mut known)?,
            Kind::Fence(engines) => {
                for engine in engines {
                    known.complete(&known.on_engine(program, *engine));
                }
            }
            Kind::Null(value) => {
                known.tokens.insert(value.id, Token::none(false));
            }
            // A number is looked up where it is used: a command may have taken it in the meantime.
            Kind::Choice(result, _) if result.is_token() => {
                let token = self.token(*result, &known);
                known.tokens.insert(result.id, token);
            }
            Kind::Choice(..) | Kind::End => {}
            Kind::Access | Kind::ScopeEnd => self.require_order(id, None, &known)?,
            Kind::Block(block, tokens) => return self.block(*block, 0, known, tokens, script),
            Kind::Return => self.require_return(id, &known)?,
            Kind::For(loop_) => return self.counted(id, loop_, known, script),
            Kind::If(_, blocks, tokens) => return self.branch(id, blocks, tokens, &known, script),
            Kind::While(loop_) => return self.repeated(id, loop_, known, script),
            Kind::Other(blocks, tokens) => return self.other(id, blocks, tokens, known, script),
        }
        Ok(known)
    }

    /// An asynchronous command. The engine completes what it was given in order, so that a wait for this one is one for
    /// all of its engine that is outstanding.
    fn start(
        &mut self,
        id: ItemId,
        engine: EngineId,
        (value, barrier): (Value<'c>, Option<Value<'c>>),
        known: &mut Known,
    ) -> Result<(), Rejection> {
        let program = self.program;
        self.require_order(id, Some(engine), known)?;
        let instance = Rc::new(program.present(id));
        let mut covers = known.on_engine(program, engine);
        if program.engine(engine).blocking {
            known.complete(&covers);
            covers = Instances::new();
        } else {
            self.require_place(id, engine, &covers)?;
            covers.insert(instance.clone());
            known.issue(&instance);
            let own = known.owners.iter_mut();
            own.filter(|owner| program.items[owner.instance.item].kind.engine() == Some(engine))
                .for_each(|owner| {
                    owner.leaves.insert(instance.clone());
                });
        }
        let mut token = Token {
            covers,
            may_be_none: false,
            sign_tells: false,
        };
        known.tokens.insert(value.id, token.clone());
        if let Some(number) = barrier {
            self.take_id(id, &instance, known)?;
            if program.tracked.contains(number) {
                token.sign_tells = range::of_index(&number.index()).is_not_negative();
                known.tokens.insert(program.tracked.name(number).id, token);
            }
        }
        Ok(())
    }

    /// A wait for a value; one of unknown origin covers nothing.
    pub(super) fn token(&self, value: Value<'c>, known: &Known) -> Token {
        self.named(value, known).unwrap_or_else(|| Token::none(false))
    }

    /// The token of a value, if the value is followed.
    pub(super) fn named(&self, value: Value<'c>, known: &Known) -> Option<Token> {
        self.chosen(value, known, 0)
    }

    fn chosen(&self, value: Value<'c>, known: &Known, depth: u32) -> Option<Token> {
        if let Some(token) = known.tokens.get(&self.program.tracked.name(value).id) {
            return Some(token.clone());
        }
        if value.as_constant_int().is_some_and(|number| number < 0) {
            return Some(Token::none(true));
        }
        let choice = value
            .defining_op()
            .filter(|op| op.is("arith.select") && depth < MOST_CHOICES)?;
        let side = |index: usize| self.chosen(choice.operand(index), known, depth + 1);
        match self.context.evaluate(choice.operand(0)) {
            Some(true) => side(1),
            Some(false) => side(2),
            None => Some(side(1)?.either(&side(2)?)),
        }
    }
}
