/** A failed call, keeping the HTTP status that the retry policy and the wording need. */
export class CallError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code?: string,
  ) {
    super(message);
  }
}

export const SERVER = 'Server error occurred. Please try again later.';
const NETWORK = 'Connection failed. Please check your internet connection.';
const SIGN_IN = 'Please sign in to continue.';
const FORBIDDEN = 'You do not have permission to perform this action.';
const TABLE: [string, string][] = [
  ['Failed to fetch', NETWORK],
  ['NetworkError', NETWORK],
  ['Network request failed', NETWORK],
  ['Load failed', NETWORK],
  ['Invalid login credentials', 'Email or password is incorrect. Please try again.'],
  ['Email not confirmed', 'Please verify your email address before signing in.'],
  ['User already registered', 'An account with this email already exists. Please sign in instead.'],
  [
    'Signups not allowed for this instance',
    'Registration is currently disabled. Please contact support.',
  ],
  ['email rate limit exceeded', 'Too many emails sent. Please wait a few minutes and try again.'],
  [
    'Token has expired or is invalid',
    'The verification link has expired. Please request a new one.',
  ],
  [
    'User not found',
    'No account found with this email address. Please check your email or sign up.',
  ],
  ['already confirmed', 'This email address is already verified.'],
  ['missing confirmation token', 'This verification link is invalid. Please request a new one.'],
  [
    'Database error saving new user',
    'There was a problem creating your account. Please try again.',
  ],
  ['Password should be at least 6 characters', 'Password must be at least 6 characters long.'],
  ['invalid_email', 'Please enter a valid email address.'],
  ['invalid_phone', 'Please enter a valid phone number.'],
  ['too_short', 'This value is too short.'],
  ['too_long', 'This value is too long.'],
  ['500', SERVER],
  ['404', 'The requested resource was not found.'],
  ['403', FORBIDDEN],
  ['401', SIGN_IN],
];
const EXACT: Record<string, string> = {
  required: 'This field is required.',
  invalid: 'Please enter a valid value.',
};
const LONG = 'An error occurred. Please try again or contact support if the problem persists.';

function lookUp(source: string): string | undefined {
  const exact = EXACT[source] ?? TABLE.find(([key]) => key === source)?.[1];
  if (exact) return exact;
  const lower = source.toLowerCase();
  return TABLE.find(([key]) => lower.includes(key.toLowerCase()))?.[1];
}

/** The sentence to show for any thrown value. */
export function errorText(error: unknown): string {
  const { message = '', status = 0 } = (
    typeof error === 'string' ? { message: error } : (error ?? {})
  ) as { message?: string; status?: number };
  const known = message && message !== '{}' ? lookUp(message) : undefined;
  if (known) return known;
  if (status >= 500) return SERVER;
  const byStatus = status ? lookUp(String(status)) : undefined;
  if (byStatus) return byStatus;
  if (!message || message === '{}') return LONG;
  return message.length > 100 ? LONG : message;
}

export type ErrorKind = 'network' | 'validation' | 'auth' | 'unknown';
export interface AppError {
  code: string;
  message: string;
  type: ErrorKind;
  context?: string;
  timestamp: number;
  retryable: boolean;
}

export function normalise(error: unknown, context?: string): AppError {
  const raw = error instanceof Error ? error.message : String(error);
  const base = { context, timestamp: Date.now() };
  if (/fetch|network/i.test(raw))
    return { ...base, code: 'NETWORK_ERROR', message: NETWORK, type: 'network', retryable: true };
  if (/validation|required/i.test(raw))
    return {
      ...base,
      code: 'VALIDATION_ERROR',
      message: 'Please check your input and try again.',
      type: 'validation',
      retryable: false,
    };
  return {
    ...base,
    code: 'UNKNOWN_ERROR',
    message: 'Something went wrong. Please try again.',
    type: 'unknown',
    retryable: true,
  };
}

const history: AppError[] = [];

/** Keeps the last hundred errors and names only the code on the console. */
export function report(error: unknown, context?: string): AppError {
  const record = normalise(error, context);
  history.push(record);
  if (history.length > 100) history.shift();
  console.error(record.code);
  return record;
}
export const errorHistory = (): readonly AppError[] => history;
