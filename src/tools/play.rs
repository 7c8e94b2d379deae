//! `play`: a game against the engine in a terminal or through a pipe.

use super::drawing::{self, sign};
use super::explain;
use super::gamefile::sgf::{self, Remarks};
use super::gamefile::{self, Format, Section};
use super::point_names::{self, name};
use crate::base::{Cell, Color, Point, Rule, Size};
use crate::board::foul_explanation::Explanation;
use crate::board::oracle::{Oracle, Verdict};
use crate::engine::Engine;
use crate::engine::files;
use crate::engine::level::{FULL, LEVELS};
use crate::search::{NullSink, SearchControl, SearchReport};
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What `play --help` prints.
const HELP: &str = "\
usage: pbrain-tengen play [options]

A game against the engine. Type moves such as h8, or help. Rows count from below.

  --level L    0 to 100, or a name: beginner, novice, casual, attentive, regular (the default),
               sound, club, strong, expert, master, full
  --rule R     0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact, or their names (freestyle)
  --size N     board size, 5 to 22, or two as 20x15 (15)
  --white      you play white: the engine begins
  --from GAME  start from a position: moves (h8i9...), a record of a game (Piskvork, SGF,
               RenLib, ...: see docs/tools.md), or a picture; a rule and a size that the file
               names replace --rule and --size
  --ms N       milliseconds for a move; only level 100 and hints use them up (1500)
  --seed N     decides what the lower levels overlook; below level 100 the same seed plays the same game
";

/// What `help` says during a game.
const WORDS: &str = "\
  h8          play there
  undo        take back your last move
  hint        what the engine would play, and its estimate of your winning chance
  level 60    change the engine's level: 0 to 100, or a name
  go          the engine moves for you, and you take the other side
  new         a new game; new white: the engine begins; new renju: another rule
  why h8      explain whether renju forbids a point
  board       draw the board again
  moves       print the game so far, as tengen-review reads it (with --size unless 15x15)
  save FILE   save the game: as SGF if the name ends in .sgf, else as a Piskvork file
  quit        quit
";

/// The answer to what cannot be done after the end of a game.
const GAME_OVER: &str = "The game is over. Type new, undo, moves, save or quit";

/// Settings of the game.
#[derive(Clone, Debug)]
struct Settings {
    rule: Rule,
    size: Size,
    level: u32,
    person: Color,
    time: Duration,
    seed: u64,
    from: Section,
    /// Moves at its beginning that were imposed on the players.
    imposed: usize,
    /// What the record says besides.
    remarks: Vec<String>,
}

/// `play [options]`.
///
/// # Errors
/// When the options cannot be parsed, or the output cannot be written.
pub fn run(arguments: &[OsString], out: &mut dyn Write) -> Result<()> {
    let Some(settings) = parse(arguments)? else { return Ok(write!(out, "{HELP}")?) };
    Table::new(settings).play(std::io::stdin().lock(), out)
}

fn parse(arguments: &[OsString]) -> Result<Option<Settings>> {
    use lexopt::prelude::{Long, Short, ValueExt};
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut settings = Settings {
        rule: Rule::Freestyle,
        size: Size::square(15).context("the default board")?,
        level: 40,
        person: Color::Black,
        time: Duration::from_millis(1500),
        seed: clock.as_millis() as u64 % 1_000_000,
        from: Section::new(),
        imposed: 0,
        remarks: Vec::new(),
    };
    let (mut size, mut from, mut rule) = (None, None, None);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("level") => settings.level = level_of(&parser.value()?.string()?)?,
            Long("rule") => rule = Some(parser.value()?.string()?.parse()?),
            Long("size") => size = Some(parser.value()?.parse()?),
            Long("white") => settings.person = Color::White,
            Long("from") => from = Some(parser.value()?),
            Long("ms") => settings.time = Duration::from_millis(parser.value()?.parse()?),
            Long("seed") => settings.seed = parser.value()?.parse()?,
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    (settings.size, settings.rule) = (size.unwrap_or(settings.size), rule.unwrap_or(settings.rule));
    if let Some(source) = from {
        let game = gamefile::read(&gamefile::read_source(Some(source))?, size)?;
        settings.size = game.size;
        settings.rule = game.rule.unwrap_or(settings.rule);
        if !game.is_bare() {
            settings.remarks = game.remarks(rule);
        }
        // What was imposed before the last position was set up, or before a pass, is part of that position.
        let before: usize = game.earlier.iter().map(|section| section.moves.len()).sum();
        settings.imposed = game.start.moves.saturating_sub(before);
        game.last.ensure_open(settings.rule, settings.size)?;
        settings.from = game.last;
    }
    Ok(Some(settings))
}

/// A level by its number or its name.
fn level_of(text: &str) -> Result<u32> {
    let named = LEVELS.iter().find(|(name, _)| *name == text).map(|&(_, level)| level);
    let level = named.or_else(|| text.parse().ok()).filter(|&level| level <= FULL);
    level.with_context(|| format!("unknown level '{text}': 0 to 100, or a name such as beginner, regular or full"))
}

/// A board, the user and the engine.
struct Table {
    settings: Settings,
    engine: Engine,
    /// A second engine for hints, so that what it finds does not help the lower levels.
    adviser: Engine,
    game: Section,
    /// Moves at its beginning that were imposed: nobody takes them back.
    imposed: usize,
    /// For each move, whether the user played it; of a record, whether it is of the user's colour.
    is_users: Vec<bool>,
    /// The result, once the game is over.
    result: Option<String>,
}

/// What to do after a line.
enum Next {
    Ask,
    Quit,
}

impl Table {
    fn new(settings: Settings) -> Table {
        let (game, imposed) = (settings.from.clone(), settings.imposed);
        let (engine, adviser) = (Engine::new(), Engine::new());
        let mut table =
            Table { settings, engine, adviser, game: Section::new(), imposed: 0, is_users: Vec::new(), result: None };
        table.start();
        let person = table.settings.person;
        table.is_users = (0..game.moves.len()).map(|index| game.color(index) == person).collect();
        (table.game, table.imposed) = (game, imposed);
        table
    }

    /// Starts a game on the empty board.
    fn start(&mut self) {
        for engine in [&mut self.engine, &mut self.adviser] {
            engine.set_rule(self.settings.rule);
            engine.new_game(self.settings.size, false);
        }
        (self.game, self.imposed, self.result) = (Section::new(), 0, None);
        self.is_users.clear();
    }

    fn to_move(&self) -> Color {
        self.game.to_move()
    }

    fn oracle(&self) -> Oracle {
        self.game.oracle(self.settings.rule, self.settings.size)
    }

    /// Reads and answers lines until the user quits or the input ends.
    fn play(mut self, mut input: impl BufRead, out: &mut dyn Write) -> Result<()> {
        for remark in &self.settings.remarks {
            writeln!(out, "{remark}")?;
        }
        self.welcome(out)?;
        self.answer(out)?;
        self.draw(out)?;
        loop {
            write!(out, "{}> ", sign(self.to_move()))?;
            out.flush()?;
            let mut bytes = Vec::new();
            if input.read_until(b'\n', &mut bytes).context("cannot read standard input")? == 0 {
                return Ok(writeln!(out)?);
            }
            let line = String::from_utf8_lossy(&bytes).trim().to_owned();
            match self.execute(&line, out) {
                Ok(Next::Ask) => {}
                Ok(Next::Quit) => return Ok(()),
                Err(problem) => {
                    let plain = format!("{problem:#}").replace(|c: char| c.is_control(), " ");
                    writeln!(out, "{plain}")?;
                }
            }
        }
    }

    fn welcome(&self, out: &mut dyn Write) -> Result<()> {
        let Settings { rule, size, level, person, seed, .. } = &self.settings;
        let name = rule.name();
        let who = if *person == Color::Black { "black (X)" } else { "white (O)" };
        Ok(writeln!(
            out,
            "{name}, {size}, level {level}, seed {seed}. You are {who}. Type a move such as h8, or help."
        )?)
    }

    /// Executes one line.
    fn execute(&mut self, line: &str, out: &mut dyn Write) -> Result<Next> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_lowercase().as_str() {
            "" => {}
            "help" | "?" => write!(out, "{WORDS}")?,
            "quit" | "exit" | "q" => return Ok(Next::Quit),
            "board" => self.draw(out)?,
            "moves" => writeln!(out, "{}", self.moves()?)?,
            "undo" => self.undo(out)?,
            "hint" => self.hint(out)?,
            "go" => {
                ensure!(self.result.is_none(), GAME_OVER);
                self.settings.person = self.to_move().opponent();
                self.answer(out)?;
                self.draw(out)?;
            }
            "level" => {
                self.settings.level = level_of(rest)?;
                writeln!(out, "level {}", self.settings.level)?;
            }
            "new" => self.renew(rest, out)?,
            "why" => {
                let point = self.point(rest)?;
                ensure!(self.settings.rule == Rule::Renju, "only renju has forbidden points");
                ensure!(self.oracle().cell(point) == Cell::Empty, "{} is not empty", self.name(point));
                self.explain(point, out)?;
            }
            "save" => self.save(rest, out)?,
            _ => {
                let point = self.point(line).with_context(|| format!("'{line}'? Type a move such as h8, or help"))?;
                self.user_move(point, out)?;
            }
        }
        Ok(Next::Ask)
    }

    /// The single point that a text names.
    fn point(&self, text: &str) -> Result<Point> {
        match point_names::parse(text, self.settings.size).as_deref() {
            Some(&[point]) => Ok(point),
            _ => bail!("expected a point of the board, such as h8"),
        }
    }

    /// The name of a point on this board.
    fn name(&self, point: Point) -> String {
        name(point, self.settings.size)
    }

    /// Plays the user's move and the engine's answer.
    fn user_move(&mut self, point: Point, out: &mut dyn Write) -> Result<()> {
        ensure!(self.result.is_none(), GAME_OVER);
        let color = self.to_move();
        let oracle = self.oracle();
        ensure!(oracle.cell(point) == Cell::Empty, "{} is not empty", self.name(point));
        if color == Color::Black && oracle.foul(point).is_some() {
            return self.explain(point, out);
        }
        self.settings.person = color;
        self.place(point, true);
        self.answer(out)?;
        self.draw(out)
    }

    /// Plays a move of the user's or the engine's, and sets the result if it ends the game.
    fn place(&mut self, point: Point, is_users: bool) {
        let color = self.to_move();
        let verdict = self.oracle().play(point, color);
        self.game.moves.push(point);
        self.is_users.push(is_users);
        self.result = match verdict {
            Verdict::Wins => Some(format!("{} wins with {}.", sign(color), self.name(point))),
            Verdict::Draw => Some("A draw: no more stones may be played.".to_owned()),
            Verdict::Foul(_) => Some(format!("{} is forbidden: {} loses.", self.name(point), sign(color))),
            Verdict::Continues | Verdict::Illegal => None,
        };
    }

    /// Plays the engine's move, if it is its turn.
    fn answer(&mut self, out: &mut dyn Write) -> Result<()> {
        if self.result.is_some() || self.to_move() == self.settings.person {
            return Ok(());
        }
        let options = self.engine.options_mut();
        (options.strength, options.seed, options.turn) =
            (self.settings.level, self.settings.seed, Some(self.settings.time));
        let report = think(&mut self.engine, &self.game)?;
        let point = report.best.context("the board is full")?;
        writeln!(out, "{} plays {}", sign(self.to_move()), self.name(point))?;
        self.place(point, false);
        Ok(())
    }

    /// Takes back the user's last move and every move after it; the user has the colour of that move again.
    fn undo(&mut self, out: &mut dyn Write) -> Result<()> {
        let last = (self.imposed..self.game.moves.len()).rev().find(|&index| self.is_users[index]);
        let last = last.context("you have not played yet")?;
        let removed = self.game.moves.split_off(last);
        self.is_users.truncate(last);
        self.settings.person = self.to_move();
        self.result = None;
        writeln!(out, "taken back: {}", point_names::names(&removed, self.settings.size, " "))?;
        self.draw(out)
    }

    /// Prints what the engine at full strength would play, and its estimate.
    fn hint(&mut self, out: &mut dyn Write) -> Result<()> {
        ensure!(self.result.is_none(), GAME_OVER);
        self.adviser.options_mut().turn = Some(self.settings.time);
        let report = think(&mut self.adviser, &self.game)?;
        let best = report.best.context("the board is full")?;
        if !report.stands() {
            return Ok(writeln!(out, "hint: {}; the move that seemed better loses", self.name(best))?);
        }
        let score = report.last.score;
        let opinion = match score.distance() {
            Some(1) => "it wins at once".to_owned(),
            Some(distance) if score.is_win() => format!("it wins in at most {distance} plies"),
            Some(distance) => format!("but it loses in at most {distance} plies against best play"),
            None => format!("your winning chance is {:.0} %", f64::from(score.win_permille()) / 10.0),
        };
        let line = &report.last.pv[..report.last.pv.len().min(6)];
        let line = point_names::names(line, self.settings.size, " ");
        Ok(writeln!(out, "hint: {}, {opinion}; for instance {line}", self.name(best))?)
    }

    /// Starts a new game; `words` may name the user's colour and a rule.
    fn renew(&mut self, words: &str, out: &mut dyn Write) -> Result<()> {
        let mut settings = Settings { person: Color::Black, ..self.settings.clone() };
        for word in words.split_whitespace() {
            match word.to_lowercase().as_str() {
                "black" => settings.person = Color::Black,
                "white" => settings.person = Color::White,
                other => settings.rule = other.parse()?,
            }
        }
        // The next seed, so that the engine does not play the same game again.
        settings.seed = settings.seed.wrapping_add(1);
        self.settings = settings;
        self.start();
        self.welcome(out)?;
        self.answer(out)?;
        self.draw(out)
    }

    /// Explains whether renju forbids a point.
    fn explain(&self, point: Point, out: &mut dyn Write) -> Result<()> {
        let mut text = String::new();
        explain::describe(&Explanation::new(&self.oracle(), point), self.settings.size, 0, &mut text);
        Ok(write!(out, "{text}")?)
    }

    /// The moves; as SGF if the game did not start on the empty board.
    fn moves(&self) -> Result<String> {
        if self.starts_empty() {
            return Ok(point_names::names(&self.game.moves, self.settings.size, ""));
        }
        sgf::write(self.settings.rule, self.settings.size, &self.game, &self.imposed_remark(Remarks::default()))
    }

    /// The remarks with the number of moves that were imposed.
    fn imposed_remark(&self, mut remarks: Remarks) -> Remarks {
        remarks.properties.push(sgf::imposed(self.imposed));
        remarks
    }

    /// Whether the game started on the empty board with black to move.
    fn starts_empty(&self) -> bool {
        self.game.setup.is_empty() && self.game.first == Color::Black
    }

    fn save(&self, path: &str, out: &mut dyn Write) -> Result<()> {
        ensure!(!path.is_empty(), "save needs a file name");
        let Settings { rule, size, level, person, .. } = self.settings;
        let engine = format!("Tengen level {level}");
        let names = match person {
            Color::Black => ["person".to_owned(), engine],
            Color::White => [engine, "person".to_owned()],
        };
        let path = Path::new(path);
        let is_sgf = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"));
        let (format, kind) = if is_sgf { (Format::Sgf, "an SGF file") } else { (Format::Piskvork, "a Piskvork file") };
        let text = if is_sgf {
            sgf::write(rule, size, &self.game, &self.imposed_remark(Remarks::names(names)))? + "\n"
        } else {
            ensure!(
                self.starts_empty(),
                "a Piskvork file holds moves only, and this game starts from a set-up position: save it as .sgf"
            );
            gamefile::psq(size, self.game.moves.iter().map(|&point| (point, 0)), &names)
        };
        files::expect_kind(path, kind, |begin, _| gamefile::format(begin) == format)
            .and_then(|()| files::replace(path, |file| file.write_all(text.as_bytes())))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(writeln!(out, "saved to {}", path.display())?)
    }

    /// Prints the board, and the result of a finished game.
    fn draw(&self, out: &mut dyn Write) -> Result<()> {
        let oracle = self.oracle();
        let renju = self.settings.rule == Rule::Renju && self.to_move() == Color::Black && self.result.is_none();
        let mark = |point: Point| (renju && oracle.foul(point).is_some()).then_some('!');
        let text =
            drawing::board(self.settings.size, |point| oracle.cell(point), mark, self.game.moves.last().copied());
        write!(out, "{text}")?;
        if let Some(result) = &self.result {
            writeln!(out, "{result} Type new, undo, moves, save or quit.")?;
        }
        Ok(())
    }
}

/// Searches the current position of the game.
fn think(engine: &mut Engine, game: &Section) -> Result<SearchReport> {
    engine.set_position(&game.cells(), game.to_move())?;
    let control = SearchControl::within(engine.limits());
    Ok(engine.think(&control, &mut NullSink))
}
