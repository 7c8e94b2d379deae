//! Parses the step language of `protocol-fixtures/`, which its README describes.

use std::time::Duration;

/// The expectation of one line.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Exactly this text.
    Text(String),
    /// `*` stands for any text.
    Glob(String),
    /// A legal move; `among`: one of these, if not empty; `not`: none of these; `name`: stored under this name.
    Move {
        among: Vec<String>,
        not: Vec<String>,
        name: Option<String>,
    },
    /// This many distinct empty squares.
    Stones {
        count: usize,
        names: Vec<String>,
    },
    Error,
    Unknown,
}

/// One step of a transcript.
#[derive(Clone, Debug)]
pub enum Step {
    /// Text with variables, sent with a line end.
    Send(String),
    Raw(Vec<u8>),
    /// What is sent before the matching `Flush` goes out in one write.
    Batch,
    Flush,
    Expect {
        any: Vec<Pattern>,
        least: Duration,
        most: Option<Duration>,
    },
    Message(String),
    /// No message since the last expected one matches.
    NoMessage(String),
    Silence(Duration),
    Wait(Duration),
    Exit {
        within: Duration,
        owed: bool,
    },
    CloseInput,
    CloseOutput,
    Hold,
    Read,
    Suspend,
    Resume,
    MemoryPeak(u64),
    MemoryMark,
    MemoryGrown(f64),
    Bare,
    Directory(String),
    Repeat {
        count: usize,
        body: Vec<Line>,
    },
    UntilFull(Vec<Line>),
    For {
        name: String,
        values: Vec<String>,
        body: Vec<Line>,
    },
}

impl Step {
    /// Whether the outcome depends on time.
    pub fn is_timed(&self) -> bool {
        match self {
            Step::Expect { least, most, .. } => !least.is_zero() || most.is_some(),
            Step::Silence(_)
            | Step::Wait(_)
            | Step::Exit { .. }
            | Step::Suspend
            | Step::MemoryPeak(_)
            | Step::MemoryMark
            | Step::MemoryGrown(_) => true,
            Step::Repeat { body, .. } | Step::UntilFull(body) | Step::For { body, .. } => {
                body.iter().any(|line| line.step.is_timed())
            }
            _ => false,
        }
    }
}

/// A step with its line.
#[derive(Clone, Debug)]
pub struct Line {
    pub number: usize,
    pub text: String,
    pub step: Step,
}

/// Reads a whole fixture.
pub fn parse(text: &str) -> Result<Vec<Line>, String> {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let body = block(&mut lines, false)?;
    if body.is_empty() { Err("no steps".into()) } else { Ok(body) }
}

fn block<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>, inner: bool) -> Result<Vec<Line>, String> {
    let mut body = Vec::new();
    while let Some((number, text)) = lines.next() {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if text == "end" && inner {
            return Ok(body);
        }
        let steps = if let Some(count) = text.strip_prefix("repeat ") {
            let count = count.parse().map_err(|_| format!("line {number}: bad count"))?;
            vec![Step::Repeat { count, body: block(lines, true)? }]
        } else if text == "until-full" {
            vec![Step::UntilFull(block(lines, true)?)]
        } else if let Some(header) = text.strip_prefix("for $") {
            let (name, values) = header.split_once(" in ").ok_or(format!("line {number}: for $name in ..."))?;
            let values = values_of(values).ok_or(format!("line {number}: bad values"))?;
            vec![Step::For { name: name.into(), values, body: block(lines, true)? }]
        } else {
            steps(text).ok_or_else(|| format!("line {number}: cannot read {text:?}"))?
        };
        body.extend(steps.into_iter().map(|step| Line { number, text: text.to_owned(), step }));
    }
    if inner { Err("`end` is missing".into()) } else { Ok(body) }
}

/// `5..22`, or strings in quotes.
fn values_of(text: &str) -> Option<Vec<String>> {
    if let Some((first, last)) = text.split_once("..") {
        let (first, last): (i64, i64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        return Some((first..=last).map(|n| n.to_string()).collect());
    }
    let quoted: Vec<_> = text.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    (!quoted.is_empty()).then_some(quoted)
}

fn ms(text: &str) -> Option<Duration> {
    text.trim().parse().ok().map(Duration::from_millis)
}

/// The steps of one line, with macros expanded.
fn steps(text: &str) -> Option<Vec<Step>> {
    let send = |line: String| Step::Send(line);
    if let Some(line) = text.strip_prefix("> ") {
        return Some(vec![send(line.to_owned())]);
    }
    if let Some(raw) = text.strip_prefix(">~ ") {
        let (times, quoted) = raw.split_once(" x ").map_or((1, raw), |(n, rest)| (n.parse().unwrap_or(0), rest));
        let bytes = unescape(quoted.trim().strip_prefix('"')?.strip_suffix('"')?)?;
        return Some(vec![Step::Raw(bytes.repeat(times))]);
    }
    if text.starts_with('<') {
        return expectation(text).map(|step| vec![step]);
    }
    if let Some((macro_name, stones)) = text.strip_suffix('}').and_then(|text| text.split_once('{'))
        && let Some(opening) = match macro_name {
            "B" => Some("BOARD"),
            "b" => Some("board"),
            "Y" => Some("yxboard"),
            "Q" => Some("SWAP2BOARD"),
            "D" => Some("yxquerydatabaseall"),
            _ => None,
        }
    {
        let done = if opening.starts_with(char::is_uppercase) { "DONE" } else { "done" };
        let lines = [opening].into_iter().chain(stones.split_whitespace()).chain([done]);
        return Some(lines.map(|line| send(line.to_owned())).collect());
    }
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match word {
        "S" => {
            let ok = vec![Pattern::Text("OK".into())];
            let expect = Step::Expect { any: ok, least: Duration::ZERO, most: None };
            vec![send(format!("START {rest}")), expect]
        }
        "T" => vec![
            send(format!("INFO timeout_turn {rest}")),
            send("INFO timeout_match 0".into()),
            send("INFO time_left 2147483647".into()),
        ],
        "W" => vec![Step::Wait(ms(rest)?)],
        "X" => vec![Step::Exit { within: ms(rest)?, owed: false }],
        "X+M" => vec![Step::Exit { within: ms(rest)?, owed: true }],
        "EOF" => vec![Step::CloseInput],
        "CLOSE-OUTPUT" => vec![Step::CloseOutput],
        "HOLD" => vec![Step::Hold],
        "READ" => vec![Step::Read],
        "SIGSTOP" => vec![Step::Suspend],
        "SIGCONT" => vec![Step::Resume],
        "{" => vec![Step::Batch],
        "}" => vec![Step::Flush],
        "MEMORY" => vec![match rest.split_whitespace().collect::<Vec<_>>()[..] {
            ["mark"] => Step::MemoryMark,
            ["peak", mib] => Step::MemoryPeak(mib.parse().ok()?),
            ["grown", factor] => Step::MemoryGrown(factor.parse().ok()?),
            _ => return None,
        }],
        "ENVIRONMENT" if rest == "none" => vec![Step::Bare],
        "DIRECTORY" => vec![Step::Directory(rest.to_owned())],
        _ => return None,
    })
}

/// `<0 n`, `<MESSAGE glob`, or alternatives with an optional time.
fn expectation(text: &str) -> Option<Step> {
    if let Some(silence) = text.strip_prefix("<0 ") {
        return ms(silence).map(Step::Silence);
    }
    if let Some(glob) = text.strip_prefix("<no MESSAGE ") {
        return Some(Step::NoMessage(format!("MESSAGE {glob}")));
    }
    if let Some(glob) = text.strip_prefix("<MESSAGE ") {
        return Some(Step::Message(format!("MESSAGE {glob}")));
    }
    let (text, least, most) = match text.rsplit_once(" @") {
        None => (text, Duration::ZERO, None),
        Some((text, bounds)) => match bounds.split_once("..") {
            None => (text, Duration::ZERO, Some(ms(bounds)?)),
            Some((least, most)) => (text, ms(least)?, Some(ms(most)?)),
        },
    };
    let any = text.split(" | ").map(|alternative| pattern(alternative.trim())).collect::<Option<Vec<_>>>()?;
    Some(Step::Expect { any, least, most })
}

fn pattern(text: &str) -> Option<Pattern> {
    let text = text.strip_prefix('<')?;
    if let Some(literal) = text.strip_prefix(' ') {
        return Some(Pattern::Text(literal.to_owned()));
    }
    if let Some(glob) = text.strip_prefix("* ") {
        return Some(Pattern::Glob(glob.to_owned()));
    }
    let names = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let squares = |text: &str| -> Option<Vec<String>> {
        Some(text.strip_suffix('}')?.split_whitespace().map(str::to_owned).collect())
    };
    let (among, not) = (Vec::new(), Vec::new());
    Some(match text {
        "E" => Pattern::Error,
        "U" => Pattern::Unknown,
        "M" => Pattern::Move { among, not, name: None },
        "P2" => Pattern::Stones { count: 2, names: Vec::new() },
        "P3" => Pattern::Stones { count: 3, names: Vec::new() },
        _ => {
            if let Some(list) = text.strip_prefix("M{") {
                Pattern::Move { among: squares(list)?, not, name: None }
            } else if let Some(list) = text.strip_prefix("M!{") {
                Pattern::Move { among, not: squares(list)?, name: None }
            } else if let Some(name) = text.strip_prefix("M=") {
                Pattern::Move { among, not, name: Some(name.to_owned()) }
            } else if let Some(list) = text.strip_prefix("P3=") {
                Pattern::Stones { count: 3, names: names(list) }
            } else {
                return None;
            }
        }
    })
}

/// C escapes: `\n \r \t \\ \" \xHH`.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                quoted => quoted,
            },
            byte => byte,
        });
    }
    Some(bytes)
}
