//! Built-in devices, and devices from a path.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::nearest;
use crate::{Device, DeviceError};

/// Name and file of each built-in device. The name is the file's own `device.name`.
const BUILTIN: [(&str, &str); 6] = [
    ("toy", include_str!("../../../devices/toy.toml")),
    ("planning-1dma", include_str!("../../../devices/planning-1dma.toml")),
    ("planning-2dma", include_str!("../../../devices/planning-2dma.toml")),
    ("sunmmio-a4e", include_str!("../../../devices/sunmmio-a4e.toml")),
    ("ascend-910b", include_str!("../../../devices/ascend-910b.toml")),
    ("trainium2-core", include_str!("../../../devices/trainium2-core.toml")),
];

/// The names of the built-in devices.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The device file of a built-in device, to print or to start an own one from.
pub fn builtin_text(name: &str) -> Option<&'static str> {
    BUILTIN
        .iter()
        .find(|(builtin, _)| *builtin == name)
        .map(|(_, text)| *text)
}

impl Device {
    /// The built-in device of that name, or else the one described by the file at that path, with the overrides
    /// `key=value` applied before it is checked. This is the only place of the crate that touches a file.
    pub fn load(name_or_path: &str, sets: &[String]) -> Result<Device, DeviceError> {
        if let Some(text) = builtin_text(name_or_path) {
            return Device::from_toml(text, &format!("{name_or_path}.toml"), sets);
        }
        let text = std::fs::read_to_string(Path::new(name_or_path)).map_err(|error| {
            if !matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidInput
            ) {
                return DeviceError::Unreadable {
                    file: name_or_path.to_owned(),
                    reason: match error.kind() {
                        ErrorKind::InvalidData => "it is no text in UTF-8, which a TOML file is".to_owned(),
                        _ => error.to_string(),
                    },
                };
            }
            let names: Vec<&str> = builtin_names().collect();
            DeviceError::NotFound {
                name: name_or_path.to_owned(),
                builtin: names.join(", "),
                hint: nearest(name_or_path, &names)
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default(),
                reason: error.to_string(),
            }
        })?;
        Device::from_toml(&text, name_or_path, sets)
    }
}
