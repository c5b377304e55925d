import { z } from "zod";

import { conflictWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { item } from "../../../core/reply.ts";
import type { Stored } from "../../../core/tx.ts";
import {
  issueInvoice,
  payInvoice,
  requireInvoice,
  saveInvoice,
  todayOf,
  voidInvoice,
} from "../services/invoice-steps.ts";
import type { CateringWork } from "../services/work.ts";
import { invoices } from "../repository.ts";
import type { Invoice } from "../schema/invoice.ts";
import { ShortNote } from "../schema/parts.ts";
import { badState, cateringWorkOf, tooManyOpen } from "./env.ts";
import { PaymentBody } from "./order-actions.ts";
import { invoiceResource } from "./invoices.ts";

const Reason = z.strictObject({ reason: ShortNote.default("") });
const open = async (ctx: Ctx, id: string) => ({
  stored: await ctx.tx.require(invoices, id),
  work: await cateringWorkOf(ctx),
});

const issue = invoiceResource.action("issue", {
  summary: "Issue a draft invoice: assign its number and send it",
  errors: [badState],
  async handle({ params: { id } }, ctx) {
    const { stored, work } = await open(ctx, id);
    return item(await issueInvoice(work, stored));
  },
});

const pay = invoiceResource.action("payments", {
  scope: "manage",
  summary: "Record a payment or refund of an invoice",
  description:
    "At most what is owed. A payment with the reference, method and amount of a recorded one is the same payment: it is not recorded again.",
  body: PaymentBody,
  errors: [badState, tooManyOpen, conflictWhen("limit_reached", "Too many payments")],
  example: {
    body: { amount: 10_000, method: "bank_transfer", reference: "INV-3" },
  },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    return item(await payInvoice(work, stored, { id: ctx.newId("pay"), at: ctx.nowAt, ...body }));
  },
});

const voidRoute = invoiceResource.action("void", {
  scope: "manage",
  summary: "Void an invoice; its orders can be invoiced again",
  body: Reason,
  errors: [badState, tooManyOpen],
  example: { body: { reason: "Wrong address." } },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    return item(await voidInvoice(work, stored, body.reason));
  },
});

const close = (
  work: CateringWork,
  stored: Stored<Invoice>,
  change: Partial<Invoice>,
): Promise<Stored<Invoice>> => saveInvoice(work, stored, { ...stored.value, ...change });

const dispute = invoiceResource.action("dispute", {
  summary: "Mark an invoice as disputed; no reminders are sent until it is resolved",
  body: Reason,
  errors: [badState],
  example: { body: { reason: "Two trays short." } },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    requireInvoice(stored.value, "dispute", "disputed");
    return item(await close(work, stored, { status: "disputed", closed_reason: body.reason }));
  },
});

const resolve = invoiceResource.action("resolve", {
  summary: "Resolve a dispute",
  errors: [badState],
  async handle({ params: { id } }, ctx) {
    const { stored, work } = await open(ctx, id);
    requireInvoice(stored.value, "resolve", "resolved");
    return item(await close(work, stored, { status: "issued", closed_reason: "" }));
  },
});

const writeOff = invoiceResource.action("write-off", {
  scope: "manage",
  summary: "Write off an invoice",
  body: Reason,
  errors: [badState],
  example: { body: { reason: "Insolvent." } },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    requireInvoice(stored.value, "write_off", "written off");
    const closed = { status: "written_off" as const, closed_reason: body.reason, closed_on: todayOf(work) };
    return item(await close(work, stored, closed));
  },
});

export const invoiceActionRoutes = [issue, pay, voidRoute, dispute, resolve, writeOff];
