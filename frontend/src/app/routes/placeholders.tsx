import { buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { ComingSoon } from '@/features/site/components/coming-soon'
import { Link } from 'react-router-dom'

export const Messages = () => (
  <ComingSoon title="Messages" heading="Messages Feature Coming Soon">
    <p>Direct messaging with owners, real-time notifications, and message history with attachments.</p>
  </ComingSoon>
)
export const Viewings = () => (
  <ComingSoon title="Property Viewings" heading="Viewing Scheduler Coming Soon">
    <p>You will be able to book and manage visits to properties here.</p>
  </ComingSoon>
)
export const Settings = () => (
  <ComingSoon title="Settings" heading="Advanced Settings Coming Soon">
    <Link to="/profile" className={buttonVariants()}>
      Go to Profile Settings
    </Link>
  </ComingSoon>
)
export const Help = () => (
  <ComingSoon title="Help & Support" heading="FAQ and guides coming soon">
    <p>Phone support: +91 4344 000 000 (coming soon)</p>
    <p>
      Email support:{' '}
      <a className="underline" href="mailto:info@nilam.example">
        info@nilam.example
      </a>
    </p>
    <p>Live chat coming soon</p>
    <h3 className="pt-2 font-semibold">Quick actions</h3>
    <div className="flex flex-wrap gap-2">
      {(
        [
          ['/contact', 'Contact Us'],
          ['/about-us', 'About'],
          ['/privacy-policy', 'Privacy Policy'],
        ] as const
      ).map(([to, name]) => (
        <Link key={to} to={to} className={buttonVariants({ variant: 'secondary' })}>
          {name}
        </Link>
      ))}
    </div>
  </ComingSoon>
)
export const NotBuilt = () => (
  <Page title="Not available yet" noindex narrow lead="This page has not been built yet.">
    <Link to="/coworking" className={buttonVariants()}>
      Browse co-working spaces
    </Link>
  </Page>
)
export const NotFound = () => (
  <Page title="Page not found" noindex narrow lead="There is nothing at this address.">
    <div className="flex flex-wrap gap-3">
      <Link to="/" className={buttonVariants()}>
        Go to Homepage
      </Link>
      <Link to="/coworking" className={buttonVariants({ variant: 'outline' })}>
        Search co-working spaces
      </Link>
    </div>
  </Page>
)
