// Makes samlify.json: responses of samlify, an identity provider for Node.
//
//     npm install samlify@2.13.1 && node generate.mjs
//
// It signs with a key of fixtures.json and seals for the one of keys.json, with the certificate that GoTrue made for it.

import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import saml from 'samlify';

saml.setSchemaValidator({ validate: async () => 'not checked' });
const fixtures = JSON.parse(readFileSync(new URL('fixtures.json', import.meta.url)));
const pem = (pkcs1) =>
  createPrivateKey({ key: Buffer.from(pkcs1, 'base64'), format: 'der', type: 'pkcs1' }).export({
    type: 'pkcs1',
    format: 'pem',
  });
const acs = 'http://auth.test/sso/saml/acs';
const entity = 'http://auth.test/sso/saml/metadata';
const issued = '2026-01-01T00:00:00.000Z';
const { key, url, with_encryption } = JSON.parse(
  readFileSync(new URL('keys.json', import.meta.url)),
);

const template = saml.SamlLib.defaultLoginResponseTemplate.context;
const attributes = [
  { name: 'mail', valueTag: 'mail', nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic', valueXsiType: 'xs:string' },
  { name: 'displayName', valueTag: 'name', nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic', valueXsiType: 'xs:string' },
];
const algorithms = saml.Constants.algorithms;

async function respond({ message, sealed, method = algorithms.signature.RSA_SHA256, data = algorithms.encryption.data.AES_256 }) {
  const idp = saml.IdentityProvider({
    entityID: 'https://idp.test/metadata',
    privateKey: pem(fixtures.provider_key),
    signingCert: fixtures.certificates.rsa,
    isAssertionEncrypted: sealed,
    requestSignatureAlgorithm: method,
    dataEncryptionAlgorithm: data,
    keyEncryptionAlgorithm: algorithms.encryption.key.RSA_OAEP_MGF1P,
    messageSigningOrder: 'encrypt-then-sign',
    singleSignOnService: [
      { Binding: saml.Constants.namespace.binding.redirect, Location: 'https://idp.test/sso' },
    ],
    loginResponseTemplate: { context: template, attributes },
  });
  const sp = saml.ServiceProvider({
    entityID: entity,
    encryptCert: with_encryption,
    wantAssertionsSigned: true,
    wantMessageSigned: message,
    assertionConsumerService: [
      { Binding: saml.Constants.namespace.binding.post, Location: acs },
    ],
  });
  const values = {
    ID: '_response',
    AssertionID: '_assertion',
    Destination: acs,
    Audience: entity,
    SubjectRecipient: acs,
    AssertionConsumerServiceURL: acs,
    Issuer: 'https://idp.test/metadata',
    IssueInstant: issued,
    StatusCode: saml.Constants.StatusCode.Success,
    ConditionsNotBefore: issued,
    ConditionsNotOnOrAfter: '2026-01-01T00:05:00.000Z',
    SubjectConfirmationDataNotOnOrAfter: '2026-01-01T00:05:00.000Z',
    NameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    NameID: 'ada@example.com',
    InResponseTo: 'id-1',
    AuthnStatement: '',
    attrMail: 'ada@example.com',
    attrName: 'Ada & Co <"x">',
  };
  const answer = await idp.createLoginResponse(
    sp,
    { extract: { request: { id: 'id-1' } } },
    'post',
    { email: 'ada@example.com' },
    (text) => ({ id: '_response', context: saml.SamlLib.replaceTagsByValue(text, values) }),
    sealed,
  );
  return Buffer.from(answer.context, 'base64').toString();
}

const cases = {
  'signed assertion': { message: false, sealed: false },
  'signed assertion and message': { message: true, sealed: false },
  pss: { message: false, sealed: false, method: algorithms.signature.RSA_SHA256_MGF1 },
  sha512: { message: true, sealed: false, method: algorithms.signature.RSA_SHA512 },
  'sealed assertion': { message: false, sealed: true },
  'sealed assertion in a signed message': { message: true, sealed: true },
  'sealed with gcm': { message: false, sealed: true, data: algorithms.encryption.data.AES_128_GCM },
};
const out = { key, url, certificate: fixtures.certificates.rsa, cases: {} };
for (const [name, options] of Object.entries(cases)) out.cases[name] = await respond(options);
writeFileSync(new URL('samlify.json', import.meta.url), `${JSON.stringify(out, null, 1)}\n`);
