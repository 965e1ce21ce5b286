/** The steps of the form, in order, with the keys of their names. */
export const STEPS = {
  kind: 'lfStepKind',
  place: 'lfStepPlace',
  details: 'lfStepDetails',
  pricing: 'lfStepPricing',
  photos: 'lfStepPhotos',
  review: 'lfStepReview',
} as const
export type Step = keyof typeof STEPS
export const STEP_NAMES = Object.keys(STEPS) as Step[]
export const isStep = (value: string | null): value is Step => value !== null && Object.hasOwn(STEPS, value)
