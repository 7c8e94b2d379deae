//! The two ways of the verifier, compared on proofs and on damaged proofs.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use tengen::base::Rule;
use tengen::tools::verify;

/// How many damaged proofs of the right form were accepted and refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Twins {
    pub accepted: usize,
    pub refused: usize,
}

/// Checks the trees of a file of proofs by areas and by every reply, whatever the start positions. Both ways must give the same
/// result for the same reason.
pub fn accepted(text: &str) -> Result<(), String> {
    let claims = verify::parse(text).map_err(|error| format!("{error:#}"))?;
    let judge = |every_reply: bool| -> Result<(), String> {
        claims.iter().try_for_each(|claim| claim.check_tree(every_reply).map_err(|error| format!("{error:#}")))
    };
    let outcome = judge(false);
    assert_eq!(outcome, judge(true), "by areas, and by every reply\n{text}");
    outcome
}

impl Twins {
    /// Makes this many damaged copies of a proof, each with one change, and verifies them. Many still hold.
    pub fn compare(&mut self, proof: &str, times: usize, random: &mut SmallRng) {
        for _ in 0..times {
            let mut lines: Vec<String> = proof.lines().map(str::to_owned).collect();
            damage(&mut lines, random);
            let damaged = lines.join("\n");
            match accepted(&damaged) {
                Ok(()) if damaged == proof.trim_end() => {}
                Ok(()) => self.accepted += 1,
                Err(_) if verify::parse(&damaged).is_err() => {}
                Err(_) => self.refused += 1,
            }
        }
    }
}

/// Changes the rule, the stones or a node. The result may be malformed, and may or may not hold.
fn damage(lines: &mut [String], random: &mut SmallRng) {
    let sides: Vec<usize> = lines[2].split(' ').skip(1).map(|side| side.parse().expect("sides are numbers")).collect();
    let mut point = || {
        let (x, y) = (random.random_range(0..sides[0]), random.random_range(0..sides[1]));
        format!("{}{}", char::from(b'a' + x as u8), y + 1)
    };
    let (stone, other) = (point(), point());
    let index = random.random_range(6..lines.len() - 1);
    let words: Vec<String> = lines[index].split(' ').map(str::to_owned).collect();
    let named: Vec<usize> = (2..words.len()).filter(|&at| words[at].contains(':')).collect();
    let (attackers, defenders) = if lines[5].ends_with("black") { (3, 4) } else { (4, 3) };
    match random.random_range(0..8) {
        0 => lines[1] = format!("rule {}", Rule::ALL.choose(random).expect("there are rules").number()),
        1 => lines[attackers].extend([" ", &stone]),
        // Areas are about further stones of the defender.
        2 | 3 => lines[defenders].extend([" ", &stone]),
        4 => lines[defenders].extend([" ", &stone, " ", &other]),
        5 if words.len() > 2 => lines[index] = words[..words.len() - 1].join(" "),
        // The answer to a reply becomes another node, or is removed.
        6 | 7 if index > 6 && !named.is_empty() && random.random() => {
            let at = *named.choose(random).expect("some are named");
            let (reply, _) = words[at].split_once(':').expect("it has an answer");
            let mut words = words.clone();
            words[at] = format!("{reply}:{}", random.random_range(0..index - 6));
            lines[index] = words.join(" ");
        }
        6 | 7 if !named.is_empty() => {
            let mut words = words.clone();
            words.remove(*named.choose(random).expect("some are named"));
            lines[index] = words.join(" ");
        }
        _ if words.contains(&"else".to_owned()) && index > 6 => {
            let earlier = random.random_range(0..index - 6);
            lines[index] = format!("{} else {earlier}", words[..words.len() - 2].join(" "));
        }
        _ => {}
    }
}
