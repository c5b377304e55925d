import { accounts, orders, quotes } from "../../server/engines/catering/repository.ts";
import type { Account } from "../../server/engines/catering/schema/account.ts";
import type { Order } from "../../server/engines/catering/schema/order.ts";
import { CATERING_LIMITS } from "../../server/engines/catering/schema/parts.ts";
import { bundles, carts, offers } from "../../server/engines/cart/repository.ts";
import { charges, contracts } from "../../server/engines/subscriptions/repository.ts";
import type { Charge } from "../../server/engines/subscriptions/schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../../server/engines/subscriptions/schema/parts.ts";
import { running } from "../../server/engines/tiers/repository.ts";
import type { Refusal, Scene } from "./scene.ts";

/** Active offers, and active bundles, that a store can have. */
const LIVE_MAX = 500;
const NOW = "2026-06-01T09:00:00.000Z";

const cartRefusals: readonly Refusal[] = [
  [
    "cart.bundles.activate",
    "limit_reached",
    async (scene) => {
      const to = await scene.edit(bundles, () => ({ status: "paused" as const, ends_at: null }));
      const live = await scene.edit(bundles, ({ id }) => (id === to ? null : { status: "active" as const }));
      await scene.copy(bundles, live, LIVE_MAX);
      return scene.send("cart.bundles.activate", { to });
    },
  ],
  [
    "cart.offers.activate",
    "limit_reached",
    async (scene) => {
      const automatic = { trigger: "automatic" as const, codes: [], ends_at: null };
      const to = await scene.edit(offers, () => ({ ...automatic, status: "paused" as const }));
      const live = await scene.edit(offers, ({ id }) =>
        id === to ? null : { ...automatic, status: "active" as const },
      );
      await scene.copy(offers, live, LIVE_MAX);
      return scene.send("cart.offers.activate", { to });
    },
  ],
  [
    "cart.offers.codes.create",
    "invalid_transition",
    async (scene) => {
      const to = await scene.edit(offers, () => ({ status: "archived" as const }));
      return scene.send("cart.offers.codes.create", { to });
    },
  ],
  [
    "cart.carts.put",
    "invalid_transition",
    async (scene) => {
      const to = await scene.edit(carts, (value) => (value.status === "converted" ? value : null));
      return scene.send("cart.carts.put", { to, body: { sequence: Number.MAX_SAFE_INTEGER } });
    },
  ],
];

const PO: Account["po"] = { required: false, pattern: null, open_pos: [] };

/** An order of an account, both in the state given. */
async function order(scene: Scene, own: Partial<Order>, more: Partial<Account> = {}): Promise<string> {
  let accountId: string | null = null;
  const id = await scene.edit(orders, (value) => {
    accountId = value.account_id;
    if (accountId === null || value.balance <= 0) return null;
    const terms = { kind: "net", days: 30 } as const;
    return { invoice_id: null, payment_terms: terms, po_number: null, cost_centre: null, ...own };
  });
  await scene.edit(accounts, (value) =>
    value.id === accountId ? { status: "active" as const, cost_centres: [], po: PO, ...more } : null,
  );
  return id;
}

const po = (more: Partial<Account["po"]>): Partial<Account> => ({ po: { ...PO, ...more } });
const openPo = (number: string, expires_on: string | null) => ({ number, limit: 10, used: 0, expires_on });
/** Open items of other orders: as many as an account can have. */
const full: Partial<Account> = {
  credit_limit: 1_000_000_000,
  open_items: Array.from({ length: CATERING_LIMITS.openItems }, (_, n) => ({
    ref: `cor_${n}`,
    kind: "order" as const,
    amount: 1,
  })),
};

/** Confirming an order whose account has changed since it was placed. */
const confirm = (own: Partial<Order>, more: Partial<Account>) => async (scene: Scene) => {
  const to = await order(scene, { status: "tentative", ...own }, more);
  return scene.send("catering.orders.confirm", { to, body: { force: true } });
};

const cateringRefusals: readonly Refusal[] = [
  ["catering.orders.confirm", "account_not_active", confirm({}, { status: "on_hold" })],
  ["catering.orders.confirm", "cost_centre_unknown", confirm({ cost_centre: "ENG" }, {})],
  ["catering.orders.confirm", "po_required", confirm({}, po({ required: true }))],
  ["catering.orders.confirm", "po_malformed", confirm({ po_number: "PO-1" }, po({ pattern: "##" }))],
  [
    "catering.orders.confirm",
    "po_unknown",
    confirm({ po_number: "PO-1" }, po({ open_pos: [openPo("PO-2", null)] })),
  ],
  [
    "catering.orders.confirm",
    "po_expired",
    confirm({ po_number: "PO-1" }, po({ open_pos: [openPo("PO-1", "2020-01-01")] })),
  ],
  [
    "catering.orders.create",
    "too_many_open",
    async (scene) => {
      const id = await order(scene, {}, full);
      const { account_id } =
        scene.world.lists.get("/v1/catering/orders")?.find((one) => one["id"] === id) ?? {};
      return scene.send("catering.orders.create", {
        body: { account_id, po_number: null, cost_centre: null },
      });
    },
  ],
  [
    "catering.orders.update",
    "too_many_open",
    async (scene) => {
      const to = await order(scene, { status: "tentative" }, full);
      return scene.send("catering.orders.update", { to, body: { title: "Another title" } });
    },
  ],
  [
    "catering.orders.headcount",
    "too_many_open",
    async (scene) => {
      const guarantee_at = "2027-01-01T00:00:00.000Z";
      const to = await order(scene, { status: "confirmed", guarantee_at, dietary: [] }, full);
      return scene.send("catering.orders.headcount", { to, body: { guaranteed: 99 } });
    },
  ],
  [
    "catering.orders.payments",
    "limit_reached",
    async (scene) => {
      const payment = { id: "pay_1", at: NOW, amount: 1, method: "card", reference: "" } as const;
      const payments = Array.from({ length: CATERING_LIMITS.payments }, () => payment);
      const to = await order(scene, { status: "confirmed", payments });
      return scene.send("catering.orders.payments", { to, body: { amount: 1, reference: "one more" } });
    },
  ],
  [
    "catering.quotes.convert",
    "too_many_open",
    async (scene) => {
      const account_id = await scene.edit(accounts, () => ({
        ...full,
        status: "active" as const,
        po: PO,
        terms: { kind: "net" as const, days: 30 },
      }));
      const to = await scene.edit(quotes, () => ({ status: "accepted" as const, account_id }));
      return scene.send("catering.quotes.convert", { to });
    },
  ],
];

/** A charge of a contract that is collected, with attempts or refunds as given. */
async function charge(scene: Scene, change: (value: Charge) => Partial<Charge> | null): Promise<string> {
  const id = await scene.edit(charges, change);
  const { contract_id: contractId } = await scene.harness.services.runTx(
    scene.part,
    async (tx) => (await tx.require(charges, id)).value,
  );
  await scene.edit(contracts, (value) => (value.id === contractId ? { status: "active" as const } : null));
  return id;
}

/** A cycle that is still to come, of a contract that has as many changed ahead as it can. */
const changedAhead = (id: string) => async (scene: Scene) => {
  const changed = Array.from({ length: SUBSCRIPTION_LIMITS.overrides }, (_, n) => [
    String(1_000 + n),
    { skip: true, date: null, lines: null },
  ]);
  const to = await scene.edit(contracts, () => ({
    status: "active" as const,
    next_cycle: 0,
    overrides: Object.fromEntries(changed),
  }));
  return scene.send(id, { to, body: id.endsWith("update") ? { date: null } : {} });
};

const subscriptionRefusals: readonly Refusal[] = [
  [
    "subscriptions.charges.attempt",
    "limit_reached",
    async (scene) => {
      const to = await charge(scene, (value) => {
        const [attempt] = value.attempts;
        if (attempt === undefined) return null;
        const attempts = Array.from({ length: SUBSCRIPTION_LIMITS.attempts }, () => attempt);
        return {
          status: "exhausted",
          attempts: attempts.map((one) => ({ ...one, state: "failed" })),
        };
      });
      return scene.send("subscriptions.charges.attempt", { to });
    },
  ],
  [
    "subscriptions.charges.mark-paid",
    "attempt_open",
    async (scene) => {
      const to = await charge(scene, (value) => {
        const [attempt] = value.attempts;
        if (attempt === undefined) return null;
        return { status: "processing", attempts: [{ ...attempt, state: "claimed" }] };
      });
      return scene.send("subscriptions.charges.mark-paid", { to });
    },
  ],
  [
    "subscriptions.charges.refund",
    "limit_reached",
    async (scene) => {
      const to = await charge(scene, (value) => {
        if (value.paid_at === null || value.amount_due < 100 || value.dispute !== null) return null;
        const refunds = Array.from({ length: SUBSCRIPTION_LIMITS.refunds }, (_, n) => ({
          id: `${value.id}-r${n}`,
          amount: 1,
          reason: "Late",
          state: "succeeded" as const,
          gateway_ref: null,
          failure: null,
          tries: 1,
          next_try_at: null,
          created_at: NOW,
          resolved_at: NOW,
        }));
        return { refunds };
      });
      return scene.send("subscriptions.charges.refund", { to, body: { amount: 1 } });
    },
  ],
  ...["subscriptions.cycles.update", "subscriptions.cycles.skip", "subscriptions.cycles.unskip"].map(
    (id): Refusal => [id, "limit_reached", changedAhead(id)],
  ),
];

/** A store that has members but no programme any more. */
const withoutProgramme = (id: string): Refusal => [
  id,
  "no_programme",
  async (scene) => {
    await scene.harness.services.runTx(scene.part, async (tx) => {
      tx.remove(running, await tx.require(running, "running"));
    });
    return scene.send(id, id === "tiers.evaluations.create" ? { body: { programme: undefined } } : {});
  },
];

const tierRefusals = [
  "tiers.customers.recalculate",
  "tiers.evaluations.create",
  "tiers.recalculations.create",
].map(withoutProgramme);

export const moneyRefusals = [...cartRefusals, ...cateringRefusals, ...subscriptionRefusals, ...tierRefusals];
