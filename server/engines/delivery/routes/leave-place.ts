import type { Ctx } from "../../../core/route.ts";
import { blockedDates, slotWindows } from "../repository.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { refuseManyLinks } from "./check-zone.ts";

/** Removes the references to a zone or location; a blocked date for it only is deleted. */
export async function leavePlace(
  { tx, nowAt }: Ctx,
  plan: Plan,
  field: "zone_ids" | "location_ids",
  placeId: string,
): Promise<void> {
  const windows = plan.windows.filter((window) => window[field].includes(placeId));
  const blocks = plan.blockedDates.filter((entry) => entry[field].includes(placeId));
  refuseManyLinks(windows.length + blocks.length);
  for (const { id, [field]: placeIds } of windows) {
    const stored = await tx.require(slotWindows, id);
    const rest = placeIds.filter((other) => other !== placeId);
    tx.put(slotWindows, stored, { ...stored.value, [field]: rest, updated_at: nowAt });
  }
  for (const { id, [field]: placeIds } of blocks) {
    const stored = await tx.require(blockedDates, id);
    const rest = placeIds.filter((other) => other !== placeId);
    if (rest.length === 0) tx.remove(blockedDates, stored);
    else tx.put(blockedDates, stored, { ...stored.value, [field]: rest, updated_at: nowAt });
  }
}
