import { useTranslation } from 'react-i18next';

const sizes = { xs: 'size-3', sm: 'size-4', md: 'size-8', lg: 'size-12', xl: 'size-16' };

export function Loading({
  text = 'Loading...',
  size = 'md',
}: {
  text?: string;
  size?: keyof typeof sizes;
}) {
  const { t } = useTranslation();
  return (
    <div role="status" className="flex flex-col items-center gap-3 py-16 text-muted">
      <span
        className={`${sizes[size]} animate-spin rounded-full border-4 border-line border-t-brand`}
      />
      <span>{t(text)}</span>
    </div>
  );
}
