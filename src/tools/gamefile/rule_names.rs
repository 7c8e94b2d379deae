//! The rule that a record names in its own words.

use crate::base::Rule;

// What the words of a record say about its rule: each list names one property.
const CARO: &[&str] = &["caro"];
const EXACT: &[&str] = &["exact"];
const RENJU: &[&str] = &[
    "renju",
    "连珠",
    "連珠",
    "렌주",
    "有禁",
    // Opening rules that only renju has.
    "yamaguchi",
    "soosorv",
    "soosyrv",
    "taraguchi",
    "tarannikov",
    "sakata",
];
/// The International Renju Federation; a word of its own only.
const FEDERATION: &str = "rif";
const STANDARD: &[&str] = &["standard", "标准", "標準", "标準", "標准", "长连不赢", "長連不贏"];
const FREE: &[&str] = &["free", "自由", "无禁", "無禁"];
/// Names of the game, which say nothing about a restriction.
const GOMOKU: &[&str] = &["gomoku", "gobang", "wuzi", "omok", "五子", "五目", "오목"];

/// The rule that a text names: a number as in `INFO rule`, or words. `None` if it names none, or two that contradict each
/// other, such as "free renju".
///
/// The names of the game, such as Gomoku or 五子棋, mean freestyle unless the text says more.
pub fn rule_named(text: &str) -> Option<Rule> {
    if let Ok(number) = text.trim().parse() {
        return Rule::from_bits(number);
    }
    let text = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let is_renju = says(RENJU) || text.split(|c: char| !c.is_alphanumeric()).any(|word| word == FEDERATION);
    match (says(CARO), is_renju, says(FREE)) {
        (true, false, false) => Some(if says(EXACT) { Rule::CaroExact } else { Rule::Caro }),
        // "Standard renju" is renju.
        (false, true, false) => Some(Rule::Renju),
        (false, false, is_free) => match (says(STANDARD) || says(EXACT), is_free) {
            (true, false) => Some(Rule::Standard),
            (false, true) => Some(Rule::Freestyle),
            (false, false) if says(GOMOKU) => Some(Rule::Freestyle),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: all of these but the names of our own were read as freestyle without a word, and "Free Renju" as renju.
    #[test]
    fn rules_are_read_in_the_words_of_records() {
        for (text, rule) in [
            ("4", Some(Rule::Renju)),
            (" 9 ", Some(Rule::CaroExact)),
            ("16", None),
            ("连珠", Some(Rule::Renju)),
            ("連珠", Some(Rule::Renju)),
            ("有禁手", Some(Rule::Renju)),
            ("五子棋", Some(Rule::Freestyle)),
            ("無禁手", Some(Rule::Freestyle)),
            ("无禁手", Some(Rule::Freestyle)),
            ("五子棋 无禁手", Some(Rule::Freestyle)),
            ("标准五子棋", Some(Rule::Standard)),
            ("無禁連珠", None),
            ("Gomoku", Some(Rule::Freestyle)),
            ("Wuzi", Some(Rule::Freestyle)),
            ("Free-style", Some(Rule::Freestyle)),
            ("FreestyleGomoku", Some(Rule::Freestyle)),
            ("RIF", Some(Rule::Renju)),
            ("RIF rules", Some(Rule::Renju)),
            ("Renju (RIF)", Some(Rule::Renju)),
            ("Soosyrv-8", Some(Rule::Renju)),
            ("Taraguchi-10", Some(Rule::Renju)),
            ("Free Renju", None),
            ("Standard Renju", Some(Rule::Renju)),
            ("Standard Gomoku", Some(Rule::Standard)),
            ("exactly five", Some(Rule::Standard)),
            ("Caro", Some(Rule::Caro)),
            ("CARO-EXACT", Some(Rule::CaroExact)),
            ("Caro (exact)", Some(Rule::CaroExact)),
            ("Japanese", None),
            ("tariff", None),
            ("", None),
        ] {
            assert_eq!(rule_named(text), rule, "{text}");
        }
        for rule in Rule::ALL {
            assert_eq!(rule_named(rule.name()), Some(rule));
        }
    }
}
