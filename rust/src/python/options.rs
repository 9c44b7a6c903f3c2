//! Checks the settings that Python passes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::layout::{Layout as CoreLayout, Separator, Value};
use crate::ranking::{Order as CoreOrder, Ties};
use crate::table::Duplicates;

/// The layout of a text file's lines. Positions count from 0.
#[pyclass(frozen, module = "cleverdon._core")]
pub struct Layout(pub CoreLayout);

#[pymethods]
impl Layout {
    #[new]
    #[pyo3(signature = (*, query, doc, value, kind, least, most, shape, separator=None, header=0, alone=false, comments=false, decimal=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        query: usize,
        doc: usize,
        value: usize,
        kind: &str,
        least: usize,
        most: Option<usize>,
        shape: String,
        separator: Option<char>,
        header: usize,
        alone: bool,
        comments: bool,
        decimal: Option<char>,
    ) -> PyResult<Self> {
        let separator = match separator {
            None => Separator::Blanks,
            Some(c) if c.is_ascii() => Separator::Byte(c as u8),
            Some(c) => {
                return Err(PyValueError::new_err(format!("the separator {c:?} is not an ASCII character")))
            }
        };
        let last = query.max(doc).max(value);
        if least <= last {
            return Err(PyValueError::new_err(format!("field {last} is not one of {least}")));
        }
        let most = most.unwrap_or(usize::MAX);
        let kind = self::kind(kind)?;
        Ok(Layout(CoreLayout {
            separator,
            query,
            doc,
            value,
            kind,
            least,
            most,
            shape,
            header,
            alone,
            comments,
            decimal: decimal.map(|sign| sign as u8),
        }))
    }
}

/// How results are ordered.
#[pyclass(frozen, module = "cleverdon._core")]
pub struct Order(pub CoreOrder);

#[pymethods]
impl Order {
    #[new]
    #[pyo3(signature = (*, ties="descending", single=false, duplicates="error", keep=0, drop_own=false, elsewhere=false))]
    fn new(
        ties: &str,
        single: bool,
        duplicates: &str,
        keep: usize,
        drop_own: bool,
        elsewhere: bool,
    ) -> PyResult<Self> {
        let ties = match ties {
            "descending" => Ties::Descending,
            "ascending" => Ties::Ascending,
            "input" => Ties::Input,
            other => return Err(unknown("ties", other)),
        };
        let duplicates = self::duplicates(duplicates)?;
        Ok(Order(CoreOrder { ties, single, duplicates, keep, drop_own, elsewhere }))
    }
}

pub fn duplicates(word: &str) -> PyResult<Duplicates> {
    match word {
        "error" => Ok(Duplicates::Refuse),
        "first" => Ok(Duplicates::KeepFirst),
        "best" => Ok(Duplicates::KeepBest),
        "keep" => Ok(Duplicates::KeepAll),
        "once" => Ok(Duplicates::CountOnce),
        "unchecked" => Ok(Duplicates::Unchecked),
        other => Err(unknown("duplicates", other)),
    }
}

pub fn kind(word: &str) -> PyResult<Value> {
    match word {
        "score" => Ok(Value::Score),
        "rank" => Ok(Value::Rank),
        "grade" => Ok(Value::Grade),
        other => Err(unknown("kind", other)),
    }
}

fn unknown(what: &str, word: &str) -> PyErr {
    PyValueError::new_err(format!("{what}: {word:?}"))
}
