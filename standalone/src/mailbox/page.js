const state = document.getElementById("state");
const reader = document.getElementById("reader");

/** An element whose content is always text, so that nothing in a message becomes markup. */
function element(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

function top(left, created) {
  const row = element("span", "top");
  const time = element("time", "quiet", new Date(created).toLocaleTimeString());
  time.dateTime = created;
  row.append(element("strong", "", left), time);
  return row;
}

function textCard(sms) {
  const card = element("article");
  card.append(top(sms.Phone, sms.Created), element("span", "code", sms.OTP));
  return card;
}

function mailCard(mail) {
  const card = element("button");
  card.type = "button";
  const people = [...mail.To, ...mail.Cc, ...mail.Bcc].map((person) => person.Address).join(", ");
  card.append(top(people, mail.Created), element("span", "", mail.Subject || "(no subject)"));
  const code = /(?<![\d/])\d{6,10}(?!\d)/.exec(`${mail.Subject} ${mail.Snippet}`);
  card.append(code ? element("span", "code", code[0]) : element("span", "quiet", mail.Snippet));
  card.addEventListener("click", () => open(mail, people));
  return card;
}

function open(mail, people) {
  document.getElementById("reader-title").textContent = mail.Subject;
  document.getElementById("reader-people").textContent = `${mail.From.Address} → ${people}`;
  document.getElementById("reader-body").src = `/view/${encodeURIComponent(mail.ID)}`;
  reader.showModal();
}

function show(id, messages, card, nothing) {
  const list = document.getElementById(id);
  // Rebuilding an unchanged list would take the focus and the selection away.
  const shown = messages.map((message) => message.ID).join();
  if (list.dataset.shown === shown) return;
  list.dataset.shown = shown;
  const cards = messages.length ? messages.map(card) : [element("p", "quiet", nothing)];
  list.replaceChildren(
    ...cards.map((content) => {
      const item = element("li");
      item.append(content);
      return item;
    }),
  );
}

async function messages(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()).messages;
}

async function refresh() {
  try {
    const [texts, mails] = await Promise.all([
      messages("/api/v1/sms"),
      messages("/api/v1/messages"),
    ]);
    show("texts", texts, textCard, "No texts yet.");
    show("mails", mails, mailCard, "No mails yet.");
    state.textContent = "";
  } catch {
    state.textContent = "The mailbox does not answer. Trying again…";
  }
  setTimeout(refresh, 2000);
}

void refresh();
