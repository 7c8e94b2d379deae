//! Which commands stop a search, change its limits, or turn pondering into the search for an answer.

use super::*;

/// Orders with given times of arrival, in ms.
struct Script {
    traffic: Traffic,
    zero: Instant,
    seq: u64,
}

impl Script {
    fn new() -> Script {
        Script { traffic: Traffic::default(), zero: Instant::now(), seq: 0 }
    }

    fn stamp(&self, ms: u64) -> Stamp {
        Stamp { at: self.zero + Duration::from_millis(ms), listened: Duration::from_millis(ms) }
    }

    fn hear(&mut self, ms: u64, command: Command) -> Order {
        self.seq += 1;
        let order = Order { seq: self.seq, stamp: self.stamp(ms), command };
        self.traffic.announce(&order);
        order
    }

    fn info(&mut self, ms: u64, text: &str) -> Order {
        self.hear(ms, Command::Info(Info::parse(text.as_bytes()).unwrap()))
    }

    fn begin(&self, order: &Order) {
        self.traffic.begin(order, None, order.stamp.at, Options::default());
    }

    fn stopped(&self) -> bool {
        self.traffic.control().is_stopped()
    }
}

#[test]
fn commands_sent_together_do_not_cut() {
    let mut script = Script::new();
    let begin = script.hear(0, Command::Begin);
    script.begin(&begin);
    for command in [Command::Restart, Command::SetBoard(Vec::new()), Command::End] {
        script.hear(50, command);
        assert!(!script.stopped());
    }
    script.info(50, "timeout_turn 0");
    assert!(!script.stopped());
    script.hear(50, Command::Stop);
    assert!(script.stopped());
}

/// Bug: what had been left at its arrival was taken for what had been left at the question, and as a measure of the overhead.
#[test]
fn a_time_left_sent_during_a_search_was_true_when_it_arrived() {
    let ms = Duration::from_millis;
    let mut game = Options { match_time: Some(ms(60_000)), ..Options::default() };
    game.set_time_left(60_000);
    game.count_move(Duration::ZERO);
    for is_heard_before in [false, true] {
        let mut script = Script::new();
        let begin = script.hear(0, Command::Begin);
        let begins = |script: &Script| script.traffic.begin(&begin, None, begin.stamp.at, game.clone());
        if !is_heard_before {
            begins(&script);
        }
        script.info(400, "time_left 59600");
        if is_heard_before {
            begins(&script);
        }
        let limits = script.traffic.control().limits();
        assert_eq!((limits.left, limits.overhead), (Some(ms(60_000)), Duration::ZERO));
    }
}

#[test]
fn later_commands_cut() {
    for command in [Command::Restart, Command::SetBoard(Vec::new()), Command::End, Command::Stop] {
        let mut script = Script::new();
        let first = script.hear(0, Command::Begin);
        let second = script.hear(0, Command::Best(3));
        script.begin(&first);
        script.hear(51, command);
        assert!(script.stopped());
        script.traffic.end();
        script.begin(&second);
        assert!(script.stopped(), "everything asked before is cut");
        script.traffic.end();
        let third = script.hear(60, Command::Best(3));
        script.begin(&third);
        assert!(!script.stopped(), "later questions are not");
    }
    for command in [Command::Begin, Command::About, Command::Unknown("X".into()), Command::ShowForbidden] {
        let mut script = Script::new();
        let first = script.hear(0, Command::Begin);
        script.begin(&first);
        script.hear(1000, command);
        assert!(!script.stopped());
    }
}

/// Bug: a question that a manager sent together with `START` or `END` kept the search before it running to its end.
#[test]
fn commands_sent_with_a_new_question_cut_the_one_before() {
    for command in [Command::Restart, Command::End] {
        let mut script = Script::new();
        let first = script.hear(0, Command::Best(3));
        script.begin(&first);
        let second = script.hear(51, Command::Begin);
        assert!(!script.stopped());
        script.hear(52, command.clone());
        assert!(script.stopped(), "{command:?}");
        assert_eq!(script.traffic.is_superseded(first.seq), command == Command::Restart);
        script.traffic.end();
        script.begin(&second);
        assert!(!script.stopped() && !script.traffic.is_superseded(second.seq), "{command:?}");
    }
    // Stepping through a game: every position is left before the next one is half analysed.
    let mut script = Script::new();
    let first = script.hear(0, Command::Best(3));
    script.begin(&first);
    for ms in [30, 60] {
        script.hear(ms, Command::SetBoard(Vec::new()));
        assert_eq!(script.stopped(), ms == 60);
        script.hear(ms, Command::Best(3));
    }
}

#[test]
fn info_reaches_the_running_search() {
    let mut script = Script::new();
    let begin = script.hear(0, Command::Begin);
    script.begin(&begin);
    script.info(200, "max_node 77");
    assert_eq!(script.traffic.control().limits().nodes, Some(77));
    assert_eq!(script.traffic.control().limits().started, Some(begin.stamp.at));
    assert!(!script.stopped());
    script.info(210, "timeout_turn 0");
    assert!(script.stopped());
}

/// Bug: an analysis on the clock ended early where all moves but one lose.
#[test]
fn an_analysis_wants_the_score_also_after_its_limits_change() {
    for position in [None, Some(analysed(&[1]))] {
        let mut script = Script::new();
        let question = script.hear(0, Command::Best(1));
        let wants_score = position.is_some();
        script.traffic.begin(&question, position, question.stamp.at, Options::default());
        assert_eq!(script.traffic.control().limits().wants_score, wants_score);
        script.info(100, "timeout_turn 900");
        assert_eq!(script.traffic.control().limits().wants_score, wants_score);
    }
}

/// Bug: lifting the last limit later than the default time ended the search.
#[test]
fn lifting_the_last_limit_does_not_end_the_search() {
    let mut script = Script::new();
    script.zero -= 2 * Options::DEFAULT_TURN;
    let begin = script.hear(0, Command::Begin);
    script.begin(&begin);
    script.info(100, "max_depth 9");
    assert_eq!(script.traffic.control().limits().turn, None);
    script.info(200, "max_depth 0");
    assert!(script.traffic.control().limits().turn >= Some(3 * Options::DEFAULT_TURN));
    script.info(300, "max_depth 20");
    assert_eq!(script.traffic.control().limits().turn, None);
}

/// A position with stones in these columns of row 7.
fn analysed(columns: &[usize]) -> Analysed {
    let stones = columns.iter().map(|&x| Point::new(x, 7).unwrap()).collect();
    Analysed { size: Size::square(15).unwrap(), stones }
}

/// Bug: the answer of an analysis came after the user of Yixin-Board had gone on without a command that says so, and was
/// played in another position.
#[test]
fn an_analysis_ends_when_the_manager_shows_another_position() {
    let spot = |x| Spot { x, y: 7 };
    let shown = |spots: &[i64]| Command::Database(Query::Moves, spots.iter().copied().map(spot).collect());
    for (question, other, is_left) in [
        (Command::Best(2), shown(&[1]), true),
        (Command::Best(2), shown(&[1, 3]), true),
        (Command::Best(2), shown(&[2, 1]), false),
        (Command::Begin, shown(&[1]), false),
        (Command::Best(2), Command::Turn(spot(5)), true),
        // Bug: a move that is refused ended the analysis.
        (Command::Best(2), Command::Turn(spot(2)), false),
        // Bug: so did one off the board, and a query that is refused.
        (Command::Best(2), Command::Turn(spot(15)), false),
        (Command::Best(2), shown(&[1, 15]), false),
        (Command::Best(2), shown(&[1, 1, 2]), false),
    ] {
        let mut script = Script::new();
        let question = script.hear(0, question);
        let analysed = question.command.is_analysis().then(|| analysed(&[1, 2]));
        script.traffic.begin(&question, analysed, question.stamp.at, Options::default());
        script.hear(1, shown(&[]));
        assert!(!script.stopped(), "it was sent together with the question");
        script.hear(200, other.clone());
        assert_eq!((script.stopped(), script.traffic.is_superseded(question.seq)), (is_left, is_left), "{other:?}");
    }
}

/// Bug: an analysis that waited for another search was carried out to its end after the manager had left its position.
#[test]
fn an_analysis_that_waits_is_left_like_one_that_runs() {
    let turn = |x| Command::Turn(Spot { x, y: 7 });
    for (ms, then, is_left) in [(200, turn(5), true), (140, turn(5), false), (200, turn(2), false)] {
        let mut script = Script::new();
        let asked = script.hear(0, turn(1));
        script.begin(&asked);
        let analysis = script.hear(100, Command::Best(2));
        let then = script.hear(ms, then);
        assert!(!script.stopped());
        script.traffic.end();
        script.traffic.retire(asked.seq);
        script.traffic.begin(&analysis, Some(analysed(&[1, 2])), analysis.stamp.at, Options::default());
        assert_eq!((script.stopped(), script.traffic.is_superseded(analysis.seq)), (is_left, is_left), "{ms} {then:?}");
        script.traffic.end();
        script.traffic.retire(analysis.seq);
        script.begin(&then);
        assert!(!script.stopped() && !script.traffic.is_superseded(then.seq));
    }
}

/// Bug: the query that Yixin-Board sends after the user's move cut the search for the answer to that move, because the
/// analysis before it had not quite ended.
#[test]
fn what_follows_an_analysis_that_is_ending_is_not_cut() {
    let spot = |x| Spot { x, y: 7 };
    let shown = |x| Command::Database(Query::Moves, vec![spot(1), spot(x)]);
    let move_of_the_user = [Command::Turn(spot(2))];
    let other_position = [Command::SetBoard(Vec::new()), Command::Best(2)];
    let two_questions = [Command::Best(2), Command::Turn(spot(3))];
    for then in [&move_of_the_user[..], &other_position, &two_questions] {
        let mut script = Script::new();
        let analysis = script.hear(0, Command::Best(2));
        script.traffic.begin(&analysis, Some(analysed(&[1])), analysis.stamp.at, Options::default());
        let orders: Vec<Order> = then.iter().map(|command| script.hear(200, command.clone())).collect();
        script.hear(200, shown(2));
        assert!(script.stopped() && script.traffic.is_superseded(analysis.seq));
        script.traffic.end();
        for order in orders.iter().filter(|order| order.command.thinks()) {
            script.begin(order);
            assert!(!script.stopped() && !script.traffic.is_superseded(order.seq), "{:?}", order.command);
            script.traffic.end();
        }
    }
}

#[test]
fn info_that_arrives_before_a_late_search_counts() {
    let mut script = Script::new();
    let begin = script.hear(0, Command::Begin);
    let together = script.info(10, "max_depth 3");
    let later = script.info(80, "max_node 77");
    script.begin(&begin);
    let limits = script.traffic.control().limits();
    assert_eq!((limits.nodes, limits.depth), (Some(77), None));
    script.traffic.end();
    script.traffic.retire(together.seq);
    script.traffic.retire(later.seq);
    script.begin(&begin);
    assert_eq!(script.traffic.control().limits().nodes, None, "the session has the settings now");
}

#[test]
fn an_end_alone_means_that_the_manager_has_left() {
    let leaves = |script: &mut Script, ms| {
        script.traffic.state().left = None;
        script.hear(ms, Command::End);
        script.traffic.left().is_some()
    };
    assert!(leaves(&mut Script::new(), 0));
    for question in [Command::Begin, Command::About] {
        let mut script = Script::new();
        script.hear(10, question);
        assert!(!leaves(&mut script, 20));
        assert!(leaves(&mut script, 100));
    }
    let mut script = Script::new();
    let begin = script.hear(0, Command::Begin);
    script.begin(&begin);
    script.hear(1000, Command::About);
    assert!(leaves(&mut script, 1000), "the search has run for long");
}

/// A session that ponders since the first command, expecting this move.
fn pondering(reply: Option<Spot>) -> Script {
    let mut script = Script::new();
    let first = script.hear(0, Command::Begin);
    assert!(script.traffic.begin_pondering(first.seq, reply, Options::default()));
    script
}

const REPLY: Spot = Spot { x: 7, y: 8 };

#[test]
fn the_expected_move_makes_pondering_the_running_search() {
    let mut script = pondering(Some(REPLY));
    assert_eq!(script.traffic.control().limits(), SearchLimits::pondering());
    script.info(5000, "timeout_turn 300");
    script.info(5000, "time_left 20000");
    assert!(!script.stopped() && !script.traffic.is_hit());
    assert_eq!(script.traffic.control().limits(), SearchLimits::pondering(), "the clock waits for the question");
    let turn = script.hear(5001, Command::Turn(REPLY));
    let limits = script.traffic.control().limits();
    assert!(!script.stopped() && script.traffic.is_hit());
    assert_eq!((limits.started, limits.ponder), (Some(turn.stamp.at), Ponder::Hit));
    let ms = |time: Option<Duration>| time.map(|time| time.as_millis());
    assert_eq!((ms(limits.turn), ms(limits.left)), (Some(300), Some(20_000)));
    script.info(5100, "timeout_turn 200");
    let limits = script.traffic.control().limits();
    assert_eq!((ms(limits.turn), limits.ponder), (Some(200), Ponder::Hit), "like any running search");
    script.hear(5110, Command::Stop);
    assert!(script.stopped());
    assert_eq!(script.traffic.end_pondering(), Some(turn.seq));
    assert!(!script.traffic.is_hit() && script.traffic.state().running.is_none());
}

#[test]
fn every_other_command_stops_pondering() {
    let other = Spot { x: 8, y: 7 };
    let commands = [
        Command::Turn(other),
        Command::Begin,
        Command::Board(Vec::new()),
        Command::SetBoard(Vec::new()),
        Command::TakeBack(REPLY),
        Command::Play(REPLY),
        Command::Restart,
        Command::About,
        Command::Stop,
        Command::Ponder,
        Command::End,
        Command::Info(Info::parse(b"rule 4").unwrap()),
        Command::Info(Info::parse(b"pondering 0").unwrap()),
        Command::Unknown("X".into()),
    ];
    for command in commands {
        // At once as well as after a while.
        for ms in [1, 5000] {
            let mut script = pondering(Some(REPLY));
            script.hear(ms, command.clone());
            assert!(script.stopped(), "{command:?}");
            let late = script.hear(ms + 1, Command::Turn(REPLY));
            assert!(!script.traffic.is_hit(), "{command:?}: it has stopped");
            assert_eq!(script.traffic.end_pondering(), None);
            script.begin(&late);
            assert!(!script.stopped(), "the question has a search of its own");
        }
    }
    let mut script = pondering(None);
    script.hear(5000, Command::Turn(REPLY));
    assert!(script.stopped() && !script.traffic.is_hit(), "nothing was expected");
}

#[test]
fn pondering_does_not_begin_when_a_command_waits() {
    let mut script = Script::new();
    let first = script.hear(0, Command::Begin);
    script.hear(1, Command::About);
    assert!(!script.traffic.begin_pondering(first.seq, Some(REPLY), Options::default()));
    script.hear(2, Command::Turn(REPLY));
    assert!(!script.traffic.is_hit());
}

#[test]
fn a_stop_when_idle_does_nothing() {
    let mut script = Script::new();
    script.hear(0, Command::Stop);
    let begin = script.hear(1, Command::Begin);
    script.begin(&begin);
    assert!(!script.stopped());
}

/// Bug: a search in the opponent's time went on, and new ones began, after the output was closed.
#[test]
fn nothing_is_searched_for_a_manager_that_does_not_read() {
    let traffic = Traffic::default();
    let stamp = Stamp { at: Instant::now(), listened: Duration::ZERO };
    let order = Order { seq: 1, stamp, command: Command::Begin };
    assert!(traffic.begin_pondering(0, None, Options::default()));
    assert!(!traffic.control().is_stopped());
    traffic.abandon();
    assert!(traffic.control().is_stopped() && traffic.is_abandoned());
    traffic.end_pondering();
    assert!(!traffic.begin_pondering(0, None, Options::default()));
    traffic.announce(&order);
    traffic.begin(&order, None, Instant::now(), Options::default());
    assert!(traffic.control().is_stopped());
}
