import { describe, expect, it } from 'vitest'
import { date, efficiency, grossYield, instalment, leaseCost, rate, shortPrice, squareMetres } from './money'

describe('prices of properties', () => {
  it.each([
    [45_000, '₹45,000'],
    [99_999, '₹99,999'],
    [100_000, '₹1 Lakh'],
    [4_550_000, '₹45.5 Lakh'],
    [9_999_999, '₹1 Cr'],
    [12_500_000, '₹1.25 Cr'],
    [12_345_678_900, '₹1,234.57 Cr'],
  ])('%d reads %s', (value, text) => expect(shortPrice(value)).toBe(text))

  it('adds maintenance and tax to the rent, and the deposit once', () => {
    const lease = {
      intent: 'lease' as const,
      price: 100_000,
      maintenance_monthly: 10_000,
      security_deposit_months: 6,
      gst_extra: true,
    }
    expect(leaseCost(lease)).toEqual({
      rent: 100_000,
      maintenance: 10_000,
      tax: 19_800,
      total: 129_800,
      deposit: 600_000,
    })
    expect(leaseCost({ ...lease, gst_extra: false, maintenance_monthly: null })?.total).toBe(100_000)
    expect(leaseCost({ ...lease, intent: 'sale' })).toBeNull()
    expect(leaseCost({ ...lease, price: null })).toBeNull()
  })

  it('pays a loan back in equal parts', () => {
    expect(Math.round(instalment(1_000_000, 12, 1))).toBe(88_849)
    expect(instalment(120_000, 0, 10)).toBe(1000)
    expect(instalment(0, 9, 10)).toBe(0)
  })

  it('knows yield and efficiency', () => {
    expect(grossYield(50_000, 10_000_000)).toBe(6)
    expect(efficiency({ carpet_area: 800, built_up_area: 1000, plot_area: null })).toBe(80)
    expect(efficiency({ carpet_area: null, built_up_area: 1000, plot_area: null })).toBeNull()
  })
})

it('reads dates and areas the same everywhere', () => {
  expect(date('2026-09-12T22:00:00Z')).toBe('13 Sep 2026')
  expect(squareMetres(1000)).toBe('93')
  expect([rate(150.3), rate(18_836.21), rate(90)]).toEqual(['₹150.30', '₹18,836', '₹90'])
})
