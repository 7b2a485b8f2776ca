//! The reference: the results of the JIT equal those of a plain loop, and a call that does not fit is refused before it
//! is made.

use zpu_device::ElementType;
use zpu_ir::jit::{Arg, Jit};

const ADD: &str = r#"
func.func @add(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %scale: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xf32>
    %y = memref.load %b[%i] : memref<?xf32>
    %s = arith.mulf %x, %scale : f32
    %z = arith.addf %s, %y : f32
    memref.store %z, %c[%i] : memref<?xf32>
  }
  return
}
func.func @columns(%a: memref<4x6xi16>, %b: memref<4x3xi16>) {
  %part = memref.subview %a[0, 2] [4, 3] [1, 1] : memref<4x6xi16> to memref<4x3xi16, strided<[6, 1], offset: 2>>
  memref.copy %part, %b : memref<4x3xi16, strided<[6, 1], offset: 2>> to memref<4x3xi16>
  return
}
func.func @answer() -> i32 {
  %x = arith.constant 42 : i32
  return %x : i32
}
"#;

fn floats(values: impl IntoIterator<Item = f32>) -> Arg {
    let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
    Arg::Memref {
        element: ElementType::F32,
        shape: vec![bytes.len() as i64 / 4],
        bytes,
    }
}

fn add_arguments(n: i64) -> Vec<Arg> {
    vec![
        floats((0..n).map(|i| i as f32)),
        floats((0..n).map(|i| 0.1 * i as f32)),
        floats((0..n).map(|_| -1.0)),
        Arg::Scalar {
            element: ElementType::F32,
            bits: u64::from(0.3f32.to_bits()),
        },
        Arg::Scalar {
            element: ElementType::Index,
            bits: n.cast_unsigned(),
        },
    ]
}

#[test]
fn buffers_and_numbers_go_in_and_out() -> Result<(), String> {
    let mut jit = Jit::new(ADD)?;
    for n in [0, 1, 7, 100] {
        let mut args = add_arguments(n);
        jit.call("add", &mut args)?;
        let expected = floats((0..n).map(|i| i as f32 * 0.3 + 0.1 * i as f32));
        assert_eq!(args[2], expected);
        assert_eq!(args[0], add_arguments(n)[0]);
    }
    Ok(())
}

#[test]
fn strided_copies_find_their_run_time_library() -> Result<(), String> {
    let numbers = |values: Vec<i16>, shape: [i64; 2]| Arg::Memref {
        element: ElementType::Int(16),
        shape: shape.to_vec(),
        bytes: values.into_iter().flat_map(i16::to_le_bytes).collect(),
    };
    let mut args = [numbers((0..24).collect(), [4, 6]), numbers(vec![0; 12], [4, 3])];
    Jit::new(ADD)?.call("columns", &mut args)?;
    assert_eq!(
        args[1],
        numbers(vec![2, 3, 4, 8, 9, 10, 14, 15, 16, 20, 21, 22], [4, 3])
    );
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<(), String> {
    let mut jit = Jit::new(ADD)?;
    let mut refused = |name: &str, change: &dyn Fn(&mut Vec<Arg>)| {
        let mut args = add_arguments(8);
        change(&mut args);
        let before = args.clone();
        let error = jit.call(name, &mut args).err().unwrap_or_default();
        assert_eq!(args, before);
        error
    };
    assert_eq!(
        refused("sub", &|_| ()),
        "there is no function `sub` without results; the module has add, columns"
    );
    assert_eq!(
        refused("answer", &Vec::clear),
        "there is no function `answer` without results; the module has add, columns"
    );
    assert_eq!(
        refused("add", &|args| args.truncate(2)),
        "`add` takes 5 arguments, 2 were given"
    );
    assert_eq!(
        refused("add", &|args| args.swap(2, 3)),
        "argument 2 of `add`: it takes a buffer of F32, not a number of type F32"
    );
    let resized = |args: &mut Vec<Arg>| {
        if let Arg::Memref { bytes, .. } = &mut args[1] {
            bytes.truncate(9);
        }
    };
    assert_eq!(
        refused("add", &resized),
        "argument 1 of `add`: 9 bytes were given for extents [8] of F32"
    );
    assert_eq!(
        refused("columns", &|args| args.truncate(2)),
        "argument 0 of `columns`: it takes a buffer of Int(16), not a buffer of F32"
    );
    Ok(())
}

#[test]
fn bad_text_is_an_error() {
    let error = Jit::new("func.func @f() { \"no.such\"() : () -> () return }").err();
    assert!(error.is_some_and(|error| error.contains("module:1:")));
    assert!(Jit::new("func.func @f(").is_err());
}
