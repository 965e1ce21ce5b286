import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

const LINKS = [
  ['/', 'Home'],
  ['/commercial', 'Listings'],
  ['/about-us', 'About us'],
  ['/contact', 'Contact'],
  ['/privacy-policy', 'Privacy Policy'],
] as const;
const TYPES = [
  'Office Spaces',
  'Retail Spaces',
  'Industrial Properties',
  'Warehouses',
  'Mixed-Use Properties',
];
const SOCIAL = [
  ['Facebook', 'https://www.facebook.com/'],
  ['X', 'https://x.com/'],
  ['LinkedIn', 'https://www.linkedin.com/'],
  ['Instagram', 'https://www.instagram.com/'],
] as const;
const link = 'inline-block py-1 hover:underline';

export function Footer() {
  const { t } = useTranslation();
  return (
    <footer className="border-t border-slate-800 bg-slate-950 text-slate-300">
      <div className="mx-auto grid max-w-7xl gap-8 px-4 py-12 sm:grid-cols-2 lg:grid-cols-4">
        <div>
          <p className="text-xl font-bold text-white">Nilam</p>
          <p className="mt-2">{t('Commercial property, found with confidence.')}</p>
          <p className="mt-4 flex flex-wrap gap-4">
            {SOCIAL.map(([name, href]) => (
              <a key={name} href={href} target="_blank" rel="noopener noreferrer" className={link}>
                {name}
              </a>
            ))}
          </p>
        </div>
        <nav aria-label="Quick links">
          <h2 className="font-semibold text-white">{t('Quick Links')}</h2>
          <ul className="mt-2">
            {LINKS.map(([to, label]) => (
              <li key={to}>
                <Link to={to} className={link}>
                  {t(label)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          <h2 className="font-semibold text-white">{t('Property Types')}</h2>
          <ul className="mt-2">
            {TYPES.map((name) => (
              <li key={name} className="py-1">
                {t(name)}
              </li>
            ))}
          </ul>
        </div>
        <address className="not-italic">
          <h2 className="font-semibold text-white">{t('Contact')}</h2>
          <p className="mt-3">Erode, Tamil Nadu, India</p>
          <a className={link} href="tel:+919000000000">
            +91 90000 00000
          </a>
          <br />
          <a className={link} href="mailto:info@nilam.example">
            info@nilam.example
          </a>
        </address>
      </div>
      <div className="mx-auto flex max-w-7xl flex-wrap gap-6 border-t border-slate-800 px-4 py-6 text-sm">
        {['Terms of Service', 'Privacy Policy', 'Cookie Policy'].map((name) => (
          <button key={name} type="button" className="py-1">
            {t(name)}
          </button>
        ))}
      </div>
    </footer>
  );
}
