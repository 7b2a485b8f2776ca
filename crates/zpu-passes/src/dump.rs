//! Problems as files, for programs that read them without MLIR.

use std::path::Path;
use std::{fs, io};

/// Writes a problem as `NAME.json` into a folder, which is made if it is not there.
///
/// # Errors
///
/// The error of the operating system, with the name of the option.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let file = folder.join(format!("{name}.json"));
    let written: io::Result<()> = fs::create_dir_all(folder).and_then(|()| fs::write(&file, text));
    written.map_err(|error| format!("dump-problem: {} cannot be written: {error}", file.display()))
}

/// The name of a function, fit for a file: each byte that is no letter, digit, `.`, `-` or `_` becomes its code.
pub(crate) fn file_name(function: &str) -> String {
    let mut name = String::new();
    for byte in function.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if plain && !(name.is_empty() && byte == b'.') {
            name.push(byte.into());
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    name
}
