import { z } from "zod";

import { fromInstant } from "../../../lib/instant.ts";
import { fail, invalidField, invalidParameter } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { item, list, ok } from "../../../core/reply.ts";
import { defineRoute, missing, stale } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Instant, Minor, withVersion, listFields } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import {
  convert,
  convertByOther,
  isKnown,
  mailboxOf,
  noteMailbox,
  saveCart,
} from "../services/cart-change.ts";
import { timeOrder } from "../../../core/collection.ts";
import { addressId, cartId, carts, ofAddress, suppressions } from "../repository.ts";
import { hasOrdered } from "../rules/check-send.ts";
import { cartStates } from "../rules/offer-state.ts";
import { Cart, cartFields, CartStatus, Consent } from "../schema/cart.ts";
import { CART_LIMITS, Ref } from "../schema/parts.ts";
import { badState, requireStatus } from "./env.ts";
import { pageWhile } from "../../../core/by-value.ts";
import { newResource } from "../../../lib/new-resource.ts";

const CartView = withVersion(Cart);
const ExternalId = z.object({
  id: Ref.meta({ description: "The cart's id in the shop, external_id; or its id here" }),
});
const EitherId = z.object({ id: Ref.meta({ description: "The cart's id here, or its external_id" }) });

const findCart = async (tx: Tx, id: string): Promise<Stored<Cart>> =>
  (await tx.get(carts, id)) ?? tx.require(carts, cartId(id));

const Put = z.strictObject({
  ...cartFields,
  customer: cartFields.customer.prefault({}),
  consent: Consent.default({ basis: "none", at: null, source: "" }),
  metadata: cartFields.metadata.default({}),
  sequence: z
    .int()
    .min(0)
    .meta({ description: "Counted by the client: an older one than the stored is ignored" }),
  last_activity_at: Instant.optional().meta({ description: "Default: now" }),
});

const putCart = defineRoute({
  id: "cart.carts.put",
  method: "PUT",
  path: "/carts/:id",
  open: "submit",
  summary: "Create or update a cart",
  description:
    "The last word has the highest sequence: an older one changes nothing and returns the current cart. Mails about an abandoned cart go only to " +
    "addresses with the basis consent or soft_opt_in. With a publishable key the id is the secret of the visitor: at least 22 " +
    "random characters; customer and consent are set from a server, and of a cart with a customer the checkout_url as well.",
  params: ExternalId,
  body: Put,
  data: CartView,
  errors: [badState, stale],
  example: {
    params: { id: "cart-42" },
    body: {
      sequence: 3,
      last_activity_at: "2026-06-01T08:55:00.000Z",
      customer: { id: "ada", email: "ada@shop.example", name: "Ada Byron" },
      consent: { basis: "soft_opt_in", at: "2026-05-01T10:00:00.000Z", source: "checkout" },
      lines: [{ ref: "sourdough", title: "Sourdough loaf", quantity: 2, unit_price: 420, in_stock: true }],
      total: 840,
      currency: "GBP",
      checkout_url: "https://shop.example/checkout/42",
    },
  },
  async handle({ params: { id: external }, body: sent }, ctx) {
    const { tx } = ctx;
    if (ctx.isPublic) refuseGuessable(external);
    const known = await findOwn(ctx, external);
    const body = ctx.isPublic ? withoutPerson(sent, known?.value ?? null) : sent;
    const id = known?.id ?? cartId(external);
    const stored = known === null ? null : await ctx.current(carts, id);
    if (stored !== null && body.sequence <= stored.value.sequence) return shown(ctx, stored);
    if (stored !== null && !isLeftBehind(stored.value))
      requireStatus(stored.value.status, cartStates.from("change"), "changed");
    const { last_activity_at: given = ctx.nowAt, ...fields } = body;
    if (fromInstant(given) > ctx.now + 300_000)
      throw invalidField(["last_activity_at"], "Must not be in the future.");
    const before = stored === null ? newCart(id, external, ctx) : restarted(stored.value);
    const cart: Cart = {
      ...before,
      ...fields,
      last_activity_at: given,
      status: (await isStillSuppressed(tx, before.status, body)) ? "suppressed" : "active",
      // The timers start again; what was sent stays sent.
      steps: before.steps.filter(({ state }) => state !== "planned"),
      flow_id: null,
    };
    requireRoom(cart);
    await noteActivity(ctx, cart);
    return shown(ctx, await saveCart(tx, stored, cart, ctx));
  },
});

/** Refuses a cart that leaves no room for what its recovery adds: it would be due, and fail, at every look. */
function requireRoom(cart: Cart): void {
  const most = CART_LIMITS.cartBytes;
  const text = JSON.stringify(cart);
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return;
  throw fail("content_too_large", `A cart has at most ${most} bytes. Shorten its lines or its metadata.`);
}

const SECRET_CHARS_MIN = 22;

/** The id alone opens a page's cart: 22 characters of base64url hold 128 bits. */
function refuseGuessable(id: string): void {
  if (id.length < SECRET_CHARS_MIN)
    throw invalidParameter(
      "id",
      `Must have at least ${SECRET_CHARS_MIN} random characters with a publishable key.`,
    );
}

/** By either id; by the shop's own alone for a page, since ids of documents contain their time. */
const findOwn = async ({ tx, isPublic }: Ctx, id: string): Promise<Stored<Cart> | null> =>
  (isPublic ? null : await tx.get(carts, id)) ?? tx.get(carts, cartId(id));

/** Anyone can type any address into a page: who is written to, and where the mail leads, is decided by the shop's server. */
function withoutPerson(body: z.output<typeof Put>, before: Cart | null): z.output<typeof Put> {
  const { id, email, name } = body.customer;
  if (id !== null || email !== null || name !== "")
    throw invalidField(["customer"], "Must be empty with a publishable key. Set it from a server.");
  if (body.consent.basis !== "none")
    throw invalidField(["consent", "basis"], "Must be none with a publishable key. Set it from a server.");
  if (before === null) return body;
  const { customer, consent, checkout_url: url } = before;
  return { ...body, customer, consent, checkout_url: isKnown(before) ? url : body.checkout_url };
}

/** A page sees the cart without the person that a server has added to it. */
const shown = ({ isPublic }: Ctx, stored: Stored<Cart>) =>
  isPublic ? ok(withoutMails(stored)) : item(stored);

const withoutMails = (stored: Stored<Cart>): z.output<typeof CartView> => ({
  ...stored.value,
  ...NO_PERSON,
  steps: [],
  clicks: [],
  // Read when it is written: the commit sets it.
  get version() {
    return stored.version;
  },
});

const NO_PERSON = {
  customer: { id: null, email: null, name: "" },
  consent: { basis: "none" as const, at: null, source: "" },
};

/** What a cart has of its recovery before there was any. */
const UNTOUCHED = { abandoned_at: null, steps: [], clicks: [], order: null, attribution: null };

/** Closed by an order that came through another cart of the customer, who may still have what is in this one. */
const isLeftBehind = ({ order }: Cart): boolean => order?.cart_id !== undefined;

/** A cart that was over begins again: what was mailed about it last time does not count. */
const restarted = (cart: Cart): Cart =>
  cart.status === "lost" || isLeftBehind(cart) ? { ...cart, ...UNTOUCHED } : cart;

/** Until mail to its address is allowed again, or it has another one. */
async function isStillSuppressed(
  tx: Tx,
  status: Cart["status"],
  { customer: { email } }: Pick<Cart, "customer">,
): Promise<boolean> {
  if (status !== "suppressed" || email === null) return false;
  return (await tx.get(suppressions, addressId("sup", email))) !== null;
}

function newCart(
  id: string,
  external: string,
  ctx: Ctx,
): Omit<Cart, keyof z.output<typeof Put>> & Pick<Cart, "last_activity_at"> {
  return {
    ...newResource(id, ctx.nowAt),
    ...UNTOUCHED,
    external_id: external,
    last_activity_at: ctx.nowAt,
    status: "active",
    flow_id: null,
    next_action_at: null,
  };
}

/** The newest cart of an address is the one that was touched last. */
async function noteActivity({ tx }: Ctx, cart: Cart): Promise<void> {
  const mailbox = await mailboxOf(tx, cart);
  const last = mailbox?.last_activity_at ?? null;
  if (last !== null && mailbox?.cart_id !== cart.id && last > cart.last_activity_at) return;
  await noteMailbox(tx, cart.customer.email, { cart_id: cart.id, last_activity_at: cart.last_activity_at });
}

const listCarts = routesOf({ id: "cart.carts", view: CartView }).list({
  summary: "Carts, newest first",
  description: "By status; or those abandoned in a span, in order of time.",
  query: z.object({
    ...listFields,
    status: CartStatus.optional(),
    abandoned_from: Instant.optional(),
    abandoned_to: Instant.optional().meta({ description: "Itself not included" }),
  }),
  async handle({ query: { limit, cursor, status, abandoned_from: from, abandoned_to: to } }, { tx }) {
    if (from === undefined && to === undefined) {
      const value = status === undefined ? {} : { index: "by", value: `status.${status}` };
      return list(await tx.peekPage(carts, { ...value, limit, cursor }));
    }
    if (status !== undefined)
      throw invalidParameter(
        "status",
        "Filters cannot be combined on this list. Send `status` without a time span.",
      );
    const start = from === undefined ? undefined : timeOrder(from);
    const span = { index: "abandoned", limit, cursor, from: start };
    const isWithin = ({ abandoned_at: at }: Cart) => to === undefined || (at !== null && at < to);
    return list(await pageWhile(tx, carts, span, isWithin));
  },
});

const getCart = defineRoute({
  id: "cart.carts.get",
  method: "GET",
  path: "/carts/:id",
  open: "public",
  summary: "Show a cart",
  params: EitherId,
  data: CartView,
  errors: [missing],
  example: { params: { id: "crt_01JD8Z5T9QK3M4N5P6R7S8T9V4" } },
  async handle({ params: { id } }, ctx) {
    if (!ctx.isPublic) return item(await findCart(ctx.tx, id));
    refuseGuessable(id);
    return shown(ctx, await ctx.tx.require(carts, cartId(id)));
  },
});

const convertCart = defineRoute({
  id: "cart.carts.convert",
  method: "POST",
  path: "/carts/:id/convert",
  summary: "Convert a cart into an order",
  description:
    "Mails stop at once. Carts of the same address that were left before are closed with it (`order.cart_id`); they can be changed and " +
    "ordered later. The same order again changes nothing.",
  params: EitherId,
  body: z.strictObject({ order_ref: Ref, total: Minor, placed_at: Instant.optional() }),
  data: CartView,
  errors: [missing, badState],
  example: {
    params: { id: "crt_01JD8Z5T9QK3M4N5P6R7S8T9V4" },
    body: { order_ref: "order-1042", total: 840 },
  },
  async handle({ params: { id }, body }, ctx) {
    const { tx } = ctx;
    const stored = await findCart(tx, id);
    const { customer, status, order, currency } = stored.value;
    if (status === "converted" && order?.ref === body.order_ref) return item(stored);
    if (!isLeftBehind(stored.value)) requireStatus(status, cartStates.from("convert"), "converted");
    const { order_ref: ref, total, placed_at = ctx.nowAt } = body;
    const placed = { ref, total, placed_at, cart_id: stored.id, currency };
    const last = (await mailboxOf(tx, stored.value))?.last_order ?? null;
    // Orders can be reported in any order: the latest one stops the mails of other carts.
    if (last === null || fromInstant(last.placed_at) < fromInstant(placed_at))
      await noteMailbox(tx, customer.email, { last_order: placed });
    const saved = await saveCart(tx, stored, await convert(tx, stored.value, placed, ctx), ctx);
    await convertOthers(ctx, stored.value);
    return item(saved);
  },
});

/** Operations that the conversion of a cart may need; the worker converts carts for which a commit has no room. */
const CONVERSION_OPS = 40;

/** Converts the other carts of the address that were left before the order. */
async function convertOthers(ctx: Ctx, { id, customer: { email } }: Cart): Promise<void> {
  const { tx } = ctx;
  if (email === null) return;
  const value = ofAddress(addressId("sup", email));
  for (const other of (await tx.peekPage(carts, { index: "by", value, limit: OTHERS_MAX })).items) {
    if (other.id === id || tx.room() < CONVERSION_OPS) continue;
    // Read again by its id: what is read so is checked at the commit.
    const stored = await tx.get(carts, other.id);
    if (stored === null || !cartStates.allows("recovery_ends", stored.value.status)) continue;
    const mailbox = await mailboxOf(tx, stored.value);
    if (mailbox === null || !hasOrdered(stored.value, mailbox)) continue;
    await saveCart(tx, stored, await convertByOther(tx, stored.value, mailbox, ctx), ctx);
  }
}

/** Carts that one commit looks at. */
const OTHERS_MAX = 10;

export const cartRoutes = [listCarts, putCart, getCart, convertCart];
