import { QueryClient } from '@tanstack/react-query';

const statusOf = (error: unknown) => (error as { status?: number }).status ?? 0;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 300_000,
      gcTime: 600_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => {
        const status = statusOf(error);
        return failures < 3 && !(status >= 400 && status <= 499);
      },
    },
    mutations: { retry: 1 },
  },
});
