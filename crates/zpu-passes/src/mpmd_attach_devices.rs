//! `zpu-mpmd-attach-devices`: puts devices into a topology, and names them at its meshes.

use std::collections::HashMap;

use zpu_device::Device;
use zpu_ir::fragment::topology;
use zpu_ir::options::MpmdAttachDevicesOptions;
use zpu_ir::{Failed, Op, PassResult, attr, device, error, ops};

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &MpmdAttachDevicesOptions) -> PassResult {
    let fail = |at: Op<'_>, message: &str| {
        error(at, message, &[]);
        Failed
    };
    let Some(topology) = topology(module) else {
        return Err(fail(module, "has no zpu.topology, to which devices could be attached"));
    };
    let bare: Vec<(usize, ops::Mesh<'_>)> = topology
        .meshes()
        .into_iter()
        .enumerate()
        .filter(|(_, mesh)| mesh.device().is_none() && !mesh.sym_name().ends_with("/cpu"))
        .collect();
    let (names, meshes) = (&options.devices, topology.meshes().len());
    if names.is_empty() || (names.len() != 1 && names.len() != meshes) {
        let message = format!(
            "has {meshes} meshes, and devices lists {}; give one for all of them, or one for each",
            names.len()
        );
        return Err(fail(topology.op, &message));
    }
    // All are read before anything is changed.
    let mut loaded: HashMap<&str, Device> = HashMap::new();
    for name in names {
        let device = Device::load(name, &[]).map_err(|problem| fail(topology.op, &problem.to_string()))?;
        loaded.insert(name, device);
    }
    let present = || topology.body().ops().filter_map(ops::Device::of);
    let device_of = |place: usize| &loaded[names[if names.len() == 1 { 0 } else { place }].as_str()];
    for (place, _) in &bare {
        let device = device_of(*place);
        let taken = topology
            .body()
            .ops()
            .find(|op| op.attr("sym_name").and_then(attr::as_str) == Some(&device.name));
        let Some(taken) = taken else { continue };
        let same = ops::Device::of(taken).and_then(|other| device::read_op(other).ok());
        if same.as_ref() != Some(device) {
            let message = format!(
                "has the name @{} of another device, which is to be attached",
                device.name
            );
            return Err(fail(taken, &message));
        }
    }
    for (place, mesh) in bare {
        let device = device_of(place);
        if !present().any(|other| other.sym_name() == device.name) {
            device::build(topology.op, topology.body(), device);
        }
        mesh.op
            .set_attr(ops::Mesh::DEVICE, attr::symbol(module.context(), &device.name));
    }
    Ok(())
}
