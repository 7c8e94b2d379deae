//! Playing and taking back a stone: the update of all that the board keeps about the empty cells.
//!
//! A stone changes cells on its four lines only, and each of them in one line only. First all these cells are looked up,
//! without a branch, and a bit set tells which of them change. Then only those are updated. About half of the cells keep
//! their shapes, and a branch predictor cannot tell which.

use super::combination::Combination;
use super::lines::empty_bits;
use super::threat_sets::ThreatFlags;
use super::{Board, CellShapes, Change, FIRST_SEEN, LOG, Observer, SEEN, Threat};
use crate::base::point::{BORDER, CELLS, STRIDE};
use crate::base::{Color, Direction, Point, bounded};

/// Bits for each direction in a set of cells around a stone. In the part of a direction, the cell at distance `d` (along
/// [`Direction::delta`]) has the bit `d + HALF`.
const LINE_BITS: usize = 16;

/// The largest difference between the indices of a stone and a cell that it changes.
const FARTHEST: usize = BORDER * (STRIDE + 1);

/// The cells around a stone.
struct Around {
    /// The cells whose shapes change.
    changed: u64,
    /// By their bit, the shapes on the line through the stone after the change.
    shapes: [u8; 4 * LINE_BITS],
}

impl Board {
    /// Plays a stone of the side to move. The point must be empty. `observer` learns what changes.
    pub fn play(&mut self, point: Point, observer: &mut impl Observer) {
        self.play_color(point, self.now.side, observer);
    }

    /// Plays a stone of `color`, even if it is not its turn; the other colour is to move then.
    pub fn play_color(&mut self, point: Point, color: Color, observer: &mut impl Observer) {
        if self.tables.half == 4 {
            self.place::<4>(point, color, observer);
        } else {
            self.place::<5>(point, color, observer);
        }
    }

    #[inline]
    fn place<const HALF: usize>(&mut self, point: Point, color: Color, observer: &mut impl Observer) {
        // One copy, where `push` makes two.
        self.history.extend_from_slice(std::slice::from_ref(&self.now));
        self.stones.place(point, color);
        let taken = self.shapes[point.index()].combinations;
        for (side, combination) in taken.into_iter().enumerate() {
            self.now.counts[side][combination.threat_index()] -= 1;
            self.now.strong[side].set(point.index(), false);
        }
        let around = self.look_around::<HALF>(point);
        let tally = self.update::<HALF, _>(point, &around, observer);
        self.now.near.insert_near(point);
        self.now.side = color.opponent();
        self.now.last = Some(point);
        observer.played(point, color, taken, tally);
    }

    /// Looks up the cells within reach of the stone on `point`, which is in the line words already.
    #[inline(always)]
    fn look_around<const HALF: usize>(&self, point: Point) -> Around {
        let mut around = Around { changed: 0, shapes: [0; 4 * LINE_BITS] };
        let (mut empty, mut differs) = ([0; 4], 0);
        let side = (1 << (2 * HALF)) - 1;
        let first = point.index() - FARTHEST;
        let cells = &self.shapes[first..=first + 2 * FARTHEST];
        for direction in Direction::ALL {
            let line = self.stones.lines().around::<HALF>(point, direction);
            empty[direction.index()] = line >> (2 * HALF) & ((1 << (4 * HALF + 2)) - 1);
            for place in (0..=2 * HALF).filter(|&place| place != HALF) {
                let window = line >> (2 * place);
                let shapes = self.tables.shapes(window as usize & side, (window >> (2 * HALF + 2)) as usize & side);
                let steps = place as isize - HALF as isize;
                let cell = cells[(FARTHEST as isize + steps * direction.stride()) as usize];
                let bit = LINE_BITS * direction.index() + place;
                around.shapes[bit] = shapes;
                differs |= u64::from(shapes != (cell.lines >> (8 * direction.index())) as u8) << bit;
            }
        }
        let [a, b, c, d] = empty;
        around.changed = differs & (empty_bits(a | c << 32) | empty_bits(b | d << 32) << LINE_BITS);
        around
    }

    /// Updates the cells around `point` that change.
    #[inline(always)]
    fn update<const HALF: usize, O: Observer>(&mut self, point: Point, around: &Around, observer: &O) -> O::Tally {
        let log_start = self.now.log_len as usize;
        let (mut counts, mut noted, mut log_len) = ([[0; 16]; 2], 0, log_start);
        let mut tally = observer.begin();
        let (shapes, log, tables) = (&mut *self.shapes, &mut *self.log, self.tables.by_sums());
        let mut left = around.changed;
        while left != 0 {
            let bit = bounded::<{ 4 * LINE_BITS }>(left.trailing_zeros() as usize);
            left &= left - 1;
            let cell = &mut shapes[cell_at::<HALF>(point, bit)];
            let before = *cell;
            log[bounded::<LOG>(log_len)] = before;
            log_len += 1;
            let shift = 8 * (bit / LINE_BITS);
            let (old, new) = ((before.lines >> shift) as u8, around.shapes[bit]);
            let sums = before.sums.with_change(old, new);
            let combinations = tables.combinations(sums);
            *cell = CellShapes { lines: before.lines ^ u32::from(old ^ new) << shift, combinations, sums };
            O::changed(&mut tally, Change { before: before.combinations, after: combinations });
            let [black, white] = steps(before.combinations, combinations);
            add_step(&mut counts[0], &STEPS[black]);
            add_step(&mut counts[1], &STEPS[white]);
            noted |= u64::from(IS_NOTED[black] | IS_NOTED[white]) << bit;
        }
        self.now.log_len = log_len as u32;
        for (color, changes) in counts.iter().enumerate() {
            self.now.threats[color] = change_counts(&mut self.now.counts[color], changes);
        }
        while noted != 0 {
            let bit = bounded::<{ 4 * LINE_BITS }>(noted.trailing_zeros() as usize);
            noted &= noted - 1;
            let entry = log_start + (around.changed & ((1 << bit) - 1)).count_ones() as usize;
            self.note(cell_at::<HALF>(point, bit), self.log[bounded::<LOG>(entry)].combinations);
        }
        tally
    }

    /// Notes the new threats of a cell in [`super::Summary::strong`] and [`super::Summary::seen`].
    #[inline(always)]
    fn note(&mut self, index: usize, before: [Combination; 2]) {
        let after = self.shapes[index].combinations;
        for (side, step) in steps(before, after).into_iter().enumerate() {
            if IS_NOTED[step] {
                let threat = after[side].threat_index();
                self.now.strong[side].set(index, Threat::is_strong_index(threat));
                if threat >= FIRST_SEEN {
                    self.now.seen[side][bounded::<SEEN>(threat - FIRST_SEEN)] = index as u16;
                }
            }
        }
    }

    /// Takes back the last move. Does nothing when no move has been played since the board was set up.
    pub fn undo(&mut self, observer: &mut impl Observer) {
        let (Some(before), Some(point)) = (self.history.last(), self.now.last) else { return };
        if let Some(color) = self.stones.cell(point).color() {
            self.stones.remove(point, color);
        }
        for cell in &self.log[before.log_len as usize..self.now.log_len as usize] {
            self.shapes[cell.sums.cell()] = *cell;
        }
        self.now = *before;
        self.history.pop();
        observer.undo();
    }
}

/// The indices in [`STEPS`], for both colours, of a change from some combinations to others.
#[inline(always)]
fn steps(before: [Combination; 2], after: [Combination; 2]) -> [usize; 2] {
    let [before, after] = [before, after].map(|[black, white]| black.threat_index() | white.threat_index() << 16);
    let both = before << 4 | after;
    [both & 255, both >> 16 & 255]
}

/// The change of the number of cells of each threat when a cell changes from one (the high nibble of the index) to another
/// (the low nibble).
static STEPS: [[i8; 16]; 256] = {
    let mut steps = [[0; 16]; 256];
    let mut at = 0;
    while at < 256 {
        steps[at][at >> 4] -= 1;
        steps[at][at & 15] += 1;
        at += 1;
    }
    steps
};

/// Whether the cell is then to be noted in [`super::Summary::strong`] or [`super::Summary::seen`].
static IS_NOTED: [bool; 256] = {
    let mut is_noted = [false; 256];
    let mut at = 0;
    while at < 256 {
        let (before, after) = (at >> 4, at & 15);
        is_noted[at] = before != after
            && (after >= FIRST_SEEN || Threat::is_strong_index(before) != Threat::is_strong_index(after));
        at += 1;
    }
    is_noted
};

#[inline(always)]
fn add_step(counts: &mut [i8; 16], step: &[i8; 16]) {
    for i in 0..16 {
        counts[i] = counts[i].wrapping_add(step[i]);
    }
}

/// Adds changes to counts, and returns which threats there are then. It is not inlined, so that the changes of a colour are
/// collected in one register.
#[inline(never)]
fn change_counts(counts: &mut [u16; 16], changes: &[i8; 16]) -> ThreatFlags {
    for i in 0..16 {
        counts[i] = counts[i].wrapping_add_signed(i16::from(changes[i]));
    }
    ThreatFlags::of(counts)
}

/// The index of the cell with this bit around a stone; see [`LINE_BITS`].
#[inline(always)]
fn cell_at<const HALF: usize>(point: Point, bit: usize) -> usize {
    static OFFSETS: [[i16; 4 * LINE_BITS]; 2] = [offsets(4), offsets(5)];
    bounded::<CELLS>((point.index() as isize + OFFSETS[usize::from(HALF == 5)][bit] as isize) as usize)
}

/// The differences between the index of a stone and those of the cells around it, by their bits.
const fn offsets(half: isize) -> [i16; 4 * LINE_BITS] {
    let mut offsets = [0; 4 * LINE_BITS];
    let mut bit = 0;
    while bit < offsets.len() {
        let stride = Direction::ALL[bit / LINE_BITS].stride();
        offsets[bit] = (((bit % LINE_BITS) as isize - half) * stride) as i16;
        bit += 1;
    }
    offsets
}
