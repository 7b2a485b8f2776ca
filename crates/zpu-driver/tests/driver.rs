//! The whole way from a text to a comparison, and an error of each kind.

use std::path::Path;

use zpu_device::Device;
use zpu_driver::{
    ArgumentError, EntryError, Error, Executable, Fill, Misfit, Parameter, Session, compare, device_of, entry_of,
    parameters, pipeline_of, translate,
};
use zpu_ir::Op;
use zpu_sim::{Argument, Options, SimError};

const SCALE: &str = "
func.func @scale(%x: memref<64x256xf32> {llvm.noalias}, %y: memref<64x256xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %in = memref.subview %x[%i, 0] [1, 256] [1, 1]
        : memref<64x256xf32> to memref<1x256xf32, strided<[256, 1], offset: ?>>
    %out = memref.subview %y[%i, 0] [1, 256] [1, 1]
        : memref<64x256xf32> to memref<1x256xf32, strided<[256, 1], offset: ?>>
    %a = memref.alloc() : memref<1x256xf32>
    memref.copy %in, %a : memref<1x256xf32, strided<[256, 1], offset: ?>> to memref<1x256xf32>
    linalg.exp ins(%a : memref<1x256xf32>) outs(%a : memref<1x256xf32>)
    memref.copy %a, %out : memref<1x256xf32> to memref<1x256xf32, strided<[256, 1], offset: ?>>
    memref.dealloc %a : memref<1x256xf32>
  }
  return
}";

const PIPELINE: &str = "builtin.module(zpu-pipeline{device=toy num-stages=2})";

fn toy() -> Device {
    Device::load("toy", &[]).expect("a built-in device")
}

/// A function of a text, on the device `toy`.
fn executable(session: &Session, text: &str) -> Executable {
    let module = session.parse(text, "text").expect("a module");
    let entry = entry_of(&module, None).expect("one function");
    translate(&module, toy(), &entry).expect("a program")
}

#[test]
fn a_text_is_compiled_and_compared() {
    let session = Session::new();
    let mut module = session.parse(SCALE, "scale").expect("a module");
    let entry = entry_of(&module, None).expect("one function");
    let before = translate(&module, toy(), &entry).expect("a program");
    session.compile(&mut module, PIPELINE).expect("a pipeline that works");
    let device = device_of(&module).expect("the pipeline attaches one");
    let after = translate(&module, device, &entry).expect("a program");
    // A translated program does not depend on the module.
    drop(module);

    let arguments = before.filled(Fill::Random(1)).expect("buffers of static size");
    assert_eq!(arguments, after.filled(Fill::Random(1)).expect("the same types"));
    let comparison = compare(&before, &after, arguments, &Options::default()).expect("two runs");
    assert!(comparison.is_equal(), "{:?}", comparison.differences);
    assert!(comparison.speedup() > 1.2, "{}", comparison.speedup());
    let after = &comparison.after;
    assert!(after.completed && after.findings.is_empty(), "{:?}", after.findings);
    assert!(0 < after.lower_bound && after.lower_bound <= after.cycles);
    // The loop as it is written computes where the copies leave the rows, which the vector engine does not reach by
    // itself.
    assert_eq!(comparison.before.is_legal(), comparison.before.unsupported.is_empty());
}

#[test]
fn steps_do_what_the_pipeline_does() {
    let session = Session::new();
    let parse = || session.parse(SCALE, "scale").expect("a module");
    let options = "builtin.module(zpu-pipeline{device=toy compare-plans=false})";
    let (mut at_once, mut by_steps, mut joined) = (parse(), parse(), parse());
    session.compile(&mut at_once, options).expect("a pipeline");
    let steps = session.steps(options).expect("a pipeline");
    assert!(steps.iter().any(|step| step.pass() == "zpu-inject-dma-barrier"));
    for step in &steps {
        session
            .compile_unverified(&mut by_steps, step.as_str())
            .expect("a step");
        assert!(Op::of_module(&by_steps).verify(), "{step}");
    }
    session
        .compile(&mut joined, &pipeline_of(&steps))
        .expect("the same pipeline");
    let text = Op::of_module(&at_once).to_string();
    assert_eq!(Op::of_module(&by_steps).to_string(), text);
    assert_eq!(Op::of_module(&joined).to_string(), text);
}

#[test]
fn the_first_difference_is_said() {
    let session = Session::new();
    let writes = |value: &str| {
        let text = format!(
            "func.func @f(%x: memref<2x2xf32>) {{
               %i = arith.constant 1 : index
               %v = arith.constant {value} : f32
               memref.store %v, %x[%i, %i] : memref<2x2xf32>
               return
             }}"
        );
        executable(&session, &text)
    };
    let (one, two) = (writes("1.0"), writes("2.0"));
    let arguments = one.filled(Fill::Zero).expect("a buffer");
    let comparison = compare(&one, &two, arguments, &Options::default()).expect("two runs");
    let texts: Vec<String> = comparison
        .differences
        .iter()
        .map(|difference| difference.describe("one", "two"))
        .collect();
    assert_eq!(
        texts,
        ["argument 0 at [1, 1]: 1.0 in one, 2.0 in two (1 of 4 elements differ)"]
    );
}

#[test]
fn a_text_that_does_not_parse() {
    let session = Session::new();
    let error = session
        .parse("func.func @f() {\n  zzz\n}", "broken")
        .expect_err("no module");
    assert!(matches!(error, Error::Parse(_)));
    assert!(error.to_string().starts_with("broken:2:3: error: "), "{error}");
    let error = session.parse("\"a.b\"() : () -> ()", "foreign").expect_err("no module");
    assert_eq!(
        error.to_string(),
        "foreign:1:6: error: the operation is of no dialect that is known here"
    );
    let missing = session.parse_file(Path::new("/no/such/file")).expect_err("no file");
    assert!(missing.to_string().contains("cannot be read"), "{missing}");
}

#[test]
fn a_pipeline_that_is_none_and_one_that_fails() {
    let session = Session::new();
    let mut module = session.parse(SCALE, "scale").expect("a module");
    for pipeline in [
        "builtin.module(zpu-pipeline{colour=red})",
        "builtin.module(no-such-pass)",
    ] {
        let error = session.compile(&mut module, pipeline).expect_err("nobody knows that");
        let Error::Pipeline {
            pipeline: text,
            diagnostics,
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!(text, pipeline);
        assert!(
            diagnostics.contains("colour") || diagnostics.contains("no-such-pass"),
            "{diagnostics}"
        );
        assert!(matches!(session.steps(pipeline), Err(Error::Pipeline { .. })));
    }
    // The text is a pipeline, and the pass has no device to work for.
    let error = session.compile(&mut module, "builtin.module(zpu-infer-memory-spaces)");
    let error = error.expect_err("there is no device");
    assert!(matches!(error, Error::Pass { .. }), "{error:?}");
    assert!(error.to_string().contains("no zpu.device in the module"), "{error}");
    // The session works on.
    session.compile(&mut module, PIPELINE).expect("a pipeline that works");
}

#[test]
fn a_module_of_another_session() {
    let (one, other) = (Session::new(), Session::new());
    let mut module = one.parse(SCALE, "scale").expect("a module");
    let error = other.compile(&mut module, "builtin.module(canonicalize)");
    assert_eq!(error, Err(Error::OtherSession));
}

#[test]
fn a_module_without_the_device_or_the_entry() {
    let session = Session::new();
    let module = session.parse(SCALE, "scale").expect("a module");
    assert_eq!(device_of(&module), Err(Error::NoDevice));
    let error = translate(&module, toy(), "other").expect_err("no such function");
    assert!(matches!(error, Error::Translate(_)));
    assert!(
        error
            .to_string()
            .contains("there is no function `other`; the module has `scale`"),
        "{error}"
    );
    let unknown = EntryError::Unknown {
        name: "other".to_owned(),
        known: vec!["scale".to_owned()],
    };
    assert_eq!(entry_of(&module, Some("other")), Err(Error::Entry(unknown)));

    let two = "func.func @a() { return }\nfunc.func @b() { return }\nfunc.func private @c() { return }";
    let module = session.parse(two, "two").expect("a module");
    assert_eq!(entry_of(&module, Some("c")).as_deref(), Ok("c"));
    let error = entry_of(&module, None).expect_err("either may be meant");
    assert_eq!(
        error.to_string(),
        "the module has several functions, and none is named as the entry: `a`, `b`"
    );
}

#[test]
fn an_operation_without_a_meaning() {
    let session = Session::new();
    let text = "func.func @f() {\n  %x = gpu.thread_id x\n  return\n}";
    let module = session.parse(text, "text").expect("a module");
    let error = translate(&module, toy(), "f").expect_err("no meaning here");
    assert_eq!(
        error.to_string(),
        "text:2:8: error: zpu-sim cannot interpret gpu.thread_id"
    );
}

#[test]
fn arguments_of_the_wrong_size() {
    let session = Session::new();
    let program = executable(&session, SCALE);
    let simulate = |arguments| program.simulate(arguments, &Options::default()).expect_err("no call");
    let short = Argument::Buffer {
        shape: vec![64, 256],
        bytes: vec![0; 12],
    };
    let error = simulate(vec![short.clone(), short.clone()]);
    assert!(
        matches!(error, Error::Simulate(SimError::Argument { position: 0, .. })),
        "{error:?}"
    );
    let error = simulate(vec![short]);
    assert!(
        matches!(error, Error::Simulate(SimError::ArgumentCount { .. })),
        "{error:?}"
    );

    let parameter = &program.parameters().expect("two buffers")[0];
    assert_eq!(parameter.to_string(), "memref<64x256xf32>");
    assert_eq!(parameter.sizes(Some(&[64, 8])), Err(Misfit::Shape(vec![64, 8])));
    let huge = Parameter::Buffer {
        element: zpu_device::ElementType::F64,
        shape: vec![Some(1 << 40)],
    };
    assert_eq!(huge.buffer(None, |_, _| Vec::new()), Err(Misfit::TooLarge));
}

#[test]
fn arguments_that_fit_two_programs() {
    let session = Session::new();
    let open = executable(&session, "func.func @f(%x: memref<?x4xf32>) { return }");
    let fixed = executable(&session, "func.func @f(%x: memref<2x4xf32>) { return }");
    let number = executable(&session, "func.func @f(%x: index) { return }");
    let none = executable(&session, "func.func @f() { return }");
    let both = parameters(&[&open, &fixed]).expect("a static size wins");
    assert_eq!(both[0].to_string(), "memref<2x4xf32>");
    let types = parameters(&[&fixed, &number]).expect_err("no common type");
    assert_eq!(
        types.to_string(),
        "argument 0 is memref<2x4xf32> in one program and index in the other"
    );
    let count = ArgumentError::Count {
        executable: 2,
        expected: 1,
        found: 0,
    };
    assert_eq!(parameters(&[&open, &fixed, &none]), Err(count));
    let open = open.filled(Fill::Zero).expect_err("a size is missing");
    assert_eq!(
        open.to_string(),
        "argument 0, memref<?x4xf32>: has dynamic sizes, which have to be given"
    );
    assert!(matches!(
        number.filled(Fill::Zero),
        Err(ArgumentError::Misfit {
            misfit: Misfit::Number,
            ..
        })
    ));
}

#[test]
fn a_fill_is_read() {
    assert_eq!("random:7".parse(), Ok(Fill::Random(7)));
    assert_eq!("iota".parse(), Ok(Fill::Iota));
    let error = |text: &str| text.parse::<Fill>().expect_err("none").to_string();
    assert_eq!(error("random:x"), "`x` is no seed; give a number, as in random:1");
    assert_eq!(error("ones"), "`ones` is none of zero, iota, random:SEED");
}

#[test]
fn commands_get_another_device() {
    let text = "
      func.func @f(%x: memref<8xf32, #zpu.space<dram>>) {
        %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
        zpu.dma %x to %a on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
        return
      }";
    let session = Session::new();
    let module = session.parse(text, "commands").expect("a module");
    session.replace_device(&module, &toy()).expect("toy has that engine");
    assert_eq!(device_of(&module).map(|device| device.name), Ok("toy".to_owned()));
    let ascend = Device::load("ascend-910b", &[]).expect("a built-in device");
    let error = session.replace_device(&module, &ascend).expect_err("no such engine");
    assert!(matches!(error, Error::UnfitCommands(_)), "{error:?}");
}
