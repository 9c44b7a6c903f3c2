//! Reads the text of a source: blocks in parallel, rows one by one, errors with their positions.

use std::sync::Mutex;

use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::layout::{Layout, Row};
use crate::problem::{quoted, Outcome, Problem};
use crate::source::{Block, Source};
use crate::watch::Watch;

/// A failure while reading, before its line number is known.
pub enum Failed {
    /// An error at this byte of the text.
    At { offset: u64, line_start: u64, message: String },
    /// A document that occurs twice for one query; its group of rows starts at this byte.
    Twice { offset: u64, query: Vec<u8>, doc: Vec<u8> },
    /// The problem that ended the reading, and its byte.
    Other { offset: u64, problem: Problem },
}

impl Failed {
    fn offset(&self) -> u64 {
        match self {
            Failed::At { offset, .. } | Failed::Twice { offset, .. } => *offset,
            Failed::Other { problem: Problem::Interrupted, .. } => 0,
            Failed::Other { offset, .. } => *offset,
        }
    }
}

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Self {
        Failed::Other { offset: 0, problem }
    }
}

/// Calls `work` for every block, several at a time, and returns the first failure in the text.
pub fn blocks<'s>(
    source: &'s Source,
    layout: &'s Layout,
    watch: &'s Watch,
    work: impl Fn(&Block<'s>) -> Result<(), Failed> + Sync,
) -> Outcome<()> {
    let first: Mutex<Option<Failed>> = Mutex::new(None);
    let failed = |failure: Failed| {
        let mut first = first.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if first.as_ref().is_none_or(|known| failure.offset() < known.offset()) {
            *first = Some(failure);
        }
    };
    // Blocks are handed out in order, so when one fails, all before it have been started. They are
    // finished, so that the reported failure is always the first one in the text.
    let ok = |()| first.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).is_none();
    source.blocks(layout, watch)?.take_while(|_| ok(())).par_bridge().for_each(|block| {
        let outcome = block
            .map_err(|(offset, problem)| Failed::Other { offset, problem })
            .and_then(|block| work(&block));
        if let Err(failure) = outcome {
            failed(failure);
        }
    });
    match first.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        None => Ok(()),
        Some(Failed::Other { problem, .. }) => Err(problem),
        Some(Failed::Twice { query, doc, .. }) => Err(duplicate(source, layout, &query, &doc)),
        Some(Failed::At { offset, line_start, message }) => Err(Problem::Input {
            source: source.name.clone(),
            line: Some(source.line_number(line_start, layout)),
            column: Some(offset - line_start + 1),
            message,
        }),
    }
}

/// Calls `each` for every row of a block, with the offset of its line in the whole text.
#[inline]
pub fn rows<'b>(
    block: &'b Block<'_>,
    layout: &'b Layout,
    mut each: impl FnMut(Row<'b>, u64) -> Result<(), Failed>,
) -> Result<(), Failed> {
    check_encoding(block)?;
    for (start, line) in block.lines(layout) {
        let line_start = block.offset + start as u64;
        match layout.row(line) {
            Ok(row) => each(row, line_start)?,
            Err(problem) => {
                let offset = line_start + problem.at as u64;
                return Err(Failed::At { offset, line_start, message: problem.message });
            }
        }
    }
    Ok(())
}

/// Rejects bytes that are not text: NUL bytes, invalid UTF-8, lone carriage returns.
pub fn check_encoding(block: &Block<'_>) -> Result<(), Failed> {
    let text: &[u8] = &block.text;
    let (at, message) = if let Err(problem) = check_text(text) {
        problem
    } else if let Some(at) = lone_carriage_return(text) {
        (at, "there is a carriage return within the line; lines end in newlines".into())
    } else {
        return Ok(());
    };
    let line_start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1) as u64;
    Err(Failed::At { offset: block.offset + at as u64, line_start: block.offset + line_start, message })
}

/// Refuses NUL bytes and bytes that are not UTF-8: where, and why.
pub fn check_text(text: &[u8]) -> Result<(), (usize, String)> {
    if let Some(at) = memchr::memchr(0, text) {
        return Err((at, "there is a NUL byte; expected UTF-8 text".into()));
    }
    std::str::from_utf8(text).map(|_| ()).map_err(|error| {
        let at = error.valid_up_to();
        let byte = text[at];
        (at, format!("the byte 0x{byte:02x} is not UTF-8; convert the file first, for example with iconv"))
    })
}

/// A carriage return that no newline follows: old files have nothing else at the ends of their lines,
/// and would otherwise be one long line.
fn lone_carriage_return(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\r', text).find(|&at| text.get(at + 1).is_some_and(|&next| next != b'\n'))
}

/// Finds both lines of a duplicate document, for the message.
pub fn duplicate(source: &Source, layout: &Layout, query: &[u8], doc: &[u8]) -> Problem {
    let quiet = Watch::default();
    let mut found: Vec<u64> = Vec::new();
    if let Ok(blocks) = source.blocks(layout, &quiet) {
        for block in blocks.map_while(Result::ok) {
            let _ = rows(&block, layout, |row, line_start| {
                if row.query == query && row.doc == doc && found.len() < 2 {
                    found.push(line_start);
                }
                Ok(())
            });
            if found.len() == 2 {
                break;
            }
        }
    }
    let line = |i: usize| found.get(i).map(|&offset| source.line_number(offset, layout));
    let earlier = line(0).map_or(String::new(), |line| format!(", first on line {line}"));
    Problem::Input {
        source: source.name.clone(),
        line: line(1),
        column: None,
        message: format!("document {} occurs twice for query {}{earlier}", quoted(doc), quoted(query)),
    }
}
