//! Certificates of proofs, checked by an independent checker, which shares neither state nor rules with the proof.

use zpu_analysis::problem::{Detail, problem_of};
use zpu_device::Device;
use zpu_ir::{Module, Op};
use zpu_sync::certificate::check;
use zpu_sync::certificate::text::{read_certificate, write_certificate};
use zpu_sync::problem::text::{read_problem, write_problem};
use zpu_sync::verdict::verify_and_certify;

/// Proves each function, writes problem and proof down, reads both, and has the proof checked.
///
/// # Errors
///
/// Checks the proofs of all functions; the error names the function whose proof is not accepted, and the reason.
pub(crate) fn certified(module: &Module<'_>, device: &Device) -> Result<(), String> {
    for function in Op::of_module(module).find_all("func.func") {
        let problem = problem_of(function, device, Detail::Bare).problem;
        let Some((_, Some(certificate))) = verify_and_certify(&problem) else {
            continue;
        };
        let name = &problem.name;
        let again = read_problem(&write_problem(&problem)).map_err(|error| format!("@{name}: {error}"))?;
        let certificate =
            read_certificate(&write_certificate(&certificate)).map_err(|error| format!("@{name}: {error}"))?;
        check(&again, &certificate).map_err(|rejection| format!("@{name}: {}", rejection.text))?;
    }
    Ok(())
}
