import { z } from "zod";

import { fail, invalidField } from "../../lib/errors.ts";
import { ok } from "../../core/route.ts";
import { clearSeed, findSeedStore, seedStore } from "../seed.ts";
import { defineOperationsRoute } from "../context.ts";

const StoreName = z.string().min(1).max(255).meta({ description: "Id of a store, or `demo-bakery`" });

const counts = z.record(z.string(), z.int()).meta({ description: "Documents of demo data by collection" });

const SeedView = z.strictObject({
  customer_id: z.string(),
  store_id: z.string(),
  store: z.string().meta({ description: "The store's identifier" }),
  created: z.int().meta({ description: "Documents that were not there before" }),
  counts,
});

const example = { store_id: "sto_01JD8Z5T9QK3M4N5P6R7S8T9V0", store: "demo-bakery" };
const exampleCounts = { "delivery.zones": 3, "delivery.slot_windows": 8 };

const seedRoute = defineOperationsRoute({
  id: "admin.seed.run",
  method: "POST",
  path: "/seed",
  summary: "Fill a store with demo data",
  description:
    "Without `store`: the store demo-bakery of a demo customer, which is made when it is missing. Repeating it adds what is missing and changes nothing else.",
  body: z.strictObject({ engines: z.array(z.string()).min(1).optional(), store: StoreName.optional() }),
  data: SeedView,
  errors: [
    { type: "not_found", when: "there is no such store" },
    { type: "unprocessable_content", when: "there is no such engine" },
  ],
  example: {
    body: { engines: ["delivery"] },
    data: { customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2", ...example, created: 11, counts: exampleCounts },
  },
  async handle({ body }, { deps, now }) {
    const known = new Set(deps.engines.map(({ name }) => name));
    for (const [index, name] of (body.engines ?? []).entries()) {
      if (!known.has(name))
        throw invalidField(["engines", index], `There is no engine ${JSON.stringify(name)}.`);
    }
    return ok(await seedStore(deps, { now, store: body.store ?? null, engines: body.engines ?? null }));
  },
});

const clearSeedRoute = defineOperationsRoute({
  id: "admin.seed.clear",
  method: "POST",
  path: "/seed/clear",
  summary: "Remove the demo data from a store, and nothing else",
  body: z.strictObject({ store: StoreName.optional() }),
  data: z.strictObject({ store_id: z.string(), store: z.string(), removed: z.int(), counts }),
  errors: [{ type: "not_found", when: "there is no such store" }],
  example: { body: {}, data: { ...example, removed: 11, counts: exampleCounts } },
  async handle({ body }, { deps, now }) {
    const store = await findSeedStore(deps, body.store ?? null);
    if (store === null) throw fail("not_found", "No store with this id.");
    return ok(await clearSeed(deps, { now, store }));
  },
});

export const seedRoutes = [seedRoute, clearSeedRoute];
