import type { Harness, TestKey } from "../../harness.ts";
import { createHarness } from "../../harness.ts";
import { events } from "../../../server/engines/subscriptions/repository.ts";
import type { Answer } from "../../harness.ts";

/** A store with a test key, spoken to over the whole pipeline. Paths are below /v1/subscriptions. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  /** Partition of the key's data. */
  readonly part: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  /** Makes something and gives it; throws when it is refused. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  make(path: string, body: unknown): Promise<any>;
  /** `data` of a GET. */
  // oxlint-disable-next-line typescript/no-explicit-any
  read(path: string): Promise<any>;
  /** Advances the store's clock and gives the effects as `type` texts. */
  advance(to: string): Promise<string[]>;
}

/** Sunday 1 February 2026, 09:00 in London. */
export const NOW = "2026-02-01T09:00:00.000Z";

/** With `clock`, the test data get a clock of their own at that instant. */
export async function createShop(
  options: Parameters<typeof createHarness>[0] & { clock?: string; mode?: "live" | "test" } = {},
): Promise<Shop> {
  const { clock, mode = "test", ...rest } = options;
  const harness = await createHarness({ now: NOW, ...rest });
  const shop = shopOf(harness, await harness.key({ mode }));
  if (clock !== undefined) await setClock(harness, shop.key, "", { now: clock });
  return shop;
}

export function shopOf(harness: Harness, key: TestKey): Shop {
  const call: Shop["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/subscriptions${path}`, { key, body, headers });
  const part = `${key.storeId.toLowerCase()}${key.plaintext.startsWith("plat_test_") ? "_test" : ""}`;
  const eventsOf = async () => {
    const { runTx } = harness.services;
    return (await runTx(part, (tx) => tx.peekAll(events))).map(({ value }) => value).toReversed();
  };
  const must = (answer: Answer, path: string) => {
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  };
  return {
    harness,
    key,
    part,
    call,
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body),
    make: async (path, body) => must(await call("POST", path, body), path),
    read: async (path) => must(await call("GET", path), path),
    async advance(to) {
      const before = new Set((await eventsOf()).map(({ id }) => id));
      await setClock(harness, key, "", { now: to }).catch(() => undefined);
      for (let reached = false; !reached;) {
        const data = await setClock(harness, key, "/advance", { to });
        if (data.failed > 0) throw new Error(`The clock stopped at ${data.clock.now}.`);
        reached = data.reached;
      }
      return (await eventsOf()).filter(({ id }) => !before.has(id)).map(({ type }) => type);
    },
  };
}

/** Creates or advances the clock of the key's test data. */
export async function setClock(harness: Harness, key: TestKey, path: "" | "/advance", body: object) {
  const answer = await harness.call("POST", `/v1/account/test-clock${path}`, { key, body });
  if (answer.status >= 300) throw new Error(`test-clock${path}: ${answer.status} ${answer.text}`);
  return answer.json.data;
}

export const line = (unitPrice = 1000, more: object = {}) => ({
  product_ref: "coffee",
  title: "Coffee",
  quantity: 1,
  unit_price: unitPrice,
  ...more,
});

/** A gateway of kind test and a payment method with this token. */
export async function makeMethod(
  shop: Shop,
  token: string,
  customer = "ada",
): Promise<{ gateway: string; method: string }> {
  const gateway = await shop.make("/gateways", { title: "Test", kind: "test" });
  const method = await shop.make("/payment-methods", {
    customer_id: customer,
    gateway_id: gateway.id,
    token_ref: token,
  });
  return { gateway: gateway.id, method: method.id };
}

/** A monthly contract that begins today, paid with this token. */
export async function makeContract(shop: Shop, token: string, more: object = {}) {
  const { gateway, method } = await makeMethod(shop, token);
  const contract = await shop.make("/contracts", {
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    lines: [line()],
    interval: { unit: "month", count: 1 },
    payment_method_id: method,
    ...more,
  });
  return { gateway, method, id: contract.id as string, contract };
}

/** Calls of the test gateway in order, as `method outcome`. */
export async function callsOf(shop: Shop, gateway: string): Promise<string[]> {
  const calls = await shop.read(`/gateways/${gateway}/calls?limit=100`);
  return calls
    .map(({ method, outcome }: { method: string; outcome: string }) => `${method} ${outcome}`)
    .toReversed();
}

export const refusal = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;
export const pointersOf = (answer: Answer): string[] =>
  answer.json.error.errors.map(({ pointer, parameter }: { pointer?: string; parameter?: string }) =>
    String(pointer ?? parameter),
  );
