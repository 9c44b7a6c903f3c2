//! The Python module `cleverdon._core`.

mod arrow;
mod attended;
mod dicts;
mod objects;
mod options;

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyString};

use crate::gather;
use crate::ids::Ids;
use crate::join;
use crate::judgments::Judgments as CoreJudgments;
use crate::problem::Problem;
use crate::segments;
use crate::source::Source as CoreSource;
use crate::table::Table as CoreTable;
use crate::threads;
use attended::{attended, guarded};
use options::{Layout, Order};

type Ints<'py> = Bound<'py, PyArray1<i64>>;

/// An open input: a file, or standard input for `-`; decompressed if necessary.
#[pyclass(frozen, module = "cleverdon._core")]
struct Source {
    path: String,
    core: Arc<CoreSource>,
    /// The thread that hashes the file, if `hash_ahead` was called.
    ahead: Mutex<Option<JoinHandle<()>>>,
}

#[pymethods]
impl Source {
    #[new]
    fn new(py: Python<'_>, path: &str) -> PyResult<Self> {
        let core = attended(py, None, 0, |watch| CoreSource::open(path, watch))?;
        Ok(Source { path: path.to_string(), core: Arc::new(core), ahead: Mutex::new(None) })
    }

    /// The path as given.
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// The path as messages show it.
    #[getter]
    fn name(&self) -> &str {
        &self.core.name
    }

    /// The size on disk in bytes; 0 for a pipe.
    #[getter]
    fn size(&self) -> u64 {
        self.core.size()
    }

    /// Device, inode, size and time of the last change of a named file; None for a pipe.
    #[getter]
    fn stamp(&self) -> Option<(u64, u64, u64, u64)> {
        self.core.stamp
    }

    /// The first bytes of the decompressed text.
    fn head<'py>(&self, py: Python<'py>, length: usize) -> PyResult<Bound<'py, PyBytes>> {
        let head = attended(py, None, 0, |watch| self.core.head(length, watch))?;
        Ok(PyBytes::new(py, &head))
    }

    /// Starts to hash the file on a separate thread, so that `digest` need not wait later. This also
    /// loads the file's pages while Python imports modules.
    fn hash_ahead(&self) {
        let core = self.core.clone();
        if core.size() > 0 {
            // Not on the thread pool: one of its threads may wait for it, in `digest`.
            let thread = std::thread::spawn(move || core.hash_alone());
            *self.ahead.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(thread);
        }
    }

    /// BLAKE3 of the bytes on disk, in hexadecimal.
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        attended(py, None, 0, |watch| {
            let ahead = self.ahead.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
            // If it failed, the digest is computed again here and reports the error.
            let _ = ahead.map(JoinHandle::join);
            self.core.digest(watch).map(str::to_string)
        })
    }
}

/// Rows of (query, document, number), grouped by query.
#[pyclass(frozen, module = "cleverdon._core")]
struct Table(CoreTable);

#[pymethods]
impl Table {
    /// Reads a text file.
    #[staticmethod]
    #[pyo3(signature = (source, layout, duplicates, progress=None))]
    fn read(
        py: Python<'_>,
        source: &Source,
        layout: &Layout,
        duplicates: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let duplicates = options::duplicates(duplicates)?;
        attended(py, progress, source.core.size(), |watch| {
            CoreTable::read(&source.core, &layout.0, duplicates, watch)
        })
        .map(Table)
    }

    /// From a dict of dicts: query to document to number.
    #[staticmethod]
    fn from_dict(nested: &Bound<'_, PyDict>, kind: &str, duplicates: &str) -> PyResult<Self> {
        guarded(nested.py(), || objects::table_from_dict(nested, kind, duplicates)).map(Table)
    }

    /// From an iterable of (query, document, number).
    #[staticmethod]
    fn from_rows(rows: &Bound<'_, PyIterator>, kind: &str, duplicates: &str) -> PyResult<Self> {
        guarded(rows.py(), || objects::table_from_rows(rows, kind, duplicates)).map(Table)
    }

    /// From numpy arrays of ids (Python objects) and of numbers: the columns of a pandas data frame.
    #[staticmethod]
    fn from_columns(
        py: Python<'_>,
        queries: PyReadonlyArray1<'_, Py<PyAny>>,
        docs: PyReadonlyArray1<'_, Py<PyAny>>,
        values: PyReadonlyArray1<'_, f64>,
        kind: &str,
        duplicates: &str,
    ) -> PyResult<Self> {
        let columns = [queries.as_slice()?, docs.as_slice()?];
        let values = values.as_slice()?;
        guarded(py, || objects::table_from_columns(py, columns, values, kind, duplicates)).map(Table)
    }

    /// From an object with the Arrow PyCapsule interface, and the names of three of its columns.
    #[staticmethod]
    fn from_arrow(
        table: &Bound<'_, PyAny>,
        columns: [String; 3],
        kind: &str,
        duplicates: &str,
    ) -> PyResult<Self> {
        guarded(table.py(), || arrow::read(table, &columns, kind, duplicates)).map(Table)
    }

    /// Columns with these names, as `__arrow_c_stream__` returns them.
    fn arrow_stream<'py>(&self, py: Python<'py>, columns: [String; 3]) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || arrow::write(py, &self.0, columns))
    }

    #[getter]
    fn queries<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyString>> {
        texts(py, &self.0.queries, 0, self.0.queries.len())
    }

    /// The start of each query's rows, and the end of the last.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        positions(py, &self.0.starts)
    }

    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.values)
    }

    /// The ids of the documents in rows `start` to `stop`.
    fn docs<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> PyResult<Vec<Bound<'py, PyString>>> {
        slice(py, &self.0.docs, start, stop)
    }
}

/// The judgments, sorted and indexed by document.
#[pyclass(frozen, module = "cleverdon._core")]
struct Judgments(CoreJudgments);

#[pymethods]
impl Judgments {
    #[new]
    #[pyo3(signature = (table, others=None))]
    fn new(py: Python<'_>, table: &Table, others: Option<Vec<String>>) -> PyResult<Self> {
        guarded(py, || {
            let made = py.detach(|| {
                let others = others.unwrap_or_default();
                CoreJudgments::new(&table.0).with_others(others.iter().map(String::as_bytes))
            });
            Ok(Judgments(made))
        })
    }

    #[getter]
    fn queries<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyString>> {
        texts(py, &self.0.queries, 0, self.0.queries.len())
    }

    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        positions(py, &self.0.starts)
    }

    #[getter]
    fn grades<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.grades)
    }

    fn docs<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> PyResult<Vec<Bound<'py, PyString>>> {
        slice(py, &self.0.docs, start, stop)
    }

    /// The hits of a run in a text file; the file is never held in memory.
    #[pyo3(signature = (source, layout, order, progress=None))]
    fn join_text(
        &self,
        py: Python<'_>,
        source: &Source,
        layout: &Layout,
        order: &Order,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Joined> {
        attended(py, progress, source.core.size(), |watch| {
            join::text(&source.core, &layout.0, &self.0, order.0, watch)
        })
        .map(Joined::from)
    }

    fn join_table(&self, py: Python<'_>, table: &Table, order: &Order) -> PyResult<Joined> {
        attended(py, None, 0, |watch| join::table(&table.0, &self.0, order.0, watch)).map(Joined::from)
    }

    /// The hits of a dict of dicts, without a copy; None if an id is not text.
    fn join_dict(&self, nested: &Bound<'_, PyDict>, order: &Order) -> PyResult<Option<Joined>> {
        let joined = guarded(nested.py(), || dicts::join(nested, &self.0, order.0))?;
        Ok(joined.map(Joined::from))
    }
}

/// The hits of one run as parallel arrays, and counts of the whole run.
#[pyclass(frozen, get_all, module = "cleverdon._core")]
struct Joined {
    query: Py<PyArray1<i64>>,
    rank: Py<PyArray1<i64>>,
    doc: Py<PyArray1<i64>>,
    tied_from: Py<PyArray1<i64>>,
    tied_to: Py<PyArray1<i64>>,
    /// Per judged query: the number of results, and whether the run has the query.
    returned: Py<PyArray1<i64>>,
    present: Py<PyArray1<bool>>,
    /// The number of results of judged queries, and how many of them are tied with another.
    rows: u64,
    tied: u64,
    extra: usize,
    extra_names: Vec<String>,
    /// Per judged query: ids and scores of the first results, as many as `keep` says.
    top: Vec<Vec<(String, f64)>>,
}

impl From<join::Joined> for Joined {
    fn from(joined: join::Joined) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let mut columns: [Vec<i64>; 5] = Default::default();
        let mut returned = Vec::with_capacity(joined.queries.len());
        let mut present = Vec::with_capacity(joined.queries.len());
        let mut top = Vec::new();
        for (position, reduced) in joined.queries.into_iter().enumerate() {
            present.push(reduced.is_some());
            let reduced = reduced.unwrap_or_default();
            returned.push(i64::from(reduced.returned));
            for hit in &reduced.hits {
                let row = [
                    position as i64,
                    hit.rank.into(),
                    hit.doc.map_or(-1, |doc| doc as i64),
                    hit.tied_from.into(),
                    hit.tied_to.into(),
                ];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
            top.push(reduced.top.into_iter().map(|(doc, score)| (text(doc), score)).collect());
        }
        let [query, rank, doc, tied_from, tied_to] =
            columns.map(|column| Python::attach(|py| column.into_pyarray(py).unbind()));
        Python::attach(|py| Joined {
            query,
            rank,
            doc,
            tied_from,
            tied_to,
            returned: returned.into_pyarray(py).unbind(),
            present: present.into_pyarray(py).unbind(),
            rows: joined.rows,
            tied: joined.tied,
            extra: joined.extra,
            extra_names: joined.extra_names.into_iter().map(text).collect(),
            top,
        })
    }
}

/// Collects the results of many runs, one by one.
#[pyclass(frozen, module = "cleverdon._core")]
struct Gathering(Mutex<Option<gather::Gathering>>);

#[pymethods]
impl Gathering {
    #[new]
    #[pyo3(signature = (depth=None))]
    fn new(depth: Option<usize>) -> Self {
        Gathering(Mutex::new(Some(gather::Gathering::new(depth))))
    }

    /// Adds the first results of a system.
    fn add(&self, py: Python<'_>, run: &Table) -> PyResult<()> {
        attended(py, None, 0, |_| {
            let mut held = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            held.as_mut().ok_or_else(|| Problem::whole("", FINISHED))?.add(&run.0);
            Ok(())
        })
    }

    /// Returns all results; nothing can be added afterwards.
    fn finish(&self, py: Python<'_>) -> PyResult<Gathered> {
        let all = attended(py, None, 0, |_| {
            let mut held = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            Ok(held.take().ok_or_else(|| Problem::whole("", FINISHED))?.finish())
        })?;
        Ok(Gathered {
            topics: texts(py, &all.topics, 0, all.topics.len()).into_iter().map(Bound::unbind).collect(),
            doc_starts: positions(py, &all.doc_starts).unbind(),
            row_starts: positions(py, &all.row_starts).unbind(),
            system: all.system.into_pyarray(py).unbind(),
            doc: all.doc.into_pyarray(py).unbind(),
            rank: all.rank.into_pyarray(py).unbind(),
            score: all.score.into_pyarray(py).unbind(),
            ids: all.docs,
        })
    }
}

const FINISHED: &str = "what was gathered has been handed over already";

/// The results of many runs as parallel arrays, sorted by topic, system and rank.
#[pyclass(frozen, module = "cleverdon._core")]
struct Gathered {
    #[pyo3(get)]
    topics: Vec<Py<PyString>>,
    #[pyo3(get)]
    doc_starts: Py<PyArray1<i64>>,
    #[pyo3(get)]
    row_starts: Py<PyArray1<i64>>,
    #[pyo3(get)]
    system: Py<PyArray1<i64>>,
    #[pyo3(get)]
    doc: Py<PyArray1<i64>>,
    #[pyo3(get)]
    rank: Py<PyArray1<i64>>,
    #[pyo3(get)]
    score: Py<PyArray1<f64>>,
    ids: Ids,
}

#[pymethods]
impl Gathered {
    /// The ids of documents `start` to `stop`, counted through all topics.
    fn docs<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> PyResult<Vec<Bound<'py, PyString>>> {
        slice(py, &self.ids, start, stop)
    }
}

fn positions<'py>(py: Python<'py>, values: &[usize]) -> Bound<'py, PyArray1<i64>> {
    values.iter().map(|&value| value as i64).collect::<Vec<_>>().into_pyarray(py)
}

fn texts<'py>(py: Python<'py>, ids: &Ids, start: usize, stop: usize) -> Vec<Bound<'py, PyString>> {
    // All readers check that ids are UTF-8.
    (start..stop).map(|i| PyString::new(py, &String::from_utf8_lossy(ids.get(i)))).collect()
}

fn slice<'py>(py: Python<'py>, ids: &Ids, start: usize, stop: usize) -> PyResult<Vec<Bound<'py, PyString>>> {
    if start > stop || stop > ids.len() {
        return Err(PyIndexError::new_err(format!("rows {start} to {stop} of {}", ids.len())));
    }
    Ok(texts(py, ids, start, stop))
}

/// Rank each row of a matrix by its scores: return the position in the matrix and the grade at each
/// rank, and, if there are equal scores, the first and last rank of each group.
#[pyfunction]
#[allow(clippy::type_complexity)]
fn rank_matrix<'py>(
    py: Python<'py>,
    grades: PyReadonlyArray1<'py, f64>,
    scores: PyReadonlyArray1<'py, f64>,
    columns: usize,
) -> PyResult<(Ints<'py>, Bound<'py, PyArray1<f64>>, Option<(Ints<'py>, Ints<'py>)>)> {
    let (grades, scores) = (grades.as_slice()?, scores.as_slice()?);
    let n = scores.len();
    if columns == 0 || n % columns != 0 || grades.len() != n {
        return Err(PyIndexError::new_err(format!("{n} scores are no rows of {columns}")));
    }
    let (doc, grade) = (PyArray1::zeros(py, n, false), PyArray1::zeros(py, n, false));
    let tied = {
        let (mut docs, mut found) = (doc.readwrite(), grade.readwrite());
        let (docs, found) = (docs.as_slice_mut()?, found.as_slice_mut()?);
        let fill = || segments::rank_matrix(grades, scores, columns, docs, found);
        guarded(py, || Ok(py.detach(|| threads::install(fill))))?
    };
    let tied = tied.map(|(from, to)| (from.into_pyarray(py), to.into_pyarray(py)));
    Ok((doc, grade, tied))
}

/// Sort the positive values of each segment of an array in descending order: return their positions,
/// their ranks from 1, and their number per segment.
///
/// `starts` has the start of each segment, and the end of the last.
#[pyfunction]
#[allow(clippy::type_complexity)]
fn best_first<'py>(
    py: Python<'py>,
    starts: PyReadonlyArray1<'py, i64>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<(Ints<'py>, Ints<'py>, Ints<'py>)> {
    let (starts, values) = (starts.as_slice()?, values.as_slice()?);
    let ordered =
        starts.first() == Some(&0) && starts.is_sorted() && starts.last() == Some(&(values.len() as i64));
    if !ordered {
        return Err(PyIndexError::new_err("the segments do not cover the values"));
    }
    let counts = segments::count_positive(starts, values);
    let length = counts.iter().sum::<i64>() as usize;
    let (order, rank) = (PyArray1::zeros(py, length, false), PyArray1::zeros(py, length, false));
    {
        let (mut places, mut ranks) = (order.readwrite(), rank.readwrite());
        let (places, ranks) = (places.as_slice_mut()?, ranks.as_slice_mut()?);
        let fill = || segments::best_first(starts, values, &counts, places, ranks);
        guarded(py, || {
            py.detach(|| threads::install(fill));
            Ok(())
        })?;
    }
    Ok((order, rank, counts.into_pyarray(py)))
}

/// Sum the values of each of `groups` groups, in the order of the array.
#[pyfunction]
fn total<'py>(
    py: Python<'py>,
    group: PyReadonlyArray1<'py, i64>,
    values: PyReadonlyArray1<'py, f64>,
    groups: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (group, values) = (group.as_slice()?, values.as_slice()?);
    let sums = if group.len() == values.len() { segments::total(group, values, groups) } else { None };
    let sums = sums.ok_or_else(|| PyIndexError::new_err("a value belongs to none of the groups"))?;
    Ok(sums.into_pyarray(py))
}

/// How the core was built: names and values, in the order in which `--version` prints them.
#[pyfunction]
fn build() -> [(&'static str, &'static str); 7] {
    [
        ("version", env!("CARGO_PKG_VERSION")),
        ("profile", env!("CORE_PROFILE")),
        ("optimisation", env!("CORE_OPT_LEVEL")),
        ("target", env!("CORE_TARGET")),
        ("features", env!("CORE_FEATURES")),
        ("rustc", env!("CORE_RUSTC")),
        ("abi", env!("CORE_ABI")),
    ]
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::options::{Layout, Order};
    #[pymodule_export]
    use super::{
        best_first, build, rank_matrix, total, Gathered, Gathering, Joined, Judgments, Source, Table,
    };
}
