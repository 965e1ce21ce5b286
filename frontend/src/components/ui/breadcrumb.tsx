import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

/** The way to this page; its last step is the page itself. */
export function Breadcrumb({ steps }: { steps: ReadonlyArray<readonly [name: string, path: string]> }) {
  const { t } = useTranslation()
  return (
    <nav data-slot="breadcrumb" aria-label={t('cwBreadcrumb')} className="text-sm print:hidden">
      <ol className="flex flex-wrap items-center gap-2">
        {steps.map(([name, path], index) => {
          const separator = index > 0 ? "before:mr-2 before:content-['»']" : undefined
          return index === steps.length - 1 ? (
            <li key={path} aria-current="page" className={separator}>
              {name}
            </li>
          ) : (
            <li key={path} className={separator}>
              <Link to={path} className="inline-block py-1 underline">
                {name}
              </Link>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
