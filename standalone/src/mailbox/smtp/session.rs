//! One conversation.

use std::{io, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::timeout,
};

use super::{
    super::{Mailbox, mail::Mail},
    command::Command,
};

/// The largest mail.
const MAIL_BYTES: usize = 10 * 1024 * 1024;
/// The longest line outside of a mail; credentials may be that long.
const LINE_BYTES: usize = 12 * 1024;
/// Recipients of one mail.
const RECIPIENTS: usize = 100;
/// Commands that made no sense before the conversation ends.
const MISTAKES: u32 = 20;
/// How long a client may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// The envelope so far.
#[derive(Default)]
struct Envelope {
    sender: Option<String>,
    recipients: Vec<String>,
}

pub(super) async fn run(mailbox: &Mailbox, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut envelope = Envelope::default();
    let mut mistakes = 0;
    reply(&mut stream, "220 mailbox ESMTP").await?;
    loop {
        let Some(line) = read_line(&mut stream).await? else {
            return Ok(());
        };
        let answer = match Command::parse(&line) {
            Command::Ehlo => {
                envelope = Envelope::default();
                &format!(
                    "250-mailbox\r\n250-SIZE {MAIL_BYTES}\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN LOGIN"
                )
            }
            Command::Helo => {
                envelope = Envelope::default();
                "250 mailbox"
            }
            Command::Mail(_, Some(size)) if size > MAIL_BYTES => "552 5.3.4 message too large",
            Command::Mail(sender, _) => {
                envelope = Envelope {
                    sender: Some(sender),
                    recipients: Vec::new(),
                };
                "250 2.1.0 ok"
            }
            Command::Rcpt(_) if envelope.sender.is_none() => "503 5.5.1 MAIL comes first",
            Command::Rcpt(_) if envelope.recipients.len() >= RECIPIENTS => {
                "452 4.5.3 too many recipients"
            }
            Command::Rcpt(recipient) => {
                envelope.recipients.push(recipient);
                "250 2.1.5 ok"
            }
            Command::Data if envelope.recipients.is_empty() => "503 5.5.1 RCPT comes first",
            Command::Data => {
                reply(&mut stream, "354 end with a line of one dot").await?;
                let envelope = std::mem::take(&mut envelope);
                match read_mail(&mut stream).await? {
                    Some(raw) => {
                        let sender = envelope.sender.unwrap_or_default();
                        let mail = Mail::new(sender, envelope.recipients, raw);
                        mailbox.store().add_mail(mail);
                        "250 2.0.0 kept"
                    }
                    None => "552 5.3.4 message too large",
                }
            }
            Command::Reset => {
                envelope = Envelope::default();
                "250 2.0.0 ok"
            }
            Command::Noop => "250 2.0.0 ok",
            Command::Quit => return reply(&mut stream, "221 2.0.0 bye").await,
            Command::AuthPlain(given) => {
                if !given && ask(&mut stream, "334 ").await?.is_none() {
                    return Ok(());
                }
                "235 2.7.0 anybody is welcome"
            }
            Command::AuthLogin(given) => {
                // The prompts are `Username:` and `Password:` in base64.
                if !given && ask(&mut stream, "334 VXNlcm5hbWU6").await?.is_none() {
                    return Ok(());
                }
                if ask(&mut stream, "334 UGFzc3dvcmQ6").await?.is_none() {
                    return Ok(());
                }
                "235 2.7.0 anybody is welcome"
            }
            Command::BadParameters => {
                mistakes += 1;
                "501 5.5.4 parameters not understood"
            }
            Command::Unknown => {
                mistakes += 1;
                "500 5.5.1 command not understood"
            }
        };
        if mistakes > MISTAKES {
            return reply(&mut stream, "421 4.7.0 too many mistakes").await;
        }
        reply(&mut stream, answer).await?;
    }
}

async fn reply(stream: &mut BufReader<TcpStream>, text: &str) -> io::Result<()> {
    let line = format!("{text}\r\n");
    timeout(SILENCE, stream.write_all(line.as_bytes())).await?
}

async fn ask(stream: &mut BufReader<TcpStream>, prompt: &str) -> io::Result<Option<String>> {
    reply(stream, prompt).await?;
    read_line(stream).await
}

/// A line without its end; nothing when the client has hung up.
async fn read_line(stream: &mut BufReader<impl AsyncRead + Unpin>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if timeout(SILENCE, read_piece(stream, LINE_BYTES, &mut line)).await?? == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a line is too long or has no end",
        ));
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

/// Appends up to the end of the line, but not more than `limit` bytes.
async fn read_piece(
    stream: &mut BufReader<impl AsyncRead + Unpin>,
    limit: usize,
    into: &mut Vec<u8>,
) -> io::Result<usize> {
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    stream.take(limit).read_until(b'\n', into).await
}

/// Reads up to the line of one dot and takes the dots away that were added to other lines.
///
/// Nothing when the mail is too large: it is read to its end, so that the client hears the answer, but
/// not for ever.
async fn read_mail(stream: &mut BufReader<impl AsyncRead + Unpin>) -> io::Result<Option<Vec<u8>>> {
    const PIECE: usize = 8 * 1024;
    let (mut mail, mut piece) = (Vec::new(), Vec::new());
    let mut read = 0_usize;
    let mut at_line_start = true;
    loop {
        piece.clear();
        let count = timeout(SILENCE, read_piece(stream, PIECE, &mut piece)).await??;
        read += count;
        if count == 0 || read > 4 * MAIL_BYTES {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut text = piece.as_slice();
        if at_line_start {
            if matches!(text, b".\r\n" | b".\n") {
                return Ok((mail.len() <= MAIL_BYTES).then_some(mail));
            }
            text = text.strip_prefix(b".").unwrap_or(text);
        }
        at_line_start = piece.ends_with(b"\n");
        if mail.len() <= MAIL_BYTES {
            mail.extend_from_slice(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn mail(text: &[u8]) -> io::Result<Option<Vec<u8>>> {
        read_mail(&mut BufReader::new(text)).await
    }

    #[tokio::test]
    async fn added_dots_are_taken_away() {
        let read = mail(b"one\r\n..two\r\n. three\r\nfour.\r\n.\r\nQUIT\r\n").await;
        assert_eq!(
            read.unwrap().unwrap(),
            b"one\r\n.two\r\n three\r\nfour.\r\n"
        );
    }

    #[tokio::test]
    async fn a_mail_without_an_end_is_none() {
        assert!(mail(b"one\r\n").await.is_err());
    }

    #[tokio::test]
    async fn a_dot_inside_a_long_line_is_text() {
        let mut text = vec![b'x'; 8 * 1024];
        text.extend_from_slice(b".\r\n.\r\n");
        assert_eq!(mail(&text).await.unwrap().unwrap().len(), 8 * 1024 + 3);
    }

    #[tokio::test]
    async fn a_mail_that_is_too_large_is_read_to_its_end() {
        let mut text = b"x".repeat(MAIL_BYTES + 1);
        text.extend_from_slice(b"\r\n.\r\n");
        assert_eq!(mail(&text).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_line_has_a_limit() {
        let long = b"x".repeat(LINE_BYTES + 1);
        assert!(
            read_line(&mut BufReader::new(long.as_slice()))
                .await
                .is_err()
        );
    }
}
