// An authenticator in software: ES256 keys, attestation none, as a security key without a brand would answer.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const text = (bytes) => Buffer.from(bytes).toString('base64url');

/** The few kinds of CBOR that an authenticator writes. */
function cbor(value) {
  const head = (major, length) => {
    if (length < 24) return Buffer.from([(major << 5) | length]);
    if (length < 256) return Buffer.from([(major << 5) | 24, length]);
    return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
  };
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  const pairs = [...value].flatMap(([key, each]) => [cbor(key), cbor(each)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}

export class Authenticator {
  #id = randomBytes(32);
  #count = 0;
  #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  constructor({ rpId = 'site.test', origin = 'https://site.test' } = {}) {
    Object.assign(this, { rpId, origin });
  }

  #client(type, challenge) {
    const data = { type, challenge, origin: this.origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data));
  }

  #data(flags, rest = Buffer.alloc(0)) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#count++);
    return Buffer.concat([sha256(this.rpId), Buffer.from([flags]), count, rest]);
  }

  #credential(response) {
    const id = text(this.#id);
    return {
      ...{ id, rawId: id, type: 'public-key', authenticatorAttachment: 'cross-platform' },
      ...{ response, clientExtensionResults: {} },
    };
  }

  /** Answers `navigator.credentials.create`. */
  create({ challenge, user }) {
    this.handle = user?.id;
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const [first, second] = [x, y].map((part) => Buffer.from(part, 'base64url'));
    const key = cbor(
      new Map([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, first],
        [-3, second],
      ]),
    );
    const length = Buffer.from([0, this.#id.length]);
    const authData = this.#data(0x45, Buffer.concat([Buffer.alloc(16), length, this.#id, key]));
    const attestation = new Map([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#credential({
      clientDataJSON: text(this.#client('webauthn.create', challenge)),
      attestationObject: text(cbor(attestation)),
      transports: ['usb'],
    });
  }

  /** Answers `navigator.credentials.get`. */
  get({ challenge }) {
    const client = this.#client('webauthn.get', challenge);
    const data = this.#data(0x05);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#keys.privateKey);
    return this.#credential({
      clientDataJSON: text(client),
      authenticatorData: text(data),
      signature: text(signature),
      userHandle: this.handle,
    });
  }
}
