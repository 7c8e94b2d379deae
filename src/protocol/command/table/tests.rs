//! Whether the rows agree with the commands that their keywords make.

use super::*;
use crate::protocol::command::row::Payload::{Line, Path, Points, Stones};
use std::mem::discriminant;

#[test]
fn rows_are_sound() {
    for row in ROWS {
        assert!(!row.keywords.is_empty() && !row.doc.is_empty() && !row.answer.is_empty());
        assert!(!row.usage().contains('|') && !row.doc.contains('|') && !row.answer.contains('|'), "{}", row.doc);
        for keyword in row.keywords {
            assert_eq!(discriminant(&keyword.payload), discriminant(&row.keywords[0].payload), "{}", keyword.word);
            assert!(keyword.word.starts_with(|c: char| c.is_ascii_uppercase()), "{}", keyword.word);
            let found = find(keyword.word.replace('*', "x").to_ascii_lowercase().as_bytes()).expect(keyword.word);
            assert_eq!(found.word, keyword.word, "another keyword hides it");
        }
    }
}

/// Each keyword makes a command with the properties of the keyword's row.
#[test]
fn commands_have_the_properties_of_their_rows() {
    for row in ROWS {
        for keyword in row.keywords {
            let made = |rest: &[u8]| match keyword.payload {
                Line(make) => make(rest),
                Stones(make) => Some(make(Vec::new())),
                Points { make, .. } => Some(make(rest, Vec::new())),
                Path(file_use) => Some(Command::File(file_use, Vec::new())),
            };
            let readable = |command: &Command| !matches!(command, Command::Malformed(_));
            let rests = [&b""[..], b"15", b"7,7", b"rule 4", b"1 2 3 4"];
            let commands: Vec<Command> = rests.into_iter().filter_map(made).filter(readable).collect();
            assert!(!commands.is_empty(), "{}", keyword.word);
            for command in commands {
                assert!((row.has)(&command), "{}", keyword.word);
                let traits = (command.thinks(), command.supersedes(), command.needs_board(), command.is_yixin());
                let wanted = (row.thinks, row.supersedes, row.needs_board, row.dialect == Dialect::Yixin);
                assert_eq!(traits, wanted, "{}", keyword.word);
            }
        }
    }
    let nothing = Command::Unknown("X".into());
    assert!(!nothing.thinks() && !nothing.supersedes() && !nothing.needs_board() && !nothing.is_yixin());
}
