//! Reads a block of text in all ways that the core has. The tests and the fuzz target use it.

use cleverdon_core::layout::{Layout, Separator, Value};
use cleverdon_core::scan::Failed;
use cleverdon_core::source::Block;
use cleverdon_core::trec::{rows_in, Sink, Way};

fn layout() -> Layout {
    Layout {
        separator: Separator::Blanks,
        query: 0,
        doc: 2,
        value: 4,
        kind: Value::Score,
        least: 6,
        most: usize::MAX,
        shape: "query Q0 document rank score tag".into(),
        header: 0,
        alone: false,
        comments: true,
        decimal: None,
    }
}

#[derive(Debug, PartialEq)]
enum Event {
    Query(String, u64),
    Row(String, u64),
    End(u64),
}

/// Notes what it is given, and refuses documents that repeat the one before, as the join may.
#[derive(Default)]
struct Notes(Vec<Event>);

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Notes {
    fn repeated(&self) -> Result<(), Failed> {
        match &self.0[..] {
            [.., Event::Row(a, _), Event::Row(b, _)] if a == b => {
                Err(Failed::Twice { offset: 0, query: Vec::new(), doc: b.clone().into_bytes() })
            }
            _ => Ok(()),
        }
    }
}

impl<'b> Sink<'b> for Notes {
    fn query(&mut self, query: &'b [u8], line_start: u64) -> Result<(), Failed> {
        self.repeated()?;
        self.0.push(Event::Query(text(query), line_start));
        Ok(())
    }

    fn row(&mut self, doc: &'b [u8], value: f64) {
        self.0.push(Event::Row(text(doc), value.to_bits()));
    }

    fn end(&mut self, until: u64) -> Result<(), Failed> {
        self.repeated()?;
        self.0.push(Event::End(until));
        Ok(())
    }
}

fn failure(outcome: Result<(), Failed>) -> String {
    match outcome {
        Ok(()) => "none".into(),
        Err(Failed::At { offset, line_start, message }) => format!("{offset} {line_start} {message}"),
        Err(Failed::Twice { doc, .. }) => format!("twice {}", text(&doc)),
        Err(Failed::Other { problem, .. }) => format!("{problem:?}"),
    }
}

fn read(way: Way, bytes: &[u8], layout: &Layout, first: bool) -> (Vec<Event>, String) {
    let block = Block { text: bytes.into(), offset: if first { 0 } else { 1000 }, first };
    let mut notes = Notes::default();
    let outcome = rows_in(way, &block, layout, &mut notes);
    let failed = failure(outcome);
    // Rows before a failure are worth nothing, and where the text is not UTF-8 there may be none.
    (if failed == "none" { notes.0 } else { Vec::new() }, failed)
}

/// Asserts that all ways give the same, and returns how many events there are.
pub fn same(bytes: &[u8]) -> usize {
    let mut rows = 0;
    for comments in [true, false] {
        let layout = Layout { comments, ..layout() };
        for first in [true, false] {
            let plain = read(Way::Plain, bytes, &layout, first);
            for way in [Way::Fast, Way::Portable] {
                assert_eq!(read(way, bytes, &layout, first), plain, "{way:?} {:?}", text(bytes));
            }
            rows = plain.0.len();
        }
    }
    rows
}
