import { cn } from '@/lib/cn'
import { useId, type ComponentProps } from 'react'

export const controlClass =
  'h-11 w-full rounded-lg border border-slate-400 bg-white px-3 text-base text-slate-900 placeholder:text-slate-500 dark:border-slate-500 dark:bg-slate-900 dark:text-slate-100 dark:placeholder:text-slate-400'

export function TextArea({
  label,
  error,
  className,
  ...props
}: ComponentProps<'textarea'> & { label: string; error?: string }) {
  const id = useId()
  return (
    <div data-slot="field" className="space-y-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={4}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        className={cn(controlClass, 'h-auto! py-2', error && 'border-red-600!', className)}
        {...props}
      />
      {error && (
        <p id={`${id}-error`} className="text-sm text-red-700 dark:text-red-300">
          {error}
        </p>
      )}
    </div>
  )
}

type Props = ComponentProps<'input'> & { label: string; error?: string }

export function Field({ label, error, className, ...props }: Props) {
  const id = useId()
  return (
    <div data-slot="field" className="space-y-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        className={cn(controlClass, error && 'border-red-600!', className)}
        {...props}
      />
      {error && (
        <p id={`${id}-error`} className="text-sm text-red-700 dark:text-red-300">
          {error}
        </p>
      )}
    </div>
  )
}
