//! A run or a set of judgments in memory: rows of (query, document, number), grouped by query.

use std::sync::Mutex;

use foldhash::fast::RandomState;
use hashbrown::hash_map::EntryRef;
use hashbrown::HashMap;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::csv;
use crate::ids::Ids;
use crate::layout::Layout;
use crate::problem::{quoted, Outcome, Problem};
use crate::scan;
use crate::source::Source;
use crate::watch::Watch;

/// What to do with a document that occurs twice for one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    Refuse,
    KeepFirst,
    /// Keep the higher score or grade, at the place of the first.
    KeepBest,
    /// Keep every one as a result with a rank of its own.
    KeepAll,
    /// Give every one a rank, and count only the first as the document.
    CountOnce,
    /// Do not look for duplicates: the join does.
    Unchecked,
}

/// Queries in the order of their first row; within a query, rows in the order they came.
#[derive(Debug, Default)]
pub struct Table {
    pub queries: Ids,
    /// The start of each query's rows, and the end of the last.
    pub starts: Vec<usize>,
    pub docs: Ids,
    pub values: Vec<f64>,
}

impl Table {
    pub fn rows_of(&self, query: usize) -> std::ops::Range<usize> {
        self.starts[query]..self.starts[query + 1]
    }

    /// Reads a whole text file.
    pub fn read(source: &Source, layout: &Layout, duplicates: Duplicates, watch: &Watch) -> Outcome<Table> {
        match Table::read_lines(source, layout, duplicates, watch) {
            Err(problem) if csv::may_be_quoted(layout, &problem) => {
                csv::read(source, layout, duplicates, watch)
            }
            outcome => outcome,
        }
    }

    fn read_lines(source: &Source, layout: &Layout, duplicates: Duplicates, watch: &Watch) -> Outcome<Table> {
        let parts = Mutex::new(Vec::new());
        scan::blocks(source, layout, watch, |block| {
            let mut part = Builder::of_text(block.text.len());
            scan::rows(block, layout, |row, _| {
                part.push(row.query, row.doc, row.value);
                Ok(())
            })?;
            parts.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((block.offset, part));
            Ok(())
        })?;
        let mut parts = parts.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        parts.sort_by_key(|(offset, _)| *offset);
        let mut parts = parts.into_iter().map(|(_, part)| part);
        let mut all = parts.next().unwrap_or_default();
        let rest: Vec<Builder> = parts.collect();
        all.reserve(&rest);
        for part in rest {
            all.append(part);
        }
        if all.values.is_empty() {
            return Err(Problem::whole(&source.name, "has no rows"));
        }
        all.finish(duplicates).map_err(|(query, doc)| scan::duplicate(source, layout, &query, &doc))
    }
}

/// Collects rows in any order of queries.
#[derive(Default)]
pub struct Builder {
    known: HashMap<Vec<u8>, u32, RandomState>,
    queries: Ids,
    query: Vec<u32>,
    docs: Ids,
    values: Vec<f64>,
}

impl Builder {
    pub fn push(&mut self, query: &[u8], doc: &[u8], value: f64) {
        let code = self.code(query);
        self.query.push(code);
        self.docs.push(doc);
        self.values.push(value);
    }

    /// Adds a query, which may have no rows.
    pub fn declare(&mut self, query: &[u8]) {
        self.code(query);
    }

    fn code(&mut self, query: &[u8]) -> u32 {
        // Rows of a query are mostly contiguous.
        if let Some(&last) = self.query.last() {
            if self.queries.get(last as usize) == query {
                return last;
            }
        }
        let next = self.queries.len() as u32;
        match self.known.entry_ref(query) {
            EntryRef::Occupied(found) => *found.get(),
            EntryRef::Vacant(vacant) => {
                vacant.insert(next);
                self.queries.push(query);
                next
            }
        }
    }

    /// With room for the rows that so many bytes of text usually have.
    fn of_text(length: usize) -> Builder {
        const USUAL: usize = 32; // bytes of a row
        let rows = length / USUAL;
        let mut builder = Builder::default();
        builder.query.reserve(rows);
        builder.values.reserve(rows);
        builder.docs.reserve(rows, length / 2);
        builder
    }

    /// Makes room for all rows of others, once.
    fn reserve(&mut self, others: &[Builder]) {
        let rows = others.iter().map(|other| other.values.len()).sum();
        self.query.reserve_exact(rows);
        self.values.reserve_exact(rows);
        self.docs.reserve(rows, others.iter().map(|other| other.docs.size()).sum());
    }

    fn append(&mut self, other: Builder) {
        let codes: Vec<u32> = other.queries.iter().map(|query| self.code(query)).collect();
        self.query.extend(other.query.iter().map(|&code| codes[code as usize]));
        self.docs.append(&other.docs);
        self.values.extend(other.values);
    }

    /// Groups the rows by query, and handles duplicates; `Refuse` returns the first one as an error.
    pub fn finish(self, duplicates: Duplicates) -> Result<Table, (Vec<u8>, Vec<u8>)> {
        let mut starts = vec![0usize; self.queries.len() + 1];
        for &code in &self.query {
            starts[code as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let table = if self.query.is_sorted() {
            Table { queries: self.queries, starts, docs: self.docs, values: self.values }
        } else {
            let mut next = starts.clone();
            let mut order = vec![0usize; self.query.len()];
            for (row, &code) in self.query.iter().enumerate() {
                order[next[code as usize]] = row;
                next[code as usize] += 1;
            }
            let values = order.iter().map(|&row| self.values[row]).collect();
            Table { queries: self.queries, starts, docs: self.docs.picked(&order), values }
        };
        table.without_duplicates(duplicates)
    }
}

impl Table {
    fn without_duplicates(self, policy: Duplicates) -> Result<Table, (Vec<u8>, Vec<u8>)> {
        if matches!(policy, Duplicates::KeepAll | Duplicates::CountOnce | Duplicates::Unchecked) {
            return Ok(self);
        }
        let outcomes: Vec<_> =
            (0..self.queries.len()).into_par_iter().map(|query| self.repeated_rows(query, policy)).collect();
        if outcomes.iter().all(|outcome| outcome.as_ref().is_ok_and(Vec::is_empty)) {
            return Ok(self);
        }
        let mut values = self.values.clone();
        let mut dropped = vec![false; values.len()];
        for (query, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Err(doc) => return Err((self.queries.get(query).to_vec(), doc)),
                Ok(repeated) => {
                    for Repetition { row, earlier, value } in repeated {
                        dropped[row] = true;
                        values[earlier] = value;
                    }
                }
            }
        }
        let kept: Vec<usize> = (0..values.len()).filter(|&row| !dropped[row]).collect();
        if kept.len() == values.len() {
            return Ok(self);
        }
        let starts = self.starts.iter().map(|&start| kept.partition_point(|&row| row < start)).collect();
        let values = kept.iter().map(|&row| values[row]).collect();
        Ok(Table { queries: self.queries, starts, docs: self.docs.picked(&kept), values })
    }

    /// The duplicate rows of a query, which are dropped; with `Refuse`, the first is an error.
    fn repeated_rows(&self, query: usize, policy: Duplicates) -> Result<Vec<Repetition>, Vec<u8>> {
        let rows = self.rows_of(query);
        let mut seen: HashMap<&[u8], (usize, f64), RandomState> =
            HashMap::with_capacity_and_hasher(rows.len(), RandomState::default());
        let mut repeated = Vec::new();
        for row in rows {
            let (doc, value) = (self.docs.get(row), self.values[row]);
            let (earlier, kept) = seen.entry(doc).or_insert((row, value));
            if *earlier == row {
                continue;
            }
            match policy {
                Duplicates::Refuse => return Err(doc.to_vec()),
                Duplicates::KeepBest => *kept = kept.max(value),
                Duplicates::KeepFirst
                | Duplicates::KeepAll
                | Duplicates::CountOnce
                | Duplicates::Unchecked => {}
            }
            repeated.push(Repetition { row, earlier: *earlier, value: *kept });
        }
        Ok(repeated)
    }
}

/// A row whose document occurred earlier: the earlier row stays, with the value that is kept.
struct Repetition {
    row: usize,
    earlier: usize,
    value: f64,
}

/// The message about a duplicate in data without line numbers.
pub fn duplicate_message(query: &[u8], doc: &[u8]) -> String {
    format!("document {} occurs twice for query {}", quoted(doc), quoted(query))
}
