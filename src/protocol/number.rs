//! Numbers as managers write them: with a sign, with any number of digits, with text behind them.

/// Reads an integer at the front of `text`: an optional sign and digits, saturating at 64 bits. Also returns the rest.
pub(super) fn integer(text: &[u8]) -> Option<(i64, &[u8])> {
    let (negative, digits) = match text.first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let value = digits[..count].iter().fold(0i64, |value, digit| {
        let digit = i64::from(digit - b'0');
        value.saturating_mul(10).saturating_add(digit)
    });
    Some((if negative { -value } else { value }, &digits[count..]))
}

/// Reads a whole word as a number, ignoring a fractional part.
pub(super) fn number(word: &[u8]) -> Option<i64> {
    let (value, rest) = integer(word)?;
    match rest {
        [] => Some(value),
        [b'.', fraction @ ..] if fraction.iter().all(u8::is_ascii_digit) => Some(value),
        _ => None,
    }
}

/// Splits at the first blank: the word before it and the trimmed rest.
pub(super) fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_saturate_and_lose_their_fraction() {
        assert_eq!(number(b"15"), Some(15));
        assert_eq!(number(b"+7"), Some(7));
        assert_eq!(number(b"-250"), Some(-250));
        assert_eq!(number(b"5399123.4"), Some(5_399_123));
        assert_eq!(number(b"99999999999999999999"), Some(i64::MAX));
        assert_eq!(number(b"-99999999999999999999"), Some(-i64::MAX));
        for bad in [&b""[..], b"-", b"abc", b"5x", b"5.x", b".5", b"--5"] {
            assert_eq!(number(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn words_are_split_at_blanks_and_tabs() {
        assert_eq!(split_word(b"  TURN\t 7 , 7  "), (&b"TURN"[..], &b"7 , 7"[..]));
        assert_eq!(split_word(b"END"), (&b"END"[..], &b""[..]));
    }
}
