import { needWords, type Loaders } from '@/i18n'
import { lazy, type ComponentType } from 'react'
import { useLocation } from 'react-router-dom'

// The pages of who lists: one entry in the router, so that the first page of a visit does not carry their names.
const listing: Loaders = {
  en: () => import('@/i18n/listing/en.json'),
  hi: () => import('@/i18n/listing/hi.json'),
  ta: () => import('@/i18n/listing/ta.json'),
}
const owner: Loaders = {
  en: () => import('@/i18n/owner/en.json'),
  hi: () => import('@/i18n/owner/hi.json'),
  ta: () => import('@/i18n/owner/ta.json'),
}

function page<Props extends object>(
  load: () => Promise<{ Component: ComponentType<Props> }>,
  words: Readonly<Record<string, Loaders>> = {},
) {
  return lazy(async () => {
    const [{ Component }] = await Promise.all([
      load(),
      needWords('owner', owner),
      ...Object.entries(words).map(([name, loaders]) => needWords(name, loaders)),
    ])
    return { default: Component }
  })
}

const ListProperty = page(() => import('./list-property'), { listing })
const MyListings = page(() => import('./my-listings'))
const Dashboard = page(() => import('./dashboard'))
const Profile = page(() => import('./profile'))

/** Shows the page of the owner's side that the address names. */
export function Component() {
  const [first, second] = useLocation().pathname.split('/').filter(Boolean)
  switch (first) {
    case 'edit-listing':
      return <ListProperty id={decodeURIComponent(second ?? '')} />
    case 'list-property':
      return <ListProperty />
    case 'my-listings':
      return <MyListings />
    case 'profile':
      return <Profile />
    default:
      return <Dashboard />
  }
}
