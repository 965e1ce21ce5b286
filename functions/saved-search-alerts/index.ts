// Mails what is new in the searches that people kept. Called by the database's clock, every quarter of an hour.
import { asAnyone, asService, settings } from '../_shared/env.ts'
import { isService, json, refuse } from '../_shared/http.ts'
import { canMail, sendMail } from '../_shared/mail.ts'
import { wordsIn } from '../_shared/words.ts'
import { isDue, narrow, newSince, wantedIn } from './search.ts'

const STEP = 200
/** As many listings as a mail names; the others are behind its link. */
const SHOWN = 10

type Kept = {
  id: string
  user_id: string
  name: string
  query: unknown
  alert: string
  created_at: string
  last_notified_at: string | null
}
type Found = { slug: string; title: string; city: string | null; published_at: string }

const service = asService()
// Searched as anybody, so that a mail never shows what the site would not.
const anyone = asAnyone()

/** All searches with an alert, a few at a time, in an order that new ones do not disturb. */
async function* keptSearches() {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { data, error } = await service
      .from('saved_searches')
      .select('id, user_id, name, query, alert, created_at, last_notified_at')
      .neq('alert', 'off')
      .gt('id', after)
      .order('id')
      .limit(STEP)
      .returns<Kept[]>()
    if (error) throw error
    yield* data
    const last = data.at(-1)
    if (!last || data.length < STEP) return
    after = last.id
  }
}

async function findNew(kept: Kept) {
  const wanted = wantedIn(kept.query)
  const q = (wanted.get('q') ?? '').trim().slice(0, 200)
  const bbox = wanted.get('bbox') ?? ''
  const query = anyone
    .rpc('search_properties', { ...(q && { q }), ...(bbox && { bbox }) }, { count: 'exact' })
    .select('slug, title, city, published_at')
  const { data, count, error } = await narrow(query, wanted)
    .gt('published_at', newSince(kept))
    .order('published_at', { ascending: false })
    .limit(SHOWN)
  if (error) throw error
  // Without the database's types the client cannot know what the function gives.
  const found = data as unknown as Found[]
  return { found, count: count ?? found.length }
}

async function tell(kept: Kept, now: number) {
  const { found, count } = await findNew(kept)
  if (found.length === 0) return false
  const { data: person, error } = await service
    .from('profiles')
    .select('email, locale')
    .eq('id', kept.user_id)
    .maybeSingle()
  if (error) throw error
  if (!person?.email) return false
  const words = wordsIn(person.locale)
  await sendMail({
    to: person.email,
    subject: words.alertSubject(kept.name, count),
    text: words.alert({
      name: kept.name,
      lines: found
        .map(
          ({ title, city, slug }) =>
            `• ${[title, city].filter(Boolean).join(', ')}\n  ${settings.site}/property/${encodeURIComponent(slug)}`,
        )
        .join('\n'),
      link: `${settings.site}/dashboard?tab=searches`,
    }),
  })
  const { error: unmarked } = await service
    .from('saved_searches')
    .update({ last_notified_at: new Date(now).toISOString() })
    .eq('id', kept.id)
  if (unmarked) throw unmarked
  return true
}

Deno.serve(async (request) => {
  if (request.method !== 'POST') return refuse(405, 'Please use POST.')
  if (!(await isService(request, settings.serviceKey)))
    return refuse(403, 'You do not have permission to perform this action.')
  // Without a way to tell nothing is marked as told.
  if (!canMail()) return json({ sent: 0, failed: 0, reason: 'no SMTP_HOST' })
  let [sent, failed] = [0, 0]
  try {
    for await (const kept of keptSearches()) {
      // Taken before the search: what is published meanwhile belongs to the next mail.
      const now = Date.now()
      if (!isDue(kept, now)) continue
      try {
        if (await tell(kept, now)) sent++
      } catch {
        failed++
      }
    }
  } catch {
    console.error('saved-search-alerts: the searches could not be read')
    return refuse(502, 'The searches could not be read.', { sent, failed })
  }
  if (failed) console.error('saved-search-alerts: some mails failed', failed)
  return json({ sent, failed })
})
