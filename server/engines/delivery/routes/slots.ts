import { z } from "zod";

import { fail, invalidParameter } from "../../../lib/errors.ts";
import { defineRoute, values } from "../../../core/route.ts";
import { Id, listFields, LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { loadPlan } from "../repository.ts";
import type { Horizon, Plan } from "../rules/compile-plan.ts";
import { candidatesOf } from "../rules/list-slots.ts";
import type { Candidate } from "../rules/list-slots.ts";
import { resolveAddress } from "../rules/resolve-address.ts";
import { Country, Slot, SlotStatus } from "../schema.ts";
import type { Zone } from "../schema.ts";
import { exampleSlot } from "./examples.ts";
import { openCursor, signCursor } from "../../../core/computed-page.ts";
import { inSlices, readSlots } from "./read-slots.ts";
import type { SlotQuestion } from "./read-slots.ts";

const Query = z.object({
  ...listFields,
  postcode: z.string().max(64).optional(),
  zone_id: Id.optional(),
  country: Country.optional(),
  from: LocalDate.optional().meta({ description: "First day. Default: today" }),
  to: LocalDate.optional().meta({
    description: "Last day, within the horizon. Default: the end of the horizon",
  }),
  basket_total: z.coerce
    .number()
    .pipe(z.int().min(0))
    .optional()
    .meta({ description: "In minor units. If given, each slot includes its delivery fee" }),
  status: SlotStatus.optional(),
  channel: z.string().max(32).optional(),
});
type Query = z.output<typeof Query>;

const listSlots = defineRoute({
  id: "delivery.slots.list",
  method: "GET",
  path: "/slots",
  open: "public",
  summary: "List the slots of a zone, or of the zone of a postcode",
  description:
    "Ordered by time. A valid postcode outside every zone has no slots; validate returns the reason.",
  query: Query,
  data: z.array(Slot),
  errors: [{ type: "not_found", when: "No zone with the id zone_id" }],
  example: { query: { postcode: "SW1A 1AA", basket_total: 2999 }, data: [exampleSlot] },
  handle: async ({ query }, { tx, now }) => {
    const plan = await loadPlan(tx);
    const place = { part: tx.part, list: "slots" };
    const after = openCursor(place, query.cursor);
    const zone = findZone(plan, query);
    const horizon = plan.horizonAt(now);
    const span = spanOf(query, horizon);
    if (zone === null) return values([], { limit: query.limit });
    const question = { plan, zone, now, basketTotal: query.basket_total ?? null };
    // The days before that of the cursor are on earlier pages.
    const from = after === null || after.slice(0, 10) < span.from ? span.from : after.slice(0, 10);
    const candidates = candidatesOf(plan, zone, { ...span, from, channel: query.channel }, horizon);
    const { items, more } = await takeSlots(tx, question, { candidates, after }, query);
    const last = items.at(-1);
    const next = more && last !== undefined ? signCursor(place, orderOf(last.candidate)) : null;
    return values(
      items.map(({ slot }) => slot),
      { limit: query.limit, next },
    );
  },
});

interface Taken {
  readonly slot: Slot;
  readonly candidate: Candidate;
}

/** The first slots with the status, at most `limit`, and whether there is another one. */
async function takeSlots(
  tx: Tx,
  question: SlotQuestion,
  { candidates, after }: { readonly candidates: Iterable<Candidate>; readonly after: string | null },
  { limit, status }: Query,
): Promise<{ items: Taken[]; more: boolean }> {
  const items: Taken[] = [];
  let batch: Candidate[] = [];
  const readBatch = async (): Promise<void> => {
    const slots = await readSlots(tx, question, batch);
    for (const [at, slot] of slots.entries()) {
      const candidate = batch[at];
      if (candidate !== undefined && (status === undefined || slot.status === status))
        items.push({ slot, candidate });
    }
    batch = [];
  };
  for await (const candidate of inSlices(candidates)) {
    if (after !== null && orderOf(candidate) <= after) continue;
    batch.push(candidate);
    if (batch.length > limit) await readBatch();
    if (items.length > limit) break;
  }
  if (items.length <= limit) await readBatch();
  return { items: items.slice(0, limit), more: items.length > limit };
}

const orderOf = ({ date, window }: Candidate): string => `${date} ${window.start} ${window.id}`;

function findZone(plan: Plan, query: Query): Zone | null {
  const { postcode, zone_id: zoneId, country = plan.settings.country } = query;
  if ((postcode === undefined) === (zoneId === undefined)) {
    throw invalidParameter("postcode", "Specify either postcode or zone_id.");
  }
  if (zoneId !== undefined) {
    const zone = plan.zonesById.get(zoneId);
    if (zone === undefined) throw fail("not_found", "No zone with this id.");
    return zone;
  }
  const address = resolveAddress(plan.index, { postcode: postcode ?? "", country }, false);
  if (address.match === null)
    throw invalidParameter("postcode", address.reason?.detail ?? "The postcode is not valid.");
  return plan.zonesById.get(address.match.zoneId ?? "") ?? null;
}

function spanOf(query: Query, horizon: Horizon): { from: string; to: string } {
  const from = query.from === undefined || query.from < horizon.today ? horizon.today : query.from;
  const to = query.to ?? horizon.last;
  if (to > horizon.last)
    throw invalidParameter(
      "to",
      `\`to\` must not be later than ${horizon.last}, the last day that can be booked.`,
    );
  if (query.from !== undefined && to < query.from)
    throw invalidParameter("to", "`to` must not be earlier than `from`.");
  return { from, to };
}

export const slotRoutes = [listSlots];
