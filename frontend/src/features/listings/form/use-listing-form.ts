import { messageFor, reportError } from '@/lib/errors'
import type { FieldErrors } from '@/lib/fields'
import { statusOf } from '@/lib/failure'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { listingKeys } from '../api/keys'
import { createListing, ownListingKey, saveListing, type OwnListing } from './api/listing'
import { dropCopy, keepCopy, NEW, readCopy } from './local-copy'
import { check } from './schema/check'
import { FIELD_NAMES, fieldsOf, ruleOf, type Field } from './schema/fields'
import { fromRow, toRow } from './schema/row'
import type { Step } from './schema/steps'
import { EMPTY, isSame, type Values } from './schema/values'

const SAVE_AFTER = 2000
const RECENT = 10_000
/** Where what is typed has got to. */
export type Saved =
  | { state: 'untouched' | 'waiting' | 'saving' | 'device' }
  | { state: 'saved'; at: number }
  | { state: 'failed'; message: string }

type Options = {
  user: string
  /** Nothing for a listing that is not in the account yet. */
  listing: OwnListing | null
  onCreated: (listing: OwnListing) => void
}

/** The state of the form of one listing: what is typed, what is wrong with it, and where it is kept. */
export function useListingForm({ user, listing, onCreated }: Options) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const key = listing?.id ?? NEW
  const isDraft = !listing || listing.status === 'draft'
  const [first] = useState(() => {
    const stored = listing ? fromRow(listing) : EMPTY
    const copy = readCopy(user, key)
    const newer = copy !== null && (!listing || copy.at > Date.parse(listing.updated_at))
    return {
      stored,
      values: newer ? copy.values : stored,
      // What was typed a moment ago, while the listing got its address, is no surprise.
      restored: newer && Date.now() - copy.at > RECENT && !isSame(copy.values, stored),
    }
  })
  const [values, setValues] = useState(first.values)
  const [stored, setStored] = useState(first.stored)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [saved, setSaved] = useState<Saved>({ state: 'untouched' })
  const [submitting, setSubmitting] = useState(false)
  const dirty = !isSame(values, stored)

  const latest = useRef(values)
  const running = useRef<Promise<boolean> | null>(null)
  const row = useRef(listing)
  const alive = useRef(true)
  useEffect(() => {
    alive.current = true
    return () => {
      alive.current = false
    }
  }, [])

  const change = useCallback(
    (changes: Partial<Values>) => {
      const next = { ...latest.current, ...changes }
      latest.current = next
      keepCopy(user, row.current?.id ?? NEW, next)
      setValues(next)
      // What is being put right is not wrong any more until it is left again.
      setErrors((before) => {
        const left = Object.entries(before).filter(([field]) => !(field in changes))
        return left.length === Object.keys(before).length ? before : Object.fromEntries(left)
      })
      setSaved({ state: 'waiting' })
    },
    [user],
  )

  const blur = useCallback(
    (field: Field) => {
      const wrong = check(latest.current, t, { fields: fieldsOf(ruleOf(field).step) })[field]
      setErrors((before) => {
        const others = Object.fromEntries(Object.entries(before).filter(([name]) => name !== field))
        // Nothing typed is nothing wrong until it is asked for.
        return wrong && latest.current[field].trim() ? { ...others, [field]: wrong } : others
      })
    },
    [t],
  )

  /** Sends a row and remembers what the account holds from now on. */
  const write = useCallback(
    async (extra: { status?: 'pending' } = {}) => {
      const typed = latest.current
      const columns = { ...toRow(typed, t), ...extra }
      const before = row.current
      let next = before ? await saveListing(before.id, columns) : await createListing(user, columns)
      if (!before && extra.status) next = await saveListing(next.id, extra)
      row.current = next
      client.setQueryData(ownListingKey(next.id), next)
      for (const what of ['mine', 'counts'] as const)
        void client.invalidateQueries({ queryKey: [...listingKeys.all, what] })
      if (!before) dropCopy(user, NEW)
      // What could not be stored as it is typed stays on this device.
      if (isSame(latest.current, fromRow(next))) dropCopy(user, next.id)
      else keepCopy(user, next.id, latest.current)
      if (alive.current) setStored(typed)
      if (!before && !extra.status && alive.current) onCreated(next)
      return next
    },
    [client, onCreated, t, user],
  )

  /** Brings a draft to the account; false when it stays on this device for now. */
  const save = useCallback(async (): Promise<boolean> => {
    if (running.current) await running.current
    const work = async () => {
      if (!latest.current.intent || !latest.current.propertyType) return false
      setSaved({ state: 'saving' })
      try {
        await write()
        setSaved({ state: 'saved', at: Date.now() })
        return true
      } catch (error) {
        if (statusOf(error) === undefined || statusOf(error) === 0) setSaved({ state: 'device' })
        else {
          reportError(error, 'listing-draft')
          setSaved({ state: 'failed', message: messageFor(error) })
        }
        return false
      }
    }
    running.current = work().finally(() => {
      running.current = null
    })
    return running.current
  }, [write])

  useEffect(() => {
    if (!isDraft || !dirty || submitting) return
    // A listing begins with the end of the first step, and is kept by itself from then on.
    if (!row.current) return
    const timer = setTimeout(() => void save(), SAVE_AFTER)
    return () => clearTimeout(timer)
  }, [values, dirty, isDraft, save, submitting])
  useEffect(() => {
    if (saved.state !== 'device') return
    const again = () => void save()
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  }, [saved.state, save])

  /** Shows what is wrong with a step, or with all; true when nothing is. */
  const validate = useCallback(
    (step?: Step) => {
      const fields = step ? fieldsOf(step) : FIELD_NAMES
      const found = check(latest.current, t, { fields, submit: !step || !isDraft })
      setErrors((before) => ({
        ...Object.fromEntries(
          Object.entries(before).filter(([field]) => !fields.some((each) => each === field)),
        ),
        ...found,
      }))
      return found
    },
    [isDraft, t],
  )

  /** Stores the changes of a listing that is no draft, or sends a listing to be looked at. */
  const finish = useCallback(
    async (submit: boolean) => {
      setSubmitting(true)
      try {
        if (running.current) await running.current
        const next = await write(submit ? { status: 'pending' } : {})
        dropCopy(user, next.id)
        setSaved({ state: 'saved', at: Date.now() })
        return next
      } finally {
        setSubmitting(false)
      }
    },
    [user, write],
  )

  const reset = useCallback(() => {
    dropCopy(user, row.current?.id ?? NEW)
    latest.current = stored
    setValues(stored)
    setErrors({})
    setSaved({ state: 'untouched' })
  }, [stored, user])

  return useMemo(
    () => ({
      values,
      stored,
      errors,
      saved,
      dirty,
      isDraft,
      submitting,
      restored: first.restored,
      change,
      blur,
      save,
      validate,
      finish,
      reset,
    }),
    [
      values,
      stored,
      errors,
      saved,
      dirty,
      isDraft,
      submitting,
      first,
      change,
      blur,
      save,
      validate,
      finish,
      reset,
    ],
  )
}
export type ListingForm = ReturnType<typeof useListingForm>
