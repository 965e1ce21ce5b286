import { useState, type FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { errorText } from '@/lib/errors';
import { notify } from '@/lib/notify';
import { forgot, signIn, signUp } from '../api/auth';

type Mode = 'in' | 'up' | 'forgot' | 'sent';
const ACTION = { in: 'Sign in', up: 'Create account', forgot: 'Send reset link', sent: '' };

export function EmailForm() {
  const [mode, setMode] = useState<Mode>('in');
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const to = (next: Mode) => () => {
    setMode(next);
    setErrors({});
  };

  const work = async (values: Record<string, string>) => {
    const { email = '', password = '', fullName = '' } = values;
    if (mode === 'up') {
      const inside = await signUp(email, password, fullName);
      notify.success('Account created successfully! Please verify your email.');
      return inside ? undefined : setMode('sent');
    }
    const failure = mode === 'in' ? await signIn(email, password) : await forgot(email);
    if (failure) throw failure;
    notify.success(
      mode === 'in' ? 'Welcome back!' : 'Password reset email sent. Please check your inbox.',
    );
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([k, v]) => [k, String(v)]),
    );
    const found: Record<string, string> = {};
    if (!/^\S+@\S+\.\S+$/.test(values.email ?? ''))
      found.email = 'Please enter a valid email address.';
    if (mode === 'in' && !values.password) found.password = 'This field is required.';
    if (mode === 'up') {
      if (!values.fullName?.trim()) found.fullName = 'This field is required.';
      if ((values.password ?? '').length < 8) found.password = 'This value is too short.';
      if (values.password !== values.confirmPassword)
        found.confirmPassword = 'The passwords do not match.';
      if (!values.terms) found.form = 'Please accept the terms.';
    }
    setErrors(found);
    if (Object.keys(found).length) return;
    setBusy(true);
    work(values)
      .catch((error: unknown) => setErrors({ form: errorText(error) }))
      .finally(() => setBusy(false));
  };
  if (mode === 'sent')
    return (
      <div className="space-y-4">
        <p role="status">Check your inbox: the link in our e-mail confirms your account.</p>
        <Button variant="outline" onClick={to('in')}>
          Back to sign in
        </Button>
      </div>
    );
  return (
    <form onSubmit={submit} className="space-y-4" noValidate>
      {mode === 'up' && (
        <Field label="Full name" name="fullName" autoComplete="name" error={errors.fullName} />
      )}
      <Field label="Email" name="email" type="email" autoComplete="email" error={errors.email} />
      {mode !== 'forgot' && (
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete={mode === 'in' ? 'current-password' : 'new-password'}
          error={errors.password}
        />
      )}
      {mode === 'up' && (
        <>
          <Field
            label="Confirm password"
            name="confirmPassword"
            type="password"
            autoComplete="new-password"
            error={errors.confirmPassword}
          />
          <label className="flex gap-2">
            <input type="checkbox" name="terms" className="size-6" /> I accept the terms
          </label>
        </>
      )}
      {errors.form && (
        <p role="alert" className="text-red-700 dark:text-red-300">
          {errors.form}
        </p>
      )}
      <Button type="submit" className="w-full" disabled={busy}>
        {ACTION[mode]}
      </Button>
      <div className="flex flex-wrap justify-between">
        {mode !== 'in' && (
          <Button variant="link" size="sm" onClick={to('in')}>
            Back to sign in
          </Button>
        )}
        {mode === 'in' && (
          <Button variant="link" size="sm" onClick={to('up')}>
            Create an account
          </Button>
        )}
        {mode === 'in' && (
          <Button variant="link" size="sm" onClick={to('forgot')}>
            Forgot password?
          </Button>
        )}
      </div>
    </form>
  );
}
