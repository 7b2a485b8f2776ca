//! Refuses loops that have iterations and that upstream's canonicalisation takes for empty.
//!
//! Canonicalisation computes the difference of constant bounds, and reads the step, as signed numbers of the induction
//! variable's type: a difference that does not fit wraps to a negative one, and the loop is erased. The same happens to
//! an unsigned loop whose step has the sign bit. `--zpu-pipeline` canonicalises right after this pass, so this is the
//! last place where the loop can be seen.

use zpu_device::ElementType;
use zpu_ir::scf::For;
use zpu_ir::{Failed, Op, PassResult, Value, error, ty};

use zpu_analysis::linear::index_of;

/// Emits an error at each such loop.
pub(super) fn check(module: Op<'_>) -> PassResult {
    let mut result = Ok(());
    for for_ in module.walk().into_iter().filter_map(For::of) {
        if let Some(message) = refusal(for_) {
            error(for_.op, &message, &[]);
            result = Err(Failed);
        }
    }
    result
}

fn refusal(for_: For<'_>) -> Option<String> {
    let bits = match ty::scalar(for_.iv().ty())? {
        ElementType::Index => 64,
        ElementType::Int(bits) => bits,
        _ => return None,
    };
    let modulus = 1i128 << bits;
    let most = modulus / 2 - 1;
    let constant = |value: Value<'_>| index_of(value).as_constant().map(i128::from);
    let (lower, upper, step) = (constant(for_.lower()), constant(for_.upper()), constant(for_.step()));
    let ty = for_.iv().ty();
    if for_.is_unsigned() {
        let [lower, upper, step] = [lower, upper, step].map(|number| Some(number?.rem_euclid(modulus)));
        let is_empty = lower.zip(upper).is_some_and(|(lower, upper)| lower >= upper);
        return step.filter(|step| *step > most && !is_empty).map(|step| {
            format!(
                "the step {step} of the unsigned loop is more than {most}, the largest signed {ty}: canonicalisation \
                 would take it \
                 for negative and erase the loop; use a wider type than {ty}"
            )
        });
    }
    let (lower, upper) = (lower?, upper?);
    (upper - lower > most && step.is_none_or(|step| step > 0)).then(|| {
        format!(
            "from {lower} to {upper} it is {}, more than {most}, the largest {ty}: canonicalisation would take the \
             loop for empty \
             and erase it; use a wider type than {ty}",
            upper - lower
        )
    })
}
