import { DEMO_SHOP_NAME } from "../../core/shop.ts";
import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { createNewId } from "../../core/ids.ts";
import { wilson } from "../../lib/wilson.ts";
import { DEFAULT_POLICY, DEFAULT_SETTINGS } from "./data/defaults.ts";
import { DEMO_QUESTIONS } from "./data/demo-questions.ts";
import { DEMO_PRODUCTS, demoLines } from "./data/demo-lines.ts";
import type { DemoReview } from "./data/demo-lines.ts";
import { tallyOf } from "./services/recount.ts";
import {
  addressHash,
  attributeId,
  invitationId,
  membershipId,
  orderId,
  slotOf,
  suppressionId,
} from "./repository.ts";
import { englishDisclosure } from "./rules/disclose.ts";
import { UNVERIFIED } from "./rules/verification.ts";
import type { Review } from "./schema.ts";
import type { Invitation, InvitationStatus, Order } from "./schema/invitation.ts";
import type { Answer, Question } from "./schema/question.ts";
import type { AttributeDefinition, Group, Settings } from "./schema/settings.ts";
import { SWEETNESS } from "./data/sweetness.ts";
import { newResource } from "../../lib/new-resource.ts";

const HOUR_MS = 3_600_000;
const PLACES = ["Leeds", "York", "Bath", "Hull", null, "Ely", null, "Stroud", "Derby", null] as const;
const placeOf = (at: number): string | null => PLACES[at % PLACES.length] ?? null;

/** A bakery with about sixty reviews, questions, orders and invitations. The same instant gives the same documents. */
export function demoReviews(now: number) {
  const newId = createDemoIds(now);
  const nowAt = toInstant(now);
  const reviews = demoLines().map((demo, at) => toReview(demo, at, { now, newId }));
  const settings: Settings = {
    ...DEFAULT_SETTINGS,
    shop_name: DEMO_SHOP_NAME,
    shop_url: "https://bakery.example",
    product_url_template: "https://bakery.example/products/{id}",
    locales: ["en-GB"],
    media_hosts: ["cdn.bakery.example"],
    updated_at: nowAt,
  };
  const counted = tallyOf(reviews);
  const orders = demoLines().flatMap((demo, at) => toOrder(demo, at, now) ?? []);
  const open = OPEN_ORDERS.map((status, at) => openOrder(status, at, now));
  const invitations = open.map(({ order, status, sent }) => toInvitation(order, status, { now, sent }));
  return {
    settings,
    policies: [{ ...DEFAULT_POLICY, updated_at: nowAt }],
    reviews,
    slots: reviews.flatMap((review) => toSlot(review) ?? []),
    aggregates: counted.targets,
    totals: [counted.totals],
    tallies: counted.days,
    ...demoQuestions(now, newId),
    orders: [...orders, ...open.map(({ order }) => order)],
    invitations,
    suppressions: [
      {
        ...newResource(suppressionId("uwe@mail.example"), nowAt),
        source: "unsubscribe" as const,
      },
    ],
    ...demoAttributes(now, newId),
  };
}

/** Deterministic ids for the instant. */
function createDemoIds(now: number): (prefix: string, agoMs: number) => string {
  let n = 0;
  return (prefix, agoMs) => {
    n += 1;
    const at = n;
    const random = {
      next: () => ((at * 7919) % 10_000) / 10_000,
      bytes: (count: number) => new Uint8Array(count),
    };
    return createNewId({ now: () => now - agoMs }, random)(prefix);
  };
}

interface DemoContext {
  readonly now: number;
  readonly newId: (prefix: string, agoMs: number) => string;
}

/** Reviews of the last hundred days, about one every forty hours. */
const agoOf = (at: number): number => (demoLines().length - at) * 40 * HOUR_MS;
const mailOf = (name: string): string => `${name.toLowerCase()}@mail.example`;

function toReview(demo: DemoReview, at: number, { now, newId }: DemoContext): Review {
  const { product, stars, title, body, name, more = {} } = demo;
  const ago = agoOf(at);
  const written = toInstant(now - ago);
  const decided = toInstant(now - ago + 5 * HOUR_MS);
  const status = more.status ?? "published";
  const { up = 0, down = 0 } = more;
  const email = more.imported === true ? null : mailOf(name);
  const incentive = { type: more.incentive ?? ("none" as const), note: "" };
  const isSpam = status === "spam";
  return {
    id: newId("rev", ago),
    created_at: written,
    updated_at: status === "pending" ? written : decided,
    target: { type: "product", id: product },
    product_name: DEMO_PRODUCTS[product].name,
    product_url: `https://bakery.example/products/${product}`,
    sku: DEMO_PRODUCTS[product].sku,
    gtin: null,
    mpn: null,
    brand: DEMO_SHOP_NAME,
    rating: stars,
    title,
    body,
    pros: [],
    cons: [],
    attributes: product === "bun" ? { sweetness: 2 + (at % 3) } : {},
    remarks: {},
    recommends: stars === 3 ? null : stars > 3,
    media: [],
    author: { display_name: name, customer_id: null, is_anonymous: false, location: placeOf(at) },
    email,
    email_hash: email === null ? null : addressHash(email),
    locale: "en-GB",
    country: "GB",
    status,
    moderation: {
      reason: more.reason ?? null,
      note: "",
      by: status === "pending" ? null : "auto",
      at: status === "pending" ? null : decided,
      risk: isSpam ? 80 : 0,
      signals: isSpam
        ? [
            { code: "url", points: 20 },
            { code: "form_bad", points: 60 },
          ]
        : [],
    },
    verification: verificationOf(demo, at, written),
    collection_method:
      more.imported === true ? "import" : more.level === undefined ? "post_fulfillment" : "unsolicited",
    incentive,
    relationship: more.relationship ?? "none",
    disclosure: englishDisclosure(incentive, more.relationship ?? "none"),
    helpful: { up, down, lower_bound: Math.round(wilson(up, up + down).lower * 1e6) / 1e6 },
    reply:
      more.reply === undefined
        ? null
        : {
            body: more.reply,
            by: DEMO_SHOP_NAME,
            at: toInstant(now - ago + 26 * HOUR_MS),
            status: "published",
          },
    flags_count: 0,
    featured: more.featured ?? false,
    edited: false,
    edits: [],
    experienced_at: null,
    submitted_at: written,
    published_at: status === "published" ? decided : null,
    invitation_id: null,
    source:
      more.imported === true
        ? { system: "old-shop", external_id: String(1000 + at), displayed_on_page: false }
        : null,
    translations: {},
    erase_asked: false,
  };
}

function verificationOf({ more = {} }: DemoReview, at: number, writtenAt: string): Review["verification"] {
  const level = more.level ?? "verified_purchase";
  if (level === "none") return UNVERIFIED;
  const method = level === "verified_purchase" ? "invitation" : "email";
  return { level, method, order_id: level === "email_confirmed" ? null : orderNumber(at), at: writtenAt };
}

const orderNumber = (at: number): string => `DB-${2000 + at}`;

function toSlot(review: Review): { id: string; review_id: string } | null {
  const id = slotOf(review);
  return id === null || (review.status !== "published" && review.status !== "pending")
    ? null
    : { id, review_id: review.id };
}

/** The order behind a verified review. */
function toOrder(demo: DemoReview, at: number, now: number): Order | null {
  if (verificationOf(demo, at, "").order_id === null) return null;
  const delivered = toInstant(now - agoOf(at) - 15 * DAY_MS);
  return orderOf({ number: orderNumber(at), name: demo.name, product: demo.product, delivered });
}

function orderOf(order: {
  readonly number: string;
  readonly name: string;
  readonly product: DemoReview["product"];
  readonly delivered: string;
}): Order & { readonly fulfilled_at: string } {
  const { number, name, product, delivered } = order;
  return {
    ...newResource(orderId(number), delivered),
    order_id: number,
    customer: { id: null, email: mailOf(name), name },
    items: [
      {
        target: { type: "product", id: product },
        name: DEMO_PRODUCTS[product].name,
        url: `https://bakery.example/products/${product}`,
        sku: DEMO_PRODUCTS[product].sku,
        gtin: null,
        brand: DEMO_SHOP_NAME,
        category: null,
      },
    ],
    fulfilled_at: delivered,
    refunded: false,
  };
}

/** Recent orders by the status of their invitations. */
const OPEN_ORDERS: readonly InvitationStatus[] = [
  "scheduled",
  "scheduled",
  "scheduled",
  "sent",
  "sent",
  "clicked",
  "cancelled",
  "unsubscribed",
];
const GUESTS = ["Nina", "Oleg", "Pearl", "Ralf", "Sara", "Theo", "Ursula", "Uwe"] as const;
const BOUGHT = ["sourdough", "bun", "cake", "rye", "coffee", "croissant", "jam", "sourdough"] as const;

function openOrder(status: InvitationStatus, at: number, now: number) {
  const isSent = status === "sent" || status === "clicked" || status === "unsubscribed";
  const daysAgo = isSent ? 16 + at : 1 + at * 2;
  const order = orderOf({
    number: `DB-${3000 + at}`,
    name: GUESTS[at] ?? "Nina",
    product: BOUGHT[at] ?? "sourdough",
    delivered: toInstant(now - daysAgo * DAY_MS),
  });
  return { order, status, sent: isSent ? now - (daysAgo - 14) * DAY_MS : null };
}

function toInvitation(
  order: Order & { readonly fulfilled_at: string },
  status: InvitationStatus,
  { now, sent }: { readonly now: number; readonly sent: number | null },
): Invitation {
  const planned = Date.parse(order.fulfilled_at) + 14 * DAY_MS;
  const isOpen = status === "scheduled" || status === "sent" || status === "clicked";
  const reminder = sent === null ? null : Math.max(sent + 7 * DAY_MS, now + DAY_MS);
  return {
    id: invitationId(order.order_id),
    created_at: order.created_at,
    updated_at: toInstant(sent ?? Date.parse(order.created_at)),
    order_id: order.order_id,
    customer: order.customer,
    items: order.items,
    reviewed: [],
    locale: "en-GB",
    fulfilled_at: order.fulfilled_at,
    send_at: toInstant(planned),
    sent_at: sent === null ? null : toInstant(sent),
    status,
    reason: status === "cancelled" ? "refunded" : status === "unsubscribed" ? "unsubscribe" : null,
    reminders: reminder === null ? [] : [{ due_at: toInstant(reminder), sent_at: null }],
    expires_at: sent === null ? null : toInstant(sent + 60 * DAY_MS),
    legal_basis: "legitimate_interest",
    next_action_at: isOpen ? toInstant(reminder ?? planned) : null,
  };
}

const UNDECIDED = { reason: null, note: "", by: null, at: null, risk: 0, signals: [] };

function demoQuestions(
  now: number,
  newId: DemoContext["newId"],
): { questions: Question[]; answers: Answer[] } {
  const questions: Question[] = [];
  const answers: Answer[] = [];
  for (const [at, demo] of DEMO_QUESTIONS.entries()) {
    const ago = (DEMO_QUESTIONS.length - at) * 6 * DAY_MS;
    const askedAt = toInstant(now - ago);
    const id = newId("qst", ago);
    const isShown = demo.product !== "croissant";
    const own = demo.answers.map((answer, n): Answer => {
      const answeredAt = toInstant(now - ago + (n + 1) * 9 * HOUR_MS);
      return {
        ...newResource(newId("ans", ago - (n + 1) * 9 * HOUR_MS), answeredAt),
        question_id: id,
        body: answer.body,
        author: { display_name: answer.name, customer_id: null },
        author_type: answer.type,
        verified_buyer: answer.type === "customer",
        accepted: answer.accepted,
        email: answer.type === "customer" ? mailOf(answer.name) : null,
        status: "published",
        moderation: UNDECIDED,
        votes: { up: 3 - n, down: 0 },
        locale: "en-GB",
        published_at: answeredAt,
        erase_asked: false,
      };
    });
    answers.push(...own);
    questions.push({
      ...newResource(id, askedAt),
      target: { type: "product", id: demo.product },
      body: demo.body,
      author: { display_name: demo.name, customer_id: null },
      email: mailOf(demo.name),
      status: isShown ? "published" : "pending",
      moderation: UNDECIDED,
      votes: { up: isShown ? 2 : 0, down: 0 },
      locale: "en-GB",
      published_at: isShown ? askedAt : null,
      answers_count: own.length,
      accepted_answer_id: own.find(({ accepted }) => accepted)?.id ?? null,
    });
  }
  return { questions, answers };
}

function demoAttributes(now: number, newId: DemoContext["newId"]) {
  const at = toInstant(now - 120 * DAY_MS);
  const times = { created_at: at, updated_at: at };
  const sweetness: AttributeDefinition = {
    id: attributeId("sweetness"),
    ...times,
    ...SWEETNESS,
  };
  const group: Group = {
    id: newId("rvg", 110 * DAY_MS),
    ...times,
    name: "Loaves",
    targets: [
      { type: "product", id: "sourdough" },
      { type: "product", id: "rye" },
    ],
  };
  return {
    attributes: [sweetness],
    groups: [group],
    memberships: group.targets.map((target) => ({ id: membershipId(target), group_id: group.id })),
  };
}
