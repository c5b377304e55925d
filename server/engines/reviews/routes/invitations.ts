import { z } from "zod";

import { byValue, oneValue } from "../../../core/by-value.ts";
import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import { conflict, conflictWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { created, item } from "../../../core/reply.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { reviewWorkOf } from "../services/work.ts";
import {
  endInvitation,
  isOpen,
  isSuppressed,
  reviewedPlaces,
  sendNow,
  suppress,
  ingestOrder,
} from "../services/invitations.ts";
import {
  addressHash,
  invitationId,
  invitations,
  mailboxes,
  mailboxId,
  readSettings,
  suppressionId,
} from "../repository.ts";
import { GAP_DAYS } from "../rules/plan-invitation.ts";
import { Invitation, INVITATION_STATUSES } from "../schema/invitation.ts";
import { Email } from "../schema/parts.ts";
import { badState } from "./env.ts";
import { OrderBody, toOrder } from "./orders.ts";

const View = withVersion(Invitation);

const invitationResource = resource({
  id: "reviews.invitations",
  collection: invitations,
  view: View,
  example: "rvi_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listInvitations = invitationResource.list({
  summary: "List review invitations, newest first",
  description: "Filter by status or by e-mail address.",
  query: z.object({ ...listFields, status: z.enum(INVITATION_STATUSES).optional(), email: Email.optional() }),
  find: ({ limit, cursor, status, email }) => {
    const value = oneValue({ status, email: email && `to.${addressHash(email)}` });
    return byValue(value, { limit, cursor });
  },
});

const createInvitation = invitationResource.custom.create({
  summary: "Invite the customer of a delivered order",
  description:
    "Sent some days after the delivery, during the day, at most once a week per address, with one reminder. Every " +
    "customer can be invited; none may be excluded because of an expected opinion.",
  body: OrderBody.omit({ refunded: true }).required({ fulfilled_at: true }),
  errors: [
    conflictWhen("exists", "The order already has an invitation"),
    conflictWhen("suppressed", "This address has unsubscribed"),
    conflictWhen("switched_off", "Invitations are disabled in the settings"),
    conflictWhen("waiting", "The order has not been delivered yet"),
  ],
  example: {
    body: {
      order_id: "1077",
      email: "cleo@shop.example",
      customer_name: "Cleo Hart",
      fulfilled_at: "2026-05-28T10:00:00.000Z",
      items: [{ target: { type: "product", id: "oat-bar" }, name: "Oat bar" }],
    },
  },
  async handle({ body }, ctx) {
    if ((await ctx.tx.get(invitations, invitationId(body.order_id))) !== null) throw refused("unchanged");
    const order = toOrder({ ...body, refunded: false });
    const result = await ingestOrder(ctx.tx, reviewWorkOf(ctx), order, { isHistory: false });
    if (result !== "scheduled") throw refused(result);
    const stored = await ctx.tx.require(invitations, invitationId(body.order_id));
    return created(stored, `/invitations/${stored.id}`);
  },
});

const refused = (detail: string) =>
  conflict(detail === "unchanged" ? "exists" : detail, REFUSALS[detail] ?? "The order cannot be invited.");
const REFUSALS: Readonly<Record<string, string>> = {
  unchanged: "The order already has an invitation.",
  suppressed: "This address has unsubscribed.",
  switched_off: "Invitations are disabled in the settings. Enable them first.",
  waiting: "The order has not been delivered yet.",
};

const getInvitation = invitationResource.get({ summary: "Show a review invitation" });

async function requireOpen(ctx: Ctx, id: string) {
  const stored = await ctx.tx.require(invitations, id);
  if (isOpen(stored.value)) return stored;
  throw conflict(
    "invalid_transition",
    `An invitation with status \`${stored.value.status}\` cannot be changed.`,
  );
}

const cancel = invitationResource.action("cancel", {
  summary: "Cancel an invitation",
  errors: [badState],
  handle: async ({ params: { id } }, ctx) =>
    item(
      await endInvitation(ctx.tx, reviewWorkOf(ctx), await requireOpen(ctx, id), {
        status: "cancelled",
        reason: "merchant",
      }),
    ),
});

const send = invitationResource.action("send", {
  summary: "Send the next mail of an invitation now",
  description:
    "Sends the invitation or its one reminder, at any time of day. No mail is sent to an unsubscribed address, or " +
    "within seven days of the previous mail.",
  errors: [
    badState,
    conflictWhen("suppressed", "This address has unsubscribed"),
    conflictWhen("already_reminded", "Both mails have been sent"),
    conflictWhen("reviewed", "All items of the order have been reviewed"),
    conflictWhen("mailed_lately", "The address has received such a mail within seven days"),
  ],
  async handle({ params: { id } }, ctx) {
    const stored = await requireOpen(ctx, id);
    const { value } = stored;
    if (await isSuppressed(ctx.tx, value.customer.email)) {
      throw conflict("suppressed", "This address has unsubscribed.");
    }
    if (value.sent_at !== null && value.reminders.every(({ sent_at: at }) => at !== null)) {
      throw conflict("already_reminded", "The invitation and its reminder have already been sent.");
    }
    const reviewed = await reviewedPlaces(ctx.tx, value);
    if (reviewed.length === value.items.length) {
      throw conflict("reviewed", "The customer has already reviewed all items of the order.");
    }
    const lately = (await ctx.tx.get(mailboxes, mailboxId(value.customer.email)))?.value.mailed_at ?? null;
    if (lately !== null && fromInstant(lately) + GAP_DAYS * DAY_MS > ctx.now) {
      throw conflict(
        "mailed_lately",
        `The address received a mail at ${lately}. At most one is sent every ${GAP_DAYS} days; try again later.`,
      );
    }
    return item(await sendNow(ctx.tx, reviewWorkOf(ctx), stored, await readSettings(ctx.tx)));
  },
});

const bounce = invitationResource.action("bounce", {
  summary: "Report that the mail of an invitation bounced",
  description: "For use by the store's own mail provider. The address receives no further invitations.",
  errors: [badState],
  async handle({ params: { id } }, ctx) {
    const stored = await requireOpen(ctx, id);
    await suppress(ctx.tx, reviewWorkOf(ctx), suppressionId(stored.value.customer.email), "bounce");
    ctx.tx.emit({
      id: ctx.newId("evt"),
      type: "reviews.invitation.bounced",
      at: ctx.nowAt,
      data: { invitation_id: id, order_id: stored.value.order_id },
    });
    // Suppressing the address also cancelled this invitation, unless it was suppressed before.
    const next = await ctx.tx.require(invitations, id);
    if (!isOpen(next.value)) return item(next);
    return item(
      await endInvitation(ctx.tx, reviewWorkOf(ctx), next, { status: "bounced", reason: "bounce" }),
    );
  },
});

export const invitationRoutes = [listInvitations, createInvitation, getInvitation, cancel, send, bounce];
