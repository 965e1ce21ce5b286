// A SAML identity provider for tests: samlify's, with a key and a certificate of our own.

import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import samlify from 'samlify';

const { Constants, SamlLib } = samlify;
const { algorithms, namespace } = Constants;
const HTTP_REDIRECT = namespace.binding.redirect;
const fixtures = JSON.parse(
  await readFile(path.join(import.meta.dirname, '../auth-svc/tests/saml/fixtures.json'), 'utf8'),
);
const key = createPrivateKey({
  ...{ key: Buffer.from(fixtures.provider_key, 'base64'), format: 'der', type: 'pkcs1' },
}).export({ type: 'pkcs1', format: 'pem' });

/** A key of a service provider, as `GOTRUE_SAML_PRIVATE_KEY` wants it. */
export const serviceKey = fixtures.keys.sp;

// The schemas are not at hand; what is read here was written by the service under test, and is compared value by value.
samlify.setSchemaValidator({ validate: async () => 'not validated' });

const MINUTES = 60_000;

export class IdentityProvider {
  #settings;

  /** `entity` is its name, `signIn` the page that requests are sent to. */
  constructor({
    entity = 'https://idp.test/metadata',
    signIn = 'https://idp.test/sso',
    encrypted = false,
  } = {}) {
    Object.assign(this, { entity, signIn });
    this.#settings = {
      entityID: entity,
      signingCert: fixtures.certificates.rsa,
      privateKey: key,
      isAssertionEncrypted: encrypted,
      requestSignatureAlgorithm: algorithms.signature.RSA_SHA256,
      nameIDFormat: [namespace.format.emailAddress],
      singleSignOnService: [{ Binding: HTTP_REDIRECT, Location: signIn }],
      singleLogoutService: [{ Binding: HTTP_REDIRECT, Location: `${signIn}/logout` }],
    };
  }

  /** What an administrator gives to a service provider. */
  get metadata() {
    return samlify.IdentityProvider(this.#settings).getMetadata();
  }

  /** The request of a visitor who was sent here; fails unless the service that has these metadata signed it. */
  request(url, serviceMetadata) {
    const { searchParams } = new URL(url);
    const [query] = url.split('?').slice(1);
    const parameters = query.split('&').filter((pair) => /^(SAMLRequest|RelayState|SigAlg)=/.test(pair));
    const service = samlify.ServiceProvider({ metadata: serviceMetadata });
    const isSigned = SamlLib.verifyMessageSignature(
      service.entityMeta,
      parameters.join('&'),
      Buffer.from(searchParams.get('Signature') ?? '', 'base64'),
      searchParams.get('SigAlg'),
    );
    if (!isSigned) throw new Error(`the signature is not of this service: ${url}`);
    return this.read(url);
  }

  /** The same without a look at the signature. */
  read(url) {
    const { searchParams } = new URL(url);
    const xml = samlify.Utility.inflateString(searchParams.get('SAMLRequest'));
    const { request, issuer } = samlify.Extractor.extract(xml, samlify.Extractor.loginRequestFields);
    return { ...request, issuer, relayState: searchParams.get('RelayState') };
  }

  /**
   * A signed response in base64, as a browser posts it. `id` is the request that it answers, if any; `attributes` are what it
   * says about the user besides `name`; `more` replaces values of the document.
   */
  async respond(serviceMetadata, { id, name = 'ada@example.com', attributes = {}, more = {} }) {
    const service = samlify.ServiceProvider({ metadata: serviceMetadata });
    const tags = Object.keys(attributes);
    const provider = samlify.IdentityProvider({
      ...this.#settings,
      loginResponseTemplate: {
        context: documentFor(id),
        attributes: tags.map((tag) => ({
          ...{
            name: tag,
            valueTag: tag,
            nameFormat: namespace.format.unspecified,
            valueXsiType: 'xs:string',
          },
        })),
      },
    });
    const acs = service.entityMeta.getAssertionConsumerService('post');
    const now = Date.now();
    const soon = new Date(now + 5 * MINUTES).toISOString();
    const values = {
      ID: provider.entitySetting.generateID(),
      AssertionID: provider.entitySetting.generateID(),
      Destination: acs,
      Audience: service.entityMeta.getEntityID(),
      SubjectRecipient: acs,
      Issuer: this.entity,
      IssueInstant: new Date(now).toISOString(),
      StatusCode: Constants.StatusCode.Success,
      ConditionsNotBefore: new Date(now - MINUTES).toISOString(),
      ConditionsNotOnOrAfter: soon,
      SubjectConfirmationDataNotOnOrAfter: soon,
      NameIDFormat: namespace.format.emailAddress,
      NameID: name,
      InResponseTo: id,
      AuthnStatement: '',
      AttributeStatement: '',
      ...Object.fromEntries(
        tags.map((tag) => [`attr${tag[0].toUpperCase()}${tag.slice(1)}`, attributes[tag]]),
      ),
      ...more,
    };
    const { context } = await provider.createLoginResponse(service, {}, 'post', {}, (template) => ({
      id: values.ID,
      context: SamlLib.replaceTagsByValue(template, values),
    }));
    return context;
  }
}

/** The document of a response; one that a provider begins by itself answers nothing. */
function documentFor(id) {
  const { context } = SamlLib.defaultLoginResponseTemplate;
  return id ? context : context.replaceAll(' InResponseTo="{InResponseTo}"', '');
}
