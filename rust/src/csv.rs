//! Columns in full: fields with line breaks or quotes in them, and queries that have no documents.
//!
//! Most files of columns have none of these, and are read line by line in many threads (`scan`). Where
//! that fails, the file is read here, from its beginning to its end, and this reader has the last word.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr_iter, memrchr};

use crate::layout::{Layout, Separator};
use crate::problem::{quoted, Outcome, Problem};
use crate::scan;
use crate::source::Source;
use crate::table::{Builder, Duplicates, Table};
use crate::watch::Watch;

/// How many records are read between two looks at whether anybody still waits.
const LOOK: usize = 1 << 14;

/// Whether a failure may be one of reading line by line only.
pub fn may_be_quoted(layout: &Layout, problem: &Problem) -> bool {
    matches!(layout.separator, Separator::Byte(_)) && matches!(problem, Problem::Input { .. })
}

/// Reads a whole file of columns.
pub fn read(source: &Source, layout: &Layout, duplicates: Duplicates, watch: &Watch) -> Outcome<Table> {
    let text = source.text(watch)?;
    let mut builder = Builder::default();
    let mut queries = 0;
    each_row(&text, layout, watch, |_, query, row| {
        queries += 1;
        match row {
            Some((doc, value)) => builder.push(query, doc, value),
            None => builder.declare(query),
        }
        true
    })
    .map_err(|failure| failure.in_source(source, &text))?;
    if queries == 0 {
        return Err(Problem::whole(&source.name, "has no rows"));
    }
    builder.finish(duplicates).map_err(|(query, doc)| repeated(source, layout, &text, &query, &doc))
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

fn line_of(text: &[u8], at: usize) -> u64 {
    1 + memchr_iter(b'\n', &text[..at]).count() as u64
}

/// The message for a document that occurs twice, with both lines.
fn repeated(source: &Source, layout: &Layout, text: &[u8], query: &[u8], doc: &[u8]) -> Problem {
    let mut lines = Vec::new();
    let quiet = Watch::default();
    let _ = each_row(text, layout, &quiet, |start, found, row| {
        if found == query && row.is_some_and(|(id, _)| id == doc) {
            lines.push(line_of(text, start));
        }
        lines.len() < 2
    });
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

/// Calls `each` with the start, the query, and the document and number of every record, until it says
/// false; a query that stands alone has neither.
fn each_row(
    text: &[u8],
    layout: &Layout,
    watch: &Watch,
    mut each: impl FnMut(usize, &[u8], Option<(&[u8], f64)>) -> bool,
) -> Result<(), Failure> {
    let Separator::Byte(separator) = layout.separator else { return Ok(()) };
    scan::check_text(text).map_err(|(at, message)| Failure::new(at, message))?;
    let mut header = layout.header;
    let mut at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut fields: Vec<Field> = Vec::new();
    let mut records = 0;
    while at < text.len() {
        records += 1;
        if records % LOOK == 0 {
            watch.still_wanted().map_err(|stopped| Failure {
                at: 0,
                message: String::new(),
                problem: Some(stopped),
            })?;
            watch.reached(at as u64);
        }
        let start = at;
        fields.clear();
        at = record(text, start, separator, &mut fields)?;
        if fields.iter().all(|field| field.text.iter().all(|b| matches!(b, b' ' | b'\t'))) {
            continue; // as spreadsheets write below their last row
        }
        if header > 0 {
            header -= 1;
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
                return Ok(());
            }
            continue;
        }
        let (doc, value) = (&fields[layout.doc], &fields[layout.value]);
        check_id(layout.doc, "document", doc)?;
        let number = layout.number(&value.text).map_err(|message| Failure::new(value.at, message))?;
        if !each(start, &query.text, Some((&doc.text, number))) {
            return Ok(());
        }
    }
    Ok(())
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
/// Two quotes in it stand for one. A quote that is never closed, or that text follows, is a character
/// like any other: files by tabs are often written without any quoting.
fn quoted_field(text: &[u8], at: usize, separator: u8) -> Result<Option<(Field<'_>, usize)>, Failure> {
    if text.get(at) != Some(&b'"') {
        return Ok(None);
    }
    let from = at + 1;
    let mut doubled = false;
    let mut to = from;
    loop {
        let Some(length) = memchr(b'"', &text[to..]) else { return Ok(None) };
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
        return Ok(None);
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
        "is empty"
    } else if !field.quoted && memchr(b'"', &field.text).is_some() {
        "has a quote in it; write the id without"
    } else if !field.quoted && memchr(b'\r', &field.text).is_some() {
        "has a carriage return in it; lines end in newlines"
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
        each_row(text.as_bytes(), &layout(separator), &Watch::default(), |_, query, row| {
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
            each_row(text.as_bytes(), &layout, &Watch::default(), |_, query, row| {
                found.push((query.to_vec(), row.is_some()));
                true
            })
            .map_err(|failure| failure.message)
            .map(|()| found)
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

    #[test]
    fn stray_quotes_are_characters_or_errors() {
        let width = "expected 3 fields (query, doc, score), found only 2 fields";
        assert_eq!(
            rows("h,h,h\nq,\"d,1\n", b',').unwrap_err().1,
            "the document id (field 2) has a quote in it; write the id without"
        );
        assert_eq!(
            rows("h,h,h\nq,\"d\ne\"\nr,d,1\n", b',').unwrap_err().1,
            format!("{width}; is a quote not closed?")
        );
        let swallowed = "h\th\th\nq\t\"d\t1\nq2\te\"\t1\n";
        assert_eq!(rows(swallowed, b'\t').unwrap_err().0, 8);
    }
}
