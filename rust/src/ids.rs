//! Many ids in one buffer.

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

    /// How many bytes they are in all.
    pub fn size(&self) -> usize {
        self.bytes.len()
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

    /// The ids at these positions, in this order.
    pub fn picked(&self, positions: &[usize]) -> Ids {
        let mut picked = Ids::default();
        positions.iter().for_each(|&i| picked.push(self.get(i)));
        picked
    }
}

impl<'a> FromIterator<&'a [u8]> for Ids {
    fn from_iter<T: IntoIterator<Item = &'a [u8]>>(ids: T) -> Self {
        let mut all = Ids::default();
        ids.into_iter().for_each(|id| all.push(id));
        all
    }
}
