//! The entries of a database, in shared parts: a clone is cheap, and a part is copied when it changes while a clone
//! still uses it. So a database can change while a thread writes a clone of it.

use super::Entry;
use crate::base::hash::{Checksum, scatter};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of parts; with 250,000 entries a part has about sixty.
const PARTS: u64 = 4096;

/// Entries by the names of their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries {
    parts: Vec<Arc<BTreeMap<String, Entry>>>,
    len: usize,
}

impl Default for Entries {
    fn default() -> Entries {
        Entries { parts: vec![Arc::default(); PARTS as usize], len: 0 }
    }
}

fn part(name: &str) -> usize {
    (scatter(Checksum::of(name.as_bytes())) % PARTS) as usize
}

impl Entries {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The entry of this name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.parts[part(name)].get(name)
    }

    /// Adds or replaces an entry; returns the old one.
    pub fn insert(&mut self, name: String, entry: Entry) -> Option<Entry> {
        let part = &mut self.parts[part(&name)];
        let old = Arc::make_mut(part).insert(name, entry);
        self.len += usize::from(old.is_none());
        old
    }

    /// Removes an entry and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Entry> {
        let part = &mut self.parts[part(name)];
        if !part.contains_key(name) {
            return None;
        }
        self.len -= 1;
        Arc::make_mut(part).remove(name)
    }

    /// Removes the entries for which `is_wanted` is false.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&str, &Entry) -> bool) {
        for part in &mut self.parts {
            let wanted: Vec<bool> = part.iter().map(|(name, entry)| is_wanted(name, entry)).collect();
            let unwanted = wanted.iter().filter(|&&wanted| !wanted).count();
            if unwanted > 0 {
                self.len -= unwanted;
                let mut wanted = wanted.into_iter();
                Arc::make_mut(part).retain(|_, _| wanted.next().unwrap_or(true));
            }
        }
    }

    /// All entries, sorted by name.
    pub fn sorted(&self) -> Vec<(&str, &Entry)> {
        let mut all: Vec<(&str, &Entry)> =
            self.parts.iter().flat_map(|part| part.iter()).map(|(name, entry)| (name.as_str(), entry)).collect();
        all.sort_unstable_by_key(|&(name, _)| name);
        all
    }
}

impl IntoIterator for Entries {
    type Item = (String, Entry);
    type IntoIter = Box<dyn Iterator<Item = (String, Entry)>>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.parts.into_iter().flat_map(Arc::unwrap_or_clone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(value: i32) -> Entry {
        Entry { value, ..Entry::default() }
    }

    #[test]
    fn a_copy_stays_as_it_was() {
        let mut entries = Entries::default();
        let name = |number: i32| format!("position {number}");
        for number in 0..10_000 {
            assert_eq!(entries.insert(name(number), entry(number)), None);
        }
        let copy = entries.clone();
        assert_eq!(entries.insert(name(7), entry(-7)), Some(entry(7)));
        assert_eq!(entries.remove(&name(8)), Some(entry(8)));
        assert_eq!(entries.remove(&name(8)), None);
        entries.retain(|_, entry| entry.value < 5000);
        assert_eq!((entries.len(), copy.len()), (4999, 10_000));
        assert_eq!((entries.get(&name(7)), copy.get(&name(7))), (Some(&entry(-7)), Some(&entry(7))));
        let mut names: Vec<String> = (0..10_000).map(name).collect();
        names.sort();
        assert!(copy.sorted().into_iter().map(|(name, _)| name).eq(&names));
        assert_eq!(entries.sorted().len(), 4999);
    }

    /// What makes a clone cheap, and the first change after it.
    #[test]
    fn parts_are_shared_until_they_change_and_none_is_large() {
        let mut entries = Entries::default();
        for number in 0..100_000 {
            entries.insert(format!("position {number}"), entry(number));
        }
        assert!(entries.parts.iter().all(|part| part.len() < 100));
        let copy = entries.clone();
        entries.insert("position 7".to_owned(), entry(0));
        let shared = entries.parts.iter().zip(&copy.parts).filter(|(one, other)| Arc::ptr_eq(one, other)).count();
        assert_eq!(shared, PARTS as usize - 1);
    }
}
