import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { deliverySettings, loadPlan, markChanged } from "../repository.ts";
import { settingsFields } from "../schema/settings.ts";

export const settingsRoutes = deliverySettings.routes({
  summary: { get: "Show the delivery settings", update: "Change the delivery settings" },
  patch: z.strictObject(settingsFields).partial(),
  example: { horizon_days: 21, calendar_ids: ["gb-eng"] },
  async check({ calendar_ids: named = [] }, { tx, newId }) {
    const { calendars } = await loadPlan(tx);
    const unknown = named.findIndex((id) => !calendars.has(id));
    if (unknown >= 0) throw invalidField(["calendar_ids", unknown], "No calendar with this id.");
    await markChanged(tx, newId);
  },
});
