//! Order of cycles: a stronger scheduler, or more stages, must not give a slower program.
//!
//! The expectations: auto <= greedy <= list <= serial <= the program with each command complete before the next one,
//! and one more stage is never slower. If only the call tells the trip counts, one wait for each engine is no
//! difference.

use std::sync::Arc;

use zpu_device::Device;
use zpu_ir::{Module, Op};

use crate::observation::observe;
use crate::program::{Program, Shape};
use crate::run::{Failure, Kind, Runner, fail, is_refusal, parsed, steps};
use crate::setting::Setting;

/// Schedulers, the strongest last. The search for an optimum takes too long for what it could show here.
const ORDER: [&str; 4] = ["serial", "list", "greedy", "auto"];

impl Runner<'_> {
    /// Compares the cycles that a program takes with each scheduler on a setting's machine; false if nothing is to be
    /// compared.
    ///
    /// # Errors
    ///
    /// If a pass fails, or a program is slower than it should be.
    pub fn in_order(&mut self, program: &Program, setting: &Setting) -> Result<bool, Failure> {
        // Loaded values that decide something may be anything; plans are compared for one choice of them.
        if program.shapes.contains(&Shape::ControlAccess) {
            return Ok(false);
        }
        let Some(device) = self.device(setting, &program.text)? else {
            return Ok(false);
        };
        let is_open = program.shapes.contains(&Shape::DynamicBounds);
        let engines = device.engines.len() as u64;
        let slack = if is_open {
            engines * device.control.wait_cycles
        } else {
            0
        };
        let mut before = ("as written".to_owned(), None);
        for (scheduler, stages) in ORDER
            .iter()
            .map(|scheduler| (*scheduler, setting.stages))
            .chain([("auto", setting.stages + 1)])
        {
            let setting = Setting {
                scheduler: scheduler.to_owned(),
                stages,
                others: Vec::new(),
                hand: 0,
                compares: true,
                ..setting.clone()
            };
            let Some((written, after)) = self.cycles(program, &setting, &device)? else {
                return Ok(false);
            };
            let least = before.1.unwrap_or(written);
            if after > least + slack {
                let message = format!("{setting} takes {after} cycles, {} {least}", before.0);
                return Err(fail(Kind::Slower, "all passes", message));
            }
            before = (setting.to_string(), Some(after));
        }
        Ok(true)
    }

    /// Cycles of a program as its commands are written, and after all passes; nothing if the machine cannot run it.
    fn cycles(
        &mut self,
        program: &Program,
        setting: &Setting,
        device: &Arc<Device>,
    ) -> Result<Option<(u64, u64)>, Failure> {
        let mut module = parsed(self.session, program)?;
        let steps = steps(self.session, setting)?;
        let mut written = None;
        let seen = |module: &Module<'_>, pass: &str| {
            observe(module, device, program).map_err(|(kind, message)| fail(kind, pass, message))
        };
        for step in steps {
            let pass = step.pass();
            let compiled = self.session.compile_unverified(&mut module, step.as_str());
            match compiled.map_err(|error| error.to_string()) {
                Ok(_) => {}
                Err(error) if is_refusal(&error) => return Ok(None),
                Err(error) => return Err(fail(Kind::Error, pass, error)),
            }
            if pass == "zpu-convert-to-dma" {
                match observe(&module, device, program) {
                    Ok(observation) => written = Some(observation.cycles),
                    Err((Kind::Capacity, _)) => return Ok(None),
                    Err((kind, message)) => return Err(fail(kind, pass, message)),
                }
            }
        }
        debug_assert!(Op::of_module(&module).verify());
        Ok(written.zip(Some(seen(&module, "all passes")?.cycles)))
    }
}
