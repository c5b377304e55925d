import { createHarness } from "../../../harness.ts";
import type { Answer, Harness, TestKey } from "../../../harness.ts";

/** A store with a key, spoken to over the whole pipeline. Paths are below /v1/delivery. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
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
    harness.call(method, `/v1/delivery${path}`, { key, body, headers });
  return {
    harness,
    key,
    call,
    get: (path) => call("GET", path),
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

export interface FixtureIds {
  readonly z1: string;
  readonly z2: string;
  readonly z3: string;
}

const tiers = (...steps: readonly (readonly [number, number])[]) =>
  steps.map(([from, fee]) => ({ from, fee }));

/** Fixture F of the engine's notes, made through the API. */
export async function makeFixture(shop: Shop): Promise<FixtureIds> {
  const z1 = await shop.make("/zones", {
    name: "Z1",
    patterns: ["SW1", "WC2"],
    excludes: ["SW1X"],
    priority: 10,
    minimum_order: 1500,
    fee_tiers: tiers([0, 499], [3000, 299], [5000, 0]),
  });
  const z2 = await shop.make("/zones", {
    name: "Z2",
    patterns: ["SW1-SW9", "SE1"],
    priority: 5,
    minimum_order: 2000,
    fee_tiers: tiers([0, 699], [4000, 399], [8000, 0]),
  });
  const z3 = await shop.make("/zones", {
    name: "Z3",
    patterns: ["SW", "SE"],
    excludes: ["SE28"],
    priority: 1,
    minimum_order: 2500,
    fee_tiers: tiers([0, 899]),
  });
  return { z1, z2, z3 };
}

const everyDay = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A window of 09:00 to 12:00 on every day. */
export const makeWindow = (shop: Shop, zoneIds: readonly string[], more: object = {}): Promise<string> =>
  shop.make("/slot-windows", {
    zone_ids: zoneIds,
    days: everyDay,
    start: "09:00",
    end: "12:00",
    capacity: 10,
    ...more,
  });

export const codesOf = (answer: Answer): string[] =>
  answer.json.data.reasons.map(({ code }: { code: string }) => code);
export const idsOf = (answer: Answer): string[] => answer.json.data.map(({ id }: { id: string }) => id);
export const pointersOf = (answer: Answer): string[] =>
  answer.json.error.errors.map(({ pointer, parameter }: { pointer?: string; parameter?: string }) =>
    String(pointer ?? parameter),
  );
/** Status and code of a refusal, as in `409 slot_full`. */
export const refusal = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;
