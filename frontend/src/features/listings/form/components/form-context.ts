import { createContext, useContext } from 'react'
import type { OwnListing } from '../api/listing'
import type { ListingForm } from '../use-listing-form'

export type FormScope = { form: ListingForm; listing: OwnListing | null; user: string }
export const FormContext = createContext<FormScope | null>(null)

/** The form that a control belongs to. */
export function useForm() {
  const scope = useContext(FormContext)
  if (!scope) throw new Error('a control of the listing form outside the form')
  return scope
}
