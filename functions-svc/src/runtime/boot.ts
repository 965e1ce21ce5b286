// Runs one edge function in this process.
//
// The service talks to it by lines of JSON on standard input: first what to run, later that the end is near. Its answers
// go to standard output, behind a mark that nobody else knows; everything else there is the function's own output.
// When standard input ends, the service is gone, and so is this process.

import { defineTmp } from "./files.ts";
import { reportConsole, within } from "./requests.ts";

type Start = {
  mark: string;
  module: string;
  socket: string;
  tmp: string;
  places: string[];
  env: Record<string, string>;
  inspected: boolean;
  breaks: boolean;
};
type Order = { unload?: string; exit?: boolean };
type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

const encoder = new TextEncoder();
// A function may put another in its place, which Deno would not take for an answer.
const Answer = Response;
const stdout = Deno.stdout.writeSync.bind(Deno.stdout);
const exit = Deno.exit.bind(Deno);

function writeOut(text: string) {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stdout(bytes));
}

async function* lines(): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of Deno.stdin.readable) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

function replaceEnvironment(env: Record<string, string>) {
  for (const name of Object.keys(Deno.env.toObject())) Deno.env.delete(name);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
}

/** Behind a unix socket Deno makes URLs of a scheme that functions do not expect. */
function hideSocketInUrls() {
  const scheme = "http+unix://";
  const url = Object.getOwnPropertyDescriptor(Request.prototype, "url");
  const get = url?.get;
  if (!url || !get) return;
  Object.defineProperty(Request.prototype, "url", {
    ...url,
    get(this: Request) {
      const value: string = get.call(this);
      return value.startsWith(scheme) ? "http://" + value.slice(scheme.length) : value;
    },
  });
}

/** A function sees its caller as if there were no socket between. */
class Info {
  #info: Deno.ServeHandlerInfo;
  #request: Request;
  constructor(info: Deno.ServeHandlerInfo, request: Request) {
    this.#info = info;
    this.#request = request;
  }
  get remoteAddr(): Deno.NetAddr {
    const forwarded = this.#request.headers.get("x-forwarded-for");
    const hostname = forwarded?.split(",")[0].trim() || "127.0.0.1";
    return { transport: "tcp", hostname, port: 0 };
  }
  get completed(): Promise<void> {
    return this.#info.completed;
  }
}

/** What the service calls a request. */
const requestId = (request: Request) => request.headers.get("sb-request-id") ?? "";

/** Makes every way to serve end at the one socket; ports and host names are not the function's business. */
function serveOnSocket(socket: string, ready: () => void) {
  const serve = Deno.serve as unknown as (options: unknown, handler: Handler) => Deno.HttpServer;
  const address: Deno.NetAddr = { transport: "tcp", hostname: "0.0.0.0", port: 9999 };
  let served = false;
  const ours = (first: unknown, second?: unknown) => {
    const [options, handler] =
      typeof first === "function"
        ? [(second ?? {}) as Record<string, unknown>, first as Handler]
        : [
            (first ?? {}) as Record<string, unknown>,
            (second ?? (first as { handler?: Handler })?.handler) as Handler,
          ];
    if (typeof handler !== "function") throw new TypeError("A handler function must be provided.");
    if (served) throw new Deno.errors.AddrInUse("This function serves already.");
    served = true;
    const { onListen, signal } = options;
    const onError = (options.onError ?? failed) as (error: unknown) => Response | Promise<Response>;
    const given = (response: unknown): Response => {
      if (response instanceof Answer) return response;
      throw new TypeError("Return value from serve handler must be a response or a promise resolving to a response");
    };
    // Once for each error, not also for those of its own.
    const rescue = async (error: unknown): Promise<Response> => {
      try {
        return given(await onError(error));
      } catch (error) {
        return failed(error);
      }
    };
    const later = async (response: unknown): Promise<Response> => {
      try {
        return given(await response);
      } catch (error) {
        return rescue(error);
      }
    };
    const settings = {
      path: socket,
      ...(signal ? { signal } : {}),
      onListen: () => {
        ready();
        if (typeof onListen === "function") onListen(address);
      },
    };
    // An error, too, is of its request. All are caught here: Deno ends a process that resolves to something else.
    const answer = (request: Request, info: Deno.ServeHandlerInfo) => {
      try {
        const response: unknown = handler(request, info);
        return response instanceof Answer ? response : later(response);
      } catch (error) {
        return rescue(error);
      }
    };
    return serve(settings, (request, info) =>
      within(
        requestId(request),
        () => answer(request, new Info(info, request) as unknown as Deno.ServeHandlerInfo),
      )
    );
  };
  Object.defineProperty(Deno, "serve", { value: ours, configurable: true, writable: true });
  return { isServed: () => served, serve: ours };
}

/** The answer of a handler that failed, as Deno has it. */
function failed(error: unknown): Response {
  console.error(error);
  return new Answer("Internal Server Error", { status: 500 });
}

function defineEdgeRuntime(report: (message: Record<string, unknown>) => void) {
  const pending = new Set<Promise<unknown>>();
  const waitUntil = <T>(task: Promise<T>): Promise<T> => {
    const settled = Promise.resolve(task).then(
      () => {},
      (error) => console.error("a background task failed:", error),
    );
    pending.add(settled);
    report({ background: pending.size });
    settled.then(() => {
      pending.delete(settled);
      report({ background: pending.size });
    });
    return task;
  };
  Object.defineProperty(globalThis, "EdgeRuntime", {
    value: Object.freeze({ waitUntil }),
    configurable: true,
    writable: true,
  });
  return async () => {
    while (pending.size > 0) await Promise.all(pending);
  };
}

const orders = lines();
const first = await orders.next();
if (first.done) exit(0);
const start: Start = JSON.parse(first.value as string);
const report = (message: Record<string, unknown>) => {
  writeOut(`\n${start.mark}${JSON.stringify(message)}\n`);
};

replaceEnvironment(start.env);
// Debuggers listen to the console as it is.
if (!start.inspected) reportConsole(report);
defineTmp(start.tmp, start.places);
hideSocketInUrls();
const background = defineEdgeRuntime(report);
const server = serveOnSocket(start.socket, () => report({ ready: true }));

(async () => {
  for await (const line of orders) {
    const order: Order = JSON.parse(line);
    if (order.unload !== undefined) {
      const detail = { reason: order.unload };
      globalThis.dispatchEvent(new CustomEvent("beforeunload", { cancelable: true, detail }));
    }
    if (order.exit) {
      await background();
      break;
    }
  }
  exit(0);
})();

// The next step is into the function.
if (start.breaks) debugger;
const module = await import(start.module);
const fetch = module.default?.fetch;
if (!server.isServed() && typeof fetch === "function") {
  server.serve((request: Request, info: unknown) => fetch.call(module.default, request, info));
}
