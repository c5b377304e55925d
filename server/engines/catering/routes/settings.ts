import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { defineRoute, item, ok } from "../../../kernel/route.ts";
import { DEFAULT_SETTINGS, readSettings, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";

const SettingsView = Settings.extend({
  version: z.int().nonnegative().meta({ description: "0 while the defaults hold" }),
});

const get = defineRoute({
  id: "catering.settings.get",
  method: "GET",
  path: "/settings",
  summary:
    "Show the settings: the shop's name and address, zone, holidays, and what a new quote has that says nothing else",
  data: SettingsView,
  example: { data: { ...DEFAULT_SETTINGS, version: 0 } },
  async handle(_input, { tx }) {
    const stored = await tx.get(settingsDocs, "settings");
    return stored === null ? ok({ ...DEFAULT_SETTINGS, version: 0 }) : item(stored);
  },
});

const update = defineRoute({
  id: "catering.settings.update",
  method: "PATCH",
  path: "/settings",
  scope: "manage",
  summary: "Change the settings",
  body: z.strictObject(settingsFields).partial(),
  data: SettingsView,
  errors: [{ type: "precondition_failed", when: "If-Match names another version" }],
  example: {
    body: { shop_name: "Demo Bakery & Roastery" },
    data: {
      ...DEFAULT_SETTINGS,
      shop_name: "Demo Bakery & Roastery",
      updated_at: "2026-06-01T09:00:00.000Z",
      version: 11,
    },
  },
  async handle({ body }, ctx) {
    const value = { ...mergePatch(await readSettings(ctx.tx), body), updated_at: ctx.nowAt };
    if ((await ctx.tx.get(settingsDocs, "settings")) === null)
      return item(ctx.tx.create(settingsDocs, value));
    return item(ctx.tx.put(settingsDocs, await ctx.current(settingsDocs, "settings"), value));
  },
});

export const settingsRoutes = [get, update];
