//! Text in UTF-16, as Excel and other Windows programs save it, read as UTF-8.

use std::io::{self, Read};

/// How errors of this module begin.
pub const NOT_UTF16: &str = "is not valid UTF-16";

/// Which byte of a unit comes first; the byte order mark tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// By the first bytes of a text; None where it is not UTF-16, or has no mark.
    pub fn of(head: &[u8]) -> Option<ByteOrder> {
        match head {
            // Four such bytes begin a stream of Arrow's, and two of them with zeros UTF-32.
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(ByteOrder::Little),
            [0xfe, 0xff, ..] => Some(ByteOrder::Big),
            _ => None,
        }
    }
}

/// Reads UTF-16 and hands out UTF-8, without the byte order mark.
pub struct Transcoded<R> {
    inner: R,
    order: ByteOrder,
    /// Bytes that are read and not yet decoded: half a unit, or half a pair of surrogates.
    waiting: Vec<u8>,
    /// Text that is decoded and not yet handed out, and how much of it was.
    ready: Vec<u8>,
    taken: usize,
    /// How many bytes were decoded.
    decoded: u64,
}

impl<R: Read> Transcoded<R> {
    pub fn new(inner: R, order: ByteOrder) -> Self {
        Transcoded { inner, order, waiting: Vec::new(), ready: Vec::new(), taken: 0, decoded: 0 }
    }

    /// Reads another piece; false at the end.
    fn refill(&mut self) -> io::Result<bool> {
        let mut piece = vec![0; 1 << 16];
        let length = self.inner.read(&mut piece)?;
        self.waiting.extend_from_slice(&piece[..length]);
        let whole = self.waiting.len() / 2;
        let unit = |i: usize| {
            let bytes = [self.waiting[2 * i], self.waiting[2 * i + 1]];
            match self.order {
                ByteOrder::Little => u16::from_le_bytes(bytes),
                ByteOrder::Big => u16::from_be_bytes(bytes),
            }
        };
        let mut units = whole;
        // The first half of a pair waits for the second.
        if length > 0 && whole > 0 && (0xd800..0xdc00).contains(&unit(whole - 1)) {
            units -= 1;
        }
        if length == 0 && self.waiting.len() > 2 * units {
            return Err(self.invalid(2 * units));
        }
        let (mut text, mut at) = (String::with_capacity(units), 0);
        for decoded in char::decode_utf16((0..units).map(unit)) {
            match decoded {
                Ok('\u{feff}') if self.decoded == 0 && at == 0 => at += 1,
                Ok(c) => {
                    text.push(c);
                    at += c.len_utf16();
                }
                Err(_) => return Err(self.invalid(2 * at)),
            }
        }
        self.waiting.drain(..2 * units);
        self.decoded += 2 * units as u64;
        (self.ready, self.taken) = (text.into_bytes(), 0);
        Ok(length > 0)
    }

    fn invalid(&self, at: usize) -> io::Error {
        let place = self.decoded + at as u64 + 1;
        io::Error::new(io::ErrorKind::InvalidData, format!("{NOT_UTF16}: byte {place} begins no character"))
    }
}

impl<R: Read> Read for Transcoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            if !self.refill()? && self.ready.len() == self.taken {
                return Ok(0);
            }
        }
        let length = buffer.len().min(self.ready.len() - self.taken);
        buffer[..length].copy_from_slice(&self.ready[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time, so that units and pairs are cut.
    struct Dripping<'a>(&'a [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(buffer.len()).min(self.0.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn encoded(text: &str, order: ByteOrder) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            ByteOrder::Little => unit.to_le_bytes(),
            ByteOrder::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn any_piece_gives_the_same_text() {
        let text = "query;doc\r\nsmörgås 😀;d1\r\n\u{feff}";
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let bytes = encoded(&format!("\u{feff}{text}"), order);
            assert_eq!(ByteOrder::of(&bytes), Some(order));
            for size in 1..7 {
                let mut found = String::new();
                Transcoded::new(Dripping(&bytes, size), order).read_to_string(&mut found).unwrap();
                assert_eq!(found, text, "{order:?}, {size} bytes at a time");
            }
        }
    }

    #[test]
    fn what_is_no_character_is_an_error() {
        for (units, place) in [(vec![0x61, 0xdc00, 0x62], 3), (vec![0x61, 0xd800], 3)] {
            let bytes: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
            let mut found = Vec::new();
            let error = Transcoded::new(&bytes[..], ByteOrder::Little).read_to_end(&mut found).unwrap_err();
            assert_eq!(error.to_string(), format!("{NOT_UTF16}: byte {place} begins no character"));
        }
        let mut found = Vec::new();
        assert!(Transcoded::new(&b"a\0b"[..], ByteOrder::Little).read_to_end(&mut found).is_err());
    }
}
