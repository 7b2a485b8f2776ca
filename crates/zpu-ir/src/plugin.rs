//! The entry points that make a shared library a dialect and pass plug-in of the stock `mlir-opt`.

use std::ffi::{c_char, c_void};

use mlir_sys::MlirDialectRegistry;

/// Version of MLIR's plug-in interface that these structs follow.
const API_VERSION: u32 = 1;

/// `mlir::DialectPluginLibraryInfo`.
#[repr(C)]
pub struct DialectPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
}

/// `mlir::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

const VERSION: *const c_char = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();

unsafe extern "C" fn register_dialect(registry: *mut c_void) {
    // SAFETY: MLIR calls this with its live `DialectRegistry *`, which is what MlirDialectRegistry wraps.
    unsafe { zpu_sys::zpuRegisterDialect(MlirDialectRegistry { ptr: registry }) }
}

/// The answer to `mlirGetDialectPluginInfo`.
pub fn dialect_plugin() -> DialectPlugin {
    DialectPlugin {
        api_version: API_VERSION,
        name: c"zpu".as_ptr(),
        version: VERSION,
        register: register_dialect,
    }
}

/// The answer to `mlirGetPassPluginInfo`; `register` installs the passes.
pub fn pass_plugin(register: extern "C" fn()) -> PassPlugin {
    PassPlugin {
        api_version: API_VERSION,
        name: c"zpu".as_ptr(),
        version: VERSION,
        register,
    }
}

/// Exports the two entry points of a plug-in from the shared library that this is expanded in. The argument is the
/// function that installs the passes, `fn()`.
#[macro_export]
macro_rules! export_plugin {
    ($install:path) => {
        extern "C" fn register_passes() {
            $install();
        }

        /// Entry point of `--load-dialect-plugin`.
        #[unsafe(no_mangle)]
        pub extern "C" fn mlirGetDialectPluginInfo() -> $crate::plugin::DialectPlugin {
            $crate::plugin::dialect_plugin()
        }

        /// Entry point of `--load-pass-plugin`.
        #[unsafe(no_mangle)]
        pub extern "C" fn mlirGetPassPluginInfo() -> $crate::plugin::PassPlugin {
            $crate::plugin::pass_plugin(register_passes)
        }
    };
}
