// Text messages by way of carriers, which are reached through a proxy that answers for them.

import { PASSWORD } from '../people.mjs';

const PHONE = '919876500001';

/** What a carrier says, by its name: a message that left, and two that it did not want. */
const carriers = {
  twilio: {
    at: 'api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
    sent: { status: 201, body: { sid: 'SM1', status: 'queued', error_code: null, error_message: null } },
    refused: [
      {
        status: 400,
        body: { code: 21211, message: 'Not a number', more_info: 'https://x.test', status: 400 },
      },
      { body: { sid: 'SM2', status: 'failed', error_code: '30003', error_message: 'Unreachable' } },
    ],
  },
  messagebird: {
    at: 'rest.messagebird.com/messages',
    sent: { status: 201, body: { id: 'mb-1', recipients: { totalSentCount: 1 } } },
    refused: [
      {
        status: 422,
        body: { errors: [{ code: 9, description: 'no (correct) recipients', parameter: 'r' }] },
      },
      { body: { id: 'mb-2', recipients: { totalSentCount: 0 } } },
    ],
  },
  textlocal: {
    at: 'api.textlocal.in/send',
    sent: { body: { status: 'success', messages: [{ id: 'tl-1' }] } },
    refused: [
      { body: { status: 'failure', errors: [{ code: 192, message: 'Messages can only be sent by day' }] } },
      { body: { status: 'failure', errors: [{ code: 80, message: 'Invalid template' }] } },
    ],
  },
  vonage: {
    at: 'rest.nexmo.com/sms/json',
    sent: { body: { messages: [{ 'message-id': 'vo-1', status: '0' }] } },
    refused: [
      { body: { messages: [{ 'message-id': 'vo-2', status: '4', 'error-text': 'Bad Credentials' }] } },
      { body: { messages: [] } },
    ],
  },
};

/** The code of the last message. */
function codeOf(t) {
  const { body } = t.receiver.calls.at(-1);
  return decodeURIComponent(String(body)).match(/(?<!\d)\d{6}(?!\d)/)?.[0];
}

export default [
  ...Object.entries(carriers).map(([name, { at, sent, refused }]) => ({
    name: `through ${name}`,
    profile: `sms-${name}`,
    async run(t) {
      for (const [index, answer] of refused.entries()) {
        t.receiver.answer(at, answer);
        await t.post('/otp', { phone: PHONE }, { as: `refused ${index}` });
      }
      t.receiver.answer(at, { status: 500, body: 'out of order' });
      await t.post('/otp', { phone: PHONE }, { as: 'out of order' });
      t.receiver.answer(at, sent);
      await t.post('/otp', { phone: PHONE }, { as: 'first' });
      await t.post('/verify', { phone: PHONE, type: 'sms', token: '000000' }, { as: 'a wrong code' });
      await t.post('/verify', { phone: PHONE, type: 'sms', token: codeOf(t) }, { as: 'the code' });
      await t.post('/otp', { phone: PHONE }, { as: 'of somebody known' });
      await t.post('/otp', { phone: PHONE, channel: 'whatsapp' }, { as: 'by WhatsApp' });
      await t.post('/otp', { phone: PHONE, channel: 'pigeon' }, { as: 'by pigeon' });
      await t.post('/signup', { phone: '919876500002', password: PASSWORD }, { as: 'with a password' });
      await t.post('/resend', { phone: '919876500002', type: 'sms' }, { as: 'once more' });
      await t.post('/verify', { phone: '919876500002', type: 'sms', token: codeOf(t) }, { as: 'its code' });
      const { body } = await t.post(
        '/token?grant_type=password',
        { phone: '919876500002', password: PASSWORD },
        { as: 'sign in' },
      );
      const token = body.access_token;
      await t.put('/user', { phone: '919876500003' }, { token, as: 'another number' });
      await t.post(
        '/verify',
        { phone: '919876500003', type: 'phone_change', token: codeOf(t) },
        { as: 'the code of the other number' },
      );
      await t.get('/reauthenticate', { token });
    },
  })),
  {
    name: 'through Twilio Verify',
    profile: 'sms-twilio_verify',
    async run(t) {
      const start = 'verify.twilio.com/v2/Services/VA1/Verifications';
      const check = 'verify.twilio.com/v2/Services/VA1/VerificationCheck';
      const verify = (as) => t.post('/verify', { phone: PHONE, type: 'sms', token: '123456' }, { as });
      t.receiver.answer(start, {
        ...{ status: 429, body: { code: 60203, message: 'Max send attempts', more_info: 'https://x.test' } },
      });
      await t.post('/otp', { phone: PHONE }, { as: 'refused' });
      t.receiver.answer(start, { status: 201, body: { sid: 'VE1', status: 'pending', valid: false } });
      await t.post('/otp', { phone: PHONE }, { as: 'first' });
      t.receiver.answer(check, { body: { status: 'pending', valid: false } });
      await verify('a wrong code');
      t.receiver.answer(check, {
        ...{ status: 404, body: { code: 20404, message: 'Not found', more_info: 'https://x.test' } },
      });
      await verify('a code that is over');
      t.receiver.answer(check, { body: { status: 'approved', valid: true } });
      await verify('the code');
      await t.post('/otp', { phone: PHONE, channel: 'whatsapp' }, { as: 'by WhatsApp' });
      await verify('its code');
    },
  },
  {
    name: 'nothing set up',
    profile: 'sms-unset',
    async run(t) {
      await t.post('/otp', { phone: PHONE });
      await t.post('/otp', { phone: PHONE, channel: 'whatsapp' });
    },
  },
];
