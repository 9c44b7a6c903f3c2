//! From results to hits: which judged documents each query returned, and at which ranks.
//!
//! A text file is never held in memory. One pass over its blocks reduces every query whose rows are
//! contiguous. Queries that occur in several places are set aside and collected in further passes,
//! as many at a time as fit into a fixed amount of memory.

use std::sync::{Mutex, MutexGuard};

use foldhash::fast::RandomState;
use hashbrown::hash_map::EntryRef;
use hashbrown::HashMap;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::csv;
use crate::judgments::Judgments;
use crate::layout::Layout;
use crate::problem::{Outcome, Problem};
use crate::ranking::{Order, Reduced, Results};
use crate::scan::{self, Failed};
use crate::source::{Block, Source};
use crate::table::{duplicate_message, Duplicates, Table};
use crate::trec::{self, Sink};
use crate::watch::Watch;

/// The most bytes of scattered queries' rows that one pass collects in memory.
const GATHERED: u64 = 48 << 20;

/// The hits of a run, and counts of the whole run.
#[derive(Debug, Default)]
pub struct Joined {
    /// Indexed by the query's position in the judgments; `None` if the run does not have the query.
    pub queries: Vec<Option<Reduced>>,
    /// The number of the run's queries without judgments, and the names of the first few.
    pub extra: usize,
    pub extra_names: Vec<Vec<u8>>,
    /// The number of results of judged queries, and how many of them are tied with another.
    pub rows: u64,
    pub tied: u64,
}

impl Joined {
    pub fn new(judgments: &Judgments) -> Joined {
        Joined { queries: (0..judgments.queries.len()).map(|_| None).collect(), ..Joined::default() }
    }

    /// Adds the results of one query.
    pub fn take(&mut self, position: Option<usize>, name: &[u8], reduced: Reduced) {
        const NAMED: usize = 5;
        match position {
            Some(position) => {
                self.rows += u64::from(reduced.returned);
                self.tied += u64::from(reduced.tied);
                self.queries[position] = Some(reduced);
            }
            None => {
                self.extra += 1;
                if self.extra_names.len() < NAMED {
                    self.extra_names.push(name.to_vec());
                }
            }
        }
    }
}

/// Joins a run that is in memory.
pub fn table(run: &Table, judgments: &Judgments, order: Order, watch: &Watch) -> Outcome<Joined> {
    let reduced: Vec<_> = (0..run.queries.len())
        .into_par_iter()
        .map_init(
            || Results::new(judgments, order),
            |results, query| {
                watch.still_wanted()?;
                let name = run.queries.get(query);
                for row in run.rows_of(query) {
                    results.push(run.docs.get(row), run.values[row]);
                }
                let position = judgments.position(name);
                let judged = position.map(|position| judgments.of(position));
                let reduced = results.reduce(name, judged);
                let reduced =
                    reduced.map_err(|repeated| Problem::whole("", duplicate_message(name, repeated.doc)))?;
                Ok((position, query, reduced))
            },
        )
        .collect::<Outcome<_>>()?;
    let mut joined = Joined::new(judgments);
    for (position, query, reduced) in reduced {
        joined.take(position, run.queries.get(query), reduced);
    }
    Ok(joined)
}

/// Joins a run that is in a text file, without holding it unless it is CSV with all that CSV allows.
pub fn text(
    source: &Source,
    layout: &Layout,
    judgments: &Judgments,
    order: Order,
    watch: &Watch,
) -> Outcome<Joined> {
    match lines(source, layout, judgments, order, watch) {
        Err(problem) if csv::may_be_quoted(layout, &problem) => {
            let refused = order.duplicates == Duplicates::Refuse;
            let policy = if refused { Duplicates::Refuse } else { Duplicates::Unchecked };
            table(&csv::read(source, layout, policy, watch)?, judgments, order, watch)
        }
        outcome => outcome,
    }
}

fn lines(
    source: &Source,
    layout: &Layout,
    judgments: &Judgments,
    order: Order,
    watch: &Watch,
) -> Outcome<Joined> {
    let seen = Mutex::new(Seen::default());
    scan::blocks(source, layout, watch, |block| {
        let groups = reduce_block(block, layout, judgments, order)?;
        let mut seen = locked(&seen);
        for group in groups {
            seen.take(group);
        }
        Ok(())
    })?;
    let seen = seen.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if seen.queries.is_empty() {
        return Err(Problem::whole(&source.name, "has no rows"));
    }
    let mut joined = Joined::new(judgments);
    let mut scattered = Vec::new();
    for (name, found) in seen.in_order() {
        if found.scattered {
            scattered.push((name, found.bytes));
        } else {
            let reduced = found.reduced.map_or_else(Reduced::default, |reduced| *reduced);
            joined.take(judgments.position(&name), &name, reduced);
        }
    }
    let mut batch = Vec::new();
    let mut bytes = 0;
    for (name, length) in scattered {
        if bytes + length > GATHERED && !batch.is_empty() {
            gather(source, layout, judgments, order, watch, std::mem::take(&mut batch), &mut joined)?;
            bytes = 0;
        }
        bytes += length;
        batch.push(name);
    }
    if !batch.is_empty() {
        gather(source, layout, judgments, order, watch, batch, &mut joined)?;
    }
    Ok(joined)
}

/// Contiguous rows of one query, reduced.
struct Group<'b> {
    query: &'b [u8],
    offset: u64,
    bytes: u64,
    /// `None` if the query has no judgments.
    reduced: Option<Reduced>,
}

fn reduce_block<'b>(
    block: &'b Block<'_>,
    layout: &'b Layout,
    judgments: &'b Judgments,
    order: Order,
) -> Result<Vec<Group<'b>>, Failed> {
    let results = Results::new(judgments, order);
    let mut groups = Groups { judgments, results, query: b"", offset: block.offset, done: Vec::new() };
    trec::rows(block, layout, &mut groups)?;
    Ok(groups.done)
}

/// Reduces one query after the other.
struct Groups<'b> {
    judgments: &'b Judgments,
    results: Results<'b>,
    query: &'b [u8],
    offset: u64,
    done: Vec<Group<'b>>,
}

impl<'b> Sink<'b> for Groups<'b> {
    fn query(&mut self, query: &'b [u8], line_start: u64) -> Result<(), Failed> {
        self.end(line_start)?;
        (self.query, self.offset) = (query, line_start);
        Ok(())
    }

    #[inline(always)]
    fn row(&mut self, doc: &'b [u8], value: f64) {
        self.results.push(doc, value);
    }

    fn end(&mut self, until: u64) -> Result<(), Failed> {
        if self.results.is_empty() {
            return Ok(());
        }
        let (query, offset) = (self.query, self.offset);
        let judged = self.judgments.position(query).map(|position| self.judgments.of(position));
        let reduced = self.results.reduce(query, judged).map_err(|repeated| Failed::Twice {
            offset,
            query: query.to_vec(),
            doc: repeated.doc.to_vec(),
        })?;
        let reduced = judged.map(|_| reduced);
        self.done.push(Group { query, offset, bytes: until - offset, reduced });
        Ok(())
    }
}

/// Every query that the first pass has seen.
#[derive(Default)]
struct Seen {
    queries: HashMap<Vec<u8>, Found, RandomState>,
}

struct Found {
    /// Where the query first occurs.
    offset: u64,
    /// The length of all its rows.
    bytes: u64,
    /// The query occurs in a second place, so `reduced` was incomplete and is dropped.
    scattered: bool,
    /// `None` for queries without judgments; boxed because there may be many of them.
    reduced: Option<Box<Reduced>>,
}

impl Seen {
    fn take(&mut self, group: Group<'_>) {
        match self.queries.entry_ref(group.query) {
            EntryRef::Vacant(vacant) => {
                let Group { offset, bytes, reduced, .. } = group;
                vacant.insert(Found { offset, bytes, scattered: false, reduced: reduced.map(Box::new) });
            }
            EntryRef::Occupied(mut found) => {
                let found = found.get_mut();
                found.offset = found.offset.min(group.offset);
                found.bytes += group.bytes;
                found.scattered = true;
                found.reduced = None;
            }
        }
    }

    /// In the order of the text, so that messages do not depend on the timing of threads.
    fn in_order(self) -> Vec<(Vec<u8>, Found)> {
        let mut queries: Vec<_> = self.queries.into_iter().collect();
        queries.sort_unstable_by_key(|(_, found)| found.offset);
        queries
    }
}

/// Reads the text again, for queries whose rows are not contiguous.
fn gather(
    source: &Source,
    layout: &Layout,
    judgments: &Judgments,
    order: Order,
    watch: &Watch,
    queries: Vec<Vec<u8>>,
    joined: &mut Joined,
) -> Outcome<()> {
    let positions: HashMap<&[u8], usize, RandomState> =
        queries.iter().enumerate().map(|(i, name)| (&name[..], i)).collect();
    let mut texts: Vec<Vec<u8>> = vec![Vec::new(); queries.len()];
    for block in source.blocks(layout, watch)? {
        let block = block.map_err(|(_, problem)| problem)?;
        for (_, line) in block.lines(layout) {
            if let Some(&i) = layout.query_of(line).and_then(|query| positions.get(query)) {
                texts[i].extend_from_slice(line.text);
                texts[i].push(b'\n');
            }
        }
    }
    let reduced: Vec<_> = texts
        .par_iter()
        .zip(&queries)
        .map(|(text, name)| {
            let block = Block { text: text.into(), offset: 0, first: false };
            watch.still_wanted()?;
            let group = reduce_block(&block, layout, judgments, order)?.pop();
            Ok((name, group.and_then(|group| group.reduced).unwrap_or_default()))
        })
        .collect::<Result<_, Failed>>()
        .map_err(|failure| match failure {
            Failed::Twice { query, doc, .. } => scan::duplicate(source, layout, &query, &doc),
            Failed::At { message, .. } => Problem::whole(&source.name, message),
            Failed::Other { problem, .. } => problem,
        })?;
    for (name, reduced) in reduced {
        joined.take(judgments.position(name), name, reduced);
    }
    Ok(())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock means that the work on another block panicked, which ends the pass anyway.
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
