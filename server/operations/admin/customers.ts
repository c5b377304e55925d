import { z } from "zod";

import { empty, made, ok, values } from "../../core/reply.ts";
import { ListQuery } from "../../core/schema.ts";
import { actorOf, changeOf, runChange } from "../../accounts/change.ts";
import { Customer, customers, stores } from "../../accounts/collections.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { CustomerView, toCustomerView } from "../../accounts/customers/customer-view.ts";
import {
  closeCustomer,
  listCustomersOf,
  resumeCustomer,
  suspendCustomer,
  trustCustomer,
} from "../../accounts/customers/customers.ts";
import { freeText } from "../../accounts/free-text.ts";
import { Email } from "../../accounts/customers/email.ts";
import { eraseCustomer } from "../../accounts/customers/erase.ts";
import { IssuedView, toKeyView } from "../../accounts/keys/key-view.ts";
import { revokeKeysOf } from "../../accounts/keys/keys.ts";
import { verifyCustomer } from "../../accounts/verification-links.ts";
import { toViews } from "../../accounts/paging.ts";
import { payerOf } from "../../accounts/owner.ts";
import { standingOf } from "../../accounts/plans/plans.ts";
import { BudgetView, viewBudgets, viewStorage } from "../../accounts/usage/budget-view.ts";
import { changePlan, PlanChange } from "../../accounts/plans/plan-changes.ts";
import { resendLink, signUpByHand } from "../../accounts/signup/sign-up.ts";
import { StoreIdentifier } from "../../accounts/stores/store-identifier.ts";
import { requirePrimaryStore } from "../../accounts/stores/stores.ts";
import { conflict, conflictWhen } from "../../lib/errors.ts";

const example = { params: { id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2" } };
const view = (ctx: OperationsCtx) => (stored: Parameters<typeof toCustomerView>[0]) =>
  toCustomerView(stored, ctx.deps.config.plans, ctx.now);

const listCustomers = defineOperationsRoute({
  id: "admin.customers.list",
  method: "GET",
  path: "/customers",
  summary: "List customers, newest first",
  description: "`email` returns the customers with this address, at most 100: one per store identifier.",
  query: ListQuery.extend({
    status: Customer.shape.status.optional(),
    email: z.string().max(300).optional(),
  }),
  data: z.array(CustomerView),
  example: {},
  async handle({ query: { status, email, limit, cursor } }, ctx) {
    const isWanted = (customer: CustomerView): boolean => status === undefined || customer.status === status;
    if (email !== undefined) {
      const items = await listCustomersOf(ctx.tx, email);
      return toViews({ items, limit: 100, next: null }, view(ctx), isWanted);
    }
    const index = status === undefined ? {} : { index: "status", value: status };
    return toViews(await ctx.tx.peekPage(customers, { ...index, limit, cursor }), view(ctx));
  },
});

const getCustomer = defineOperationsRoute({
  id: "admin.customers.get",
  method: "GET",
  path: "/customers/:id",
  summary: "Retrieve a customer",
  data: CustomerView,
  example,
  handle: async ({ params: { id } }, ctx) => ok(view(ctx)(await ctx.tx.require(customers, id))),
});

const SignedUp = z.object({
  customer_id: z.string(),
  status: Customer.shape.status,
  email_sent: z.boolean(),
  verification_url: z.string().nullable().meta({ description: "The link, if no mail was requested" }),
});

const createCustomer = defineOperationsRoute({
  id: "admin.customers.create",
  role: "support",
  method: "POST",
  path: "/customers",
  summary: "Sign up a customer",
  description: "With `mail: false` no mail is sent and the response contains the link.",
  body: z.strictObject({ email: Email, storeIdentifier: StoreIdentifier, mail: z.boolean().default(true) }),
  data: SignedUp,
  status: 201,
  sensitive: true,
  example: {
    body: { email: "dev@bakery.example", storeIdentifier: "demo-bakery", mail: false },
  },
  async handle({ body }, ctx) {
    const { customer, emailSent, link } = await signUpByHand(ctx.deps, actorOf(ctx), body);
    const { status } = customer.value;
    const answer = { customer_id: customer.id, status, email_sent: emailSent, verification_url: link };
    return made(answer, `/customers/${customer.id}`);
  },
});

const verifyByHand = defineOperationsRoute({
  id: "admin.customers.verify",
  role: "support",
  method: "POST",
  path: "/customers/:id/verify",
  summary: "Verify a pending customer and issue its first key, shown once",
  data: IssuedView,
  sensitive: true,
  errors: [
    conflictWhen("customer_not_pending", "The customer is not pending."),
    conflictWhen("active_key_limit", "The limit of active keys of the plan has been reached."),
  ],
  example,
  async handle({ params: { id } }, ctx) {
    const change = await changeOf(ctx);
    const customer = await ctx.tx.require(customers, id);
    if (customer.value.status !== "pending") {
      throw conflict("customer_not_pending", `The customer is ${customer.value.status}, not pending.`);
    }
    const { key, plaintext } = await verifyCustomer(change, customer, await requirePrimaryStore(ctx.tx, id));
    return ok({ ...(await toKeyView(ctx.deps, ctx.tx, key, ctx.now)), api_key: plaintext });
  },
});

const resend = defineOperationsRoute({
  id: "admin.customers.resend",
  role: "support",
  method: "POST",
  path: "/customers/:id/resend",
  summary: "Send a customer another link, to verify the address or to get a new key",
  data: SignedUp.omit({ verification_url: true }),
  errors: [conflictWhen("customer_not_active", "The customer is suspended or closed.")],
  example,
  async handle({ params: { id } }, ctx) {
    const { customer, emailSent } = await resendLink(ctx.deps, actorOf(ctx), id);
    return ok({ customer_id: id, status: customer.value.status, email_sent: emailSent });
  },
});

const suspend = defineOperationsRoute({
  id: "admin.customers.suspend",
  role: "support",
  method: "POST",
  path: "/customers/:id/suspend",
  summary: "Suspend a customer. Its keys are refused with immediate effect",
  body: z
    .strictObject({
      reason: freeText(200)
        .nullable()
        .default(null)
        .meta({ description: "Stored with the customer and in the audit trail" }),
    })
    .prefault({}),
  data: CustomerView,
  errors: [conflictWhen("customer_not_active", "The customer is pending or closed.")],
  example: { ...example, body: { reason: "Invoices unpaid since April" } },
  async handle({ params: { id }, body: { reason } }, ctx) {
    const change = await changeOf(ctx);
    return ok(view(ctx)(suspendCustomer(change, await ctx.tx.require(customers, id), reason)));
  },
});

const resume = defineOperationsRoute({
  id: "admin.customers.resume",
  role: "support",
  method: "POST",
  path: "/customers/:id/resume",
  summary: "Reactivate a suspended customer",
  data: CustomerView,
  errors: [conflictWhen("customer_not_suspended", "The customer is pending or closed.")],
  example,
  async handle({ params: { id } }, ctx) {
    const change = await changeOf(ctx);
    return ok(view(ctx)(resumeCustomer(change, await ctx.tx.require(customers, id))));
  },
});

const trusting = (verb: "trust" | "distrust", summary: string) =>
  defineOperationsRoute({
    id: `admin.customers.${verb}`,
    method: "POST",
    path: `/customers/:id/${verb}`,
    summary,
    data: CustomerView,
    example,
    async handle({ params: { id } }, ctx) {
      const change = await changeOf(ctx);
      return ok(view(ctx)(trustCustomer(change, await ctx.tx.require(customers, id), verb === "trust")));
    },
  });

const listBudgets = defineOperationsRoute({
  id: "admin.customers.budgets",
  method: "GET",
  path: "/customers/:id/budgets",
  summary: "What a customer has used of its budgets, when they renew, and what its stores contain",
  data: z.array(BudgetView),
  example,
  async handle({ params: { id } }, { deps, now, tx }) {
    const { value: customer } = await tx.require(customers, id);
    const { plan } = standingOf(customer, deps.config.plans, now);
    const payer = payerOf(customer, plan);
    const holdings = (await tx.peekAll(stores, { index: "customer", value: id })).flatMap(
      ({ id: storeId }) => [
        { storeId, mode: "live" as const },
        { storeId, mode: "test" as const },
      ],
    );
    const views = [viewBudgets(deps.budgets, payer), viewStorage(deps.store, payer, holdings)];
    return values((await Promise.all(views)).flat());
  },
});

const deleteCustomer = defineOperationsRoute({
  id: "admin.customers.delete",
  method: "DELETE",
  path: "/customers/:id",
  summary: "Close a customer",
  description:
    "All keys are revoked immediately. The customer, its stores and their data are erased after 30 days; a pending customer is erased immediately. Closing a closed customer succeeds.",
  data: z.null(),
  example,
  async handle({ params: { id } }, ctx) {
    const { deps } = ctx;
    const by = actorOf(ctx);
    const isPending = await runChange(deps, by, async (change) => {
      const customer = await change.tx.require(customers, id);
      if (customer.value.status === "pending") return true;
      await closeCustomer(change, customer);
      return false;
    });
    if (isPending) {
      const isDue = ({ status }: Customer): boolean => status === "pending";
      await eraseCustomer(deps, by, { customerId: id, action: "customer.erased", isDue });
    } else {
      await revokeKeysOf(deps, by, id, { which: () => true, reason: "customer closed" });
    }
    return empty();
  },
});

const setPlan = defineOperationsRoute({
  id: "admin.customers.plan",
  method: "POST",
  path: "/customers/:id/plan",
  summary: "Change the plan of a customer, or start a trial",
  description:
    "The new limit applies from the next request of each key; the count of the current window does not change. Each plan can be tried once, and the previous plan applies again when the trial ends. With `ends_at` a paid plan is cancelled: it ends then and is replaced by Free.",
  body: PlanChange,
  data: CustomerView,
  errors: [
    conflictWhen("trial_used", "The customer already had a trial of this plan."),
    conflictWhen("customer_closed", "The customer is closed."),
  ],
  example: { ...example, body: { plan: "growth", trial: true } },
  async handle({ params: { id }, body }, ctx) {
    const change = await changeOf(ctx);
    return ok(view(ctx)(changePlan(change, await ctx.tx.require(customers, id), body)));
  },
});

export const customerRoutes = [
  listCustomers,
  createCustomer,
  getCustomer,
  deleteCustomer,
  verifyByHand,
  resend,
  suspend,
  resume,
  trusting("trust", "Trust a customer: its mail to new recipients is not limited by the budget of the plan"),
  trusting("distrust", "Revoke the trust of a customer: its mail to new recipients is limited again"),
  listBudgets,
  setPlan,
];
