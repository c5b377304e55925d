import { z } from "zod";

import { ok } from "../../core/route.ts";
import { freezeStore, thawStore } from "../../storage/freeze.ts";
import { defineOperationsRoute } from "../context.ts";

const SECONDS_MAX = 3600;

const freezeStorage = defineOperationsRoute({
  id: "admin.storage.freeze",
  method: "POST",
  path: "/storage/freeze",
  summary: "Take no writes, on any node, while the data is being moved",
  description:
    "Reads go on; writes are answered with 503 and Retry-After. Other nodes obey within a second. Ask again to go on for longer.",
  body: z.strictObject({
    reason: z.string().min(1).max(200).meta({ description: "For the operator who meets it." }),
    seconds: z
      .int()
      .min(1)
      .max(SECONDS_MAX)
      .nullable()
      .meta({ description: "It ends by itself after this; null: not before somebody thaws it." }),
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
  summary: "Take writes again",
  data: z.strictObject({ frozen: z.boolean() }),
  example: { data: { frozen: false } },
  async handle(_input, { deps: { store } }) {
    await thawStore(store);
    return ok({ frozen: false });
  },
});

export const freezeRoutes = [freezeStorage, thawStorage];
