import { useSearchParams } from 'react-router-dom'
import { useHydrating } from './hydrating'

const NONE = new URLSearchParams()

/** The filters in the address. A page that was made ahead was made without any, so its first look has none either. */
export function usePageParams() {
  const [params, setParams] = useSearchParams()
  return [useHydrating() ? NONE : params, setParams] as const
}
