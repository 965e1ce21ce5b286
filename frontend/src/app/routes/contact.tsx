import { cardClass, Page } from '@/components/ui/page'

export function Component() {
  return (
    <Page title="Contact" narrow lead="Talk to a person, on any working day from 9 to 6.">
      <dl className={`${cardClass} space-y-4`}>
        <div>
          <dt className="font-semibold">Phone</dt>
          <dd>
            <a className="inline-block py-2 underline" href="tel:+914344000000">
              +91 4344 000 000
            </a>
          </dd>
        </div>
        <div>
          <dt className="font-semibold">Email</dt>
          <dd>
            <a className="inline-block py-2 underline" href="mailto:info@nilam.example">
              info@nilam.example
            </a>
          </dd>
        </div>
        <div>
          <dt className="font-semibold">Office</dt>
          <dd>Bagalur Road, Hosur, Tamil Nadu 635109</dd>
        </div>
      </dl>
    </Page>
  )
}
