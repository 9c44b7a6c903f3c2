//! A filter of bits over the documents of one query: finds the few results that may be judged, or may be there twice.
//!
//! Each document has one bit, of 128 for each result. Those of the judged documents are set beforehand. A result whose
//! bit is set already is a candidate: it is judged, or it repeats another, or two documents share a bit, which happens
//! to one result in 256. Most results are none, and are never compared with anything.

use crate::judgments::JudgedQuery;

const BITS: usize = 128;

/// Reused from query to query.
#[derive(Default)]
pub struct Filter {
    bits: Vec<u64>,
    candidates: Vec<u32>,
}

impl Filter {
    /// Makes room for so many documents, and forgets all others.
    pub fn clear(&mut self, documents: usize) {
        self.bits.clear();
        self.bits.resize((documents * BITS / 64).max(1), 0);
    }

    /// Sets the bit of a hash; whether it was set before.
    #[inline]
    pub fn set(&mut self, hash: u64) -> bool {
        set(&mut self.bits, hash)
    }

    /// Sets the bit of every row's hash, and returns the rows whose bit was set before.
    pub fn candidates(&mut self, hashes: &[u64]) -> &[u32] {
        self.candidates.clear();
        let bits = &mut self.bits[..];
        for (row, &hash) in hashes.iter().enumerate() {
            if set(bits, hash) {
                self.candidates.push(row as u32);
            }
        }
        &self.candidates
    }
}

#[inline(always)]
fn set(bits: &mut [u64], hash: u64) -> bool {
    // The upper half of the hash, as a share of all words; the lowest bits are the place within the word.
    let word = (((hash >> 32) * bits.len() as u64) >> 32) as usize;
    let bit = 1 << (hash & 63);
    let before = bits[word];
    bits[word] = before | bit;
    before & bit != 0
}

/// The judged documents of a query by the hashes of their ids, and which of them were found.
#[derive(Default)]
pub struct Places {
    /// A judged document in each, counted from 1; 0 is free.
    slots: Vec<u32>,
    found: Vec<bool>,
}

impl Places {
    /// Takes the judged documents of a query; false if two of them may be the same.
    pub fn fill(&mut self, judged: JudgedQuery<'_>) -> bool {
        let count = judged.len();
        self.slots.clear();
        self.slots.resize((2 * count).next_power_of_two(), 0);
        self.found.clear();
        self.found.resize(count, false);
        for at in 0..count {
            let slot = self.slot(judged, judged.hash(at), |_| true);
            if self.slots[slot] != 0 {
                return false;
            }
            self.slots[slot] = at as u32 + 1;
        }
        true
    }

    /// The judged document with this id: its position among those of the query, and whether it was found before.
    pub fn find(&mut self, judged: JudgedQuery<'_>, doc: &[u8], hash: u64) -> Option<(usize, bool)> {
        let slot = self.slot(judged, hash, |at| judged.id(at) == doc);
        let at = (self.slots[slot] as usize).checked_sub(1)?;
        Some((at, std::mem::replace(&mut self.found[at], true)))
    }

    /// The slot of the document with this hash of which `same` holds, or the free one where it would be.
    fn slot(&self, judged: JudgedQuery<'_>, hash: u64, same: impl Fn(usize) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match (self.slots[slot] as usize).checked_sub(1) {
                Some(at) if judged.hash(at) != hash || !same(at) => slot = (slot + 1) & mask,
                _ => return slot,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_one_is_a_candidate() {
        let mut filter = Filter::default();
        for documents in [0, 1, 5, 1000] {
            filter.clear(documents);
            let hashes: Vec<u64> =
                (0..documents as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let first = filter.candidates(&hashes).len();
            assert!(first * 20 <= documents, "{first} of {documents}");
            assert_eq!(filter.candidates(&hashes).len(), documents);
        }
    }

    #[test]
    fn what_was_set_beforehand_is_a_candidate() {
        let mut filter = Filter::default();
        filter.clear(2);
        assert!(!filter.set(u64::MAX) && filter.set(u64::MAX));
        assert_eq!(filter.candidates(&[0, u64::MAX, 1 << 63]), [1]);
        filter.clear(2);
        assert_eq!(filter.candidates(&[0, u64::MAX, 1 << 63]), [0u32; 0]);
    }
}
