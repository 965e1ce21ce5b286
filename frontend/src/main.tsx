import { createRoot } from 'react-dom/client';
import { App } from '@/app/app';
import { startAuth } from '@/features/auth/api/auth';
import { startI18n } from '@/lib/i18n';
import { startTheme } from '@/lib/theme';
import './index.css';

startTheme();
void startI18n().then(() => {
  createRoot(document.getElementById('root') as HTMLElement).render(<App />);
});
void startAuth();
