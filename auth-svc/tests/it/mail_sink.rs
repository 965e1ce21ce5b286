//! A mail server that takes every mail.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

/// One mail as it came over the wire.
#[derive(Debug)]
pub(crate) struct Mail {
    /// The recipient of the envelope.
    pub(crate) to: String,
    /// Headers and body.
    pub(crate) text: String,
}

impl Mail {
    /// One parameter of the link in it.
    pub(crate) fn link_parameter(&self, name: &str) -> String {
        let start = self.text.find("href=\"").expect("a link") + "href=\"".len();
        let link = self.text[start..].split('"').next().unwrap();
        let link = url::Url::parse(&link.replace("&amp;", "&")).unwrap();
        let found = link.query_pairs().find(|(key, _)| key == name);
        found.expect("the parameter").1.into_owned()
    }

    /// The code in it.
    pub(crate) fn code(&self) -> String {
        let start = self.text.find("<strong>").expect("a code") + "<strong>".len();
        self.text[start..start + 6].to_owned()
    }
}

pub(crate) struct MailSink {
    pub(crate) port: u16,
    delay: Arc<AtomicU64>,
    mails: mpsc::UnboundedReceiver<Mail>,
}

impl MailSink {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, mails) = mpsc::unbounded_channel();
        let delay = Arc::new(AtomicU64::new(0));
        let wait = Arc::clone(&delay);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, sender.clone(), Arc::clone(&wait)));
            }
        });
        Self { port, delay, mails }
    }

    /// From now on it takes so long to take a mail.
    pub(crate) fn delay(&self, delay: Duration) {
        let millis = u64::try_from(delay.as_millis()).unwrap();
        self.delay.store(millis, Ordering::Relaxed);
    }

    /// The next mail. The service answers only after its mails were taken, so it is there already.
    pub(crate) fn next(&mut self) -> Mail {
        self.mails.try_recv().expect("a mail")
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.mails.is_empty()
    }
}

async fn converse(stream: TcpStream, mails: mpsc::UnboundedSender<Mail>, delay: Arc<AtomicU64>) {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 sink\r\n").await.unwrap();
    let mut to = String::new();
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let upper = line.to_uppercase();
        let reply: &[u8] = if upper.starts_with("EHLO") {
            b"250-sink\r\n250 8BITMIME\r\n"
        } else if upper.starts_with("RCPT") {
            to = line[line.find('<').unwrap() + 1..line.find('>').unwrap()].to_owned();
            b"250 ok\r\n"
        } else if upper.starts_with("DATA") {
            stream.write_all(b"354 go on\r\n").await.unwrap();
            let mut text = String::new();
            tokio::time::sleep(Duration::from_millis(delay.load(Ordering::Relaxed))).await;
            loop {
                line.clear();
                stream.read_line(&mut line).await.unwrap();
                if line == ".\r\n" {
                    break;
                }
                text.push_str(&line);
            }
            // Soft line breaks of quoted-printable.
            let text = text.replace("=\r\n", "").replace("=3D", "=");
            mails
                .send(Mail {
                    to: to.clone(),
                    text,
                })
                .unwrap();
            b"250 stored\r\n"
        } else if upper.starts_with("QUIT") {
            stream.write_all(b"221 bye\r\n").await.ok();
            return;
        } else {
            b"250 ok\r\n"
        };
        if stream.write_all(reply).await.is_err() {
            return;
        }
    }
}
