// An authenticator in software: makes WebAuthn credentials and proves them.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const url = (bytes) => Buffer.from(bytes).toString('base64url');

/** A byte string in CBOR. */
function cborBytes(bytes) {
  const length = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.from(length), bytes]);
}

const cborText = (text) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

export class Authenticator {
  #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #count = 0;
  id = randomBytes(16);

  constructor(origin) {
    this.origin = origin;
  }

  #client(type, options) {
    const data = { type, challenge: options.challenge, origin: this.origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data));
  }

  #data(party, flags, rest = Buffer.alloc(0)) {
    this.#count += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#count);
    return Buffer.concat([sha256(party), Buffer.from([flags]), count, rest]);
  }

  /** The answer to options for a new credential. */
  create(options) {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = Buffer.concat([
      Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
      cborBytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, 'base64url')),
    ]);
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, key]);
    // Present, verified, with a credential.
    const data = this.#data(options.rp.id, 0x45, credential);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(data)],
    ]);
    const response = {
      clientDataJSON: url(this.#client('webauthn.create', options)),
      attestationObject: url(attestation),
      transports: ['internal'],
    };
    return this.#credential(response);
  }

  /** The answer to options for a proof. `user` is the id that the credential was made for. */
  get(options, user) {
    const client = this.#client('webauthn.get', options);
    const data = this.#data(options.rpId, 0x05);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#keys.privateKey);
    const response = {
      clientDataJSON: url(client),
      authenticatorData: url(data),
      signature: url(signature),
      userHandle: url(user),
    };
    return this.#credential(response);
  }

  #credential(response) {
    const id = url(this.id);
    const attachment = { authenticatorAttachment: 'platform', clientExtensionResults: {} };
    return { id, rawId: id, type: 'public-key', ...attachment, response };
  }
}
