//! Collects the results of many runs: which system returned which document at which rank.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::hash_table::{Entry, HashTable};
use hashbrown::HashMap;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::ids::Ids;
use crate::ranking::{rank_rows, Ties};
use crate::table::Table;

/// Takes runs one by one, and keeps only the first results of each.
pub struct Gathering {
    depth: usize,
    systems: u32,
    hasher: RandomState,
    positions: HashMap<Vec<u8>, usize, RandomState>,
    names: Ids,
    topics: Vec<Topic>,
}

/// The results for one topic so far.
#[derive(Default)]
struct Topic {
    docs: Ids,
    hashes: Vec<u64>,
    known: HashTable<u32>,
    /// Each system and its number of results, in the order of input.
    lengths: Vec<(u32, u32)>,
    doc: Vec<u32>,
    score: Vec<f64>,
}

/// Topics in bytewise order; the documents of each in bytewise order; rows by topic, system and rank.
#[derive(Debug, Default)]
pub struct Gathered {
    pub topics: Ids,
    /// The start of each topic's documents and rows, and the end of the last.
    pub doc_starts: Vec<usize>,
    pub row_starts: Vec<usize>,
    pub docs: Ids,
    pub system: Vec<i64>,
    pub doc: Vec<i64>,
    pub rank: Vec<i64>,
    pub score: Vec<f64>,
}

impl Gathering {
    pub fn new(depth: Option<usize>) -> Self {
        Gathering {
            depth: depth.unwrap_or(usize::MAX),
            systems: 0,
            hasher: RandomState::default(),
            positions: HashMap::default(),
            names: Ids::default(),
            topics: Vec::new(),
        }
    }

    /// Adds the first results of a system.
    pub fn add(&mut self, run: &Table) {
        let system = self.systems;
        self.systems += 1;
        let mut query_of = vec![None; self.topics.len()];
        for (query, name) in run.queries.iter().enumerate() {
            match self.positions.get(name) {
                Some(&position) => query_of[position] = Some(query),
                None => {
                    self.positions.insert(name.to_vec(), self.topics.len());
                    self.names.push(name);
                    self.topics.push(Topic::default());
                    query_of.push(Some(query));
                }
            }
        }
        let (depth, hasher) = (self.depth, &self.hasher);
        self.topics.par_iter_mut().zip(query_of).for_each(|(topic, query)| {
            if let Some(query) = query {
                topic.take(system, run, query, depth, hasher);
            }
        });
    }

    pub fn finish(mut self) -> Gathered {
        let numbers: Vec<Vec<u32>> = self.topics.par_iter_mut().map(Topic::order).collect();
        let mut order: Vec<usize> = (0..self.topics.len()).collect();
        order.sort_unstable_by_key(|&topic| self.names.get(topic));
        let mut all = Gathered { doc_starts: vec![0], row_starts: vec![0], ..Gathered::default() };
        for at in order {
            let (topic, first) = (std::mem::take(&mut self.topics[at]), all.docs.len() as i64);
            all.topics.push(self.names.get(at));
            for (system, length) in topic.lengths {
                all.system.extend(std::iter::repeat_n(i64::from(system), length as usize));
                all.rank.extend(1..=i64::from(length));
            }
            all.doc.extend(topic.doc.iter().map(|&doc| first + i64::from(numbers[at][doc as usize])));
            all.score.extend(topic.score);
            all.docs.append(&topic.docs);
            all.doc_starts.push(all.docs.len());
            all.row_starts.push(all.doc.len());
        }
        all
    }
}

impl Topic {
    fn take(&mut self, system: u32, run: &Table, query: usize, depth: usize, hasher: &RandomState) {
        let rows = run.rows_of(query);
        let scores = &run.values[rows.clone()];
        let mut ranked = Vec::new();
        let falling = scores.is_sorted_by(|a, b| a > b);
        if !falling {
            rank_rows(&mut ranked, scores, |row| run.docs.get(rows.start + row as usize), Ties::Descending);
        }
        let row_at = |place: usize| if falling { place } else { ranked[place] as usize };
        let taken = scores.len().min(depth);
        for row in (0..taken).map(row_at) {
            let doc = self.number(run.docs.get(rows.start + row), hasher);
            self.doc.push(doc);
            self.score.push(scores[row]);
        }
        self.lengths.push((system, taken as u32));
    }

    fn number(&mut self, doc: &[u8], hasher: &RandomState) -> u32 {
        let hash = hasher.hash_one(doc);
        let (docs, hashes) = (&self.docs, &self.hashes);
        match self.known.entry(hash, |&at| docs.get(at as usize) == doc, |&at| hashes[at as usize]) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(vacant) => {
                let number = docs.len() as u32;
                vacant.insert(number);
                self.docs.push(doc);
                self.hashes.push(hash);
                number
            }
        }
    }

    /// Puts the documents into bytewise order, and returns the new position of each.
    fn order(&mut self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.docs.len()).collect();
        order.sort_unstable_by_key(|&doc| self.docs.get(doc));
        self.docs = self.docs.picked(&order);
        let mut places = vec![0; order.len()];
        for (place, &doc) in order.iter().enumerate() {
            places[doc] = place as u32;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Builder, Duplicates};

    fn table(rows: &[(&str, &str, f64)]) -> Table {
        let mut builder = Builder::default();
        rows.iter().for_each(|(query, doc, score)| builder.push(query.as_bytes(), doc.as_bytes(), *score));
        builder.finish(Duplicates::Refuse).expect("no document comes twice")
    }

    fn texts(ids: &Ids) -> Vec<&str> {
        ids.iter().map(|id| std::str::from_utf8(id).expect("ids are UTF-8")).collect()
    }

    #[test]
    fn rows_stand_by_topic_system_and_rank_whatever_order_they_came_in() {
        let mut gathering = Gathering::new(None);
        gathering.add(&table(&[("2", "b", 1.0), ("2", "a", 2.0), ("1", "z", 1.0)]));
        gathering.add(&table(&[("1", "y", 1.0), ("1", "z", 1.0), ("3", "a", 0.0)]));
        let found = gathering.finish();
        assert_eq!(texts(&found.topics), ["1", "2", "3"]);
        assert_eq!(texts(&found.docs), ["y", "z", "a", "b", "a"]);
        assert_eq!(found.doc_starts, [0, 2, 4, 5]);
        assert_eq!(found.row_starts, [0, 3, 5, 6]);
        assert_eq!(found.system, [0, 1, 1, 0, 0, 1]);
        // Among equal scores, the larger id comes first.
        assert_eq!(found.doc, [1, 1, 0, 2, 3, 4]);
        assert_eq!(found.rank, [1, 1, 2, 1, 2, 1]);
        assert_eq!(found.score, [1.0, 1.0, 1.0, 2.0, 1.0, 0.0]);
    }

    #[test]
    fn only_the_first_results_are_taken() {
        let mut gathering = Gathering::new(Some(1));
        gathering.add(&table(&[("1", "a", 1.0), ("1", "b", 2.0)]));
        gathering.add(&table(&[("1", "a", 2.0), ("1", "c", 1.0)]));
        let found = gathering.finish();
        assert_eq!(texts(&found.docs), ["a", "b"]);
        assert_eq!(found.doc, [1, 0]);
    }
}
