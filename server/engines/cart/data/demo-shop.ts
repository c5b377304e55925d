import { DAY_MS } from "../../../lib/instant.ts";
import { z } from "zod";

import { createNewId, sha256Hex } from "../../../core/ids.ts";
import { offerFields } from "../schema/offer.ts";
import type { Offer } from "../schema/offer.ts";
import type { Bundle } from "../schema.ts";
import type { Cart } from "../schema/cart.ts";
import type { Upsell } from "../schema/upsell.ts";

/** Ids of the demo documents: the same in every run. */
export const DEMO_IDS = makeIds();

function makeIds() {
  const clock = { now: () => Date.UTC(2026, 0, 3) };
  const newId = createNewId(clock, { next: () => 0.25, bytes: (count) => new Uint8Array(count) });
  return {
    bundles: { tasting: newId("bdl"), loaves: newId("bdl"), mealDeal: newId("bdl") },
    offers: {
      spring: newId("ofr"),
      summer: newId("ofr"),
      comeBack: newId("ofr"),
      welcome: newId("ofr"),
      delivery: newId("ofr"),
      basket: newId("ofr"),
      croissants: newId("ofr"),
    },
    upsells: { often: newId("ups"), spreads: newId("ups") },
    flow: newId("rfl"),
    /** An id of the demo's own for an event, in the order of its time. */
    eventAt(at: string, about: string): string {
      const digits = sha256Hex(about);
      let used = 0;
      const next = (): number => {
        used += 2;
        return Number.parseInt(digits.slice(used - 2, used), 16) / 256;
      };
      const eventClock = { now: () => Date.parse(at) };
      return createNewId(eventClock, { next, bytes: (count) => new Uint8Array(count) })("evt");
    },
  };
}

export const HOUR_MS = 3_600_000;
type Times = Pick<Offer, "created_at" | "updated_at">;

export function demoBundles(times: Times): Bundle[] {
  const common = {
    ...times,
    groups: [],
    tiers: [],
    auto_apply: true,
    subscribable: false,
    starts_at: null,
    ends_at: null,
    channels: [],
    metadata: {},
    stock: null,
    status: "active" as const,
  };
  return [
    {
      ...common,
      id: DEMO_IDS.bundles.mealDeal,
      title: "Lunch deal: sandwich, drink and crisps",
      type: "fixed",
      components: [
        { ref: "sandwich", qty: 1, stock: 24 },
        { ref: "lemonade", qty: 1, stock: 60 },
        { ref: "crisps", qty: 1, stock: 80 },
      ],
      pricing: { kind: "fixed_price", value: 500 },
      stock: 24,
    },
    {
      ...common,
      id: DEMO_IDS.bundles.loaves,
      title: "Any three loaves, a tenth off; any six, a fifth",
      type: "tiered",
      components: ["sourdough", "rye", "baguette"].map((ref) => ({ ref, qty: 1 })),
      pricing: { kind: "sum", value: 0 },
      tiers: [
        { qty: 3, kind: "percent_off", value: 1000 },
        { qty: 6, kind: "percent_off", value: 2000 },
      ],
      subscribable: true,
    },
    {
      ...common,
      id: DEMO_IDS.bundles.tasting,
      title: "Tasting box: four pastries of your choice",
      type: "mix_match",
      components: [],
      groups: [
        {
          name: "Pastries",
          refs: ["croissant", "almond-croissant", "cinnamon-bun", "eclair"],
          pick_min: 4,
          pick_max: 4,
        },
      ],
      pricing: { kind: "percent_off", value: 1500 },
      status: "draft",
    },
  ];
}

const OfferDraft = z.strictObject(offerFields);

/** What applies now, what is to come, and what is over. */
export function demoOffers(times: Times, now: number): Offer[] {
  const make = (id: string, status: Offer["status"], draft: Partial<z.input<typeof OfferDraft>>): Offer => {
    const fields = OfferDraft.parse({
      title: "",
      trigger: "automatic",
      codes: [],
      conditions: {},
      priority: 0,
      exclusive: false,
      combines_with: ["bundle", "bogo", "order", "shipping", "product"],
      max_applications_per_cart: null,
      max_uses: null,
      max_uses_per_customer: null,
      budget: null,
      min_spend_after_discounts: 0,
      starts_at: null,
      ends_at: null,
      metadata: {},
      ...draft,
    });
    return { id, ...times, ...fields, class: fields.effect.class, status, revision: 1 };
  };
  const day = (offset: number): string => new Date(now + offset * DAY_MS).toISOString();
  const croissant = { refs: ["croissant"] };
  return [
    make(DEMO_IDS.offers.croissants, "active", {
      title: "Three croissants for two",
      effect: {
        class: "bogo",
        buy: { filter: croissant, qty: 2 },
        get: { filter: croissant, qty: 1 },
        value: { kind: "free" },
        distribution: "spread",
      },
    }),
    make(DEMO_IDS.offers.basket, "active", {
      title: "A tenth off from £40",
      conditions: { rules: [{ kind: "subtotal", min: 4000 }] },
      effect: { class: "order", value: { kind: "percent_off", value: 1000 } },
      combines_with: ["bogo", "shipping"],
    }),
    make(DEMO_IDS.offers.delivery, "active", {
      title: "Free delivery from £25",
      effect: { class: "shipping", value: { kind: "free" }, min_subtotal: 2500 },
    }),
    make(DEMO_IDS.offers.welcome, "active", {
      title: "Five pounds off the first order",
      trigger: "code",
      codes: ["WELCOME5"],
      conditions: { rules: [{ kind: "first_order" }] },
      effect: { class: "order", value: { kind: "amount_off", value: 500 } },
      min_spend_after_discounts: 1000,
      max_uses: 200,
      max_uses_per_customer: 1,
    }),
    make(DEMO_IDS.offers.comeBack, "active", {
      title: "A tenth off the cart that you left",
      trigger: "code",
      effect: { class: "order", value: { kind: "percent_off", value: 1000 } },
    }),
    make(DEMO_IDS.offers.summer, "scheduled", {
      title: "A fifth off all tarts, weekdays",
      conditions: { rules: [{ kind: "weekday", days: [1, 2, 3, 4, 5] }] },
      effect: {
        class: "product",
        filter: { tags: ["tart"] },
        value: { kind: "percent_off", value: 2000 },
        sale_policy: "best_deal",
      },
      starts_at: day(10),
      ends_at: day(40),
    }),
    make(DEMO_IDS.offers.spring, "ended", {
      title: "Hot cross buns, second box half price",
      effect: {
        class: "bogo",
        buy: { filter: { refs: ["hot-cross-buns"] }, qty: 1 },
        get: { filter: { refs: ["hot-cross-buns"] }, qty: 1 },
        value: { kind: "percent_off", value: 5000 },
      },
      starts_at: day(-70),
      ends_at: day(-40),
    }),
  ];
}

export function demoUpsells(times: Times): Upsell[] {
  const common = {
    ...times,
    when: { match: "all" as const, rules: [] },
    out_of_stock: [],
    margin_weights: [],
    discount: null,
    cap: 3,
    active: true,
    metadata: {},
  };
  return [
    {
      ...common,
      id: DEMO_IDS.upsells.spreads,
      title: "Something to spread",
      placement: "cart",
      source: "refs",
      refs: ["butter", "jam"],
      rank: 10,
    },
    {
      ...common,
      id: DEMO_IDS.upsells.often,
      title: "Often bought together",
      placement: "checkout",
      source: "auto",
      refs: [],
      rank: 0,
    },
  ];
}

/** What became of a cart: hours count from its last activity. */
export interface Story {
  readonly name: string;
  readonly customer: string;
  readonly hoursAgo: number;
  readonly lines: Cart["lines"];
  readonly basis?: "consent" | "soft_opt_in" | "none";
  readonly clickedAfter?: number;
  readonly orderedAfter?: number;
}

const line = (ref: string, title: string, quantity: number, price: number): Cart["lines"][number] => ({
  ref,
  title,
  quantity,
  unit_price: price,
  in_stock: true,
});
const SOURDOUGH = line("sourdough", "Sourdough loaf", 2, 420);
const CROISSANTS = line("croissant", "Butter croissant", 6, 250);
const CAKE = line("birthday-cake", "Birthday cake, 20 cm", 1, 3200);
const COFFEE = line("coffee-1kg", "Coffee, 1 kg", 1, 1800);
const JAM = line("jam", "Raspberry jam", 1, 390);

export const STORIES: readonly Story[] = [
  { name: "Ada", customer: "ada", hoursAgo: 0.4, lines: [SOURDOUGH, JAM] },
  { name: "Ben", customer: "ben", hoursAgo: 2, lines: [CAKE] },
  { name: "Cora", customer: "cora", hoursAgo: 30, lines: [CROISSANTS, COFFEE], basis: "consent" },
  { name: "Dev", customer: "dev", hoursAgo: 52, lines: [COFFEE], basis: "none" },
  { name: "Ella", customer: "ella", hoursAgo: 100, lines: [CAKE, JAM], clickedAfter: 26, orderedAfter: 27 },
  { name: "Finn", customer: "finn", hoursAgo: 150, lines: [SOURDOUGH, COFFEE], orderedAfter: 40 },
  { name: "Gus", customer: "gus", hoursAgo: 200, lines: [CROISSANTS], orderedAfter: 0.3 },
  { name: "Hana", customer: "hana", hoursAgo: 300, lines: [COFFEE, JAM], clickedAfter: 80, orderedAfter: 96 },
  { name: "Ivo", customer: "ivo", hoursAgo: 24 * 45, lines: [CAKE] },
];
