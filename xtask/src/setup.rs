//! Needs of the build from the system: finds them, installs them, or prints how to.
//!
//! Invariant: [`set_up`] returns only when every requirement holds, so a later step never fails for want of a package.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::run::succeed;

/// The prefix of LLVM 22 from Debian, Ubuntu and apt.llvm.org.
const DISTRIBUTION_PREFIX: &str = "/usr/lib/llvm-22";
const MAJOR: &str = "22";

/// An installation of LLVM and MLIR 22 that has all we need.
pub(crate) struct Llvm {
    /// Holds `bin`, `lib` and `include`.
    pub(crate) prefix: PathBuf,
}

impl Llvm {
    /// Tells a child process, and the build scripts below it, which LLVM to use.
    pub(crate) fn apply<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("MLIR_SYS_220_PREFIX", &self.prefix)
            .env("TABLEGEN_220_PREFIX", &self.prefix)
            .env("LIBCLANG_PATH", self.prefix.join("lib"))
    }
}

/// Checks that everything is there; as root on a system with apt-get, installs missing packages.
///
/// Fails with a message that holds the command to run when it cannot install by itself.
pub(crate) fn set_up() -> Result<Llvm> {
    let place = Place::from_environment();
    let missing = missing(&place);
    if missing.is_empty() {
        check_version(&place.prefix)?;
        return Ok(Llvm { prefix: place.prefix });
    }
    if let Some(variable) = place.variable.filter(|_| missing.iter().any(|need| need.of_llvm)) {
        bail!(
            "{variable} names {}, which lacks {}",
            place.prefix.display(),
            names(&missing)
        );
    }
    eprintln!("missing: {}", names(&missing));
    install(&packages(&missing))?;

    let still = self::missing(&place);
    ensure!(
        still.is_empty(),
        "installed the packages, and still missing: {}",
        names(&still)
    );
    check_version(&place.prefix)?;
    Ok(Llvm { prefix: place.prefix })
}

/// The prefix of LLVM, and the variable that names it.
struct Place {
    prefix: PathBuf,
    variable: Option<&'static str>,
}

impl Place {
    /// `.cargo/config.toml` gives `MLIR_SYS_220_PREFIX` a default, so that value does not count as the user's word.
    fn from_environment() -> Self {
        for variable in ["ZPU_LLVM_PREFIX", "MLIR_SYS_220_PREFIX"] {
            if let Some(value) = env::var_os(variable).filter(|v| !v.is_empty() && v != OsStr::new(DISTRIBUTION_PREFIX))
            {
                return Place {
                    prefix: value.into(),
                    variable: Some(variable),
                };
            }
        }
        Place {
            prefix: DISTRIBUTION_PREFIX.into(),
            variable: None,
        }
    }
}

/// A need of the build or the tests, and the package of Debian and Ubuntu that has it.
struct Need {
    name: &'static str,
    package: &'static str,
    /// Part of the LLVM installation, in contrast to the system around it.
    of_llvm: bool,
    found: fn(&Path) -> bool,
}

const fn llvm(name: &'static str, package: &'static str, found: fn(&Path) -> bool) -> Need {
    Need {
        name,
        package,
        of_llvm: true,
        found,
    }
}

const fn system(name: &'static str, package: &'static str, found: fn(&Path) -> bool) -> Need {
    Need {
        name,
        package,
        of_llvm: false,
        found,
    }
}

const NEEDS: &[Need] = &[
    llvm("mlir-tblgen", "mlir-22-tools", |p| p.join("bin/mlir-tblgen").exists()),
    llvm("mlir-opt", "mlir-22-tools", |p| p.join("bin/mlir-opt").exists()),
    llvm("mlir-runner", "mlir-22-tools", |p| p.join("bin/mlir-runner").exists()),
    llvm("the MLIR headers", "libmlir-22-dev", |p| {
        p.join("include/mlir/IR/MLIRContext.h").exists()
    }),
    llvm("MLIRConfig.cmake", "libmlir-22-dev", |p| {
        p.join("lib/cmake/mlir/MLIRConfig.cmake").exists()
    }),
    llvm("libMLIR.so", "libmlir-22-dev", |p| p.join("lib/libMLIR.so").exists()),
    llvm("libMLIRCAPIIR.a", "libmlir-22-dev", |p| {
        p.join("lib/libMLIRCAPIIR.a").exists()
    }),
    llvm("llvm-config", "llvm-22-dev", |p| p.join("bin/llvm-config").exists()),
    llvm("LLVMConfig.cmake", "llvm-22-dev", |p| {
        p.join("lib/cmake/llvm/LLVMConfig.cmake").exists()
    }),
    llvm("libLLVM.so", "llvm-22-dev", |p| p.join("lib/libLLVM.so").exists()),
    // The dialect has to be built by the compiler family that built libMLIR: see build.rs.
    llvm("clang++", "clang-22", |p| p.join("bin/clang++").exists()),
    llvm("libclang.so", "libclang-22-dev", |p| p.join("lib/libclang.so").exists()),
    llvm("libPolly.a", "libpolly-22-dev", |p| {
        p.join("lib/libPolly.a").exists() || !polly_is_linked(p)
    }),
    llvm("FileCheck", "llvm-22-tools", |p| p.join("bin/FileCheck").exists()),
    llvm("not", "llvm-22-tools", |p| p.join("bin/not").exists()),
    llvm("lit", "llvm-22-tools", |p| {
        p.join("bin/lit").exists() || p.join("build/utils/lit/lit.py").exists() || on_path("lit")
    }),
    system("a C++ compiler", "g++", |_| on_path("c++")),
    system("make", "make", |_| on_path("make")),
    system("cmake", "cmake", |_| on_path("cmake")),
    system("python3", "python3", |_| on_path("python3")),
    system("zlib.h", "zlib1g-dev", |_| has_header("zlib.h")),
    system("zstd.h", "libzstd-dev", |_| has_header("zstd.h")),
];

fn missing(place: &Place) -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| !(need.found)(&place.prefix)).collect()
}

fn names(needs: &[&Need]) -> String {
    needs.iter().map(|need| need.name).collect::<Vec<_>>().join(", ")
}

fn packages(needs: &[&Need]) -> Vec<&'static str> {
    let mut packages: Vec<_> = needs.iter().map(|need| need.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

/// True if LLVM's static libraries name Polly, as a distribution's build does; the `tblgen` crate then links it.
fn polly_is_linked(prefix: &Path) -> bool {
    Command::new(prefix.join("bin/llvm-config"))
        .args(["--link-static", "--libs"])
        .output()
        .map_or(true, |output| String::from_utf8_lossy(&output.stdout).contains("Polly"))
}

fn on_path(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// Asks the compiler, which knows where headers live; without one, looks in the usual folder.
fn has_header(name: &str) -> bool {
    let compiled = Command::new("c++")
        .args(["-x", "c++", "-E", "-include", name, "/dev/null"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match compiled {
        Ok(status) => status.success(),
        Err(_) => Path::new("/usr/include").join(name).exists(),
    }
}

fn check_version(prefix: &Path) -> Result<()> {
    let config = prefix.join("bin/llvm-config");
    let output = Command::new(&config)
        .arg("--version")
        .output()
        .with_context(|| format!("{}", config.display()))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let major = version.split('.').next().unwrap_or_default();
    ensure!(
        major == MAJOR,
        "{} is LLVM {version}, and zpu needs LLVM {MAJOR}",
        prefix.display()
    );
    Ok(())
}

fn install(packages: &[&str]) -> Result<()> {
    let command = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    if !on_path("apt-get") {
        bail!(
            "this system has no apt-get: install LLVM and MLIR {MAJOR} (shared libraries, headers, mlir-tblgen, \
             mlir-opt, \
             FileCheck, not, lit), clang++, libclang, cmake, make and a C++ compiler by its own means, and name LLVM's \
             folder in \
             ZPU_LLVM_PREFIX"
        );
    }
    ensure!(
        is_root(),
        "run this, then try again:\n  sudo apt-get update && sudo {command}"
    );

    succeed(Command::new("apt-get").arg("update"))?;
    let unknown: Vec<_> = packages.iter().copied().filter(|package| !offered(package)).collect();
    ensure!(unknown.is_empty(), "{}", elsewhere(&unknown, &command));
    eprintln!("+ {command}");
    succeed(
        Command::new("apt-get")
            .args([
                "install",
                "-y",
                "--no-install-recommends",
                "-o",
                "DPkg::Lock::Timeout=300",
            ])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// True if an archive that apt knows has the package.
fn offered(package: &str) -> bool {
    Command::new("apt-cache")
        .args(["show", "--no-all-versions", package])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Advice if the distribution's own archives are too old for LLVM 22.
fn elsewhere(unknown: &[&str], command: &str) -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .unwrap_or("CODENAME");
    format!(
        "the configured archives do not have {}. The LLVM project's own archive, apt.llvm.org, has them; add it, then \
         try \
         again:\n  \
         apt-get install -y ca-certificates wget\n  \
         wget -O /etc/apt/trusted.gpg.d/apt.llvm.org.asc https://apt.llvm.org/llvm-snapshot.gpg.key\n  \
         echo 'deb https://apt.llvm.org/{codename}/ llvm-toolchain-{codename}-{MAJOR} main' > \
         /etc/apt/sources.list.d/llvm.list\n  \
         apt-get update && {command}\n\
         An LLVM {MAJOR} that is installed elsewhere is taken from ZPU_LLVM_PREFIX.",
        unknown.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_prefix_lacks_every_part_of_llvm() {
        let place = Place {
            prefix: "/nonexistent".into(),
            variable: None,
        };
        let missing = missing(&place);
        let parts = NEEDS.iter().filter(|need| need.of_llvm && need.name != "lit").count();
        assert_eq!(
            missing.iter().filter(|need| need.of_llvm && need.name != "lit").count(),
            parts
        );
    }

    #[test]
    fn packages_are_named_once() {
        let needs: Vec<_> = NEEDS.iter().collect();
        let packages = packages(&needs);
        assert_eq!(
            packages.iter().filter(|package| **package == "mlir-22-tools").count(),
            1
        );
        assert!(packages.is_sorted());
    }

    #[test]
    fn a_too_old_archive_is_answered_with_commands() {
        let text = elsewhere(&["libmlir-22-dev"], "apt-get install -y libmlir-22-dev");
        assert!(text.contains("do not have libmlir-22-dev"), "{text}");
        assert!(
            text.contains("apt-get update && apt-get install -y libmlir-22-dev"),
            "{text}"
        );
    }
}
