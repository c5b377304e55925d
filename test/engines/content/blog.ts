import { storePartition } from "../../../server/core/partitions.ts";
import type { Job } from "../../../server/core/engine.ts";
import { toInstant } from "../../../server/lib/instant.ts";
import type { Answer, Harness, TestKey } from "../../harness.ts";
import { createHarness } from "../../harness.ts";

/** A store spoken to over the whole pipeline. Paths are below /v1/content. */
export interface Blog {
  readonly harness: Harness;
  readonly key: TestKey;
  readonly part: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  /** `data` of an answer that must be a success. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  must(method: string, path: string, body?: unknown): Promise<any>;
  /** Runs a job for the store, as of the harness's clock. */
  run(job: Job): Promise<Readonly<Record<string, number>>>;
}

export async function createBlog(options: Parameters<typeof createHarness>[0] = {}): Promise<Blog> {
  const harness = await createHarness(options);
  return blogOf(harness, await harness.key());
}

export function blogOf(harness: Harness, key: TestKey): Blog {
  const part = storePartition(key.storeId, "live");
  const call: Blog["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/content${path}`, { key, body, headers });
  return {
    harness,
    key,
    part,
    call,
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body),
    async must(method, path, body) {
      const answer = await call(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json?.data;
    },
    run: (job) => {
      const now = harness.clock.now();
      const { runTx, newId, log, ports } = harness.services;
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
      });
    },
  };
}
