//! The positions of blanks and newlines in 64 bytes of text, as bits, computed without a branch.

use wide::u8x16;

/// The number of bytes that are examined together.
pub const WINDOW: usize = 64;

/// A bit for each byte; the lowest bit is that of the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Spaces and tabs.
    pub blanks: u64,
    pub newlines: u64,
}

impl Marks {
    #[inline]
    pub fn of(window: &[u8; WINDOW]) -> Marks {
        let mut marks = Marks { blanks: 0, newlines: 0 };
        for (i, part) in window.chunks_exact(16).enumerate() {
            let (blanks, newlines) = sixteen(part.try_into().unwrap_or_default());
            marks.blanks |= u64::from(blanks) << (16 * i);
            marks.newlines |= u64::from(newlines) << (16 * i);
        }
        marks
    }
}

/// Blanks and newlines of sixteen bytes, compared together.
#[inline]
fn sixteen(bytes: [u8; 16]) -> (u32, u32) {
    let text = u8x16::from(bytes);
    let is = |byte: u8| text.simd_eq(u8x16::splat(byte));
    ((is(b' ') | is(b'\t')).to_bitmask(), is(b'\n').to_bitmask())
}

/// The same for a text of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    pub separators: u64,
    pub newlines: u64,
    pub quotes: u64,
    pub returns: u64,
}

impl Columns {
    #[inline]
    pub fn of(window: &[u8; WINDOW], separator: u8) -> Columns {
        let mut marks = Columns { separators: 0, newlines: 0, quotes: 0, returns: 0 };
        for (i, part) in window.chunks_exact(16).enumerate() {
            let text = u8x16::from(<[u8; 16]>::try_from(part).unwrap_or_default());
            let are = |byte: u8| u64::from(text.simd_eq(u8x16::splat(byte)).to_bitmask()) << (16 * i);
            marks.separators |= are(separator);
            marks.newlines |= are(b'\n');
            marks.quotes |= are(b'"');
            marks.returns |= are(b'\r');
        }
        marks
    }

    /// From each opening quote up to its closing one; two quotes in a row close and open.
    #[inline]
    pub fn inside(&self) -> u64 {
        let mut inside = self.quotes;
        for shift in [1, 2, 4, 8, 16, 32] {
            inside ^= inside << shift;
        }
        inside
    }
}

/// Where a separator stands in a short text, a bit for each; None where the text is too long, or has
/// a quote in it.
#[inline]
pub fn separators(text: &[u8], separator: u8) -> Option<u64> {
    let mut window = [0u8; WINDOW];
    window.get_mut(..text.len())?.copy_from_slice(text);
    let (mut found, mut quotes) = (0, 0);
    for (i, part) in window.chunks_exact(16).enumerate() {
        let text = u8x16::from(<[u8; 16]>::try_from(part).unwrap_or_default());
        found |= u64::from(text.simd_eq(u8x16::splat(separator)).to_bitmask()) << (16 * i);
        quotes |= text.simd_eq(u8x16::splat(b'"')).to_bitmask();
    }
    (quotes == 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_told_apart() {
        for byte in 0..=255 {
            let marks = Marks::of(&[byte; WINDOW]);
            assert_eq!(marks.blanks, if byte == b' ' || byte == b'\t' { u64::MAX } else { 0 });
            assert_eq!(marks.newlines, if byte == b'\n' { u64::MAX } else { 0 });
        }
    }

    #[test]
    fn separators_of_short_texts() {
        assert_eq!(separators(b"a,b,,c", b','), Some(0b11010));
        assert_eq!(separators(&[b';'; WINDOW], b';'), Some(u64::MAX));
        assert_eq!(separators(b"a,\"b\"", b','), None);
        assert_eq!(separators(&[b';'; WINDOW + 1], b';'), None);
        assert_eq!(separators(b"", b','), Some(0));
    }

    #[test]
    fn columns_of_a_window() {
        let mut window = [b'x'; WINDOW];
        window[..13].copy_from_slice(b"a,\"b\"\"\n\",c\r\n\"");
        let marks = Columns::of(&window, b',');
        assert_eq!(
            (marks.separators, marks.newlines, marks.returns),
            (1 << 1 | 1 << 8, 1 << 6 | 1 << 11, 1 << 10)
        );
        assert_eq!(marks.quotes, 0b1_0000_1011_0100);
        assert_eq!(marks.inside(), 0b110_1100 | u64::MAX << 12);
    }

    #[test]
    fn a_window() {
        let mut window = [b'x'; WINDOW];
        (window[0], window[17], window[63]) = (b' ', b'\t', b'\n');
        assert_eq!(Marks::of(&window), Marks { blanks: 1 | 1 << 17, newlines: 1 << 63 });
    }
}
