import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Button, buttonClass } from '@/components/ui/button';
import { Page } from '@/components/ui/page';
import { useStore } from '@/lib/store';

const go = (to: string, label: string) => (
  <Link to={to} className={`${buttonClass({ variant: 'outline' })} mr-3 mb-3`}>
    {label}
  </Link>
);
function Soon({
  title,
  heading,
  children,
}: {
  title: string;
  heading: string;
  children: ReactNode;
}) {
  return (
    <Page title={title}>
      <h2 className="text-xl font-bold">{heading}</h2>
      {children}
      <div>{go('/dashboard', 'Back to Dashboard')}</div>
    </Page>
  );
}
const reach = (
  <p>
    Phone{' '}
    <a className="underline" href="tel:+919000000000">
      +91 90000 00000
    </a>
    , e-mail{' '}
    <a className="underline" href="mailto:info@nilam.example">
      info@nilam.example
    </a>
    .
  </p>
);

export const About = () => (
  <Page title="About us">
    <p>
      Nilam is a marketplace for commercial property and co-working spaces in India, run from Erode,
      Tamil Nadu.
    </p>
    <p>Listing a property is free, and owners hear from verified buyers.</p>
    {go('/coworking', 'See co-working spaces')}
  </Page>
);
export const Contact = () => (
  <Page title="Contact">
    <p>Erode, Tamil Nadu, India. Monday to Saturday, 9:30 to 18:30.</p>
    {reach}
  </Page>
);
export const Privacy = () => (
  <Page title="Privacy Policy">
    <p>
      We keep your name, e-mail address and phone number to sign you in. Your session and your
      choices are kept in your browser.
    </p>
    <p>
      No analytics run unless the operator sets them up. A co-working page with a map loads it from
      the map's provider.
    </p>
    {reach}
  </Page>
);
export const Messages = () => (
  <Soon title="Messages" heading="Messages Feature Coming Soon">
    <p>Direct messaging with owners, real-time notifications, message history and attachments.</p>
  </Soon>
);
export const Viewings = () => (
  <Soon title="Property Viewings" heading="Viewing Scheduler Coming Soon">
    <p>Plan visits to properties with their owners.</p>
  </Soon>
);
export const Settings = () => (
  <Soon title="Settings" heading="Advanced Settings Coming Soon">
    {go('/profile', 'Go to Profile Settings')}
  </Soon>
);
export const Help = () => (
  <Soon title="Help & Support" heading="How to reach us">
    <p>FAQ and guides coming soon. Live chat coming soon.</p>
    {reach}
    <h2 className="text-xl font-bold">Quick actions</h2>
    {go('/contact', 'Contact Us')}
    {go('/about-us', 'About')}
    {go('/privacy-policy', 'Privacy Policy')}
  </Soon>
);
export const NotYet = () => (
  <Page title="Not available yet">
    <p>This part of Nilam is not built yet. Co-working spaces are open to browse.</p>
    {go('/coworking', 'See co-working spaces')}
  </Page>
);
export const NotFound = () => (
  <Page title="Page not found">
    <p>There is nothing at this address.</p>
    {go('/', 'Go to Homepage')}
    {go('/coworking', 'Search co-working spaces')}
  </Page>
);
export function Account({ title, onLogout }: { title: string; onLogout: () => void }) {
  const user = useStore((s) => s.user);
  return (
    <Page title={title}>
      <dl className="grid max-w-md grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        <dt className="text-muted">Name</dt>
        <dd>{user?.name || '—'}</dd>
        <dt className="text-muted">Email</dt>
        <dd>{user?.email || '—'}</dd>
        <dt className="text-muted">Phone</dt>
        <dd>{user?.phone || '—'}</dd>
      </dl>
      {go('/coworking', 'See co-working spaces')}
      <Button variant="outline" onClick={onLogout}>
        Sign out
      </Button>
    </Page>
  );
}
