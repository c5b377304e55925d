import type { Worker } from "node:cluster";

import type { Siblings } from "../../server/observability/siblings.ts";

/** Timeout of a worker; the timeout of a scrape in Prometheus is ten seconds. */
const TIMEOUT_MS = 1_000;

/**
 * Messages between workers and their parent during a scrape: the scraped worker asks for the metrics of all (`collect`), the
 * parent requests them from each of the others (`request`, `response`) and returns those that arrive in time (`all`).
 */
type ToParent =
  | { readonly measures: "collect"; readonly id: number }
  | { readonly measures: "response"; readonly id: number; readonly text: string };
type ToWorker =
  | { readonly measures: "request"; readonly id: number }
  | { readonly measures: "all"; readonly id: number; readonly texts: readonly Measures[] };
/** The number of a worker and its metrics. */
type Measures = readonly [worker: number, text: string];

const isMeasures = (message: unknown): message is { readonly measures: unknown } =>
  typeof message === "object" && message !== null && "measures" in message;
// Both ends are the same program: each message with `measures` has one of these types.
const isForParent = (message: unknown): message is ToParent => isMeasures(message);
const isForWorker = (message: unknown): message is ToWorker => isMeasures(message);

/** In a worker: collects through the parent. */
export function createSiblings({ self, count }: Pick<Siblings, "self" | "count">): Siblings {
  const waiting = new Map<number, (texts: readonly Measures[]) => void>();
  let lastId = 0;
  process.on("message", (message) => {
    if (isForWorker(message) && message.measures === "all") waiting.get(message.id)?.(message.texts);
  });
  return {
    self,
    count,
    async scrape() {
      const id = (lastId += 1);
      const texts = await withTimeout<readonly Measures[]>(2 * TIMEOUT_MS, [], (resolve) => {
        waiting.set(id, resolve);
        sendToParent({ measures: "collect", id });
      });
      waiting.delete(id);
      return new Map(texts);
    },
  };
}

/** Sends the metrics of this worker when the parent requests them. */
export function serveMeasures(scrape: () => Promise<string>): void {
  process.on("message", (message) => {
    if (!isForWorker(message) || message.measures !== "request") return;
    const { id } = message;
    scrape().then(
      (text) => sendToParent({ measures: "response", id, text }),
      // Left out of this scrape, like a worker that does not respond.
      () => undefined,
    );
  });
}

/** Ignores errors: the parent may have ended. */
const sendToParent = (message: ToParent): void =>
  void process.send?.(message, undefined, {}, () => undefined);

/** In the parent. `workers` are those that run, by number; the result returns true for messages that it handles. */
export function createExchange(workers: ReadonlyMap<number, Worker>) {
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;

  async function ask(number: number, worker: Worker): Promise<Measures | null> {
    const id = (lastId += 1);
    const text = await withTimeout<string | null>(TIMEOUT_MS, null, (resolve) => {
      waiting.set(id, resolve);
      send(worker, { measures: "request", id });
    });
    waiting.delete(id);
    return text === null ? null : [number, text];
  }

  async function collect(requester: Worker, id: number): Promise<void> {
    const others = [...workers].filter(([, worker]) => worker !== requester);
    const answers = await Promise.all(others.map(([number, worker]) => ask(number, worker)));
    send(requester, { measures: "all", id, texts: answers.filter((measures) => measures !== null) });
  }

  return (worker: Worker, message: unknown): boolean => {
    if (!isForParent(message)) return false;
    if (message.measures === "collect") void collect(worker, message.id);
    else waiting.get(message.id)?.(message.text);
    return true;
  };
}

/** Ignores workers that have ended. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, () => undefined);
}

/** The result of `begin`, or `otherwise` after a timeout. */
function withTimeout<R>(ms: number, otherwise: R, begin: (resolve: (value: R) => void) => void): Promise<R> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), ms);
    begin((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
