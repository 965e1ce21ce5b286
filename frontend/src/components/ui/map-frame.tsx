import { buttonVariants } from '@/components/ui/button'
import { mapEmbedTemplate } from '@/config/env'
import { useTranslation } from '@/i18n/use-translation'

export function MapFrame({ name, point }: { name: string; point: { lat: number; lng: number } }) {
  const { t } = useTranslation()
  const fill = (template: string) =>
    template.replaceAll('{lat}', String(point.lat)).replaceAll('{lng}', String(point.lng))
  return (
    <div data-slot="map-frame" className="print:hidden">
      <iframe
        title={t('cwMapOf', { name })}
        src={fill(mapEmbedTemplate)}
        loading="lazy"
        referrerPolicy="no-referrer-when-downgrade"
        className="mt-4 h-80 w-full rounded-2xl border border-slate-300 bg-slate-100"
      />
      <a
        href={fill('https://maps.google.com/maps?q={lat},{lng}&z=15')}
        target="_blank"
        rel="noopener noreferrer"
        className={buttonVariants({ variant: 'link', className: 'px-0!' })}
      >
        {t('cwOpenMaps')}
      </a>
    </div>
  )
}
