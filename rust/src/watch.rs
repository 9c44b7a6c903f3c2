//! Progress and cancellation of long work.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::problem::{Outcome, Problem};

/// Shared by the thread that works and the thread that shows progress and checks for Ctrl-C.
#[derive(Debug, Default)]
pub struct Watch {
    cancelled: AtomicBool,
    done: AtomicU64,
}

impl Watch {
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Reports that the work has reached byte `done` of its input.
    pub fn reached(&self, done: u64) {
        self.done.fetch_max(done, Relaxed);
    }

    pub fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    /// Returns an error after `cancel`. To be called every few milliseconds.
    pub fn still_wanted(&self) -> Outcome<()> {
        if self.cancelled.load(Relaxed) {
            return Err(Problem::Interrupted);
        }
        Ok(())
    }
}
