import { Mail, MapPin, Phone } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

const TYPES = ['ftOffice', 'ftRetail', 'ftIndustrial', 'ftWarehouses', 'ftMixed'] as const
const SOCIAL = [
  ['Facebook', 'https://www.facebook.com/'],
  ['X', 'https://x.com/'],
  ['Instagram', 'https://www.instagram.com/'],
  ['LinkedIn', 'https://www.linkedin.com/'],
] as const
const link = 'inline-block py-1 text-slate-300 hover:text-white hover:underline'

export function Footer() {
  const { t } = useTranslation()
  const quick = [
    ['/', 'home'],
    ['/commercial', 'listings'],
    ['/about-us', 'about'],
    ['/contact', 'contact'],
    ['/privacy-policy', 'privacy'],
  ] as const
  return (
    <footer data-slot="footer" className="bg-slate-900 text-slate-300">
      <div className="mx-auto grid max-w-7xl grid-cols-2 gap-x-6 gap-y-10 px-4 py-12 sm:px-6 lg:grid-cols-4">
        <div className="max-sm:col-span-2">
          <p className="text-xl font-bold text-white">Nilam</p>
          <p className="mt-2">{t('tagline')}</p>
          <ul className="mt-4 flex flex-wrap gap-x-3">
            {SOCIAL.map(([name, url]) => (
              <li key={name}>
                <a href={url} target="_blank" rel="noopener noreferrer" className={link}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </div>
        <nav aria-label={t('quickLinks')}>
          <h2 className="font-semibold text-white">{t('quickLinks')}</h2>
          <ul className="mt-3">
            {quick.map(([to, key]) => (
              <li key={to}>
                <Link to={to} className={link}>
                  {t(key)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          <h2 className="font-semibold text-white">{t('propertyTypes')}</h2>
          <ul className="mt-3">
            {TYPES.map((name) => (
              <li key={name} className="py-1">
                {t(name)}
              </li>
            ))}
          </ul>
        </div>
        <address className="not-italic max-sm:col-span-2">
          <h2 className="font-semibold text-white">{t('contact')}</h2>
          <p className="mt-3 flex gap-2 py-1">
            <MapPin aria-hidden className="size-5 shrink-0" /> Bagalur Road, Hosur, Tamil Nadu 635109
          </p>
          <a href="tel:+914344000000" className={`${link} flex! gap-2`}>
            <Phone aria-hidden className="size-5" /> +91 4344 000 000
          </a>
          <a href="mailto:info@nilam.example" className={`${link} flex! gap-2`}>
            <Mail aria-hidden className="size-5" /> info@nilam.example
          </a>
        </address>
      </div>
      <div className="border-t border-slate-700">
        <div className="mx-auto flex max-w-7xl flex-wrap gap-x-6 gap-y-1 px-4 py-4 text-sm sm:px-6">
          {/* A page that was made ahead keeps the year in which it was. */}
          <p suppressHydrationWarning className="py-1 sm:mr-auto">
            © {new Date().getFullYear()} Nilam
          </p>
          {(['ftTerms', 'privacy', 'ftCookies'] as const).map((name) => (
            <button key={name} type="button" className="py-1">
              {t(name)}
            </button>
          ))}
        </div>
      </div>
    </footer>
  )
}
