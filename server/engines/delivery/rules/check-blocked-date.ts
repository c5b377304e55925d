import { parseRecurrence } from "../../../lib/recurrence.ts";
import type { BlockEntry } from "./expand-blocks.ts";

export interface BlockFault {
  readonly field: string;
  readonly detail: string;
}

/**
 * Checks that a blocked date specifies when (exactly one of `date`, `from` with `to`, `rrule` with `from`,
 * `calendar_id`)
 * and for what (ids that match the scope). Returns the first error, or null.
 */
export function checkBlockedDate(entry: Omit<BlockEntry, "id">): BlockFault | null {
  return checkWhen(entry) ?? checkScope(entry) ?? checkRanges(entry);
}

function checkWhen({ date, from, to, rrule, calendar_id }: Omit<BlockEntry, "id">): BlockFault | null {
  const kinds = [date !== null, rrule !== null || from !== null || to !== null, calendar_id !== null];
  if (kinds.filter(Boolean).length !== 1) {
    return {
      field: "date",
      detail: "Specify exactly one of date, from with to, rrule with from, or calendar_id.",
    };
  }
  if (date !== null || calendar_id !== null) return null;
  if (from === null) return { field: "from", detail: "`from` is required: the first day." };
  if (rrule === null && to === null) return { field: "to", detail: "`to` is required: the last day." };
  if (to !== null && to < from) return { field: "to", detail: "`to` must not be earlier than `from`." };
  if (rrule === null) return null;
  const recurrence = parseRecurrence(rrule, from);
  return recurrence.ok ? null : { field: "rrule", detail: recurrence.detail };
}

const IDS_OF_SCOPE = {
  zones: "zone_ids",
  locations: "location_ids",
  slot_windows: "slot_window_ids",
} as const;

function checkScope(entry: Omit<BlockEntry, "id">): BlockFault | null {
  const { scope } = entry;
  const wanted = scope === "all" ? null : IDS_OF_SCOPE[scope];
  for (const field of Object.values(IDS_OF_SCOPE)) {
    const count = entry[field].length;
    if (field === wanted && count === 0) return { field, detail: `Required with scope \`${scope}\`.` };
    if (field !== wanted && count > 0) return { field, detail: `Not allowed with scope \`${scope}\`.` };
  }
  return null;
}

/** An empty range would be a whole day, because an end at or before the start is on the next day. */
function checkRanges({ ranges }: Omit<BlockEntry, "id">): BlockFault | null {
  return ranges.some(({ start, end }) => start === end)
    ? {
        field: "ranges",
        detail: "The range is empty: it starts and ends at the same time. Omit ranges to block a whole day.",
      }
    : null;
}
