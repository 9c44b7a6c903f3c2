//! Runs and judgments as Python objects: dicts of dicts, and rows.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyIterator, PyMapping, PyString};

use super::attended::to_python;
use super::options;
use crate::layout::{Value, NO_RANK};
use crate::problem::{quoted, Problem};
use crate::table::{duplicate_message, Builder, Table};
use crate::threads;

pub fn table_from_dict(nested: &Bound<'_, PyDict>, kind: &str, duplicates: &str) -> PyResult<Table> {
    let kind = options::kind(kind)?;
    let mut builder = Builder::default();
    for (query, results) in nested {
        let query_id = id(&query, "query")?;
        builder.declare(query_id.as_bytes());
        for (doc, value) in &inner(&results, &query_id)? {
            let doc_id = id(&doc, "document")?;
            let value = number(&value, kind, &query_id, &doc_id)?;
            builder.push(query_id.as_bytes(), doc_id.as_bytes(), value);
        }
        nested.py().check_signals()?;
    }
    finish(nested.py(), builder, duplicates)
}

pub fn table_from_rows(rows: &Bound<'_, PyIterator>, kind: &str, duplicates: &str) -> PyResult<Table> {
    let kind = options::kind(kind)?;
    let mut builder = Builder::default();
    for (i, row) in rows.clone().enumerate() {
        let row = row?;
        let (query, doc, value): (Bound<PyAny>, Bound<PyAny>, Bound<PyAny>) =
            row.extract().map_err(|_| {
                refuse(
                    row.py(),
                    format!("row {i} is not (query, document, {}): {}", kind.name(), shown(&row)),
                )
            })?;
        let query_id = id(&query, "query")?;
        let doc_id = id(&doc, "document")?;
        let value = number(&value, kind, &query_id, &doc_id)?;
        builder.push(query_id.as_bytes(), doc_id.as_bytes(), value);
        if i % 4096 == 0 {
            row.py().check_signals()?;
        }
    }
    finish(rows.py(), builder, duplicates)
}

/// From columns of Python strings, as in pandas, and of numbers.
pub fn table_from_columns(
    py: Python<'_>,
    columns: [&[Py<PyAny>]; 2],
    values: &[f64],
    kind: &str,
    duplicates: &str,
) -> PyResult<Table> {
    let kind = options::kind(kind)?;
    let mut builder = Builder::default();
    let [queries, docs] = columns;
    let mut last: Option<(&Py<PyAny>, Cow<'_, str>)> = None;
    for (i, ((query, doc), &value)) in queries.iter().zip(docs).zip(values).enumerate() {
        // Rows of a query mostly have the same object as id, not only equal text.
        let query_id = match last.take() {
            Some((object, id)) if object.is(query) => id,
            _ => id(query.bind(py), "query")?,
        };
        let doc_id = id(doc.bind(py), "document")?;
        let value = checked(value, kind)
            .map_err(|why| refuse(py, format!("the {} in row {i} {why}", kind.name())))?;
        builder.push(query_id.as_bytes(), doc_id.as_bytes(), value);
        last = Some((query, query_id));
        if i % 65536 == 0 {
            py.check_signals()?;
        }
    }
    finish(py, builder, duplicates)
}

pub fn finish(py: Python<'_>, builder: Builder, duplicates: &str) -> PyResult<Table> {
    let duplicates = options::duplicates(duplicates)?;
    threads::install(|| builder.finish(duplicates))
        .map_err(|(query, doc)| refuse(py, duplicate_message(&query, &doc)))
}

/// The results or judgments of one query, as a dict.
pub fn inner<'py>(results: &Bound<'py, PyAny>, query: &str) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(dict) = results.cast::<PyDict>() {
        return Ok(dict.clone());
    }
    let py = results.py();
    let Ok(mapping) = results.cast::<PyMapping>() else {
        let message = format!(
            "what stands for query {} is not a dict of documents: {}",
            quoted(query.as_bytes()),
            shown(results)
        );
        return Err(refuse(py, message));
    };
    let dict = PyDict::new(py);
    dict.update(mapping)?;
    Ok(dict)
}

/// An id as text; integers become their decimal digits.
fn id<'a>(object: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Cow<'a, str>> {
    let text: Cow<'a, str> = if let Ok(text) = object.cast::<PyString>() {
        utf8(text, what)?.into()
    } else if let Ok(bytes) = object.cast::<PyBytes>() {
        std::str::from_utf8(bytes.as_bytes())
            .map_err(|_| refuse(object.py(), format!("the {what} id {} is not UTF-8", shown(object))))?
            .into()
    } else if object.is_exact_instance_of::<PyInt>() {
        decimal(object, what)?.into()
    } else if let (false, Ok(index)) = (object.is_instance_of::<PyBool>(), object.call_method0("__index__")) {
        // numpy's integers: its floats have no __index__.
        decimal(&index, what)?.into()
    } else {
        let message = format!("the {what} id {} is neither text nor an integer", shown(object));
        return Err(refuse(object.py(), message));
    };
    if text.is_empty() {
        return Err(refuse(object.py(), format!("a {what} id is empty")));
    }
    Ok(text)
}

/// The UTF-8 bytes of a string. Python strings may contain lone surrogates, which UTF-8 cannot.
pub fn utf8<'a>(text: &'a Bound<'_, PyString>, what: &str) -> PyResult<&'a str> {
    let id = text
        .to_str()
        .map_err(|_| refuse(text.py(), format!("the {what} id {} is not UTF-8", shown(text))))?;
    if id.is_empty() {
        return Err(refuse(text.py(), format!("a {what} id is empty")));
    }
    Ok(id)
}

/// The digits of an integer. Python does not convert integers with thousands of digits.
fn decimal(integer: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    match integer.str() {
        Ok(digits) => Ok(digits.to_str()?.to_owned()),
        Err(error) => {
            Err(refuse(integer.py(), format!("the {what} id is an integer that is too long: {error}")))
        }
    }
}

pub fn number(object: &Bound<'_, PyAny>, kind: Value, query: &str, doc: &str) -> PyResult<f64> {
    let refused = |why: &str| {
        let place = format!("document {} of query {}", quoted(doc.as_bytes()), quoted(query.as_bytes()));
        refuse(object.py(), format!("the {} of {place} {why}: {}", kind.name(), shown(object)))
    };
    if object.is_instance_of::<PyString>() {
        return Err(refused("is text, not a number"));
    }
    let value: f64 = object.extract().map_err(|_| refused("is not a number"))?;
    checked(value, kind).map_err(refused)
}

/// Checks a number (see `Layout::number`); the error is the reason why it is invalid.
pub fn checked(value: f64, kind: Value) -> Result<f64, &'static str> {
    match kind {
        _ if value.is_nan() => Err("is not a number that can be ordered"),
        Value::Grade if value.is_infinite() => Err("is not finite"),
        Value::Score | Value::Grade => Ok(value + 0.0),
        Value::Rank if value.fract() != 0.0 => Err(NO_RANK),
        Value::Rank => Ok(0.0 - value),
    }
}

fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map_or_else(|_| "?".into(), |repr| repr.to_string());
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short + "…"
    } else {
        short
    }
}

pub fn refuse(py: Python<'_>, message: String) -> PyErr {
    to_python(py, Problem::whole("", message))
}
