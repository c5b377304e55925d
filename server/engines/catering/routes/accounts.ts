import { z } from "zod";

import { DEMO_IDS } from "../data/demo-ids.ts";
import { byAll } from "../../../core/by-value.ts";
import { invalidField, invalidParameter } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { ok } from "../../../core/reply.ts";
import { mapAll, readEach } from "../../../core/read-page.ts";
import { Currency, Id, listFields, LocalDate, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import type { Tx } from "../../../core/tx.ts";
import { todayOf } from "../services/invoice-steps.ts";
import { accounts, filed, invoices, orders, readSettings, wordsOf } from "../repository.ts";
import { lastOfMonth } from "../../../lib/local-time.ts";
import { addSpend, available, usePo } from "../rules/credit.ts";
import { claimOf } from "../rules/new-order.ts";
import { movementsOf, statement } from "../rules/statement.ts";
import { Account, accountFields, AccountStatus, OpenItem, Po } from "../schema/account.ts";
import { cateringWorkOf } from "./env.ts";
import { newResource } from "../../../lib/new-resource.ts";

const AccountView = withVersion(Account);
const fields = accountFields;

/** A purchase order as a caller writes it; what was used of it is counted here. */
const NewPo = Po.extend({
  required: Po.shape.required.default(false),
  pattern: Po.shape.pattern.default(null),
  open_pos: z
    .array(
      z.strictObject({
        number: z.string().trim().min(1).max(60),
        limit: fields.credit_limit,
        expires_on: LocalDate.nullable().default(null),
      }),
    )
    .max(100)
    .default([]),
});
const Create = z.strictObject({
  legal_name: fields.legal_name,
  company_no: fields.company_no.default(""),
  vat_no: fields.vat_no.default(""),
  business: fields.business.default(true),
  billing_contacts: fields.billing_contacts,
  billing_address: fields.billing_address,
  sites: fields.sites.default([]),
  cost_centres: fields.cost_centres.default([]),
  credit_limit: fields.credit_limit.default(0),
  terms: fields.terms.default({ kind: "prepay", days: 0 }),
  po: NewPo.default({ required: false, pattern: null, open_pos: [] }),
  price_list_ref: fields.price_list_ref.default(null),
  approval: fields.approval.default({ above_amount: null, approver_email: null }),
  statement_day: fields.statement_day.default(1),
  status: fields.status.default("active"),
  dietary_defaults: fields.dietary_defaults.default([]),
  metadata: fields.metadata.default({}),
  currency: Currency.optional().meta({ description: "Default: the store's" }),
});
const Patch = z
  .strictObject({ ...fields, billing_address: fields.billing_address.removeDefault(), po: NewPo })
  .partial();

const accountResource = resource({
  id: "catering.accounts",
  collection: accounts,
  view: AccountView,
  example: DEMO_IDS.account,
});

const listAccounts = accountResource.list({
  summary: "House accounts, newest first",
  query: z.object({
    ...listFields,
    status: AccountStatus.optional(),
    on_hold: z.stringbool().optional(),
    q: z.string().max(80).optional().meta({ description: "A whole word of the name" }),
  }),
  find: ({ cursor, limit, on_hold: onHold, q, status }) => {
    const words = q === undefined ? [] : wordsOf(q);
    if (q !== undefined && words.length !== 1) throw invalidParameter("q", "Give one word of the name.");
    const [word] = words;
    const filters = [word && filed("word", word), onHold && "status.on_hold", status && `status.${status}`];
    return byAll(filters, { limit, cursor });
  },
});

const createAccount = accountResource.create({
  summary: "Open a house account",
  description:
    "On net or eom terms its orders need no deposit and count against the credit limit until they are paid.",
  scope: "manage",
  body: Create,
  example: {
    body: {
      legal_name: "Analytical Engines Ltd",
      billing_contacts: [{ name: "Ada Byron", email: "ada@office.example" }],
      credit_limit: 1_000_000,
      terms: { kind: "net", days: 30 },
    },
  },
  make: async (body, ctx) => {
    const { po, ...rest } = body;
    const settings = await readSettings(ctx.tx);
    const account: Account = {
      ...newResource(ctx.newId("cac"), ctx.nowAt),
      ...rest,
      po: withUse(po, []),
      currency: body.currency ?? settings.currency,
      exposure: 0,
      open_items: [],
      spend: [],
    };
    refuseTwins(account);
    return account;
  },
});

const getAccount = accountResource.get({ summary: "Show a house account" });

const updateAccount = accountResource.update({
  summary: "Change a house account: limit, terms, purchase orders, hold",
  description:
    "Orders keep the terms of payment that they began with. A purchase order keeps what was used of it.",
  scope: "manage",
  body: Patch,
  example: { body: { credit_limit: 1_000_000 } },
  change: async (before, body, ctx) => {
    const { po, ...rest } = body;
    const account = {
      ...mergePatch(before, rest),
      ...(po === undefined ? {} : { po: withUse(po, before.po.open_pos) }),
      updated_at: ctx.nowAt,
    };
    refuseTwins(account);
    return recounted(ctx.tx, before, account);
  },
});

function withUse(po: z.output<typeof NewPo>, before: Account["po"]["open_pos"]): Account["po"] {
  const usedOf = (number: string): number => before.find((known) => known.number === number)?.used ?? 0;
  return { ...po, open_pos: po.open_pos.map((open) => ({ ...open, used: usedOf(open.number) })) };
}

/**
 * The account with what its orders used of budgets with another period than before, and of purchase orders that were not listed
 * before: until then their numbers were only printed.
 */
async function recounted(tx: Tx, before: Account, account: Account): Promise<Account> {
  const periodOf = ({ cost_centres: centres }: Account, code: string) =>
    centres.find((centre) => centre.code === code)?.budget?.period;
  const changed = new Set(
    account.cost_centres
      .map(({ code }) => code)
      .filter((code) => periodOf(before, code) !== periodOf(account, code)),
  );
  let spend = account.spend.filter(({ code }) => !changed.has(code));
  const listed = new Set(before.po.open_pos.map(({ number }) => number));
  let added = account.po.open_pos.filter(({ number }) => !listed.has(number));
  if (changed.size === 0 && added.length === 0) return { ...account, spend };
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  for await (const { value } of readEach(tx.part, orders, { index: "by", value: account.id }, page)) {
    const claim = claimOf(value);
    if (changed.has(value.cost_centre ?? "")) spend = addSpend(spend, account, claim, 1);
    added = usePo(added, claim, 1);
  }
  const used = account.po.open_pos.map((po) => added.find(({ number }) => number === po.number) ?? po);
  return { ...account, spend, po: { ...account.po, open_pos: used } };
}

function refuseTwins({ cost_centres: centres, po, sites }: Account): void {
  const lists = [
    { path: ["cost_centres"], keys: centres.map(({ code }) => code) },
    { path: ["po", "open_pos"], keys: po.open_pos.map(({ number }) => number) },
    { path: ["sites"], keys: sites.map(({ id }) => id) },
  ];
  for (const { keys, path } of lists) {
    if (new Set(keys).size < keys.length) throw invalidField(path, "Must not contain duplicates.");
  }
}

const Exposure = z.strictObject({
  currency: Currency,
  open_invoices: z.int(),
  unbilled: z.int(),
  limit: z.int(),
  available: z.int(),
  open_items: z.array(OpenItem),
});

const getExposure = accountResource.read("exposure", {
  summary: "Show what an account owes and may still order",
  data: Exposure,
  async handle({ params: { id } }, { tx }) {
    const { value } = await tx.require(accounts, id);
    const of = (kind: "order" | "invoice"): number =>
      value.open_items.filter((open) => open.kind === kind).reduce((all, { amount }) => all + amount, 0);
    return ok({
      currency: value.currency,
      open_invoices: of("invoice"),
      unbilled: of("order"),
      limit: value.credit_limit,
      available: available(value),
      open_items: value.open_items,
    });
  },
});

const Entry = z.strictObject({
  date: LocalDate,
  kind: z.enum(["invoice", "payment", "write_off", "void"]),
  invoice_id: Id,
  number: z.int(),
  reference: z.string(),
  amount: z.int(),
  balance: z.int(),
});

const getStatement = accountResource.read("statements", {
  cost: 10,
  summary: "Show the statement of a month",
  query: z.object({
    month: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])$/, "Expected a month such as 2026-05.")
      .optional()
      .meta({ description: "Default: the current one" }),
  }),
  data: z.strictObject({
    account_id: Id,
    currency: Currency,
    from: LocalDate,
    to: LocalDate,
    opening: z.int(),
    closing: z.int(),
    entries: z.array(Entry),
  }),
  example: { query: { month: "2026-05" } },
  async handle({ params: { id }, query }, ctx) {
    const account = await ctx.tx.require(accounts, id);
    const work = await cateringWorkOf(ctx);
    const from = `${query.month ?? todayOf(work).slice(0, 7)}-01`;
    const moves = await mapAll(ctx.tx, invoices, { index: "by", value: id }, (invoice) =>
      movementsOf(invoice, work.settings.timezone),
    );
    const { entries, ...rest } = statement(moves.flat(), { from, to: lastOfMonth(from) });
    return ok({ account_id: id, currency: account.value.currency, ...rest, entries: [...entries] });
  },
});

export const accountRoutes = [
  listAccounts,
  createAccount,
  getAccount,
  updateAccount,
  getExposure,
  getStatement,
];
