//! What the threats on the board force: wins and losses that need no search, and the complete lists of replies when the
//! opponent threatens. Every claim here is a proof; `tests/library/claims.rs` checks them by brute force.
//!
//! Nearly everything follows from the counts of threats and two sets; only a four that may be stopped by fouls alone is
//! tried on the board. The *stops* of a shape are the cells where a defending stone weakens one line through a point.
//! The *kill set* of a threat is its point and every cell where a defending stone reduces the threat below a level. A
//! stone on any other cell does not change that point's four lines, so a reply outside every kill set leaves the threat
//! as it is. (An opposing stone never strengthens a line under any rule. In renju it can make two fours in one line
//! legal, which only turns a forbidden point into another threat.)

use crate::base::{Color, Direction, LineList, Ply, Point, ReplyList, Score};
use crate::board::{Board, Shape, Threat};

/// The replies that the opponent's threats leave to the side to move.
#[derive(Clone, Debug)]
pub enum Duty {
    /// All moves.
    Free,
    /// The opponent threatens a five: only these replies stop it.
    StopFive(LineList),
    /// The opponent threatens an open four: all replies but these, which include our fours, lose.
    StopFour(ReplyList),
    /// The opponent threatens a four with an open three: the same.
    StopFourThree(ReplyList),
}

impl Duty {
    /// Whether no threat must be answered.
    pub fn is_free(&self) -> bool {
        matches!(self, Duty::Free)
    }

    /// The latest loss after a reply that is left out, where it may be later than after those that are listed: in renju a
    /// reply to a four-three may make the stop of another four of white's legal.
    pub fn unlisted_loss(&self, ply: Ply) -> Option<Score> {
        matches!(self, Duty::StopFourThree(_)).then(|| Score::loss_in(ply, STATIC_DISTANCE + 1))
    }

    /// The replies that are left; `None` where all moves are.
    pub fn replies(&self) -> Option<&[Point]> {
        match self {
            Duty::Free => None,
            Duty::StopFive(list) => Some(list),
            Duty::StopFour(list) | Duty::StopFourThree(list) => Some(list),
        }
    }
}

/// The cells that stop all of the opponent's fives or else open fours, if they have been computed.
pub type Kills = Option<LineList>;

/// Whether `color` has no point that makes a four (or better), a suspected foul of black's in renju included: it may be
/// legal and make a four.
pub fn has_no_four(board: &Board, color: Color) -> bool {
    !board.has_from(color, Threat::Four) && board.count(color, Threat::Forbidden) == 0
}

/// Whether a point may make a four or better for `color`: a suspected foul counts when its shapes contain a four.
pub fn may_make_four(board: &Board, point: Point, color: Color) -> bool {
    match board.threat(point, color) {
        Threat::Forbidden => Direction::ALL.iter().any(|&direction| board.shape(point, color, direction).is_four()),
        threat => threat >= Threat::Four,
    }
}

/// Plies of the longest result that the threats prove without search: a double three, or a four with an open three.
pub const STATIC_DISTANCE: i32 = 5;

/// The result that the threats prove without search; `None` when they prove none. The score counts from the root.
pub fn static_result(board: &mut Board, ply: Ply) -> Option<Score> {
    conclude(board, ply, &mut None)
}

/// [`static_result`], which leaves in `kills` what it finds out for [`duty_of`].
pub fn conclude(board: &mut Board, ply: Ply, kills: &mut Kills) -> Option<Score> {
    let us = board.side();
    let them = us.opponent();
    let moves_left = board.moves_to_draw();
    if board.count(us, Threat::Five) > 0 {
        return (moves_left >= 1).then_some(Score::win_in(ply, 1));
    }
    if moves_left < 2 {
        // Any move ends the game, unless black has only fouls.
        let empty = *board.empty_cells();
        return empty.points().any(|point| board.may_play(point, us)).then_some(Score::DRAW);
    }
    if board.count(them, Threat::Five) > 0 {
        let stops = kills.insert(kill_intersection(board, them, Threat::Five));
        return (!stops.iter().any(|&stop| board.may_play(stop, us))).then_some(Score::loss_in(ply, 2));
    }
    if moves_left >= 3 && four_that_wins(board).is_some() {
        return Some(Score::win_in(ply, 3));
    }
    if board.count(them, Threat::OpenFour) > 0 {
        let lost = moves_left >= 4
            && has_no_four(board, us)
            && kills.insert(kill_intersection(board, them, Threat::OpenFour)).is_empty();
        return lost.then_some(Score::loss_in(ply, 4));
    }
    // Two threes of black's in renju are suspected of being a foul, so that there is no double three to claim.
    if moves_left >= 5 {
        return three_that_wins(board).map(|_| Score::win_in(ply, STATIC_DISTANCE));
    }
    None
}

/// The first move of the win that the threats prove without search; `None` when they prove none.
pub fn winning_move(board: &mut Board) -> Option<Point> {
    match static_result(board, Ply::ROOT).filter(|score| score.is_win())?.distance()? {
        1 => board.find(board.side(), Threat::Five),
        3 => four_that_wins(board),
        _ => three_that_wins(board),
    }
}

/// A four of the side to move that the opponent cannot stop; for positions in which no five is threatened.
fn four_that_wins(board: &mut Board) -> Option<Point> {
    let us = board.side();
    if board.count(us, Threat::OpenFour) > 0 {
        return board.find(us, Threat::OpenFour);
    }
    if board.rule().has_forbidden(us.opponent()) { foul_four(board, us) } else { None }
}

/// A double three or a four-three of the side to move that wins; for positions in which the opponent threatens no open four.
fn three_that_wins(board: &Board) -> Option<Point> {
    let us = board.side();
    let quiet = has_no_four(board, us.opponent());
    if quiet && board.count(us, Threat::DoubleThree) > 0 {
        return board.find(us, Threat::DoubleThree);
    }
    winning_four_three(board, us, quiet)
}

/// The legal stops of the attacker's fives, with the defender to move.
pub fn legal_stops(board: &mut Board) -> LineList {
    let them = board.side();
    let mut stops = kill_intersection(board, them.opponent(), Threat::Five);
    stops.retain(|stop| board.may_play(*stop, them));
    stops
}

/// A point where `us` makes a four that black may only stop by a foul.
fn foul_four(board: &mut Board, us: Color) -> Option<Point> {
    let black = us.opponent();
    if board.count(black, Threat::Forbidden) == 0 || !board.has_from(us, Threat::Four) {
        return None;
    }
    let mut fours = ReplyList::new();
    board.for_each_strong(us, |point| {
        let stops = four_stops(board, point, us);
        if !stops.is_empty() && stops.iter().all(|&stop| board.threat(stop, black) == Threat::Forbidden) {
            fours.push(point);
        }
    });
    fours.into_iter().find(|&point| board.with_move(point, |board| legal_stops(board).is_empty()))
}

/// A four-three of `us` that wins: no stop of its four gives the opponent a four, and its three is real.
fn winning_four_three(board: &Board, us: Color, opponent_has_no_four: bool) -> Option<Point> {
    if board.count(us, Threat::FourThree) == 0 {
        return None;
    }
    let has_forbidden = board.rule().has_forbidden(us);
    if opponent_has_no_four && !has_forbidden {
        return board.find(us, Threat::FourThree);
    }
    board.points_of(us, Threat::FourThree).iter().copied().find(|&point| {
        let is_answered = !opponent_has_no_four
            && four_stops(board, point, us).iter().any(|&stop| board.threat(stop, us.opponent()).is_strong());
        let is_real = |line| {
            board.shape(point, us, line).is_open_three() && !open_fours_after(board, point, us, line).legal.is_empty()
        };
        !is_answered && (!has_forbidden || Direction::ALL.into_iter().any(is_real))
    })
}

/// The points of one line where a colour makes an open four.
struct OpenFours {
    /// Those that are suspected of no foul. More stones of the opponent do not make them fouls: they strengthen no line.
    legal: LineList,
    /// Whether there are others.
    has_suspected: bool,
}

/// The points of a line through `point` where `color` makes an open four along it once it has a stone on `point`.
fn open_fours_after(board: &Board, point: Point, color: Color, line: Direction) -> OpenFours {
    let mut fours = OpenFours { legal: LineList::new(), has_suspected: false };
    for steps in (-4..=4).filter(|&steps| steps != 0) {
        let Some(cell) = point.step(line, steps).filter(|&cell| board.is_empty(cell)) else { continue };
        let back = -steps as isize;
        if !board.shapes_after(cell, color, line, color).any(|after| after == (back, Shape::OpenFour)) {
            continue;
        }
        if board.threat_with(cell, color, line, Shape::OpenFour) == Threat::OpenFour {
            fours.legal.push(cell);
        } else {
            fours.has_suspected = true;
        }
    }
    fours
}

/// The cells, other than `point` itself, that stop the closed four which `color` would make there.
fn four_stops(board: &Board, point: Point, color: Color) -> LineList {
    let mut stops = LineList::new();
    for direction in Direction::ALL {
        if board.shape(point, color, direction) == Shape::Four {
            stops.extend(weakening(board, point, color, direction, Shape::Four));
        }
    }
    stops
}

/// The cells where a stone of the other colour reduces the line through `point` below `level`.
fn weakening(
    board: &Board,
    point: Point,
    color: Color,
    direction: Direction,
    level: Shape,
) -> impl Iterator<Item = Point> {
    let after = board.shapes_after(point, color, direction, color.opponent());
    let weakened = after.filter(move |&(_, shape)| shape < level);
    weakened.filter_map(move |(distance, _)| point.step(direction, distance as i32))
}

/// All cells where a stone of the other colour reduces the threat of `color` at `point` below `level`; the point itself
/// first.
pub fn kill_set(board: &Board, point: Point, color: Color, level: Threat) -> LineList {
    let mut kills = LineList::new();
    kills.push(point);
    // A stone outside a row of five only spoils it by blocking its ends.
    if level == Threat::Five && !board.rule().is_caro() {
        return kills;
    }
    let weakest = if level == Threat::Five { Shape::Five } else { Shape::Four };
    for direction in Direction::ALL {
        let now = board.shape(point, color, direction);
        if now < weakest {
            continue;
        }
        for (distance, shape) in board.shapes_after(point, color, direction, color.opponent()) {
            if shape != now
                && board.threat_with(point, color, direction, shape) < level
                && let Some(cell) = point.step(direction, distance as i32)
            {
                kills.push(cell);
            }
        }
    }
    kills
}

/// The cells that stop every `level` threat of `color` at once; empty when there is no such cell or no such threat.
pub fn kill_intersection(board: &Board, color: Color, level: Threat) -> LineList {
    let mut common: Option<LineList> = None;
    board.for_each_point_of(color, level, |point| match &mut common {
        None => common = Some(kill_set(board, point, color, level)),
        Some(common) if common.is_empty() => {}
        Some(common) => {
            let kills = kill_set(board, point, color, level);
            common.retain(|cell| kills.contains(cell));
        }
    });
    common.unwrap_or_default()
}

/// The cells that stop at least one `level` threat of `color`: the moves to try in a lost position.
pub fn kill_union(board: &Board, color: Color, level: Threat) -> ReplyList {
    let mut all = ReplyList::new();
    for point in board.points_of(color, level) {
        push_missing(&mut all, kill_set(board, point, color, level));
    }
    all
}

fn push_missing(list: &mut ReplyList, more: impl IntoIterator<Item = Point>) {
    for point in more {
        if !list.contains(&point) {
            list.push(point);
        }
    }
}

/// Replies in a position that the opponent's threats decide: those that stop at least one of them.
pub fn last_resorts(board: &Board) -> ReplyList {
    let them = board.side().opponent();
    let level = if board.count(them, Threat::Five) > 0 { Threat::Five } else { Threat::OpenFour };
    kill_union(board, them, level)
}

/// Adds the points where `color` makes a four or better; in renju also black's suspected fouls that may make one.
pub fn push_fours(board: &Board, color: Color, list: &mut ReplyList) {
    board.for_each_strong(color, |point| {
        if may_make_four(board, point, color) && !list.contains(&point) {
            list.push(point);
        }
    });
}

/// Calls `visit` for each cell where a stone of `color` may turn `stop` into a four or better of that colour.
pub fn for_each_counter(board: &Board, stop: Point, color: Color, mut visit: impl FnMut(Point)) {
    for direction in Direction::ALL {
        for (distance, shape) in board.shapes_after(stop, color, direction, color) {
            if shape.may_be_four()
                && let Some(cell) = stop.step(direction, distance as i32)
            {
                visit(cell);
            }
        }
    }
}

/// The replies that the opponent's threats leave. For positions without a static result. The lists are complete: any other
/// reply loses.
pub fn duty(board: &Board) -> Duty {
    duty_of(board, None)
}

/// [`duty`], with what [`conclude`] has left in `kills` in this position.
pub fn duty_of(board: &Board, kills: Kills) -> Duty {
    let us = board.side();
    let them = us.opponent();
    if board.count(them, Threat::Five) > 0 {
        return Duty::StopFive(kills.unwrap_or_else(|| kill_intersection(board, them, Threat::Five)));
    }
    if board.count(them, Threat::OpenFour) > 0 && board.moves_to_draw() >= 4 {
        let kills = kills.unwrap_or_else(|| kill_intersection(board, them, Threat::OpenFour));
        let mut replies = ReplyList::from_slice(&kills);
        push_fours(board, us, &mut replies);
        return Duty::StopFour(replies);
    }
    if board.count(them, Threat::FourThree) > 0
        && board.moves_to_draw() >= 6
        && let Some(mut replies) = four_three_replies(board, them)
    {
        push_fours(board, us, &mut replies);
        return Duty::StopFourThree(replies);
    }
    Duty::Free
}

/// Our replies, other than fours, to the four-threes that `them` threatens; `None` when none of them forces a reply.
///
/// Against a four-three at X, with a four on line a and an open three on line b, the replies are X, the cells that reduce
/// line a below a four or line b below an open three, and the cells that give us a four on a stop of the four, where we
/// shall have to play. If a stop already gives us a four, the threat forces nothing. In caro a stone on line a may also
/// change which cells stop the four, so all cells of that line are replies. In renju black's three must be real: see
/// [`push_three_stops`].
fn four_three_replies(board: &Board, them: Color) -> Option<ReplyList> {
    let us = them.opponent();
    let mut common: Option<ReplyList> = None;
    for point in board.points_of(them, Threat::FourThree) {
        let stops = four_stops(board, point, them);
        if stops.iter().any(|&stop| board.threat(stop, us).is_strong()) {
            continue;
        }
        let mut replies = ReplyList::new();
        replies.push(point);
        let mut is_real = true;
        for direction in Direction::ALL {
            let shape = board.shape(point, them, direction);
            if shape == Shape::Four {
                let level = if board.rule().is_caro() { Shape::Five } else { Shape::Four };
                push_missing(&mut replies, weakening(board, point, them, direction, level));
            } else if shape.is_open_three() {
                is_real = push_three_stops(board, point, them, direction, &mut replies);
            }
        }
        if !is_real {
            continue;
        }
        for &stop in &stops {
            for_each_counter(board, stop, us, |cell| push_missing(&mut replies, [cell]));
        }
        match &mut common {
            None => common = Some(replies),
            Some(common) => common.retain(|cell| replies.contains(cell)),
        }
    }
    common
}

/// Adds the stops of the open three that `color` would make at `point`, and says whether it is real. Where some of its open
/// fours are suspected of being fouls, every cell that may weaken one of the others is a stop; where all are, it is not
/// taken for real.
fn push_three_stops(board: &Board, point: Point, color: Color, line: Direction, list: &mut ReplyList) -> bool {
    if board.rule().has_forbidden(color) {
        let fours = open_fours_after(board, point, color, line);
        if fours.has_suspected {
            let reach = board.reach() as i32;
            for four in &fours.legal {
                let near = (-reach..=reach).filter_map(|steps| four.step(line, steps));
                push_missing(list, near.filter(|&cell| board.is_empty(cell)));
            }
        }
        if fours.legal.is_empty() {
            return false;
        }
    }
    push_missing(list, weakening(board, point, color, line, Shape::OpenThree));
    true
}
