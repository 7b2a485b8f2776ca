//! Numbers in JSON documents.

use zpu_device::ElementType;
use zpu_driver::elements;
use zpu_sim::{is_float, to_f64};

/// A number for programs; what JSON has no number for is a text.
pub(crate) fn json(bits: u64, ty: ElementType) -> serde_json::Value {
    if !is_float(ty) {
        return elements::integer(bits, ty).into();
    }
    serde_json::Number::from_f64(to_f64(bits, ty)).map_or_else(|| elements::text(bits, ty).into(), Into::into)
}
