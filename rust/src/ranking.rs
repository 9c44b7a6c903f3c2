//! Orders the results of one query, and reduces them to hits.

use hashbrown::hash_table::{Entry, HashTable};

use crate::filter::{Filter, Places};
use crate::judgments::{JudgedQuery, Judgments};
use crate::table::Duplicates;

/// The order of results with equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The larger document id first, bytewise, as in trec_eval.
    Descending,
    /// The smaller document id first, bytewise.
    Ascending,
    /// The order of input.
    Input,
}

/// How results are ordered.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub ties: Ties,
    /// Compare scores as float32, as trec_eval 9 does.
    pub single: bool,
    pub duplicates: Duplicates,
    /// The number of first results whose ids are kept, for explanations.
    pub keep: usize,
    /// Drop a result whose id is the query's id, for queries that are documents themselves.
    pub drop_own: bool,
    /// Also keep results that are judged only for other queries.
    pub elsewhere: bool,
}

impl Order {
    /// The score to compare. -0.0, which rounding to single precision may also give, becomes 0.0.
    #[inline]
    pub fn comparable(self, score: f64) -> f64 {
        let score = if self.single { f64::from(score as f32) } else { score };
        score + 0.0
    }
}

/// A result that is judged. Ranks count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its row in the judgments; `None` if it is judged only for other queries.
    pub doc: Option<usize>,
    pub rank: u32,
    /// First and last rank of its group of equal scores.
    pub tied_from: u32,
    pub tied_to: u32,
}

/// The part of a query's results that is kept.
#[derive(Debug, Default, PartialEq)]
pub struct Reduced {
    pub hits: Vec<Hit>,
    pub returned: u32,
    /// The number of results that are tied with another.
    pub tied: u32,
    pub top: Vec<(Vec<u8>, f64)>,
}

/// The query has this document more than once, and duplicates are not allowed.
#[derive(Debug)]
pub struct Repeated<'a> {
    pub doc: &'a [u8],
}

/// The most results of a query that go through the filter. It has 16 bytes for each, which should stay in the cache;
/// and of n results, n / 256 are compared with all those before.
const FILTERED: usize = 1 << 14;

/// Ties of more results are not counted through for each hit: the query is sorted.
const LARGE_TIE: u32 = 32;

/// The results of one query while they are read; reused for the next query.
pub struct Results<'a> {
    judgments: &'a Judgments,
    order: Order,
    docs: Vec<&'a [u8]>,
    scores: Vec<f64>,
    hashes: Vec<u64>,
    filter: Filter,
    places: Places,
    /// The rows that are judged, and the position of each among the query's judged documents.
    found: Vec<(u32, usize)>,
    /// Rows by document, where the filter does not do.
    rows: HashTable<u32>,
    /// Rows whose document came before, each with its first row; only where both are kept.
    repeats: Vec<(u32, u32)>,
    /// Scores decrease from row to row, so the order is the order of input.
    falling: bool,
    ranked: Vec<u32>,
}

impl<'a> Results<'a> {
    pub fn new(judgments: &'a Judgments, order: Order) -> Self {
        Results {
            judgments,
            order,
            docs: Vec::new(),
            scores: Vec::new(),
            hashes: Vec::new(),
            filter: Filter::default(),
            places: Places::default(),
            found: Vec::new(),
            rows: HashTable::new(),
            repeats: Vec::new(),
            falling: true,
            ranked: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Adds one result.
    #[inline(always)]
    pub fn push(&mut self, doc: &'a [u8], score: f64) {
        self.docs.push(doc);
        self.scores.push(score);
    }

    /// Ranks the results of a query, returns those that are judged, and clears the rest. Duplicates are an error
    /// unless they are allowed. Of a query without judgments, results are only counted.
    pub fn reduce(&mut self, query: &[u8], judged: Option<JudgedQuery<'a>>) -> Result<Reduced, Repeated<'a>> {
        for score in &mut self.scores {
            *score = self.order.comparable(*score);
        }
        self.hashes.extend(self.docs.iter().map(|doc| self.judgments.hash(doc)));
        let reduced = if self.find_judged(query, judged) {
            Ok(self.reduce_found(judged))
        } else {
            self.fill_table().map(|()| self.reduce_by_table(query, judged))
        };
        self.docs.clear();
        self.scores.clear();
        self.hashes.clear();
        self.rows.clear();
        self.repeats.clear();
        reduced
    }

    /// Finds the rows that are judged; false where a document may be there twice, or every row must be looked at.
    fn find_judged(&mut self, query: &[u8], judged: Option<JudgedQuery<'a>>) -> bool {
        self.found.clear();
        if self.order.elsewhere || self.docs.len() > FILTERED {
            return false;
        }
        self.filter.clear(self.docs.len() + judged.map_or(0, JudgedQuery::len));
        if let Some(judged) = judged {
            if !self.places.fill(judged) {
                return false;
            }
            for at in 0..judged.len() {
                self.filter.set(judged.hash(at));
            }
        }
        if self.order.drop_own {
            self.filter.set(self.judgments.hash(query));
        }
        for &row in self.filter.candidates(&self.hashes) {
            let (doc, hash) = (self.docs[row as usize], self.hashes[row as usize]);
            if self.order.drop_own && doc == query {
                return false;
            }
            match judged.and_then(|judged| self.places.find(judged, doc, hash)) {
                Some((_, true)) => return false,
                Some((at, false)) => self.found.push((row, at)),
                // Every row of a judged document is a candidate; of another document, all but the first.
                None if self.hashes[..row as usize].contains(&hash) => return false,
                None => {}
            }
        }
        true
    }

    /// The hits of the rows that were found, where no document is there twice.
    fn reduce_found(&mut self, judged: Option<JudgedQuery<'a>>) -> Reduced {
        let mut reduced = Reduced { returned: self.docs.len() as u32, ..Reduced::default() };
        let Some(judged) = judged else { return reduced };
        let tied = count_tied_in_order(&self.scores);
        self.falling = tied == Some(0);
        let in_order = tied.filter(|_| self.falling || self.order.keep == 0);
        let hits = match in_order.and_then(|_| self.hits_in_order(judged)) {
            Some(hits) => {
                reduced.tied = tied.unwrap_or_default();
                hits
            }
            None => {
                self.rank();
                reduced.tied = self.count_tied();
                let position_of = self.positions();
                let found = self.found.iter();
                found.map(|&(row, at)| self.hit(Some(judged.row(at)), row, &position_of)).collect()
            }
        };
        reduced.hits = hits;
        reduced.hits.sort_unstable_by_key(|hit| hit.rank);
        reduced.top = self.top();
        reduced
    }

    /// The hits where no score is higher than the one before it; `None` if many are tied.
    fn hits_in_order(&self, judged: JudgedQuery<'a>) -> Option<Vec<Hit>> {
        let mut hits = Vec::with_capacity(self.found.len());
        for &(row, at) in &self.found {
            let (from, to) = if self.falling { (row, row + 1) } else { tie_in_order(&self.scores, row)? };
            let doc = self.docs[row as usize];
            let others = self.docs[from as usize..to as usize].iter();
            let before = match self.order.ties {
                Ties::Input => row - from,
                Ties::Descending => others.filter(|&&other| other > doc).count() as u32,
                Ties::Ascending => others.filter(|&&other| other < doc).count() as u32,
            };
            let doc = Some(judged.row(at));
            hits.push(Hit { doc, rank: from + before + 1, tied_from: from + 1, tied_to: to });
        }
        Some(hits)
    }

    /// Looks for duplicates with a table of all documents, and leaves out the rows that do not count.
    fn fill_table(&mut self) -> Result<(), Repeated<'a>> {
        let mut kept = 0;
        for row in 0..self.docs.len() {
            let (doc, score, hash) = (self.docs[row], self.scores[row], self.hashes[row]);
            let (docs, hashes) = (&self.docs, &self.hashes);
            match self.rows.entry(hash, |&row| docs[row as usize] == doc, |&row| hashes[row as usize]) {
                Entry::Vacant(vacant) => {
                    vacant.insert(kept as u32);
                }
                Entry::Occupied(earlier) => {
                    let earlier = *earlier.get() as usize;
                    match self.order.duplicates {
                        Duplicates::Refuse => return Err(Repeated { doc }),
                        Duplicates::KeepAll | Duplicates::CountOnce => {
                            self.repeats.push((kept as u32, earlier as u32));
                        }
                        Duplicates::KeepBest => {
                            self.scores[earlier] = self.scores[earlier].max(score);
                            continue;
                        }
                        Duplicates::KeepFirst | Duplicates::Unchecked => continue,
                    }
                }
            }
            (self.docs[kept], self.scores[kept], self.hashes[kept]) = (doc, score, hash);
            kept += 1;
        }
        self.docs.truncate(kept);
        self.scores.truncate(kept);
        self.hashes.truncate(kept);
        Ok(())
    }

    /// Ranks and finds hits with the table of all documents.
    fn reduce_by_table(&mut self, query: &[u8], judged: Option<JudgedQuery<'a>>) -> Reduced {
        if self.order.drop_own {
            self.remove(query);
        }
        let mut reduced = Reduced { returned: self.docs.len() as u32, ..Reduced::default() };
        let Some(judged) = judged else { return reduced };
        self.falling = self.scores.is_sorted_by(|a, b| a > b);
        if !self.falling {
            self.rank();
            reduced.tied = self.count_tied();
        }
        self.find_hits(judged, &mut reduced.hits);
        reduced.top = self.top();
        reduced
    }

    /// Ids and scores of the first results.
    fn top(&self) -> Vec<(Vec<u8>, f64)> {
        let kept = 0..self.docs.len().min(self.order.keep);
        let rows = kept.map(|position| self.row_at(position));
        rows.map(|row| (self.docs[row].to_vec(), self.scores[row])).collect()
    }

    /// Removes a document.
    fn remove(&mut self, doc: &[u8]) {
        let docs = &self.docs;
        let Ok(found) = self.rows.find_entry(self.judgments.hash(doc), |&row| docs[row as usize] == doc)
        else {
            return;
        };
        let (removed, _) = found.remove();
        let again: Vec<u32> =
            self.repeats.iter().filter(|(_, first)| *first == removed).map(|(row, _)| *row).collect();
        self.repeats.retain(|(_, first)| *first != removed);
        for row in again.into_iter().rev().chain([removed]) {
            self.remove_row(row);
        }
    }

    fn remove_row(&mut self, removed: u32) {
        let closed = |row: u32| if row > removed { row - 1 } else { row };
        self.rows.iter_mut().for_each(|row| *row = closed(*row));
        self.repeats.iter_mut().for_each(|(row, first)| (*row, *first) = (closed(*row), closed(*first)));
        self.docs.remove(removed as usize);
        self.scores.remove(removed as usize);
        self.hashes.remove(removed as usize);
    }

    /// The row that counts as the document: under `CountOnce` the repeat that ranks first.
    fn counted_row(&self, row: u32, position_of: &[u32]) -> u32 {
        if self.order.duplicates != Duplicates::CountOnce || self.falling {
            return row; // the first row has the highest score
        }
        let again = self.repeats.iter().filter(|(_, first)| *first == row).map(|(again, _)| *again);
        again.chain([row]).min_by_key(|&row| position_of[row as usize]).unwrap_or(row)
    }

    /// The position of each row in the ranking; empty if that is the order of input.
    fn positions(&self) -> Vec<u32> {
        if self.falling {
            return Vec::new();
        }
        let mut position_of = vec![0u32; self.ranked.len()];
        for (position, &row) in self.ranked.iter().enumerate() {
            position_of[row as usize] = position as u32;
        }
        position_of
    }

    fn hit(&self, doc: Option<usize>, row: u32, position_of: &[u32]) -> Hit {
        if self.falling {
            return Hit { doc, rank: row + 1, tied_from: row + 1, tied_to: row + 1 };
        }
        let (from, to) = self.tied_with(self.scores[row as usize]);
        Hit { doc, rank: position_of[row as usize] + 1, tied_from: from + 1, tied_to: to }
    }

    fn find_hits(&self, judged: JudgedQuery<'a>, hits: &mut Vec<Hit>) {
        let position_of = self.positions();
        let hit = |doc, row| self.hit(doc, row, &position_of);
        let mut rest = vec![true; if self.order.elsewhere { self.docs.len() } else { 0 }];
        for (doc, id, hash) in judged.docs() {
            let Some(&row) = self.rows.find(hash, |&row| self.docs[row as usize] == id) else { continue };
            hits.push(hit(Some(doc), self.counted_row(row, &position_of)));
            if self.order.elsewhere {
                rest[row as usize] = false;
            }
            for &(again, _) in self.repeats.iter().filter(|(_, first)| *first == row) {
                if self.order.duplicates == Duplicates::KeepAll {
                    hits.push(hit(Some(doc), again));
                }
                if self.order.elsewhere {
                    rest[again as usize] = false;
                }
            }
        }
        let rest = rest.iter().enumerate().filter(|(_, &is_left)| is_left);
        for (row, _) in rest {
            if self.judgments.mention(self.docs[row], self.hashes[row]) {
                hits.push(hit(None, row as u32));
            }
        }
        hits.sort_unstable_by_key(|hit| hit.rank);
    }

    fn rank(&mut self) {
        let Results { ranked, scores, docs, order, .. } = self;
        rank_rows(ranked, scores, |row| docs[row as usize], order.ties);
    }

    fn row_at(&self, position: usize) -> usize {
        if self.falling {
            position
        } else {
            self.ranked[position] as usize
        }
    }

    /// The range of positions of the results with this score.
    fn tied_with(&self, score: f64) -> (u32, u32) {
        let from = self.ranked.partition_point(|&row| self.scores[row as usize] > score);
        let to = self.ranked.partition_point(|&row| self.scores[row as usize] >= score);
        (from as u32, to as u32)
    }

    fn count_tied(&self) -> u32 {
        let score = |i: usize| self.scores[self.ranked[i] as usize];
        let last = self.ranked.len() - 1;
        (0..=last)
            .filter(|&i| (i > 0 && score(i) == score(i - 1)) || (i < last && score(i) == score(i + 1)))
            .count() as u32
    }
}

/// The number of results that are tied with another; `None` if a score is higher than the one before it.
fn count_tied_in_order(scores: &[f64]) -> Option<u32> {
    let pairs = || scores.windows(2);
    // Sums, which are computed for several pairs at once.
    let (rises, equals) = pairs().fold((0u64, 0u64), |(rises, equals), pair| {
        (rises + u64::from(pair[0] < pair[1]), equals + u64::from(pair[0] == pair[1]))
    });
    if rises > 0 {
        return None;
    }
    if equals == 0 {
        return Some(0);
    }
    let goes_on = |three: &[f64]| u64::from(three[0] == three[1] && three[1] == three[2]);
    let groups = equals - scores.windows(3).map(goes_on).sum::<u64>();
    Some((equals + groups) as u32)
}

/// The first and the last but one row of the scores that equal that of a row, where no score is higher than the one
/// before it; `None` if they are many.
fn tie_in_order(scores: &[f64], row: u32) -> Option<(u32, u32)> {
    let score = scores[row as usize];
    let (mut from, mut to) = (row, row + 1);
    while from > 0 && scores[from as usize - 1] == score {
        from -= 1;
        if row - from > LARGE_TIE {
            return None;
        }
    }
    while scores.get(to as usize) == Some(&score) {
        to += 1;
        if to - row > LARGE_TIE {
            return None;
        }
    }
    Some((from, to))
}

/// Sorts row numbers by score, and rows with equal scores by `ties`.
pub fn rank_rows<'a>(ranked: &mut Vec<u32>, scores: &[f64], doc: impl Fn(u32) -> &'a [u8], ties: Ties) {
    ranked.clear();
    ranked.extend(0..scores.len() as u32);
    // No score is NaN or -0.0, so this is the usual order of numbers.
    let by_score = |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]);
    if !scores.is_sorted_by(|a, b| a >= b) {
        // A stable sort keeps the order of input among equal scores.
        ranked.sort_by(by_score);
    }
    if ties == Ties::Input {
        return;
    }
    let mut start = 0;
    while start < ranked.len() {
        let score = scores[ranked[start] as usize];
        let length = ranked[start..].iter().take_while(|&&row| scores[row as usize] == score).count();
        let group = &mut ranked[start..start + length];
        if ties == Ties::Descending {
            group.sort_unstable_by(|&a, &b| doc(b).cmp(doc(a)));
        } else {
            group.sort_unstable_by(|&a, &b| doc(a).cmp(doc(b)));
        }
        start += length;
    }
}
