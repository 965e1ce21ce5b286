import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { Button, buttonClass } from '@/components/ui/button';
import { inputClass } from '@/components/ui/field';
import { card, PageTitle } from '@/components/ui/page';
import { spacesOptions } from '@/features/coworking/api/list-spaces';
import { SpaceCard } from '@/features/coworking/components/space-card';
import { OFFERINGS } from '@/features/coworking/lib/model';

const STEPS = [
  ['Search', 'Name a city, a locality or a space.'],
  ['Compare', 'See prices, amenities and opening hours side by side.'],
  ['Visit', 'Call, write or book on the space’s own site.'],
] as const;

export default function Home() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data } = useQuery(spacesOptions(''));
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const q = String(new FormData(event.currentTarget).get('q')).trim();
    void navigate(q ? `/coworking?q=${encodeURIComponent(q)}` : '/coworking');
  };
  return (
    <>
      <section className="relative overflow-hidden bg-gradient-to-b from-blue-50 to-blue-200 px-4 pt-32 pb-44 dark:from-slate-900 dark:to-blue-950">
        <img
          src="/hero.svg"
          alt=""
          width={1440}
          height={420}
          className="absolute inset-x-0 bottom-0 h-40 w-full object-cover object-bottom"
        />
        <div className="relative mx-auto max-w-3xl text-center">
          <PageTitle className="text-4xl sm:text-5xl">
            {t('The right place for your work, found sooner')}
          </PageTitle>
          <p className="mt-4 text-lg">
            Co-working spaces across India, with real prices and opening hours.
          </p>
          <form
            role="search"
            onSubmit={search}
            className="mt-8 flex gap-2 rounded-2xl bg-surface p-2 shadow-xl"
          >
            <input
              name="q"
              type="search"
              aria-label="City, locality or space"
              placeholder="City, locality or space"
              className={inputClass}
            />
            <Button type="submit">{t('Search')}</Button>
          </form>
        </div>
      </section>
      <div className="mx-auto max-w-7xl space-y-16 px-4 py-14">
        <section>
          <h2 className="mb-5 text-2xl font-bold">What do you need?</h2>
          <div className="grid grid-cols-2 gap-4 lg:grid-cols-5">
            {Object.entries(OFFERINGS).map(([type, label]) => (
              <Link
                key={type}
                to={`/coworking?type=${type}`}
                className={`${card} p-5 font-semibold hover:border-brand`}
              >
                {label}
              </Link>
            ))}
          </div>
        </section>
        {data && data.length > 0 && (
          <section>
            <div className="mb-5 flex items-end justify-between">
              <h2 className="text-2xl font-bold">Featured co-working spaces</h2>
              <Link to="/coworking" className="py-1 text-brand underline">
                See all
              </Link>
            </div>
            <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
              {data.slice(0, 3).map((space) => (
                <SpaceCard key={space.id} space={space} />
              ))}
            </div>
          </section>
        )}
        <section>
          <h2 className="mb-5 text-2xl font-bold">How it works</h2>
          <ol className="grid gap-4 md:grid-cols-3">
            {STEPS.map(([name, line], index) => (
              <li key={name} className={`${card} p-6`}>
                <p className="text-2xl font-bold text-brand">{index + 1}</p>
                <h3 className="font-bold">{name}</h3>
                <p className="text-muted">{line}</p>
              </li>
            ))}
          </ol>
        </section>
        <section
          className={`${card} flex flex-col items-center gap-6 p-8 text-center sm:flex-row sm:text-left`}
        >
          <img src="/free-listing.svg" alt="Free listing" width={120} height={120} loading="lazy" />
          <div>
            <h2 className="text-2xl font-bold">Listing your property is free</h2>
            <p className="my-2 text-muted">
              Owners hear from verified buyers: people whose phone and identity we have checked.
            </p>
            <Link to="/contact" className={buttonClass({ variant: 'secondary' })}>
              Talk to us
            </Link>
          </div>
        </section>
      </div>
    </>
  );
}
