import type { Answer, Harness, TestKey } from "../../harness.ts";
import { createHarness } from "../../harness.ts";

/** A store spoken to over the whole pipeline. Paths are below /v1/cart. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  /** Partition of the key's data. */
  readonly part: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Makes or changes something and gives it; throws when it is refused. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  make(path: string, body?: unknown, method?: string): Promise<any>;
  /** `data` of a GET. */
  // oxlint-disable-next-line typescript/no-explicit-any
  read(path: string): Promise<any>;
}

/** Tuesday 10 June 2025, 09:00 in London. */
export const NOW = "2025-06-10T08:00:00.000Z";

export async function createShop(options: Parameters<typeof createHarness>[0] = {}): Promise<Shop> {
  return shopOf(await createHarness({ now: NOW, ...options }));
}

export async function shopOf(harness: Harness): Promise<Shop> {
  const key = await harness.key();
  const call: Shop["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/cart${path}`, { key, body, headers });
  const must = (answer: Answer, path: string) => {
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  };
  return {
    harness,
    key,
    part: key.storeId.toLowerCase(),
    call,
    make: async (path, body, method = "POST") => must(await call(method, path, body), path),
    read: async (path) => must(await call("GET", path), path),
  };
}

export const codeOf = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;

export const tenOff = { class: "order", value: { kind: "percent_off", value: 1000 } };

/** An offer that runs. */
export async function makeOffer(shop: Shop, more: object = {}) {
  const offer = await shop.make("/offers", { title: "Ten off", effect: tenOff, ...more });
  return shop.make(`/offers/${offer.id}/activate`);
}
