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
    fn a_window() {
        let mut window = [b'x'; WINDOW];
        (window[0], window[17], window[63]) = (b' ', b'\t', b'\n');
        assert_eq!(Marks::of(&window), Marks { blanks: 1 | 1 << 17, newlines: 1 << 63 });
    }
}
