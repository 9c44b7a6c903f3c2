//! Sorting within the segments of an array, which numpy can only do by sorting the whole.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

/// Where the groups of equals begin and end: for each place, the first and last rank of its group.
pub type Groups = (Vec<i64>, Vec<i64>);

/// How many values are worth handing to another thread.
const TASK: usize = 8192;

/// The positive values of each segment from high to low, equals as they stand: positions and ranks.
pub struct Best {
    pub order: Vec<i64>,
    pub rank: Vec<i64>,
    /// How many there are in each segment.
    pub counts: Vec<i64>,
}

/// Puts the positive values of each segment in falling order. `starts` says where segments begin, with
/// one more entry for the end.
pub fn best_first(starts: &[i64], values: &[f64]) -> Best {
    let parts: Vec<Best> = tasks(starts)
        .into_par_iter()
        .map(|starts| {
            let length = (starts[starts.len() - 1] - starts[0]) as usize;
            let (order, rank) = (Vec::with_capacity(length), Vec::with_capacity(length));
            let mut best = Best { order, rank, counts: Vec::with_capacity(starts.len()) };
            let mut keys = Vec::new();
            for segment in starts.windows(2) {
                let (from, to) = (segment[0] as usize, segment[1] as usize);
                let positive = (from..to).filter(|&at| values[at] > 0.0);
                sort_falling(positive.map(|at| (values[at], (at - from) as u32)), &mut keys);
                best.order.extend(keys.iter().map(|&(_, at)| (from + at as usize) as i64));
                best.rank.extend(1..=keys.len() as i64);
                best.counts.push(keys.len() as i64);
            }
            best
        })
        .collect();
    Best {
        order: parts.iter().flat_map(|part| &part.order).copied().collect(),
        rank: parts.iter().flat_map(|part| &part.rank).copied().collect(),
        counts: parts.iter().flat_map(|part| &part.counts).copied().collect(),
    }
}

/// Whole segments, so many together as are worth handing to another thread.
fn tasks(starts: &[i64]) -> Vec<&[i64]> {
    let mut tasks = Vec::new();
    let mut first = 0;
    for last in 1..starts.len() {
        if starts[last] - starts[first] >= TASK as i64 || last + 1 == starts.len() {
            tasks.push(&starts[first..=last]);
            first = last;
        }
    }
    tasks
}

/// At each rank of each row, the position in the matrix; of equals the later column comes first.
/// And, where there are equals, the first and last rank of their group, from 1.
pub fn rank_matrix(scores: &[f64], columns: usize) -> (Vec<i64>, Option<Groups>) {
    let mut order = vec![0; scores.len()];
    let rows = (TASK / columns).max(1) * columns;
    let any_tied = order
        .par_chunks_mut(rows)
        .zip(scores.par_chunks(rows))
        .enumerate()
        .map(|(task, (order, scores))| {
            let mut keys = Vec::new();
            let mut any_tied = false;
            for (row, (order, scores)) in order.chunks_mut(columns).zip(scores.chunks(columns)).enumerate() {
                let first = task * rows + row * columns;
                let backwards = scores.iter().rev().enumerate();
                sort_falling(backwards.map(|(i, &score)| (score, i as u32)), &mut keys);
                any_tied |= keys.windows(2).any(|pair| pair[0].0 == pair[1].0);
                for (place, &(_, at)) in order.iter_mut().zip(&keys) {
                    *place = (first + columns - 1 - at as usize) as i64;
                }
            }
            any_tied
        })
        .reduce(|| false, |a, b| a | b);
    let tied = any_tied.then(|| groups_of_equals(scores, &order, columns));
    (order, tied)
}

/// Fills `keys` with the values' sort keys, the highest value first; of equals the lower number first.
fn sort_falling(values: impl Iterator<Item = (f64, u32)>, keys: &mut Vec<(u64, u32)>) {
    keys.clear();
    keys.extend(values.map(|(value, number)| (falling_key(value), number)));
    keys.sort_unstable();
}

/// A number that falls as the value rises, so that integers can be sorted instead of floats.
fn falling_key(value: f64) -> u64 {
    // Adding zero turns -0.0 into 0.0, which is the same value.
    let bits = (value + 0.0).to_bits();
    let rising = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    !rising
}

fn groups_of_equals(scores: &[f64], order: &[i64], columns: usize) -> Groups {
    let (mut from, mut to) = (Vec::with_capacity(order.len()), Vec::with_capacity(order.len()));
    for row in order.chunks(columns) {
        let mut start = 0;
        for group in row.chunk_by(|&a, &b| scores[a as usize] == scores[b as usize]) {
            let end = start + group.len();
            from.extend(std::iter::repeat_n(start as i64 + 1, group.len()));
            to.extend(std::iter::repeat_n(end as i64, group.len()));
            start = end;
        }
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_segment_by_itself() {
        let best = best_first(&[0, 3, 3, 7], &[1.0, 3.0, 0.0, 5.0, 7.0, -1.0, 5.0]);
        assert_eq!(best.order, [1, 0, 4, 3, 6]);
        assert_eq!(best.rank, [1, 2, 1, 2, 3]);
        assert_eq!(best.counts, [2, 0, 3]);
        assert_eq!(best_first(&[0], &[]).order, Vec::<i64>::new());
    }

    #[test]
    fn rows_of_a_matrix() {
        let (order, tied) = rank_matrix(&[1.0, 3.0, 2.0, -1.0, f64::NEG_INFINITY, 0.5], 3);
        assert_eq!((order, tied), (vec![1, 2, 0, 5, 3, 4], None));
        let (order, tied) = rank_matrix(&[0.0, 3.0, -0.0, 2.0, 2.0, 5.0], 3);
        assert_eq!(order, [1, 2, 0, 5, 4, 3]);
        assert_eq!(tied, Some((vec![1, 2, 2, 1, 2, 2], vec![1, 3, 3, 1, 3, 3])));
    }
}
