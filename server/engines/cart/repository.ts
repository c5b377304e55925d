import { defineSettings, PRICE_INHERITS, PRICE_SETTINGS } from "../../core/settings.ts";
import { defineCollection, newestFirst, timeOrder, eventIndexes, timeIndex } from "../../core/collection.ts";
import { derivedId, sha256Hex } from "../../core/ids.ts";
import {
  personalCart,
  personalExposure,
  personalMailbox,
  personalRedemption,
  personalUses,
} from "./schema/personal.ts";
import { Bundle, EngineEvent, Settings } from "./schema.ts";
import { Cart, Mailbox, RecoveryFlow, Suppression } from "./schema/cart.ts";
import { Affinity, Exposure, Upsell } from "./schema/upsell.ts";
import { CodeBatch, Offer, OfferCode, Redemption, UseCounter } from "./schema/offer.ts";

/** Newest first, for ids that do not contain their time. */
const byAge = ({ created_at: at }: { readonly created_at: string }): string => newestFirst(at);

/** A name of another system as a value of an index: user text never enters a key. */
export const filed = (kind: string, text: string): string => `${kind}.${sha256Hex(text).slice(0, 32)}`;

interface Timed {
  readonly status: string;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
}

/** When something that is live begins or ends by itself; null for never. */
export function turnsAt({ status, starts_at: from, ends_at: to }: Timed): string | null {
  if (status === "scheduled") return from;
  return status === "active" || status === "paused" ? to : null;
}

/** By when it begins or ends by itself. */
const due = {
  values: (value: Timed) => (turnsAt(value) === null ? [] : [""]),
  order: (value: Timed) => timeOrder(turnsAt(value) ?? ""),
};

/** References that a bundle is made of. */
export const refsOf = ({ components, groups }: Pick<Bundle, "components" | "groups">): string[] => [
  ...new Set([...components.map(({ ref }) => ref), ...groups.flatMap(({ refs }) => refs)]),
];

export const bundles = defineCollection({
  name: "cart.bundles",
  schema: Bundle,
  indexes: {
    /** Newest first by the filters of a list; `live` are those that apply to carts. */
    by: {
      values: (bundle) => [
        `status.${bundle.status}`,
        `type.${bundle.type}`,
        ...(bundle.stock === 0 ? [] : ["in_stock"]),
        ...refsOf(bundle).map((ref) => filed("ref", ref)),
        ...(isLive(bundle) ? ["live"] : []),
      ],
    },
    due,
  },
});

const isLive = ({ status }: Timed): boolean => status === "active" || status === "scheduled";

export const offers = defineCollection({
  name: "cart.offers",
  schema: Offer,
  indexes: {
    by: {
      values: (offer) => [
        `status.${offer.status}`,
        `class.${offer.class}`,
        `trigger.${offer.trigger}`,
        ...offer.codes.map((code) => filed("code", code)),
        ...(isLive(offer) && offer.trigger === "automatic" ? ["live"] : []),
      ],
    },
    due,
  },
});

/** A code has one place, whichever offer it belongs to. */
export const codeId = (code: string): string => `cod_${sha256Hex(code).slice(0, 40)}`;
export const codes = defineCollection({
  name: "cart.codes",
  unlisted: true,
  schema: OfferCode,
  indexes: { offer: { values: ({ offer_id: id }) => [id], order: byAge } },
});
export const codeBatches = defineCollection({
  name: "cart.code_batches",
  schema: CodeBatch,
  indexes: { running: { values: ({ state }) => (state === "running" ? [""] : []) } },
});

export const redemptions = defineCollection({
  name: "cart.redemptions",
  personal: personalRedemption,
  schema: Redemption,
  indexes: {
    new: { values: () => [""], order: byAge },
    by: {
      values: ({ offer_id: offer, order_ref: order }) => [offer, filed("order", order)],
      order: byAge,
    },
  },
});
export const useCounters = defineCollection({
  name: "cart.use_counters",
  unlisted: true,
  schema: UseCounter,
  personal: personalUses,
});

export const events = defineCollection({
  name: "cart.events",
  schema: EngineEvent,
  indexes: eventIndexes<EngineEvent>(({ subject_id }) => subject_id),
});

export const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  ...PRICE_SETTINGS,
  updated_at: null,
};

export const cartSettings = defineSettings<Settings>({
  engine: "cart",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: PRICE_INHERITS,
});

export const readSettings = cartSettings.read;

/** Documents that belong to a mail address carry its hash: the address itself is in no key. */
export const addressId = (prefix: "mbx" | "sup", email: string): string =>
  `${prefix}_${sha256Hex(email.trim().toLowerCase()).slice(0, 40)}`;

export const cartId = (externalId: string): string =>
  derivedId("crt", new Uint8Array(), ["cart", externalId]);

/** Carts of one address about which mail may still be sent; by the id of its suppression. */
export const ofAddress = (suppressionId: string): string => `addr.${suppressionId.slice("sup_".length)}`;
const isMailed = (status: Cart["status"]): boolean => status === "active" || status === "abandoned";

export const carts = defineCollection({
  name: "cart.carts",
  personal: personalCart,
  schema: Cart,
  indexes: {
    new: { values: () => [""], order: byAge },
    by: {
      values: ({ status, attribution, steps, customer: { email } }) => [
        `status.${status}`,
        ...(email !== null && isMailed(status) ? [ofAddress(addressId("sup", email))] : []),
        ...(attribution === null ? [] : [`attribution.${attribution}`]),
        ...(steps.length === 0 ? [] : ["recovery"]),
      ],
      order: byAge,
    },
    /** Abandoned ones, in order of time. */
    abandoned: timeIndex("abandoned_at"),
    /** Work of the worker, by when it is due. */
    due: timeIndex("next_action_at"),
  },
});
export const flows = defineCollection({
  name: "cart.recovery_flows",
  schema: RecoveryFlow,
  indexes: { active: { values: ({ active }) => (active ? [""] : []) } },
});
export const mailboxes = defineCollection({
  name: "cart.mailboxes",
  personal: personalMailbox,
  unlisted: true,
  schema: Mailbox,
});
export const suppressions = defineCollection({
  name: "cart.suppressions",
  schema: Suppression,
  indexes: { new: { values: () => [""], order: byAge } },
});

export const upsells = defineCollection({
  name: "cart.upsells",
  schema: Upsell,
  indexes: { placed: { values: ({ active, placement }) => (active ? [placement] : []) } },
});
export const affinityId = (ref: string): string => `aff_${sha256Hex(ref).slice(0, 40)}`;
export const affinityDocs = defineCollection({
  name: "cart.affinities",
  unlisted: true,
  schema: Affinity,
  indexes: { age: { values: () => [""], order: ({ computed_at }) => timeOrder(computed_at) } },
});
export const exposureId = (customer: string): string => `exp_${sha256Hex(customer).slice(0, 40)}`;
export const exposures = defineCollection({
  name: "cart.exposures",
  personal: personalExposure,
  unlisted: true,
  schema: Exposure,
});
