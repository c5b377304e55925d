import { allergens } from "../../../../server/engines/allergens/index.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import type { Op, StoreDriver } from "../../../../server/storage/contract.ts";
import { createMemoryDriver } from "../../../../server/storage/memory.ts";
import { createHarness, createTestClock } from "../../../harness.ts";
import type { Answer, Harness, TestKey } from "../../../harness.ts";

/** A store with a key, spoken to over the whole pipeline. Paths are below /v1/allergens. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  /** Makes something and gives its id; throws when it is refused. */
  make(path: string, body: unknown): Promise<string>;
  /** A product with ingredients, verified. */
  verified(title: string, ingredients: readonly object[], more?: object): Promise<string>;
  /** Runs the engine's job once. */
  runJob(): Promise<Readonly<Record<string, number>>>;
  /** Writes the demo documents as the seeder does. */
  seed(): Promise<void>;
}

export const NOW = "2026-06-01T09:00:00.000Z";

/** A store in which something happens right before the first commit with such an operation. */
export function interrupted(isMeant: (op: Op) => boolean, meanwhile: () => Promise<void>): StoreDriver {
  const store = createMemoryDriver({ clock: createTestClock(NOW) });
  let isDue = true;
  return {
    ...store,
    async commit(part, ops, checks) {
      if (isDue && ops.some(isMeant)) {
        isDue = false;
        await meanwhile();
      }
      return store.commit(part, ops, checks);
    },
  };
}

export async function createShop(store?: StoreDriver): Promise<Shop> {
  const harness = await createHarness({ now: NOW, ...(store === undefined ? {} : { store }) });
  const key = await harness.key();
  const part = storePartition(key.storeId, "live");
  const call: Shop["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/allergens${path}`, { key, body, headers });
  const make: Shop["make"] = async (path, body) => {
    const answer = await call("POST", path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data.id;
  };
  return {
    harness,
    key,
    call,
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    put: (path, body) => call("PUT", path, body),
    patch: (path, body) => call("PATCH", path, body),
    remove: (path) => call("DELETE", path),
    make,
    async verified(title, ingredients, more = {}) {
      const id = await make("/products", { title, ingredients, ...more });
      const answer = await call("POST", `/products/${id}/verify`, { by: "Priya" });
      if (answer.status !== 200) throw new Error(answer.text);
      return id;
    },
    async runJob() {
      const answer = await harness.admin("POST", "/api/platform/admin/jobs/allergens.mark-stale/run", {
        body: {},
      });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json.data.counts;
    },
    async seed() {
      for (const { collection, values } of allergens.seed(harness.clock.now())) {
        for (const value of values) {
          await harness.services.runTx(part, async (tx) => {
            tx.create(collection, value);
          });
        }
      }
    },
  };
}

export const idsOf = (answer: Answer): string[] => answer.json.data.map(({ id }: { id: string }) => id);
export const titlesOf = (answer: Answer): string[] =>
  answer.json.data.map(({ title }: { title: string }) => title);
export const pointersOf = (answer: Answer): string[] =>
  answer.json.error.errors.map(({ pointer, parameter }: { pointer?: string; parameter?: string }) =>
    String(pointer ?? parameter),
  );
/** Status and code of a refusal, as in `409 in_use`. */
export const refusal = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;
