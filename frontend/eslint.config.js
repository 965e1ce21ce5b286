import js from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const features = ['auth', 'coworking', 'site'];

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'public', 'src/types/database.ts'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'import-x': importX, 'react-hooks': hooks },
    settings: {
      'import-x/resolver-next': [
        importX.createNodeResolver({
          extensions: ['.ts', '.tsx'],
          alias: { '@': [new URL('./src', import.meta.url).pathname] },
        }),
      ],
    },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      // Imports flow one way: shared, then features, then app; features never meet.
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...features.map((name) => ({
              target: `./src/features/${name}`,
              from: './src/features',
              except: [`./${name}`],
            })),
            { target: './src/features', from: './src/app' },
            {
              target: ['./src/components', './src/lib', './src/config', './src/types'],
              from: ['./src/features', './src/app'],
            },
          ],
        },
      ],
    },
  },
);
