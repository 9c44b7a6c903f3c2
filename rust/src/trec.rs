//! The rows of a run in TREC's format, in a loop of its own: most files that are evaluated are such runs.
//!
//! A usual line has less than 64 bytes, one space between fields, and nothing but ASCII: one look at 64 bytes finds
//! its end and its fields. Lines with tabs, several blanks, carriage returns, other letters or more bytes are read
//! field by field, by bits as well. Whatever is left, and all that is wrong, is for `Layout::row`, so that a
//! row and a message never depend on how a line was read.

use crate::layout::{Layout, LineProblem, Row, Separator, Value};
use crate::marks::{Marks, WINDOW};
use crate::scan::{self, Failed};
use crate::simd::{self, Flags, Kernel, Portable, Task, NUMBER};
use crate::source::{line_at, Block};

/// Takes the rows of a block.
pub trait Sink<'b> {
    /// Rows of this query follow, of another than before; the first of them is at this byte of the whole text.
    fn query(&mut self, query: &'b [u8], line_start: u64) -> Result<(), Failed>;

    fn row(&mut self, doc: &'b [u8], value: f64);

    /// The rows have ended, at this byte of the whole text.
    fn end(&mut self, until: u64) -> Result<(), Failed>;
}

/// How rows are read: with the same outcome, so that tests can compare them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// With the vector instructions that this processor has.
    Fast,
    /// Without those that some processors lack.
    Portable,
    /// Every row by `Layout::row`.
    Plain,
}

/// Hands every row of a block to the sink.
pub fn rows<'b, S: Sink<'b>>(block: &'b Block<'_>, layout: &'b Layout, sink: &mut S) -> Result<(), Failed> {
    rows_in(Way::Fast, block, layout, sink)
}

/// The same, read in this way.
pub fn rows_in<'b, S: Sink<'b>>(
    way: Way,
    block: &'b Block<'_>,
    layout: &'b Layout,
    sink: &mut S,
) -> Result<(), Failed> {
    if way == Way::Plain || !is_run(layout) {
        return any_rows(block, layout, sink);
    }
    let rows = Rows { block, layout, sink };
    let outcome = if way == Way::Fast { simd::run(rows) } else { rows.run(Portable) };
    if outcome.is_err() {
        // A byte that is not text is reported first, wherever it is in the block.
        scan::check_encoding(block)?;
    }
    outcome
}

/// Whether rows are `query Q0 document rank score tag`, and perhaps more.
fn is_run(layout: &Layout) -> bool {
    let Layout { separator, query, doc, value, kind, least, most, header, .. } = *layout;
    (separator, kind, header) == (Separator::Blanks, Value::Score, 0)
        && (query, doc, value, least, most) == (0, 2, 4, FIELDS, usize::MAX)
}

const FIELDS: usize = 6;

fn any_rows<'b, S: Sink<'b>>(block: &'b Block<'_>, layout: &'b Layout, sink: &mut S) -> Result<(), Failed> {
    let mut query: &[u8] = b"";
    let outcome = scan::rows(block, layout, |row, line_start| {
        if row.query != query {
            query = row.query;
            sink.query(query, line_start)?;
        }
        sink.row(row.doc, row.value);
        Ok(())
    });
    finish(block, sink, outcome)
}

/// Ends the rows; what the sink finds wrong with those before a failure comes before it.
fn finish<'b, S: Sink<'b>>(
    block: &Block<'_>,
    sink: &mut S,
    outcome: Result<(), Failed>,
) -> Result<(), Failed> {
    let ended = sink.end(block.offset + block.text.len() as u64);
    match outcome {
        Err(problem @ Failed::At { .. }) => ended.and(Err(problem)),
        Err(problem) => Err(problem),
        Ok(()) => ended,
    }
}

struct Rows<'b, 't, 's, S> {
    block: &'b Block<'t>,
    layout: &'b Layout,
    sink: &'s mut S,
}

/// Where the fields of a row are.
struct Found {
    /// The first bytes of the query id, and what follows.
    word: u64,
    query: (usize, usize),
    doc: (usize, usize),
    value: f64,
}

impl<'b, S: Sink<'b>> Task for Rows<'b, '_, '_, S> {
    type Output = Result<(), Failed>;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> Self::Output {
        let Rows { block, layout, sink } = self;
        let text: &'b [u8] = &block.text;
        let mut query = Query::of(b"");
        let mut checked = false;
        let mut at = block.mark();
        while at < text.len() {
            let start = at;
            let found = match usual_line(kernel, layout, text, start) {
                Some((found, end)) => {
                    at = end + 1;
                    found
                }
                None => {
                    if !checked {
                        scan::check_encoding(block)?;
                        checked = true;
                    }
                    match other_line(kernel, layout, text, start) {
                        Ok((found, end)) => {
                            at = end + 1;
                            let Some(found) = found else { continue };
                            found
                        }
                        Err(problem) => {
                            let line_start = block.offset + start as u64;
                            let offset = line_start + problem.at as u64;
                            let failed = Failed::At { offset, line_start, message: problem.message };
                            return finish(block, sink, Err(failed));
                        }
                    }
                }
            };
            if !query.is(found.word, text, found.query) {
                let id = &text[found.query.0..found.query.1];
                if layout.comments && text[start] == b'#' {
                    continue;
                }
                if id != query.id {
                    query = Query::of(id);
                    sink.query(id, block.offset + start as u64)?;
                }
            }
            sink.row(&text[found.doc.0..found.doc.1], found.value);
        }
        finish(block, sink, Ok(()))
    }
}

/// The row of a usual line, and the line's end; None for other lines.
#[inline(always)]
fn usual_line<K: Kernel>(kernel: K, layout: &Layout, text: &[u8], start: usize) -> Option<(Found, usize)> {
    let last;
    let window = match text[start..].first_chunk::<WINDOW>() {
        Some(window) => window,
        None => {
            last = last_window(&text[start..]);
            &last
        }
    };
    let Flags { unusual, spaces } = kernel.flags(window);
    let other = unusual ^ spaces;
    let end = other.trailing_zeros() as usize;
    if other == 0 || window[end] != b'\n' {
        return None;
    }
    // The spaces of the line and its newline: a field ends at each, if no two are neighbours.
    let mut ends = unusual & (other ^ (other - 1));
    if ends & (ends << 1 | 1) != 0 {
        return None;
    }
    let mut next = || {
        let place = ends.trailing_zeros() as usize;
        ends &= ends.wrapping_sub(1);
        start + place
    };
    let query = (start, next());
    let doc = (next() + 1, next());
    let value = (next() + 1, next());
    if ends == 0 {
        return None; // less than six fields
    }
    let value = number(kernel, layout, text, value)?;
    let word = window.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    Some((Found { word, query, doc, value }, start + end))
}

/// Less than a window, with zeros behind it.
#[inline(never)]
fn last_window(text: &[u8]) -> [u8; WINDOW] {
    let mut window = [0; WINDOW];
    window[..text.len()].copy_from_slice(text);
    window
}

/// The row of any line that has one, and the line's end.
#[inline(never)]
fn other_line<K: Kernel>(
    kernel: K,
    layout: &Layout,
    text: &[u8],
    start: usize,
) -> Result<(Option<Found>, usize), LineProblem> {
    if !(layout.comments && text[start] == b'#') {
        if let Some((found, end)) = line_by_bits(kernel, layout, text, start) {
            return Ok((Some(found), end));
        }
    }
    let line = line_at(text, start);
    let end = start + line.text.len();
    if layout.skips(line.text) {
        return Ok((None, end));
    }
    let Row { query, doc, value } = layout.row(line)?;
    let place = |field: &[u8]| {
        let from = field.as_ptr() as usize - text.as_ptr() as usize;
        (from, from + field.len())
    };
    let query = place(query);
    Ok((Some(Found { word: word_at(text, query.0), query, doc: place(doc), value }), end))
}

/// The row of a line of any length, with any blanks, carriage return and letters, and the line's end; None where there
/// is anything else to look at or to say.
#[inline(always)]
fn line_by_bits<K: Kernel>(kernel: K, layout: &Layout, text: &[u8], start: usize) -> Option<(Found, usize)> {
    const EDGES: usize = 2 * FIELDS;
    // Where fields start and have ended.
    let mut edges = [0; EDGES];
    let mut count = 0;
    let mut inside_before = 0;
    let mut base = start;
    let end = loop {
        let marks = Marks::of(text[base..].first_chunk::<WINDOW>()?);
        let newline = marks.newlines & marks.newlines.wrapping_neg();
        let inside = !marks.blanks & newline.wrapping_sub(1);
        let mut found = inside ^ (inside << 1 | inside_before);
        while found != 0 && count < EDGES {
            edges[count] = base + found.trailing_zeros() as usize;
            found &= found - 1;
            count += 1;
        }
        if newline != 0 {
            break base + newline.trailing_zeros() as usize;
        }
        inside_before = inside >> 63;
        base += WINDOW;
    };
    let line = &text[start..end];
    let without_return = line.strip_suffix(b"\r").map_or(end, |line| start + line.len());
    if count < EDGES || edges[EDGES - 2] >= without_return {
        return None; // less than six fields
    }
    if edges[EDGES - 1] < without_return && memchr::memchr(b'\t', line).is_some() {
        return None; // blanks may be part of fields that tabs separate
    }
    let value = number(kernel, layout, text, (edges[8], edges[9]))?;
    let query = (edges[0], edges[1]);
    Some((Found { word: word_at(text, query.0), query, doc: (edges[4], edges[5]), value }, end))
}

/// The score in this field.
#[inline(always)]
fn number<K: Kernel>(kernel: K, layout: &Layout, text: &[u8], (from, to): (usize, usize)) -> Option<f64> {
    let bytes = text[..to].last_chunk::<NUMBER>()?;
    // It is not -0.0, which `Layout::number` turns into 0.0: a sign is none of its digits.
    kernel.decimal(bytes, to - from).or_else(|| other_number(kernel, layout, bytes, &text[from..to]))
}

#[inline(never)]
fn other_number<K: Kernel>(kernel: K, layout: &Layout, bytes: &[u8; NUMBER], text: &[u8]) -> Option<f64> {
    let negative = if text.starts_with(b"-") { kernel.decimal(bytes, text.len() - 1) } else { None };
    negative.map(|value| 0.0 - value).or_else(|| layout.number(text).ok())
}

/// The eight bytes from here on, or as many as there are.
fn word_at(text: &[u8], start: usize) -> u64 {
    let mut bytes = [0; 8];
    let length = (text.len() - start).min(8);
    bytes[..length].copy_from_slice(&text[start..start + length]);
    u64::from_le_bytes(bytes)
}

/// A query id that most rows are compared with, one after the other.
struct Query<'b> {
    id: &'b [u8],
    /// Of ids that start like a comment, none: a line that starts so must be looked at.
    length: usize,
    /// The first eight bytes of the id, and a bit for each that it has; the last eight.
    first: u64,
    mask: u64,
    last: u64,
}

impl<'b> Query<'b> {
    fn of(id: &'b [u8]) -> Self {
        let known = id.len().min(8);
        let mask = if known == 8 { u64::MAX } else { (1 << (8 * known)) - 1 };
        let length = if id.starts_with(b"#") { usize::MAX } else { id.len() };
        Query { id, length, first: word_at(id, 0), mask, last: word_at(id, id.len() - known) }
    }

    /// Whether this is the id in a field that starts with these bytes.
    #[inline(always)]
    fn is(&self, word: u64, text: &[u8], (from, to): (usize, usize)) -> bool {
        if to - from != self.length || (word ^ self.first) & self.mask != 0 {
            return false;
        }
        self.length <= 8 || self.ends(&text[from..to])
    }

    /// Whether this id, of more than eight bytes, is the query's; the first eight are.
    #[inline]
    fn ends(&self, id: &[u8]) -> bool {
        match id.last_chunk() {
            Some(last) if id.len() <= 16 => u64::from_le_bytes(*last) == self.last,
            _ => id == self.id,
        }
    }
}
