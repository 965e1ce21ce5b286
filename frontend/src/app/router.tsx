import { needSection, type Section } from '@/i18n'
import { replay } from '@/lib/early'
import { lazy, useEffect, useState, type ComponentType } from 'react'
import { matchPath, Route, Routes } from 'react-router-dom'
import { AdminOnly, Protected } from './guards'
import { Shell } from './shell'

type PageOf = ComponentType & { preload: () => Promise<unknown> }

/** A page in a chunk of its own, with the words that only it and its like need. */
function page(load: () => Promise<{ Component: ComponentType }>, ...sections: Section[]): PageOf {
  let pending: Promise<{ default: ComponentType }> | undefined
  let loaded: ComponentType | undefined
  const get = () =>
    (pending ??= Promise.all([load(), ...sections.map(needSection)])
      .then(([{ Component }]) => ({ default: (loaded = Component) }))
      .catch((error) => {
        pending = undefined
        throw error
      }))
  const Later = lazy(get)
  // What is there already is shown at once: nothing blank comes between a page that was made ahead and the real one.
  const Page = () => {
    const [Found] = useState<ComponentType>(() => loaded ?? Later)
    return (
      <>
        <Found />
        <Usable />
      </>
    )
  }
  return Object.assign(Page, { preload: get })
}

/** From here on the page answers; what was done to it before is done again. */
function Usable() {
  useEffect(replay, [])
  return null
}

type Placeholder = 'Messages' | 'Viewings' | 'Settings' | 'Help' | 'NotFound'
const placeholder = (name: Placeholder) =>
  page(() => import('./routes/placeholders').then((module) => ({ Component: module[name] })), 'site')

const Home = page(() => import('./routes/home'), 'home', 'coworking')
const Admin = page(() => import('./routes/admin'), 'property', 'coworking', 'admin')
const About = page(() => import('./routes/about'), 'site')
const Contact = page(() => import('./routes/contact'), 'site')
const Privacy = page(() => import('./routes/privacy'), 'site')
const Compare = page(() => import('./routes/compare'), 'property', 'compare')
const OldHome = page(() => import('./routes/old-home'), 'home', 'property', 'site')
const Platform = page(() => import('./routes/comprehensive-platform'), 'site')
const Showcase = page(() => import('./routes/ux-showcase'), 'property', 'site')
const Description = page(() => import('./routes/property-description-demo'), 'property', 'site')
const Coworking = page(() => import('./routes/coworking'), 'coworking')
const CoworkingDetail = page(() => import('./routes/coworking-detail'), 'coworking')
const Property = page(() => import('./routes/property'), 'property')
const Commercial = page(() => import('./routes/commercial'), 'property')
const CommercialCategory = page(() => import('./routes/commercial-category'), 'property')
const Login = page(() => import('./routes/login'), 'auth')
const AuthReset = page(() => import('./routes/auth-reset'), 'auth')
const AuthCallback = page(() => import('./routes/auth-callback'), 'auth')
const Shortlisted = page(() => import('./routes/shortlisted'), 'property')
const Viewed = page(() => import('./routes/viewed'), 'property')
const Contacted = page(() => import('./routes/contacted'), 'property')
const Owner = page(() => import('./routes/owner'), 'property')
const Messages = placeholder('Messages')
const Viewings = placeholder('Viewings')
const Settings = placeholder('Settings')
const Help = placeholder('Help')
const NotFound = placeholder('NotFound')

/** What only owners need is told apart in a chunk of its own. */
const OWNER = ['edit-listing/:id', 'list-property', 'my-listings', 'dashboard', 'profile']

/** The pages of which a copy is made ahead when the application is built, and what loads them first. */
const AHEAD: ReadonlyArray<readonly [path: string, page: PageOf]> = [
  ['/', Home],
  ['/coworking', Coworking],
  ['/coworking/:slug', CoworkingDetail],
  ['/commercial', Commercial],
  ['/commercial/:slug', CommercialCategory],
  ['/search', Commercial],
  ['/property/:slug', Property],
  ['/auth/login', Login],
  ['/about-us', About],
  ['/contact', Contact],
  ['/privacy-policy', Privacy],
  ['/help', Help],
  ['/compare', Compare],
]

/** Loads the page of an address before it is rendered. */
export const preloadPage = (address: string) =>
  AHEAD.find(([path]) => matchPath(path, address))?.[1].preload() ?? Promise.resolve()

export function Pages() {
  return (
    <Routes>
      <Route element={<Shell />}>
        <Route index element={<Home />} />
        <Route path="about-us" element={<About />} />
        <Route path="contact" element={<Contact />} />
        <Route path="privacy-policy" element={<Privacy />} />
        <Route path="compare" element={<Compare />} />
        <Route path="coworking" element={<Coworking />} />
        <Route path="coworking/:slug" element={<CoworkingDetail />} />
        <Route path="commercial" element={<Commercial />} />
        <Route path="commercial/:slug" element={<CommercialCategory />} />
        <Route path="search" element={<Commercial />} />
        <Route path="property/:slug" element={<Property />} />
        <Route path="auth/login" element={<Login />} />
        <Route path="auth/reset" element={<AuthReset />} />
        <Route path="auth/callback" element={<AuthCallback />} />
        <Route path="help" element={<Help />} />
        <Route path="old-home" element={<OldHome />} />
        <Route path="comprehensive-platform" element={<Platform />} />
        <Route path="ux-showcase" element={<Showcase />} />
        <Route path="property-description-demo" element={<Description />} />
        <Route element={<Protected />}>
          <Route path="contacted-properties" element={<Contacted />} />
          <Route path="shortlisted-properties" element={<Shortlisted />} />
          <Route path="viewed-properties" element={<Viewed />} />
          <Route path="messages" element={<Messages />} />
          <Route path="viewings" element={<Viewings />} />
          <Route path="settings" element={<Settings />} />
          {OWNER.map((path) => (
            <Route key={path} path={path} element={<Owner />} />
          ))}
          <Route element={<AdminOnly />}>
            <Route path="admin" element={<Admin />} />
          </Route>
        </Route>
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  )
}
