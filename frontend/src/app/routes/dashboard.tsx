import { buttonVariants } from '@/components/ui/button'
import { cardClass, Page } from '@/components/ui/page'
import { useAppStore } from '@/stores/app-store'
import { Link } from 'react-router-dom'

export function Component() {
  const user = useAppStore((state) => state.user)
  return (
    <Page title="Dashboard" lead={user?.name ? `Hello, ${user.name}.` : undefined} noindex>
      <div className="grid gap-6 sm:grid-cols-2">
        <section className={cardClass}>
          <h2 className="text-xl font-semibold">Your account</h2>
          <p className="mt-2">{user?.email || user?.phone}</p>
          <Link to="/profile" className={buttonVariants({ variant: 'outline', className: 'mt-4' })}>
            Profile
          </Link>
        </section>
        <section className={cardClass}>
          <h2 className="text-xl font-semibold">Find a space</h2>
          <p className="mt-2">See co-working spaces with prices, photos and hours.</p>
          <Link to="/coworking" className={buttonVariants({ className: 'mt-4' })}>
            Browse co-working spaces
          </Link>
        </section>
      </div>
    </Page>
  )
}
