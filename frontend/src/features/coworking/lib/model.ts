import type { Database, Json } from '@/types/database';

type Tables = Database['public']['Tables'];
export type Space = Tables['coworking_space']['Row'];
export type Offering = Pick<
  Tables['coworking_offering_type']['Row'],
  'id' | 'offering_type' | 'price_from' | 'capacity'
> & { description?: string | null };
export type SpaceImage = Pick<Tables['coworking_space_images']['Row'], 'id' | 'url' | 'order'>;
export interface SpaceView extends Space {
  offerings: Offering[];
  images: SpaceImage[];
  mainImage: string;
  point: { lat: number; lng: number } | null;
  minPrice: number | null;
}

export const AMENITIES: Record<string, string> = {
  wifi: 'WiFi',
  parking: 'Parking',
  cafeteria: 'Cafeteria/Pantry',
  meeting_rooms: 'Meeting Rooms',
  printer: 'Printer/Scanner',
  reception: 'Reception',
  security: '24/7 Security',
  air_conditioning: 'Air Conditioning',
  power_backup: 'Power Backup',
  locker: 'Lockers',
  cleaning_service: 'Cleaning Service',
  phone_booth: 'Phone Booths',
};
export const OFFERINGS: Record<string, string> = {
  day_pass: 'Day Pass',
  meeting_room: 'Meeting Room',
  dedicated_desk: 'Dedicated Desk',
  private_office: 'Private Office',
  virtual_office: 'Virtual Office',
};
export const DAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export const PLACEHOLDER = '/coworking-placeholder.svg';

function readPoint(value: Json | null): SpaceView['point'] {
  let held: unknown = value;
  if (typeof held === 'string') {
    try {
      held = JSON.parse(held);
    } catch {
      return null;
    }
  }
  if (!held || typeof held !== 'object') return null;
  const { lat, lng, latitude, longitude } = held as Record<string, unknown>;
  const point = { lat: Number(lat ?? latitude ?? NaN), lng: Number(lng ?? longitude ?? NaN) };
  return Number.isFinite(point.lat) && Number.isFinite(point.lng) ? point : null;
}

export function toView(space: Space, offerings: Offering[], images: SpaceImage[]): SpaceView {
  const sorted = [...images].sort((a, b) => a.order - b.order);
  const prices = offerings.map((o) => o.price_from).filter((p) => p !== null);
  return {
    ...space,
    offerings,
    images: sorted,
    mainImage: sorted[0]?.url ?? space.image_url ?? PLACEHOLDER,
    point: readPoint(space.coordinates),
    minPrice: prices.length ? Math.min(...prices) : null,
  };
}
export const amenitiesOf = (space: Space) =>
  Object.keys(AMENITIES).filter(
    (key) => (space.amenities as Record<string, unknown> | null)?.[key] === true,
  );
export const hoursOf = (space: Space, day: string) =>
  (space.opening_hours as Record<string, string> | null)?.[day] || 'Closed';

const full = (n: number) => `₹${new Intl.NumberFormat('en-IN').format(n)}`;
const thousands = (n: number) => `₹${(n / 1000).toFixed(1).replace(/\.0$/, '')}k`;
export const cardPrice = (n: number) => (n >= 10_000 ? thousands(n) : full(n));
export const detailPrice = (n: number) =>
  n >= 100_000 ? `₹${(n / 100_000).toFixed(2)} Lakh` : n >= 1000 ? thousands(n) : full(n);

export function priceLine(space: SpaceView, format = cardPrice): string {
  const min = space.min_price ?? space.minPrice;
  if (min === null) return 'Price on request';
  return space.max_price !== null && space.max_price > min
    ? `${format(min)} - ${format(space.max_price)}`
    : `From ${format(min)}`;
}
export const capacity = (o: Offering) =>
  o.capacity === null
    ? ''
    : `${o.capacity} ${o.offering_type === 'meeting_room' ? 'people' : 'seats'}`;

function minutes(text: string): number | null {
  const m = /(\d{1,2})(?::(\d{2}))?\s*(am|pm)?/i.exec(text);
  if (!m) return null;
  const half = m[3]?.toLowerCase();
  const hour = half ? (Number(m[1]) % 12) + (half === 'pm' ? 12 : 0) : Number(m[1]);
  return hour * 60 + Number(m[2] ?? 0);
}
/** Whether the doors are open at this moment in India. */
export function openNow(space: Space, now = new Date()): boolean {
  const india = new Date(now.getTime() + 330 * 60_000);
  const text = hoursOf(space, DAYS[(india.getUTCDay() + 6) % 7] ?? 'monday');
  if (/24\s*(hours|\/\s*7|x)/i.test(text)) return true;
  const [from, to] = text.split(/\s*(?:-|–|to)\s*/).map(minutes);
  const at = india.getUTCHours() * 60 + india.getUTCMinutes();
  return from != null && to != null && at >= from && at < to;
}
/** A seeded picture comes in several widths; others have the one they came in. */
export const srcSet = (url: string) =>
  /^\/seed\/.*-\d+\.webp$/.test(url)
    ? [320, 480, 640, 768, 1024, 1280, 1536, 1920]
        .map((w) => `${url.replace(/-\d+\.webp$/, `-${w}.webp`)} ${w}w`)
        .join(', ')
    : undefined;
