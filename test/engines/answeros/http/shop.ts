import { storePartition } from "../../../../server/core/partitions.ts";
import { toInstant } from "../../../../server/lib/instant.ts";
import { domainEvents, eventFilters } from "../../../../server/core/events.ts";
import type { Job, JobContext } from "../../../../server/core/engine.ts";
import { createHarness } from "../../../harness.ts";
import type { Answer, Harness, TestKey } from "../../../harness.ts";

/** A store spoken to over the whole pipeline. Paths are below /v1/answeros. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  readonly part: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** `data` of an answer that must be a success. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  must(method: string, path: string, body?: unknown): Promise<any>;
  /** Status and code of a refusal. */
  refused(method: string, path: string, body?: unknown): Promise<[status: number, code: string | undefined]>;
  run(job: Job, more?: Partial<JobContext>): Promise<Readonly<Record<string, number>>>;
  /** Types of the events since the store was made, oldest first; the store asks for all. */
  events(): Promise<string[]>;
}

export async function createShop(options: Parameters<typeof createHarness>[0] = {}): Promise<Shop> {
  const harness = await createHarness(options);
  return shopOf(harness, await harness.key());
}

export async function shopOf(harness: Harness, key: TestKey): Promise<Shop> {
  const part = storePartition(key.storeId, "live");
  const { runTx, newId, log, ports } = harness.services;
  await runTx(part, async (tx) => tx.create(eventFilters, { id: "wanted", types: ["answeros.*"] }));
  const call: Shop["call"] = (method, path, body, headers = {}) =>
    harness.call(method, path.startsWith("/v1") ? path : `/v1/answeros${path}`, { key, body, headers });
  return {
    harness,
    key,
    part,
    call,
    async must(method, path, body) {
      const answer = await call(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json?.data;
    },
    async refused(method, path, body) {
      const answer = await call(method, path, body);
      return [answer.status, answer.json?.error?.code];
    },
    run: (job, more) => {
      const now = harness.clock.now();
      const { signal } = new AbortController();
      return job.run({
        now,
        nowAt: toInstant(now),
        part,
        runTx,
        newId,
        log,
        ports,
        signal,
        hasTime: () => true,
        ...more,
      });
    },
    events: () =>
      runTx(part, async (tx) => {
        const { items } = await tx.peekPage(domainEvents, { index: "time", limit: 100 });
        return items.map(({ value }) => value.type).filter((type) => type.startsWith("answeros."));
      }),
  };
}

export const RYE =
  '<html lang="en"><head><title>Dark rye | Crumb</title></head><body><main><h1>Dark rye</h1>' +
  "<p>Dark rye is a dense loaf of 900 g that costs £5.20.</p></main></body></html>";
