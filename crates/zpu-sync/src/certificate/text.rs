//! A certificate as a text: JSON, with one line for each instance and each decision of the outermost walk.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Certificate, Decision, Instance};

/// The version of the form.
const SCHEMA: u32 = 1;

/// Why a text is no certificate.
#[derive(Debug, Error)]
pub enum CertificateError {
    /// It is no JSON of this form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Another version of the form.
    #[error("`schema` is {0}, must be {SCHEMA}")]
    Schema(u32),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u32,
    function: String,
    instances: Vec<Instance>,
    walk: Vec<Decision>,
}

/// Reads a certificate. Whether it is one of some problem is for [`check`](super::check) to say.
///
/// # Errors
///
/// The fault, and its position.
pub fn read_certificate(text: &str) -> Result<Certificate, CertificateError> {
    let document: Document = serde_json::from_str(text)?;
    if document.schema != SCHEMA {
        return Err(CertificateError::Schema(document.schema));
    }
    Ok(Certificate {
        function: document.function,
        instances: document.instances,
        walk: document.walk,
    })
}

/// Writes a certificate that [`read_certificate`] reads, with a line break at the end.
pub fn write_certificate(certificate: &Certificate) -> String {
    format!(
        "{{\n  \"schema\": {SCHEMA},\n  \"function\": {},\n  \"instances\": {},\n  \"walk\": {}\n}}\n",
        json(&certificate.function),
        lines(&certificate.instances),
        lines(&certificate.walk)
    )
}

fn lines<T: Serialize>(list: &[T]) -> String {
    let each: Vec<String> = list.iter().map(|each| format!("\n    {}", json(each))).collect();
    if each.is_empty() {
        "[]".to_owned()
    } else {
        format!("[{}\n  ]", each.join(","))
    }
}

/// Writing numbers and strings to memory does not fail.
fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
