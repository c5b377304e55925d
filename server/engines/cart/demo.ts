import { fromInstant, toInstant } from "../../kernel/clock.ts";
import { DEMO_IDS, demoBundles, demoOffers, demoUpsells, HOUR_MS, STORIES } from "./data/demo-shop.ts";
import type { Story } from "./data/demo-shop.ts";
import { firstShard, redemptionId, shardId } from "./jobs/redeem.ts";
import { addressId, cartId, codeId, DEFAULT_SETTINGS } from "./repository.ts";
import { attribute } from "./rules/attribute.ts";
import { abandonedAt, DEFAULT_TERMS, planSteps } from "./rules/plan-recovery.ts";
import type { Bundle, EngineEvent, EventType, Settings } from "./schema.ts";
import type { Cart, Mailbox, RecoveryFlow, RecoveryStep, Suppression } from "./schema/cart.ts";
import type { Offer, OfferCode, Redemption, UseCounter } from "./schema/offer.ts";
import type { Upsell } from "./schema/upsell.ts";

/** Everything of the demo shop: offers that run, and what became of the carts of the last weeks. */
export interface CartDemo {
  readonly settings: Settings;
  readonly bundles: readonly Bundle[];
  readonly offers: readonly Offer[];
  readonly codes: readonly OfferCode[];
  readonly redemptions: readonly Redemption[];
  readonly counters: readonly UseCounter[];
  readonly upsells: readonly Upsell[];
  readonly flows: readonly RecoveryFlow[];
  readonly carts: readonly Cart[];
  readonly mailboxes: readonly Mailbox[];
  readonly suppressions: readonly Suppression[];
  readonly events: readonly EngineEvent[];
}

const DAY_MS = 24 * HOUR_MS;

/** The demo shop at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoCarts(now: number): CartDemo {
  const nowAt = toInstant(now);
  const settings: Settings = { ...DEFAULT_SETTINGS, shop_name: "Demo Bakery & Roastery", updated_at: nowAt };
  const started = toInstant(now - 60 * DAY_MS);
  const times = { created_at: started, updated_at: started };
  const flow: RecoveryFlow = {
    id: DEMO_IDS.flow,
    ...times,
    title: "Three mails",
    ...DEFAULT_TERMS,
    steps: DEFAULT_TERMS.steps.map((step, at) => ({
      ...step,
      coupon_offer_id: at === 2 ? DEMO_IDS.offers.comeBack : null,
    })),
    active: true,
    metadata: {},
  };
  const histories = STORIES.map((story) => live(story, { now, flow, timezone: settings.timezone }));
  const offers = demoOffers(times, now);
  const used = demoUses(now);
  return {
    settings,
    bundles: demoBundles(times),
    offers,
    codes: [
      ...offers.flatMap(({ id, codes }) => codes.map((code) => toCode(id, code, started))),
      ...histories.flatMap(({ codes }) => codes),
    ],
    ...used,
    upsells: demoUpsells(times),
    flows: [flow],
    carts: histories.map(({ cart }) => cart),
    mailboxes: histories.flatMap(({ mailbox }) => mailbox),
    suppressions: [{ id: addressId("sup", "jo@customer.example"), ...times, source: "unsubscribe" as const }],
    events: histories
      .flatMap(({ events }) => events)
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
      .map((event) => ({
        ...event,
        id: DEMO_IDS.eventAt(event.created_at, event.subject_id + event.type + event.n),
      }))
      .map(({ n: _, ...event }) => event),
  };
}

const toCode = (offerId: string, code: string, at: string): OfferCode => ({
  id: codeId(code),
  created_at: at,
  updated_at: at,
  offer_id: offerId,
  code,
  batch_id: null,
  used_by: null,
});

/** The welcome code was used by seven new customers. */
function demoUses(now: number): { redemptions: Redemption[]; counters: UseCounter[] } {
  const offer_id = DEMO_IDS.offers.welcome;
  const counters = new Map<string, UseCounter>();
  const redemptions = Array.from({ length: 7 }, (_, at): Redemption => {
    const order_ref = `order-${1001 + at}`;
    const shard = firstShard({ offer_id, order_ref });
    const id = shardId(offer_id, shard);
    const before = counters.get(id);
    counters.set(id, { id, offer_id, uses: (before?.uses ?? 0) + 1, spent: (before?.spent ?? 0) + 500 });
    const created_at = toInstant(now - (at + 2) * 2 * DAY_MS);
    return {
      id: redemptionId(offer_id, order_ref),
      created_at,
      updated_at: created_at,
      offer_id,
      order_ref,
      customer_id: null,
      code: "WELCOME5",
      amount: 500,
      pricing_hash: "",
      shard,
    };
  });
  return { redemptions, counters: [...counters.values()] };
}

interface History {
  readonly cart: Cart;
  readonly mailbox: Mailbox[];
  readonly codes: OfferCode[];
  readonly events: (Omit<EngineEvent, "id"> & { readonly n: string })[];
}

/** Lets a cart run its course, by the rules that real carts go by. */
function live(
  story: Story,
  { now, flow, timezone }: { readonly now: number; readonly flow: RecoveryFlow; readonly timezone: string },
): History {
  const start = now - story.hoursAgo * HOUR_MS;
  const last = toInstant(start);
  const id = cartId(`demo-${story.customer}`);
  const after = (hours: number | undefined): number | null =>
    hours === undefined ? null : start + hours * HOUR_MS;
  const orderedAt = after(story.orderedAfter);
  const clickedAt = after(story.clickedAfter);
  const events: History["events"] = [];
  const tell = (type: EventType, at: number, data: EngineEvent["data"] = {}): void => {
    events.push({ n: String(data["n"] ?? ""), created_at: toInstant(at), type, subject_id: id, data });
  };
  const total = story.lines.reduce((sum, { quantity, unit_price: unit }) => sum + quantity * unit, 0);
  const left = abandonedAt(last, flow);
  const isAbandoned = left <= now && (orderedAt === null || orderedAt > left);
  const basis = story.basis ?? "soft_opt_in";
  const codes: OfferCode[] = [];
  const steps = (isAbandoned ? planSteps(last, flow, { timezone }) : []).map((step): RecoveryStep => {
    const due = fromInstant(step.due_at);
    if (orderedAt !== null && due > orderedAt) {
      return { ...step, state: "skipped", reason: "converted", at: toInstant(orderedAt) };
    }
    if (due > now) return step;
    if (basis === "none") {
      tell("recovery.skipped", due, { n: step.n, reason: "no_consent" });
      return { ...step, state: "skipped", reason: "no_consent", at: step.due_at };
    }
    tell("recovery.sent", due, { n: step.n });
    if (step.coupon_offer_id === null) return { ...step, state: "sent", at: step.due_at };
    const coupon = `BACK-${id.slice(4, 16)}`;
    codes.push(toCode(step.coupon_offer_id, coupon, step.due_at));
    return { ...step, state: "sent", at: step.due_at, coupon };
  });
  if (isAbandoned) tell("abandoned", left, { total });
  const clicks = clickedAt === null ? [] : [toInstant(clickedAt)];
  if (clickedAt !== null) tell("recovery.clicked", clickedAt);
  const order =
    orderedAt === null
      ? null
      : { ref: `demo-order-${story.customer}`, total, placed_at: toInstant(orderedAt) };
  const attribution = order === null ? null : attribute({ clicks, steps }, order.placed_at);
  const lostAt = fromInstant(steps.at(-1)?.due_at ?? last) + flow.max_age_days * DAY_MS;
  const isLost = isAbandoned && order === null && lostAt <= now;
  if (order !== null && orderedAt !== null) {
    tell("converted", orderedAt, { order_ref: order.ref, total });
    if (attribution !== null) tell(attribution, orderedAt, { order_ref: order.ref, total });
  }
  if (isLost) tell("lost", lostAt, { total });
  const email = `${story.customer}@customer.example`;
  const planned = steps.find(({ state }) => state === "planned");
  const status = order !== null ? "converted" : isLost ? "lost" : isAbandoned ? "abandoned" : "active";
  const cart: Cart = {
    id,
    created_at: last,
    updated_at: toInstant(Math.min(now, orderedAt ?? now)),
    external_id: `demo-${story.customer}`,
    customer: isLost ? { id: null, email: null, name: "" } : { id: story.customer, email, name: story.name },
    consent: { basis, at: last, source: "checkout" },
    lines: isLost ? [] : story.lines,
    total,
    currency: "GBP",
    checkout_url: "https://shop.example/checkout",
    metadata: {},
    sequence: 1,
    last_activity_at: last,
    status,
    abandoned_at: isAbandoned ? toInstant(left) : null,
    flow_id: isAbandoned ? flow.id : null,
    steps,
    clicks,
    order,
    attribution,
    next_action_at:
      status === "active"
        ? toInstant(left)
        : status === "abandoned"
          ? (planned?.due_at ?? toInstant(lostAt))
          : null,
  };
  const sent = steps.findLast(({ state }) => state === "sent");
  const mailbox: Mailbox = {
    id: addressId("mbx", email),
    cart_id: id,
    last_activity_at: last,
    last_order: order,
    mailed_cart_id: sent === undefined ? null : id,
    mailed_at: sent?.at ?? null,
  };
  return { cart, mailbox: isLost ? [] : [mailbox], codes, events };
}
