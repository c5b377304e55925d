import { readShop } from "../../core/shop.ts";
import { z } from "zod";

import { defineCollection, newestFirst, timeOrder } from "../../core/collection.ts";
import { conflict } from "../../lib/errors.ts";
import { derivedId, sha256Hex } from "../../core/ids.ts";
import { Instant } from "../../core/schema.ts";
import type { Tx } from "../../core/tx.ts";
import {
  personalAggregate,
  personalMember,
  personalRecalculation,
  personalRecord,
} from "./schema/personal.ts";
import { TierEvent } from "./schema/event.ts";
import { Programme, programmeAdditions, programmeDefaults, Published } from "./schema/programme.ts";
import type { Rules } from "./schema/programme.ts";
import { Recalculation, RecalculationMove, RfmCutsShape } from "./schema/recalculation.ts";
import { CustomerAggregate, Member, TierMove } from "./schema.ts";

/** Newest first, for ids without a timestamp. */
const byAge = ({ created_at: at }: { readonly created_at: string }): string => newestFirst(at);
const inverted = (value: number): string => String(Math.max(0, INVERT - value)).padStart(15, "0");
const INVERT = 999_999_999_999_999;

/** A customer has one aggregate: its id is derived from the store's own customer id. */
export const memberId = (customerId: string): string => derivedId("tcu", new Uint8Array(), [customerId]);

/** Hash of the store's customer id as an index value: user text never becomes part of a key. */
export function filedCustomer(customerId: string): string {
  // Asked for the old and the new state of a document in turn.
  if (lastFiled.customerId !== customerId)
    lastFiled = { customerId, filed: `customer.${sha256Hex(customerId).slice(0, 32)}` };
  return lastFiled.filed;
}
let lastFiled = { customerId: "", filed: `customer.${sha256Hex("").slice(0, 32)}` };

export const customers = defineCollection({
  name: "tiers.customers",
  personal: personalAggregate,
  schema: CustomerAggregate,
  isComputed: true,
  indexes: {
    // An aggregate's id is derived from its customer, so its order has no meaning.
    new: { values: () => [""], order: byAge },
    by: {
      values: ({ tier, rfm, customer_id: id }) => [
        tier.level_id,
        `state.${tier.state}`,
        filedCustomer(id),
        ...(rfm === null ? [] : [`segment.${rfm.segment}`]),
      ],
      order: byAge,
    },
    expiring: {
      values: ({ tier }) => (tier.expires_on === null ? [] : [""]),
      order: ({ tier }) => tier.expires_on ?? "",
    },
    /** Highest spend first. */
    spend: { values: () => [""], order: ({ totals }) => inverted(totals.spend) },
    /** Nearest to the next level first. */
    near: {
      values: ({ next_level: next }) => (next === null ? [] : [""]),
      order: ({ next_level: next }) => inverted(next?.progress_bps ?? 0),
    },
  },
});

export const members = defineCollection({
  name: "tiers.members",
  personal: personalMember,
  unlisted: true,
  schema: Member,
  schemaVersion: 2,
  upgrade: ({ shown: _shown, programme_id: _programme, programme_version: _version, ...old }) => old,
  isComputed: true,
  indexes: {
    /** By id: the order in which a recalculation processes members. */
    all: { values: ({ merged_into: gone }) => (gone === null ? [""] : []), order: ({ id }) => id },
    due: {
      values: ({ next_check_on: on }) => (on === null ? [] : [""]),
      order: ({ next_check_on: on }) => on ?? "",
    },
  },
});

export const moves = defineCollection({
  name: "tiers.moves",
  personal: personalRecord<TierMove>(),
  unlisted: true,
  schema: TierMove,
  isComputed: true,
  indexes: {
    by: {
      values: ({ customer_id: id }) => [id],
      order: ({ created_at: at, seq }) => `${inverted(Date.parse(at))}-${inverted(seq)}`,
    },
    /** Ordered by time, for counting. */
    counted: { values: ({ kind }) => [kind], order: ({ created_at }) => timeOrder(created_at) },
  },
});

export const events = defineCollection({
  name: "tiers.events",
  personal: personalRecord<TierEvent>(),
  unlisted: true,
  schema: TierEvent,
  indexes: { by: { values: ({ customer_id: id }) => [id], order: byAge } },
});

export const programmes = defineCollection({
  name: "tiers.programmes",
  schema: Programme,
  schemaVersion: 2,
  upgrade: (old) => ({ ...programmeAdditions, ...old }),
});
/** Published programmes, by programme and version. */
export const published = defineCollection({
  name: "tiers.published",
  unlisted: true,
  schema: Published,
  schemaVersion: 2,
  upgrade: ({ rules, ...old }) => ({ ...old, rules: Object.assign({}, programmeAdditions, rules) }),
});
/** Which of them is in effect. */
export const running = defineCollection({
  name: "tiers.running",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), published_id: z.string() }),
});

export const publishedId = (programmeId: string, version: number): string => `${programmeId}.${version}`;

export const recalculations = defineCollection({
  name: "tiers.recalculations",
  personal: personalRecalculation,
  schema: Recalculation,
  isComputed: true,
  schemaVersion: 2,
  upgrade: (old) => ({
    draft: false,
    levels: [],
    discounts: { currency: programmeDefaults.currency, before: 0, after: 0 },
    ...old,
  }),
  indexes: { open: { values: ({ status }) => (OPEN.has(status) ? [""] : []) } },
});
/** Statuses with pending work. */
export const OPEN: ReadonlySet<Recalculation["status"]> = new Set([
  "queued",
  "measuring",
  "judging",
  "applying",
  "rolling_back",
]);

export const recalculationMoves = defineCollection({
  name: "tiers.recalculation_moves",
  personal: personalRecord<RecalculationMove>(),
  unlisted: true,
  schema: RecalculationMove,
  isComputed: true,
  indexes: {
    by: {
      values: ({ recalculation_id: id, direction }) => [id, `${id}.${direction}`],
      order: ({ id }) => id,
    },
  },
});

/** The latest score thresholds of the whole store. */
export const rfmDocs = defineCollection({
  name: "tiers.rfm",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), cuts: RfmCutsShape, measured_at: Instant }),
});

export type RunningRules = Pick<Published, "programme_id" | "programme_version" | "rules">;

/** The published rules; null if nothing has been published. Mail names the shop as its profile does, unless the rules do. */
export async function findRules(tx: Tx): Promise<RunningRules | null> {
  const pointer = await tx.get(running, "running");
  if (pointer === null) return null;
  return withShop(tx, (await tx.require(published, pointer.value.published_id)).value);
}

async function withShop<R extends { readonly rules: Rules }>(tx: Tx, found: R): Promise<R> {
  const shop = await readShop(tx);
  const { mail } = found.rules;
  const shop_name = mail.shop_name || (shop?.name ?? "");
  const shop_url = mail.shop_url || (shop?.website ?? "");
  return { ...found, rules: { ...found.rules, mail: { ...mail, shop_name, shop_url } } };
}

/** Key of the rules of a draft while they are recalculated. */
export const draftId = (recalculationId: string): string => `draft.${recalculationId}`;

/** The rules of a recalculation, as they were when it started. */
export async function findJobRules(tx: Tx, job: Recalculation): Promise<Published | null> {
  const { id, draft, programme_id: programme, programme_version: version } = job;
  const found = await tx.get(published, draft ? draftId(id) : publishedId(programme, version));
  return found === null ? null : withShop(tx, found.value);
}

/** The same; 409 if the store has no published programme. */
export async function requireRules(tx: Tx): Promise<RunningRules> {
  const rules = await findRules(tx);
  if (rules !== null) return rules;
  throw conflict("no_programme", "No programme is published. Create and publish one first.");
}

export const readCuts = async (tx: Tx) => (await tx.get(rfmDocs, "rfm"))?.value.cuts ?? null;
