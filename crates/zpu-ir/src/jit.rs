//! Native execution of a front end's module: upstream's passes down to LLVM, and upstream's JIT.
//!
//! This is the reference that nothing of ours takes part in: the same text that the passes and the simulator get is
//! lowered by stock passes only and run on this machine.
//!
//! A call is checked against the function's type as the front end wrote it (number, kind, element type and extents of
//! the arguments) before it is made. The code itself is trusted, as that of any library that a program loads: a module
//! that accesses memory out of bounds does so in this process.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};

use melior::utility::register_all_llvm_translations;
use mlir_sys as sys;
use zpu_device::ElementType;

use crate::{Module, Op, attr, new_context, parse_text, pipeline, raw_text, ty};

/// From `linalg` on memrefs to the LLVM dialect. Narrow floats are computed in f32 with the rounding spelled out, so
/// that the result needs no run-time library for them. The same passes as in `test/kernels/lit.local.cfg`.
const STOCK_LOWERING: &str = "builtin.module(canonicalize,convert-linalg-to-loops,expand-strided-metadata,lower-affine,\
     convert-scf-to-cf,math-extend-to-supported-types{target-type=f32},\
     arith-emulate-unsupported-floats{source-types=bf16,f16 target-type=f32},\
     arith-expand{include-bf16=true},convert-math-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,\
     convert-cf-to-llvm,func.func(llvm-request-c-wrappers),convert-func-to-llvm,reconcile-unrealized-casts)";

/// Level of LLVM's optimisations. They do not change what floating-point operations give.
const OPTIMIZATION_LEVEL: i32 = 1;

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A buffer of its own; it is read and written in place.
    Memref {
        /// Element type.
        element: ElementType,
        /// Extents in elements.
        shape: Vec<i64>,
        /// Row-major contents, little-endian.
        bytes: Vec<u8>,
    },
    /// A number.
    Scalar {
        /// Its type.
        element: ElementType,
        /// Its bit pattern; bits above the type's width are ignored.
        bits: u64,
    },
}

/// A module that was compiled for this machine.
#[derive(Debug)]
pub struct Jit {
    engine: sys::MlirExecutionEngine,
    functions: BTreeMap<String, Vec<Parameter>>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
enum Parameter {
    Memref {
        element: ElementType,
        shape: Vec<Option<i64>>,
    },
    Scalar(ElementType),
}

impl Jit {
    /// Compiles a module of `func`, `scf`, `memref`, `linalg`, `arith`, `math` and `affine` operations, given as text.
    ///
    /// # Errors
    ///
    /// MLIR's diagnostics for a text that does not parse or does not lower, or why no code could be made.
    pub fn new(text: &str) -> Result<Self, String> {
        let context = new_context();
        register_all_llvm_translations(&context);
        let mut module = parse_text(&context, text, "module")?;
        let functions = signatures(Op::of_module(&module));
        pipeline::run(&context, &mut module, STOCK_LOWERING)?;
        let engine = compile(&module)?;
        Ok(Self { engine, functions })
    }

    /// Calls a function. Afterwards the buffers hold the contents that it left in them.
    ///
    /// # Errors
    ///
    /// The argument that does not fit and the parameters of the function; the function is not called then.
    pub fn call(&mut self, name: &str, args: &mut [Arg]) -> Result<(), String> {
        let parameters = self.functions.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.functions.keys().map(String::as_str).collect();
            format!(
                "there is no function `{name}` without results; the module has {}",
                if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                }
            )
        })?;
        if parameters.len() != args.len() {
            return Err(format!(
                "`{name}` takes {} arguments, {} were given",
                parameters.len(),
                args.len()
            ));
        }
        for (position, (parameter, arg)) in parameters.iter().zip(args.iter()).enumerate() {
            check(parameter, arg).map_err(|reason| format!("argument {position} of `{name}`: {reason}"))?;
        }
        self.invoke(name, args)
    }

    fn invoke(&mut self, name: &str, args: &mut [Arg]) -> Result<(), String> {
        // Words, because the code relies on the alignment of its elements.
        let mut storage: Vec<Vec<u64>> = args.iter().map(to_words).collect();
        // A parameter of the C interface is a number, or the address of a descriptor.
        let mut descriptors: Vec<Vec<u64>> = args
            .iter()
            .zip(&mut storage)
            .map(|(arg, words)| descriptor(arg, words))
            .collect();
        let mut values: Vec<u64> = args
            .iter()
            .zip(&mut descriptors)
            .map(|(arg, descriptor)| match arg {
                Arg::Memref { .. } => address(descriptor),
                Arg::Scalar { element, bits } => bits & mask(*element),
            })
            .collect();
        let mut packed: Vec<*mut c_void> = values.iter_mut().map(|value| (&raw mut *value).cast()).collect();
        // SAFETY: the function exists and has no results; each packed pointer is that of a value of its parameter's
        // type, by the check of the caller, and what a descriptor describes is owned by `storage`, which outlives the
        // call. The code in between is trusted, see the module's documentation.
        let result = unsafe { sys::mlirExecutionEngineInvokePacked(self.engine, raw_text(name), packed.as_mut_ptr()) };
        if result.value == 0 {
            return Err(format!("`{name}` could not be called"));
        }
        for (arg, words) in args.iter_mut().zip(&storage) {
            if let Arg::Memref { bytes, .. } = arg {
                let contents = words.iter().flat_map(|word| word.to_ne_bytes());
                bytes.iter_mut().zip(contents).for_each(|(byte, new)| *byte = new);
            }
        }
        Ok(())
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: it is ours and not used afterwards.
        unsafe { sys::mlirExecutionEngineDestroy(self.engine) }
    }
}

/// The functions with a body and without results whose parameters can be given as [`Arg`]s.
fn signatures(module: Op<'_>) -> BTreeMap<String, Vec<Parameter>> {
    let signature = |function: Op<'_>| {
        let name = function.attr("sym_name").and_then(attr::as_str)?;
        let (inputs, results) = ty::function(function.attr("function_type").and_then(attr::as_type)?)?;
        function.body()?;
        if !results.is_empty() {
            return None;
        }
        let parameters = inputs.into_iter().map(parameter).collect::<Option<_>>()?;
        Some((name.to_owned(), parameters))
    };
    module.find_all("func.func").into_iter().filter_map(signature).collect()
}

fn parameter(ty: crate::Type<'_>) -> Option<Parameter> {
    if let Some(memref) = ty::MemRef::of(ty) {
        return memref.is_identity_layout().then_some(Parameter::Memref {
            element: ty::scalar(memref.element)?,
            shape: memref.shape,
        });
    }
    ty::scalar(ty).map(Parameter::Scalar)
}

fn compile(module: &Module<'_>) -> Result<sys::MlirExecutionEngine, String> {
    let library = runner_utilities()?;
    let library = library.to_str().ok_or("the path of LLVM is not UTF-8")?;
    // The C API takes the text for a terminated one, whatever its length says.
    let library = CString::new(library).map_err(|_| "the path of LLVM has a zero in it")?;
    let libraries = [sys::MlirStringRef {
        data: library.as_ptr(),
        length: library.as_bytes().len(),
    }];
    // SAFETY: the module is alive, and the engine copies what it needs of it and of the path.
    let engine = unsafe {
        sys::mlirExecutionEngineCreate(
            module.to_raw(),
            OPTIMIZATION_LEVEL,
            libraries.len() as i32,
            libraries.as_ptr(),
            false,
            false,
        )
    };
    if engine.ptr.is_null() {
        return Err("the lowered module could not be compiled for this machine".into());
    }
    Ok(engine)
}

/// Upstream's library with the copy of strided buffers, which lowered modules call.
fn runner_utilities() -> Result<PathBuf, String> {
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let path = Path::new(&prefix).join("lib/libmlir_c_runner_utils.so");
    if path.exists() {
        Ok(path)
    } else {
        Err(format!(
            "there is no {}; install libmlir-22-dev and mlir-22-tools, or set MLIR_SYS_220_PREFIX",
            path.display()
        ))
    }
}

fn check(parameter: &Parameter, arg: &Arg) -> Result<(), String> {
    match (parameter, arg) {
        (Parameter::Scalar(expected), Arg::Scalar { element, .. }) if expected == element => Ok(()),
        (
            Parameter::Memref {
                element: expected,
                shape: extents,
            },
            Arg::Memref { element, shape, bytes },
        ) if expected == element => {
            let fits = extents.len() == shape.len()
                && extents
                    .iter()
                    .zip(shape)
                    .all(|(e, s)| *s >= 0 && e.is_none_or(|e| e == *s));
            if !fits {
                return Err(format!("extents {shape:?} do not fit {}", written(extents)));
            }
            let size = shape
                .iter()
                .try_fold(i64::from(bytes_of(*element)), |size, extent| size.checked_mul(*extent));
            if size.and_then(|size| usize::try_from(size).ok()) != Some(bytes.len()) {
                return Err(format!(
                    "{} bytes were given for extents {shape:?} of {element:?}",
                    bytes.len()
                ));
            }
            Ok(())
        }
        _ => Err(format!("it takes {}, not {}", kind(parameter), kind_of(arg))),
    }
}

fn written(extents: &[Option<i64>]) -> String {
    let extents: Vec<String> = extents
        .iter()
        .map(|extent| extent.map_or("?".to_owned(), |extent| extent.to_string()))
        .collect();
    format!("[{}]", extents.join(", "))
}

fn kind(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Memref { element, .. } => format!("a buffer of {element:?}"),
        Parameter::Scalar(element) => format!("a number of type {element:?}"),
    }
}

fn kind_of(arg: &Arg) -> String {
    match arg {
        Arg::Memref { element, .. } => format!("a buffer of {element:?}"),
        Arg::Scalar { element, .. } => format!("a number of type {element:?}"),
    }
}

/// Bytes of an element in memory; integers take a power of two of them.
fn bytes_of(element: ElementType) -> u32 {
    match element {
        ElementType::F16 | ElementType::Bf16 => 2,
        ElementType::F32 => 4,
        ElementType::F64 | ElementType::Index => 8,
        ElementType::Int(bits) => u32::from(bits).div_ceil(8).next_power_of_two(),
    }
}

/// The bits that a number of that type has.
fn mask(element: ElementType) -> u64 {
    let bits = match element {
        ElementType::Int(bits) => u32::from(bits),
        other => bytes_of(other) * 8,
    };
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// The contents of a buffer in aligned memory.
fn to_words(arg: &Arg) -> Vec<u64> {
    let Arg::Memref { bytes, .. } = arg else {
        return Vec::new();
    };
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

/// Upstream's memref descriptor: allocated and aligned address, offset, extents, strides. Empty for a number.
fn descriptor(arg: &Arg, words: &mut Vec<u64>) -> Vec<u64> {
    let Arg::Memref { shape, .. } = arg else {
        return Vec::new();
    };
    let mut strides = vec![1i64; shape.len()];
    for dim in (1..shape.len()).rev() {
        // Extents may overflow only where another one is 0; nothing is accessed then.
        strides[dim - 1] = strides[dim].wrapping_mul(shape[dim]);
    }
    let base = address(words);
    [base, base, 0]
        .into_iter()
        .chain(shape.iter().chain(&strides).map(|value| value.cast_unsigned()))
        .collect()
}

fn address(words: &mut Vec<u64>) -> u64 {
    words.as_mut_ptr().expose_provenance() as u64
}
