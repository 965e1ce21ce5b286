import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { compression, defineAlgorithm } from 'vite-plugin-compression2'
import { routePreloads } from './route-preloads'

/** Of these the first code has its own; all others are on nearly every page. */
const FIRST_ICONS = /\/(menu|moon|sun|x|mail|map-pin|phone|loader-circle)\.m?js$/
const READS =
  /(react-query\/build\/modern\/(useQuery|useBaseQuery|useMutation|queryOptions|suspense|errorBoundaryUtils|QueryErrorResetBoundary|IsRestoringProvider)|query-core\/build\/modern\/(queryObserver|mutationObserver))\./
const PARTS =
  /\/src\/(components\/ui\/(field|page|stored-image|breadcrumb|section|dialog|empty)|lib\/(seo|failure|images|phone))\.tsx?$/
/** What is small and used nearly everywhere is one file: thirty of them would wait for each other's journeys to the server. */
function together(id: string) {
  if (id.includes('/lucide-react/dist/esm/icons/')) return FIRST_ICONS.test(id) ? undefined : 'parts'
  return READS.test(id) || PARTS.test(id) ? 'parts' : undefined
}

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    // Before what compresses the page that it changes.
    routePreloads(),
    // Beside each file, so that the gateway compresses nothing while somebody waits.
    compression({
      include: /\.(js|css|html|svg|json|txt)$/,
      algorithms: [defineAlgorithm('brotliCompress'), defineAlgorithm('gzip', { level: 9 })],
    }),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  // Terser: 3 % less to fetch before the first paint than the bundler's own.
  build: {
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    minify: 'terser',
    rollupOptions: { output: { manualChunks: together, onlyExplicitManualChunks: true } },
  },
})
