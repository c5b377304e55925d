import { afterEach, beforeEach, expect, it } from "vitest";

import { startStripeDouble } from "../../support/stripe-double.ts";
import type { StripeDouble } from "../../support/stripe-double.ts";
import { line } from "./shop.ts";
import type { Shop } from "./shop.ts";
import { createStripeShop, makeStripeContract } from "./stripe-world.ts";

let shop: Shop;
let stripe: StripeDouble;
beforeEach(async () => {
  shop = await createStripeShop();
  stripe = await startStripeDouble({ now: shop.harness.clock.now });
});
afterEach(async () => {
  await shop.harness.close();
  await stripe.close();
});

const DAY = 86_400_000;
/** Days one by one, as the worker sees them. */
async function work(days = 0): Promise<void> {
  for (let day = 0; day <= days; day += 1) {
    if (day > 0) shop.harness.clock.advance(DAY);
    await shop.harness.services.jobs.run("subscriptions.bill");
  }
}
const contractOf = (id: string) => shop.read(`/contracts/${id}`);
const chargesOf = async (id: string) =>
  (await shop.read(`/charges?contract_id=${id}&limit=100`))
    .map(({ amount_due: due, status }: { amount_due: number; status: string }) => [due, status])
    .toReversed();

/** A contract of 20.00 a month that is cancelled when a payment is given up, and changed on its third day to cost 12 p more. */
async function changed(more: object = {}): Promise<string> {
  const policy = await shop.make("/dunning-policies", { title: "Strict", on_exhausted: "cancel" });
  const terms = { lines: [line(2000)], dunning_policy_id: policy.id, ...more };
  const { id } = await makeStripeContract(shop, stripe, "ok", terms);
  await work(2);
  await shop.make(`/contracts/${id}/change`, { lines: [line(2012)] });
  await work(1);
  return id;
}

it("a difference too small for the gateway is collected with the next cycle: nothing has failed", async () => {
  const id = await changed();
  expect(await contractOf(id)).toMatchObject({ status: "active", overdue: null, carried: [{ amount: 11 }] });
  await work(40);
  expect(await contractOf(id)).toMatchObject({ status: "active", carried: [] });
  expect(await chargesOf(id)).toEqual([
    [2000, "succeeded"],
    [0, "succeeded"],
    [2023, "succeeded"],
  ]);
});

it("and is let go where no cycle follows", async () => {
  const id = await changed({ max_cycles: 1 });
  await work(40);
  expect(await contractOf(id)).toMatchObject({ status: "expired", carried: [] });
  expect(await chargesOf(id)).toEqual([
    [2000, "succeeded"],
    [11, "voided"],
  ]);
});
