import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { inputClass } from '@/components/ui/field';
import { Loading } from '@/components/ui/loading';
import { PageTitle } from '@/components/ui/page';
import { report } from '@/lib/errors';
import { spacesOptions } from '../api/list-spaces';
import { AMENITIES, amenitiesOf, OFFERINGS, openNow, type SpaceView } from '../lib/model';
import { SpaceCard } from './space-card';

function matches(space: SpaceView, params: URLSearchParams) {
  const text = (params.get('q') ?? '').trim().toLowerCase();
  const type = params.get('type');
  const amenity = params.get('amenity');
  const max = Number(params.get('max')) || 0;
  const price = space.min_price ?? space.minPrice;
  return (
    (!text ||
      [space.name, space.city, space.locality].some((s) => s.toLowerCase().includes(text))) &&
    (!type || space.offerings.some((o) => o.offering_type === type)) &&
    (!amenity || amenitiesOf(space).includes(amenity)) &&
    (!max || (price !== null && price <= max)) &&
    (params.get('open') !== '1' || openNow(space))
  );
}

export function SpaceList() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const city = params.get('city') ?? '';
  const query = useQuery(spacesOptions(city));
  // The dropdown keeps every city seen, or choosing one would leave no way to another.
  const [cities, setCities] = useState<string[]>(city ? [city] : []);
  useEffect(() => {
    if (query.data)
      setCities((was) => [...new Set([...was, ...query.data.map((s) => s.city)])].sort());
  }, [query.data]);
  useEffect(() => {
    if (query.error) report(query.error, 'coworking list');
  }, [query.error]);

  const set = (name: string, value: string) =>
    setParams(
      (was) => {
        const next = new URLSearchParams(was);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: name === 'q' },
    );
  const shown = (query.data ?? []).filter((space) => matches(space, params));
  const q = params.get('q') ?? '';
  const active = ['q', 'city', 'type', 'amenity', 'max', 'open'].some((name) => params.get(name));
  const select = (name: string, label: string, first: string, options: [string, string][]) => (
    <select
      aria-label={label}
      className={inputClass}
      value={params.get(name) ?? ''}
      onChange={(event) => set(name, event.target.value)}
    >
      <option value="">{t(first)}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );

  return (
    <div className="mx-auto max-w-7xl px-4 pt-28 pb-16">
      <PageTitle>{t('Find Your Perfect Co-working Space')}</PageTitle>
      <search className="mt-6 grid gap-3 rounded-2xl border border-line bg-surface p-4 sm:grid-cols-2 lg:grid-cols-6">
        <input
          type="search"
          aria-label="Search by name, city or locality"
          placeholder="Search by name, city or locality"
          className={`${inputClass} lg:col-span-2`}
          value={q}
          onChange={(event) => set('q', event.target.value)}
        />
        {select(
          'city',
          'City',
          'All Cities',
          cities.map((name) => [name, name]),
        )}
        {select('type', 'Space type', 'Any space', Object.entries(OFFERINGS))}
        {select('amenity', 'Amenity', 'Any amenity', Object.entries(AMENITIES))}
        {select('max', 'Highest starting price', 'Any price', [
          ['500', 'Up to ₹500'],
          ['1000', 'Up to ₹1,000'],
          ['5000', 'Up to ₹5,000'],
          ['10000', 'Up to ₹10k'],
        ])}
        <label className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            className="size-5"
            checked={params.get('open') === '1'}
            onChange={(event) => set('open', event.target.checked ? '1' : '')}
          />
          {t('Open now')}
        </label>
      </search>
      {query.isPending ? (
        <Loading text="Loading co-working spaces..." />
      ) : (
        <>
          <h2 className="my-6 font-semibold" aria-live="polite" data-testid="space-count">
            {shown.length === 1
              ? '1 Co-working Space Found'
              : `${shown.length} Co-working Spaces Found`}
            <span className="font-normal text-muted">
              {q && ` for "${q}"`}
              {city && ` in ${city}`}
            </span>
          </h2>
          {shown.length === 0 && (
            <div className="py-12 text-center">
              <h3 className="text-xl font-bold">No co-working spaces found</h3>
              <p className="my-3 text-muted">
                {active
                  ? 'Try adjusting your search criteria'
                  : 'No co-working spaces available at the moment'}
              </p>
              {query.isError && <Button onClick={() => void query.refetch()}>Try again</Button>}{' '}
              {active && (
                <Button variant="outline" onClick={() => setParams({})}>
                  {t('Clear Filters')}
                </Button>
              )}
            </div>
          )}
          <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
            {shown.map((space, index) => (
              <SpaceCard key={space.id} space={space} eager={index < 3} />
            ))}
          </div>
        </>
      )}
    </div>
  );
}
