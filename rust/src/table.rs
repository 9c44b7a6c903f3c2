//! A run or a set of judgments in memory: rows of (query, document, number), grouped by query.

use std::hash::BuildHasher;
use std::sync::Mutex;

use foldhash::fast::RandomState;
use hashbrown::hash_map::EntryRef;
use hashbrown::hash_table::{Entry, HashTable};
use hashbrown::HashMap;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use crate::csv;
use crate::ids::{joined, Ids};
use crate::layout::{Layout, Separator};
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
        if layout.separator != Separator::Blanks {
            return csv::read(source, layout, duplicates, watch);
        }
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
        let all = Builder::joined(parts.into_iter().map(|(_, part)| part).collect());
        if all.is_empty() {
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
    /// The query of so many rows that follow each other.
    groups: Vec<(u32, usize)>,
    docs: Ids,
    values: Vec<f64>,
}

impl Builder {
    /// Whether there is not one query.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    #[inline]
    pub fn push(&mut self, query: &[u8], doc: &[u8], value: f64) {
        let code = self.code(query);
        match self.groups.last_mut() {
            Some((last, rows)) if *last == code => *rows += 1,
            _ => self.groups.push((code, 1)),
        }
        self.docs.push(doc);
        self.values.push(value);
    }

    /// Adds a query, which may have no rows.
    pub fn declare(&mut self, query: &[u8]) {
        self.code(query);
    }

    #[inline]
    fn code(&mut self, query: &[u8]) -> u32 {
        // Rows of a query are mostly contiguous.
        if let Some(&(last, _)) = self.groups.last() {
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
    pub fn of_text(length: usize) -> Builder {
        const USUAL: usize = 32; // bytes of a row
        let rows = length / USUAL;
        let mut builder = Builder::default();
        builder.values.reserve(rows);
        builder.docs.reserve(rows, length / 2);
        builder
    }

    /// All rows of the parts, one part after the other.
    pub fn joined(parts: Vec<Builder>) -> Builder {
        let mut all = Builder::default();
        let (mut docs, mut values) = (Vec::new(), Vec::new());
        for part in parts {
            let codes: Vec<u32> = part.queries.iter().map(|query| all.code(query)).collect();
            all.groups.extend(part.groups.iter().map(|&(code, rows)| (codes[code as usize], rows)));
            docs.push(part.docs);
            values.push(part.values);
        }
        all.docs = Ids::joined(docs);
        all.values = joined(values.iter().map(|part| &part[..]));
        values.into_par_iter().for_each(drop);
        all
    }

    /// Groups the rows by query, and handles duplicates; `Refuse` returns the first one as an error.
    pub fn finish(self, duplicates: Duplicates) -> Result<Table, (Vec<u8>, Vec<u8>)> {
        let mut starts = vec![0usize; self.queries.len() + 1];
        for &(code, rows) in &self.groups {
            starts[code as usize + 1] += rows;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let table = if self.groups.is_sorted_by_key(|(code, _)| code) {
            Table { queries: self.queries, starts, docs: self.docs, values: self.values }
        } else {
            let mut next = starts.clone();
            let mut order = vec![0usize; self.values.len()];
            let mut row = 0;
            for &(code, rows) in &self.groups {
                let place = &mut next[code as usize];
                order[*place..*place + rows].iter_mut().zip(row..).for_each(|(to, row)| *to = row);
                *place += rows;
                row += rows;
            }
            let values = order.par_iter().map(|&row| self.values[row]).collect();
            let docs = order.par_chunks(1 << 15).map(|rows| self.docs.picked(rows)).collect();
            Table { queries: self.queries, starts, docs: Ids::joined(docs), values }
        };
        table.without_duplicates(duplicates)
    }
}

impl Table {
    fn without_duplicates(self, policy: Duplicates) -> Result<Table, (Vec<u8>, Vec<u8>)> {
        if matches!(policy, Duplicates::KeepAll | Duplicates::CountOnce | Duplicates::Unchecked) {
            return Ok(self);
        }
        let refuse = policy == Duplicates::Refuse;
        let hasher = RandomState::default();
        let outcomes: Vec<_> = (0..self.queries.len())
            .into_par_iter()
            .map(|query| self.repeated_rows(query, refuse, &hasher))
            .collect();
        if outcomes.iter().all(|outcome| outcome.as_ref().is_ok_and(Vec::is_empty)) {
            return Ok(self);
        }
        let mut values = self.values.clone();
        let mut dropped = vec![false; values.len()];
        for (query, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Err(doc) => return Err((self.queries.get(query).to_vec(), doc)),
                Ok(repeated) => {
                    for (row, earlier) in repeated {
                        dropped[row] = true;
                        if policy == Duplicates::KeepBest {
                            values[earlier] = values[earlier].max(values[row]);
                        }
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

    /// The rows of a query whose document occurred before, each with the first row of that document; the
    /// first such document is an error if it is to be refused.
    fn repeated_rows(
        &self,
        query: usize,
        refuse: bool,
        hasher: &RandomState,
    ) -> Result<Vec<(usize, usize)>, Vec<u8>> {
        let rows = self.rows_of(query);
        let first = rows.start;
        let doc_at = |offset: u32| self.docs.get(first + offset as usize);
        let mut seen: HashTable<u32> = HashTable::with_capacity(rows.len());
        let mut repeated = Vec::new();
        for row in rows {
            let doc = self.docs.get(row);
            let same = |&offset: &u32| doc_at(offset) == doc;
            match seen.entry(hasher.hash_one(doc), same, |&offset| hasher.hash_one(doc_at(offset))) {
                Entry::Vacant(vacant) => drop(vacant.insert((row - first) as u32)),
                Entry::Occupied(_) if refuse => return Err(doc.to_vec()),
                Entry::Occupied(earlier) => repeated.push((row, first + *earlier.get() as usize)),
            }
        }
        Ok(repeated)
    }
}

/// The message about a duplicate in data without line numbers.
pub fn duplicate_message(query: &[u8], doc: &[u8]) -> String {
    format!("document {} occurs twice for query {}", quoted(doc), quoted(query))
}
