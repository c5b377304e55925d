import type { Collection } from "../../../../server/core/collection.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { createHarness } from "../../../harness.ts";
import type { Answer, Harness, TestKey } from "../../../harness.ts";

/** A store with a key, spoken to over the whole pipeline. Paths are below /v1/menus. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  /** Makes something and gives its id; throws when it is refused. */
  make(path: string, body: unknown): Promise<string>;
}

/** Monday 1 June 2026, 10:00 in London. */
export const NOW = "2026-06-01T09:00:00.000Z";

export async function createShop(options: Parameters<typeof createHarness>[0] = {}): Promise<Shop> {
  const harness = await createHarness({ now: NOW, ...options });
  return shopOf(harness, await harness.key());
}

function shopOf(harness: Harness, key: TestKey): Shop {
  const call: Shop["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/menus${path}`, { key, body, headers });
  return {
    harness,
    key,
    call,
    get: (path, headers) => call("GET", path, undefined, headers),
    post: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body),
    remove: (path) => call("DELETE", path),
    async make(path, body) {
      const answer = await call("POST", path, body);
      if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      return answer.json.data.id;
    },
  };
}

/** Stores documents of live data without the routes, which would take long for thousands. */
export async function store<T extends { id: string }>(
  { harness, key }: Shop,
  collection: Collection<T>,
  values: readonly NoInfer<T>[],
): Promise<void> {
  for (let start = 0; start < values.length; start += 20) {
    await harness.services.runTx(storePartition(key.storeId, "live"), async (tx) => {
      for (const value of values.slice(start, start + 20)) tx.create(collection, value);
    });
  }
}

/** A menu with one category of one item, and the ids of all three. */
export async function makeMenu(
  shop: Shop,
  parts: { readonly menu?: object; readonly category?: object; readonly item?: object } = {},
): Promise<{ menu: string; category: string; item: string }> {
  const item = await shop.make("/items", { title: "Burger", price: 800, ...parts.item });
  const menu = await shop.make("", { title: "Menu", ...parts.menu });
  const category = await shop.make("/categories", {
    title: "Kitchen",
    menu_ids: [menu],
    item_ids: [item],
    ...parts.category,
  });
  return { menu, category, item };
}

/** Publishes and gives the version; throws when it is refused. */
export async function publish(shop: Shop, menu: string, body: object = {}): Promise<number> {
  const answer = await shop.post(`/${menu}/publish`, body);
  if (answer.status !== 200) throw new Error(`publish: ${answer.status} ${answer.text}`);
  return answer.json.data.menu_version;
}

export const pointersOf = (answer: Answer): string[] =>
  answer.json.error.errors.map(({ pointer, parameter }: { pointer?: string; parameter?: string }) =>
    String(pointer ?? parameter),
  );
/** Status and code of a refusal, as in `409 out_of_stock`. */
export const refusal = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;
export const idsOf = (answer: Answer): string[] => answer.json.data.map(({ id }: { id: string }) => id);
