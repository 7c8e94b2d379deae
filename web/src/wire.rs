//! Positions and scores as the page writes and reads them: points are numbers, counted row by row from the upper left corner.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use tengen::base::{Cell, Color, Point, Rule, Score, Size};
use tengen::board::oracle::Oracle;
use tengen::tools::gamefile::Section;

/// A game up to some move.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Position {
    /// The number of the rule, as in `INFO rule`.
    pub rule: u8,
    /// Points in a row of the board.
    pub width: usize,
    /// Points in a column.
    pub height: usize,
    /// What was set up: points, and 1 for black, 2 for white, 3 for a dead square.
    #[serde(default)]
    pub setup: Vec<(usize, u8)>,
    /// Whether white makes the first move.
    #[serde(default)]
    pub white_first: bool,
    /// The moves.
    #[serde(default)]
    pub moves: Vec<usize>,
}

impl Position {
    /// The rule.
    ///
    /// # Errors
    /// When no rule has this number.
    pub fn rule(&self) -> Result<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.number() == self.rule).context("no such rule")
    }

    /// The board.
    ///
    /// # Errors
    /// When there is none of this size.
    pub fn size(&self) -> Result<Size> {
        let (width, height) = (self.width, self.height);
        Size::new(width, height)
            .with_context(|| format!("a board of 5 to 22 points a side expected, not {width}x{height}"))
    }

    /// Setup and moves.
    ///
    /// # Errors
    /// When a stone is off the board or on another one.
    pub fn section(&self) -> Result<Section> {
        let size = self.size()?;
        let mut taken = vec![false; size.cells()];
        let mut take = |index: usize| {
            let point = point(size, index)?;
            ensure!(
                !std::mem::replace(&mut taken[index], true),
                "{} is taken",
                tengen::tools::point_names::name(point, size)
            );
            Ok(point)
        };
        let mut setup = Vec::new();
        for &(index, cell) in &self.setup {
            let cell = match cell {
                1 => Cell::Black,
                2 => Cell::White,
                3 => Cell::Wall,
                _ => anyhow::bail!("{cell} is not a stone"),
            };
            setup.push((take(index)?, cell));
        }
        let moves = self.moves.iter().map(|&index| take(index)).collect::<Result<_>>()?;
        let first = if self.white_first { Color::White } else { Color::Black };
        Ok(Section { setup, first, moves })
    }

    /// The position for the reference rules.
    ///
    /// # Errors
    /// As [`Position::section`].
    pub fn oracle(&self) -> Result<Oracle> {
        Ok(self.section()?.oracle(self.rule()?, self.size()?))
    }
}

/// The point with this number.
///
/// # Errors
/// When it is off the board.
pub fn point(size: Size, index: usize) -> Result<Point> {
    let point = size.point((index % size.width()) as i64, (index / size.width()) as i64);
    point.with_context(|| format!("point {index} is off the board"))
}

/// The number of a point.
pub fn index(size: Size, point: Point) -> usize {
    point.y() * size.width() + point.x()
}

/// The numbers of points.
pub fn indices(size: Size, points: &[Point]) -> Vec<usize> {
    points.iter().map(|&point| index(size, point)).collect()
}

/// The value of a position for the side to move.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Worth {
    /// The winning chance, from 0 to 1.
    pub chance: f64,
    /// For a proven result the plies to it, negative where the side to move loses.
    pub plies: Option<i32>,
    /// The expected moves.
    pub line: Vec<usize>,
}

impl Worth {
    /// This score, with the line that it comes from.
    pub fn new(score: Score, line: &[Point], size: Size) -> Worth {
        let sign = if score.is_loss() { -1 } else { 1 };
        let plies = score.distance().filter(|_| score.is_decisive()).map(|plies| sign * plies);
        Worth { chance: f64::from(score.win_permille()) / 1000.0, plies, line: indices(size, line) }
    }
}

/// A colour: 0 for black, 1 for white.
pub fn color(color: Color) -> usize {
    color.index()
}
