// Signing in with wallets: messages that viem and tweetnacl signed, and Solana's signed as the clock goes.

import { generateKeyPairSync, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const vectors = JSON.parse(
  await readFile(path.join(import.meta.dirname, '../../../auth-svc/tests/fixtures/web3.json'), 'utf8'),
);
const CHAINS = ['ethereum', 'solana'];
const grant = (t, body, as) => t.post('/token?grant_type=web3', body, { as });

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
function base58(bytes) {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text;
  return text;
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const address = base58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
const at = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString();

/** A message of a Solana wallet, with these lines after the first. */
function solana(lines) {
  const begin = `app.test wants you to sign in with your Solana account:\n${address}\n\nSign in\n\nURI: https://app.test/login\nVersion: 1`;
  const message = [begin, ...lines].join('\n');
  return {
    chain: 'solana',
    message,
    signature: sign(null, Buffer.from(message), privateKey).toString('base64'),
  };
}

export default [
  {
    name: 'messages of wallets',
    profile: 'web3',
    async run(t) {
      await t.get('/settings');
      for (const chain of CHAINS)
        for (const [name, vector] of Object.entries(vectors[chain])) {
          if (chain === 'ethereum' && name === 'expires') continue;
          const { body } = await grant(t, { chain, ...vector }, `${chain} ${name}`);
          if (name === 'plain') await t.get('/user', { token: body.access_token });
        }
    },
  },
  {
    name: 'a message that is over',
    profile: 'web3',
    run: (t) => grant(t, { chain: 'ethereum', ...vectors.ethereum.expires }, 'ethereum expires'),
  },
  {
    name: 'what is no message',
    profile: 'web3',
    async run(t) {
      const wrong = (chain, more, as) =>
        grant(t, { chain, ...vectors[chain].plain, ...more }, `${chain} ${as}`);
      for (const body of [{}, { chain: 'bitcoin' }, { chain: 'Solana' }, { chain: 1 }, { chain: 'solana' }])
        await grant(t, body, JSON.stringify(body));
      for (const chain of CHAINS) {
        const { message, signature } = vectors[chain].plain;
        for (const [as, text] of Object.entries({
          empty: '',
          short: 'x'.repeat(63),
          long: 'x'.repeat(20 * 1024 + 1),
          'one line': 'x'.repeat(64),
          'six lines': 'x'.repeat(64) + '\n'.repeat(8),
          'of no domain': message.replace('app.test wants', ' wants'),
          'of a domain with a path': message.replace('app.test wants', 'app.test/x wants'),
          'another beginning': message.replace('wants you', 'asks you'),
          'of no address': message.replace(/\n[^\n]+/, '\n'),
          'of a wrong address': message.replace(/\n[^\n]+/, '\n0x12'),
          'without a version': message.replace('Version: 1\n', ''),
          'of version 2': message.replace('Version: 1', 'Version: 2'),
          'without a URI': message.replace(/URI: [^\n]+\n/, ''),
          'with no URI': message.replace(/URI: [^\n]+/, 'URI: ::'),
          'without a time': message.replace(/Issued At: .*/, 'Nonce: 12345678'),
          'with no time': message.replace(/Issued At: .*/, 'Issued At: yesterday'),
          'with no chain': message.replace(/Chain ID: .*/, 'Chain ID: x'),
          'with no nonce': message.replace(/Nonce: .*\n/, ''),
          'with a short nonce': message.replace(/Nonce: .*/, 'Nonce: 1'),
          'with a line of its own': message.replace('Version: 1', 'Version: 1\nColour: red'),
          'with a line twice': message.replace('Version: 1', 'Version: 1\nVersion: 1'),
          'with an empty line': message.replace('Version: 1', 'Version: 1\n'),
          'with a late line end': `${message}\n`,
          'with other line ends': message.replaceAll('\n', '\r\n'),
          'with resources that are none': `${message}\nResources:\nx`,
          'with a resource that is no URI': `${message}\nResources:\n- ::`,
          'with an end of no time': `${message}\nExpiration Time: x`,
          'with a beginning of no time': `${message}\nNot Before: x`,
        }))
          await wrong(chain, { message: text }, as);
        for (const [as, text] of Object.entries({
          empty: '',
          short: signature.slice(2, 20),
          'of another message': vectors[chain].http.signature,
          'of other letters': signature.replace(/.{6}$/, '******'),
          'without a prefix': signature.replace(/^0x|=+$/g, ''),
        }))
          await wrong(chain, { signature: text }, `a signature ${as}`);
      }
    },
  },
  {
    name: 'messages and time',
    profile: 'web3-minutes',
    async run(t) {
      for (const [as, lines] of Object.entries({
        now: [`Issued At: ${at(0)}`],
        'with a chain': [`Chain ID: solana:devnet`, `Issued At: ${at(0)}`],
        'with all there is': [
          ...[`Chain ID: mainnet`, `Nonce: 12345678`, `Issued At: ${at(-1)}`],
          ...[`Expiration Time: ${at(5)}`, `Not Before: ${at(-1)}`, `Request ID: r-1`],
          ...['Resources:', '- https://app.test/terms'],
        ],
        'too old': [`Issued At: ${at(-11)}`],
        'too new': [`Issued At: ${at(11)}`],
        expired: [`Issued At: ${at(-2)}`, `Expiration Time: ${at(-1)}`],
        'too early': [`Issued At: ${at(0)}`, `Not Before: ${at(2)}`],
        'an end before the beginning': [
          ...[`Issued At: ${at(0)}`, `Expiration Time: ${at(1)}`, `Not Before: ${at(2)}`],
        ],
      }))
        await grant(t, solana(lines), as);
      await grant(t, { chain: 'ethereum', ...vectors.ethereum.plain }, 'a chain that is off');
    },
  },
];
