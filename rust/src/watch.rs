//! How far long work has come, and whether it is still wanted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::problem::{Outcome, Problem};

/// Shared between the thread that works and the one that shows progress and listens for Ctrl-C.
#[derive(Debug, Default)]
pub struct Watch {
    cancelled: AtomicBool,
    done: AtomicU64,
}

impl Watch {
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Says that the work has come to byte `done` of its input.
    pub fn reached(&self, done: u64) {
        self.done.fetch_max(done, Relaxed);
    }

    pub fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    /// To be asked every few milliseconds of work.
    pub fn still_wanted(&self) -> Outcome<()> {
        if self.cancelled.load(Relaxed) {
            return Err(Problem::Interrupted);
        }
        Ok(())
    }
}
