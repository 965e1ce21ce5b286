//! Web sockets without a library: frames have a beginning and an end, and nothing else matters here.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    io,
    pin::Pin,
    task::{Poll, ready},
};

use tokio::{
    io::{AsyncRead as _, ReadBuf},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

thread_local! {
    /// One buffer for all sockets: what is kept of a socket is the beginning of a frame at most.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Both ends of a connection.
pub(crate) fn halves(stream: TcpStream) -> io::Result<(Reader, Writer)> {
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.into_split();
    let reader = Reader {
        half: reader,
        rest: Vec::new(),
    };
    let writer = Writer {
        half: writer,
        is_busy: Cell::new(false),
    };
    Ok((reader, writer))
}

/// Connects, and gets past the handshake. `path` has the query in it.
pub(crate) async fn connect(address: &str, path: &str) -> io::Result<(Reader, Writer)> {
    let (mut reader, writer) = halves(TcpStream::connect(address).await?)?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n"
    );
    writer.write(request.as_bytes()).await?;
    let head = reader.head().await?;
    if !head.starts_with(b"HTTP/1.1 101") {
        let head = String::from_utf8_lossy(&head).into_owned();
        return Err(io::Error::other(head));
    }
    Ok((reader, writer))
}

/// The end of a socket that is read.
pub(crate) struct Reader {
    half: OwnedReadHalf,
    /// What was read and not looked at.
    rest: Vec<u8>,
}

impl Reader {
    /// Reads an HTTP head.
    pub(crate) async fn head(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(at) = find(&self.rest, b"\r\n\r\n") {
                let rest = self.rest.split_off(at + 4);
                return Ok(std::mem::replace(&mut self.rest, rest));
            }
            self.more(|_| 0).await?;
        }
    }

    /// Reads frames until one has these bytes in it, and gives it.
    pub(crate) async fn wait_for(&mut self, wanted: &[u8]) -> io::Result<Vec<u8>> {
        loop {
            let mut at = 0;
            let mut found = None;
            while let Some((_, start, end)) = frame(&self.rest[at..]) {
                let payload = &self.rest[at + start..at + end];
                at += end;
                if find(payload, wanted).is_some() {
                    found = Some(payload.to_vec());
                    break;
                }
            }
            self.rest.drain(..at);
            if let Some(found) = found {
                return Ok(found);
            }
            self.more(|_| 0).await?;
        }
    }

    /// Reads once, and hands over the payload of every frame that is complete.
    pub(crate) async fn read(&mut self, mut on_frame: impl FnMut(&[u8])) -> io::Result<()> {
        let mut is_closed = false;
        self.more(|bytes| {
            let mut at = 0;
            while let Some((opcode, start, end)) = frame(&bytes[at..]) {
                match opcode {
                    1 | 2 => on_frame(&bytes[at + start..at + end]),
                    8 => is_closed = true,
                    _ => {}
                }
                at += end;
            }
            at
        })
        .await?;
        if is_closed {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Reads until the socket is closed.
    pub(crate) async fn pump(mut self, mut on_frame: impl FnMut(&[u8])) {
        while self.read(&mut on_frame).await.is_ok() {}
    }

    /// Reads more, and gives all that there is to `take`, which says how much of it is done with.
    async fn more(&mut self, mut take: impl FnMut(&[u8]) -> usize) -> io::Result<()> {
        let (half, rest) = (&mut self.half, &mut self.rest);
        poll_fn(|context| {
            BUFFER.with_borrow_mut(|buffer| {
                let kept = rest.len();
                if buffer.len() < kept + CHUNK {
                    buffer.resize(kept + CHUNK, 0);
                }
                let mut space = ReadBuf::new(&mut buffer[kept..kept + CHUNK]);
                ready!(Pin::new(&mut *half).poll_read(context, &mut space))?;
                let read = space.filled().len();
                if read == 0 {
                    return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
                }
                buffer[..kept].copy_from_slice(rest);
                let done = take(&buffer[..kept + read]);
                rest.clear();
                rest.extend_from_slice(&buffer[done..kept + read]);
                Poll::Ready(Ok(()))
            })
        })
        .await
    }
}

/// The end of a socket that is written.
pub(crate) struct Writer {
    half: OwnedWriteHalf,
    is_busy: Cell<bool>,
}

impl Writer {
    /// Writes all of it.
    pub(crate) async fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        self.is_busy.set(true);
        while !bytes.is_empty() {
            match self.half.try_write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.half.writable().await?;
                }
                Err(error) => return Err(error),
            }
        }
        self.is_busy.set(false);
        Ok(())
    }

    /// Writes a few bytes, unless something larger is half written.
    pub(crate) fn try_write(&self, bytes: &[u8]) {
        if !self.is_busy.get() {
            let _ = self.half.try_write(bytes);
        }
    }
}

/// A client's frame of text.
pub(crate) fn text(payload: &str) -> Vec<u8> {
    masked(1, payload.as_bytes())
}

/// A client's frame of bytes.
pub(crate) fn binary(payload: &[u8]) -> Vec<u8> {
    masked(2, payload)
}

/// A mask of zeros is one, too, and leaves the bytes as they are.
fn masked(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = header(opcode, payload.len());
    frame[1] |= 128;
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// A server's frame begins with this.
pub(crate) fn header(opcode: u8, length: usize) -> Vec<u8> {
    let mut header = vec![128 | opcode];
    match length {
        0..126 => header.push(length as u8),
        126..65536 => {
            header.push(126);
            header.extend((length as u16).to_be_bytes());
        }
        _ => {
            header.push(127);
            header.extend((length as u64).to_be_bytes());
        }
    }
    header
}

/// Opcode, beginning and end of the payload of a frame; nothing if it is not complete.
fn frame(bytes: &[u8]) -> Option<(u8, usize, usize)> {
    let (&first, &second) = (bytes.first()?, bytes.get(1)?);
    let (length, head) = match second & 127 {
        126 => (
            usize::from(u16::from_be_bytes(*bytes[2..].first_chunk()?)),
            4,
        ),
        127 => (u64::from_be_bytes(*bytes[2..].first_chunk()?) as usize, 10),
        length => (usize::from(length), 2),
    };
    let start = if second & 128 == 0 { head } else { head + 4 };
    let end = start + length;
    (bytes.len() >= end).then_some((first & 15, start, end))
}

/// Where these bytes are.
pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}
