import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { BrowserRouter, Outlet, Route, Routes, useLocation } from 'react-router-dom';
import { Toaster } from 'sonner';
import { Footer } from '@/components/layouts/footer';
import { Header } from '@/components/layouts/header';
import { Loading } from '@/components/ui/loading';
import { signOut } from '@/features/auth/api/auth';
import { notify } from '@/lib/notify';
import { queryClient } from '@/lib/query-client';
import { useStore } from '@/lib/store';
import { ErrorScreen } from './error-screen';
import { AdminOnly, Protected } from './guards';

const Home = lazy(() => import('./routes/home'));
const Spaces = lazy(() => import('./routes/coworking'));
const Space = lazy(() => import('./routes/space'));
const Login = lazy(() => import('./routes/login'));
const Reset = lazy(() => import('./routes/reset'));
const text = () => import('./routes/text-pages');
const About = lazy(() => text().then((m) => ({ default: m.About })));
const Contact = lazy(() => text().then((m) => ({ default: m.Contact })));
const Privacy = lazy(() => text().then((m) => ({ default: m.Privacy })));
const Messages = lazy(() => text().then((m) => ({ default: m.Messages })));
const Viewings = lazy(() => text().then((m) => ({ default: m.Viewings })));
const Settings = lazy(() => text().then((m) => ({ default: m.Settings })));
const Help = lazy(() => text().then((m) => ({ default: m.Help })));
const NotYet = lazy(() => text().then((m) => ({ default: m.NotYet })));
const NotFound = lazy(() => text().then((m) => ({ default: m.NotFound })));
const Account = lazy(() => text().then((m) => ({ default: m.Account })));

const LATER = [
  '/old-home',
  '/commercial',
  '/commercial/:slug',
  '/ux-showcase',
  '/comprehensive-platform',
  '/property/:slug',
  '/search',
  '/compare',
  '/property-description-demo',
];
const LATER_GUARDED = [
  '/contacted-properties',
  '/shortlisted-properties',
  '/edit-listing/:id',
  '/list-property',
  '/viewed-properties',
  '/my-listings',
];

const leave = () => {
  signOut().then(() => notify.success('Logged out successfully'), notify.failure);
};

declare global {
  interface Window {
    dataLayer?: unknown[];
  }
}

function Shell() {
  const { pathname, search } = useLocation();
  useEffect(() => {
    (window.dataLayer ??= []).push({ event: 'page_view', path: pathname + search });
  }, [pathname, search]);
  useEffect(() => window.scrollTo(0, 0), [pathname]);
  return (
    <>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-surface focus:p-3"
      >
        Skip to content
      </a>
      <Header onLogout={leave} />
      <main id="main" className="min-h-[80vh]">
        <Suspense
          fallback={
            <div className="pt-24">
              <Loading />
            </div>
          }
        >
          <Outlet />
        </Suspense>
      </main>
      <Footer />
    </>
  );
}

export function App() {
  const theme = useStore((s) => s.theme);
  useEffect(() => {
    const off = () => notify.warning('You are offline. Some features may not work.');
    const on = () => notify.info('You are back online.');
    window.addEventListener('offline', off);
    window.addEventListener('online', on);
    return () => {
      window.removeEventListener('offline', off);
      window.removeEventListener('online', on);
    };
  }, []);
  return (
    <ErrorScreen>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <Routes>
            <Route element={<Shell />}>
              <Route index element={<Home />} />
              <Route path="/coworking" element={<Spaces />} />
              <Route path="/coworking/:slug" element={<Space />} />
              <Route path="/about-us" element={<About />} />
              <Route path="/contact" element={<Contact />} />
              <Route path="/privacy-policy" element={<Privacy />} />
              <Route path="/help" element={<Help />} />
              <Route path="/auth/login" element={<Login />} />
              <Route path="/auth/callback" element={<Login />} />
              <Route path="/auth/reset" element={<Reset />} />
              {LATER.map((path) => (
                <Route key={path} path={path} element={<NotYet />} />
              ))}
              <Route element={<Protected />}>
                <Route path="/messages" element={<Messages />} />
                <Route path="/viewings" element={<Viewings />} />
                <Route path="/settings" element={<Settings />} />
                <Route path="/profile" element={<Account title="Profile" onLogout={leave} />} />
                <Route path="/dashboard" element={<Account title="Dashboard" onLogout={leave} />} />
                {LATER_GUARDED.map((path) => (
                  <Route key={path} path={path} element={<NotYet />} />
                ))}
                <Route element={<AdminOnly />}>
                  <Route path="/admin" element={<NotYet />} />
                </Route>
              </Route>
              <Route path="*" element={<NotFound />} />
            </Route>
          </Routes>
        </BrowserRouter>
        <Toaster
          position="top-right"
          visibleToasts={1}
          hotkey={['altKey', 'KeyT']}
          containerAriaLabel="Notifications"
          theme={theme}
          richColors
        />
      </QueryClientProvider>
    </ErrorScreen>
  );
}
