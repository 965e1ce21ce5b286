import { firstPicture } from './picture'
import { KEY, SLUG, type Early, type Plan } from './state'

/** Whoever is signed in, or arrives by the link of a mail, asks in their own name, which only the client library knows. */
const isSomebody = () =>
  /(access_token|code|error)=/.test(location.hash + location.search) ||
  Object.keys(localStorage).some((name) => /^sb-.*-auth-token/.test(name))

/** Asks what the page of this address is going to ask, word by word as the client library will. */
export function ask(plans: readonly Plan[], early: Early) {
  const settings = fetch('/config.json').then((answer) =>
    answer.ok ? (answer.json() as Promise<unknown>) : {},
  )
  settings.catch(() => {})
  early.config = settings
  if (location.search || isSomebody()) return
  for (const plan of plans) {
    const [found, slug = ''] = new RegExp(plan.address).exec(location.pathname) ?? []
    if (found === undefined) continue
    void settings.then((config) => begin(plan, slug, config, early)).catch(() => {})
    return
  }
}

function begin(plan: Plan, slug: string, config: unknown, early: Early) {
  if (typeof config !== 'object' || config === null || !('supabaseAnonKey' in config)) return
  const key = String(config.supabaseAnonKey)
  const host = 'supabaseUrl' in config && config.supabaseUrl ? String(config.supabaseUrl) : location.origin
  const headers = Object.fromEntries(
    Object.entries(plan.headers).map(([name, value]) => [name, value.replace(KEY, key)]),
  )
  const url = host.replace(/\/$/, '') + plan.path.replace(SLUG, slug)
  const { method, body, picture } = plan
  const response = fetch(url, { method, headers, ...(body && { body }) })
  const copy = response.then((answer) => answer.clone())
  response.catch(() => {})
  early.answer = { method, url, body, authorization: headers.authorization ?? '', at: Date.now(), response }
  if (picture)
    void copy
      .then((answer) => answer.json())
      .then(
        (data) => firstPicture(picture, data),
        () => {},
      )
}
