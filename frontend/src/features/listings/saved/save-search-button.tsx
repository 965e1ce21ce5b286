import { Button } from '@/components/ui/button'
import { useAppStore } from '@/stores/app-store'
import { BellPlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { activeFilters, type Filters } from '../filters'

const SaveSearchDialog = lazy(() =>
  import('./save-search').then((module) => ({ default: module.SaveSearchDialog })),
)

/** Offers to keep a search that narrows something, to whoever has an account to keep it in. */
export function SaveSearchButton({ filters }: { filters: Filters }) {
  const { t } = useTranslation()
  const signedIn = useAppStore((state) => state.isAuthenticated)
  const [open, setOpen] = useState(false)
  if (!signedIn || activeFilters(filters).length === 0) return null
  return (
    <>
      <Button variant="link" size="sm" className="mt-2 min-h-11 px-0!" onClick={() => setOpen(true)}>
        <BellPlus aria-hidden className="size-4" /> {t('ssSave')}
      </Button>
      <Suspense>{open && <SaveSearchDialog filters={filters} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
