//! Build script of `zpu-sys`: makes the pass shells from `dialect/Passes.td`, has CMake build `dialect/`, and tells the
//! linker where MLIR's C API is.
//!
//! LLVM is looked for under `MLIR_SYS_220_PREFIX`, which `.cargo/config.toml` sets to Debian's place.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tblgen::{Record, TableGenParser};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?)
        .join("../..")
        .canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let prefix = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into()));
    let dialect = root.join("dialect");
    for entry in fs::read_dir(&dialect)? {
        println!("cargo:rerun-if-changed={}", entry?.path().display());
    }
    println!("cargo:rerun-if-changed={}", root.join("cmake").display());
    println!("cargo:rerun-if-changed={}", root.join("build.rs").display());
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");

    let (passes, pipeline) = read_passes(&dialect, &prefix)?;
    fs::write(
        out.join("ZpuPassShells.cpp.inc"),
        cpp_pipeline(&pipeline) + &cpp_shells(&passes, &pipeline),
    )?;
    fs::write(
        out.join("pass_options.rs"),
        rust_options(&passes) + &rust_pipeline(&pipeline),
    )?;

    let library = cmake::Config::new(&dialect)
        .define("CMAKE_CXX_COMPILER", cxx_compiler(&prefix)?)
        .define("MLIR_DIR", prefix.join("lib/cmake/mlir"))
        .define("ZPU_GENERATED_DIR", &out)
        .profile("Release")
        .build();
    println!("cargo:rustc-link-search=native={}", library.join("lib").display());
    println!("cargo:rustc-link-lib=static=zpu_dialect");
    link_c_api(&prefix, &out)?;
    println!("cargo:rustc-link-lib=stdc++");
    Ok(())
}

/// LLVM's own clang++, or what `CXX` names.
///
/// MLIR compares types and traits across the library border by names that it takes from the compiler, and those of GCC
/// differ from those of Clang: a dialect built by another compiler family than libMLIR loses its traits without a
/// message.
fn cxx_compiler(prefix: &Path) -> Result<PathBuf, Box<dyn Error>> {
    println!("cargo:rerun-if-env-changed=CXX");
    if let Some(compiler) = env::var_os("CXX") {
        return Ok(compiler.into());
    }
    let clang = prefix.join("bin/clang++");
    if clang.exists() {
        return Ok(clang);
    }
    Err(format!(
        "no {}; install clang-22, or set CXX to the compiler that built this LLVM",
        clang.display()
    )
    .into())
}

/// mlir-sys asks for `-lMLIR-C` under shared linking, which distributions do not ship. A linker script of that name,
/// which stands for the static archives of the C API, takes its place; the archives in turn use the one shared libMLIR.
fn link_c_api(prefix: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut archives = Vec::new();
    for entry in fs::read_dir(prefix.join("lib"))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("libMLIRCAPI") && name.ends_with(".a") {
            archives.push(path.display().to_string());
        }
    }
    if archives.is_empty() {
        return Err(format!("no libMLIRCAPI*.a in {}/lib; install libmlir-22-dev", prefix.display()).into());
    }
    archives.sort();
    fs::write(out.join("libMLIR-C.so"), format!("GROUP ( {} )\n", archives.join(" ")))?;
    println!("cargo:rustc-link-search=native={}", out.display());
    Ok(())
}

/// A pass, or the pipeline, as Passes.td declares it.
struct Pass {
    /// CamelCase name of the record.
    record: String,
    /// The flag, `zpu-...`.
    argument: String,
    summary: String,
    options: Vec<PassOption>,
}

struct PassOption {
    /// C++ member.
    member: String,
    /// Name on the command line.
    argument: String,
    kind: OptionKind,
    /// C++ expression; empty for an empty text or list.
    default: String,
    description: String,
}

#[derive(Clone, Copy)]
enum OptionKind {
    Number,
    Bool,
    Text,
    TextList,
}

/// The passes, and the pipeline.
fn read_passes(dialect: &Path, prefix: &Path) -> Result<(Vec<Pass>, Pass), Box<dyn Error>> {
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or("a path is not UTF-8");
    let keeper = TableGenParser::new()
        .add_source_file(&text(&dialect.join("Passes.td"))?)
        .add_include_directory(&text(&prefix.join("include"))?)
        .add_include_directory(&text(dialect)?)
        .parse()?;
    let (mut passes, mut pipelines) = (Vec::new(), Vec::new());
    for record in keeper.all_derived_definitions("PassBase") {
        let options = record
            .list_of_defs_value("options")?
            .into_iter()
            .map(read_option)
            .collect::<Result<_, _>>()?;
        let kind = if record.subclass_of("ZpuPipeline") {
            &mut pipelines
        } else {
            &mut passes
        };
        kind.push(Pass {
            record: record.name()?.to_owned(),
            argument: record.str_value("argument")?.to_owned(),
            summary: record.str_value("summary")?.to_owned(),
            options,
        });
    }
    let pipeline = pipelines.pop().filter(|_| pipelines.is_empty());
    Ok((passes, pipeline.ok_or("Passes.td has to declare one pipeline")?))
}

fn read_option(record: Record<'_>) -> Result<PassOption, Box<dyn Error>> {
    let list = record.subclass_of("ListOption");
    let kind = match (record.str_value("type")?, list) {
        ("int64_t", false) => OptionKind::Number,
        ("bool", false) => OptionKind::Bool,
        ("std::string", false) => OptionKind::Text,
        ("std::string", true) => OptionKind::TextList,
        (other, _) => return Err(format!("option type {other} has no counterpart in Rust").into()),
    };
    Ok(PassOption {
        member: record.str_value("cppName")?.to_owned(),
        argument: record.str_value("argument")?.to_owned(),
        kind,
        default: record.str_value("defaultValue")?.to_owned(),
        description: record.str_value("description")?.to_owned(),
    })
}

/// The options of the pipeline as MLIR parses and prints them.
fn cpp_pipeline(pipeline: &Pass) -> String {
    let name = &pipeline.record;
    let mut members = String::new();
    for option in &pipeline.options {
        let kind = match option.kind {
            OptionKind::Number => "Option<int64_t>",
            OptionKind::Bool => "Option<bool>",
            OptionKind::Text => "Option<std::string>",
            OptionKind::TextList => "ListOption<std::string>",
        };
        let (member, argument, description) = (&option.member, &option.argument, &option.description);
        let default = match option.default.as_str() {
            "" => String::new(),
            value => format!(", llvm::cl::init({value})"),
        };
        writeln!(
            members,
            "  {kind} {member}{{*this, \"{argument}\", llvm::cl::desc({description:?}){default}}};"
        )
        .expect("writing to a string");
    }
    format!(
        "namespace {{\nstruct {name}Options : PassPipelineOptions<{name}Options> {{\n{members}\n  \
         void addTo(OptionValues &values) {{\n{}  }}\n}};\n}} // namespace\n\n",
        cpp_adds(&pipeline.options)
    )
}

/// Statements that hand options to Rust, in their order.
fn cpp_adds(options: &[PassOption]) -> String {
    let value = |o: &PassOption| match o.kind {
        OptionKind::TextList => format!("ArrayRef<std::string>({})", o.member),
        _ => format!("{}.getValue()", o.member),
    };
    options
        .iter()
        .map(|o| format!("    values.add({});\n", value(o)))
        .collect()
}

/// One class a pass, which hands its options to Rust, and their registration, with that of the pipeline.
fn cpp_shells(passes: &[Pass], pipeline: &Pass) -> String {
    let mut text = String::from("namespace zpu {\n#define GEN_PASS_DECL\n");
    for pass in passes {
        writeln!(text, "#define GEN_PASS_DEF_{}", pass.record.to_uppercase()).expect("writing to a string");
    }
    text.push_str("#include \"ZpuPasses.h.inc\"\n} // namespace zpu\n\nnamespace {\n");
    for pass in passes {
        let name = &pass.record;
        let adds = cpp_adds(&pass.options);
        write!(
            text,
            "struct {name}Shell : zpu::impl::{name}Base<{name}Shell> {{\n  using {name}Base::{name}Base;\n  \
             void runOnOperation() override {{\n    OptionValues values;\n{adds}    \
             switch (runPass(\"{}\", getOperation(), values)) {{\n    case Outcome::Failed:\n      \
             signalPassFailure();\n      break;\n    case Outcome::Unchanged:\n      \
             markAllAnalysesPreserved();\n      break;\n    case Outcome::Changed:\n      break;\n    }}\n  \
             }}\n}};\n",
            pass.argument
        )
        .expect("writing to a string");
    }
    text.push_str("} // namespace\n\nstatic void registerShells() {\n");
    for pass in passes {
        writeln!(
            text,
            "  registerPass([] {{ return std::make_unique<{}Shell>(); }});",
            pass.record
        )
        .expect("writing to a string");
    }
    let Pass {
        record,
        argument,
        summary,
        ..
    } = pipeline;
    writeln!(
        text,
        "  registerPassPipeline({argument:?}, {summary:?}, buildPipeline<{record}Options>,\n                       \
         [](function_ref<void(const mlir::detail::PassOptions &)> show) {{ show({record}Options()); }});\n}}"
    )
    .expect("writing to a string");
    text
}

/// One struct a pass, and the enum over them.
fn rust_options(passes: &[Pass]) -> String {
    let mut text = String::new();
    for pass in passes {
        text += &rust_struct(pass);
    }
    text.push_str("/// A pass and its options.\n#[derive(Clone, Debug, PartialEq, Eq)]\npub enum Pass {\n");
    for pass in passes {
        writeln!(
            text,
            "    /// `{}`.\n    {record}({record}Options),",
            pass.argument,
            record = pass.record
        )
        .expect("writing to a string");
    }
    text.push_str(
        "}\n\nimpl Pass {\n    /// Flags of all passes, in the order of Passes.td.\n    pub const NAMES: \
        &[&str] = &[\n",
    );
    for pass in passes {
        writeln!(text, "        \"{}\",", pass.argument).expect("writing to a string");
    }
    text.push_str(
        "    ];\n\n    /// The pass of that flag with its options, which stand in the order of Passes.td; `None` if \
         there is no such\n    \
         /// pass or the options are not its own.\n    \
         pub fn from_values(name: &str, values: &[OptionValue]) -> Option<Self> {\n        \
         let mut values = values.iter();\n        let pass = match name {\n",
    );
    for pass in passes {
        let fields = rust_reads(&pass.options);
        let body = if fields.is_empty() {
            String::new()
        } else {
            format!(" {{ {fields}}}")
        };
        writeln!(
            text,
            "            \"{}\" => Self::{record}({record}Options{body}),",
            pass.argument,
            record = pass.record
        )
        .expect("writing to a string");
    }
    text.push_str(
        "            _ => return None,\n        };\n        values.next().is_none().then_some(pass)\n    }\n}\n",
    );
    text
}

/// The options of a pass or of the pipeline as a struct.
fn rust_struct(pass: &Pass) -> String {
    let mut fields = String::new();
    for option in &pass.options {
        let kind = match option.kind {
            OptionKind::Number => "i64",
            OptionKind::Bool => "bool",
            OptionKind::Text => "String",
            OptionKind::TextList => "Vec<String>",
        };
        writeln!(
            fields,
            "    /// `{}`: {}.\n    pub {}: {kind},",
            option.argument,
            option.description,
            snake(&option.member)
        )
        .expect("writing to a string");
    }
    let body = if fields.is_empty() {
        ";".to_owned()
    } else {
        format!(" {{\n{fields}}}")
    };
    format!(
        "/// Options of `{}`: {}.\n#[derive(Clone, Debug, PartialEq, Eq)]\npub struct {}Options{body}\n\n",
        pass.argument, pass.summary, pass.record
    )
}

/// Fields of a struct, read one after the other from the iterator `values`.
fn rust_reads(options: &[PassOption]) -> String {
    let read = |o: &PassOption| match o.kind {
        OptionKind::Number => "number",
        OptionKind::Bool => "flag",
        OptionKind::Text => "text",
        OptionKind::TextList => "list",
    };
    options
        .iter()
        .map(|o| format!("{}: values.next()?.{}()?, ", snake(&o.member), read(o)))
        .collect()
}

/// The struct of the pipeline's options.
fn rust_pipeline(pipeline: &Pass) -> String {
    format!(
        "\n{}impl {}Options {{\n    \
         /// The options, from values in the order of Passes.td; `None` if the values are not theirs.\n    \
         pub fn from_values(values: &[OptionValue]) -> Option<Self> {{\n        \
         let mut values = values.iter();\n        let options = Self {{ {}}};\n        \
         values.next().is_none().then_some(options)\n    }}\n}}\n",
        rust_struct(pipeline),
        pipeline.record,
        rust_reads(&pipeline.options)
    )
}

/// `numStages` to `num_stages`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
