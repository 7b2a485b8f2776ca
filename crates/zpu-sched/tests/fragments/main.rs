//! Schedules of fragments over several meshes.

mod auto;
mod closed_forms;
mod numbers;
mod predicates;
