import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { compression, defineAlgorithm } from 'vite-plugin-compression2'
import { FOLDER as LETTERS_FOLDER, letters } from './letters'
import { pagesAhead } from './pages-ahead'

/** Of these the first code has its own; all others are on nearly every page. */
const FIRST_ICONS = /\/(menu|moon|sun|x|mail|map-pin|phone|loader-circle)\.m?js$/
const READS =
  /(react-query\/build\/modern\/(useQuery|useBaseQuery|useMutation|queryOptions|suspense|errorBoundaryUtils|QueryErrorResetBoundary|IsRestoringProvider)|query-core\/build\/modern\/(queryObserver|mutationObserver))\./
const PARTS =
  /\/src\/(components\/ui\/(field|page|stored-image|early-image|card-skeletons|detail-skeleton|gallery|map-frame|breadcrumb|section|dialog|empty)|lib\/(seo|failure|images|phone|use-gradually|once|hydrating|page-params|hold-channel))\.tsx?$/
/** What the header counts, on every page. */
const KEPT =
  /\/src\/(app\/kept|features\/listings\/(use-shortlist|guest-shortlist|api\/shortlist(-key)?))\.tsx?$/
/** Notifications, which come once the page is there. */
const NOTICES = /\/node_modules\/sonner\/|\/src\/app\/notices\.tsx$/
/** What every page with listings needs, and what every page with spaces does. */
const LISTING =
  /\/src\/features\/listings\/(categories|compare|facts|filters|labels|money|guest-views|api\/(keys|search|get-facets|get-suggestions)|components\/(badges|compare-toggle|heart|price|property-card|suggest-box))\.tsx?$/
const SPACE =
  /\/src\/features\/coworking\/(filter|format|api\/(keys|get-spaces)|components\/space-card)\.tsx?$/
/** What the first code is made of, in two halves: the browser reads one while the other is on its way. */
const REACT = /\/node_modules\/(react|react-dom|scheduler)\/|commonjsHelpers|vite\/preload-helper/
const FIRST =
  /\/node_modules\/(react-router|react-router-dom|zustand|i18next|clsx|class-variance-authority)\/|react-query\/build\/modern\/QueryClientProvider\.|\/lucide-react\/dist\/esm\/(?!icons\/)|\/src\/(stores|config)\/|\/src\/components\/ui\/(button|spinner)\.|\/src\/i18n\/(index|use-translation|en\.json|errors\/en\.json)|\/src\/lib\/(cn|toast|errors|fields|early|idle|page-facts|query-client|supabase|analytics)\./
/** What is small and used nearly everywhere is one file: thirty of them would wait for each other's journeys to the server. */
function together(id: string) {
  if (REACT.test(id)) return 'react'
  if (id.includes('/lucide-react/dist/esm/icons/')) return FIRST_ICONS.test(id) ? 'first' : 'parts'
  if (KEPT.test(id)) return 'kept'
  if (NOTICES.test(id)) return 'notices'
  if (LISTING.test(id)) return 'listing'
  if (SPACE.test(id)) return 'space'
  if (READS.test(id) || PARTS.test(id)) return 'parts'
  return FIRST.test(id) ? 'first' : undefined
}

const resolve = {
  alias: { '@': fileURLToPath(new URL('./src', import.meta.url)), '@letters': LETTERS_FOLDER },
}

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    letters(),
    // Before what compresses the pages that it makes.
    pagesAhead(resolve),
    // Beside each file, so that the gateway compresses nothing while somebody waits.
    compression({
      include: /\.(js|css|html|svg|json|txt)$/,
      algorithms: [defineAlgorithm('brotliCompress'), defineAlgorithm('gzip', { level: 9 })],
    }),
  ],
  resolve,
  // Terser: 3 % less to fetch before the first paint than the bundler's own.
  build: {
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    minify: 'terser',
    rollupOptions: { output: { manualChunks: together, onlyExplicitManualChunks: true } },
  },
})
