// Stands for std/http's `serve` and its relatives, which were written for an earlier Deno.

type Handler = (
  request: Request,
  info: { remoteAddr: Deno.Addr; localAddr: Deno.Addr },
) => Response | Promise<Response>;
type Options = {
  signal?: AbortSignal;
  onError?: (error: unknown) => Response | Promise<Response>;
  onListen?: (address: { hostname: string; port: number }) => void;
};

const localAddr: Deno.Addr = { transport: "tcp", hostname: "0.0.0.0", port: 9999 };

export async function serve(handler: Handler, options: Options = {}): Promise<void> {
  const { signal, onError, onListen } = options;
  await Deno.serve(
    {
      ...(signal ? { signal } : {}),
      ...(onError ? { onError } : {}),
      onListen: (address) => onListen?.(address as Deno.NetAddr),
    },
    (request, info) => handler(request, { remoteAddr: info.remoteAddr, localAddr }),
  ).finished;
}

export const serveTls = serve;
