//! The commands that lines become.

use super::*;
use crate::base::Size;
use crate::engine::database::Deletion;
use crate::protocol::command::{Malformed, Owner, Query};
use crate::protocol::info::Info;

fn read(lines: &[&str]) -> Vec<Command> {
    let mut assembler = Assembler::default();
    lines.iter().filter_map(|line| assembler.line(line.trim().as_bytes())).collect()
}

fn one(line: &str) -> Command {
    let commands = read(&[line]);
    assert_eq!(commands.len(), 1, "{line}");
    commands.into_iter().next().unwrap()
}

fn square(side: usize) -> Command {
    Command::Start(Size::square(side).unwrap())
}

#[test]
fn sizes() {
    assert_eq!(one("START 15"), square(15));
    assert_eq!(one("sTaRt\t20"), square(20));
    assert_eq!(one("START 15 15"), square(15));
    assert_eq!(one("start 20 15"), Command::Start(Size::new(15, 20).unwrap()));
    for rect in ["RECTSTART 20,15", "RECTSTART 20, 15", "RECTSTART 20 ,15", "rectstart 20 15"] {
        assert_eq!(one(rect), Command::Start(Size::new(20, 15).unwrap()), "{rect}");
    }
    let bad = ["START", "START abc", "START 0", "START -3", "START 4", "START 23", "START 15 15 15", "START 15,15"];
    for line in bad.iter().chain(&["START 99999999999999999999", "RECTSTART 15", "RECTSTART x,y", "RECTSTART"]) {
        assert_eq!(one(line), Command::Malformed(Malformed::Size), "{line}");
    }
}

#[test]
fn coordinates() {
    let spot = Spot { x: 7, y: 8 };
    for line in ["TURN 7,8", "turn 7 , 8", "TURN\t7,\t8", "TURN +7,08"] {
        assert_eq!(one(line), Command::Turn(spot), "{line}");
    }
    assert_eq!(one("TURN -1,3"), Command::Turn(Spot { x: -1, y: 3 }));
    assert_eq!(one("PLAY 7,8"), Command::Play(spot));
    assert_eq!(one("TAKEBACK 7,8"), Command::TakeBack(spot));
    for line in ["TURN", "TURN 7", "TURN 7,", "TURN ,7", "TURN a,b", "TURN 7,8,1", "TURN 7,8 x", "TURN 7;8"] {
        assert_eq!(one(line), Command::Malformed(Malformed::Coordinates), "{line}");
    }
}

#[test]
fn a_block_becomes_one_command() {
    let own = |x, y| (Spot { x, y }, Owner::Own);
    let theirs = |x, y| (Spot { x, y }, Owner::Opponent);
    assert_eq!(read(&["BOARD", "DONE"]), [Command::Board(Vec::new())]);
    assert_eq!(
        read(&["BoArD", "7,7,2", " 8, 8, 1\t", "1,1,3 comment", "", "dOnE"]),
        [Command::Board(vec![theirs(7, 7), own(8, 8), (Spot { x: 1, y: 1 }, Owner::Dead)])]
    );
    assert_eq!(
        read(&["BOARD", "foo", "8,8", "8,8,9", "8,8,12", "1,1,1,1", "-1,0,1", "1,2,2", "done"]),
        [Command::Board(vec![own(-1, 0), theirs(1, 2)])]
    );
    assert_eq!(
        read(&["swap2board", "7,7", "8 , 7", "done"]),
        [Command::Swap2Board(vec![Spot { x: 7, y: 7 }, Spot { x: 8, y: 7 }])]
    );
    assert_eq!(read(&["yxboard", "7,7,2", "done"]), [Command::SetBoard(vec![theirs(7, 7)])]);
}

#[test]
fn commands_inside_a_block() {
    let info = Command::Info(Info::parse(b"timeout_turn 5").unwrap());
    assert_eq!(
        read(&["BOARD", "INFO timeout_turn 5", "INFO folder /x", "YXSTOP", "7,7,2", "DONE"]).len(),
        4,
        "INFO and STOP pass, the block goes on"
    );
    assert_eq!(read(&["BOARD", "INFO timeout_turn 5"]), [info]);
    assert_eq!(read(&["BOARD", "7,7,2", "END"]), [Command::End]);
    assert_eq!(read(&["BOARD", "7,7,2", "START 15", "DONE"]), [square(15), Command::Unknown("DONE".into())]);
    assert_eq!(
        read(&["BOARD", "7,7,2", "BOARD", "8,8,2", "DONE"]),
        [Command::Board(vec![(Spot { x: 8, y: 8 }, Owner::Opponent)])]
    );
}

#[test]
fn the_yixin_dialect_stays_in_step() {
    let spot = Spot { x: 7, y: 7 };
    assert_eq!(
        read(&["yxquerydatabaseall", "7,7", "done", "yxstop"]),
        [Command::Database(Query::Moves, vec![spot]), Command::Stop]
    );
    assert_eq!(
        read(&["yxeditlabeldatabase some text", "7,7", "done", "END"]),
        [Command::Database(Query::SetLabel(b"some text".to_vec()), vec![spot]), Command::End]
    );
    assert_eq!(
        read(&["yxedittvddatabase 3 65 -20", "done", "yxdeletedatabaseall nonWL", "done"]),
        [
            Command::Database(Query::Edit { mask: 3, tag: 65, value: -20, depth: 0 }, Vec::new()),
            Command::Database(Query::DeleteFrom(Deletion::Undecided), Vec::new())
        ]
    );
    // Bug: Yixin-Board sends no line end after an empty label, and the first point became the label.
    assert_eq!(
        read(&["yxeditlabeldatabase 6,6", "7,7", "done"]),
        [Command::Database(Query::SetLabel(Vec::new()), vec![Spot { x: 6, y: 6 }, spot])]
    );
    assert_eq!(read(&["yxeditsomethingnew", "7,7", "done"]), [Command::Accepted]);
    assert_eq!(
        read(&["yxsetdatabase", "D:\\my files\\START 15", "ABOUT"]),
        [Command::File(FileUse::SetDatabase, b"D:\\my files\\START 15".to_vec()), Command::About]
    );
    assert_eq!(read(&["yxhashdump", "", "ABOUT"]), [Command::File(FileUse::DumpHash, Vec::new()), Command::About]);
    assert_eq!(read(&["yxsoosorvstep5 3", "7,7", "done"]).len(), 1);
    assert_eq!(
        read(&["yxblockpath", "7,7", "done", "yxblockpathreset", "yxblockpathundo", "done"]),
        [Command::BlockPath(vec![spot]), Command::UnblockPaths, Command::UnblockPath(Vec::new())]
    );
    assert_eq!(read(&["yxnbest", "yxnbest 5"]), [Command::Best(2), Command::Best(5)]);
    assert_eq!(one("yxbalancetwo -30"), Command::Balance { stones: 2, bias: -30 });
    assert_eq!(one("yxbalance 3 7"), Command::Balance { stones: 3, bias: 7 });
    assert_eq!(
        read(&["yxsoosorvstep4 3", "7,7", "done"]),
        [Command::Soosorv { step: 4, fifths: 3, spots: vec![spot] }]
    );
    assert_eq!(one("yxnonsense"), Command::Unknown("yxnonsense".into()));
    assert_eq!(read(&["ponder", "PONDER 100"]), [Command::Ponder, Command::Ponder]);
    assert_eq!(read(&["INFO", "INFO nosuchkey 5"]), []);
}

/// Bug: a number that could not be read became the default, and a word that means nothing deleted all positions.
#[test]
fn a_command_with_an_unreadable_argument_is_refused() {
    let value = || Command::Malformed(Malformed::Value);
    for line in ["yxnbest -1", "yxnbest 0", "yxnbest x", "yxbalance 0 0", "yxbalance 2 x", "yxbalanceone x"] {
        assert_eq!(one(line), value(), "{line}");
    }
    for line in [
        "yxedittvddatabase",
        "yxedittvddatabase 6 87 x",
        "yxedittvddatabase 4 0 0",
        "yxdeletedatabaseall wll",
        "yxsoosorvstep4 0",
    ] {
        assert_eq!(read(&[line, "7,7", "done"]), [value()], "{line}");
    }
}

/// Bug: the line was skipped, and the command was about another position: one deleted the whole database.
#[test]
fn a_block_with_an_unreadable_point_is_refused() {
    let refused = || vec![Command::Malformed(Malformed::Coordinates)];
    for opening in ["yxdeletedatabaseall", "yxquerydatabaseall", "SWAP2BOARD", "yxblockpath", "yxsoosorvstep2"] {
        assert_eq!(read(&[opening, "7;7", "done"]), refused(), "{opening}");
        assert_eq!(read(&[opening, "7,7", "foo", "8,8", "done", "ABOUT"]).last(), Some(&Command::About));
    }
    // Each of these points counts for itself.
    assert_eq!(read(&["yxblock", "7;7", "7,7", "done"]), [Command::Block(vec![Spot { x: 7, y: 7 }])]);
}

/// Bug: a size that is refused got no answer inside a block whose `DONE` was lost, and left it open.
#[test]
fn a_refused_size_ends_a_block() {
    assert_eq!(read(&["BOARD", "7,7,1", "START 99", "ABOUT"]), [Command::Malformed(Malformed::Size), Command::About]);
    assert_eq!(read(&["BOARD", "START 99", "DONE"])[1..], [Command::Unknown("DONE".into())]);
}

#[test]
fn unknown_words_are_quoted_printably() {
    assert_eq!(one("7,7"), Command::Unknown("7,7".into()));
    assert_eq!(one("DONE"), Command::Unknown("DONE".into()));
    let mut assembler = Assembler::default();
    assert_eq!(assembler.line(b"\x00\xff\x1a"), Some(Command::Unknown("???".into())));
    assert_eq!(assembler.line(&[b'A'; 100_000]), Some(Command::Unknown("A".repeat(32))));
}

#[test]
fn a_flood_of_lines_in_a_block_is_bounded() {
    let mut assembler = Assembler::default();
    assembler.line(b"BOARD");
    for _ in 0..100_000 {
        assert_eq!(assembler.line(b"7,7,1"), None);
    }
    let Some(Command::Board(placements)) = assembler.line(b"DONE") else { panic!("no board") };
    assert_eq!(placements.len(), Assembler::BLOCK_LINES);
}
