import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { defineRoute, item, ok } from "../../../kernel/route.ts";
import { DEFAULT_SETTINGS, readSettings, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";
import { stale } from "./write.ts";

const SettingsView = Settings.extend({
  version: z.int().nonnegative().meta({ description: "0 while the defaults hold" }),
});

const getSettings = defineRoute({
  id: "menus.settings.get",
  method: "GET",
  path: "/settings",
  summary: "Show the menu settings",
  description: "A store that has saved none has the defaults, with version 0.",
  data: SettingsView,
  example: { data: { ...DEFAULT_SETTINGS, version: 0 } },
  handle: async (_input, { tx }) => {
    const stored = await tx.get(settingsDocs, "settings");
    return stored === null ? ok({ ...DEFAULT_SETTINGS, version: 0 }) : item(stored);
  },
});

const updateSettings = defineRoute({
  id: "menus.settings.update",
  method: "PATCH",
  path: "/settings",
  summary: "Change the menu settings",
  description:
    "default_locale names the language of texts that are sent without one from now on; texts that are there keep theirs.",
  body: z.strictObject(settingsFields).partial(),
  data: SettingsView,
  errors: [stale],
  example: {
    body: { kcal_labelling: "england" },
    data: {
      ...DEFAULT_SETTINGS,
      kcal_labelling: "england",
      updated_at: "2026-06-01T09:00:00.000Z",
      version: 11,
    },
  },
  handle: async ({ body }, ctx) => {
    const { tx } = ctx;
    const value = { ...mergePatch(await readSettings(tx), body), updated_at: ctx.nowAt };
    const exists = (await tx.get(settingsDocs, "settings")) !== null;
    if (!exists) return item(tx.create(settingsDocs, value));
    return item(tx.put(settingsDocs, await ctx.current(settingsDocs, "settings"), value));
  },
});

export const settingsRoutes = [getSettings, updateSettings];
