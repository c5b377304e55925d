import { z } from "zod";

import { fail, invalidField } from "../../lib/errors.ts";
import { ok } from "../../core/reply.ts";
import { readPreparedDemo } from "../prepared-demo.ts";
import { clearSeed, findSeedStore, SeedCounts, SeedResult, seedStore } from "../seed.ts";
import { defineOperationsRoute } from "../context.ts";

const StoreName = z.string().min(1).max(255).meta({ description: "Store id, or `demo-bakery`" });

const example = { store_id: "sto_01JD8Z5T9QK3M4N5P6R7S8T9V0", store: "demo-bakery" };
const exampleCounts = { "delivery.zones": 3, "delivery.slot_windows": 8 };

const seedRoute = defineOperationsRoute({
  id: "admin.seed.run",
  method: "POST",
  path: "/seed",
  summary: "Seed a store with demo data",
  description:
    "Default: the store demo-bakery of a demo customer, which is created if it does not exist. Repeating the request creates missing documents only.",
  body: z.strictObject({ engines: z.array(z.string()).min(1).optional(), store: StoreName.optional() }),
  data: SeedResult,
  errors: [
    { type: "not_found", when: "No store has this id" },
    { type: "unprocessable_content", when: "No engine has this name" },
  ],
  example: {
    body: { engines: ["delivery"] },
    data: { customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2", ...example, created: 11, counts: exampleCounts },
  },
  async handle({ body }, { deps, now }) {
    const known = new Set(deps.engines.map(({ name }) => name));
    for (const [index, name] of (body.engines ?? []).entries()) {
      if (!known.has(name)) throw invalidField(["engines", index], `Unknown engine ${JSON.stringify(name)}.`);
    }
    const prepared = await readPreparedDemo();
    return ok(
      await seedStore(deps, { now, store: body.store ?? null, engines: body.engines ?? null, prepared }),
    );
  },
});

const clearSeedRoute = defineOperationsRoute({
  id: "admin.seed.clear",
  method: "POST",
  path: "/seed/clear",
  summary: "Remove the demo data from a store",
  body: z.strictObject({ store: StoreName.optional() }),
  data: z.strictObject({ store_id: z.string(), store: z.string(), removed: z.int(), counts: SeedCounts }),
  errors: [{ type: "not_found", when: "No store has this id" }],
  example: { body: {}, data: { ...example, removed: 11, counts: exampleCounts } },
  async handle({ body }, { deps, now }) {
    const store = await findSeedStore(deps, body.store ?? null);
    if (store === null) throw fail("not_found", "No store with this id.");
    return ok(await clearSeed(deps, { now, store }));
  },
});

export const seedRoutes = [seedRoute, clearSeedRoute];
