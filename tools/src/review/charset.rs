//! Text of records in any encoding, so that the names of their players can be read and compared.

use encoding_rs::Encoding;
use tengen::tools::gamefile;

/// The text of a record. What is not UTF-8 is read in the encoding that the record names or seems to have; what no table
/// covers, as the reader of the library reads it.
pub fn decode(bytes: &[u8]) -> String {
    let named = if std::str::from_utf8(bytes).is_ok() { None } else { gamefile::charset(bytes) };
    let encoding = named.and_then(|name| Encoding::for_label(name.as_bytes()));
    match encoding.filter(|&encoding| encoding != encoding_rs::UTF_8) {
        Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
        None => gamefile::decode(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_the_encoding_of_the_record() {
        for (bytes, text) in [
            (&b"(;CA[GBK]PB[\xb0\xa2\xcc\xec])"[..], "(;CA[GBK]PB[阿天])"),
            (b"(;CA[Big5]PB[\xaa\xfc\xa4\xd1])", "(;CA[Big5]PB[阿天])"),
            // The second byte is a bracket.
            (b"(;CA[Shift_JIS]PB[\x83\x5d])", "(;CA[Shift_JIS]PB[ゾ])"),
            (b"(;CA[windows-1251]PB[\xc0\xed\xed\xe0])", "(;CA[windows-1251]PB[Анна])"),
            (b"(;PB[\xb0\xa2\xcc\xec])", "(;PB[阿天])"),
            (b"(;PB[Ren\xe9])", "(;PB[Ren\u{e9}])"),
            (b"(;CA[UTF-8]PB[Ren\xe9])", "(;CA[UTF-8]PB[Ren\u{e9}])"),
            (b"(;CA[cp936]RU[\xc1\xac\xd6\xe9])", "(;CA[cp936]RU[连珠])"),
            ("(;PB[阿天])".as_bytes(), "(;PB[阿天])"),
        ] {
            assert_eq!(decode(bytes), text);
        }
    }
}
