//! Reads and writes columns through Arrow's PyCapsule interface: polars, pandas, pyarrow, duckdb.
//!
//! Only the types that ids and numbers have are converted, by our own code: arrow-cast, which converts
//! all types to each other, made the core three times as large.

use std::borrow::Cow;
use std::ffi::CStr;
use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    Decimal128Type, Decimal256Type, Decimal32Type, Decimal64Type, DecimalType, Float16Type, Float32Type,
    Float64Type,
};
use arrow_array::{
    downcast_integer_array, Array, ArrayRef, Float64Array, LargeStringArray, RecordBatch,
    RecordBatchIterator, StringArray, StringViewArray,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::objects::{checked, finish, refuse};
use super::options;
use crate::layout::Value;
use crate::table::{Builder, Table};

const STREAM: &CStr = c"arrow_array_stream";

pub fn read(
    table: &Bound<'_, PyAny>,
    columns: &[String; 3],
    kind: &str,
    duplicates: &str,
) -> PyResult<Table> {
    let py = table.py();
    let kind = options::kind(kind)?;
    let mut builder = Builder::default();
    let mut row = 0;
    for batch in stream(table)? {
        let batch = batch.map_err(|error| refuse(py, format!("the table cannot be read: {error}")))?;
        py.check_signals()?;
        let found = [0, 1, 2].map(|i| column(py, &batch, &columns[i]));
        let [queries, docs, values] = found;
        let (queries, docs, values) = (queries?, docs?, values?);
        let [query_ids, doc_ids] = [(queries, 0), (docs, 1)].map(|(array, i)| ids(py, array, &columns[i]));
        let (query_ids, doc_ids) = (query_ids?, doc_ids?);
        let numbers = numbers(py, values, &columns[2], kind)?;
        for (array, column) in [(queries, 0), (docs, 1), (values, 2)] {
            // Those of a category's value as well, not only those of its number.
            let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
            if let Some(at) = nulls.and_then(|nulls| (0..array.len()).find(|&i| nulls.is_null(i))) {
                return Err(refuse(
                    py,
                    format!("column {:?} is empty (null) in row {}", columns[column], row + at),
                ));
            }
        }
        for i in 0..batch.num_rows() {
            let (query, doc) = (query_ids.value(i), doc_ids.value(i));
            for (id, column) in [(query, 0), (doc, 1)] {
                if id.is_empty() {
                    return Err(refuse(
                        py,
                        format!("column {:?} is empty in row {}", columns[column], row + i),
                    ));
                }
            }
            let value = checked(numbers[i], kind)
                .map_err(|why| refuse(py, format!("the {} in row {} {why}", kind.name(), row + i)))?;
            builder.push(query.as_bytes(), doc.as_bytes(), value);
        }
        row += batch.num_rows();
    }
    finish(py, builder, duplicates)
}

/// Takes over the stream of record batches that a table offers.
#[allow(unsafe_code)]
fn stream(table: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let offered = table.call_method0("__arrow_c_stream__")?;
    let capsule = offered
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__arrow_c_stream__ returned no PyCapsule"))?;
    let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: by the PyCapsule interface, a capsule of this name holds a valid, aligned stream of the
    // C stream interface, and whoever is given it may move it out. `capsule` lives until that is done, and
    // nothing else can reach it: this thread is attached to the interpreter. What is left in the
    // capsule says that it is released, so that nothing is freed twice.
    unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) }
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

fn column<'a>(py: Python<'_>, batch: &'a RecordBatch, name: &str) -> PyResult<&'a ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| refuse(py, format!("there is no column {name:?}")))
}

/// A column of ids as text.
enum Ids<'a> {
    Short(&'a StringArray),
    Long(&'a LargeStringArray),
    View(&'a StringViewArray),
    /// Whole numbers, written out.
    Written(LargeStringArray),
    /// Categories, and which of them each row has.
    Category(Box<Ids<'a>>, Vec<usize>),
}

impl Ids<'_> {
    fn value(&self, row: usize) -> &str {
        match self {
            Ids::Short(texts) => texts.value(row),
            Ids::Long(texts) => texts.value(row),
            Ids::View(texts) => texts.value(row),
            Ids::Written(texts) => texts.value(row),
            Ids::Category(values, keys) => values.value(keys[row]),
        }
    }
}

/// Reads a column of ids. Floating-point ids are an error: 301.0 is not the query 301, and without the
/// error no ids would match.
fn ids<'a>(py: Python<'_>, array: &'a ArrayRef, name: &str) -> PyResult<Ids<'a>> {
    if let Some(categories) = array.as_any_dictionary_opt() {
        let values = ids(py, categories.values(), name)?;
        // Without categories every row is null, which is refused before any of them is asked for.
        let known = !categories.values().is_empty();
        return Ok(Ids::Category(
            Box::new(values),
            if known { categories.normalized_keys() } else { Vec::new() },
        ));
    }
    Ok(match array.data_type() {
        DataType::Utf8 => Ids::Short(array.as_string()),
        DataType::LargeUtf8 => Ids::Long(array.as_string()),
        DataType::Utf8View => Ids::View(array.as_string_view()),
        held if held.is_integer() => Ids::Written(written(array)),
        held => {
            return Err(refuse(
                py,
                format!("column {name:?} holds {held}, not text or integers; convert the ids first"),
            ))
        }
    })
}

/// Writes whole numbers as text; what stands for a null is not looked at.
fn written(array: &ArrayRef) -> LargeStringArray {
    let mut texts = LargeStringBuilder::with_capacity(array.len(), 8 * array.len());
    downcast_integer_array!(
        array => for number in array.values() {
            // Writing into memory cannot fail.
            let _ = write!(texts, "{number}");
            texts.append_value("");
        },
        other => unreachable!("{other} is no type of whole numbers")
    );
    texts.finish()
}

/// Reads a column of numbers. Text is an error even if it could be parsed, as in a dict. As grades,
/// true is 1 and false 0.
fn numbers<'a>(py: Python<'_>, array: &'a ArrayRef, name: &str, kind: Value) -> PyResult<Cow<'a, [f64]>> {
    use DataType::*;
    let held = array.data_type();
    Ok(match held {
        Float64 => Cow::Borrowed(array.as_primitive::<Float64Type>().values()),
        Float32 => array.as_primitive::<Float32Type>().values().iter().map(|&x| x.into()).collect(),
        Float16 => array.as_primitive::<Float16Type>().values().iter().map(|&x| x.into()).collect(),
        Decimal32(..) => decimals::<Decimal32Type>(array),
        Decimal64(..) => decimals::<Decimal64Type>(array),
        Decimal128(..) => decimals::<Decimal128Type>(array),
        Decimal256(..) => decimals::<Decimal256Type>(array),
        Boolean if kind == Value::Grade => {
            array.as_boolean().values().iter().map(|truth| f64::from(u8::from(truth))).collect()
        }
        held if held.is_integer() => downcast_integer_array!(
            array => array.values().iter().map(|&number| number as f64).collect(),
            other => unreachable!("{other} is no type of whole numbers")
        ),
        _ => return Err(refuse(py, format!("column {name:?} holds {held}, which is not a number"))),
    })
}

/// Decimals, each rounded once. What stands for a null is not looked at.
fn decimals<T: DecimalType>(array: &ArrayRef) -> Cow<'_, [f64]> {
    let array = array.as_primitive::<T>();
    let number = |i| if array.is_null(i) { None } else { array.value_as_string(i).parse().ok() };
    (0..array.len()).map(|i| number(i).unwrap_or(f64::NAN)).collect()
}

/// Offers the rows as a stream, for `__arrow_c_stream__`.
pub fn write<'py>(py: Python<'py>, table: &Table, columns: [String; 3]) -> PyResult<Bound<'py, PyCapsule>> {
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
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}
