import { DEFAULT_TERMS } from "../../../server/engines/catering/data/default-policy.ts";
import { fillDraft } from "../../../server/engines/catering/rules/draft-quote.ts";
import { newOrder } from "../../../server/engines/catering/rules/new-order.ts";
import type { OrderDraft } from "../../../server/engines/catering/rules/new-order.ts";
import type { Account } from "../../../server/engines/catering/schema/account.ts";
import type { Invoice } from "../../../server/engines/catering/schema/invoice.ts";
import type { Order } from "../../../server/engines/catering/schema/order.ts";
import type { Line } from "../../../server/engines/catering/schema/parts.ts";
import type { RecurringOrder } from "../../../server/engines/catering/schema/recurring.ts";
import type { Quote } from "../../../server/engines/catering/schema.ts";

// Documents for tests of rules: sound ones, of which a test changes what it is about.

export const ms = (instant: string): number => Date.parse(instant);
export const NOW = "2026-06-01T09:00:00.000Z";
const times = { created_at: NOW, updated_at: NOW };
export const noHolidays: ReadonlySet<string> = new Set();

export const line = (more: Partial<Line> = {}): Line => ({
  id: "lin_1",
  type: "per_head",
  title: "Working lunch",
  product_ref: null,
  unit_price: 1295,
  rate_bps: null,
  quantity: null,
  rule: null,
  volume_tiers: [],
  tier_mode: "all_units",
  tax_rate_bps: 0,
  optional: false,
  selected: true,
  allergen_refs: [],
  ...more,
});

export const event = {
  date: "2026-06-19",
  start: "12:30",
  end: "14:00",
  timezone: "Europe/London",
  service: "drop_off" as const,
  site: "",
};

export function quote(more: Partial<Quote> = {}): Quote {
  const base = {
    lines: [line()],
    event,
    headcount: { estimate: 30, min: 25, max: 40 },
    tax_included: true,
    policy: DEFAULT_TERMS,
  };
  return {
    id: "cqt_1",
    ...times,
    number: 1,
    account_id: null,
    prospect: { name: "Ada", email: "ada@office.example", company: "" },
    status: "sent",
    current_version: 1,
    title: "Lunch",
    currency: "GBP",
    dietary: [],
    terms: "",
    valid_until: "2026-06-12T16:00:00.000Z",
    policy_id: null,
    hash: "h1",
    sent_at: NOW,
    sent_to: "ada@office.example",
    first_viewed_at: null,
    acceptance: null,
    approval: null,
    closed_reason: "",
    order_id: null,
    reminders: [],
    metadata: {},
    ...base,
    ...fillDraft({ ...base, deposits: null, account: null }),
    ...more,
  };
}

export const account = (more: Partial<Account> = {}): Account => ({
  id: "cac_1",
  ...times,
  legal_name: "Analytical Engines Ltd",
  company_no: "",
  vat_no: "",
  business: true,
  billing_contacts: [{ name: "Ada", email: "ada@office.example" }],
  billing_address: "",
  sites: [],
  cost_centres: [],
  credit_limit: 100_000,
  terms: { kind: "net", days: 30 },
  po: { required: false, pattern: null, open_pos: [] },
  price_list_ref: null,
  approval: { above_amount: null, approver_email: null },
  statement_day: 1,
  status: "active",
  dietary_defaults: [],
  metadata: {},
  currency: "GBP",
  exposure: 0,
  open_items: [],
  spend: [],
  ...more,
});

export const order = (more: Partial<OrderDraft> = {}, changes: Partial<Order> = {}): Order => ({
  ...newOrder(
    {
      id: "cor_1",
      number: 1,
      account_id: "cac_1",
      contact: { name: "Ada", email: "ada@office.example", company: "" },
      title: "Lunch",
      currency: "GBP",
      tax_included: true,
      lines: [line()],
      deposit_schedule: [],
      policy: DEFAULT_TERMS,
      payment_terms: { kind: "net", days: 30 },
      event,
      dietary: [],
      po_number: null,
      cost_centre: null,
      heads: 30,
      status: "confirmed",
      ...more,
    },
    { now: ms(NOW), holidays: noHolidays },
  ),
  ...changes,
});

export const invoice = (more: Partial<Invoice> = {}): Invoice => ({
  id: "civ_1",
  ...times,
  number: 1,
  account_id: "cac_1",
  bill_to: { name: "Ada", email: "ada@office.example", company: "", address: "" },
  status: "issued",
  currency: "GBP",
  orders: [],
  terms: { kind: "net", days: 30 },
  issued_on: "2026-06-01",
  due_on: "2026-07-01",
  net: 10_000,
  tax: 0,
  taxes: [],
  total: 10_000,
  prepaid: 0,
  payments: [],
  paid: 0,
  balance: 10_000,
  overdue_at: null,
  closed_reason: "",
  closed_on: null,
  retained_until: "2033-12-31",
  erasure_due: false,
  metadata: {},
  ...more,
});

export const recurring = (more: Partial<RecurringOrder> = {}): RecurringOrder => ({
  id: "crc_1",
  ...times,
  account_id: "cac_1",
  status: "active",
  title: "Tuesday lunch",
  dtstart: "2026-06-02T12:30",
  rrule: "FREQ=WEEKLY;BYDAY=TU",
  timezone: "Europe/London",
  exdates: [],
  rdates: [],
  until: null,
  month_end: false,
  holiday_policy: "skip",
  duration_minutes: 60,
  service: "drop_off",
  site: "",
  lines: [line()],
  menu_rotation: [],
  dietary: [],
  lead_days: 2,
  count_at: "12:00",
  default_heads: 20,
  headcount_source_ids: [],
  approval_mode: "auto",
  policy_id: null,
  po_number: null,
  cost_centre: null,
  edits: [],
  progress: [],
  weekday_counts: {},
  next_action_at: null,
  metadata: {},
  ...more,
});
