//! Many ids in one buffer.

use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator,
};

/// An append-only list of byte strings.
#[derive(Debug, Clone)]
pub struct Ids {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Default for Ids {
    fn default() -> Self {
        Ids { bytes: Vec::new(), ends: vec![0] }
    }
}

impl Ids {
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for so many more ids of so many bytes in all.
    pub fn reserve(&mut self, ids: usize, bytes: usize) {
        self.ends.reserve(ids);
        self.bytes.reserve(bytes);
    }

    pub fn push(&mut self, id: &[u8]) {
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len());
    }

    pub fn get(&self, i: usize) -> &[u8] {
        &self.bytes[self.ends[i]..self.ends[i + 1]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.get(i))
    }

    pub fn append(&mut self, other: &Ids) {
        let base = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.ends.extend(other.ends[1..].iter().map(|end| base + end));
    }

    /// The ids of several lists, one after the other.
    pub fn joined(mut parts: Vec<Ids>) -> Ids {
        let mut before = Vec::with_capacity(parts.len());
        let mut size = 0;
        for part in &parts {
            before.push(size);
            size += part.bytes.len();
        }
        parts
            .par_iter_mut()
            .zip(before)
            .for_each(|(part, before)| part.ends.iter_mut().for_each(|end| *end += before));
        let bytes = joined(parts.iter().map(|part| &part.bytes[..]));
        let ends = joined(std::iter::once(&[0][..]).chain(parts.iter().map(|part| &part.ends[1..])));
        parts.into_par_iter().for_each(drop);
        Ids { bytes, ends }
    }

    /// The ids at these positions, in this order.
    pub fn picked(&self, positions: &[usize]) -> Ids {
        let mut picked = Ids::default();
        positions.iter().for_each(|&i| picked.push(self.get(i)));
        picked
    }
}

/// The parts one after the other, copied by all threads: most of the time goes into fresh memory.
pub fn joined<'p, T: Copy + Default + Send + Sync + 'p>(parts: impl Iterator<Item = &'p [T]>) -> Vec<T> {
    let parts: Vec<&[T]> = parts.collect();
    let mut all = vec![T::default(); parts.iter().map(|part| part.len()).sum()];
    let mut rest = &mut all[..];
    let mut places = Vec::with_capacity(parts.len());
    for part in parts {
        let (place, after) = rest.split_at_mut(part.len());
        places.push((place, part));
        rest = after;
    }
    places.into_par_iter().for_each(|(place, part)| place.copy_from_slice(part));
    all
}

impl<'a> FromIterator<&'a [u8]> for Ids {
    fn from_iter<T: IntoIterator<Item = &'a [u8]>>(ids: T) -> Self {
        let mut all = Ids::default();
        ids.into_iter().for_each(|id| all.push(id));
        all
    }
}
