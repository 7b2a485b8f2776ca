//! Files that are there whole or not at all.

use std::io::{Error, Write as _};
use std::path::Path;

/// Writes a file whole or not at all. What is no regular file (a pipe, a device) is written to directly.
///
/// # Errors
///
/// If it cannot be written, with its name.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let result = match path.metadata() {
        Ok(there) if !there.is_file() => std::fs::write(path, bytes),
        _ => replace(path, bytes),
    };
    result.map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Asked first, since the error of the temporary file would name that file.
    folder.metadata()?;
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The permissions of any new file: those that the process's mask leaves.
        file.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = file.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
