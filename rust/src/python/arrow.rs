//! Reads and writes columns through Arrow's PyCapsule interface: polars, pandas, pyarrow, duckdb.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, LargeStringArray, RecordBatch};
use arrow_cast::{cast_with_options, CastOptions};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatchReader, PyTable};

use super::objects::{checked, finish, refuse};
use super::options;
use crate::layout::Value;
use crate::table::{Builder, Table};

pub fn read(
    py: Python<'_>,
    reader: PyRecordBatchReader,
    columns: &[String; 3],
    kind: &str,
    duplicates: &str,
) -> PyResult<Table> {
    let kind = options::kind(kind)?;
    let mut builder = Builder::default();
    let mut row = 0;
    for batch in reader.into_reader()? {
        let batch = batch.map_err(|error| refuse(py, format!("the table cannot be read: {error}")))?;
        py.check_signals()?;
        let [queries, docs] = [0, 1].map(|i| ids(py, &batch, &columns[i]));
        let (queries, docs) = (queries?, docs?);
        let values = numbers(py, &batch, &columns[2], kind)?;
        let (queries, docs) = (queries.as_string::<i64>(), docs.as_string::<i64>());
        let values = values.as_primitive::<Float64Type>();
        for (array, column) in [(queries as &dyn Array, 0), (docs, 1), (values, 2)] {
            if let Some(at) = (0..array.len()).find(|&i| array.null_count() > 0 && array.is_null(i)) {
                return Err(refuse(
                    py,
                    format!("column {:?} is empty (null) in row {}", columns[column], row + at),
                ));
            }
        }
        for i in 0..batch.num_rows() {
            for (id, column) in [(queries.value(i), 0), (docs.value(i), 1)] {
                if id.is_empty() {
                    return Err(refuse(
                        py,
                        format!("column {:?} is empty in row {}", columns[column], row + i),
                    ));
                }
            }
            let value = checked(values.value(i), kind)
                .map_err(|why| refuse(py, format!("the {} in row {} {why}", kind.name(), row + i)))?;
            builder.push(queries.value(i).as_bytes(), docs.value(i).as_bytes(), value);
        }
        row += batch.num_rows();
    }
    finish(py, builder, duplicates)
}

/// Converts a column of ids to text. Floating-point ids are an error: 301.0 is not the query 301, and
/// without the error no ids would match.
fn ids(py: Python<'_>, batch: &RecordBatch, name: &str) -> PyResult<ArrayRef> {
    if let Some(found) = batch.column_by_name(name) {
        let held = match found.data_type() {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        let is_id =
            held.is_integer() || matches!(held, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        if !is_id {
            return Err(refuse(
                py,
                format!("column {name:?} holds {held}, not text or integers; convert the ids first"),
            ));
        }
    }
    column(py, batch, name, &DataType::LargeUtf8)
}

/// Converts a column of numbers. Text is an error even if it could be parsed, as in a dict. As grades,
/// true is 1 and false 0.
fn numbers(py: Python<'_>, batch: &RecordBatch, name: &str, kind: Value) -> PyResult<ArrayRef> {
    if let Some(found) = batch.column_by_name(name) {
        let held = found.data_type();
        let is_truth = kind == Value::Grade && *held == DataType::Boolean;
        if !held.is_numeric() && !is_truth {
            return Err(refuse(py, format!("column {name:?} holds {held}, which is not a number")));
        }
    }
    column(py, batch, name, &DataType::Float64)
}

fn column(py: Python<'_>, batch: &RecordBatch, name: &str, wanted: &DataType) -> PyResult<ArrayRef> {
    let found =
        batch.column_by_name(name).ok_or_else(|| refuse(py, format!("there is no column {name:?}")))?;
    // Not "safe", which would turn values that are not numbers into nulls.
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(found, wanted, &strict)
        .map_err(|error| refuse(py, format!("column {name:?} cannot be used: {error}")))
}

pub fn write(table: &Table, columns: [String; 3]) -> PyResult<PyTable> {
    // All readers check that ids are UTF-8.
    let text = |id| std::str::from_utf8(id).unwrap_or_default();
    let mut queries = Vec::with_capacity(table.values.len());
    for (query, id) in table.queries.iter().enumerate() {
        queries.extend(table.rows_of(query).map(|_| text(id)));
    }
    let docs: Vec<&str> = table.docs.iter().map(text).collect();
    let (queries, docs) =
        (LargeStringArray::from_iter_values(queries), LargeStringArray::from_iter_values(docs));
    let values = Float64Array::from_iter_values(table.values.iter().copied());
    let [query, doc, value] = columns;
    let schema = Arc::new(Schema::new(vec![
        Field::new(query, DataType::LargeUtf8, false),
        Field::new(doc, DataType::LargeUtf8, false),
        Field::new(value, DataType::Float64, false),
    ]));
    let arrays: Vec<ArrayRef> = vec![Arc::new(queries), Arc::new(docs), Arc::new(values)];
    let batch = RecordBatch::try_new(schema.clone(), arrays)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    PyTable::try_new(vec![batch], schema)
}
