//! The documented uploads, whole and in every number of pieces, and everything that can be wrong with them.

use std::{convert::Infallible, pin::pin};

use futures_util::TryStreamExt as _;
use proptest::prelude::*;
use secrecy::SecretString;

use super::{decoder::Decoder, plain::Plain, *};
use crate::error::Error;
use crate::s3::signature::KeyPair;

const SEED: &str = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
const CHUNKS: [&str; 3] = [
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
];
const TRAILER_SEED: &str = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e";
const TRAILER_CHUNKS: [&str; 3] = [
    "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
    "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
    "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
];
const TRAILER_SIGNATURE: &str = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435";

fn chain(seed: &str) -> Chain {
    let secret: SecretString = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned().into();
    let keys = KeyPair {
        access_key: "AKIAIOSFODNN7EXAMPLE",
        secret: &secret,
    };
    Chain {
        signer: Signer::for_tests(&keys, "20130524", "us-east-1", "20130524T000000Z"),
        seed: seed.to_owned(),
    }
}

fn decoder(mode: Mode, promised: Option<&str>) -> Decoder {
    let seed = if mode == Mode::Signed {
        SEED
    } else {
        TRAILER_SEED
    };
    Decoder::new(mode, chain(seed), Some(66_560), promised)
}

/// The documented body: 64 KiB of the letter a, then 1 KiB more.
fn body(signatures: &[&str; 3]) -> Vec<u8> {
    let mut body = Vec::new();
    for (size, signature) in [65_536, 1024].into_iter().zip(signatures) {
        body.extend(format!("{size:x};chunk-signature={signature}\r\n").bytes());
        body.extend(vec![b'a'; size]);
        body.extend(b"\r\n");
    }
    body.extend(format!("0;chunk-signature={}\r\n", signatures[2]).bytes());
    body
}

fn signed() -> Vec<u8> {
    [body(&CHUNKS), b"\r\n".to_vec()].concat()
}

fn trailed(trailer: &str) -> Vec<u8> {
    [&body(&TRAILER_CHUNKS)[..], trailer.as_bytes()].concat()
}

fn run(mut unpack: impl Unpack, pieces: &[&[u8]]) -> Result<Vec<u8>, Error> {
    let mut output = VecDeque::new();
    for piece in pieces {
        unpack.feed(Bytes::copy_from_slice(piece), &mut output)?;
    }
    unpack.finish()?;
    Ok(output.into_iter().flatten().collect())
}

fn refused(mode: Mode, body: &[u8]) -> String {
    let decoder = Decoder::new(mode, chain(SEED), None, None);
    run(decoder, &[body]).unwrap_err().message.into_owned()
}

#[test]
fn the_documented_uploads_are_read() {
    let content = run(decoder(Mode::Signed, None), &[&signed()]).unwrap();
    assert_eq!(content, vec![b'a'; 66_560]);
    let trailer = format!(
        "x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:{TRAILER_SIGNATURE}\r\n\r\n"
    );
    // One client ends the header with a bare line feed, before the line end of the chunk.
    for trailer in [trailer.clone(), trailer.replacen("==\r\n", "==\n\r\n", 1)] {
        let decoder = decoder(Mode::SignedTrailer, Some("x-amz-checksum-crc32c"));
        assert_eq!(run(decoder, &[&trailed(&trailer)]).unwrap().len(), 66_560);
    }
}

#[test]
fn nothing_can_be_changed_in_a_signed_body() {
    let good = signed();
    for position in [100, 65_700, 66_700] {
        let mut bad = good.clone();
        bad[position] ^= 1;
        assert!(
            run(decoder(Mode::Signed, None), &[&bad]).is_err(),
            "byte {position}"
        );
    }
    // The chain: chunks in another order, and one left out.
    let second = good.windows(4).position(|four| four == b"400;").unwrap();
    let without_first = &good[second..];
    assert!(
        run(
            Decoder::new(Mode::Signed, chain(SEED), None, None),
            &[without_first]
        )
        .is_err()
    );
    let forged = trailed(&format!(
        "x-amz-checksum-crc32c:AAAAAA==\r\nx-amz-trailer-signature:{TRAILER_SIGNATURE}\r\n\r\n"
    ));
    let error = run(decoder(Mode::SignedTrailer, None), &[&forged]).unwrap_err();
    assert_eq!((error.code, error.status), ("SignatureDoesNotMatch", 403));
}

#[test]
fn an_unsigned_body_needs_its_trailer() {
    let run = |body: &[u8], promised| {
        run(
            Decoder::new(Mode::UnsignedTrailer, chain(""), Some(5), promised),
            &[body],
        )
    };
    let promised = Some("X-Amz-Checksum-CRC32");
    let good = b"3\r\nabc\r\n2\r\nde\r\n0\r\nx-amz-checksum-crc32: AA==\r\n\r\n";
    assert_eq!(run(good, promised).unwrap(), b"abcde");
    for bad in [
        &b"5\r\nabcde\r\n0\r\n\r\n"[..],
        b"5\r\nabcde\r\n0\r\nx-amz-checksum-sha1:AA==\r\n\r\n",
        b"5\r\nabcde\r\n0\r\n",
    ] {
        assert_eq!(
            run(bad, promised).unwrap_err().message,
            "Incomplete trailer section"
        );
    }
}

#[test]
fn the_announced_length_counts() {
    let run = |announced| {
        let decoder = Decoder::new(Mode::UnsignedTrailer, chain(""), Some(announced), None);
        run(decoder, &[b"5\r\nabcde\r\n0\r\nx:y\r\n\r\n"])
    };
    assert!(run(5).is_ok());
    assert_eq!(run(4).unwrap_err().code, "IncompleteBody");
    assert_eq!(run(6).unwrap_err().code, "IncompleteBody");
}

#[test]
fn what_is_no_chunked_body_is_refused() {
    let signature = "0".repeat(64);
    let unsigned = Mode::UnsignedTrailer;
    for (mode, body, message) in [
        (
            Mode::Signed,
            "5\r\nabcde\r\n".to_owned(),
            "Missing chunk signature",
        ),
        (
            Mode::Signed,
            format!("5;chunk-signature={signature}0\r\n"),
            "Invalid chunk header",
        ),
        (
            Mode::Signed,
            format!("x;chunk-signature={signature}\r\n"),
            "Invalid chunk header",
        ),
        (unsigned, "+5\r\nabcde".into(), "Invalid chunk size"),
        (unsigned, "\r\nabcde".into(), "Invalid chunk size"),
        (
            unsigned,
            "800001\r\n".into(),
            "The chunk exceeded 8388608 bytes",
        ),
        (
            unsigned,
            format!("{}\r\n", "f".repeat(200)),
            "The chunk exceeded 8388608 bytes",
        ),
        (
            unsigned,
            "0".repeat(300),
            "The chunk header exceeded 256 bytes",
        ),
        (
            unsigned,
            format!("{}\r\n", "0".repeat(257)),
            "The chunk header exceeded 256 bytes",
        ),
        (
            unsigned,
            "5\r\nabcdefg".into(),
            "Missing CRLF after chunk data",
        ),
        (
            unsigned,
            "5\r\nabcde\n\n".into(),
            "Missing CRLF after chunk data",
        ),
        (
            unsigned,
            "5\r\nabcde".into(),
            "Missing CRLF after chunk data",
        ),
        (
            unsigned,
            "5\r\nabcde\r".into(),
            "Missing CRLF after chunk data",
        ),
        (unsigned, "5\r\nabcd".into(), "Unexpected end of chunk data"),
        (unsigned, "5\r\nabcde\r\n".into(), "Missing final chunk"),
        (unsigned, String::new(), "Missing final chunk"),
        (unsigned, "5\r".into(), "Incomplete chunk header"),
        (
            unsigned,
            format!("0\r\n{}", "x".repeat(9000)),
            "The trailer exceeded 8192 bytes",
        ),
        (
            unsigned,
            "0\r\nx:y\r\n\r\nmore".into(),
            "Unexpected data after final chunk",
        ),
    ] {
        assert_eq!(
            refused(mode, body.as_bytes()),
            message,
            "{:?}",
            body.get(..90).unwrap_or(&body)
        );
    }
    assert_eq!(
        run(
            Decoder::new(unsigned, chain(""), None, None),
            &[format!("{}\r\nx:y\r\n\r\n", "0".repeat(256)).as_bytes()]
        ),
        Ok(vec![])
    );
}

#[test]
fn the_mode_is_read_from_the_header() {
    let mode = |value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert("x-amz-content-sha256", value.parse().unwrap());
        Mode::of(&headers)
    };
    assert_eq!(Mode::of(&HeaderMap::new()), Ok(None));
    assert_eq!(mode("UNSIGNED-PAYLOAD"), Ok(None));
    assert_eq!(
        mode("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
        Ok(Some(Mode::Signed))
    );
    assert_eq!(
        mode("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"),
        Ok(Some(Mode::SignedTrailer))
    );
    assert_eq!(
        mode("STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
        Ok(Some(Mode::UnsignedTrailer))
    );
    assert_eq!(
        mode("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD")
            .unwrap_err()
            .message,
        "Invalid streaming algorithm: STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"
    );
}

#[test]
fn a_plain_body_has_the_hash_that_was_signed() {
    let hash: [u8; 32] =
        hex::decode("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            .unwrap()
            .try_into()
            .unwrap();
    assert_eq!(
        run(Plain::new(Some(hash)), &[b"a", b"", b"bc"]).unwrap(),
        b"abc"
    );
    assert_eq!(
        run(Plain::new(Some(hash)), &[b"abd"]).unwrap_err().code,
        "XAmzContentSHA256Mismatch"
    );
    assert_eq!(run(Plain::new(None), &[b"abd"]).unwrap(), b"abd");
}

#[tokio::test]
async fn a_stream_ends_with_what_was_wrong() {
    let pieces = [&b"3\r\nab"[..], b"c\r\n", b"0\r\nx:y"]
        .map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece)));
    let decoder = Decoder::new(Mode::UnsignedTrailer, chain(""), None, None);
    let mut content = pin!(decode(stream::iter(pieces), decoder));
    let mut text = Vec::new();
    let error = loop {
        match content.try_next().await {
            Ok(Some(bytes)) => text.extend(bytes),
            Ok(None) => panic!("the end came too early"),
            Err(BodyError::Refused(error)) => break error,
            Err(BodyError::Transport(never)) => match never {},
        }
    };
    assert_eq!(text, b"abc");
    assert_eq!(error.message, "Incomplete trailer section");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn where_a_body_is_cut_makes_no_difference(mut cuts in prop::collection::vec(0_usize..67_000, 0..40)) {
        let body = signed();
        cuts.push(0);
        cuts.push(body.len());
        // Around the lines, where it would.
        cuts.extend(65_600..65_720);
        cuts.retain(|&cut| cut <= body.len());
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect();
        prop_assert_eq!(run(decoder(Mode::Signed, None), &pieces).map(|content| content.len()), Ok(66_560));
    }

    #[test]
    fn arbitrary_bytes_are_refused_or_read(body in prop::collection::vec(any::<u8>(), 0..600), chunked in any::<bool>()) {
        let body = if chunked { [b"3\r\nabc\r\n", &body[..]].concat() } else { body };
        let _ = run(Decoder::new(Mode::UnsignedTrailer, chain(""), None, None), &[&body]);
    }
}
