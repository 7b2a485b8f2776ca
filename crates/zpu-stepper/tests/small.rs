//! Single programs: one that the stepper declines, and one on which the two executors once differed.

mod common;

use common::{F32, Spans, by_cycles, by_events};
use zpu_device::{Device, ElementType};
use zpu_sim::*;
use zpu_stepper::StepError;

fn function(parameters: Vec<Parameter>, registers: u32, ops: Vec<Op>) -> Program {
    let location = LocationId(0);
    let statements = ops.into_iter().map(|op| Statement { location, op }).collect();
    let body = Block {
        statements,
        yields: vec![],
    };
    Program {
        functions: vec![Function {
            name: "main".into(),
            is_private: false,
            parameters,
            results: vec![],
            registers,
            body,
            location,
            return_location: location,
        }],
        ..Program::default()
    }
}

#[test]
fn a_condition_from_memory_is_declined_and_an_address_is_not() {
    let ty = ValueType::MemRef(MemRefType {
        element: ElementType::Int(1),
        shape: vec![],
        layout: None,
        space: None,
    });
    let load = Op::Load {
        result: Reg(1),
        memref: Reg(0),
        indices: vec![],
    };
    let subview = Op::View {
        result: Reg(2),
        source: Reg(0),
        view: ViewOp::Reinterpret {
            offset: Size::Register(Reg(1)),
            sizes: vec![],
            strides: vec![],
        },
    };
    let decide = Op::If {
        condition: Reg(1),
        then: Block::default(),
        otherwise: Block::default(),
        results: vec![],
    };
    let device = Device::load("toy", &[]).unwrap();
    let run = |ops| {
        let register = Reg(0);
        let parameters = vec![Parameter {
            register,
            ty: ty.clone(),
        }];
        let arguments = [zpu_stepper::Argument::Shape(vec![])];
        let options = zpu_stepper::Options::default();
        zpu_stepper::run(&function(parameters, 3, ops), &device, "main", &arguments, &options)
    };
    assert_eq!(
        run(vec![load.clone(), subview]).unwrap().cycles,
        device.control.scalar_cycles
    );
    let declined = run(vec![load, decide]);
    assert_eq!(declined, Err(StepError::Unknown("<unknown>".into(), "a condition")));
}

/// The simulator took the path through the off-chip memory, in 690 cycles and more.
#[test]
fn a_front_ends_copy_in_stages_stays_on_chip() {
    let device = Device::load("ascend-910b", &[]).unwrap();
    let space = |name: &str| device.memories.iter().position(|memory| memory.name == name).unwrap();
    let alloc = |register, name| Op::Alloc {
        result: Reg(register),
        element: F32,
        shape: vec![],
        space: Some(SpaceId(space(name) as u32)),
        address: None,
        stack: false,
    };
    let copy = Op::Command(Box::new(Command {
        name: "copy".into(),
        engine: None,
        completion: Completion::Synchronous,
        actions: vec![Action {
            location: LocationId(0),
            cycles: None,
            kind: ActionKind::Copy {
                source: Reg(0),
                target: Reg(1),
            },
        }],
        cycles: None,
    }));
    let program = function(vec![], 2, vec![alloc(0, "l0c"), alloc(1, "ub"), copy]);
    let found = by_cycles(&program, &device, &[], false);
    assert_eq!(found, by_events(&program, &device, vec![]));
    let Spans::Fine(_, commands) = found else {
        panic!("{found:?}")
    };
    let engines: Vec<&str> = commands
        .iter()
        .map(|span| device.engines[span.unwrap().0].name.as_str())
        .collect();
    assert_eq!(engines, ["fix", "mte1"]);
}
