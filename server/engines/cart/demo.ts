import { DEMO_SHOP_NAME } from "../../core/shop.ts";
import { DAY_MS, fromInstant, toInstant } from "../../lib/instant.ts";
import { DEMO_IDS, demoBundles, demoOffers, demoUpsells, HOUR_MS, STORIES } from "./data/demo-shop.ts";
import type { Story } from "./data/demo-shop.ts";
import { lostAt } from "./services/cart-change.ts";
import { firstShard, redemptionId, shardId } from "./services/redeem.ts";
import { addressId, cartId, codeId, DEFAULT_SETTINGS } from "./repository.ts";
import { attribute } from "./rules/attribute.ts";
import { abandonedAt, DEFAULT_TERMS, planSteps } from "./rules/plan-recovery.ts";
import type { EngineEvent, EventType, Settings } from "./schema.ts";
import type { Cart, Mailbox, RecoveryFlow, RecoveryStep } from "./schema/cart.ts";
import type { OfferCode, Redemption, UseCounter } from "./schema/offer.ts";
import { newResource } from "../../lib/new-resource.ts";

/** The demo shop at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoCarts(now: number) {
  const nowAt = toInstant(now);
  const settings: Settings = { ...DEFAULT_SETTINGS, shop_name: DEMO_SHOP_NAME, updated_at: nowAt };
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
      .map(({ n, ...event }) => ({
        id: DEMO_IDS.eventAt(event.created_at, `${event.subject_id} ${event.type} ${n}`),
        ...event,
      })),
  };
}

const toCode = (offerId: string, code: string, at: string): OfferCode => ({
  ...newResource(codeId(code), at),
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
      ...newResource(redemptionId(offer_id, order_ref), created_at),
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

interface DemoInput {
  readonly now: number;
  readonly flow: RecoveryFlow;
  readonly timezone: string;
}

/** The instants of a story, epoch milliseconds; null for what did not happen. */
interface Course {
  readonly id: string;
  readonly start: number;
  readonly left: number;
  readonly orderedAt: number | null;
  readonly clickedAt: number | null;
  readonly isAbandoned: boolean;
  readonly total: number;
}

/** Lets a cart run its course, by the rules that real carts go by. */
function live(story: Story, input: DemoInput): History {
  const course = courseOf(story, input);
  const events: History["events"] = [];
  const emit: Emit = (type, at, data = {}) => {
    events.push({
      n: String(data["n"] ?? ""),
      created_at: toInstant(at),
      type,
      subject_id: course.id,
      data,
    });
  };
  if (course.isAbandoned) emit("abandoned", course.left, { total: course.total });
  const steps = stepsOf(story, course, input, emit);
  if (course.clickedAt !== null) emit("recovery.clicked", course.clickedAt);
  const cart = cartOf(story, course, steps, input);
  if (cart.order !== null && course.orderedAt !== null) {
    const data = { order_ref: cart.order.ref, total: course.total };
    emit("converted", course.orderedAt, data);
    if (cart.attribution !== null) emit(cart.attribution, course.orderedAt, data);
  }
  if (cart.status === "lost") emit("lost", lostAt(cart, input.flow), { total: course.total });
  const codes = steps.flatMap(({ coupon, coupon_offer_id: offer, at }) =>
    coupon === null || offer === null || at === null ? [] : [toCode(offer, coupon, at)],
  );
  return { cart, mailbox: cart.status === "lost" ? [] : [mailboxOf(story, cart)], codes, events };
}

type Emit = (type: EventType, at: number, data?: EngineEvent["data"]) => void;

function courseOf(story: Story, { now, flow }: DemoInput): Course {
  const start = now - story.hoursAgo * HOUR_MS;
  const after = (hours: number | undefined): number | null =>
    hours === undefined ? null : start + hours * HOUR_MS;
  const orderedAt = after(story.orderedAfter);
  const left = abandonedAt(toInstant(start), flow);
  return {
    id: cartId(`demo-${story.customer}`),
    start,
    left,
    orderedAt,
    clickedAt: after(story.clickedAfter),
    isAbandoned: left <= now && (orderedAt === null || orderedAt > left),
    total: story.lines.reduce((sum, { quantity, unit_price: unit }) => sum + quantity * unit, 0),
  };
}

function stepsOf(
  story: Story,
  course: Course,
  { now, flow, timezone }: DemoInput,
  emit: Emit,
): RecoveryStep[] {
  if (!course.isAbandoned) return [];
  return planSteps(toInstant(course.start), flow, { timezone }).map((step): RecoveryStep => {
    const due = fromInstant(step.due_at);
    if (course.orderedAt !== null && due > course.orderedAt) {
      return { ...step, state: "skipped", reason: "converted", at: toInstant(course.orderedAt) };
    }
    if (due > now) return step;
    if (story.basis === "none") {
      emit("recovery.skipped", due, { n: step.n, reason: "no_consent" });
      return { ...step, state: "skipped", reason: "no_consent", at: step.due_at };
    }
    emit("recovery.sent", due, { n: step.n });
    const coupon = step.coupon_offer_id === null ? null : `BACK-${course.id.slice(4, 16)}`;
    return { ...step, state: "sent", at: step.due_at, coupon };
  });
}

function cartOf(story: Story, course: Course, steps: RecoveryStep[], { now, flow }: DemoInput): Cart {
  const last = toInstant(course.start);
  const { orderedAt, total } = course;
  const order =
    orderedAt === null
      ? null
      : { ref: `demo-order-${story.customer}`, total, placed_at: toInstant(orderedAt) };
  const clicks = course.clickedAt === null ? [] : [toInstant(course.clickedAt)];
  const cart: Cart = {
    id: course.id,
    created_at: last,
    updated_at: toInstant(Math.min(now, orderedAt ?? now)),
    external_id: `demo-${story.customer}`,
    customer: { id: story.customer, email: emailOf(story), name: story.name },
    consent: { basis: story.basis ?? "soft_opt_in", at: last, source: "checkout" },
    lines: story.lines,
    total,
    currency: "GBP",
    checkout_url: "https://shop.example/checkout",
    metadata: {},
    sequence: 1,
    last_activity_at: last,
    status: order === null ? (course.isAbandoned ? "abandoned" : "active") : "converted",
    abandoned_at: course.isAbandoned ? toInstant(course.left) : null,
    flow_id: course.isAbandoned ? flow.id : null,
    steps,
    clicks,
    order,
    attribution: order === null ? null : attribute({ clicks, steps }, order.placed_at),
    next_action_at: null,
  };
  if (cart.status === "converted") return cart;
  if (cart.status === "active") return { ...cart, next_action_at: toInstant(course.left) };
  const end = lostAt(cart, flow);
  if (end <= now) {
    return { ...cart, status: "lost", lines: [], customer: { id: null, email: null, name: "" } };
  }
  const planned = steps.find(({ state }) => state === "planned");
  return { ...cart, next_action_at: planned?.due_at ?? toInstant(end) };
}

const emailOf = ({ customer }: Story): string => `${customer}@customer.example`;

function mailboxOf(story: Story, { id, last_activity_at, order, steps }: Cart): Mailbox {
  const sent = steps.findLast(({ state }) => state === "sent");
  return {
    id: addressId("mbx", emailOf(story)),
    cart_id: id,
    last_activity_at,
    last_order: order,
    mailed_cart_id: sent === undefined ? null : id,
    mailed_at: sent?.at ?? null,
  };
}
