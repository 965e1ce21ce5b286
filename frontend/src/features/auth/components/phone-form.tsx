import { useEffect, useState, type FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { errorText } from '@/lib/errors';
import { notify } from '@/lib/notify';
import { sendCode, verifyCode } from '../api/auth';

/** The number in E.164, or nothing when it is none. */
export function toE164(text: string): string | null {
  const bare = text.replace(/[\s()-]/g, '');
  const indian = /^(?:\+?91|0)?([6-9]\d{9})$/.exec(bare);
  if (indian) return `+91${indian[1]}`;
  return /^\+(?!91)[1-9]\d{6,14}$/.test(bare) ? bare : null;
}

export function PhoneForm() {
  const [text, setText] = useState('');
  const [phone, setPhone] = useState('');
  const [code, setCode] = useState('');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const [wait, setWait] = useState(0);
  useEffect(() => {
    if (!wait) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);

  const send = async (to: string) => {
    setBusy(true);
    const failure = await sendCode(to).catch((e: unknown) => e);
    setBusy(false);
    setError(failure ? errorText(failure) : '');
    if (failure) return;
    setPhone(to);
    setWait(60);
  };
  const verify = async (token: string) => {
    setBusy(true);
    const failure = await verifyCode(phone, token).catch((e: unknown) => e);
    setBusy(false);
    if (failure) return setError(errorText(failure));
    notify.success('Welcome back!');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (phone)
      return void (code.length === 6 ? verify(code) : setError('Please enter a valid value.'));
    const to = toE164(text);
    if (!to) return setError('Please enter a valid phone number.');
    void send(to);
  };
  return (
    <form onSubmit={submit} className="space-y-4" noValidate>
      {phone ? (
        <>
          <p>We sent a 6-digit code to {phone}.</p>
          <Field
            label="Verification code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            value={code}
            error={error}
            onChange={(event) => {
              const digits = event.target.value.replace(/\D/g, '').slice(0, 6);
              setCode(digits);
              setError('');
              if (digits.length === 6) void verify(digits);
            }}
          />
          <Button type="submit" className="w-full" disabled={busy}>
            Verify
          </Button>
          <div className="flex justify-between">
            <Button
              variant="link"
              size="sm"
              disabled={wait > 0 || busy}
              onClick={() => void send(phone)}
            >
              {wait ? `Resend in ${wait} s` : 'Resend code'}
            </Button>
            <Button
              variant="link"
              size="sm"
              onClick={() => {
                setPhone('');
                setCode('');
                setError('');
              }}
            >
              Change number
            </Button>
          </div>
        </>
      ) : (
        <>
          <Field
            label="Phone number"
            type="tel"
            autoComplete="tel"
            placeholder="+91 90000 00000"
            value={text}
            error={error}
            onChange={(event) => {
              setText(event.target.value);
              setError('');
            }}
          />
          <Button type="submit" className="w-full" disabled={busy}>
            Send code
          </Button>
        </>
      )}
    </form>
  );
}
