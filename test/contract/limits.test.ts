import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { budgets, BUDGETS_MAX } from "../../server/core/ai-ledger.ts";
import type { Collection } from "../../server/core/collection.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { brands, prompts, questions } from "../../server/engines/answeros/repository.ts";
import { ANSWEROS_LIMITS } from "../../server/engines/answeros/schema.ts";
import { policies as cateringPolicies } from "../../server/engines/catering/repository.ts";
import { CATERING_LIMITS } from "../../server/engines/catering/schema/parts.ts";
import { blockedDates, calendars, slotWindows, zones } from "../../server/engines/delivery/repository.ts";
import { DELIVERY_LIMITS } from "../../server/engines/delivery/schema/limits.ts";
import { FORMS_LIMITS } from "../../server/engines/forms/data/limits.ts";
import { forms } from "../../server/engines/forms/repository.ts";
import { gateways, plans, policies } from "../../server/engines/subscriptions/repository.ts";
import { SUBSCRIPTION_LIMITS } from "../../server/engines/subscriptions/schema/parts.ts";
import { programmes } from "../../server/engines/tiers/repository.ts";
import { TIER_LIMITS } from "../../server/engines/tiers/schema/programme.ts";
import { ENDPOINTS_MAX } from "../../server/operations/webhooks/endpoints.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { copyIn } from "./scene.ts";
import { endpoints } from "./world.ts";

/** A document of any collection, for copies of one that a route created. */
type AnyCollection = Collection<{ id: string }>;
const any = <T extends { id: string }>(collection: Collection<T>): AnyCollection =>
  collection as unknown as AnyCollection;

type Body = Readonly<Record<string, unknown>>;
const named = (body: Body, n: number): Body => ({ ...body, name: `Number ${n}` });
const same = (body: Body): Body => body;

/** Routes that declare `limit_reached`, the collection they add to, its limit, and how two of their bodies differ. */
const LIMITS: readonly [id: string, AnyCollection, max: number, vary: (body: Body, n: number) => Body][] = [
  [
    "answeros.brands.create",
    any(brands),
    ANSWEROS_LIMITS.brands,
    (body, n) => ({ ...named(body, n), aliases: [], domains: [] }),
  ],
  [
    "answeros.prompts.create",
    any(prompts),
    ANSWEROS_LIMITS.prompts,
    (body, n) => ({ ...body, text: `Which loaf is number ${n}?` }),
  ],
  [
    "answeros.questions.create",
    any(questions),
    ANSWEROS_LIMITS.questions,
    (body, n) => ({ ...body, text: `Is it number ${n}?` }),
  ],
  ["catering.policies.create", any(cateringPolicies), CATERING_LIMITS.policies, same],
  ["content.budgets.create", any(budgets), BUDGETS_MAX, same],
  ["delivery.blocked-dates.create", any(blockedDates), DELIVERY_LIMITS.blockedDates, same],
  ["delivery.calendars.create", any(calendars), DELIVERY_LIMITS.calendars, named],
  [
    "delivery.slot-windows.create",
    any(slotWindows),
    DELIVERY_LIMITS.windows,
    (body, n) => ({ ...named(body, n), zone_ids: [zoneId] }),
  ],
  [
    "delivery.zones.create",
    any(zones),
    DELIVERY_LIMITS.zones,
    (body, n) => ({ ...named(body, n), patterns: [], country: "GB" }),
  ],
  ["forms.forms.create", any(forms), FORMS_LIMITS.forms, named],
  ["subscriptions.dunning-policies.create", any(policies), SUBSCRIPTION_LIMITS.policies, same],
  ["subscriptions.gateways.create", any(gateways), SUBSCRIPTION_LIMITS.gateways, same],
  ["subscriptions.plans.create", any(plans), SUBSCRIPTION_LIMITS.plans, same],
  ["tiers.programmes.create", any(programmes), TIER_LIMITS.programmes, named],
];
/** A zone that slot windows are for. */
let zoneId = "";
/** Left places, and how many requests want them at once. */
const LEFT = 1;
const AT_ONCE = 8;

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

describe("a limit on the number of resources", () => {
  it.each(LIMITS)("holds under parallel requests: %s", async (id, collection, max, vary) => {
    const endpoint = endpoints.find(({ route }) => route.id === id);
    if (endpoint === undefined) throw new Error(`There is no route ${id}.`);
    const key = await harness.key({ plan: "enterprise" });
    const body = Object(endpoint.route.example.body);
    if (id === "delivery.slot-windows.create") zoneId = await createZone(key);
    const send = (n: number) => harness.call("POST", endpoint.path, { key, body: vary(body, n) });
    const first = await send(0);
    expect(first.status, first.text).toBe(201);
    const part = storePartition(key.storeId, "live");
    await copyIn(harness, part, { collection, id: first.json.data.id, count: max - 1 - LEFT });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(index + 1)));
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { json, text } of refused) expect(json.error.code, text).toBe("limit_reached");
    expect(refused).toHaveLength(AT_ONCE - LEFT);
  });
});

describe("a limit of a plan or of open work", () => {
  const post = (key: TestKey, path: string, body: (n: number) => unknown, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => harness.call("POST", path, { key, body: body(n) })));
  const created = (answers: readonly { readonly status: number }[]) =>
    answers.filter(({ status }) => status === 201 || status === 202).length;

  it("holds for the active keys of a customer", async () => {
    const key = await harness.key({ plan: "starter" });
    const answers = await post(
      key,
      "/v1/account/keys",
      (n) => ({ name: `Key ${n}`, preset: "full" }),
      AT_ONCE,
    );
    expect(created(answers)).toBe(5);
  });

  it("holds for the stores of a customer", async () => {
    const key = await harness.key({ plan: "growth" });
    const add = (n: number) =>
      harness.admin("POST", "/api/platform/admin/stores", {
        body: { customer_id: key.customerId, identifier: `shop-${n}` },
      });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => add(n)));
    expect(created(answers)).toBe(4);
  });

  it("holds for webhook endpoints", async () => {
    const key = await harness.key({ plan: "enterprise" });
    const body = (n: number) => ({ url: `https://shop.example/${n}`, types: ["reviews.review.published"] });
    expect(created(await post(key, "/v1/account/webhooks", body, ENDPOINTS_MAX + 6))).toBe(ENDPOINTS_MAX);
  });

  it("holds for exports that are not done", async () => {
    const key = await harness.key({ plan: "enterprise" });
    expect(created(await post(key, "/v1/reviews/exports", () => ({ format: "csv" }), AT_ONCE))).toBe(5);
  });
});

async function createZone(key: TestKey): Promise<string> {
  const zone = endpoints.find(({ route }) => route.id === "delivery.zones.create");
  const answer = await harness.call("POST", "/v1/delivery/zones", { key, body: zone?.route.example.body });
  return answer.json.data.id;
}
