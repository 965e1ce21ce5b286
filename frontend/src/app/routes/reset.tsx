import { useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { Page } from '@/components/ui/page';
import { setPassword } from '@/features/auth/api/auth';
import { errorText } from '@/lib/errors';
import { notify } from '@/lib/notify';

export default function Reset() {
  const [error, setError] = useState('');
  const navigate = useNavigate();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password'));
    if (password.length < 8) return setError('This value is too short.');
    const failure = await setPassword(password).catch((e: unknown) => e);
    if (failure) return setError(errorText(failure));
    notify.success('Your password is changed.');
    void navigate('/dashboard');
  };
  return (
    <Page title="Choose a new password">
      <form className="max-w-md space-y-4" onSubmit={(event) => void submit(event)} noValidate>
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          error={error}
        />
        <Button type="submit">Save password</Button>
      </form>
    </Page>
  );
}
