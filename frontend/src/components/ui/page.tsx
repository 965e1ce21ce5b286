import { useEffect, useRef, type ReactNode } from 'react';
import { cn } from '@/lib/cn';

/** A page's heading takes focus on arrival, so that a screen reader says where it is. */
export function PageTitle({ children, className }: { children: string; className?: string }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} – Nilam`;
    ref.current?.focus({ preventScroll: true });
  }, [children]);
  return (
    <h1 ref={ref} tabIndex={-1} className={cn('text-3xl font-bold tracking-tight', className)}>
      {children}
    </h1>
  );
}

export function Page({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mx-auto max-w-3xl px-4 pt-28 pb-16">
      <PageTitle>{title}</PageTitle>
      <div className="mt-6 space-y-4 leading-relaxed">{children}</div>
    </div>
  );
}
export const card = 'rounded-2xl border border-line bg-surface shadow-sm';
