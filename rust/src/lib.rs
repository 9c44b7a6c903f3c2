//! The core of Cleverdon: reading, ordering and joining. What Python does fast enough is not here.
//!
//! ```text
//! source -> trec (simd)   -> ranking (filter) -> join -> Hits  a text file, never held in memory
//!        -> scan (layout) -> table            -> join -> Hits  everything else
//!            csv (layout) -> table                           columns, with quoted line breaks where there are any
//!                                    -> gather               many runs, to choose what to judge
//! ```

#![deny(unsafe_code)]

pub mod csv;
pub mod filter;
pub mod gather;
pub mod ids;
pub mod join;
pub mod judgments;
pub mod layout;
pub mod marks;
pub mod problem;
#[cfg(feature = "python")]
mod python;
pub mod ranking;
pub mod scan;
pub mod segments;
pub mod simd;
pub mod source;
pub mod table;
pub mod threads;
pub mod trec;
pub mod utf16;
pub mod watch;
