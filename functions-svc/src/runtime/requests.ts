// Which request is being worked on, and what is said on the console meanwhile.
//
// Requests share a process. What a request sets off, also after its answer, carries its id along.

type Report = (message: Record<string, unknown>) => void;
type Print = (text: string, level: number) => void;
type Variable = { enter(value: string): unknown; get(): string | undefined };
type Internals = {
  Console?: new (print: Print) => Record<string, unknown>;
  core?: { AsyncVariable?: new () => Variable; setAsyncContext?: (context: unknown) => void };
};

// Deno's own parts, which it promises nobody. Without the one an import does the same, some milliseconds slower; without
// the other, lines of the console have no id.
const { core, Console } =
  ((Deno as unknown as Record<symbol, Internals>)[(Deno as unknown as { internal: symbol }).internal] ?? {});

/** What a line of the log may hold, so that it is less than the service reads at once whatever it is made of. */
const PIECE = 10_000;
const SEVERITIES = ["debug", "info", "warning", "error"];

type Scope = { run<T>(id: string, act: () => T): T; id(): string | undefined };

async function makeScope(): Promise<Scope> {
  const enter = core?.setAsyncContext;
  if (core?.AsyncVariable && enter) {
    const variable = new core.AsyncVariable();
    return {
      run(id, act) {
        const before = variable.enter(id);
        try {
          return act();
        } finally {
          enter(before);
        }
      },
      id: () => variable.get(),
    };
  }
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const storage = new AsyncLocalStorage<string>();
  return { run: (id, act) => storage.run(id, act), id: () => storage.getStore() };
}

const scope = await makeScope();

/** Does something for the request of this id. */
export const within = scope.run;

/** Makes each message of the console a report with the id of its request. */
export function reportConsole(report: Report) {
  if (!Console) return;
  const print = (text: string, level: number) => {
    const severity = SEVERITIES[level] ?? "debug";
    const request = scope.id();
    const whole = text.toWellFormed();
    for (let from = 0; from < whole.length; ) {
      let to = Math.min(from + PIECE, whole.length);
      const last = whole.charCodeAt(to - 1);
      // A character of two halves stays one.
      if (to < whole.length && last >= 0xd800 && last < 0xdc00) to -= 1;
      report({ log: { text: whole.slice(from, to), severity, request } });
      from = to;
    }
  };
  // The console itself stays the same object, which others may hold.
  for (const [name, method] of Object.entries(new Console(print))) {
    if (typeof method === "function") (console as unknown as Record<string, unknown>)[name] = method;
  }
}
