import { Breadcrumb } from '@/components/ui/breadcrumb'
import { Button } from '@/components/ui/button'
import { Field, TextArea } from '@/components/ui/field'
import { Gallery } from '@/components/ui/gallery'
import { cardClass, Page } from '@/components/ui/page'
import { Section } from '@/components/ui/section'
import { Spinner } from '@/components/ui/spinner'
import { StoredImage } from '@/components/ui/stored-image'
import { Pagination } from '@/features/listings/components/pagination'
import { PLACEHOLDER } from '@/lib/images'
import { notify } from '@/lib/toast'
import { Heart } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'

const VARIANTS = ['default', 'destructive', 'outline', 'secondary', 'ghost', 'link'] as const
const SIZES = ['default', 'sm', 'lg', 'icon'] as const
const LOADERS = ['xs', 'sm', 'md', 'lg', 'xl'] as const
const PICTURES = ['/seed/scene-01-1280.webp', '/hero.svg', PLACEHOLDER]

function Broken(): never {
  throw new Error('showcase')
}

function Toasts() {
  const { t } = useTranslation()
  const kinds = ['success', 'error', 'warning', 'info'] as const
  const load = () => {
    notify.loading(t('uxLoading'))
    setTimeout(() => notify.success(t('uxLoaded')), 1500)
  }
  return (
    <div className="flex flex-wrap gap-3">
      {kinds.map((kind) => (
        <Button key={kind} variant="outline" onClick={() => notify[kind](t('uxToast', { kind }))}>
          {kind}
        </Button>
      ))}
      <Button variant="outline" onClick={load}>
        loading
      </Button>
      <Button
        variant="outline"
        onClick={() =>
          notify.info(t('uxToast', { kind: 'action' }), {
            action: { label: t('prUndo'), onClick: () => notify.success(t('uxLoaded')) },
          })
        }
      >
        action
      </Button>
      <Button variant="outline" onClick={() => notify.typed('network', t('uxToast', { kind: 'network' }))}>
        network
      </Button>
      <Button variant="outline" onClick={() => notify.typed('auth', t('uxToast', { kind: 'auth' }))}>
        auth
      </Button>
      <Button variant="outline" onClick={() => notify.fields({ email: t('uxWrong'), phone: t('uxWrong') })}>
        fields
      </Button>
    </div>
  )
}

/** Every part of the interface in each of its states; what is shown here are the parts themselves. */
export function Component() {
  const { t } = useTranslation()
  const [broken, setBroken] = useState(false)
  const [page, setPage] = useState(2)
  const dialog = useRef<HTMLDialogElement>(null)
  if (broken) return <Broken />
  return (
    <Page title={t('uxTitle')} lead={t('uxLead')} noindex>
      <Section title={t('uxButtons')} id="buttons">
        <div className="space-y-4">
          {VARIANTS.map((variant) => (
            <div key={variant} data-variant={variant} className="flex flex-wrap items-center gap-3">
              <code className="w-28 text-sm">{variant}</code>
              {SIZES.map((size) => (
                <Button
                  key={size}
                  variant={variant}
                  size={size}
                  aria-label={size === 'icon' ? `${variant} icon` : undefined}
                >
                  {size === 'icon' ? <Heart aria-hidden className="size-5" /> : size}
                </Button>
              ))}
              <Button variant={variant} disabled>
                {t('uxDisabled')}
              </Button>
            </div>
          ))}
        </div>
      </Section>
      <Section title={t('uxToasts')} id="toasts">
        <Toasts />
      </Section>
      <Section title={t('uxLoaders')} id="loaders">
        <div className="grid gap-4 sm:grid-cols-3 lg:grid-cols-5">
          {LOADERS.map((size) => (
            <div key={size} className={cardClass}>
              <code className="text-sm">{size}</code>
              <Spinner size={size} />
            </div>
          ))}
        </div>
      </Section>
      <Section title={t('uxInputs')} id="inputs">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('uxPlain')} placeholder="…" />
          <Field label={t('uxFilled')} defaultValue="Coimbatore" />
          <Field label={t('uxInvalid')} defaultValue="…" error={t('uxWrong')} />
          <Field label={t('uxReadOnly')} value="Hosur" readOnly />
          <Field label={t('uxDisabled')} value="—" disabled />
          <TextArea label={t('uxLong')} error={t('uxWrong')} />
        </div>
      </Section>
      <Section title={t('uxImages')} id="images">
        <div className="grid gap-4 sm:grid-cols-3">
          {(
            [
              ['uxImageShown', PICTURES[0]],
              ['uxImageDefault', ''],
              ['uxImageFailed', 'data:image/webp;base64,AA=='],
            ] as const
          ).map(([word, source]) => (
            <figure key={word} className={cardClass}>
              <StoredImage
                source={source ?? ''}
                alt={t(word)}
                width={400}
                height={300}
                loading="lazy"
                className="aspect-4/3 w-full rounded-lg"
              />
              <figcaption className="mt-2 text-sm">{t(word)}</figcaption>
            </figure>
          ))}
        </div>
        <div className="mt-6">
          <Gallery images={PICTURES} name={t('uxImages')} />
        </div>
        <div className="mt-6">
          <Gallery images={[]} name={t('uxImages')} />
        </div>
      </Section>
      <Section title={t('uxWays')} id="ways">
        <Breadcrumb
          steps={[
            [t('home'), '/'],
            [t('uxTitle'), '/ux-showcase'],
          ]}
        />
        <Pagination page={page} pages={9} to={() => '#ways'} onGo={() => setPage((page % 9) + 1)} />
      </Section>
      <Section title={t('uxDialog')} id="dialog">
        <Button onClick={() => dialog.current?.showModal()}>{t('uxOpen')}</Button>
        <dialog
          ref={dialog}
          aria-labelledby="ux-dialog"
          className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-2xl bg-white p-6 text-slate-900 backdrop:bg-black/60 dark:bg-slate-900 dark:text-slate-100"
        >
          <h3 id="ux-dialog" className="text-xl font-semibold">
            {t('uxDialog')}
          </h3>
          <p className="mt-2">{t('uxDialogText')}</p>
          <Button className="mt-4" onClick={() => dialog.current?.close()}>
            {t('prClose')}
          </Button>
        </dialog>
      </Section>
      <Section title={t('uxErrors')} id="errors">
        <Button variant="destructive" onClick={() => setBroken(true)}>
          {t('uxBreak')}
        </Button>
      </Section>
    </Page>
  )
}
