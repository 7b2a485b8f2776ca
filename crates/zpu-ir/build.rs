//! Writes the views of [`zpu_ir::ops`] and the names of [`zpu_ir::annotation`] as the ODS of the dialect declares them,
//! and lets the tests find libMLIR where they were linked against it.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tblgen::{Record, RecordKeeper, TableGenParser};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix = env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{prefix}/lib");

    let dialect = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../dialect");
    for file in [
        "ZpuBase.td",
        "ZpuDeviceOps.td",
        "ZpuMpmdOps.td",
        "ZpuOps.td",
        "ZpuStreamAttrs.td",
    ] {
        println!("cargo:rerun-if-changed={}", dialect.join(file).display());
    }
    println!("cargo:rerun-if-changed=build.rs");
    let dialect = dialect.to_str().ok_or("a path is not UTF-8")?;
    let keeper = TableGenParser::new()
        .add_source_file(&format!("{dialect}/ZpuOps.td"))
        .add_include_directory(&format!("{prefix}/include"))
        .add_include_directory(dialect)
        .parse()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("ops.rs"), views(&keeper)?)?;
    fs::write(out.join("annotation.rs"), annotations(&keeper)?)?;
    Ok(())
}

/// An operation as the ODS declares it.
struct Op {
    /// Full name, `zpu.dma_start`.
    name: String,
    /// Name of its view, `DmaStart`.
    view: String,
    summary: String,
    operands: Vec<Operand>,
    attributes: Vec<Attribute>,
    /// The results that have a place of their own.
    results: Vec<String>,
    regions: Vec<Region>,
    /// True if operands or results come in groups of any length. The view then has no getters for those, and no
    /// function that makes one: both are written by hand.
    has_groups: bool,
}

struct Region {
    name: String,
    optional: bool,
}

struct Operand {
    name: String,
    optional: bool,
}

struct Attribute {
    name: String,
    read: Read,
    optional: bool,
}

/// How Rust reads an attribute: the type of its value, and the function of `attr` that finds it; none for a flag.
type Read = (&'static str, Option<&'static str>);

fn read_of(constraint: Record<'_>) -> Result<Read> {
    if constraint.subclass_of("OptionalAttr") {
        return read_of(constraint.def_value("baseAttr")?);
    }
    let storage = constraint.str_value("storageType")?.trim();
    Ok(match storage.trim_start_matches("::mlir::") {
        _ if constraint.subclass_of("EnumAttrInfo") => ("i64", Some("as_int")),
        "FlatSymbolRefAttr" => ("&'c str", Some("as_symbol")),
        "StringAttr" => ("&'c str", Some("as_str")),
        "IntegerAttr" => ("i64", Some("as_int")),
        "FloatAttr" => ("f64", Some("as_f64")),
        "UnitAttr" => ("bool", None),
        "ArrayAttr" => ("Vec<Attribute<'c>>", Some("as_array")),
        "DictionaryAttr" => ("Vec<(&'c str, Attribute<'c>)>", Some("as_dictionary")),
        _ => return Err(format!("an attribute {storage} has no counterpart in Rust").into()),
    })
}

fn read_op(record: Record<'_>) -> Result<Op> {
    let mnemonic = record.str_value("opName")?;
    let mut op = Op {
        name: format!("{}.{mnemonic}", record.def_value("opDialect")?.str_value("name")?),
        view: camel(mnemonic),
        summary: record.str_value("summary")?.to_owned(),
        operands: Vec::new(),
        attributes: Vec::new(),
        results: Vec::new(),
        regions: Vec::new(),
        has_groups: false,
    };
    for (name, argument) in record.dag_value("arguments")?.args() {
        let name = name.ok_or("an argument has no name")?.to_owned();
        let mut constraint = Record::try_from(argument)?;
        if constraint.subclass_of("OpVariable") {
            constraint = constraint.def_value("constraint")?;
        }
        if constraint.subclass_of("Attr") {
            op.attributes.push(Attribute {
                name,
                read: read_of(constraint)?,
                optional: constraint.subclass_of("OptionalAttr"),
            });
        } else if constraint.subclass_of("Variadic") {
            op.has_groups = true;
        } else if op.has_groups || op.operands.iter().any(|operand| operand.optional) {
            return Err(format!("operand {name} of {} has no place of its own", op.name).into());
        } else {
            let optional = constraint.subclass_of("Optional");
            op.operands.push(Operand { name, optional });
        }
    }
    for (name, result) in record.dag_value("results")?.args() {
        let mut constraint = Record::try_from(result)?;
        if constraint.subclass_of("OpVariable") {
            constraint = constraint.def_value("constraint")?;
        }
        if constraint.subclass_of("Variadic") {
            op.has_groups = true;
        } else {
            op.results.push(name.ok_or("a result has no name")?.to_owned());
        }
    }
    for (name, region) in record.dag_value("regions")?.args() {
        let region = Record::try_from(region)?;
        let optional = region.subclass_of("MaxSizedRegion");
        if !optional && !region.subclass_of("SizedRegion") {
            return Err(format!("a region of {} may have any number of blocks", op.name).into());
        }
        let name = name.ok_or("a region has no name")?.to_owned();
        op.regions.push(Region { name, optional });
    }
    Ok(op)
}

fn views(keeper: &RecordKeeper<'_>) -> Result<String> {
    let mut ops = Vec::new();
    for record in keeper.all_derived_definitions("Op") {
        ops.push(read_op(record)?);
    }
    let list = |line: fn(&Op) -> String| ops.iter().map(line).collect::<String>();
    let mut text = format!(
        r"/// Names of all operations of the dialect.
pub const NAMES: &[&str] = &[
{}];

/// An operation of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZpuOp<'c> {{
{}}}

impl<'c> ZpuOp<'c> {{
    /// The view, if `op` is one.
    pub fn of(op: Op<'c>) -> Option<Self> {{
        Some(match op.name() {{
{}            _ => return None,
        }})
    }}
}}
",
        list(|Op { view, .. }| format!("    {view}::NAME,\n")),
        list(|Op { view, name, .. }| format!("    /// `{name}`.\n    {view}({view}<'c>),\n")),
        list(|Op { view, .. }| format!("            {view}::NAME => Self::{view}({view} {{ op }}),\n")),
    );
    for op in &ops {
        write_view(&mut text, op)?;
    }
    Ok(text)
}

fn write_view(text: &mut String, op: &Op) -> Result<()> {
    let (name, view, summary) = (&op.name, &op.view, &op.summary);
    writeln!(
        text,
        r#"
/// `{name}`: {summary}.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct {view}<'c> {{
    /// The operation.
    pub op: Op<'c>,
}}

impl<'c> {view}<'c> {{
    /// The operation's name.
    pub const NAME: &'static str = "{name}";"#
    )?;
    for attribute in &op.attributes {
        let (key, name) = (attribute.name.to_uppercase(), &attribute.name);
        writeln!(
            text,
            "    /// Name of an attribute.\n    pub const {key}: &'static str = \"{name}\";"
        )?;
    }
    writeln!(
        text,
        "\n    /// The view, if `op` is one.\n    pub fn of(op: Op<'c>) -> Option<Self> {{\n        \
         op.is(Self::NAME).then_some(Self {{ op }})\n    }}"
    )?;
    for (index, Operand { name, optional }) in op.operands.iter().enumerate() {
        let (ty, value) = match optional {
            true => (
                "Option<Value<'c>>",
                format!("(self.op.num_operands() > {index}).then(|| self.op.operand({index}))"),
            ),
            false => ("Value<'c>", format!("self.op.operand({index})")),
        };
        write_getter(text, "Operand", name, ty, &value)?;
    }
    for (index, name) in op.results.iter().enumerate() {
        write_getter(text, "Result", name, "Value<'c>", &format!("self.op.result({index})"))?;
    }
    for attribute in &op.attributes {
        let (key, name) = (attribute.name.to_uppercase(), &attribute.name);
        let found = |read| format!("self.op.attr(Self::{key}).and_then(attr::{read})");
        let (ty, value) = match attribute.read {
            (ty, None) => (ty.to_owned(), format!("self.op.has_attr(Self::{key})")),
            (ty, Some(read)) if attribute.optional => (format!("Option<{ty}>"), found(read)),
            (ty, Some(read)) => (ty.to_owned(), format!("{}.expect(\"has `{name}`\")", found(read))),
        };
        write_getter(text, "Attribute", name, &ty, &value)?;
    }
    for (index, Region { name, optional }) in op.regions.iter().enumerate() {
        let block = format!("self.op.regions()[{index}].first_block()");
        let (ty, value) = match optional {
            true => ("Option<Block<'c>>", block),
            false => ("Block<'c>", format!("{block}.expect(\"has a block\")")),
        };
        write_getter(text, "The block of region", name, ty, &value)?;
    }
    if !op.has_groups {
        write_create(text, op)?;
    }
    text.push_str("}\n");
    Ok(())
}

fn write_getter(text: &mut String, what: &str, name: &str, ty: &str, value: &str) -> Result<()> {
    Ok(writeln!(
        text,
        "\n    /// {what} `{name}`.\n    pub fn {name}(self) -> {ty} {{\n        {value}\n    }}"
    )?)
}

/// The function that makes one: operands and types of results by position, attributes of both kinds by name.
fn write_create(text: &mut String, op: &Op) -> Result<()> {
    let (mut parameters, mut operands) = (String::new(), Vec::new());
    for Operand { name, optional } in &op.operands {
        let ty = if *optional { "Option<Value<'c>>" } else { "Value<'c>" };
        write!(parameters, "{name}: {ty}, ")?;
        operands.push(if *optional {
            name.clone()
        } else {
            format!("Some({name})")
        });
    }
    for name in &op.results {
        write!(parameters, "{name}: Type<'c>, ")?;
    }
    let (count, operands, results) = (operands.len(), operands.join(", "), op.results.join(", "));
    let regions = vec!["&[]"; op.regions.len()].join(", ");
    Ok(writeln!(
        text,
        r"
    /// Makes one. `attrs` are what the operation is made of and what may be left away alike; regions are empty.
    pub fn create(builder: &mut Builder<'c>, {parameters}attrs: &[(&str, Attribute<'c>)]) -> Self {{
        let operands: [Option<Value<'c>>; {count}] = [{operands}];
        let operands: Vec<_> = operands.into_iter().flatten().collect();
        let op = builder.op_with_regions(Self::NAME, &operands, &[{results}], attrs, &[{regions}]);
        Self {{ op }}
    }}"
    )?)
}

/// The discardable attributes of the dialect.
fn annotations(keeper: &RecordKeeper<'_>) -> Result<String> {
    let mut text = String::new();
    for dialect in keeper.all_derived_definitions("Dialect") {
        let prefix = dialect.str_value("name")?;
        for (name, ty) in dialect.dag_value("discardableAttrs")?.args() {
            let (name, ty) = (name.ok_or("an annotation has no name")?, <&str>::try_from(ty)?);
            let ty = ty.rsplit("::").next().unwrap_or(ty);
            writeln!(
                text,
                "/// `{prefix}.{name}`, a `{ty}`.\npub const {}: &str = \"{prefix}.{name}\";",
                name.to_uppercase()
            )?;
        }
    }
    Ok(text)
}

/// `dma_start` to `DmaStart`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for word in name.split('_') {
        let (first, rest) = word.split_at(1);
        out.push_str(&first.to_uppercase());
        out.push_str(rest);
    }
    out
}
