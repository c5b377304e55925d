import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { defineRoute, item, ok } from "../../../kernel/route.ts";
import { DEFAULT_SETTINGS, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";

const SettingsView = Settings.extend({
  version: z.int().nonnegative().meta({ description: "0 while the defaults hold" }),
});

const get = defineRoute({
  id: "allergens.settings.get",
  method: "GET",
  path: "/settings",
  summary: "Show the allergen settings",
  description: "A store that has saved none has the defaults, with version 0.",
  data: SettingsView,
  example: { data: { ...DEFAULT_SETTINGS, version: 0 } },
  handle: async (_input, { tx }) => {
    const stored = await tx.get(settingsDocs, "settings");
    return stored === null ? ok({ ...DEFAULT_SETTINGS, version: 0 }) : item(stored);
  },
});

const update = defineRoute({
  id: "allergens.settings.update",
  method: "PATCH",
  path: "/settings",
  summary: "Change the allergen settings",
  description:
    "Another default mode holds from the next request on: what is declared is worked out when it is read.",
  body: z.strictObject(settingsFields).partial(),
  data: SettingsView,
  errors: [{ type: "precondition_failed", when: "If-Match names another version" }],
  example: {
    body: { default_mode: "eu", stale_after_days: 180 },
    data: {
      ...DEFAULT_SETTINGS,
      default_mode: "eu",
      stale_after_days: 180,
      updated_at: "2026-06-01T09:00:00.000Z",
      version: 11,
    },
  },
  handle: async ({ body }, ctx) => {
    const { tx, nowAt } = ctx;
    const before = await tx.get(settingsDocs, "settings");
    const value = { ...mergePatch(before?.value ?? DEFAULT_SETTINGS, body), updated_at: nowAt };
    if (before === null) return item(tx.create(settingsDocs, value));
    return item(tx.put(settingsDocs, await ctx.current(settingsDocs, "settings"), value));
  },
});

export const settingsRoutes = [get, update];
