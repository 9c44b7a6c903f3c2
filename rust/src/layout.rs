//! The layout of a text file's lines; parses a line into a row.

use crate::marks::separators;
use crate::problem::quoted;

/// The separator of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One or more spaces and tabs, as in TREC's formats.
    Blanks,
    /// Exactly one byte, as in TSV and CSV.
    Byte(u8),
}

/// The meaning of a row's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Higher is better; may be infinite.
    Score,
    /// Lower is better. The value is negated, so that higher is better everywhere.
    Rank,
    /// A judgment: any finite number.
    Grade,
}

impl Value {
    pub fn name(self) -> &'static str {
        match self {
            Value::Score => "score",
            Value::Rank => "rank",
            Value::Grade => "grade",
        }
    }
}

/// The positions of query, document and value on a line, from 0.
#[derive(Clone, Debug)]
pub struct Layout {
    pub separator: Separator,
    pub query: usize,
    pub doc: usize,
    pub value: usize,
    pub kind: Value,
    /// The least and the largest number of fields of a line.
    pub least: usize,
    pub most: usize,
    /// The form of a whole line, for messages: "query Q0 document rank score tag".
    pub shape: String,
    /// How many lines come before the rows: the names of the columns, and Excel's `sep=;` above them.
    pub header: usize,
    /// A row may end behind the query, which then has no documents, as in Quepid's detailed exports.
    pub alone: bool,
    /// Lines that start with `#` are comments.
    pub comments: bool,
    /// The decimal sign of the numbers where semicolons separate, if it is known: another is refused.
    pub decimal: Option<u8>,
}

/// One line, without its newline.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    pub text: &'a [u8],
    /// A bit for each space or tab (`Marks`), if the line has less than 64 bytes and they are known.
    pub blanks: Option<u64>,
}

impl<'a> Line<'a> {
    pub fn of(text: &'a [u8]) -> Self {
        Line { text, blanks: None }
    }
}

/// One line, parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    pub query: &'a [u8],
    pub doc: &'a [u8],
    pub value: f64,
}

/// Why a line is not a row: the message, and the byte of the line where the error is.
#[derive(Debug, PartialEq, Eq)]
pub struct LineProblem {
    pub at: usize,
    pub message: String,
}

impl Layout {
    /// Whether a line has no data: it is blank, or a comment.
    #[inline]
    pub fn skips(&self, line: &[u8]) -> bool {
        match line.first() {
            None => true,
            Some(b'#') => self.comments,
            Some(b' ' | b'\t' | b'\r') => line.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r')),
            Some(_) => false,
        }
    }

    /// The query of a line; `None` if the line is too short.
    #[inline]
    pub fn query_of<'a>(&self, line: Line<'a>) -> Option<&'a [u8]> {
        let mut fields = self.fields(line);
        fields.nth(self.query).map(|(from, to)| &line.text[from..to])
    }

    /// Parses one line (without its newline) that is not skipped.
    #[inline]
    pub fn row<'a>(&self, line: Line<'a>) -> Result<Row<'a>, LineProblem> {
        if let Separator::Byte(separator) = self.separator {
            let text = line.text.strip_suffix(b"\r").unwrap_or(line.text);
            let row = separators(text, separator).and_then(|separators| self.short_row(text, separators, 0));
            if let Some(row) = row {
                return Ok(row);
            }
        }
        // One field past the allowed number is enough to see that there are too many.
        let wanted = if self.most == usize::MAX { self.least } else { self.most + 1 };
        let mut fields = self.fields(line);
        let mut found = 0;
        let (mut query, mut doc, mut value) = ((0, 0), (0, 0), (0, 0));
        while found < wanted {
            let Some(field) = fields.next() else { break };
            if found == self.query {
                query = field;
            } else if found == self.doc {
                doc = field;
            } else if found == self.value {
                value = field;
            }
            found += 1;
        }
        if found < self.least || found > self.most {
            return Err(self.wrong_width(line.text, found));
        }
        let text = |(from, to): (usize, usize)| &line.text[from..to];
        if let Fields::Delimited { irregular, .. } = fields {
            if irregular {
                return Err(LineProblem { at: 0, message: IRREGULAR.into() });
            }
            self.check_id(self.query, "query", text(query), query.0)?;
            self.check_id(self.doc, "document", text(doc), doc.0)?;
        } else if self.most == usize::MAX && fields.are_left() {
            self.check_tabs(line.text, [query, doc, value].map(text))?;
        }
        match self.number(text(value)) {
            Ok(number) => Ok(Row { query: text(query), doc: text(doc), value: number }),
            Err(message) => Err(LineProblem { at: value.0, message }),
        }
    }

    /// Reads a short line of columns, as most are, by the bits of its separators and quotes; None where
    /// there is anything else to look at or to say. A field that begins with a quote must end with one.
    #[inline(always)]
    pub fn short_row<'a>(&self, line: &'a [u8], mut separators: u64, quotes: u64) -> Option<Row<'a>> {
        let fields = separators.count_ones() as usize + 1;
        if fields < self.least || fields > self.most {
            return None;
        }
        let (mut query, mut doc, mut value): (&[u8], &[u8], &[u8]) = (b"", b"", b"");
        let mut start = 0;
        for field in 0..=self.query.max(self.doc).max(self.value) {
            let end = if separators == 0 { line.len() } else { separators.trailing_zeros() as usize };
            separators &= separators.wrapping_sub(1);
            if field == self.query {
                query = short_field(line, start, end, quotes)?;
            } else if field == self.doc {
                doc = short_field(line, start, end, quotes)?;
            } else if field == self.value {
                value = short_field(line, start, end, quotes)?;
            }
            start = end + 1;
        }
        if query.is_empty() || doc.is_empty() {
            return None;
        }
        Some(Row { query, doc, value: self.number(value).ok()? })
    }

    /// Where the fields of a line begin and end.
    #[inline]
    fn fields<'a>(&self, line: Line<'a>) -> Fields<'a> {
        // A carriage return before the newline is part of the line's end.
        let text = line.text.strip_suffix(b"\r").unwrap_or(line.text);
        match (self.separator, line.blanks) {
            (Separator::Byte(separator), _) => {
                Fields::Delimited { line: text, at: 0, separator, irregular: false }
            }
            (Separator::Blanks, Some(blanks)) => {
                let inside = !blanks & ((1 << text.len()) - 1);
                Fields::Short { starts: inside & !(inside << 1), ends: !inside & (inside << 1) }
            }
            (Separator::Blanks, None) => Fields::Long { line: text, at: 0 },
        }
    }

    /// Errors that only delimited fields can have: empty, or quoted in a way that is not supported.
    fn check_id(&self, position: usize, what: &str, id: &[u8], at: usize) -> Result<(), LineProblem> {
        let why = if id.is_empty() {
            "is empty"
        } else if memchr::memchr(b'"', id).is_some() {
            "has a quote in it, but not around it"
        } else {
            return Ok(());
        };
        Err(LineProblem { at, message: format!("the {what} id (field {}) {why}", position + 1) })
    }

    /// Refuses a line of more fields than are needed if tabs would separate others: a blank may be part of an id.
    #[cold]
    fn check_tabs(&self, line: &[u8], [query, doc, value]: [&[u8]; 3]) -> Result<(), LineProblem> {
        if memchr::memchr(b'\t', line).is_none() {
            return Ok(());
        }
        let fields: Vec<&[u8]> = line.split(|&b| b == b'\t').map(trimmed).collect();
        let same = fields.len() < self.least
            || fields[self.query] == query && fields[self.doc] == doc && fields[self.value] == value;
        if same {
            return Ok(());
        }
        let message = format!(
            "there are blanks within fields: {} fields by tabs, and more by blanks and tabs; if tabs separate, \
             call the file .tsv",
            fields.len()
        );
        Err(LineProblem { at: 0, message })
    }

    pub fn wrong_width(&self, line: &[u8], found: usize) -> LineProblem {
        let fields = |n: usize| if n == 1 { "1 field".to_string() } else { format!("{n} fields") };
        let expected = if self.most == usize::MAX {
            format!("at least {}", fields(self.least))
        } else {
            fields(self.least)
        };
        let has = if found > self.most {
            format!("more than {}", fields(self.most))
        } else {
            format!("only {}", fields(found))
        };
        LineProblem {
            at: if found > self.most { 0 } else { line.len() },
            message: format!("expected {expected} ({}), found {has}", self.shape),
        }
    }

    /// Tables of judgments may say whether a document is relevant; TREC's formats never do.
    fn is_truth(&self, text: &[u8]) -> bool {
        let is_grade = self.kind == Value::Grade && matches!(self.separator, Separator::Byte(_));
        is_grade && (text.eq_ignore_ascii_case(b"true") || text.eq_ignore_ascii_case(b"false"))
    }

    /// A number as parsed, or with a decimal comma; refused if it has another decimal sign than others.
    #[inline(never)]
    fn with_comma(&self, digits: &[u8], value: Parsed) -> Result<Parsed, String> {
        let comma = value.is_err() && is_decimal_comma(digits);
        let sign = if comma { b',' } else { b'.' };
        if self.decimal.is_some_and(|usual| usual != sign) && memchr::memchr(sign, digits).is_some() {
            let (this, others) = if comma { ("comma", "point") } else { ("point", "comma") };
            let why = format!("has a decimal {this}, and others have a {others}; write all alike");
            return Err(format!("the {} {} {why}", self.kind.name(), quoted(digits)));
        }
        if !comma {
            return Ok(value);
        }
        let pointed: Vec<u8> = digits.iter().map(|&b| if b == b',' { b'.' } else { b }).collect();
        Ok(fast_float2::parse(&pointed))
    }

    /// Parses the number of a row, or returns the reason why it is invalid.
    #[inline]
    pub fn number(&self, text: &[u8]) -> Result<f64, String> {
        let digits = match text {
            [b'+', b'+' | b'-', ..] => text,
            [b'+', digits @ ..] => digits,
            _ => text,
        };
        let name = self.kind.name();
        let refuse = |why: &str| Err(format!("the {name} {} {why}", quoted(text)));
        let value = match plain_decimal(digits) {
            Some(value) => Ok(value),
            None => fast_float2::parse::<f64, _>(digits),
        };
        let value =
            if self.separator == Separator::Byte(b';') { self.with_comma(digits, value)? } else { value };
        match value {
            Err(_) if text.is_empty() && self.kind == Value::Grade => refuse(UNJUDGED),
            Err(_) if self.is_truth(text) => Ok(f64::from(text.eq_ignore_ascii_case(b"true"))),
            Err(_) => refuse("is not a number"),
            Ok(value) if value.is_nan() => refuse("is not a number that can be ordered"),
            Ok(value) => match self.kind {
                // Adding zero turns -0.0 into 0.0: both are the same score.
                Value::Score => Ok(value + 0.0),
                Value::Rank if value.fract() != 0.0 => refuse(NO_RANK),
                Value::Rank => Ok(0.0 - value),
                Value::Grade if value.is_infinite() => refuse("is not finite"),
                Value::Grade => Ok(value + 0.0),
            },
        }
    }
}

type Parsed = Result<f64, fast_float2::Error>;

/// Iterates over the fields of a line.
enum Fields<'a> {
    /// A bit for each byte at which a field starts or has ended, computed without a branch per byte.
    Short {
        starts: u64,
        ends: u64,
    },
    Long {
        line: &'a [u8],
        at: usize,
    },
    Delimited {
        line: &'a [u8],
        at: usize,
        separator: u8,
        /// A field was quoted in a way that needs more than its line (`csv`).
        irregular: bool,
    },
}

impl Fields<'_> {
    /// Whether anything follows the fields so far, be it blanks only.
    #[inline(always)]
    fn are_left(&self) -> bool {
        match self {
            Fields::Short { starts, .. } => *starts != 0,
            Fields::Long { line, at } | Fields::Delimited { line, at, .. } => *at < line.len(),
        }
    }
}

impl Iterator for Fields<'_> {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        match self {
            Fields::Short { starts, ends } => {
                if *starts == 0 {
                    return None;
                }
                let field = (starts.trailing_zeros() as usize, ends.trailing_zeros() as usize);
                *starts &= *starts - 1;
                *ends &= *ends - 1;
                Some(field)
            }
            Fields::Long { line, at } => {
                let from = *at + line[*at..].iter().position(|&b| !is_blank(b))?;
                *at = line[from..].iter().position(|&b| is_blank(b)).map_or(line.len(), |n| from + n);
                Some((from, *at))
            }
            Fields::Delimited { line, at, separator, irregular } => {
                if *at > line.len() {
                    return None;
                }
                let (from, to, next) = delimited(line, *at, *separator, irregular);
                *at = next;
                Some((from, to))
            }
        }
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// A field without what stands around it; None where quotes stand within it.
#[inline]
fn short_field(line: &[u8], start: usize, end: usize, quotes: u64) -> Option<&[u8]> {
    if quotes == 0 || line.get(start) != Some(&b'"') {
        return Some(trimmed(&line[start..end]));
    }
    let own = quotes & ((1 << end) - (1 << start));
    (own.count_ones() == 2).then(|| &line[start + 1..end - 1])
}

/// The text without blanks around it.
#[inline]
fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = text {
        text = rest;
    }
    text
}

/// Powers of ten by which a number is divided: exact, as are all up to 1e22.
pub const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A number as most files have them, digits with or without a point, and short enough to be exact.
///
/// The digits and the power of ten are exact floating-point numbers, so their quotient is rounded
/// once: the result is the nearest number, as with any correct parser.
#[inline]
pub fn plain_decimal(text: &[u8]) -> Option<f64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut number = 0u64;
    let mut point = None;
    for (i, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            number = number * 10 + u64::from(digit);
        } else if byte == b'.' && point.is_none() {
            point = Some(i);
        } else {
            return None;
        }
    }
    let decimals = point.map_or(0, |at| digits.len() - 1 - at);
    if number >= 1 << 53 || digits.len() == usize::from(point.is_some()) {
        return None;
    }
    let value = number as f64 / POWERS[decimals];
    Some(if digits.len() < text.len() { -value } else { value })
}

/// Whether a text is digits with one comma among them. Spreadsheets write numbers so where the decimal
/// sign is a comma, and then separate columns by semicolons.
fn is_decimal_comma(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let commas = digits.iter().filter(|&&b| b == b',').count();
    commas == 1 && digits.len() > 1 && digits.iter().all(|&b| b == b',' || b.is_ascii_digit())
}

/// The field that starts at `at`: from, to, and where the next one starts.
///
/// Quotes around a field, and blanks before them, are not part of it, and the separator may stand between
/// them. Whatever else quotes may mean is `irregular`.
#[inline]
fn delimited(line: &[u8], at: usize, separator: u8, irregular: &mut bool) -> (usize, usize, usize) {
    let opening = at + line[at..].iter().take_while(|&&b| b == b' ').count();
    if line.get(opening) == Some(&b'"') {
        let closing = memchr::memchr(b'"', &line[opening + 1..]).map(|offset| opening + 1 + offset);
        match closing {
            Some(closing) if line.get(closing + 1).is_none_or(|&after| after == separator) => {
                return (opening + 1, closing, closing + 2);
            }
            _ => *irregular = true,
        }
    }
    let next = memchr::memchr(separator, &line[at..]).map_or(line.len(), |offset| at + offset);
    let (mut from, mut to) = (at, next);
    while from < to && line[from] == b' ' {
        from += 1;
    }
    while to > from && line[to - 1] == b' ' {
        to -= 1;
    }
    (from, to, next + 1)
}

const IRREGULAR: &str = "there are quotes that need more than one line to be understood";

/// Three columns without a header are a query, a document and its rank; people also have scores there.
pub const NO_RANK: &str = "is not a whole number; if these are scores, name the columns in a header";

/// What to do about a row without a grade.
const UNJUDGED: &str =
    "is not a number; leave the row out where the document is not judged, or write -1 there";

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn trec_run() -> Layout {
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

    pub fn trec_qrels() -> Layout {
        Layout {
            doc: 2,
            value: 3,
            kind: Value::Grade,
            least: 4,
            most: 4,
            shape: "query iteration document grade".into(),
            ..trec_run()
        }
    }

    fn row<'a>(layout: &Layout, line: &'a str) -> Row<'a> {
        layout.row(Line::of(line.as_bytes())).unwrap()
    }

    #[test]
    fn any_run_of_blanks_separates() {
        let expected = Row { query: b"301", doc: b"d1", value: 2.5 };
        for line in ["301 Q0 d1 1 2.5 tag", " 301\tQ0 \t d1 1 2.5 a tag with more", "301 Q0 d1 1 +2.5 t\r"] {
            assert_eq!(row(&trec_run(), line), expected, "{line:?}");
        }
    }

    #[test]
    fn numbers_in_every_notation() {
        for (text, value) in
            [("1e-3", 0.001), ("-inf", f64::NEG_INFINITY), (".5", 0.5), ("5.", 5.0), ("-0", 0.0)]
        {
            let line = format!("q Q0 d 1 {text} t");
            assert_eq!(row(&trec_run(), &line).value, value);
            assert!(row(&trec_run(), &line).value.is_sign_positive() || value < 0.0);
        }
    }

    #[test]
    fn plain_decimals_are_exact() {
        for text in
            ["0", "17", "22.187500", "-3.1", "0.1", ".5", "5.", "12345678.1234567", "9007199254740991"]
        {
            assert_eq!(plain_decimal(text.as_bytes()), text.parse().ok(), "{text}");
        }
        for text in ["", ".", "-", "1e5", "9007199254740993", "1.2.3", "12345678901234567", "--1"] {
            assert_eq!(plain_decimal(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (line, at, message) in [
            ("q Q0 d 1 abc t", 9, "the score 'abc' is not a number"),
            ("q Q0 d 1 nan t", 9, "the score 'nan' is not a number that can be ordered"),
            (
                "q Q0 d 1 1.5",
                12,
                "expected at least 6 fields (query Q0 document rank score tag), found only 5 fields",
            ),
            ("q Q0 d 1 0x1p3 t", 9, "the score '0x1p3' is not a number"),
        ] {
            assert_eq!(
                trec_run().row(Line::of(line.as_bytes())),
                Err(LineProblem { at, message: message.into() })
            );
        }
        let qrels = trec_qrels();
        assert!(qrels.row(Line::of(b"q 0 d inf")).is_err());
        assert!(qrels.row(Line::of(b"q 0 d 1 2")).unwrap_err().message.ends_with("found more than 4 fields"));
    }

    #[test]
    fn one_byte_separates_columns() {
        let csv =
            Layout { separator: Separator::Byte(b','), doc: 1, value: 2, least: 3, most: 3, ..trec_run() };
        assert_eq!(row(&csv, "a b, d ,7\r"), Row { query: b"a b", doc: b"d", value: 7.0 });
        assert_eq!(row(&csv, "\"a,b\",\"d\",\"7\""), Row { query: b"a,b", doc: b"d", value: 7.0 });
        let grades = Layout { kind: Value::Grade, ..csv.clone() };
        assert_eq!(["a,d,TRUE", "a,d,false"].map(|line| row(&grades, line).value), [1.0, 0.0]);
        assert!(grades.row(Line::of(b"a,d,yes")).is_err() && csv.row(Line::of(b"a,d,true")).is_err());
        for (line, message) in [
            ("a,,7", "the document id (field 2) is empty"),
            ("\"a,d,7", IRREGULAR),
            ("\"a\"\"b\",d,7", IRREGULAR),
            ("a\"b,d,7", "the query id (field 1) has a quote in it, but not around it"),
        ] {
            assert_eq!(csv.row(Line::of(line.as_bytes())).unwrap_err().message, message);
        }
    }
}
