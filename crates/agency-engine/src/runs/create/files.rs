//! The files a spec names: found inside the repository, and fingerprinted.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use agency_model::ErrorCode;
use agency_model::spec::RunSpec;
use sha2::{Digest, Sha256};

use super::{CreateError, InputFingerprint, PathUse};

/// The fingerprint of every input.
pub(super) fn fingerprints(root: &Path, spec: &RunSpec) -> Result<Vec<InputFingerprint>, CreateError> {
    spec.inputs
        .iter()
        .map(|input| {
            let (path, absolute) = inside(PathUse::Input, root, &input.path, root)?;
            let (size, sha256) = digest(&absolute).map_err(|error| path_problem(PathUse::Input, &absolute, &error))?;
            Ok(InputFingerprint { path, size, sha256 })
        })
        .collect()
}

fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut size = 0;
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        size += length as u64;
        hasher.update(buffer.get(..length).unwrap_or_default());
    }
    let hex = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((size, hex))
}

/// Resolves a path to a file inside the repository: relative to its root, and where it really lies.
pub(super) fn inside(what: PathUse, root: &Path, path: &str, here: &Path) -> Result<(String, PathBuf), CreateError> {
    let refuse = |why: String, code| CreateError::Path { what, path: path.into(), why, code };
    let absolute = root.join(path).canonicalize().map_err(|error| {
        let missing = error.kind() == io::ErrorKind::NotFound;
        if missing && here != root && here.join(path).exists() {
            let meant = here.join(path);
            let meant = meant.strip_prefix(root).unwrap_or(&meant).display().to_string();
            let why = format!("it does not exist; paths are relative to the repository, so say '{meant}'");
            refuse(why, ErrorCode::InvalidPath)
        } else if missing {
            refuse("it does not exist in the repository".to_owned(), ErrorCode::InvalidPath)
        } else {
            path_problem(what, Path::new(path), &error)
        }
    })?;
    let relative = absolute
        .strip_prefix(root)
        .map_err(|_| refuse("it lies outside the repository".to_owned(), ErrorCode::InvalidPath))?;
    if !absolute.is_file() {
        let kind = if absolute.is_dir() { "a directory" } else { "not a regular file" };
        return Err(refuse(format!("it is {kind}; a file is expected"), ErrorCode::InputNotFile));
    }
    let relative = relative.to_str().ok_or_else(|| refuse("its path is not UTF-8".into(), ErrorCode::InvalidPath))?;
    Ok((relative.to_owned(), absolute))
}

/// Says why a file could not be read.
pub(super) fn path_problem(what: PathUse, path: &Path, error: &io::Error) -> CreateError {
    let code = if error.kind() == io::ErrorKind::PermissionDenied {
        ErrorCode::PermissionDenied
    } else if error.kind() == io::ErrorKind::IsADirectory {
        ErrorCode::InputNotFile
    } else {
        ErrorCode::InvalidPath
    };
    CreateError::Path { what, path: path.to_owned(), why: error.to_string(), code }
}
