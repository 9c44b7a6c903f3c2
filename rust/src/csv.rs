//! Columns in full: fields with line breaks or quotes in them, and queries that have no documents.
//!
//! Several threads read a piece of the text each. Where a row starts can only be known by reading all before
//! it, since a line may stand within quotes; so they begin where a row seems to start, and a piece for which
//! that was wrong is read again. Most rows are short: the bits of their separators and quotes tell all.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memchr_iter, memrchr};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::layout::{Layout, Row, Separator};
use crate::marks::Columns;
use crate::problem::{quoted, Outcome, Problem};
use crate::scan;
use crate::source::Source;
use crate::table::{Builder, Duplicates, Table};
use crate::watch::Watch;

/// How many bytes a thread reads at a time, and how many such pieces are read before the next are begun.
const PIECE: usize = 1 << 20;
const TOGETHER: usize = 64;

/// Whether a failure may be one of reading line by line only.
pub fn may_be_quoted(layout: &Layout, problem: &Problem) -> bool {
    matches!(layout.separator, Separator::Byte(_)) && matches!(problem, Problem::Input { .. })
}

/// Reads a whole file of columns.
pub fn read(source: &Source, layout: &Layout, duplicates: Duplicates, watch: &Watch) -> Outcome<Table> {
    let text = source.text(watch)?;
    let rows = all_rows(&text, PIECE, layout, watch).map_err(|failure| failure.in_source(source, &text))?;
    if rows.is_empty() {
        return Err(Problem::whole(&source.name, "has no rows"));
    }
    rows.finish(duplicates).map_err(|(query, doc)| repeated(source, layout, &text, &query, &doc))
}

/// The rows of a piece.
struct Part {
    /// Where the first row behind them starts: in the next piece, if a quoted field goes on there.
    end: usize,
    /// How many lines of the header are yet to come.
    header: usize,
    rows: Builder,
}

fn all_rows(text: &[u8], size: usize, layout: &Layout, watch: &Watch) -> Result<Builder, Failure> {
    let (mut at, mut header) = (first_byte(text), layout.header);
    let mut parts = Vec::new();
    for together in pieces(text, size).chunks(TOGETHER) {
        let read = |piece: &Range<usize>| -> Result<(usize, Result<Part, Failure>), Failure> {
            watch.still_wanted()?;
            scan::check_text(&text[piece.clone()])
                .map_err(|(at, message)| Failure::new(piece.start + at, message))?;
            let first = piece.start == 0;
            let start = if first { at } else { likely_start(text, piece, layout) };
            Ok((start, read_part(text, start..piece.end, if first { header } else { 0 }, layout)))
        };
        let outcomes: Vec<_> = together.par_iter().map(read).collect();
        for (piece, outcome) in together.iter().zip(outcomes) {
            let (start, part) = outcome?;
            if at >= piece.end {
                continue; // all of it stands in the quotes of one field
            }
            let as_guessed = start == at && (piece.start == 0 || header == 0);
            let part = if as_guessed { part? } else { read_part(text, at..piece.end, header, layout)? };
            watch.still_wanted()?;
            (at, header) = (part.end, part.header);
            parts.push(part.rows);
        }
        watch.reached(at as u64);
    }
    Ok(Builder::joined(parts))
}

/// Cuts a text behind newlines.
fn pieces(text: &[u8], size: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let least = text.len().min(at + size);
        let end = memchr(b'\n', &text[least..]).map_or(text.len(), |length| least + length + 1);
        pieces.push(at..end);
        at = end;
    }
    pieces
}

/// The first line of a piece that reads as a row, or its end. It may still stand in the quotes of a field.
fn likely_start(text: &[u8], piece: &Range<usize>, layout: &Layout) -> usize {
    const LINES: usize = 1000;
    let text = &text[piece.start..]; // so that no message counts the lines before it
    let mut at = 0;
    for _ in 0..LINES {
        let mut is_row = false;
        let outcome = each_row(text, at..at + 1, &mut 0, layout, |_, _, row| {
            is_row = row.is_some();
            false
        });
        if is_row && outcome.is_ok() {
            return piece.start + at;
        }
        match memchr(b'\n', &text[at..piece.len()]) {
            Some(length) if at + length + 1 < piece.len() => at += length + 1,
            _ => break,
        }
    }
    piece.end
}

fn read_part(text: &[u8], starts: Range<usize>, mut header: usize, layout: &Layout) -> Result<Part, Failure> {
    let mut rows = Builder::of_text(starts.len());
    let end = each_row(text, starts, &mut header, layout, |_, query, row| {
        match row {
            Some((doc, value)) => rows.push(query, doc, value),
            None => rows.declare(query),
        }
        true
    })?;
    Ok(Part { end, header, rows })
}

/// Behind the byte order mark, which Windows programs write.
fn first_byte(text: &[u8]) -> usize {
    if text.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    }
}

/// What is wrong, and the byte of the text where it is.
struct Failure {
    at: usize,
    message: String,
    problem: Option<Problem>,
}

impl Failure {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Failure { at, message: message.into(), problem: None }
    }

    fn in_source(self, source: &Source, text: &[u8]) -> Problem {
        let Failure { at, message, problem } = self;
        problem.unwrap_or_else(|| {
            let line_start = memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1);
            Problem::Input {
                source: source.name.clone(),
                line: Some(line_of(text, at)),
                column: Some((at - line_start) as u64 + 1),
                message,
            }
        })
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure { at: 0, message: String::new(), problem: Some(problem) }
    }
}

fn line_of(text: &[u8], at: usize) -> u64 {
    1 + memchr_iter(b'\n', &text[..at]).count() as u64
}

/// The message for a document that occurs twice, with both lines.
fn repeated(source: &Source, layout: &Layout, text: &[u8], query: &[u8], doc: &[u8]) -> Problem {
    let mut lines = Vec::new();
    let _ = each_row(
        text,
        first_byte(text)..text.len(),
        &mut layout.header.clone(),
        layout,
        |start, found, row| {
            if found == query && row.is_some_and(|(id, _)| id == doc) {
                lines.push(line_of(text, start));
            }
            lines.len() < 2
        },
    );
    let earlier = lines.first().map_or(String::new(), |line| format!(", first on line {line}"));
    Problem::Input {
        source: source.name.clone(),
        line: lines.get(1).copied(),
        column: None,
        message: format!("document {} occurs twice for query {}{earlier}", quoted(doc), quoted(query)),
    }
}

/// One field: its text without quotes around it, and where that begins.
struct Field<'t> {
    text: Cow<'t, [u8]>,
    at: usize,
    /// It stands in quotes, so that a quote in it is meant.
    quoted: bool,
}

/// Calls `each` with the start, the query, and the document and number of every record that starts in a
/// range, until it says false; a query that stands alone has neither. Returns where the next record starts.
fn each_row(
    text: &[u8],
    starts: Range<usize>,
    header: &mut usize,
    layout: &Layout,
    mut each: impl FnMut(usize, &[u8], Option<(&[u8], f64)>) -> bool,
) -> Result<usize, Failure> {
    let Separator::Byte(separator) = layout.separator else { return Ok(text.len()) };
    let mut at = starts.start;
    let mut fields: Vec<Field> = Vec::new();
    while at < starts.end {
        let start = at;
        if layout.comments && text[at] == b'#' {
            at = memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length + 1);
            continue;
        }
        if *header == 0 {
            if let Some((row, end)) = short_record(text, start, separator, layout) {
                at = end;
                if !each(start, row.query, Some((row.doc, row.value))) {
                    return Ok(at);
                }
                continue;
            }
        }
        fields.clear();
        at = record(text, start, separator, &mut fields)?;
        if fields.iter().all(|field| field.text.iter().all(|b| matches!(b, b' ' | b'\t'))) {
            continue; // as spreadsheets write below their last row
        }
        if *header > 0 {
            *header -= 1;
            continue;
        }
        let Some(query) = fields.get(layout.query) else {
            return Err(wrong_width(layout, &fields, text, start));
        };
        let empty = |i: usize| fields.get(i).is_none_or(|field| field.text.is_empty());
        let alone = empty(layout.doc) && empty(layout.value);
        let cut = fields.len() == layout.query + 1; // nothing behind the query, not even separators
        let whole = (layout.least..=layout.most).contains(&fields.len());
        // A file that was cut short ends in such a line, too, but for its newline.
        let meant = layout.alone && text[at - 1] == b'\n';
        if !(whole || alone && cut && meant) {
            let mut failure = wrong_width(layout, &fields, text, start);
            if alone && cut && !layout.alone {
                let separators = (separator as char).to_string().repeat(layout.least - fields.len());
                let whole = format!("{}{separators}", String::from_utf8_lossy(&query.text));
                failure.message +=
                    "; is the file cut short? A query without documents keeps its separators: ";
                failure.message += &quoted(whole.as_bytes());
            }
            return Err(failure);
        }
        check_id(layout.query, "query", query)?;
        if alone {
            if !each(start, &query.text, None) {
                return Ok(at);
            }
            continue;
        }
        let (doc, value) = (&fields[layout.doc], &fields[layout.value]);
        check_id(layout.doc, "document", doc)?;
        let number = layout.number(&value.text).map_err(|message| Failure::new(value.at, message))?;
        if !each(start, &query.text, Some((&doc.text, number))) {
            return Ok(at);
        }
    }
    Ok(at)
}

/// Reads the record that starts here if it is short and its quotes, if any, stand around whole fields;
/// returns also where the next one starts.
#[inline(always)]
fn short_record<'t>(
    text: &'t [u8],
    start: usize,
    separator: u8,
    layout: &Layout,
) -> Option<(Row<'t>, usize)> {
    let marks = Columns::of(text[start..].first_chunk()?, separator);
    let inside = if marks.quotes == 0 { 0 } else { marks.inside() };
    let newlines = marks.newlines & !inside;
    if newlines == 0 {
        return None;
    }
    let newline = newlines.trailing_zeros() as usize;
    let next = start + newline + 1;
    let end = if newline > 0 && text[next - 2] == b'\r' { newline - 1 } else { newline };
    let within = (1 << end) - 1;
    if marks.returns & within != 0 {
        return None;
    }
    let (separators, quotes) = (marks.separators & !inside & within, marks.quotes & within);
    if quotes != 0 {
        let (opening, closing, borders) = (quotes & inside, quotes & !inside, separators | 1 << end);
        let stray = opening & !(1 | (borders | closing) << 1) | closing & !((borders | opening) >> 1);
        let broken = marks.newlines & within;
        if stray != 0 || (broken != 0 && separator == b'\t') {
            return None;
        }
    }
    Some((layout.short_row(&text[start..start + end], separators, quotes)?, next))
}

/// Reads the record that starts here; returns where the next one does.
fn record<'t>(
    text: &'t [u8],
    start: usize,
    separator: u8,
    fields: &mut Vec<Field<'t>>,
) -> Result<usize, Failure> {
    let mut at = start;
    loop {
        let (field, end) = match quoted_field(text, at, separator)? {
            Some(found) => found,
            None => plain_field(text, at, separator),
        };
        fields.push(field);
        match text.get(end) {
            Some(&b) if b == separator => at = end + 1,
            Some(_) => return Ok(end + 1), // a newline
            None => return Ok(end),
        }
    }
}

/// A field up to the next separator or newline, without blanks around it; and where it ends.
fn plain_field(text: &[u8], at: usize, separator: u8) -> (Field<'_>, usize) {
    let end = memchr2(separator, b'\n', &text[at..]).map_or(text.len(), |length| at + length);
    let (mut from, mut to) = (at, end);
    if to > from && text[to - 1] == b'\r' && text.get(end) != Some(&separator) {
        to -= 1;
    }
    while from < to && text[from] == b' ' {
        from += 1;
    }
    while to > from && text[to - 1] == b' ' {
        to -= 1;
    }
    (Field { text: Cow::Borrowed(&text[from..to]), at: from, quoted: false }, end)
}

/// A field in quotes, and where it ends; None where what stands here is not one.
///
/// Two quotes in it stand for one. A quote that text follows is a character like any other, and so is one
/// that is never closed in files by tabs, which are often written without any quoting.
fn quoted_field(text: &[u8], at: usize, separator: u8) -> Result<Option<(Field<'_>, usize)>, Failure> {
    let at = at + text[at..].iter().take_while(|&&b| b == b' ').count();
    if text.get(at) != Some(&b'"') {
        return Ok(None);
    }
    let open = || match separator {
        b'\t' => Ok(None),
        _ => Err(Failure::new(at, "this quote is not closed")),
    };
    let from = at + 1;
    let mut doubled = false;
    let mut to = from;
    loop {
        let Some(length) = memchr(b'"', &text[to..]) else { return open() };
        to += length;
        if text.get(to + 1) != Some(&b'"') {
            break;
        }
        doubled = true;
        to += 2;
    }
    let mut end = to + 1;
    while text.get(end) == Some(&b' ') {
        end += 1;
    }
    if text[end..].starts_with(b"\r\n") || (end + 1 == text.len() && text[end] == b'\r') {
        end += 1;
    }
    let closed = text.get(end).is_none_or(|&b| b == separator || b == b'\n');
    if !closed {
        return if memchr(b'\n', &text[from..to]).is_some() { open() } else { Ok(None) };
    }
    let inside = &text[from..to];
    if separator == b'\t' && memchr(b'\n', inside).is_some() && memchr(b'\t', inside).is_some() {
        return Err(Failure::new(
            at,
            format!(
                "a quote is opened here and closed on line {}, with tabs and lines between; if it does not \
                 stand around one field, double it and put the field in quotes",
                line_of(text, to)
            ),
        ));
    }
    let inside = if doubled { Cow::Owned(without_doubled(inside)) } else { Cow::Borrowed(inside) };
    Ok(Some((Field { text: inside, at: from, quoted: true }, end)))
}

fn without_doubled(inside: &[u8]) -> Vec<u8> {
    let mut single = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(quote) = memchr(b'"', rest) {
        single.extend_from_slice(&rest[..=quote]);
        rest = &rest[quote + 2..];
    }
    single.extend_from_slice(rest);
    single
}

fn check_id(position: usize, what: &str, field: &Field<'_>) -> Result<(), Failure> {
    let why = if field.text.is_empty() {
        "is empty".to_string()
    } else if !field.quoted && memchr(b'"', &field.text).is_some() {
        let text = String::from_utf8_lossy(&field.text).replace('"', "\"\"");
        format!(
            "has a quote in it, but not around it; write {}",
            quoted(format!("\"{text}\"").as_bytes()).trim_matches('\'')
        )
    } else if !field.quoted && memchr(b'\r', &field.text).is_some() {
        "has a carriage return in it; lines end in newlines".to_string()
    } else {
        return Ok(());
    };
    Err(Failure::new(field.at, format!("the {what} id (field {}) {why}", position + 1)))
}

fn wrong_width(layout: &Layout, fields: &[Field<'_>], text: &[u8], start: usize) -> Failure {
    let mut end = memchr(b'\n', &text[start..]).map_or(text.len(), |length| start + length);
    if end > start && text[end - 1] == b'\r' {
        end -= 1;
    }
    let problem = layout.wrong_width(&text[start..end], fields.len());
    let message = if fields.iter().any(|field| memchr(b'\n', &field.text).is_some()) {
        format!("{}; is a quote not closed?", problem.message)
    } else {
        problem.message
    };
    Failure::new(start + problem.at, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::trec_run;

    type Row = (String, Option<(String, f64)>);

    fn layout(separator: u8) -> Layout {
        Layout {
            separator: Separator::Byte(separator),
            doc: 1,
            value: 2,
            least: 3,
            most: 3,
            shape: "query, doc, score".into(),
            header: 1,
            comments: false,
            ..trec_run()
        }
    }

    fn rows(text: &str, separator: u8) -> Result<Vec<Row>, (usize, String)> {
        let mut found = Vec::new();
        let own = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let starts = first_byte(text.as_bytes())..text.len();
        each_row(text.as_bytes(), starts, &mut 1, &layout(separator), |_, query, row| {
            found.push((own(query), row.map(|(doc, value)| (own(doc), value))));
            true
        })
        .map_err(|failure| (failure.at, failure.message))?;
        Ok(found)
    }

    fn row(query: &str, doc: &str, value: f64) -> Row {
        (query.into(), Some((doc.into(), value)))
    }

    #[test]
    fn line_breaks_and_quotes_stand_in_quotes() {
        let text = "\u{feff}\"query\ntext\",doc,score\r\n\"red\nshoes\",\"a \"\"b\"\", c\",2\r\n\"q2\" ,d2,1";
        assert_eq!(rows(text, b',').unwrap(), [row("red\nshoes", "a \"b\", c", 2.0), row("q2", "d2", 1.0)]);
    }

    #[test]
    fn a_query_may_stand_alone() {
        let alone = |query: &str| (query.to_string(), None);
        let text = "query,doc,score\nq2,,\n,,\n\"\",,\nq3,d,1\nq4,,";
        assert_eq!(rows(text, b',').unwrap(), [alone("q2"), row("q3", "d", 1.0), alone("q4")]);
        assert_eq!(rows("h;h;h\nq;;1\n", b';').unwrap_err().1, "the document id (field 2) is empty");
        assert_eq!(rows("h;h;h\nq;d;\n", b';').unwrap_err().1, "the score '' is not a number");
    }

    #[test]
    fn a_line_may_end_behind_the_query_where_that_is_known_to_be_meant() {
        let message = "expected 3 fields (query, doc, score), found only 1 field; is the file cut short? A \
                       query without documents keeps its separators: 'q1,,'";
        for text in ["h,h,h\nq1\nq3,d,1\n", "h,h,h\nq3,d,1\nq1"] {
            assert_eq!(rows(text, b',').unwrap_err().1, message);
        }
        let meant = |text: &str| {
            let layout = Layout { alone: true, ..layout(b',') };
            let mut found = Vec::new();
            each_row(text.as_bytes(), 0..text.len(), &mut 1, &layout, |_, query, row| {
                found.push((query.to_vec(), row.is_some()));
                true
            })
            .map_err(|failure| failure.message)
            .map(|_| found)
        };
        assert_eq!(meant("h,h,h\nq1\nq3,d,1\n").unwrap(), [(b"q1".to_vec(), false), (b"q3".to_vec(), true)]);
        assert!(meant("h,h,h\nq3,d,1\nq1").unwrap_err().starts_with("expected 3 fields"));
    }

    #[test]
    fn decimal_commas_where_semicolons_separate() {
        assert_eq!(rows("h;h;h\nq;d;0,25\n", b';').unwrap(), [row("q", "d", 0.25)]);
        assert_eq!(rows("h|h|h\nq|d|0,25\n", b'|').unwrap_err().1, "the score '0,25' is not a number");
        assert_eq!(rows("h;h;h\nq;d;1,000,5\n", b';').unwrap_err().1, "the score '1,000,5' is not a number");
    }

    /// Texts of a few characters that matter, the same ones each time.
    fn texts() -> impl Iterator<Item = String> {
        const WORDS: [&str; 16] =
            ["q", "d", "1", "2.5", ",", ",", ",", "\n", "\n", "\"", "\"", "\"\"", " ", "\r\n", "\r", "\t"];
        let mut state = 1u64;
        let mut below = move |limit: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % limit
        };
        std::iter::from_fn(move || {
            let mut text = String::new();
            for _ in 0..below(6) {
                match below(5) {
                    0 => (0..below(9)).for_each(|_| text.push_str(WORDS[below(WORDS.len())])),
                    1 => text.push_str("\"q\",\"d,\",1\r\n"),
                    2 => text.push_str("q2,\"d \n\"\"e\"\"\",\"2.5\"\n"),
                    3 => text.push_str("q2, d ,7\n"),
                    _ => text.push_str("q1,d,1\n"),
                }
            }
            Some(text)
        })
    }

    #[test]
    fn short_records_read_as_long_ones_do() {
        for text in texts().take(20_000).filter(|text| text.len() < 64) {
            let (text, blank) = (format!("h\n{text}"), "\n".repeat(64));
            for separator in [b',', b'\t'] {
                let text = if separator == b'\t' { text.replace(',', "\t") } else { text.clone() };
                let long = rows(&text, separator);
                assert_eq!(rows(&format!("{text}{blank}"), separator), long, "{text:?}");
            }
        }
    }

    #[test]
    fn pieces_read_as_the_whole_does() {
        let read = |text: &str, size: usize| {
            all_rows(text.as_bytes(), size, &layout(b','), &Watch::default())
                .map_err(|failure| (failure.at, failure.message))
                .map(|rows| format!("{:?}", rows.finish(Duplicates::KeepAll)))
        };
        for text in texts().take(5_000) {
            let whole = read(&text, usize::MAX >> 1);
            for size in [1, 7, 20] {
                assert_eq!(read(&text, size), whole, "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn blanks_may_stand_before_quotes() {
        let text = "h,h,h\n\"q 1\", \"d,1\",  \"3\"\n \"q 1\" ,\" d \"\"2\"\"\", 2\n";
        assert_eq!(rows(text, b',').unwrap(), [row("q 1", "d,1", 3.0), row("q 1", " d \"2\"", 2.0)]);
    }

    #[test]
    fn stray_quotes_are_characters_or_errors() {
        let width = "expected 3 fields (query, doc, score), found only 2 fields";
        assert_eq!(rows("h,h,h\nq,\"d,1\n", b',').unwrap_err().1, "this quote is not closed");
        assert_eq!(
            rows("h,h,h\nq,12\" tv,1\n", b',').unwrap_err().1,
            "the document id (field 2) has a quote in it, but not around it; write \"12\"\" tv\""
        );
        // The quote is open, be it in a column that is not read, or another one follows lines later.
        let four = |text: &str| rows(text, b',').unwrap_err();
        assert_eq!(four("h,h,h\n\"q,d,1\nr,\"d\",1\n"), (6, "this quote is not closed".into()));
        assert_eq!(
            rows("h,h,h\nq,\"d\ne\"\nr,d,1\n", b',').unwrap_err().1,
            format!("{width}; is a quote not closed?")
        );
        let swallowed = "h\th\th\nq\t\"d\t1\nq2\te\"\t1\n";
        assert_eq!(rows(swallowed, b'\t').unwrap_err().0, 8);
    }
}
