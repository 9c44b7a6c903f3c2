//! Any bytes as a block of a run: every way of reading it gives the same rows, or the same failure.
//!
//! `cargo fuzz run -s none trec_rows rust/fuzz/corpus rust/fuzz/seeds/trec_rows`, in the folder `rust`.

#![no_main]

#[path = "../../tests/alike/mod.rs"]
mod alike;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    alike::same(bytes);
});
