//! Sorting within segments of an array: numpy can only sort the whole array.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

/// Groups of equal scores: for each position, the first and last rank of its group.
pub type Groups = (Vec<i64>, Vec<i64>);

/// The least number of values that is worth another thread.
const TASK: usize = 8192;

/// Counts the positive values of each segment. `starts` has the start of each segment, and the end
/// of the last.
pub fn count_positive(starts: &[i64], values: &[f64]) -> Vec<i64> {
    let segments = starts.windows(2).map(|segment| &values[segment[0] as usize..segment[1] as usize]);
    segments.map(|values| values.iter().filter(|&&value| value > 0.0).count() as i64).collect()
}

/// Sorts the positive values of each segment in descending order (stable), and fills in their
/// positions and ranks: as many as `count_positive` counted.
pub fn best_first(starts: &[i64], values: &[f64], counts: &[i64], order: &mut [i64], rank: &mut [i64]) {
    let mut tasks = Vec::new();
    let (mut order, mut rank) = (order, rank);
    for (first, last) in tasks_of(starts) {
        let length = counts[first..last].iter().sum::<i64>() as usize;
        let (here, rest) = order.split_at_mut(length);
        let (ranks, later) = rank.split_at_mut(length);
        (order, rank) = (rest, later);
        tasks.push((&starts[first..=last], here, ranks));
    }
    tasks.into_par_iter().for_each(|(starts, order, rank)| {
        let mut keys = Vec::new();
        let mut done = 0;
        for segment in starts.windows(2) {
            let (from, to) = (segment[0] as usize, segment[1] as usize);
            let segment = &values[from..to];
            let ended = match place_levels(segment, from, &mut order[done..], &mut keys) {
                Some(placed) => done + placed,
                None => {
                    let positive = (0..segment.len()).filter(|&at| segment[at] > 0.0);
                    sort_falling(positive, |at| segment[at], &mut keys);
                    for (place, &key) in order[done..].iter_mut().zip(&keys) {
                        *place = (from + number_in(key)) as i64;
                    }
                    done + keys.len()
                }
            };
            for (rank, place) in rank[done..ended].iter_mut().zip(1..) {
                *rank = place;
            }
            done = ended;
        }
    });
}

/// Values below this number are counted instead of sorted. Most grades are whole numbers from 0 to 4.
const LEVELS: usize = 16;

/// Sorts the positive values of the segment that starts at `from` by counting, if all are small whole
/// numbers; returns their number. `sorted` is a buffer.
fn place_levels(values: &[f64], from: usize, order: &mut [i64], sorted: &mut Vec<u64>) -> Option<usize> {
    let level_of = |value: f64| value.max(0.0) as usize;
    let whole = |&value: &f64| (value.max(0.0).trunc() == value.max(0.0)) & (value < LEVELS as f64);
    if !values.iter().map(whole).fold(true, |all, whole| all & whole) {
        return None;
    }
    let mut next = [0; LEVELS];
    for &value in values {
        next[level_of(value) % LEVELS] += 1;
    }
    let mut placed = 0;
    for count in next.iter_mut().rev() {
        (placed, *count) = (placed + *count, placed);
    }
    let positive = next[0];
    // Values that are not positive are placed too, at the end: a branch would often be mispredicted.
    sorted.resize(values.len(), 0);
    for (at, &value) in values.iter().enumerate() {
        let place = &mut next[level_of(value) % LEVELS];
        sorted[*place] = at as u64;
        *place += 1;
    }
    for (place, &at) in order.iter_mut().zip(&sorted[..positive]) {
        *place = (from as u64 + at) as i64;
    }
    Some(positive)
}

/// Ranges of whole segments, each with enough values to be worth another thread.
fn tasks_of(starts: &[i64]) -> Vec<(usize, usize)> {
    let mut tasks = Vec::new();
    let mut first = 0;
    for last in 1..starts.len() {
        if starts[last] - starts[first] >= TASK as i64 || last + 1 == starts.len() {
            tasks.push((first, last));
            first = last;
        }
    }
    tasks
}

/// Ranks each row of a matrix by its scores; among equal scores the later column comes first. Fills in
/// the position in the matrix and the grade at each rank of each row. Returns the first and last rank
/// of each group of equal scores, from 1, if there are any.
pub fn rank_matrix(
    grades: &[f64],
    scores: &[f64],
    columns: usize,
    doc: &mut [i64],
    grade: &mut [f64],
) -> Option<Groups> {
    let size = (TASK / columns).max(1) * columns;
    let any_tied = (doc.par_chunks_mut(size), grade.par_chunks_mut(size), scores.par_chunks(size))
        .into_par_iter()
        .enumerate()
        .map(|(task, (doc, grade, scores))| {
            let mut keys = Vec::new();
            let mut any_tied = false;
            for (row, scores) in scores.chunks(columns).enumerate() {
                sort_falling(0..columns, |i| scores[columns - 1 - i], &mut keys);
                let first = row * columns;
                let mut above = f64::NAN;
                for (i, &key) in keys.iter().enumerate() {
                    let column = columns - 1 - number_in(key);
                    let at = task * size + first + column;
                    doc[first + i] = at as i64;
                    grade[first + i] = grades[at];
                    any_tied |= scores[column] == above;
                    above = scores[column];
                }
            }
            any_tied
        })
        .reduce(|| false, |a, b| a | b);
    any_tied.then(|| groups_of_equals(scores, doc, columns))
}

/// Sums the values of each of `groups` groups, in the order of the array; `None` if a value has a
/// group out of range.
///
/// Neighbours mostly belong to the same group, so the sum can stay in a register.
pub fn total(group: &[i64], values: &[f64], groups: usize) -> Option<Vec<f64>> {
    let mut totals = vec![0.0; groups];
    let mut values = values;
    for rows in group.chunk_by(|a, b| a == b) {
        let (here, rest) = values.split_at(rows.len());
        let total = totals.get_mut(usize::try_from(rows[0]).ok()?)?;
        *total = here.iter().fold(*total, |sum, value| sum + value);
        values = rest;
    }
    Some(totals)
}

/// The number of bits of a sort key that hold the value's number; the others are its upper bits.
const NUMBER_BITS: u32 = 32;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;

/// The number of the value of a sort key.
fn number_in(key: u64) -> usize {
    (key & NUMBER) as usize
}

/// Fills `keys` with a sort key for each of the numbered values, the highest value first; among equal
/// values, the lower number first.
///
/// One integer holds the number and as many upper bits of the value as fit: sorting integers is twice
/// as fast as sorting pairs. Values with the same upper bits are compared again.
fn sort_falling(numbers: impl Iterator<Item = usize>, value: impl Fn(usize) -> f64, keys: &mut Vec<u64>) {
    keys.clear();
    keys.extend(numbers.map(|number| falling_key(value(number)) & !NUMBER | number as u64));
    keys.sort_unstable();
    let exactly = |&key: &u64| (falling_key(value(number_in(key))), key);
    for alike in keys.chunk_by_mut(|a, b| a & !NUMBER == b & !NUMBER) {
        if alike.len() > 1 && !alike.is_sorted_by_key(exactly) {
            alike.sort_unstable_by_key(exactly);
        }
    }
}

/// An integer that decreases as the value increases, so that integers can be sorted instead of floats.
fn falling_key(value: f64) -> u64 {
    // Adding zero turns -0.0 into 0.0: both are the same value.
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

    fn best(starts: &[i64], values: &[f64]) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
        let counts = count_positive(starts, values);
        let length = counts.iter().sum::<i64>() as usize;
        let (mut order, mut rank) = (vec![0; length], vec![0; length]);
        best_first(starts, values, &counts, &mut order, &mut rank);
        (order, rank, counts)
    }

    fn ranked(scores: &[f64], columns: usize) -> (Vec<i64>, Option<Groups>) {
        let (mut doc, mut grade) = (vec![0; scores.len()], vec![0.0; scores.len()]);
        let tied = rank_matrix(scores, scores, columns, &mut doc, &mut grade);
        assert!(doc.iter().zip(&grade).all(|(&at, &grade)| grade == scores[at as usize]));
        (doc, tied)
    }

    #[test]
    fn each_segment_by_itself() {
        let (order, rank, counts) = best(&[0, 3, 3, 7], &[1.0, 3.0, 0.0, 5.0, 7.0, -1.0, 5.0]);
        assert_eq!(order, [1, 0, 4, 3, 6]);
        assert_eq!(rank, [1, 2, 1, 2, 3]);
        assert_eq!(counts, [2, 0, 3]);
        assert_eq!(best(&[0], &[]).0, Vec::<i64>::new());
        // Whole numbers are counted, others are sorted: the result must be the same.
        assert_eq!(best(&[0, 5], &[1.0, 2.0, -3.0, 1.0, 15.0]).0, [4, 1, 0, 3]);
        assert_eq!(best(&[0, 5], &[1.0, 2.5, -3.0, 1.0, 15.0]).0, [4, 1, 0, 3]);
        assert_eq!(best(&[0, 5], &[1.0, 2.0, -3.5, 1.0, 16.0]).0, [4, 1, 0, 3]);
    }

    #[test]
    fn rows_of_a_matrix() {
        let (order, tied) = ranked(&[1.0, 3.0, 2.0, -1.0, f64::NEG_INFINITY, 0.5], 3);
        assert_eq!((order, tied), (vec![1, 2, 0, 5, 3, 4], None));
        let (order, tied) = ranked(&[0.0, 3.0, -0.0, 2.0, 2.0, 5.0], 3);
        assert_eq!(order, [1, 2, 0, 5, 4, 3]);
        assert_eq!(tied, Some((vec![1, 2, 2, 1, 2, 2], vec![1, 3, 3, 1, 3, 3])));
    }

    #[test]
    fn values_that_differ_in_their_last_bits_only() {
        let (low, high) = (1.0_f64, 1.0_f64.next_up());
        assert_eq!(ranked(&[low, high, low, high.next_up()], 4).0, [3, 1, 2, 0]);
        assert_eq!(best(&[0, 3], &[low, high, low]).0, [1, 0, 2]);
    }

    #[test]
    fn sums_of_groups() {
        let sums = total(&[0, 0, 2, 2, 0], &[1.0, 2.0, 4.0, 8.0, 16.0], 4);
        assert_eq!(sums, Some(vec![19.0, 0.0, 12.0, 0.0]));
        assert_eq!((total(&[4], &[1.0], 4), total(&[-1], &[1.0], 4)), (None, None));
    }
}
