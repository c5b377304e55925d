import { z } from "zod";

import { invalidField } from "../../../kernel/errors.ts";
import { item, ok, defineRoute } from "../../../kernel/route.ts";
import { DEFAULT_SETTINGS, loadPlan, markChanged, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";
import { mergePatch } from "../../../kernel/merge-patch.ts";

const SettingsView = Settings.extend({
  version: z.int().nonnegative().meta({ description: "0 while the defaults hold" }),
});
const Patch = z.strictObject(settingsFields).partial();

const get = defineRoute({
  id: "delivery.settings.get",
  method: "GET",
  path: "/settings",
  summary: "Show the delivery settings",
  description: "A store that has saved none has the defaults, with version 0.",
  data: SettingsView,
  example: { data: { ...DEFAULT_SETTINGS, version: 0 } },
  handle: async (_input, { tx }) => {
    const stored = await tx.get(settingsDocs, "settings");
    return stored === null ? ok({ ...DEFAULT_SETTINGS, version: 0 }) : item(stored);
  },
});

const update = defineRoute({
  id: "delivery.settings.update",
  method: "PATCH",
  path: "/settings",
  summary: "Change the delivery settings",
  body: Patch,
  data: SettingsView,
  errors: [{ type: "precondition_failed", when: "If-Match names another version" }],
  example: {
    body: { horizon_days: 21, calendar_ids: ["gb-eng"] },
    data: {
      ...DEFAULT_SETTINGS,
      horizon_days: 21,
      calendar_ids: ["gb-eng"],
      updated_at: "2026-06-01T09:00:00.000Z",
      version: 11,
    },
  },
  handle: async ({ body }, ctx) => {
    const { tx } = ctx;
    const plan = await loadPlan(tx);
    const unknown = (body.calendar_ids ?? []).findIndex((id) => !plan.calendars.has(id));
    if (unknown >= 0) throw invalidField(["calendar_ids", unknown], "No such calendar.");
    const value = { ...mergePatch(plan.settings, body), updated_at: ctx.nowAt };
    await markChanged(tx, ctx.newId);
    const exists = (await tx.get(settingsDocs, "settings")) !== null;
    if (!exists) return item(tx.create(settingsDocs, value));
    return item(tx.put(settingsDocs, await ctx.current(settingsDocs, "settings"), value));
  },
});

export const settingsRoutes = [get, update];
