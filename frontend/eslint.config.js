import importPlugin from 'eslint-plugin-import'
import hooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

const features = ['auth', 'site', 'coworking', 'listings', 'live', 'profile', 'admin']
/** The administration looks at what the others show, in their words; nobody looks back. */
const uses = { admin: ['listings', 'coworking'] }

export default tseslint.config({ ignores: ['dist'] }, ...tseslint.configs.recommended, {
  files: ['src/**/*.{ts,tsx}'],
  plugins: { import: importPlugin, 'react-hooks': hooks },
  settings: { 'import/resolver': { typescript: { project: './tsconfig.json' } } },
  rules: {
    ...hooks.configs.recommended.rules,
    '@typescript-eslint/no-explicit-any': 'error',
    'import/no-restricted-paths': [
      'error',
      {
        zones: [
          ...features.map((name) => ({
            target: `./src/features/${name}`,
            from: './src/features',
            except: [name, ...(uses[name] ?? [])].map((each) => `./${each}`),
          })),
          { target: './src/features', from: './src/app' },
          ...['components', 'lib', 'config', 'types', 'stores', 'hooks', 'i18n'].map((name) => ({
            target: `./src/${name}`,
            from: ['./src/features', './src/app'],
          })),
        ],
      },
    ],
  },
})
