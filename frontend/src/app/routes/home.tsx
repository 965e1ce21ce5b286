import { Button, buttonVariants } from '@/components/ui/button'
import { controlClass } from '@/components/ui/field'
import { usePageMeta } from '@/components/ui/page'
import { spacesOptions } from '@/features/coworking/api/get-spaces'
import { SpaceCard } from '@/features/coworking/components/space-card'
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, Building2, Search, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'

const CITIES = ['Bengaluru', 'Chennai', 'Hyderabad', 'Mumbai']
const STEPS = [
  ['Search', 'Filter by city and by name, and see starting prices up front.'],
  ['Compare', 'Look at photos, amenities, opening hours and every kind of desk or room.'],
  ['Book direct', 'Call, write or book on the operator’s own site. We add no fee.'],
] as const

export function Component() {
  usePageMeta('Commercial property and co-working in India')
  const [text, setText] = useState('')
  const navigate = useNavigate()
  const { data } = useQuery(spacesOptions(''))
  const featured = (data ?? []).filter((space) => space.paid_listing).slice(0, 3)
  return (
    <>
      <section className="bg-gradient-to-br from-blue-100 via-white to-amber-50 dark:from-blue-950 dark:via-slate-950 dark:to-slate-900">
        <div className="mx-auto grid max-w-7xl items-center gap-10 px-4 pt-28 pb-16 sm:px-6 lg:grid-cols-2">
          <div>
            <h1 tabIndex={-1} className="text-4xl font-extrabold tracking-tight text-balance sm:text-5xl">
              Find the space your business grows in
            </h1>
            <p className="mt-4 text-lg text-slate-700 dark:text-slate-300">
              Co-working desks, meeting rooms and private offices across India, with prices you can see.
            </p>
            <form
              role="search"
              className="mt-8 flex gap-2 rounded-2xl bg-white p-2 shadow-xl dark:bg-slate-900"
              onSubmit={(event) => {
                event.preventDefault()
                void navigate(text.trim() ? `/coworking?q=${encodeURIComponent(text.trim())}` : '/coworking')
              }}
            >
              <input
                type="search"
                aria-label="Search by name, city or locality"
                placeholder="City, locality or name"
                value={text}
                onChange={(event) => setText(event.target.value)}
                className={`${controlClass} min-w-0 border-transparent!`}
              />
              <Button type="submit">
                <Search aria-hidden className="size-4" /> Search
              </Button>
            </form>
            <p className="mt-5 flex flex-wrap gap-x-6 gap-y-2 text-sm font-medium">
              <span className="flex items-center gap-2">
                <BadgeCheck aria-hidden className="size-5 text-emerald-700 dark:text-emerald-300" /> Listing
                is free
              </span>
              <span className="flex items-center gap-2">
                <ShieldCheck aria-hidden className="size-5 text-emerald-700 dark:text-emerald-300" /> Verified
                buyers
              </span>
            </p>
          </div>
          <img src="/hero.svg" alt="" width="600" height="420" className="hidden w-full lg:block" />
        </div>
      </section>
      <div className="mx-auto max-w-7xl space-y-16 px-4 py-16 sm:px-6">
        <section>
          <h2 className="text-2xl font-bold">Browse by city</h2>
          <ul className="mt-6 grid grid-cols-2 gap-4 lg:grid-cols-4">
            {CITIES.map((city) => (
              <li key={city}>
                <Link
                  to={`/coworking?city=${city}`}
                  className="flex items-center gap-3 rounded-2xl border border-slate-200 bg-white p-5 font-semibold shadow-sm hover:border-brand hover:shadow-md dark:border-slate-800 dark:bg-slate-900"
                >
                  <Building2 aria-hidden className="size-6 text-brand dark:text-blue-300" /> {city}
                </Link>
              </li>
            ))}
          </ul>
        </section>
        {featured.length > 0 && (
          <section>
            <div className="flex flex-wrap items-center justify-between gap-2">
              <h2 className="text-2xl font-bold">Featured co-working spaces</h2>
              <Link to="/coworking" className={buttonVariants({ variant: 'link', className: 'px-0!' })}>
                See all spaces
              </Link>
            </div>
            <div className="mt-6 grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
              {featured.map((space) => (
                <SpaceCard key={space.id} space={space} />
              ))}
            </div>
          </section>
        )}
        <section>
          <h2 className="text-2xl font-bold">How it works</h2>
          <ol className="mt-6 grid gap-6 sm:grid-cols-3">
            {STEPS.map(([title, text], index) => (
              <li key={title} className="rounded-2xl bg-white p-6 shadow-sm dark:bg-slate-900">
                <span className="flex size-10 items-center justify-center rounded-full bg-brand font-bold text-white">
                  {index + 1}
                </span>
                <h3 className="mt-4 text-lg font-semibold">{title}</h3>
                <p className="mt-1 text-slate-700 dark:text-slate-300">{text}</p>
              </li>
            ))}
          </ol>
        </section>
        <section className="flex flex-wrap items-center gap-6 rounded-2xl bg-brand-dark p-8 text-white">
          <img src="/free-listing.svg" alt="Free listing" width="112" height="112" loading="lazy" />
          <div>
            <h2 className="text-2xl font-bold">Own a commercial space?</h2>
            <p className="mt-1 text-blue-100">
              Listing on Nilam is free, and enquiries come from verified buyers.
            </p>
          </div>
        </section>
      </div>
    </>
  )
}
