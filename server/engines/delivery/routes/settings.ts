import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { settingsRoutes as routesOf } from "../../../core/settings-routes.ts";
import { DEFAULT_SETTINGS, loadPlan, markChanged, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";

export const settingsRoutes = routesOf({
  engine: "delivery",
  summary: { get: "Show the delivery settings", update: "Change the delivery settings" },
  collection: settingsDocs,
  schema: Settings,
  patch: z.strictObject(settingsFields).partial(),
  defaults: DEFAULT_SETTINGS,
  example: { horizon_days: 21, calendar_ids: ["gb-eng"] },
  async check({ calendar_ids: named = [] }, { tx, newId }) {
    const { calendars } = await loadPlan(tx);
    const unknown = named.findIndex((id) => !calendars.has(id));
    if (unknown >= 0) throw invalidField(["calendar_ids", unknown], "No calendar with this id.");
    await markChanged(tx, newId);
  },
});
