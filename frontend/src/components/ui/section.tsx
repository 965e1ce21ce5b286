import type { ReactNode } from 'react'

export function Section({ title, id, children }: { title: string; id?: string; children: ReactNode }) {
  return (
    <section data-slot="section" id={id} className="mt-10">
      <h2 className="mb-4 text-2xl font-semibold">{title}</h2>
      {children}
    </section>
  )
}
