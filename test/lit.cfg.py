"""lit over test/: every file with a RUN line is a test of the tools' command lines.

`cargo test` runs it with the binaries that cargo just built. By hand: `lit test/passes -v`, which takes those of the
last `cargo build`.
"""

import os

import lit.formats


def folder(parameter, default):
    """A folder that the caller gave with -D, or the one of a plain checkout."""
    return os.path.abspath(lit_config.params.get(parameter, default))


root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
tools = folder("zpu_tools", os.path.join(root, "target", "debug"))
llvm = folder("llvm", os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"))
plugin = os.path.abspath(lit_config.params.get("zpu_plugin", os.path.join(tools, "libzpu.so")))

config.name = "zpu"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Inputs of other tests: they have no RUN line.
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = folder("exec_root", os.path.join(root, "target", "lit"))

# zpu-opt, zpu-sim, zpu-sched, zpu-sync, zpu-streams, zpu-tune; mlir-opt, mlir-runner, FileCheck, not, split-file.
config.environment["PATH"] = os.pathsep.join([tools, os.path.join(llvm, "bin"), config.environment.get("PATH", os.defpath)])
config.environment["FILECHECK_OPTS"] = "--dump-input=fail --enable-var-scope"
# Messages are compared as text.
config.environment["NO_COLOR"] = "1"

config.substitutions.append(("%zpu_plugin", plugin))
# The device `toy` as a module-level operation, to put in front of a test: `cat %toy %s | zpu-opt`.
config.substitutions.append(("%toy", os.path.join(config.test_source_root, "passes", "Inputs", "toy.mlir")))
config.substitutions.append(("%kernels", os.path.join(config.test_source_root, "kernels")))
config.substitutions.append(("%instances", os.path.join(root, "crates", "zpu-sched", "tests", "instances")))
config.substitutions.append(("%examples", os.path.join(root, "examples")))
config.substitutions.append(("%llvm_lib", os.path.join(llvm, "lib")))
