import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

/** What the first view of an address needs beyond the first code: its page, and the words of that page. */
const ROUTES: ReadonlyArray<readonly [address: string, page: string, ...words: string[]]> = [
  ['^/$', 'home', 'home', 'coworking'],
  ['^/coworking/?$', 'coworking', 'coworking'],
  ['^/coworking/.', 'coworking-detail', 'coworking'],
  ['^/(search|commercial)/?$', 'commercial', 'property'],
  ['^/commercial/.', 'commercial-category', 'property'],
  ['^/property/.', 'property', 'property'],
  ['^/auth/login', 'login', 'auth'],
]

/**
 * Fetches the page that is asked for beside the first code and not after it, which on a slow phone is two journeys to the server.
 * It is a file and not a part of the page: the policy of the page allows no script inside it.
 */
export function routePreloads(): Plugin {
  return {
    name: 'route-preloads',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const html = bundle['index.html']
      if (html?.type !== 'asset' || typeof html.source !== 'string') return
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const chunkOf = (module: string) => {
        // A small one may have joined another, so it is looked for by what is in it.
        const found = chunks.find(({ moduleIds }) =>
          moduleIds.some((id) => id.replace(/\?.*$/, '').endsWith(module)),
        )
        if (!found) this.error(`no chunk of ${module}`)
        return found
      }
      const withImports = (file: string, seen: Set<string>) => {
        const chunk = chunks.find(({ fileName }) => fileName === file)
        if (!chunk || chunk.isEntry || seen.has(file)) return seen
        seen.add(file)
        for (const other of chunk.imports) withImports(other, seen)
        return seen
      }
      const client = chunkOf('/@supabase/supabase-js/dist/index.mjs')
      const rows = ROUTES.map(([address, page, ...words]) => {
        const files = new Set<string>()
        withImports(chunkOf(`/src/app/routes/${page}.tsx`).fileName, files)
        for (const word of words) withImports(chunkOf(`/src/i18n/${word}/en.json`).fileName, files)
        withImports(client.fileName, files)
        return [address, [...files]] as const
      })
      const code = `for(const[a,f]of ${JSON.stringify(rows)})if(new RegExp(a).test(location.pathname)){for(const n of f){const l=document.createElement('link');l.rel='modulepreload';l.href='/'+n;document.head.append(l)}break}`
      const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8)
      const fileName = `assets/routes-${hash}.js`
      this.emitFile({ type: 'asset', fileName, source: code })
      html.source = html.source.replace(
        '<script type="module"',
        `<script src="/${fileName}"></script>\n    <script type="module"`,
      )
    },
  }
}
