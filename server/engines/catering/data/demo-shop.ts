import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
import type { Account } from "../schema/account.ts";
import type { HeadcountSource } from "../schema/headcount.ts";
import type { Line } from "../schema/parts.ts";
import type { Policy } from "../schema/policy.ts";
import type { Settings } from "../schema.ts";
import { DEFAULT_SETTINGS } from "../repository.ts";
import { DEFAULT_TERMS } from "./default-policy.ts";
import { DEMO_IDS } from "./demo-ids.ts";
import { newResource } from "../../../lib/new-resource.ts";

export const TIME_ZONE = "Europe/London";
/** Numbers of the demo documents begin here, so that a store's own begin at 1. */
export const DEMO_NUMBER = 1001;

const line = (id: string, more: Pick<Line, "type" | "title" | "unit_price"> & Partial<Line>): Line => ({
  id,
  product_ref: null,
  rate_bps: null,
  quantity: null,
  rule: null,
  volume_tiers: [],
  tier_mode: "all_units",
  tax_rate_bps: 2000,
  optional: false,
  selected: true,
  allergen_refs: [],
  ...more,
});

const lunch = line(DEMO_IDS.lunch, {
  type: "per_head",
  title: "Working lunch",
  product_ref: "working-lunch",
  unit_price: 1295,
  volume_tiers: [{ from_heads: 50, unit_price: 1195 }],
});
const drinks = line(DEMO_IDS.drinks, {
  type: "ratio",
  title: "Elderflower, 2 litres",
  unit_price: 850,
  rule: { per: 8, min: 2 },
});
const staff = line(DEMO_IDS.staff, {
  type: "staff",
  title: "Waiting staff, evening",
  unit_price: 9600,
  rule: { per: 25, min: 1 },
});
const delivery = line(DEMO_IDS.delivery, { type: "delivery", title: "Delivery", unit_price: 1500 });

export const dayLines: readonly Line[] = [lunch, drinks, delivery];
export const eveningLines: readonly Line[] = [
  { ...lunch, title: "Finger food, 8 pieces", unit_price: 2400, volume_tiers: [] },
  staff,
  delivery,
];

export const demoSettings = (nowAt: string): Settings => ({
  ...DEFAULT_SETTINGS,
  shop_name: DEMO_SHOP_NAME,
  shop_address: "5 Mill Street\nLondon SE1 2XX",
  vat_no: "GB000000000",
  bank_details: "Demo Bank, sort code 00-00-00, account 12345678",
  terms:
    "Prices include VAT. The number of guests can be changed free of charge until five business days before.",
  holidays: [
    { date: "2026-08-31", title: "Summer bank holiday" },
    { date: "2026-12-25", title: "Christmas Day" },
    { date: "2026-12-28", title: "Boxing Day (substitute)" },
    { date: "2027-01-01", title: "New Year's Day" },
  ],
  updated_at: nowAt,
});

export const demoPolicy = (nowAt: string): Policy => ({
  ...newResource(DEMO_IDS.policy, nowAt),
  title: "Large events",
  ...DEFAULT_TERMS,
  lead_time_hours: 72,
  deposits: [
    { bps: 2500, due: { kind: "acceptance" } },
    { bps: 2500, due: { kind: "days_before", days: 14 } },
  ],
  active: true,
});

/** The accounts as they are opened; what they owe follows from their orders. */
export function demoAccounts(nowAt: string): { readonly active: Account; readonly held: Account } {
  const base: Account = {
    ...newResource(DEMO_IDS.account, nowAt),
    legal_name: "Analytical Engines Ltd",
    company_no: "01234567",
    vat_no: "GB123456789",
    business: true,
    billing_contacts: [{ name: "Ada Byron", email: "ada@office.example" }],
    billing_address: "",
    sites: [
      {
        id: "hq",
        address: "1 Long Lane, London EC1A 9HF",
        access_notes: "Ring at the back",
        default_slot: "12:00",
      },
    ],
    cost_centres: [
      {
        code: "ENG",
        name: "Engineering",
        approver_email: "grace@office.example",
        budget: { period: "month", amount: 500_000 },
      },
    ],
    credit_limit: 1_000_000,
    terms: { kind: "net", days: 30 },
    po: {
      required: false,
      pattern: "PO-####",
      open_pos: [{ number: "PO-1001", limit: 500_000, used: 0, expires_on: null }],
    },
    price_list_ref: null,
    approval: { above_amount: 300_000, approver_email: "grace@office.example" },
    statement_day: 1,
    status: "active",
    dietary_defaults: [],
    metadata: {},
    currency: "GBP",
    exposure: 0,
    open_items: [],
    spend: [],
  };
  const held: Account = {
    ...base,
    id: DEMO_IDS.accountHeld,
    legal_name: "Difference & Sons",
    billing_contacts: [{ name: "Charles Babbage", email: "charles@difference.example" }],
    billing_address: "",
    sites: [],
    cost_centres: [],
    po: { required: true, pattern: null, open_pos: [] },
    status: "on_hold",
  };
  return { active: base, held };
}

export function demoSources(nowAt: string): HeadcountSource[] {
  const base: HeadcountSource = {
    ...newResource(DEMO_IDS.source, nowAt),
    title: "Tuesday lunch",
    account_id: DEMO_IDS.account,
    kind: "rsvp",
    mode: "attendees",
    match: { uid: null, summary_contains: null, category: null },
    weights: { accepted: 1, tentative: 0, needs_action: 0 },
    include_guests: true,
    count_organizer: false,
    buffer_bps: 500,
    min: 0,
    max: 200,
    pack_size: 1,
    timezone: null,
    stale_after_h: 48,
    status: "active",
    metadata: {},
    feed: null,
    last_ok_at: null,
    warnings: [],
  };
  return [base, { ...base, id: DEMO_IDS.sourceApi, title: "Door counter", kind: "api", last_ok_at: nowAt }];
}

/** What the demo documents are made from. */
export interface Stage {
  readonly now: number;
  readonly today: string;
  readonly settings: Settings;
  readonly holidays: ReadonlySet<string>;
  readonly account: Account;
}
