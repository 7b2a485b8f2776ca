//! Schedules of fragments over several meshes.

mod auto;
mod closed_forms;
mod machine;
mod numbers;
mod predicates;
mod random;
mod remat;
mod rules;
