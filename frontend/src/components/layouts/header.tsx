import { Menu, Moon, Sun, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, NavLink, useLocation, useNavigate } from 'react-router-dom';
import { Button, buttonClass } from '@/components/ui/button';
import { cn } from '@/lib/cn';
import { LANGUAGES, setLanguage, type Language } from '@/lib/i18n';
import { useStore } from '@/lib/store';
import { toggleTheme } from '@/lib/theme';

// In the prescribed order; an entry joins once its page exists.
const ACCOUNT = [
  { to: '/profile', label: 'Profile' },
  { to: '/dashboard', label: 'Dashboard' },
];
const item = 'block w-full rounded-md px-3 py-2.5 text-left hover:bg-brand-soft';

function Languages() {
  const { i18n } = useTranslation();
  return (
    <select
      aria-label="Language"
      className="h-11 rounded-lg border border-line bg-surface px-2 text-sm text-ink"
      value={i18n.language}
      onChange={(event) => void setLanguage(event.target.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}

function AccountItems({ onLogout, close }: { onLogout: () => void; close: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      {ACCOUNT.map(({ to, label }) => (
        <Link key={to} to={to} className={item} onClick={close}>
          {t(label)}
        </Link>
      ))}
      <button type="button" className={item} onClick={onLogout}>
        {t('Logout')}
      </button>
    </>
  );
}

export function Header({ onLogout }: { onLogout: () => void }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [scrolled, setScrolled] = useState(false);
  const [open, setOpen] = useState<'none' | 'account' | 'mobile'>('none');
  const account = useRef<HTMLDivElement>(null);
  const { isAuthenticated, user, theme } = useStore();
  const close = () => setOpen('none');
  const leave = () => {
    close();
    onLogout();
  };

  useEffect(() => {
    const look = () => setScrolled(window.scrollY > 0);
    const key = (event: KeyboardEvent) => event.key === 'Escape' && setOpen('none');
    const click = (event: MouseEvent) =>
      !account.current?.contains(event.target as Node) &&
      setOpen((was) => (was === 'account' ? 'none' : was));
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('keydown', key);
    window.addEventListener('click', click);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('keydown', key);
      window.removeEventListener('click', click);
    };
  }, []);

  const nav = (
    <NavLink to="/coworking" className={item} onClick={close}>
      {t('Co-working')}
    </NavLink>
  );
  const list = (
    <Button
      size="sm"
      onClick={() => {
        close();
        void navigate(isAuthenticated ? '/list-property' : '/auth/login', {
          state: { from: '/list-property' },
        });
      }}
    >
      {t('List Your Property')}
    </Button>
  );
  return (
    <header
      data-testid="header"
      className={cn(
        'fixed inset-x-0 top-0 z-40 border-b transition-colors',
        scrolled || open === 'mobile' ? 'border-line bg-surface' : 'border-transparent',
      )}
    >
      <div className="mx-auto flex h-16 max-w-7xl items-center gap-2 px-4">
        <Link
          to="/"
          className="flex items-center gap-2 text-xl font-extrabold"
          onClick={() => pathname === '/' && window.scrollTo({ top: 0, behavior: 'smooth' })}
        >
          <img src="/logo.svg" alt="" width={36} height={36} />
          Nilam
        </Link>
        <nav aria-label="Main" className="ml-6 hidden md:block">
          {nav}
        </nav>
        <div className="ml-auto hidden items-center gap-2 md:flex">
          <Languages />
        </div>
        <Button
          variant="ghost"
          size="icon"
          className="ml-auto md:ml-0"
          aria-label={theme === 'dark' ? 'Use light theme' : 'Use dark theme'}
          onClick={toggleTheme}
        >
          {theme === 'dark' ? <Sun size={20} /> : <Moon size={20} />}
        </Button>
        <div className="hidden items-center gap-2 md:flex">
          {list}
          {isAuthenticated ? (
            <div ref={account} className="relative">
              <Button
                variant="ghost"
                size="icon"
                aria-label="Account menu"
                aria-expanded={open === 'account'}
                data-testid="account-menu"
                onClick={() => setOpen(open === 'account' ? 'none' : 'account')}
              >
                <img
                  src="/avatar.svg"
                  alt=""
                  width={36}
                  height={36}
                  className="rounded-full"
                  title={user?.name}
                />
              </Button>
              {open === 'account' && (
                <div className="absolute right-0 w-52 rounded-xl border border-line bg-surface p-2 shadow-xl">
                  <AccountItems onLogout={leave} close={close} />
                </div>
              )}
            </div>
          ) : (
            <Link to="/auth/login" className={buttonClass({ variant: 'outline', size: 'sm' })}>
              {t('Login')}
            </Link>
          )}
        </div>
        <Button
          variant="ghost"
          size="icon"
          className="md:hidden"
          aria-label="Menu"
          aria-expanded={open === 'mobile'}
          onClick={() => setOpen(open === 'mobile' ? 'none' : 'mobile')}
        >
          {open === 'mobile' ? <X /> : <Menu />}
        </Button>
      </div>
      {open === 'mobile' && (
        <nav aria-label="Mobile" className="space-y-1 border-t border-line p-4 md:hidden">
          {nav}
          {isAuthenticated ? (
            <AccountItems onLogout={leave} close={close} />
          ) : (
            <Link to="/auth/login" className={item} onClick={close}>
              {t('Login')}
            </Link>
          )}
          <div className="flex gap-2 pt-2">
            {list}
            <Languages />
          </div>
        </nav>
      )}
    </header>
  );
}
