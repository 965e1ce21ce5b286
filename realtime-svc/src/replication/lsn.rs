/// Reads a place in the log as Postgres writes it: two hexadecimal numbers, the upper and the lower half.
pub(super) fn parse(text: &str) -> Option<u64> {
    let (upper, lower) = text.split_once('/')?;
    let half = |text| u32::from_str_radix(text, 16).map(u64::from).ok();
    Some(half(upper)? << 32 | half(lower)?)
}

/// Writes a place in the log as Postgres reads it.
pub(super) fn write(lsn: u64) -> String {
    format!("{:X}/{:X}", lsn >> 32, lsn & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written() {
        assert_eq!(parse("16/B374D848"), Some(0x16_b374_d848));
        assert_eq!(write(0x16_b374_d848), "16/B374D848");
        for text in ["", "16", "/", "G/0", "1/123456789"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
