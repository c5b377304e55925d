import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { defineRoute, item, ok } from "../../../kernel/route.ts";
import { DEFAULT_SETTINGS, readSettings, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";
import { stale } from "./env.ts";

const get = defineRoute({
  id: "cart.settings.get",
  method: "GET",
  path: "/settings",
  summary: "Currency, time zone and name of the shop",
  data: Settings.extend({ version: z.int().optional() }),
  example: { data: DEFAULT_SETTINGS },
  async handle(_, { tx }) {
    const stored = await tx.get(settingsDocs, "settings");
    return stored === null ? ok(DEFAULT_SETTINGS) : item(stored);
  },
});

const update = defineRoute({
  id: "cart.settings.update",
  method: "PATCH",
  path: "/settings",
  summary: "Change settings",
  description: "Weekdays, quiet hours and dates go by the time zone.",
  body: z.strictObject(settingsFields).partial(),
  data: Settings.extend({ version: z.int() }),
  errors: [stale],
  example: {
    body: { shop_name: "Demo Bakery" },
    data: {
      ...DEFAULT_SETTINGS,
      shop_name: "Demo Bakery",
      updated_at: "2026-06-01T09:00:00.000Z",
      version: 11,
    },
  },
  async handle({ body }, ctx) {
    const value = { ...mergePatch(await readSettings(ctx.tx), body), updated_at: ctx.nowAt };
    if ((await ctx.tx.get(settingsDocs, "settings")) === null) {
      return item(ctx.tx.create(settingsDocs, value));
    }
    return item(ctx.tx.put(settingsDocs, await ctx.current(settingsDocs, "settings"), value));
  },
});

export const settingsRoutes = [get, update];
