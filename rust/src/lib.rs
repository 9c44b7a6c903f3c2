//! The core of Cleverdon: reading, ordering and joining, and nothing that Python does fast enough.
//!
//! ```text
//! source -> scan (layout) -> ranking -> join -> Hits          a text file, never held in memory
//!                         -> table   -> join -> Hits          everything else
//! ```

#![deny(unsafe_code)]

pub mod ids;
pub mod join;
pub mod judgments;
pub mod layout;
pub mod marks;
pub mod pool;
pub mod problem;
#[cfg(feature = "python")]
mod python;
pub mod ranking;
pub mod scan;
pub mod segments;
pub mod source;
pub mod table;
pub mod watch;
