//! Memories as large as `zpu.ring_bytes` says: buffers that will share bytes may have more versions than lie in a
//! memory side by side.

use zpu_device::Device;
use zpu_ir::{Op, annotation, attr};

/// The device with the sizes of memories that a function gives; the annotation is removed. The message names a memory
/// that the device has not.
pub(super) fn enlarged(mut device: Device, function: Op<'_>) -> Result<Device, String> {
    let Some(sizes) = function.attr(annotation::RING_BYTES).and_then(attr::as_dictionary) else {
        return Ok(device);
    };
    for (space, bytes) in sizes {
        let known: Vec<String> = device
            .memories
            .iter()
            .map(|memory| format!("@{}", memory.name))
            .collect();
        let Some(memory) = device.memories.iter_mut().find(|memory| memory.name == space) else {
            let known = known.join(", ");
            return Err(format!(
                "zpu.ring_bytes names @{space}, device @{} has {known}",
                device.name
            ));
        };
        if let Some(bytes) = attr::as_int(bytes).and_then(|bytes| u64::try_from(bytes).ok()) {
            memory.bytes = bytes;
        }
    }
    function.remove_attr(annotation::RING_BYTES);
    Ok(device)
}
