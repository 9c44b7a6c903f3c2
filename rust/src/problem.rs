//! The error type of the core: what is wrong with an input, and where.

use std::fmt::Write;

/// A failure that the caller can act on.
#[derive(Debug)]
pub enum Problem {
    /// An error in the text. `line` and `column` count from 1.
    Input { source: String, line: Option<u64>, column: Option<u64>, message: String },
    /// The operating system could not open or read the input.
    Io { source: String, error: std::io::Error },
    /// The user pressed Ctrl-C.
    Interrupted,
}

pub type Outcome<T> = Result<T, Problem>;

impl Problem {
    /// A problem of the input as a whole.
    pub fn whole(source: &str, message: impl Into<String>) -> Self {
        Problem::Input { source: source.into(), line: None, column: None, message: message.into() }
    }

    pub fn io(source: &str, error: std::io::Error) -> Self {
        Problem::Io { source: source.into(), error }
    }
}

/// Quotes text from an input for a message: short, on one line, printable.
pub fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(bytes);
    let mut shown = String::from("'");
    for (i, c) in text.chars().enumerate() {
        if i == LONGEST {
            shown.push('…');
            break;
        }
        if c.is_control() {
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.push('\'');
    shown
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_stay_short_and_printable() {
        assert_eq!(quoted(b"abc"), "'abc'");
        assert_eq!(quoted(b"a\x1b[31m\0"), "'a\\u{1b}[31m\\u{0}'");
        assert_eq!(quoted(&[0xff, b'x']), "'\u{fffd}x'");
        assert_eq!(quoted(&[b'z'; 100]).chars().count(), 43);
    }
}
