import { z } from "zod";

import { ok } from "../../core/reply.ts";
import { freezeStore, thawStore } from "../../storage/freeze.ts";
import { defineOperationsRoute } from "../context.ts";

const SECONDS_MAX = 3600;

const freezeStorage = defineOperationsRoute({
  id: "admin.storage.freeze",
  method: "POST",
  path: "/storage/freeze",
  summary: "Freeze writes on all nodes during a migration",
  description:
    "Reads continue; writes fail with 503 and Retry-After. Other nodes follow within a second. Call again to extend the freeze.",
  body: z.strictObject({
    reason: z.string().min(1).max(200).meta({ description: "Shown to operators while writes are frozen." }),
    seconds: z
      .int()
      .min(1)
      .max(SECONDS_MAX)
      .nullable()
      .meta({ description: "Duration after which the freeze ends; null: until it is thawed." }),
  }),
  data: z.strictObject({ reason: z.string(), until_ms: z.int().nullable() }),
  example: {
    body: { reason: "it is being copied to redis 10.0.0.5:6379", seconds: 60 },
    data: { reason: "it is being copied to redis 10.0.0.5:6379", until_ms: 1_795_253_000_000 },
  },
  async handle({ body: { reason, seconds } }, { deps: { store }, now }) {
    const untilMs = seconds === null ? null : now + seconds * 1000;
    await freezeStore(store, { untilMs, reason });
    // Behind every write of this process that was on its way when the first one came.
    await freezeStore(store, { untilMs, reason });
    return ok({ reason, until_ms: untilMs });
  },
});

const thawStorage = defineOperationsRoute({
  id: "admin.storage.thaw",
  method: "POST",
  path: "/storage/thaw",
  summary: "Thaw: accept writes again",
  data: z.strictObject({ frozen: z.boolean() }),
  example: { data: { frozen: false } },
  async handle(_input, { deps: { store } }) {
    await thawStore(store);
    return ok({ frozen: false });
  },
});

export const freezeRoutes = [freezeStorage, thawStorage];
