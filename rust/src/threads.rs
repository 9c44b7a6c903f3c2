//! The thread pool.
//!
//! Not rayon's global pool: a forked process (as of `multiprocessing` and Spark) does not have its
//! parent's threads, and would wait for them for ever.

use std::sync::{Arc, Mutex};

use rayon::ThreadPool;

static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs `work` on the threads of this process.
pub fn install<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match of_this_process() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

fn of_this_process() -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut held = POOL.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((owner, pool)) = held.as_ref() {
        if *owner == process {
            return Some(pool.clone());
        }
    }
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().build().ok()?);
    if let Some(of_parent) = held.replace((process, pool.clone())) {
        // The threads of this pool do not exist here: dropping it would wait for them.
        std::mem::forget(of_parent);
    }
    Some(pool)
}
