//! Scheduling problems, schedulers, bounds and checkers.
