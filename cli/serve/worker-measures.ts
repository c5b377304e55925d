import type { Worker } from "node:cluster";

import type { Siblings } from "../../server/observability/siblings.ts";

/** How long the answer of a worker is waited for: Prometheus itself gives a scrape ten seconds. */
const PATIENCE_MS = 1_000;

/**
 * What workers and their parent say to each other when one is scraped: it wants the measures of the others (`want`), the parent
 * asks each of them (`tell`, `told`) and hands on what came in time (`all`). Nothing is said where nobody scrapes.
 */
type ToParent =
  | { readonly measures: "want"; readonly id: number }
  | { readonly measures: "told"; readonly id: number; readonly text: string };
type ToWorker =
  | { readonly measures: "tell"; readonly id: number }
  | { readonly measures: "all"; readonly id: number; readonly texts: readonly Told[] };
/** A worker's number and its measures. */
type Told = readonly [worker: number, text: string];

const isMeasures = (said: unknown): said is { readonly measures: unknown } =>
  typeof said === "object" && said !== null && "measures" in said;
// The two ends are one program: what says that it is about measures is one of their messages.
const isForParent = (said: unknown): said is ToParent => isMeasures(said);
const isForWorker = (said: unknown): said is ToWorker => isMeasures(said);

/** A worker's side: asks through the parent. */
export function createSiblings({ self, count }: Pick<Siblings, "self" | "count">): Siblings {
  const waiting = new Map<number, (texts: readonly Told[]) => void>();
  let asked = 0;
  process.on("message", (said) => {
    if (isForWorker(said) && said.measures === "all") waiting.get(said.id)?.(said.texts);
  });
  return {
    self,
    count,
    async scrape() {
      const id = (asked += 1);
      const texts = await withPatience<readonly Told[]>(2 * PATIENCE_MS, [], (resolve) => {
        waiting.set(id, resolve);
        say({ measures: "want", id });
      });
      waiting.delete(id);
      return new Map(texts);
    },
  };
}

/** Answers the parent with what this worker measures. */
export function tellMeasures(scrape: () => Promise<string>): void {
  process.on("message", (said) => {
    if (!isForWorker(said) || said.measures !== "tell") return;
    const { id } = said;
    scrape().then(
      (text) => say({ measures: "told", id, text }),
      // It is left out of that scrape, as one that does not answer.
      () => undefined,
    );
  });
}

/** The parent may be gone: then nobody waits. */
const say = (said: ToParent): void => void process.send?.(said, undefined, {}, () => undefined);

/** The parent's side. `workers` are those that run, by their numbers; the result takes what a worker says if it is about measures. */
export function createExchange(workers: ReadonlyMap<number, Worker>) {
  const waiting = new Map<number, (text: string) => void>();
  let asked = 0;

  async function ask(number: number, worker: Worker): Promise<Told | null> {
    const id = (asked += 1);
    const text = await withPatience<string | null>(PATIENCE_MS, null, (resolve) => {
      waiting.set(id, resolve);
      send(worker, { measures: "tell", id });
    });
    waiting.delete(id);
    return text === null ? null : [number, text];
  }

  async function collect(asking: Worker, id: number): Promise<void> {
    const others = [...workers].filter(([, worker]) => worker !== asking);
    const answers = await Promise.all(others.map(([number, worker]) => ask(number, worker)));
    send(asking, { measures: "all", id, texts: answers.filter((told) => told !== null) });
  }

  return (worker: Worker, said: unknown): boolean => {
    if (!isForParent(said)) return false;
    if (said.measures === "want") void collect(worker, said.id);
    else waiting.get(said.id)?.(said.text);
    return true;
  };
}

/** A worker may end at any moment: what it does not hear it does not miss. */
function send(worker: Worker, said: ToWorker): void {
  if (worker.isConnected()) worker.send(said, undefined, () => undefined);
}

/** What `begin` resolves with, or `otherwise` when it takes too long. */
function withPatience<R>(ms: number, otherwise: R, begin: (resolve: (value: R) => void) => void): Promise<R> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), ms);
    begin((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
