import { z } from "zod";

import { byAll, pageWhile } from "../../../core/by-value.ts";
import { invalidField } from "../../../lib/errors.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { Ctx } from "../../../core/route.ts";
import { created, item, list } from "../../../core/reply.ts";
import { workOf } from "../../../core/route.ts";
import { Id, LocalDate, Metadata, withVersion, listFields } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { closeWork, openWork } from "../services/contract-work.ts";
import { payWith } from "../services/lifecycle.ts";
import { contracts, filed, paymentMethods, plans, policies, readSettings } from "../repository.ts";
import { stillPlanned } from "../rules/cycle-dates.ts";
import { faultOf, toContract, withIds } from "../rules/new-contract.ts";
import type { Draft } from "../rules/new-contract.ts";
import { Contract, ContractStatus, Delivery } from "../schema.ts";
import { NewLines, Ref } from "../schema/parts.ts";
import type { Plan } from "../schema.ts";
import { ContractDraft } from "../schema/requests.ts";
import { badState, requireRoom, requireStatus } from "./env.ts";
import { confirmationMail } from "../services/mails.ts";

const ContractView = withVersion(Contract);

const Query = z.object({
  ...listFields,
  status: ContractStatus.optional(),
  customer_id: Ref.optional(),
  product_ref: Ref.optional(),
  in_dunning: z.stringbool().optional(),
  next_billing_from: LocalDate.optional().meta({
    description: "In order of the next billing date, from this day",
  }),
  next_billing_to: LocalDate.optional().meta({ description: "Last day" }),
});

export const contractResource = resource({
  id: "subscriptions.contracts",
  collection: contracts,
  view: ContractView,
  example: "sub_01KDVDNA00GGGGGGGGGGGGGGGZ",
});

const listContracts = contractResource.custom.list({
  summary: "Subscription contracts, newest first",
  description: "All filters can be combined. With a span of days, in order of the next billing date.",
  query: Query,
  async handle({ query }, { tx }) {
    const { limit, cursor, next_billing_from: from, next_billing_to: to } = query;
    const filters = filtersOf(query);
    if (from === undefined && to === undefined) {
      return list(await tx.peekPage(contracts, byAll(filters, { limit, cursor })));
    }
    const span = byAll(filters, { index: "billing", limit, cursor, from });
    const isWithin = ({ next_billing_date: date }: Contract) =>
      to === undefined || (date !== null && date <= to);
    return list(await pageWhile(tx, contracts, span, isWithin));
  },
});

/** Values of the index for the filters, those of few contracts first; a span of days is read from another index. */
function filtersOf(query: z.output<typeof Query>) {
  const { status, customer_id: customer, product_ref: product, in_dunning: dunning } = query;
  return [
    customer && filed("customer", customer),
    dunning && "dunning",
    product && filed("product", product),
    status && `status.${status}`,
  ];
}

const createContract = contractResource.custom.create({
  summary: "Begin a subscription",
  description:
    "A contract that begins today is pending until its first charge is paid, and expires after 23 hours without it, unless it is paid by hand. The worker " +
    "makes the charge within seconds. What is left out comes from the plan, then from the settings. The customer is sent a " +
    "confirmation, unless `send_mail` of the settings is false, as while you import contracts.",
  body: ContractDraft,
  example: {
    body: {
      customer: { id: "ada", email: "ada@shop.example", name: "Ada Byron" },
      lines: [{ product_ref: "coffee-1kg", title: "Coffee, 1 kg", quantity: 1, unit_price: 1800 }],
      interval: { unit: "month", count: 1 },
      shipping_price: 300,
    },
  },
  async handle({ body }, ctx) {
    const { tx } = ctx;
    const plan = await planOf(ctx, body.plan_id);
    refuseFaults(body, plan);
    await refuseUnknown(ctx, body);
    const id = ctx.newId("sub");
    const contract = toContract(body, { id, now: ctx.now, plan, settings: await readSettings(tx) });
    if (contract.start_date < localDateAt(ctx.now, contract.timezone)) {
      throw invalidField(["start_date"], "Must not be in the past.");
    }
    requireRoom(contract);
    // Staged first and then opened, so that what follows from every change follows from this.
    const opened = await openWork(workOf(ctx), tx, tx.create(contracts, contract));
    opened.emit("contract.created", null, { status: contract.status });
    opened.mail({ about: "confirmation", ...confirmationMail(opened) });
    return created(await closeWork(opened), `/contracts/${id}`);
  },
});

const getContract = contractResource.get({ summary: "Show a contract" });

const Patch = z.strictObject({
  lines: NewLines.optional().meta({ description: "From the next cycle on; POST …/change prorates" }),
  delivery: Delivery.extend({
    interval: Delivery.shape.interval.unwrap().optional().meta({
      description: "Deliveries per charge. Default: as before",
    }),
  })
    .nullable()
    .optional(),
  payment_method_id: Id.nullable().optional(),
  metadata: Metadata.optional(),
});

const updateContract = contractResource.custom.update({
  summary: "Change lines, address or payment method of a contract",
  description: "Another payment method makes every charge that failed be tried once more, with it.",
  body: Patch,
  errors: [badState],
  example: { body: { metadata: { source: "fair" } } },
  async handle({ params, body }, ctx) {
    const stored = await ctx.current(contracts, params.id);
    requireStatus(stored.value, "change", "changed");
    const opened = await openWork(workOf(ctx), ctx.tx, stored);
    const { contract } = opened;
    await refuseForeignMethod(ctx, body.payment_method_id ?? null, contract.customer.id);
    if (body.payment_method_id !== undefined) payWith(opened, body.payment_method_id);
    const { delivery = contract.delivery } = body;
    const lines = body.lines === undefined ? null : withIds(body.lines, contract.lines);
    opened.contract = {
      ...opened.contract,
      lines: lines ?? contract.lines,
      pending_change: stillPlanned(contract, lines, null),
      delivery: delivery && { ...delivery, interval: delivery.interval ?? contract.delivery?.interval ?? 1 },
      metadata: body.metadata ?? contract.metadata,
    };
    requireRoom(opened.contract);
    opened.emit("contract.updated", null, { change: Object.keys(body).join(" ") });
    return item(await closeWork(opened));
  },
});

/** The plan of a draft; `at` is the path of the draft in the body. */
export async function planOf(
  { tx }: Pick<Ctx, "tx">,
  id: string | undefined,
  at: readonly string[] = [],
): Promise<Plan | null> {
  if (id === undefined) return null;
  const plan = await tx.get(plans, id);
  if (plan === null) throw invalidField([...at, "plan_id"], "No such plan.");
  return plan.value;
}

export function refuseFaults(draft: Draft, plan: Plan | null, at: readonly string[] = []): void {
  const fault = faultOf(draft, plan);
  if (fault !== null) throw invalidField([...at, ...fault.path], fault.detail);
}

async function refuseUnknown(ctx: Ctx, draft: Draft): Promise<void> {
  await refuseForeignMethod(ctx, draft.payment_method_id, draft.customer.id);
  const { dunning_policy_id: policyId } = draft;
  if (policyId !== null && (await ctx.tx.get(policies, policyId)) === null) {
    throw invalidField(["dunning_policy_id"], "No such dunning policy.");
  }
}

async function refuseForeignMethod({ tx }: Ctx, id: string | null, customerId: string): Promise<void> {
  if (id === null) return;
  const method = await tx.get(paymentMethods, id);
  if (method === null) throw invalidField(["payment_method_id"], "No such payment method.");
  if (method.value.customer_id !== customerId) {
    throw invalidField(["payment_method_id"], "Belongs to another customer.");
  }
}

export const contractRoutes = [listContracts, createContract, getContract, updateContract];
