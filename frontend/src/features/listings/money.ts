import { once } from '@/lib/once'
import type { Tables } from '@/types/database'

const grouped = once(() => new Intl.NumberFormat('en-IN', { maximumFractionDigits: 2 }))
const whole = once(() => new Intl.NumberFormat('en-IN', { maximumFractionDigits: 0 }))
const round = (value: number) => Math.round(value * 100) / 100

const paise = once(
  () => new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
)
/** Whole rupees without paise, as from a thousand on; anything else with both of their digits. */
export const rate = (value: number) =>
  `₹${Number.isInteger(value) || value >= 1000 ? whole().format(value) : paise().format(value)}`

export const rupees = (value: number) => `₹${whole().format(value)}`

/** Crores and lakhs with at most two decimals; below a lakh the full figure. */
export function shortPrice(value: number) {
  // Rounded before it is compared: 99,99,999 is a crore and not a hundred lakh.
  if (round(value / 100_000) >= 100) return `₹${grouped().format(round(value / 10_000_000))} Cr`
  if (value >= 100_000) return `₹${grouped().format(round(value / 100_000))} Lakh`
  return rupees(value)
}

const SQ_FT_IN_SQ_M = 0.09290304
export const number = (value: number) => grouped().format(value)
export const squareMetres = (squareFeet: number) => whole().format(squareFeet * SQ_FT_IN_SQ_M)

type Sized = Pick<Tables<'properties'>, 'carpet_area' | 'built_up_area' | 'plot_area'>
/** The area that prices per square foot are about. */
export const mainArea = (property: Sized) =>
  property.carpet_area ?? property.built_up_area ?? property.plot_area

/** The usable share of what is paid for, in whole per cent. */
export function efficiency({ carpet_area: carpet, built_up_area: builtUp }: Sized) {
  return carpet && builtUp ? Math.round((carpet / builtUp) * 100) : null
}

const GST = 0.18
type Rented = Pick<
  Tables<'properties'>,
  'intent' | 'price' | 'maintenance_monthly' | 'security_deposit_months' | 'gst_extra'
>
/** What a lease costs each month with everything, and what is paid once before it. */
export function leaseCost(property: Rented) {
  if (property.intent !== 'lease' || property.price === null) return null
  const rent = property.price
  const maintenance = property.maintenance_monthly ?? 0
  const tax = property.gst_extra ? (rent + maintenance) * GST : 0
  const deposit = property.security_deposit_months ? rent * property.security_deposit_months : null
  return { rent, maintenance, tax, total: rent + maintenance + tax, deposit }
}

/** The monthly instalment of a loan that is paid back in equal parts. */
export function instalment(loan: number, yearlyPercent: number, years: number) {
  const months = years * 12
  if (loan <= 0 || months <= 0) return 0
  const rate = yearlyPercent / 1200
  return rate === 0 ? loan / months : (loan * rate) / (1 - (1 + rate) ** -months)
}

/** What a year's rent is of the price, in per cent with one decimal. */
export const grossYield = (monthlyRent: number, price: number) =>
  Math.round(((monthlyRent * 12) / price) * 1000) / 10

const DATE = once(
  () =>
    new Intl.DateTimeFormat('en-US', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'Asia/Kolkata',
    }),
)
/** `d MMM yyyy`, in India's day. */
export const date = (value: string) => {
  const parts = DATE().formatToParts(new Date(value))
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return `${part('day')} ${part('month')} ${part('year')}`
}
