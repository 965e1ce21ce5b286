import react from '@vitejs/plugin-react'
import { createHash } from 'node:crypto'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type InlineConfig, type Plugin, type Rollup } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

const CATEGORIES = [
  'office-spaces',
  'retail-spaces',
  'warehouses',
  'industrial-properties',
  'mixed-use-properties',
]

type Page = { path: string; route: string; words: readonly string[]; asks?: boolean }
const listing = { words: ['property'], asks: true }
const space = { words: ['coworking'], asks: true }
const site = { words: ['site'] }

/**
 * The pages that are made ahead; `_` is any name in its folder, and `/_` any address. What a page needs beyond the first code, and the client
 * library if it asks for something, is fetched beside that code, not after it.
 */
const PAGES: readonly Page[] = [
  { path: '/', route: 'home', words: ['home', 'coworking'] },
  { path: '/coworking', route: 'coworking', ...space },
  { path: '/coworking/_', route: 'coworking-detail', ...space },
  { path: '/commercial', route: 'commercial', ...listing },
  ...CATEGORIES.map((slug) => ({ path: `/commercial/${slug}`, route: 'commercial-category', ...listing })),
  { path: '/search', route: 'commercial', ...listing },
  { path: '/property/_', route: 'property', ...listing },
  { path: '/auth/login', route: 'login', words: ['auth'] },
  { path: '/about-us', route: 'about', ...site },
  { path: '/contact', route: 'contact', ...site },
  { path: '/privacy-policy', route: 'privacy', ...site },
  { path: '/help', route: 'placeholders', ...site },
  { path: '/_', route: '', words: [] },
]
/** What every page runs first. */
const FIRST = ['/node_modules/react-dom/client.js', '/src/i18n/index.ts', '/src/start.tsx']
const needsOf = ({ route, words, asks }: Page) => [
  ...(route ? [`/src/app/routes/${route}.tsx`] : []),
  ...words.map((word) => `/src/i18n/${word}/en.json`),
  ...(asks ? ['/@supabase/supabase-js/dist/index.mjs'] : []),
]

type Prerender = typeof import('./src/prerender')

const common = (alias: InlineConfig['resolve']): InlineConfig => ({
  root: here,
  configFile: false,
  logLevel: 'warn',
  plugins: [react()],
  resolve: alias,
})

/** Builds what makes the pages, and loads it. */
async function prerenderer(alias: InlineConfig['resolve']): Promise<Prerender> {
  // Within the project, so that its imports find the packages.
  const outDir = `${here}node_modules/.pages-ahead`
  await build({
    ...common(alias),
    build: { ssr: 'src/prerender.tsx', outDir, copyPublicDir: false, minify: false, emptyOutDir: true },
  })
  return (await import(`${pathToFileURL(outDir).href}/prerender.js`)) as Prerender
}

/** The first script of every page, in one file of its own. */
async function firstScript(alias: InlineConfig['resolve'], plans: unknown) {
  const result = await build({
    ...common(alias),
    define: { PLANS: JSON.stringify(plans) },
    build: {
      write: false,
      copyPublicDir: false,
      minify: 'terser',
      lib: { entry: 'src/early/early.ts', formats: ['iife'], name: 'early' },
    },
  })
  const [chunk] = (Array.isArray(result) ? result : [result]).flatMap((each) =>
    'output' in each ? each.output : [],
  )
  if (chunk?.type !== 'chunk') throw new Error('the first script is not there')
  return chunk.code
}

const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${String(sign.charCodeAt(0))};`)

/**
 * Makes the public pages when the application is built: each becomes a file that is seen before any code is there, and that the code then
 * takes over. What serves them tries the address's own file, then `_.html` of its folder, then `/_.html`.
 */
export function pagesAhead(alias: InlineConfig['resolve']): Plugin {
  return {
    name: 'pages-ahead',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_, bundle) {
      const index = bundle['index.html']
      if (index?.type !== 'asset' || typeof index.source !== 'string') return
      const { render, plans } = await prerenderer(alias)
      const code = await firstScript(alias, await plans())
      const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8)
      const script = `assets/early-${hash}.js`
      this.emitFile({ type: 'asset', fileName: script, source: code })
      // The page is there without its code: its style, its first question and its first picture come before that.
      const template = index.source
        .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
        .replace(
          '<script type="module"',
          () => `<script src="/${script}"></script>\n    <script type="module" fetchpriority="low"`,
        )
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      for (const page of PAGES) {
        const { path } = page
        const fail = (message: string) => this.error(message)
        const first = filesOf(chunks, FIRST, fail)
        const preloads = [...new Set([...first, ...filesOf(chunks, needsOf(page), fail)])]
          .filter((file) => !template.includes(file))
          .map((file) => `    <link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">\n`)
        const source = fill(template, path, await render(path), preloads.join(''))
        if (path === '/') index.source = source
        else this.emitFile({ type: 'asset', fileName: `${path.slice(1)}.html`, source })
      }
    },
  }
}

/** The chunks of some modules, with all that they import. */
function filesOf(
  chunks: readonly Rollup.OutputChunk[],
  needs: readonly string[],
  fail: (message: string) => never,
) {
  const files = new Set<string>()
  const add = (chunk: Rollup.OutputChunk | undefined) => {
    if (!chunk || chunk.isEntry || files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const other of chunk.imports) add(chunks.find(({ fileName }) => fileName === other))
  }
  for (const module of needs) {
    // A small one may have joined another, so it is looked for by what is in it.
    const found = chunks.find(({ moduleIds }) =>
      moduleIds.some((id) => id.replace(/\?.*$/, '').endsWith(module)),
    )
    add(found ?? fail(`no chunk of ${module}`))
  }
  return [...files]
}

function fill(
  template: string,
  path: string,
  page: Awaited<ReturnType<Prerender['render']>>,
  preloads: string,
) {
  const { html, title, description, noindex } = page
  let source = template
    .replace(
      '</head>',
      () => `${preloads}${noindex ? '    <meta name="robots" content="noindex" data-ahead>\n' : ''}  </head>`,
    )
    .replace('<div id="root"></div>', () => `<div id="root" data-page="${path}">${html}</div>`)
  if (title) source = source.replace(/<title>[^<]*/, () => `<title>${escape(title)} | Nilam`)
  if (description)
    source = source.replace(
      /(<meta\s+name="description"\s+content=")([^"]*)"/,
      (__, start: string, site: string) => `${start}${escape(description)}" data-site="${site}"`,
    )
  return source
}
