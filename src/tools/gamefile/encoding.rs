//! Bytes of a record to text, without the tables of the East Asian encodings.
//!
//! Only the characters that name a rule are read in those encodings; every other one becomes U+FFFD. A program that needs
//! the names of players, too, decodes the bytes itself: [`charset`] says how.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// The encodings of which some characters are read, in the order of the codes below.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Gbk,
    Big5,
    ShiftJis,
}

/// Characters of the words for rules with their codes in GBK, Big5 and Shift JIS; 0 where there is none.
const CHARACTERS: [(char, [u16; 3]); 27] = [
    ('连', [0xc1ac, 0, 0]),
    ('連', [0xdf42, 0xb373, 0x9841]),
    ('珠', [0xd6e9, 0xaf5d, 0x8eec]),
    ('五', [0xcee5, 0xa4ad, 0x8cdc]),
    ('子', [0xd7d3, 0xa46c, 0x8e71]),
    ('棋', [0xc6e5, 0xb4d1, 0x8afb]),
    ('無', [0x9f6f, 0xb54c, 0x96b3]),
    ('无', [0xcede, 0, 0x9dd9]),
    ('有', [0xd3d0, 0xa6b3, 0x974c]),
    ('禁', [0xbdfb, 0xb854, 0x8bd6]),
    ('手', [0xcad6, 0xa4e2, 0x8ee8]),
    ('自', [0xd7d4, 0xa6db, 0x8ea9]),
    ('由', [0xd3c9, 0xa5d1, 0x9752]),
    ('规', [0xb9e6, 0, 0]),
    ('規', [0xd28e, 0xb357, 0x8b4b]),
    ('则', [0xd4f2, 0, 0]),
    ('則', [0x8474, 0xab68, 0x91a5]),
    ('标', [0xb1ea, 0, 0]),
    ('標', [0x98cb, 0xbcd0, 0x9557]),
    ('准', [0xd7bc, 0xade3, 0x8f79]),
    ('準', [0x9cca, 0xb7c7, 0x8f80]),
    ('长', [0xb3a4, 0, 0]),
    ('長', [0xe94c, 0xaaf8, 0x92b7]),
    ('不', [0xb2bb, 0xa4a3, 0x9573]),
    ('赢', [0xd3ae, 0, 0]),
    ('贏', [0xda41, 0xc4b9, 0xe6d5]),
    ('目', [0xc4bf, 0xa5d8, 0x96da]),
];

/// The encoding of a record that is not UTF-8: the one that it names (`CA[...]` in SGF, `encoding="..."` in XML); without a
/// name GBK, if all bytes beyond ASCII come in pairs of its Chinese characters; else `None`, which means Latin 1.
pub fn charset(bytes: &[u8]) -> Option<String> {
    let latin: String = bytes.iter().copied().map(char::from).collect();
    let after = |key: &str, end: char| {
        let (_, rest) = latin.split_once(key)?;
        rest.split(end).next().map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty())
    };
    let named = after("CA[", ']').or_else(|| after("encoding=\"", '"'));
    let is_high = |byte: &u8| *byte >= 0xa1;
    let runs = || bytes.split(u8::is_ascii);
    let is_chinese = || runs().all(|run| run.len() % 2 == 0 && run.iter().all(is_high));
    named.or_else(|| is_chinese().then(|| "gbk".to_owned()))
}

/// The text with a line feed for each carriage return that stands alone: old systems ended lines so.
pub fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// The text of a record, without a byte order mark, with line feeds as line ends. What is neither UTF-8 nor in one of the East
/// Asian encodings is read as Latin 1, the usual encoding of SGF. The second byte of an East Asian character may look like a bracket and is not one.
pub fn decode(bytes: &[u8]) -> String {
    with_line_feeds(&text_of(bytes)).into_owned()
}

fn text_of(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.trim_start_matches('\u{feff}').to_owned();
    }
    let named = charset(bytes).unwrap_or_default();
    let is_one_of = |names: &[&str]| names.iter().any(|name| named.contains(name));
    let (leads, known): (&[RangeInclusive<u8>], _) = if is_one_of(&["jis", "932", "31j"]) {
        (&[0x81..=0x9f, 0xe0..=0xfc], Some(Known::ShiftJis))
    } else if is_one_of(&["gb", "936"]) {
        (&[0x81..=0xfe], Some(Known::Gbk))
    } else if is_one_of(&["big5", "big-5", "950"]) {
        (&[0x81..=0xfe], Some(Known::Big5))
    } else if is_one_of(&["949", "euc-kr", "ks_c"]) {
        (&[0x81..=0xfe], None)
    } else {
        return latin(bytes);
    };
    let mut text = String::new();
    let mut bytes = bytes.iter().copied();
    while let Some(byte) = bytes.next() {
        if leads.iter().any(|range| range.contains(&byte)) {
            let code = bytes.next().map(|second| u16::from_be_bytes([byte, second]));
            text.push(code.zip(known).and_then(|(code, known)| character(code, known)).unwrap_or('\u{fffd}'));
        } else {
            text.push(if byte.is_ascii() { char::from(byte) } else { char::REPLACEMENT_CHARACTER });
        }
    }
    text
}

/// The text as Latin 1. A backslash behind a byte beyond ASCII is more likely the second half of a character of Big5 or Shift JIS
/// than an escape: it would hide the end of a value of SGF.
fn latin(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (index, &byte) in bytes.iter().enumerate() {
        let is_second = byte == b'\\' && index > 0 && matches!(bytes[index - 1], 0x81..=0xfe);
        text.push(if is_second { char::REPLACEMENT_CHARACTER } else { char::from(byte) });
    }
    text
}

fn character(code: u16, known: Known) -> Option<char> {
    CHARACTERS.iter().find(|(_, codes)| codes[known as usize] == code).map(|&(character, _)| character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_characters_of_rules_are_read_and_the_others_replaced() {
        for (name, bytes) in [
            ("GBK", &b"\xc1\xac\xd6\xe9\x81\x5c"[..]),
            ("gb2312", b"\xc1\xac\xd6\xe9\xb0\xa1"),
            ("GB18030", b"\xc1\xac\xd6\xe9\x81\x5d"),
        ] {
            let file = [b"(;CA[", name.as_bytes(), b"]RU[", bytes, b"])"].concat();
            assert_eq!(decode(&file), format!("(;CA[{name}]RU[连珠\u{fffd}])"));
        }
        // The second byte of the second character is a bracket.
        assert_eq!(decode(b"(;CA[Big5]RU[\xb3\x73\xaf\x5d])"), "(;CA[Big5]RU[連珠])");
        assert_eq!(decode(b"(;CA[Shift_JIS]RU[\x98\x41\x8e\xec])"), "(;CA[Shift_JIS]RU[連珠])");
    }

    #[test]
    fn without_a_name_pairs_are_chinese_and_single_bytes_latin() {
        assert_eq!(decode(b"(;RU[\xce\xe5\xd7\xd3\xc6\xe5]PB[\xb0\xa1])"), "(;RU[五子棋]PB[\u{fffd}])");
        assert_eq!(decode(b"(;PB[Ren\xe9])"), "(;PB[Ren\u{e9}])");
        // Bug: the second byte of a character hid the end of a name, and with it the next moves.
        assert_eq!(decode(b"(;PB[\xa5\x5c];B[hh])"), "(;PB[\u{a5}\u{fffd}];B[hh])");
        assert_eq!(charset(b"<?xml version=\"1.0\" encoding=\"windows-1251\"?>").as_deref(), Some("windows-1251"));
        assert_eq!(charset(b"(;PB[Ren\xe9])"), None);
    }

    #[test]
    fn no_code_names_two_characters() {
        for known in 0..3 {
            let mut codes: Vec<u16> =
                CHARACTERS.iter().map(|(_, codes)| codes[known]).filter(|&code| code > 0).collect();
            let count = codes.len();
            codes.sort_unstable();
            codes.dedup();
            assert_eq!(codes.len(), count);
        }
    }
}
