//! The vector instructions of the core, in two ways that give the same: AVX2, chosen when the program runs,
//! and portable.
//!
//! The intrinsics are unsafe for two reasons, and this is why they cannot do harm here:
//!
//! - *The processor may lack an instruction.* An `Avx2` exists only where `detect` has asked the processor for
//!   every feature that the functions of this module are compiled for, and they are called through one only.
//! - *A load reads memory.* Every load takes a reference to an array that is as long as what is loaded, so
//!   that the compiler has checked the bounds; no load needs alignment. Nothing is stored through a pointer.
//!
//! `Portable` gives the same results without `unsafe`. Tests compare both, on all that they can differ in.

#![allow(unsafe_code)]

use wide::{i8x16, u8x16};

use crate::layout::plain_decimal;
use crate::marks::WINDOW;

/// The bytes that end a number: at most so many digits, with a point among them, are read at once.
pub const NUMBER: usize = 16;

/// A bit for each byte of a window; the lowest bit is that of the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// Blanks, controls and bytes that are not ASCII.
    pub unusual: u64,
    pub spaces: u64,
}

/// What can be done in either way.
pub trait Kernel: Copy {
    fn flags(self, window: &[u8; WINDOW]) -> Flags;

    /// The number in the last `length` of these bytes: digits, perhaps with a point, and short enough to be
    /// exact; None for any other text.
    fn decimal(self, bytes: &[u8; NUMBER], length: usize) -> Option<f64>;
}

/// Work that is compiled once for each kernel. `run` should be inlined always, with all that is hot in it.
pub trait Task {
    type Output;

    fn run<K: Kernel>(self, kernel: K) -> Self::Output;
}

/// Does the work with the best kernel that this processor has.
#[inline]
pub fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = avx2::Avx2::detect() {
        return kernel.run(task);
    }
    task.run(Portable)
}

/// Without instructions that some processors lack.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Kernel for Portable {
    #[inline(always)]
    fn flags(self, window: &[u8; WINDOW]) -> Flags {
        let mut flags = Flags { unusual: 0, spaces: 0 };
        for (i, part) in window.chunks_exact(16).enumerate() {
            let bytes: [u8; 16] = part.try_into().unwrap_or_default();
            let signed = i8x16::from(bytes.map(|byte| byte as i8));
            let unusual = signed.simd_lt(i8x16::splat(0x21)).to_bitmask();
            let spaces = u8x16::from(bytes).simd_eq(u8x16::splat(b' ')).to_bitmask();
            flags.unusual |= u64::from(unusual) << (16 * i);
            flags.spaces |= u64::from(spaces) << (16 * i);
        }
        flags
    }

    #[inline(always)]
    fn decimal(self, bytes: &[u8; NUMBER], length: usize) -> Option<f64> {
        let digits = &bytes[NUMBER.checked_sub(length)?..];
        if digits.first() == Some(&b'-') {
            return None;
        }
        plain_decimal(digits)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::*;

    use super::{Flags, Kernel, Task, NUMBER, WINDOW};
    use crate::layout::POWERS;

    /// The proof that this processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx2(());

    impl Avx2 {
        #[inline]
        pub fn detect() -> Option<Avx2> {
            let found = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            found.then_some(Avx2(()))
        }

        #[inline]
        pub fn run<T: Task>(self, task: T) -> T::Output {
            // SAFETY: there is an `Avx2`, so the processor has the features.
            unsafe { run(self, task) }
        }
    }

    impl Kernel for Avx2 {
        #[inline(always)]
        fn flags(self, window: &[u8; WINDOW]) -> Flags {
            // SAFETY: there is an `Avx2`, so the processor has the features.
            unsafe { flags(window) }
        }

        #[inline(always)]
        fn decimal(self, bytes: &[u8; NUMBER], length: usize) -> Option<f64> {
            // SAFETY: there is an `Avx2`, so the processor has the features.
            unsafe { decimal(bytes, length) }
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run<T: Task>(kernel: Avx2, task: T) -> T::Output {
        task.run(kernel)
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn flags(window: &[u8; WINDOW]) -> Flags {
        let halves = window.as_ptr().cast::<__m256i>();
        // SAFETY: the window has 64 bytes, which are two vectors of 32; `loadu` needs no alignment.
        let (low, high) = unsafe { (_mm256_loadu_si256(halves), _mm256_loadu_si256(halves.add(1))) };
        let usual = _mm256_set1_epi8(0x20);
        let both = |low, high| {
            u64::from(_mm256_movemask_epi8(low) as u32) | u64::from(_mm256_movemask_epi8(high) as u32) << 32
        };
        // Signed, so that bytes that are not ASCII are negative, and also not above a blank.
        let above = both(_mm256_cmpgt_epi8(low, usual), _mm256_cmpgt_epi8(high, usual));
        let spaces = both(_mm256_cmpeq_epi8(low, usual), _mm256_cmpeq_epi8(high, usual));
        Flags { unusual: !above, spaces }
    }

    /// Sixteen digits at once: the point is shuffled out, then neighbours are added, weighted by ten, by a
    /// hundred and by ten thousand.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn decimal(bytes: &[u8; NUMBER], length: usize) -> Option<f64> {
        const POINT: i8 = b'.' as i8 - b'0' as i8;
        if length == 0 || length > NUMBER {
            return None;
        }
        // SAFETY: the array has 16 bytes, as the vector; `loadu` needs no alignment.
        let text = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        let index = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let inside = _mm_cmpgt_epi8(index, _mm_set1_epi8(NUMBER as i8 - 1 - length as i8));
        let digits = _mm_and_si128(_mm_sub_epi8(text, _mm_set1_epi8(b'0' as i8)), inside);
        let points = _mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_set1_epi8(POINT))) as u32;
        let valid = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits)) as u32;
        // One point at most, and not only a point.
        let one_point = points & points.wrapping_sub(1) == 0 && length > points.count_ones() as usize;
        if points | valid != 0xffff || !one_point {
            return None;
        }
        // The place behind the point, 0 if there is none: all digits before it move up by one.
        let behind = 32 - points.leading_zeros();
        let moved = _mm_cmpgt_epi8(_mm_set1_epi8(behind as i8), index);
        let digits = _mm_shuffle_epi8(digits, _mm_add_epi8(index, moved));
        let tens = _mm_setr_epi8(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1);
        let pairs = _mm_maddubs_epi16(digits, tens);
        let fours = _mm_madd_epi16(pairs, _mm_setr_epi16(100, 1, 100, 1, 100, 1, 100, 1));
        let packed = _mm_packus_epi32(fours, fours);
        let eights = _mm_madd_epi16(packed, _mm_setr_epi16(10000, 1, 10000, 1, 10000, 1, 10000, 1));
        let both = _mm_cvtsi128_si64(eights) as u64;
        let number = (both & 0xffff_ffff) * 100_000_000 + (both >> 32);
        if number >= 1 << 53 {
            return None;
        }
        let decimals = (NUMBER as u32 - behind) as usize % NUMBER;
        // As in `plain_decimal`: both are exact, so that the quotient is rounded once.
        Some(number as f64 / POWERS[decimals])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both kernels say, as one text that must be the same.
    struct Flagged<'a>(&'a [u8; WINDOW]);

    impl Task for Flagged<'_> {
        type Output = Flags;

        fn run<K: Kernel>(self, kernel: K) -> Flags {
            kernel.flags(self.0)
        }
    }

    struct Number<'a>(&'a [u8; NUMBER], usize);

    impl Task for Number<'_> {
        type Output = Option<u64>;

        fn run<K: Kernel>(self, kernel: K) -> Option<u64> {
            kernel.decimal(self.0, self.1).map(f64::to_bits)
        }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % limit
        }
    }

    fn flags(window: &[u8; WINDOW]) -> Flags {
        let flags = Flagged(window).run(Portable);
        assert_eq!(run(Flagged(window)), flags, "{window:?}");
        flags
    }

    fn number(text: &[u8], before: u8) -> Option<f64> {
        let mut bytes = [before; NUMBER];
        let kept = text.len().min(NUMBER);
        bytes[NUMBER - kept..].copy_from_slice(&text[text.len() - kept..]);
        let portable = Number(&bytes, text.len()).run(Portable);
        assert_eq!(run(Number(&bytes, text.len())), portable, "{text:?} behind {before}");
        portable.map(f64::from_bits)
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=255u8 {
            for at in 0..WINDOW {
                let mut window = [b'x'; WINDOW];
                window[at] = byte;
                let unusual = byte <= b' ' || byte >= 0x80;
                let expected =
                    Flags { unusual: u64::from(unusual) << at, spaces: u64::from(byte == b' ') << at };
                assert_eq!(flags(&window), expected);
            }
        }
    }

    #[test]
    fn windows_of_random_bytes() {
        let mut random = Random(7);
        for _ in 0..20_000 {
            let few = random.below(2) == 0;
            let of = |i: u64| if few { b" \t\n\r!~\x7f\x80\xffa"[i as usize % 10] } else { i as u8 };
            let window = std::array::from_fn(|_| of(random.below(256)));
            let found = flags(&window);
            for (at, &byte) in window.iter().enumerate() {
                assert_eq!(found.unusual >> at & 1 == 1, byte <= b' ' || byte >= 0x80);
                assert_eq!(found.spaces >> at & 1 == 1, byte == b' ');
            }
        }
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for text in [
            "0",
            "17",
            "22.187500",
            "0.1",
            ".5",
            "5.",
            "000.000",
            "9007199254740991",
            "123456789012345.",
            ".123456789012345",
            "0.30000000000000",
            "99999999",
            "100000000",
            "12345678.9",
            "1234567.12345678",
        ] {
            for before in [b' ', b'0', b'9', b'.', 0, 255] {
                assert_eq!(number(text.as_bytes(), before), text.parse().ok(), "{text}");
            }
        }
        for text in [
            "",
            ".",
            "-",
            "-1",
            "+1",
            "1e5",
            "9007199254740992",
            "9999999999999999",
            "1.2.3",
            "..",
            "1,5",
            "12345678901234567",
            "1 2",
            "0x1",
            "inf",
            "nan",
            "1:",
            "/1",
            "1\u{b2}",
            "12.34567890123456",
        ] {
            let value = number(text.as_bytes(), b' ');
            let usual = text.len() <= NUMBER && value == text.parse().ok();
            assert!(value.is_none() || usual, "{text}");
            number(text.as_bytes(), b'9');
        }
    }

    #[test]
    fn numbers_of_random_texts() {
        let mut random = Random(11);
        let mut read = 0;
        for _ in 0..200_000 {
            let letters: &[u8] =
                [&b"0123456789"[..], b"0123456789.", b"01.-+e9", b"\x00\xff/:.0 9"][random.below(4) as usize];
            let length = random.below(NUMBER as u64 + 3) as usize;
            let text: Vec<u8> =
                (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
            let value = number(&text, b"0. 9-"[random.below(5) as usize]);
            if let Some(value) = value {
                read += 1;
                let text = std::str::from_utf8(&text).unwrap();
                assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
            }
        }
        assert!(read > 50_000, "{read}");
    }
}
