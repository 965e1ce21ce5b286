// Everything random in the seed comes from here, and nothing of it depends on the clock or on the machine.
import { createHash } from "node:crypto";

/** A small generator (mulberry32) started from a name, so that one row's values never shift another's. */
export function randomFor(name) {
  let state = createHash("sha256")
    .update(`nilam-seed-1:${name}`)
    .digest()
    .readUInt32LE(0);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const random = {
    next,
    between: (low, high) => low + next() * (high - low),
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)],
    /** `count` different members, in the list's order. */
    some(list, count) {
      const left = list.map((_, index) => index);
      const chosen = [];
      while (chosen.length < count && left.length > 0) {
        chosen.push(left.splice(Math.floor(next() * left.length), 1)[0]);
      }
      return chosen.sort((a, b) => a - b).map((index) => list[index]);
    },
    /** A price that looks like one: rounded to the step. */
    price: (low, high, step) =>
      Math.round((low + next() * (high - low)) / step) * step,
  };
  return random;
}

const NAMESPACE = Buffer.from("6f1c0b0a8b1d4a4e9a556e696c616d21", "hex");

/** Version 5 of a UUID: the same name is the same id, in every run and on every machine. */
export function uuidFor(name) {
  const hash = createHash("sha1")
    .update(NAMESPACE)
    .update(name)
    .digest()
    .subarray(0, 16);
  hash[6] = (hash[6] & 0x0f) | 0x50;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

/** The day the seed pretends to be written on. */
export const TODAY = Date.UTC(2026, 10, 1, 6, 30);

/** An instant so many days before that day. */
export function daysAgo(days) {
  return new Date(
    Math.round((TODAY - days * 86_400_000) / 1000) * 1000,
  ).toISOString();
}
