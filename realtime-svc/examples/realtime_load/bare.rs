//! The least that a server of broadcasts can do: it copies bytes to sockets. What a machine cannot do with this one, no
//! service can.

use std::{cell::RefCell, rc::Rc};

use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};

use crate::{
    options::Options,
    socket::{Reader, Writer, halves, header},
};

const ACCEPTED: &str =
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n";
const JOINED: &str = r#"["1","1","","phx_reply",{"status":"ok","response":{}}]"#;

type Room = Rc<RefCell<Vec<Rc<Writer>>>>;

/// Serves until it is killed: one room, one thread, no checks, and one write per socket for all that came at once.
pub(crate) async fn run(options: &Options) -> anyhow::Result<Value> {
    let port = options.number("port", 4001_u16)?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let room = Room::default();
    loop {
        let (stream, _) = listener.accept().await?;
        let room = room.clone();
        tokio::task::spawn_local(async move {
            // Somebody has gone.
            let _ = serve(stream, room).await;
        });
    }
}

async fn serve(stream: TcpStream, room: Room) -> anyhow::Result<()> {
    let (mut reader, writer) = halves(stream)?;
    let writer = Rc::new(writer);
    reader.head().await?;
    writer.write(ACCEPTED.as_bytes()).await?;
    let done = relay(&mut reader, &writer, &room).await;
    room.borrow_mut()
        .retain(|other| !Rc::ptr_eq(other, &writer));
    done
}

async fn relay(reader: &mut Reader, writer: &Rc<Writer>, room: &Room) -> anyhow::Result<()> {
    loop {
        let (mut frames, mut joins) = (Vec::new(), false);
        reader
            .read(|payload| match user_broadcast(payload) {
                Some(frame) => frames.extend(frame),
                None => joins |= payload.starts_with(b"[\"1\""),
            })
            .await?;
        if joins {
            let mut reply = header(1, JOINED.len());
            reply.extend(JOINED.as_bytes());
            writer.write(&reply).await?;
            room.borrow_mut().push(writer.clone());
        }
        let mut index = 0;
        while !frames.is_empty() {
            let other = room.borrow().get(index).cloned();
            let Some(other) = other else { break };
            if !Rc::ptr_eq(&other, writer) {
                let _ = other.write(&frames).await;
            }
            index += 1;
        }
    }
}

/// The frame that a broadcast of a client goes out as.
fn user_broadcast(push: &[u8]) -> Option<Vec<u8>> {
    let [3, join, reference, topic, event, meta, encoding, rest @ ..] = push else {
        return None;
    };
    let rest = rest.get(usize::from(*join) + usize::from(*reference)..)?;
    let mut frame = header(2, 5 + rest.len());
    frame.extend([4, *topic, *event, *meta, *encoding]);
    frame.extend(rest);
    Some(frame)
}
