import { Page } from '@/components/ui/page'

export function Component() {
  return (
    <Page
      title="About us"
      narrow
      lead="Nilam is a marketplace for commercial property and co-working space in India."
    >
      <div className="space-y-4 leading-relaxed">
        <p>
          We bring buyers, sellers and owners together: offices, shops, warehouses, industrial and mixed-use
          property, and co-working spaces by the day or by the month.
        </p>
        <p>
          Listing a property is free, and buyers are verified, so owners spend their time on serious
          enquiries.
        </p>
        <p>We work from Hosur, Tamil Nadu, in English, Hindi and Tamil.</p>
      </div>
    </Page>
  )
}
