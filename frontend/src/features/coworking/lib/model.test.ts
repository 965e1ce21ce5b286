import { expect, test } from 'vitest';
import { cardPrice, detailPrice, openNow, toView, type Space } from './model';

const space = (more: Partial<Space>) =>
  ({ image_url: null, coordinates: null, opening_hours: {}, ...more }) as Space;

test('prices read as people write them', () => {
  expect(cardPrice(9500)).toBe('₹9,500');
  expect(cardPrice(12500)).toBe('₹12.5k');
  expect(cardPrice(12000)).toBe('₹12k');
  expect(detailPrice(125000)).toBe('₹1.25 Lakh');
  expect(detailPrice(1500)).toBe('₹1.5k');
  expect(detailPrice(900)).toBe('₹900');
});
test('every shape of coordinates is read', () => {
  const point = { lat: 11, lng: 77 };
  expect(toView(space({ coordinates: point }), [], []).point).toEqual(point);
  expect(toView(space({ coordinates: { latitude: 11, longitude: 77 } }), [], []).point).toEqual(
    point,
  );
  expect(toView(space({ coordinates: '{"lat":11,"lng":77}' }), [], []).point).toEqual(point);
  expect(toView(space({}), [], []).point).toBeNull();
});
test('opening is judged by the clock in India', () => {
  const held = space({ opening_hours: { monday: '9:00 AM - 6:00 PM' } });
  expect(openNow(held, new Date('2026-01-05T04:00:00Z'))).toBe(true);
  expect(openNow(held, new Date('2026-01-05T13:00:00Z'))).toBe(false);
});
