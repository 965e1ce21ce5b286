import type { AuthError, User as AuthUser } from '@supabase/supabase-js';
import { report } from '@/lib/errors';
import { useStore } from '@/lib/store';
import { supabase } from '@/lib/supabase';

type Client = Awaited<ReturnType<typeof supabase>>;

function keep(user: AuthUser | null) {
  useStore.getState().setUser(
    user && {
      id: user.id,
      name: String(user.user_metadata.full_name ?? ''),
      email: user.email ?? '',
      phone: user.phone ?? '',
      role: 'user',
    },
  );
}
async function busy<T>(work: (auth: Client['auth']) => Promise<T>): Promise<T> {
  const { setLoading } = useStore.getState();
  setLoading(true);
  try {
    return await work((await supabase()).auth);
  } finally {
    setLoading(false);
  }
}

/** Finds out who is here and follows every later change. */
export async function startAuth() {
  try {
    const { auth } = await supabase();
    auth.onAuthStateChange((event, session) => {
      if (event !== 'INITIAL_SESSION') keep(session?.user ?? null);
    });
    const { data, error } = await auth.getUser();
    keep(data.user);
    if (error && error.name !== 'AuthSessionMissingError') report(error, 'first look');
  } catch (error) {
    report(error, 'first look');
  } finally {
    useStore.getState().setLoading(false);
  }
}
type Outcome = Promise<AuthError | null>;
export const sendCode = (phone: string): Outcome =>
  busy(async (auth) => (await auth.signInWithOtp({ phone })).error);
export const verifyCode = (phone: string, token: string): Outcome =>
  busy(async (auth) => {
    const { data, error } = await auth.verifyOtp({ phone, token, type: 'sms' });
    if (!error) keep(data.user);
    return error;
  });
export const signIn = (email: string, password: string): Outcome =>
  busy(async (auth) => {
    const { data, error } = await auth.signInWithPassword({ email, password });
    if (!error) keep(data.user);
    return error;
  });
/** Throws the error, as signing out does. Signed in at once where no confirmation is asked. */
export const signUp = (email: string, password: string, full_name: string) =>
  busy(async (auth) => {
    const { data, error } = await auth.signUp({
      email,
      password,
      options: { data: { full_name } },
    });
    if (error) throw error;
    return data.session !== null;
  });
export const signOut = () =>
  busy(async (auth) => {
    const { error } = await auth.signOut();
    if (error) throw error;
    keep(null);
  });
export const forgot = (email: string): Outcome =>
  busy(
    async (auth) =>
      (
        await auth.resetPasswordForEmail(email, {
          redirectTo: `${window.location.origin}/auth/reset`,
        })
      ).error,
  );
export const setPassword = (password: string): Outcome =>
  busy(async (auth) => (await auth.updateUser({ password })).error);
export async function isAdmin() {
  const { data } = await (await supabase()).rpc('is_admin');
  return data === true;
}
