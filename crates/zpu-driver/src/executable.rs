//! A function of a module, made ready to run on a device.
//!
//! Invariant: an executable is owned data, apart from the module that it was made of: the module may be transformed or
//! dropped.

use std::sync::Arc;

use zpu_device::Device;
use zpu_ir::{Module, Op};
use zpu_sim::{Argument, Interleavings, Limits, Options, Outcome, Program, Report, ValueType};
use zpu_translate::Entry;

use crate::Error;

/// A function with all that it calls, and the device that it runs on.
#[derive(Clone, Debug)]
pub struct Executable {
    entry: String,
    device: Arc<Device>,
    program: Program,
}

/// Makes an executable of a function of a module, at any step of the lowering.
///
/// # Errors
///
/// [`Error::Translate`], if there is no such function, too.
pub fn translate(module: &Module<'_>, device: impl Into<Arc<Device>>, entry: &str) -> Result<Executable, Error> {
    let device = device.into();
    let program = zpu_translate::translate(Op::of_module(module), &device, entry)?;
    Ok(Executable {
        entry: entry.to_owned(),
        device,
        program,
    })
}

impl Executable {
    /// The function's name.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The program in the simulator's form.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Types of the arguments.
    pub fn types(&self) -> impl Iterator<Item = &ValueType> {
        let function = self.program.function(&self.entry);
        let parameters = function.map(|id| &self.program.functions[id.index()].parameters);
        parameters.into_iter().flatten().map(|parameter| &parameter.ty)
    }

    /// Runs the function. What is wrong with the program is part of the outcome; an error means that there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Simulate`].
    pub fn simulate(&self, arguments: Vec<Argument>, options: &Options) -> Result<Outcome, Error> {
        let outcome = zpu_sim::simulate(&self.program, &self.device, &self.entry, arguments, options);
        Ok(outcome?)
    }

    /// The cycles of the function: runs it without values, so that commands take time and change nothing. Arguments of
    /// which only the extents matter are [`Argument::Shape`]. Deadlocks and full memories are found, races and reads of
    /// unwritten memory are not.
    ///
    /// # Errors
    ///
    /// [`Error::Simulate`], with [`zpu_sim::SimError::NeedsValues`] where the control stream needs a number that is not
    /// known without values.
    pub fn time(&self, arguments: Vec<Argument>, options: &Options) -> Result<Report, Error> {
        let outcome = self.simulate(arguments, &options.clone().without_values());
        outcome.map(|outcome| outcome.report)
    }

    /// Looks at all orders in which the commands of a call may complete.
    ///
    /// # Errors
    ///
    /// [`Error::Simulate`].
    pub fn interleavings(&self, arguments: Vec<Argument>, limits: &Limits) -> Result<Interleavings, Error> {
        let orders = zpu_sim::interleavings(&self.program, &self.device, &self.entry, arguments, limits);
        Ok(orders?)
    }
}

/// The device that a module is compiled for.
///
/// # Errors
///
/// [`Error::NoDevice`], [`Error::Device`].
pub fn device_of(module: &Module<'_>) -> Result<Device, Error> {
    let module = Op::of_module(module);
    if zpu_ir::device::find(module).is_none() {
        return Err(Error::NoDevice);
    }
    zpu_ir::device::read(module).map_err(|error| Error::Device(error.to_string()))
}

/// The reason why there is no function to run. Names are quoted in the texts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// None of that name.
    #[error("the module has no function `{name}`; it has {}", list(.known))]
    Unknown {
        /// The requested name.
        name: String,
        /// The functions that there are.
        known: Vec<String>,
    },
    /// Several may be meant.
    #[error("the module has several functions, and none is named as the entry: {}", list(.public))]
    Several {
        /// Functions visible from outside.
        public: Vec<String>,
    },
    /// None is visible from outside.
    #[error("the module has no public function with a body; it has {}", list(.private))]
    NonePublic {
        /// The other functions.
        private: Vec<String>,
    },
    /// None at all.
    #[error("the module has no function with a body")]
    None,
}

impl EntryError {
    /// Names in quotes, separated by commas.
    pub fn list(names: &[String]) -> String {
        list(names)
    }
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The function that is asked for, or else the only public one.
///
/// # Errors
///
/// [`Error::Entry`].
pub fn entry_of(module: &Module<'_>, asked: Option<&str>) -> Result<String, Error> {
    let entries = zpu_translate::entries(Op::of_module(module));
    let names = |is_wanted: fn(&Entry) -> bool| -> Vec<String> {
        let wanted = entries.iter().filter(|entry| is_wanted(entry));
        wanted.map(|entry| entry.name.clone()).collect()
    };
    if let Some(name) = asked {
        return match entries.iter().any(|entry| entry.name == name) {
            true => Ok(name.to_owned()),
            false => Err(EntryError::Unknown {
                name: name.to_owned(),
                known: names(|_| true),
            }
            .into()),
        };
    }
    let mut public = names(|entry| entry.public);
    match public.len() {
        1 => Ok(public.remove(0)),
        0 if entries.is_empty() => Err(EntryError::None.into()),
        0 => Err(EntryError::NonePublic {
            private: names(|_| true),
        }
        .into()),
        _ => Err(EntryError::Several { public }.into()),
    }
}
