import { useId, type InputHTMLAttributes } from 'react';
import { cn } from '@/lib/cn';

export const inputClass =
  'h-11 w-full rounded-lg border border-slate-400 bg-surface px-3 text-ink placeholder:text-muted dark:border-slate-500';

export function Field({
  label,
  error,
  className,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { label: string; error?: string }) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      <input
        id={id}
        className={cn(inputClass, error && 'border-red-600')}
        aria-invalid={Boolean(error)}
        aria-describedby={error ? `${id}-error` : undefined}
        {...rest}
      />
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-sm text-red-700 dark:text-red-300">
          {error}
        </p>
      )}
    </div>
  );
}
