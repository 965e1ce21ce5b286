import { OWNERSHIPS } from '../../labels'
import { count, type Kind, type Rule } from './rule'

/** What it costs, and to whom it belongs. */
export const PRICE_FIELDS = {
  expectedPrice: {
    column: 'price',
    step: 'pricing',
    label: 'lfPrice',
    hint: 'lfPriceHint',
    is: { kind: 'amount' },
  },
  priceNegotiable: {
    column: 'price_negotiable',
    step: 'pricing',
    label: 'lfNegotiable',
    is: { kind: 'flag' },
  },
  gstExtra: { column: 'gst_extra', step: 'pricing', label: 'lfGst', is: { kind: 'flag' } },
  maintenance: {
    column: 'maintenance_monthly',
    step: 'pricing',
    label: 'lfMaintenance',
    is: { kind: 'amount' },
  },
  deposit: {
    column: 'security_deposit_months',
    step: 'pricing',
    label: 'teDeposit',
    is: { ...count(36), unit: 'lfMonths' } as Kind,
    intent: 'lease',
  },
  lockIn: {
    column: 'lock_in_months',
    step: 'pricing',
    label: 'teLockIn',
    is: { ...count(120), unit: 'lfMonths' } as Kind,
    intent: 'lease',
  },
  leaseTerm: {
    column: 'lease_term_months',
    step: 'pricing',
    label: 'teTerm',
    is: { ...count(1200, 1), unit: 'lfMonths' } as Kind,
    intent: 'lease',
  },
  escalation: {
    column: 'escalation_pct',
    step: 'pricing',
    label: 'teEscalation',
    is: { kind: 'number', from: 0, to: 30, unit: 'lfPercentYear' },
    intent: 'lease',
  },
  occupied: {
    column: 'occupied',
    step: 'pricing',
    label: 'lfOccupied',
    is: { kind: 'flag' },
    intent: 'sale',
  },
  currentRent: {
    column: 'current_rent',
    step: 'pricing',
    label: 'lfCurrentRent',
    is: { kind: 'amount' },
    intent: 'sale',
  },
  tenantLeaseEnd: {
    column: 'tenant_lease_end',
    step: 'pricing',
    label: 'lfTenantUntil',
    is: { kind: 'date' },
    intent: 'sale',
  },
  ownership: {
    column: 'ownership',
    step: 'pricing',
    label: 'lfOwnership',
    is: { kind: 'choice', words: OWNERSHIPS },
    more: true,
  },
  reraNumber: {
    column: 'rera_number',
    step: 'pricing',
    label: 'lfRera',
    hint: 'lfReraHint',
    is: { kind: 'text', most: 40, pattern: /^[A-Za-z0-9/_-]{6,40}$/ },
    more: true,
  },
  reraUrl: {
    column: 'rera_url',
    step: 'pricing',
    label: 'lfReraUrl',
    is: { kind: 'text', most: 2000, pattern: /^https?:\/\// },
    more: true,
  },
} as const satisfies Record<string, Rule>
