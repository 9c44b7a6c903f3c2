//! The judgments, sorted and indexed by document.

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet, HashTable};

use crate::ids::Ids;
use crate::table::Table;

/// Queries in bytewise order; within a query, documents in bytewise order.
pub struct Judgments {
    pub queries: Ids,
    pub starts: Vec<usize>,
    pub docs: Ids,
    pub grades: Vec<f64>,
    hashes: Vec<u64>,
    positions: HashMap<Box<[u8]>, u32, RandomState>,
    hasher: RandomState,
    /// One row of each document, of any query; built on first use.
    anywhere: OnceLock<HashTable<u32>>,
    /// Documents that are judged for queries of the collection that are not among these.
    others: HashSet<Box<[u8]>, RandomState>,
}

/// The judged documents of one query.
#[derive(Clone, Copy)]
pub struct JudgedQuery<'a> {
    judgments: &'a Judgments,
    start: usize,
    end: usize,
}

impl Judgments {
    pub fn new(table: &Table) -> Judgments {
        let hasher = RandomState::default();
        let mut order: Vec<usize> = (0..table.queries.len()).collect();
        order.sort_unstable_by_key(|&query| table.queries.get(query));
        let mut rows = Vec::with_capacity(table.values.len());
        let mut starts = vec![0];
        for &query in &order {
            let first = rows.len();
            rows.extend(table.rows_of(query));
            rows[first..].sort_unstable_by_key(|&row| table.docs.get(row));
            starts.push(rows.len());
        }
        let queries = table.queries.picked(&order);
        let docs = table.docs.picked(&rows);
        let positions =
            queries.iter().enumerate().map(|(position, id)| (id.into(), position as u32)).collect();
        Judgments {
            hashes: docs.iter().map(|doc| hash(&hasher, doc)).collect(),
            grades: rows.iter().map(|&row| table.values[row]).collect(),
            queries,
            starts,
            docs,
            positions,
            others: HashSet::with_hasher(hasher.clone()),
            hasher,
            anywhere: OnceLock::new(),
        }
    }

    /// Counts these documents as judged for other queries, which `mention` then knows.
    pub fn with_others<'a>(mut self, docs: impl IntoIterator<Item = &'a [u8]>) -> Judgments {
        self.others.extend(docs.into_iter().map(Box::from));
        self
    }

    pub fn position(&self, query: &[u8]) -> Option<usize> {
        self.positions.get(query).map(|&position| position as usize)
    }

    pub fn of(&self, position: usize) -> JudgedQuery<'_> {
        JudgedQuery { judgments: self, start: self.starts[position], end: self.starts[position + 1] }
    }

    /// Whether the document is judged for any query. `hash` is the hash of its id.
    pub fn mention(&self, doc: &[u8], hash: u64) -> bool {
        let rows = self.anywhere.get_or_init(|| {
            let mut rows = HashTable::with_capacity(self.docs.len());
            for row in 0..self.docs.len() as u32 {
                let same = |&other: &u32| self.docs.get(other as usize) == self.docs.get(row as usize);
                let hash_of = |&other: &u32| self.hashes[other as usize];
                rows.entry(self.hashes[row as usize], same, hash_of).or_insert(row);
            }
            rows
        });
        rows.find(hash, |&row| self.docs.get(row as usize) == doc).is_some() || self.others.contains(doc)
    }

    /// The hash of a document id, the same for judgments and results.
    #[inline]
    pub fn hash(&self, doc: &[u8]) -> u64 {
        hash(&self.hasher, doc)
    }
}

#[inline]
fn hash(state: &RandomState, id: &[u8]) -> u64 {
    // Not `hash_one`, which also hashes the length; the ids are compared anyway.
    let mut hasher = state.build_hasher();
    hasher.write(id);
    hasher.finish()
}

impl<'a> JudgedQuery<'a> {
    pub fn len(self) -> usize {
        self.end - self.start
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The row in the judgments of the document at this position among those of the query.
    #[inline]
    pub fn row(self, at: usize) -> usize {
        self.start + at
    }

    #[inline]
    pub fn id(self, at: usize) -> &'a [u8] {
        self.judgments.docs.get(self.row(at))
    }

    #[inline]
    pub fn hash(self, at: usize) -> u64 {
        self.judgments.hashes[self.row(at)]
    }

    /// Every judged document: its row in the judgments, its id, and the hash of the id.
    pub fn docs(self) -> impl Iterator<Item = (usize, &'a [u8], u64)> {
        (self.start..self.end).map(move |row| (row, self.judgments.docs.get(row), self.judgments.hashes[row]))
    }
}
