//! A matrix product to be tuned, its space, and the trials of a search.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::run::{Built, output, root};

/// Rows, columns, and length of the sums; of several products at once, their number comes before these.
pub(super) type Shape = &'static [usize];

/// The products that each bench has.
pub(super) const SHAPES: [Shape; 12] = [
    &[1024, 768, 768],
    &[1024, 3072, 768],
    &[512, 3072, 768],
    &[512, 3072, 1024],
    &[1024, 1024, 1024],
    &[2048, 2048, 2048],
    &[12544, 256, 128],
    &[3136, 512, 256],
    &[3136, 512, 1024],
    &[1024, 64, 2048],
    &[4096, 64, 512],
    &[1024, 64, 4096],
];

/// The others, for benches that do not try all configurations.
pub(super) const MORE_SHAPES: [Shape; 12] = [
    &[512, 4096, 1024],
    &[3136, 512, 2048],
    &[50176, 128, 64],
    &[50176, 128, 256],
    &[12544, 512, 512],
    &[12544, 1024, 512],
    &[200704, 64, 256],
    &[50176, 512, 256],
    &[200704, 256, 256],
    &[16, 512, 512, 64],
    &[12, 1024, 1024, 64],
    &[12, 1024, 64, 1024],
];

pub(super) const DEVICES: [&str; 2] = ["sunmmio-a4e", "trainium2-core"];

/// All values of `num-stages`.
pub(super) const STAGES: &str = "0, 2, \"auto\"";

/// 180 configurations for each value of `num-stages`, all of which fit.
fn space(stages: &str) -> String {
    format!(
        "[knobs]\n\
         tile_m = [64, 96, 128, 192, 256]\n\
         tile_n = [64, 128, 256]\n\
         tile_k = [32, 64, 128]\n\
         loop_order = \"all\"\n\
         stages = [1]\n\
         [pipeline]\n\
         num-stages = [{stages}]\n"
    )
}

/// A configuration that was tried.
pub(super) struct Trial {
    pub(super) index: u64,
    pub(super) cycles: f64,
    pub(super) predicted: f64,
    pub(super) bound: f64,
    /// Everything but the depth.
    pub(super) tiles: String,
    pub(super) stages: String,
}

pub(super) fn name_of(shape: Shape) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    sizes.join("x")
}

/// A product with its space on a device.
pub(super) struct Product<'b> {
    pub(super) built: &'b Built,
    pub(super) name: String,
    pub(super) device: &'static str,
    pub(super) kernel: PathBuf,
    /// The name of the operation, and of the script.
    operation: &'static str,
}

impl<'b> Product<'b> {
    pub(super) fn new(built: &'b Built, name: &str, shape: Shape, device: &'static str) -> Result<Self> {
        let kernel = built.file("bench/tuning", &format!("{name}.mlir"))?;
        let (batch, operation, [m, n, k]) = match *shape {
            [batch, m, n, k] => (format!("{batch}x"), "batch_matmul", [m, n, k]),
            [m, n, k] => (String::new(), "matmul", [m, n, k]),
            _ => bail!("`{name}` has {} sizes, where 3 or 4 are meant", shape.len()),
        };
        let (a, b, c) = (
            format!("memref<{batch}{m}x{k}xf16>"),
            format!("memref<{batch}{k}x{n}xf16>"),
            format!("memref<{batch}{m}x{n}xf32>"),
        );
        let text = format!(
            "func.func @product(%a: {a} {{llvm.noalias}}, %b: {b} {{llvm.noalias}}, %c: {c} {{llvm.noalias}}) {{\n  \
             linalg.{operation} ins(%a, %b : {a}, {b}) outs(%c : {c})\n  \
             return\n}}\n"
        );
        fs::write(&kernel, text).with_context(|| format!("{}", kernel.display()))?;
        Ok(Self {
            built,
            name: name.to_owned(),
            device,
            kernel,
            operation,
        })
    }

    /// All configurations, in the order of the model.
    pub(super) fn exhaustive(&self) -> Result<Vec<Trial>> {
        Ok(in_order(self.trials(&["--strategy=exhaustive"])?))
    }

    /// The trials of a search with some numbers of stages, in the order of the model, with a journal of its own.
    pub(super) fn with_stages(&self, stages: &str, kind: &str, strategy: &str) -> Result<Vec<Trial>> {
        let options = [format!("--strategy={strategy}")];
        let trials = self.trials_in(&space(stages), kind, &options.each_ref().map(String::as_str))?;
        Ok(in_order(trials))
    }

    /// The trials of a search, in its order. Those that were made before come from the journal.
    pub(super) fn trials(&self, options: &[&str]) -> Result<Vec<Trial>> {
        self.trials_in(&space(STAGES), "", options)
    }

    /// The same in another space, with a journal of its own.
    pub(super) fn trials_in(&self, space: &str, kind: &str, options: &[&str]) -> Result<Vec<Trial>> {
        let search = Search {
            built: self.built,
            kernel: &self.kernel,
            script: Some(self.operation),
            name: format!("{}{kind}", self.name),
            device: self.device,
        };
        search.trials(space, options)
    }
}

/// A kernel to be tuned on a device.
pub(super) struct Search<'b> {
    pub(super) built: &'b Built,
    pub(super) kernel: &'b Path,
    /// The name of the script, of those in `examples/tuning`; none for a kernel that is compiled as it is.
    pub(super) script: Option<&'static str>,
    /// The name of its files in `target/bench/tuning`: space and journal.
    pub(super) name: String,
    pub(super) device: &'static str,
}

impl Search<'_> {
    /// The trials of a search in a space, in its order. Those that were made before come from the journal.
    pub(super) fn trials(&self, space: &str, options: &[&str]) -> Result<Vec<Trial>> {
        let (name, device) = (&self.name, self.device);
        let file = |suffix: &str| self.built.file("bench/tuning", &format!("{name}{suffix}"));
        let space_file = file(".toml")?;
        fs::write(&space_file, space).with_context(|| format!("{}", space_file.display()))?;
        let mut tuner = self.built.tool("zpu-tune");
        if let Some(script) = self.script {
            let script = format!("examples/tuning/{script}.transform.mlir");
            tuner.arg("--script").arg(root().join(script));
        }
        tuner
            .arg(self.kernel)
            .arg("--space")
            .arg(&space_file)
            .arg("--journal")
            .arg(file(&format!("-{device}.jsonl"))?)
            .args(["--device", device, "--check=off", "--json=-"])
            .args(options);
        let lines = output(&mut tuner, &[0])?.stdout;
        let lines = String::from_utf8(lines).context("zpu-tune wrote no text")?;
        let mut trials = Vec::new();
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).context("zpu-tune wrote no JSON")?;
            trials.extend(Trial::of(&line));
        }
        ensure!(
            !trials.is_empty(),
            "{name} on {device}: no configuration gives a program"
        );
        Ok(trials)
    }
}

impl Trial {
    /// A line of the tuner, if it is a trial that has cycles.
    fn of(line: &Value) -> Option<Self> {
        let number = |key: &str| line.get(key).and_then(Value::as_f64);
        let mut settings = line.get("configuration").cloned()?;
        let stages = settings.as_object_mut()?.remove("num-stages");
        Some(Self {
            index: line.get("index").and_then(Value::as_u64)?,
            cycles: number("cycles")?,
            predicted: number("predicted")?,
            bound: number("bound")?,
            tiles: settings.to_string(),
            stages: stages.unwrap_or_default().to_string(),
        })
    }
}

/// Sorts trials as the model does.
pub(super) fn in_order(mut trials: Vec<Trial>) -> Vec<Trial> {
    trials.sort_by_key(|trial| (trial.predicted as u64, trial.bound as u64, trial.index));
    trials
}

pub(super) fn least<'a>(trials: impl Iterator<Item = &'a Trial>) -> f64 {
    trials.map(|trial| trial.cycles).fold(f64::INFINITY, f64::min)
}

pub(super) fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp()
}

pub(super) fn worst(ratios: &[f64]) -> f64 {
    ratios.iter().copied().fold(f64::INFINITY, f64::min)
}
