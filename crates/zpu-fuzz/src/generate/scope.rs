//! Names that are visible at a place of the program.

/// A buffer that is passed.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) name: String,
    /// Carries `llvm.noalias`.
    pub(super) noalias: bool,
    /// The number of rows is not in the type.
    pub(super) dynamic: bool,
}

/// A local buffer.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) shape: Vec<i64>,
    pub(super) element: &'static str,
    /// Has its memory space in the type; the others get one.
    pub(super) placed: bool,
    /// Certainly written as a whole before this place.
    pub(super) written: bool,
}

impl Buffer {
    pub(super) fn ty(&self) -> String {
        let shape: String = self.shape.iter().map(|size| format!("{size}x")).collect();
        format!("memref<{shape}{}{}>", self.element, self.space())
    }

    /// The memory space in a type, with its comma; empty if memories are not placed yet.
    pub(super) fn space(&self) -> &'static str {
        if self.placed { ", #zpu.space<rsram>" } else { "" }
    }
}

/// An index with all values that it takes; none if its loop has no iteration.
#[derive(Clone, Debug)]
pub(super) struct Induction {
    pub(super) name: String,
    pub(super) values: Vec<i64>,
}

/// A view with its type.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) name: String,
    pub(super) ty: String,
}
