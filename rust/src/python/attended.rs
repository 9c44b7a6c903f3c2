//! Runs long work without the GIL, reports progress, and reacts to Ctrl-C.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::problem::{Outcome, Problem};
use crate::threads;
use crate::watch::Watch;

/// How often Python's signals are checked and progress is reported.
const GLANCE: Duration = Duration::from_millis(100);

/// Runs `work` on another thread, while this one calls `progress(done, total)` and checks signals.
pub fn attended<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    total: u64,
    work: impl FnOnce(&Watch) -> Outcome<T> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let glance = || {
        Python::attach(|py| {
            py.check_signals()?;
            progress.as_ref().map_or(Ok(()), |call| call.call1(py, (watch.done(), total)).map(drop))
        })
    };
    let (outcome, complaint) = py.detach(|| {
        let (finished, wait) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let outcome = catch_unwind(AssertUnwindSafe(|| threads::install(|| work(&watch))));
                // The receiver lives until it gets this message.
                let _ = finished.send(outcome);
            });
            let mut complaint = None;
            loop {
                match wait.recv_timeout(GLANCE) {
                    Ok(outcome) => return (outcome, complaint),
                    Err(RecvTimeoutError::Disconnected) => return (Ok(Err(Problem::Interrupted)), complaint),
                    Err(RecvTimeoutError::Timeout) if complaint.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(raised) = glance() {
                            watch.cancel();
                            complaint = Some(raised);
                        }
                    }
                }
            }
        })
    });
    if let Some(raised) = complaint {
        return Err(raised);
    }
    match outcome {
        Ok(outcome) => outcome.map_err(|problem| to_python(py, problem)),
        Err(_panic) => Err(internal(py)),
    }
}

/// Runs `work` that needs Python objects, and turns a panic into an exception.
pub fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_panic| Err(internal(py)))
}

/// The Python exception for a problem.
pub fn to_python(py: Python<'_>, problem: Problem) -> PyErr {
    match problem {
        Problem::Interrupted => PyKeyboardInterrupt::new_err(()),
        Problem::Io { source, error } => input_error(py, &source, None, None, &explain(&error)),
        Problem::Input { source, line, column, message } => input_error(py, &source, line, column, &message),
    }
}

fn explain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "may not be read (permission denied)".into(),
        _ => format!("cannot be read: {error}"),
    }
}

fn input_error(py: Python<'_>, source: &str, line: Option<u64>, column: Option<u64>, message: &str) -> PyErr {
    let raise = || -> PyResult<PyErr> {
        let place = PyDict::new(py);
        place.set_item("source", source)?;
        place.set_item("line", line)?;
        place.set_item("column", column)?;
        let class = py.import("cleverdon.errors")?.getattr("InputError")?;
        Ok(PyErr::from_value(class.call((message,), Some(&place))?))
    };
    raise().unwrap_or_else(|error| error)
}

fn internal(py: Python<'_>) -> PyErr {
    let raise = || -> PyResult<PyErr> {
        let class = py.import("cleverdon.errors")?.getattr("InternalError")?;
        let message =
            "the core failed in a way that it should not; please report this with the input that caused it";
        Ok(PyErr::from_value(class.call1((message,))?))
    };
    raise().unwrap_or_else(|error| error)
}
