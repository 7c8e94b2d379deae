//! Replays a game, evaluates the model at each usable position, and accumulates the gradient.
//!
//! A move changes 33 cells, so an incremental update costs about a sixth of evaluating the whole board. The gradient works
//! the same way: all cells share the gradient of the sum that they are part of. A running total of it is kept, and a cell
//! adds the total's growth since its last change when it changes again.

use super::float_network::{
    BIAS, CELL_LIMIT, FloatHead, Folded, HEAD_LIMIT, INPUT_LIMIT, Model, POOL, Parameters, ROW_LIMIT, Row, TABLE,
};
use super::targets::{Targets, is_sample, values};
use crate::data::packed_game::PackedGame;
use crate::tune::logistic::{cross_entropy, sigmoid};
use tengen::base::point::CELLS;
use tengen::base::{Color, Direction, Point, Rule, Size};
use tengen::board::lines::Lines;
use tengen::board::{Board, NullObserver};
use tengen::eval::network::architecture::{CHANNELS, FIRST, HINTS, INPUT_SCALE, SECOND, WIDTH, head_number, stage};
use tengen::eval::network::features::{LINE_KINDS, REACH, ROWS, ShapePair, line_kind, nearness, row_of};
use tengen::eval::network::layers::{hints, threats};
use tengen::eval::{Evaluator, ShapeEvaluator};
use tengen::search::forced::duty;
use tengen::search::order::for_each_reply;

type Vector = [f32; WIDTH];

/// In each game the stages begin up to this many stones earlier or later, so that a head knows the positions next to its stage:
/// leaves on both sides of a boundary are compared in the search.
const OVERLAP: u64 = 3;

/// Moves with smaller errors of the policy are skipped, to save time.
const SMALL_ERROR: f32 = 1e-4;

/// Sums over positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Number of positions with a value.
    pub positions: f64,
    /// Cross-entropy of the value against its target.
    pub value: f64,
    /// Cross-entropy of the value against the game's result.
    pub result: f64,
    /// Number of positions with a policy.
    pub moves: f64,
    /// Cross-entropy of the policy.
    pub policy: f64,
    /// How often the chosen move was the policy's first choice, and among its first four.
    pub top: [f64; 2],
    /// Number of cells that the policy compared without learning, each seen by both colours.
    pub cells: f64,
    /// How often each of their channels was at its limit.
    pub saturated: [f64; CHANNELS],
}

impl Losses {
    /// Adds another sum.
    pub fn add(&mut self, other: &Losses) {
        self.positions += other.positions;
        self.value += other.value;
        self.result += other.result;
        self.moves += other.moves;
        self.policy += other.policy;
        self.top[0] += other.top[0];
        self.top[1] += other.top[1];
        self.cells += other.cells;
        self.saturated.iter_mut().zip(other.saturated).for_each(|(sum, count)| *sum += count);
    }
}

/// A gradient, and the rows of it that are not zero.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Gradient of the table: rests of the rows, then the shared parts, then the bias.
    pub table: Vec<Row>,
    /// Rows whose rests are not zero.
    pub touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Gradients of the heads.
    pub heads: Vec<FloatHead>,
}

impl Gradient {
    /// A zero gradient.
    pub fn new(heads: usize) -> Gradient {
        Gradient {
            table: vec![[0.0; CHANNELS]; TABLE],
            touched: Vec::new(),
            is_touched: vec![false; TABLE],
            heads: vec![FloatHead::zero(); heads],
        }
    }

    /// Resets it to zero.
    pub fn clear(&mut self) {
        for row in self.touched.drain(..) {
            self.table[row as usize] = [0.0; CHANNELS];
            self.is_touched[row as usize] = false;
        }
        // The shared parts and the bias are few rows.
        let parts = LINE_KINDS * ROWS;
        self.table[parts..].fill([0.0; CHANNELS]);
        self.heads.iter_mut().flat_map(FloatHead::slices_mut).for_each(|slice| slice.fill(0.0));
    }

    /// The gradient of a row, mutable.
    #[inline]
    fn row(&mut self, row: u32) -> &mut Row {
        let index = row as usize;
        if !self.is_touched[index] {
            self.is_touched[index] = true;
            self.touched.push(row);
        }
        &mut self.table[index]
    }

    /// Removes slopes that would push a row beyond the engine's limit. Only the sum of a row's parts is limited, so the parts would
    /// grow without end.
    pub fn mask(&mut self, folded: &Folded) {
        for &row in &self.touched {
            let slopes = self.table[row as usize].iter_mut();
            for (slope, weight) in slopes.zip(&folded.rows[row as usize]) {
                // A step goes against the slope.
                if weight.abs() >= ROW_LIMIT && *slope * weight < 0.0 {
                    *slope = 0.0;
                }
            }
        }
    }

    /// Adds another gradient.
    pub fn add(&mut self, other: &Gradient) {
        for &row in &other.touched {
            let own = self.row(row);
            own.iter_mut().zip(&other.table[row as usize]).for_each(|(sum, value)| *sum += value);
        }
        for i in 0..CHANNELS {
            self.table[BIAS][i] += other.table[BIAS][i];
        }
        for (own, other) in self.heads.iter_mut().zip(&other.heads) {
            for (sums, values) in own.slices_mut().into_iter().zip(other.slices()) {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
        }
    }
}

/// The model's state of a cell.
#[derive(Clone, Copy)]
struct CellState {
    /// Rows of each half and direction.
    rows: [[u32; 4]; 2],
    /// Sum of the rows and the bias.
    value: Vector,
    /// The total gradient of the sums when the cell last changed.
    since: Vector,
    /// Gradient of this cell only.
    own: Vector,
}

const BLANK: CellState = CellState { rows: [[0; 4]; 2], value: [0.0; WIDTH], since: [0.0; WIDTH], own: [0.0; WIDTH] };

/// Intermediate values of the network at one position.
struct Forward {
    input: Vector,
    hints: [f32; HINTS],
    first: [f32; FIRST],
    second: [f32; SECOND],
    logit: f32,
}

/// A board with the model's state, reused from game to game.
pub struct Walker {
    boards: Vec<Board>,
    shapes: ShapeEvaluator,
    lines: Lines,
    cells: Vec<CellState>,
    pooled: Vector,
    /// Total gradient of the sum of activations since the start of the game.
    total: Vector,
    /// Total gradient of all games so far.
    pub gradient: Gradient,
    /// Losses of all games so far.
    pub losses: Losses,
    /// Index of the head for the position.
    head: usize,
    /// Points, their pairs of threats and their policy at the last position that was judged.
    pub(super) moves: Vec<(Point, usize, f32)>,
}

impl std::fmt::Debug for Walker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walker").field("losses", &self.losses).finish_non_exhaustive()
    }
}

impl Walker {
    /// A walker for models with this many heads.
    pub fn new(heads: usize) -> Walker {
        Walker {
            boards: Vec::new(),
            shapes: ShapeEvaluator::new(Rule::Freestyle),
            lines: Lines::all_wall(),
            cells: vec![BLANK; CELLS],
            pooled: [0.0; WIDTH],
            total: [0.0; WIDTH],
            gradient: Gradient::new(heads),
            losses: Losses::default(),
            head: 0,
            moves: Vec::new(),
        }
    }

    /// Replays a game; with `learn`, also adds to the gradient. `visit` is called with each position that is used and its
    /// logit.
    pub fn walk(
        &mut self,
        game: &PackedGame,
        model: &Model,
        folded: &Folded,
        targets: &Targets,
        learn: bool,
        mut visit: impl FnMut(&Board, f32),
    ) {
        let mut board = self.take_board(game);
        self.begin(game.size, folded);
        self.shapes.refresh(&board);
        for &stone in &game.opening.stones {
            // No cell has a gradient yet.
            self.play(&mut board, stone, folded, false);
        }
        let ahead = if learn { (game.number % (2 * OVERLAP + 1)) as isize - OVERLAP as isize } else { 0 };
        for (ply, target) in game.plies.iter().zip(values(game, targets)) {
            if is_sample(game, &board) {
                self.head = head_of(&board, model.heads.len(), ahead);
                let head = &model.heads[self.head];
                let forward = self.forward(head, &board);
                visit(&board, forward.logit);
                self.judge(&board, head, &forward, game, target, ply.best, targets, learn);
            }
            self.play(&mut board, ply.played, folded, learn);
        }
        if learn {
            game.size.points().for_each(|point| self.settle(point.index()));
            self.settle_empty_board(game.size, folded);
        }
        while board.occupied() > 0 {
            board.undo(&mut NullObserver);
        }
        self.boards.push(board);
    }

    fn take_board(&mut self, game: &PackedGame) -> Board {
        let fits = |board: &Board| board.rule() == game.rule && board.size() == game.size;
        match self.boards.iter().position(fits) {
            Some(found) => self.boards.swap_remove(found),
            None => Board::new(game.rule, game.size),
        }
    }

    /// Resets to the empty board.
    fn begin(&mut self, size: Size, folded: &Folded) {
        self.lines = Lines::all_wall();
        for point in size.points() {
            self.lines.set(point, tengen::base::Cell::Wall, tengen::base::Cell::Empty);
        }
        self.pooled = [0.0; WIDTH];
        self.total = [0.0; WIDTH];
        for point in size.points() {
            let mut cell = BLANK;
            for direction in Direction::ALL {
                let window = self.lines.around::<REACH>(point, direction) >> (2 * REACH);
                cell.set_rows(direction, window);
            }
            cell.sum_up(folded);
            self.cells[point.index()] = cell;
        }
    }

    fn play(&mut self, board: &mut Board, point: Point, folded: &Folded, learn: bool) {
        let color = board.side();
        board.play(point, &mut self.shapes);
        self.lines.toggle(point, color);
        for direction in Direction::ALL {
            let around = self.lines.around::<REACH>(point, direction);
            for distance in -(REACH as isize)..=REACH as isize {
                let window = around >> (2 * (distance + REACH as isize)) as u32;
                let center = window >> (2 * REACH) & 3;
                if center == 0 {
                    continue;
                }
                let index = (point.index() as isize + distance * direction.stride()) as usize & (CELLS - 1);
                if learn {
                    self.settle(index);
                }
                let cell = &mut self.cells[index];
                let before = cell.value;
                cell.set_rows(direction, window);
                cell.sum_up(folded);
                for (sum, (after, before)) in self.pooled.iter_mut().zip(cell.value.iter().zip(before)) {
                    *sum += activation(*after) - activation(before);
                }
            }
        }
    }

    /// Adds a cell's share of the gradient to its rows.
    fn settle(&mut self, index: usize) {
        let cell = &mut self.cells[index];
        let share: Vector =
            std::array::from_fn(|i| learned(cell.value[i], self.total[i] - cell.since[i] + cell.own[i]));
        cell.since = self.total;
        cell.own = [0.0; WIDTH];
        if share.iter().all(|&value| value == 0.0) {
            return;
        }
        let rows = cell.rows;
        self.give(&rows, &share, 1.0);
    }

    fn give(&mut self, rows: &[[u32; 4]; 2], share: &Vector, sign: f32) {
        for half in 0..2 {
            let share: &[f32] = &share[half * CHANNELS..][..CHANNELS];
            for row in rows[half] {
                self.gradient.row(row).iter_mut().zip(share).for_each(|(sum, value)| *sum += sign * value);
            }
            let bias = &mut self.gradient.table[BIAS];
            bias.iter_mut().zip(share).for_each(|(sum, value)| *sum += sign * value);
        }
    }

    /// Subtracts the gradient of the empty board, because the sums exclude it.
    fn settle_empty_board(&mut self, size: Size, folded: &Folded) {
        let total = self.total;
        self.begin(size, folded);
        for point in size.points() {
            let cell = self.cells[point.index()];
            let share = std::array::from_fn(|i| learned(cell.value[i], total[i]));
            self.give(&cell.rows, &share, -1.0);
        }
    }

    fn forward(&self, head: &FloatHead, board: &Board) -> Forward {
        let offset = half_of(board.side());
        let input: Vector =
            std::array::from_fn(|i| (self.pooled[(i + offset) % WIDTH] / POOL).clamp(-INPUT_LIMIT, INPUT_LIMIT));
        let mut first = head.first_bias;
        let mut logit = head.output_bias;
        for (value, (row, skip)) in input.iter().zip(head.first.iter().zip(&head.skip)) {
            logit += value * skip;
            first.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
        }
        let hints = hints(self.shapes.parts(board)).map(|hint| f32::from(hint) / INPUT_SCALE as f32);
        for (value, (row, skip)) in hints.iter().zip(head.hints.iter().zip(&head.skip_hints)) {
            logit += value * skip;
            first.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
        }
        for threat in threats(board).into_iter().map(usize::from) {
            logit += head.skip_threats[threat];
            first.iter_mut().zip(&head.threats[threat]).for_each(|(sum, weight)| *sum += weight);
        }
        let mut second = head.second_bias;
        for (value, row) in first.iter().zip(head.second.iter()) {
            let value = value.clamp(0.0, HEAD_LIMIT);
            second.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
        }
        for (value, weight) in second.iter().zip(&head.output) {
            logit += value.clamp(0.0, HEAD_LIMIT) * weight;
        }
        Forward { input, hints, first, second, logit }
    }

    #[expect(clippy::too_many_arguments, reason = "everything that is known about a position")]
    fn judge(
        &mut self,
        board: &Board,
        head: &FloatHead,
        forward: &Forward,
        game: &PackedGame,
        target: f32,
        best: Point,
        targets: &Targets,
        learn: bool,
    ) {
        let result = game.points(board.side());
        let guess = sigmoid(forward.logit);
        self.losses.positions += 1.0;
        self.losses.value += cross_entropy(guess, target);
        self.losses.result += cross_entropy(guess, result);
        if learn {
            self.learn_value(board, head, forward, guess - target);
        }
        self.judge_move(board, head, &forward.input, best, targets.policy, learn);
    }

    /// Adds the gradient of the value; `error` is the slope of the loss by the logit.
    fn learn_value(&mut self, board: &Board, head: &FloatHead, forward: &Forward, error: f32) {
        let gradient = &mut self.gradient.heads[self.head];
        gradient.output_bias += error;
        let second: [f32; SECOND] =
            std::array::from_fn(|i| if is_within(forward.second[i]) { error * head.output[i] } else { 0.0 });
        for (i, back) in second.iter().enumerate() {
            gradient.output[i] += error * forward.second[i].clamp(0.0, HEAD_LIMIT);
            gradient.second_bias[i] += back;
        }
        let first: [f32; FIRST] =
            std::array::from_fn(|i| if is_within(forward.first[i]) { dot(&head.second[i], &second) } else { 0.0 });
        for (i, back) in first.iter().enumerate() {
            let value = forward.first[i].clamp(0.0, HEAD_LIMIT);
            gradient.second[i].iter_mut().zip(second).for_each(|(sum, back)| *sum += value * back);
            gradient.first_bias[i] += back;
        }
        for threat in threats(board).into_iter().map(usize::from) {
            gradient.skip_threats[threat] += error;
            gradient.threats[threat].iter_mut().zip(first).for_each(|(sum, back)| *sum += back);
        }
        for (i, value) in forward.hints.into_iter().enumerate() {
            gradient.skip_hints[i] += error * value;
            gradient.hints[i].iter_mut().zip(first).for_each(|(sum, back)| *sum += value * back);
        }
        let offset = half_of(board.side());
        for i in 0..WIDTH {
            let value = forward.input[i];
            gradient.skip[i] += error * value;
            gradient.first[i].iter_mut().zip(first).for_each(|(sum, back)| *sum += value * back);
            if value.abs() < INPUT_LIMIT {
                let back = error * head.skip[i] + dot(&head.first[i], &first);
                self.total[(i + offset) % WIDTH] += back / POOL;
            }
        }
    }

    /// Adds the policy's loss against the best move at a position, and its gradient.
    fn judge_move(&mut self, board: &Board, head: &FloatHead, input: &Vector, best: Point, weight: f32, learn: bool) {
        let us = board.side();
        let policy = policy_weights(head, input, board);
        let (ours, theirs) = (half_of(us), half_of(us.opponent()));
        self.moves.clear();
        let cells = &self.cells;
        let moves = &mut self.moves;
        let last_moves = [board.last_move(), board.move_before_last()];
        // The moves that the search compares.
        for_each_reply(board, &duty(board), |point| {
            let pair = board.threat_pair(point);
            let value = &cells[point.index()].value;
            let mut sums = [0.0; 8];
            for i in (0..CHANNELS).step_by(8) {
                for lane in 0..8 {
                    sums[lane] += policy[i + lane] * activation(value[ours + i + lane])
                        + policy[CHANNELS + i + lane] * activation(value[theirs + i + lane]);
                }
            }
            let near = last_moves.map(|last| nearness(point, last));
            let base = head.pairs[pair] + head.near[0][near[0]] + head.near[1][near[1]];
            moves.push((point, pair, base + sums.iter().sum::<f32>()));
        });
        let Some(&(_, best_pair, chosen)) = self.moves.iter().find(|(point, ..)| *point == best) else { return };
        let largest = self.moves.iter().fold(f32::MIN, |largest, &(.., logit)| largest.max(logit));
        let sum: f32 = self.moves.iter().map(|&(.., logit)| (logit - largest).exp()).sum();
        let better = self.moves.iter().filter(|&&(.., logit)| logit > chosen).count();
        self.losses.moves += 1.0;
        self.losses.policy += f64::from(sum.ln() + largest - chosen);
        self.losses.top[0] += f64::from(u8::from(better < 1));
        self.losses.top[1] += f64::from(u8::from(better < 4));
        if !learn {
            self.count_saturated();
        }
        if !learn || weight == 0.0 {
            return;
        }
        let gradient = &mut self.gradient.heads[self.head];
        let mut slope = [0.0; WIDTH];
        let cells = &mut self.cells;
        let mut learn_move = |point: Point, pair: usize, error: f32| {
            gradient.pairs[pair] += error;
            for (gradient, last) in gradient.near.iter_mut().zip(last_moves) {
                gradient[nearness(point, last)] += error;
            }
            let cell = &mut cells[point.index()];
            for i in 0..CHANNELS {
                slope[i] += error * activation(cell.value[ours + i]);
                slope[CHANNELS + i] += error * activation(cell.value[theirs + i]);
                cell.own[ours + i] += error * policy[i];
                cell.own[theirs + i] += error * policy[CHANNELS + i];
            }
        };
        // The errors of all moves sum to zero, also without the small ones: otherwise training would raise every move.
        let mut of_others = 0.0;
        for &(point, pair, logit) in self.moves.iter().filter(|(point, ..)| *point != best) {
            let error = weight * (logit - largest).exp() / sum;
            if error > SMALL_ERROR {
                learn_move(point, pair, error);
                of_others += error;
            }
        }
        learn_move(best, best_pair, -of_others);
        gradient.policy.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += slope);
        for (i, (value, row)) in input.iter().zip(head.made.iter()).enumerate() {
            if value.abs() < INPUT_LIMIT {
                self.total[(i + ours) % WIDTH] += dot(row, &slope) / POOL;
            }
        }
        let (channels, threat_rows) = gradient.made.split_at_mut(WIDTH);
        for (row, value) in channels.iter_mut().zip(input) {
            row.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += value * slope);
        }
        for threat in threats(board).into_iter().map(usize::from) {
            threat_rows[threat].iter_mut().zip(slope).for_each(|(sum, slope)| *sum += slope);
        }
    }

    /// Counts how many channels are at their limit, at the moves that were judged.
    fn count_saturated(&mut self) {
        for &(point, ..) in &self.moves {
            for half in self.cells[point.index()].value.chunks_exact(CHANNELS) {
                self.losses.cells += 1.0;
                let counts = self.losses.saturated.iter_mut().zip(half);
                counts.for_each(|(count, &value)| *count += f64::from(u8::from(value >= CELL_LIMIT)));
            }
        }
    }
}

/// How the policy weighs the channels of a cell; see [`tengen::eval::network::reference::policy_weights`].
fn policy_weights(head: &FloatHead, input: &Vector, board: &Board) -> Vector {
    let mut weights = head.policy;
    let (channels, threat_rows) = head.made.split_at(WIDTH);
    for (row, value) in channels.iter().zip(input) {
        weights.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
    }
    for threat in threats(board).into_iter().map(usize::from) {
        weights.iter_mut().zip(&threat_rows[threat]).for_each(|(sum, weight)| *sum += weight);
    }
    weights
}

/// The index of the head for a position, if stages begin `ahead` stones earlier.
fn head_of(board: &Board, heads: usize, ahead: isize) -> usize {
    head_number(heads, board.side(), stage(board.occupied().saturating_add_signed(ahead)))
}

impl CellState {
    fn set_rows(&mut self, direction: Direction, window: u64) {
        let shapes = ShapePair::of_window(window).shapes();
        for (rows, shape) in self.rows.iter_mut().zip(shapes) {
            rows[direction.index()] = (line_kind(direction) * ROWS + row_of(shape)) as u32;
        }
    }

    fn sum_up(&mut self, folded: &Folded) {
        for half in 0..2 {
            let value = &mut self.value[half * CHANNELS..][..CHANNELS];
            value.copy_from_slice(&folded.bias);
            for row in self.rows[half] {
                value.iter_mut().zip(&folded.rows[row as usize]).for_each(|(sum, weight)| *sum += weight);
            }
        }
    }
}

const fn half_of(color: Color) -> usize {
    if matches!(color, Color::Black) { 0 } else { CHANNELS }
}

fn activation(value: f32) -> f32 {
    value.clamp(0.0, CELL_LIMIT)
}

/// What a channel of this value learns of the gradient of its activation: nothing where that is flat, but at its limit it
/// learns to leave it.
fn learned(value: f32, gradient: f32) -> f32 {
    let learns = value > 0.0 && (value < CELL_LIMIT || gradient > 0.0);
    if learns { gradient } else { 0.0 }
}

fn is_within(value: f32) -> bool {
    value > 0.0 && value < HEAD_LIMIT
}

/// The scalar product, in lanes that the compiler can vectorise.
fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}
