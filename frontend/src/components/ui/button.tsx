import type { ButtonHTMLAttributes } from 'react';
import { cn } from '@/lib/cn';

const variants = {
  default: 'bg-brand text-on-brand hover:opacity-90',
  destructive: 'bg-red-700 text-white hover:bg-red-800',
  outline: 'border border-line bg-surface text-ink hover:bg-brand-soft',
  secondary: 'bg-brand-soft text-brand hover:opacity-90',
  ghost: 'text-ink hover:bg-brand-soft',
  link: 'text-brand underline underline-offset-4',
};
const sizes = { default: 'h-11 px-5', sm: 'h-9 px-3 text-sm', lg: 'h-12 px-7', icon: 'size-11' };

interface Look {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
}
export const buttonClass = ({ variant = 'default', size = 'default' }: Look = {}) =>
  cn(
    'inline-flex items-center justify-center gap-2 rounded-lg font-semibold whitespace-nowrap transition disabled:opacity-60',
    variants[variant],
    sizes[size],
  );

export function Button({
  variant,
  size,
  className,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & Look) {
  return (
    <button
      data-slot="button"
      type="button"
      className={cn(buttonClass({ variant, size }), className)}
      {...rest}
    />
  );
}
