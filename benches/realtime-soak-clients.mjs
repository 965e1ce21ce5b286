// Some of the clients of realtime-soak.mjs, in a process that may be killed at any time: SOAK_SHARE of them at SOAK_URL.
import { setTimeout } from 'node:timers/promises';

const share = Number(process.env.SOAK_SHARE);
const pause = Number(process.env.SOAK_PAUSE ?? 6) * 1000;
const ROOMS = 200;
/** Milliseconds in which a call has to be answered. */
const IN_TIME = 15_000;
const counts = { joins: 0, leaves: 0, closes: 0, sent: 0, received: 0, late: 0, refused: 0 };
let isOver = false;

class Client {
  #socket;
  #next = 0;
  #waiting = new Map();
  /** The rooms it is in, with the reference of its join. */
  #rooms = new Map();

  async connect() {
    this.#socket = new WebSocket(process.env.SOAK_URL);
    this.#socket.onmessage = ({ data }) => {
      counts.received += 1;
      if (typeof data !== 'string') return;
      const [, ref, , event, payload] = JSON.parse(data);
      if (event !== 'phx_reply') return;
      this.#waiting.get(ref)?.(payload.status);
      this.#waiting.delete(ref);
    };
    await new Promise((yes, no) => {
      this.#socket.onopen = yes;
      this.#socket.onerror = no;
    });
  }

  #push(topic, event, payload, join) {
    const ref = String((this.#next += 1));
    counts.sent += 1;
    this.#socket.send(JSON.stringify([event === 'phx_join' ? ref : join, ref, topic, event, payload]));
    return ref;
  }

  /** Pushes and waits for the answer. */
  async #call(topic, event, payload, join) {
    const ref = this.#push(topic, event, payload, join);
    const answer = new Promise((yes) => this.#waiting.set(ref, yes));
    const late = setTimeout(IN_TIME, 'late', { ref: false });
    const status = await Promise.race([answer, late]);
    if (status === 'late') counts.late += 1;
    else if (status !== 'ok') counts.refused += 1;
    return ref;
  }

  async #join() {
    const topic = `realtime:room-${Math.floor(Math.random() * ROOMS)}`;
    if (this.#rooms.has(topic)) return;
    counts.joins += 1;
    const config = { broadcast: { self: false, ack: false }, presence: { key: '', enabled: true } };
    this.#rooms.set(topic, await this.#call(topic, 'phx_join', { config }));
  }

  async act() {
    const [first] = this.#rooms;
    if (!first) return this.#join();
    const [topic, join] = first;
    const dice = Math.random();
    if (dice < 0.15 && this.#rooms.size < 3) return this.#join();
    if (dice < 0.3) {
      counts.leaves += 1;
      this.#rooms.delete(topic);
      await this.#call(topic, 'phx_leave', {}, join);
    } else if (dice < 0.7) {
      const payload = { type: 'broadcast', event: 'said', payload: { text: 'x'.repeat(100) } };
      this.#push(topic, 'broadcast', payload, join);
    } else if (dice < 0.95) {
      const payload = {
        type: 'presence',
        event: dice < 0.9 ? 'track' : 'untrack',
        payload: { at: Date.now() },
      };
      await this.#call(topic, 'presence', payload, join);
    } else {
      counts.closes += 1;
      await this.close();
      await this.connect();
    }
    this.#push('phoenix', 'heartbeat', {}, null);
  }

  async close() {
    this.#rooms.clear();
    this.#waiting.clear();
    const gone = new Promise((yes) => (this.#socket.onclose = yes));
    this.#socket.close();
    await Promise.race([gone, setTimeout(2000, undefined, { ref: false })]);
  }
}

async function live() {
  await setTimeout(Math.random() * pause);
  const client = new Client();
  await client.connect();
  while (!isOver) {
    await client.act();
    await setTimeout(Math.random() * 2 * pause);
  }
  await client.close();
}

setInterval(() => {
  process.send({ ...counts });
  for (const name of Object.keys(counts)) counts[name] = 0;
}, 1000).unref();
process.on('message', () => (isOver = true));
// Whoever started it has gone: nobody counts any more.
process.on('disconnect', () => process.exit());
await Promise.all(Array.from({ length: share }, live));
process.send({ ...counts });
process.disconnect();
