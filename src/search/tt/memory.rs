//! The memory of the transposition table, prepared before the search needs it.
//!
//! The first access to a page takes the system time: up to several milliseconds for a large page. So memory is reserved in
//! blocks, which cost nothing until they are touched, and a thread touches them in small steps ahead of the part in use.
//! Memory that is not needed is never touched.

use crate::base::memory::{REST, is_available, prefer_large_pages};
use crate::base::processors::HAS_THREADS;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

/// Words of a bucket: one cache line.
pub(super) const BUCKET_WORDS: usize = 8;
const BUCKETS_PER_MIB: u64 = (1 << 20) / (BUCKET_WORDS * size_of::<u64>()) as u64;
/// Buckets of a block: 16 MiB.
const BLOCK: u64 = 16 * BUCKETS_PER_MIB;
/// Buckets of a step: 2 MiB, one large page.
const STEP: u64 = 2 * BUCKETS_PER_MIB;
/// Buckets at the beginning of the table that the thinking thread touches itself, in small pages: 4 MiB.
pub(super) const IN_SMALL_PAGES: u64 = 4 * BUCKETS_PER_MIB;
/// Words of a page, where pages are small.
const PAGE: usize = 4096 / size_of::<u64>();
/// Most buckets: 4 GiB.
pub(super) const MAX_BUCKETS: u64 = 256 * BLOCK;

/// Zeroed memory, of which the system provides only the pages that have been touched.
#[derive(Debug)]
struct Block {
    words: Box<[AtomicU64]>,
    /// First word of the first bucket, so that buckets sit on cache lines and steps on large pages.
    offset: usize,
}

impl Block {
    /// A block; `None` when the system does not have that much memory and [`REST`]. The first `in_small_pages` buckets are not put in
    /// large pages: the system may take a second to find one.
    fn reserve(buckets: u64, in_small_pages: u64) -> Option<Block> {
        // Large pages are used on Linux only.
        let alignment =
            if cfg!(target_os = "linux") && buckets >= STEP { STEP as usize * BUCKET_WORDS } else { BUCKET_WORDS };
        let words: Box<[AtomicU64]> =
            bytemuck::allocation::try_zeroed_slice_box(buckets as usize * BUCKET_WORDS + alignment).ok()?;
        if !is_available(REST) {
            return None;
        }
        let misaligned = words.as_ptr() as usize / size_of::<u64>() % alignment;
        let offset = (alignment - misaligned) % alignment;
        prefer_large_pages(&words[offset + in_small_pages as usize * BUCKET_WORDS..]);
        Some(Block { words, offset })
    }

    #[inline]
    fn bucket(&self, index: u64) -> &[AtomicU64] {
        let first = self.offset + index as usize * BUCKET_WORDS;
        &self.words[first..first + BUCKET_WORDS]
    }

    /// The largest block that the system has memory for, at least one bucket, and its number of buckets.
    fn first() -> (Block, u64) {
        let sizes = std::iter::successors(Some(BLOCK), |&size| (size > 1).then_some(size / 2));
        sizes.into_iter().find_map(|size| Some((Block::reserve(size, size.min(IN_SMALL_PAGES))?, size))).unwrap_or_else(
            || {
                let words = (0..2 * BUCKET_WORDS).map(|_| AtomicU64::new(0)).collect();
                (Block { words, offset: 0 }, 1)
            },
        )
    }

    /// Copies the first buckets to another block.
    fn copy_to(&self, other: &Block, buckets: u64) {
        let part = |block: &Block| block.offset..block.offset + buckets as usize * BUCKET_WORDS;
        for (from, to) in self.words[part(self)].iter().zip(&other.words[part(other)]) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Writes to every page of a part that holds no entries.
    fn touch(&self, from: u64, to: u64) {
        let part = &self.words[self.offset..][from as usize * BUCKET_WORDS..to as usize * BUCKET_WORDS];
        for word in part.iter().step_by(PAGE) {
            word.store(0, Ordering::Relaxed);
        }
    }
}

/// The blocks, shared with the thread that touches them.
#[derive(Debug)]
struct Blocks {
    /// As many as the limit needs; the first is always reserved.
    list: Vec<OnceLock<Block>>,
    /// Most buckets: the limit that was set, or less where the system has no more memory.
    limit: AtomicU64,
    /// Number of buckets that have been touched.
    ready: AtomicU64,
    /// Number of buckets that shall be touched.
    wanted: AtomicU64,
    /// Held during a step.
    step: Mutex<()>,
    ends: AtomicBool,
}

impl Blocks {
    /// Touches the next 2 MiB; `false` at the limit. Where the system has no more memory, the limit is lowered.
    fn advance(&self) -> bool {
        let _step = self.step.lock().unwrap_or_else(PoisonError::into_inner);
        let (ready, limit) = (self.ready.load(Ordering::Acquire), self.limit.load(Ordering::Relaxed));
        let (number, from) = (ready / BLOCK, ready % BLOCK);
        let Some(slot) = self.list.get(number as usize).filter(|_| ready < limit) else { return false };
        if slot.get().is_none() {
            let Some(block) = Block::reserve(BLOCK, 0) else {
                log::warn!("no memory for more than {} MiB of the transposition table", ready / BUCKETS_PER_MIB);
                self.limit.store(ready, Ordering::Relaxed);
                return false;
            };
            slot.get_or_init(|| block);
        }
        let to = (from / STEP * STEP + STEP).min(limit - number * BLOCK);
        if let Some(block) = slot.get() {
            block.touch(from, to);
        }
        self.ready.store(number * BLOCK + to, Ordering::Release);
        true
    }

    fn advance_to(&self, buckets: u64) {
        while self.ready.load(Ordering::Acquire) < buckets && self.advance() {}
    }

    /// The table's thread: touches memory while some is wanted.
    fn serve(&self) {
        while !self.ends.load(Ordering::Acquire) {
            if self.ready.load(Ordering::Acquire) >= self.wanted.load(Ordering::Acquire) || !self.advance() {
                thread::park();
            }
        }
    }
}

/// The thread that touches memory; dropping it ends the thread.
#[derive(Debug)]
struct Prefaulter {
    blocks: Arc<Blocks>,
    /// `None`: the system gave no thread; a search without a clock then touches the memory itself.
    thread: Option<JoinHandle<()>>,
}

impl Prefaulter {
    fn start(blocks: &Arc<Blocks>) -> Prefaulter {
        blocks.ends.store(false, Ordering::Release);
        let shared = Arc::clone(blocks);
        let thread = thread::Builder::new().name("memory".into()).spawn(move || shared.serve());
        let thread = thread.inspect_err(|error| log::warn!("no thread to prepare memory: {error}")).ok();
        Prefaulter { blocks: Arc::clone(blocks), thread }
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Prefaulter {
    fn drop(&mut self) {
        self.blocks.ends.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the thread that prepares memory panicked");
        }
    }
}

/// The buckets of a table, up to a limit that can be changed later.
#[derive(Debug)]
pub(super) struct TableMemory {
    blocks: Arc<Blocks>,
    prefaulter: OnceLock<Prefaulter>,
    /// Buckets of the first block.
    first: u64,
    /// The limit that was set.
    asked: u64,
}

impl TableMemory {
    /// Memory for up to `limit` buckets, at least one.
    pub fn new(limit: u64) -> TableMemory {
        let (block, first) = Block::first();
        let blocks = Blocks {
            list: vec![OnceLock::from(block)],
            limit: AtomicU64::new(0),
            ready: AtomicU64::new(0),
            wanted: AtomicU64::new(0),
            step: Mutex::new(()),
            ends: AtomicBool::new(false),
        };
        let mut memory = TableMemory { blocks: Arc::new(blocks), prefaulter: OnceLock::new(), first, asked: 0 };
        memory.set_limit(limit, 0);
        memory
    }

    /// Most buckets, where the system has no memory for the limit that was set.
    pub fn shortage(&self) -> Option<u64> {
        Some(self.limit()).filter(|&limit| limit < self.asked)
    }

    /// The limit that was set, in buckets.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Most buckets that there can be: the limit that was set, or what the system has.
    pub fn limit(&self) -> u64 {
        self.blocks.limit.load(Ordering::Relaxed)
    }

    /// Sets the limit. The first `used` buckets keep their contents as far as the limit allows. Where the system had less
    /// memory than the limit, it is asked again only when another limit is set.
    pub fn set_limit(&mut self, limit: u64, used: u64) {
        let limit = limit.clamp(1, MAX_BUCKETS);
        if limit == self.asked {
            return;
        }
        self.asked = limit;
        let limit = if self.first < BLOCK { limit.min(self.first) } else { limit };
        self.prefaulter = OnceLock::new();
        let blocks = Arc::get_mut(&mut self.blocks).expect("only the prefaulter shares the blocks, and it has ended");
        blocks.list.resize_with(limit.div_ceil(BLOCK) as usize, OnceLock::new);
        *blocks.limit.get_mut() = limit;
        *blocks.wanted.get_mut() = 0;
        let ready = blocks.ready.get_mut();
        if *ready > limit {
            // The last block may be larger than what is left of it: a new block returns the rest of the memory.
            *ready = (limit - 1) / BLOCK * BLOCK;
            let kept = used.min(limit).saturating_sub(*ready);
            if let (Some(slot), Some(block)) = (blocks.list.last_mut(), Block::reserve(BLOCK, 0))
                && let Some(old) = slot.take()
            {
                old.copy_to(&block, kept);
                *slot = OnceLock::from(block);
            }
            *ready += kept;
        }
    }

    /// Number of buckets that have been touched.
    pub fn ready(&self) -> u64 {
        self.blocks.ready.load(Ordering::Acquire)
    }

    /// Has the thread touch the first `buckets` buckets, or touches them where there are no threads.
    pub fn want(&self, buckets: u64) {
        let buckets = buckets.min(self.limit());
        if !HAS_THREADS {
            // Memory costs next to nothing there.
            self.prepare(buckets);
        } else if self.ready() < buckets && self.blocks.wanted.fetch_max(buckets, Ordering::AcqRel) < buckets {
            self.prefaulter.get_or_init(|| Prefaulter::start(&self.blocks)).wake();
        }
    }

    /// Touches memory until `buckets` buckets are ready or the limit is reached.
    pub fn prepare(&self, buckets: u64) {
        self.blocks.advance_to(buckets);
    }

    /// A bucket by its index, which must be below the number of ready buckets.
    #[inline]
    pub fn bucket(&self, index: u64) -> &[AtomicU64] {
        let block = self.blocks.list[(index / BLOCK) as usize].get().expect("buckets in use are ready");
        block.bucket(index % BLOCK)
    }
}
