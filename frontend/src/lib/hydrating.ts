import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** Whether this is the first look at a page that was made ahead: it has to be rendered as it was made, for nobody and without filters. */
export const useHydrating = () =>
  useSyncExternalStore(
    never,
    () => false,
    () => true,
  )
