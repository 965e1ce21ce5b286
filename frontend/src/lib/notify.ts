import { toast } from 'sonner';
import { errorText, type AppError } from './errors';

const MS = { success: 4000, error: 6000, warning: 5000, info: 4000 };

export const notify = {
  success: (text: string) => toast.success(text, { duration: MS.success }),
  error: (text: string) => toast.error(text, { duration: MS.error }),
  warning: (text: string) => toast.warning(text, { duration: MS.warning }),
  info: (text: string) => toast.info(text, { duration: MS.info }),
  loading: (text: string) => toast.loading(text, { duration: Infinity }),
  dismiss: (id: string | number) => toast.dismiss(id),
  failure: (error: unknown) => toast.error(errorText(error), { duration: MS.error }),
  handled: (error: AppError) => {
    const options = { duration: error.retryable ? 6000 : 4000 };
    if (error.type === 'validation') return toast.warning(error.message, options);
    const prefix = { network: '🌐 ', auth: '🔒 ', unknown: '' }[error.type];
    return toast.error(prefix + error.message, options);
  },
};
