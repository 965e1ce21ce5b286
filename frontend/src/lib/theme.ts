import { useStore } from './store';

const KEY = 'vite-ui-theme';

export function applyTheme(theme: 'light' | 'dark') {
  document.documentElement.classList.toggle('dark', theme === 'dark');
}
/** First visit stores "system"; what is shown starts light either way. */
export function startTheme() {
  if (!localStorage.getItem(KEY)) localStorage.setItem(KEY, 'system');
  applyTheme('light');
}
export function toggleTheme() {
  const next = useStore.getState().theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem(KEY, next);
  useStore.getState().setTheme(next);
  applyTheme(next);
}
