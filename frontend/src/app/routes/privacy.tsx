import { Page } from '@/components/ui/page'

const PARTS = [
  [
    'What we keep',
    'Your name, email and phone number when you create an account, and the sign-in session in your browser.',
  ],
  [
    'What we use it for',
    'To sign you in and to let you and the owner of a space reach each other. We do not sell it.',
  ],
  ['Measurement', 'Analytics is off unless the operator of this site sets it up.'],
  [
    'Maps',
    'Pages of a co-working space show a map from an outside provider, which sees your network address.',
  ],
  ['Your rights', 'Write to info@nilam.example to see, correct or delete what we hold about you.'],
] as const

export function Component() {
  return (
    <Page title="Privacy Policy" narrow>
      {PARTS.map(([title, text]) => (
        <section key={title} className="mb-6">
          <h2 className="text-xl font-semibold">{title}</h2>
          <p className="mt-2 leading-relaxed">{text}</p>
        </section>
      ))}
    </Page>
  )
}
