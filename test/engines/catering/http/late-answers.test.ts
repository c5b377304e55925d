import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { workRecurring } from "../../../../server/engines/catering/jobs.ts";
import { orders } from "../../../../server/engines/catering/repository.ts";
import type { StoreDriver } from "../../../../server/storage/contract.ts";
import { createMemoryDriver } from "../../../../server/storage/memory.ts";
import { createTestClock } from "../../../harness.ts";
import { accountBody, createShop, line, linkIn } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let account: string;
let source: string;
let id: string;
async function open(options: Parameters<typeof createShop>[0] = {}): Promise<void> {
  shop = await createShop(options);
  account = (await shop.make("/accounts", accountBody({ credit_limit: 10_000_000 }))).id;
  source = (await shop.make("/headcount-sources", { title: "Team", kind: "rsvp" })).id;
  const body = {
    account_id: account,
    title: "Tuesday lunch",
    dtstart: "2026-06-09T12:30",
    rrule: "FREQ=WEEKLY;BYDAY=TU",
    lines: [line(1000)],
    default_heads: 20,
    headcount_source_ids: [source],
  };
  ({ id } = await shop.make("/recurring-orders", body));
}
beforeEach(() => open());
afterEach(() => shop.harness.close());

/** Two business days before Tuesday 9 June. */
const DEADLINE = "2026-06-05T11:00:00.000Z";
const PEOPLE = ["ada", "ben", "cid"];

async function invite(): Promise<void> {
  const people = PEOPLE.map((name) => ({ name, email: `${name}@office.example` }));
  await shop.make(`/headcount-sources/${source}/invitations`, { date: "2026-06-09", people });
}
const answer = async (name: string, form: Readonly<Record<string, string>>) =>
  shop.visit(await linkIn(shop, "catering-rsvp", { name }), { action: "accept", guests: "0", ...form });
async function orderedAt(instant = DEADLINE) {
  shop.harness.clock.set(instant);
  await shop.run(workRecurring);
  const [order] = await shop.read(`/orders?recurring_order_id=${id}`);
  return order;
}
const first = async () => (await shop.read(`/recurring-orders/${id}/occurrences`))[0];
const nuts = { code: "peanuts", count: 1 };

describe("an answer after the order was made", () => {
  it("takes what the guest cannot eat to the kitchen, and says by how many heads the order is out", async () => {
    await invite();
    await answer("ada", { dietary: "vegan" });
    const order = await orderedAt();
    const read = () => shop.read(`/orders/${order.id}`);
    await answer("ben", { dietary: "peanuts, vegan", guests: "1" });
    expect(await read()).toMatchObject({
      dietary: [nuts, { code: "vegan", count: 2 }],
      headcount: { guaranteed: 1 },
      total: 1000,
    });
    const { data } = (await shop.read("/events?limit=1"))[0];
    expect(data).toEqual({ date: "2026-06-09", heads: 2 });
    await answer("ada", { action: "decline" });
    expect((await read()).dietary).toEqual([nuts, { code: "vegan", count: 1 }]);
    const { url } = await shop.read(`/headcount-sources/${source}/group-links/2026-06-09`);
    const person = { name: "Dee", person: "psn_12345678" };
    await shop.visit(url, { ...person, action: "accept", guests: "0", dietary: "peanuts" });
    expect((await read()).dietary).toEqual([
      { code: "peanuts", count: 2 },
      { code: "vegan", count: 1 },
    ]);
    await shop.make(`/orders/${order.id}/cancel`, {});
    const late = await answer("cid", { dietary: "sesame" });
    expect([late.status, late.text.includes("contact the shop")]).toEqual([410, true]);
    expect((await read()).dietary).toHaveLength(2);
  });

  it("is in the order also where it comes while the heads are counted", async () => {
    await shop.harness.close();
    const inner = createMemoryDriver({ clock: createTestClock() });
    let meddle: (() => Promise<unknown>) | null = null;
    const store: StoreDriver = {
      ...inner,
      async commit(part, ops, ...rest) {
        const isOrder = ops.some((op) => "put" in op && op.put.startsWith(`${part}:${orders.name}:`));
        const run = isOrder ? meddle : null;
        if (isOrder) meddle = null;
        await run?.();
        return inner.commit(part, ops, ...rest);
      },
    };
    await open({ store });
    await invite();
    await answer("ada", { dietary: "" });
    meddle = () => answer("ben", { dietary: "peanuts" });
    const order = await orderedAt();
    expect(meddle).toBeNull();
    expect(order.dietary).toEqual([nuts]);
  });

  it("takes it there also where its source counts no longer for the days after", async () => {
    await invite();
    await answer("ada", {});
    const order = await orderedAt();
    await shop.patch(`/recurring-orders/${id}`, { headcount_source_ids: [] });
    await answer("ben", { dietary: "peanuts" });
    expect((await shop.read(`/orders/${order.id}`)).dietary).toEqual([nuts]);
  });

  it("counts one need, however it is written", async () => {
    await shop.patch(`/recurring-orders/${id}`, { dietary: [{ code: "Vegan", count: 2 }] });
    const { id: desk } = await shop.make("/headcount-sources", { title: "Desk", kind: "manual" });
    await shop.patch(`/recurring-orders/${id}`, { headcount_source_ids: [source, desk] });
    const body = { count: 20, dietary: [{ code: "VEGAN", count: 3 }] };
    await shop.call("PUT", `/headcount-sources/${desk}/counts/2026-06-09`, body);
    await invite();
    await answer("ada", { dietary: "vegan" });
    const order = await orderedAt();
    expect(order.dietary).toMatchObject([{ count: 3 }]);
    await answer("ben", { dietary: "vegan" });
    expect((await shop.read(`/orders/${order.id}`)).dietary).toMatchObject([{ count: 4 }]);
  });

  it("counts where the order had to wait for credit", async () => {
    await invite();
    await shop.patch(`/accounts/${account}`, { credit_limit: 1 });
    await answer("ada", {});
    expect(await orderedAt()).toBeUndefined();
    await answer("ben", { dietary: "peanuts" });
    await shop.patch(`/accounts/${account}`, { credit_limit: 1_000_000 });
    expect(await orderedAt("2026-06-05T12:00:00.000Z")).toMatchObject({
      headcount: { guaranteed: 2 },
      dietary: [nuts],
    });
  });
});

describe("a day for which guests were invited", () => {
  it("has their answers also where it was moved", async () => {
    await invite();
    for (const name of PEOPLE) await answer(name, name === "ben" ? { dietary: "peanuts" } : {});
    const path = `/recurring-orders/${id}/occurrences/${(await first()).id}`;
    await shop.patch(path, { date: "2026-06-10" });
    const order = await orderedAt("2026-06-08T11:00:00.000Z");
    expect(order).toMatchObject({
      event: { date: "2026-06-10" },
      headcount: { guaranteed: 3 },
      dietary: [nuts],
    });
  });

  it("counts them with those who were invited for the other day, each guest once", async () => {
    await invite();
    for (const name of PEOPLE) await answer(name, { dietary: "peanuts" });
    const path = `/recurring-orders/${id}/occurrences/${(await first()).id}`;
    await shop.patch(path, { date: "2026-06-10" });
    const { url } = await shop.read(`/headcount-sources/${source}/group-links/2026-06-10`);
    const say = (form: Readonly<Record<string, string>>) => shop.visit(url, { guests: "0", ...form });
    await say({ name: "Dee", person: "psn_12345678", action: "accept", dietary: "peanuts" });
    await say({ name: "Cid", email: "CID@office.example", person: "psn_12345679", action: "decline" });
    expect(await orderedAt("2026-06-08T11:00:00.000Z")).toMatchObject({
      headcount: { guaranteed: 3 },
      dietary: [{ code: "peanuts", count: 3 }],
    });
  });

  it("is ordered for all groups that were invited", async () => {
    const other = (await shop.make("/headcount-sources", { title: "Sales", kind: "rsvp" })).id;
    await shop.patch(`/recurring-orders/${id}`, { headcount_source_ids: [source, other] });
    await invite();
    await answer("ada", { dietary: "vegan" });
    const people = ["dee", "eve"].map((name) => ({ name, email: `${name}@office.example` }));
    await shop.make(`/headcount-sources/${other}/invitations`, { date: "2026-06-09", people });
    await answer("dee", { dietary: "vegan" });
    await answer("eve", {});
    expect(await orderedAt()).toMatchObject({
      headcount: { guaranteed: 3 },
      dietary: [{ code: "vegan", count: 2 }],
    });
  });

  it("takes no need away that the order has without the guest as well", async () => {
    const api = (await shop.make("/headcount-sources", { title: "Desk", kind: "api" })).id;
    const sesame = { code: "sesame", count: 2 };
    await shop.patch(`/recurring-orders/${id}`, { dietary: [nuts], headcount_source_ids: [source, api] });
    const body = { count: 20, dietary: [sesame] };
    await shop.call("PUT", `/headcount-sources/${api}/counts/2026-06-09`, body);
    await invite();
    await answer("ada", { dietary: "Peanuts, sesame, vegan" });
    const order = await orderedAt();
    expect(order.dietary).toEqual([nuts, sesame, { code: "vegan", count: 1 }]);
    await answer("ada", { dietary: "peanuts, sesame" });
    expect((await shop.read(`/orders/${order.id}`)).dietary).toEqual([nuts, sesame]);
    await answer("ada", {});
    expect((await shop.read(`/orders/${order.id}`)).dietary).toEqual([nuts, sesame]);
  });

  it("has the needs of a group that was removed after the order was made", async () => {
    const other = (await shop.make("/headcount-sources", { title: "Sales", kind: "rsvp" })).id;
    const third = (await shop.make("/headcount-sources", { title: "Legal", kind: "rsvp" })).id;
    await shop.patch(`/recurring-orders/${id}`, { headcount_source_ids: [source, other, third] });
    await invite();
    await answer("ada", {});
    const asked = [
      [other, "dee"],
      [third, "eve"],
    ] as const;
    for (const [group, name] of asked) {
      const people = [{ name, email: `${name}@office.example` }];
      await shop.make(`/headcount-sources/${group}/invitations`, { date: "2026-06-09", people });
    }
    await answer("dee", {});
    const order = await orderedAt();
    await shop.patch(`/recurring-orders/${id}`, { headcount_source_ids: [] });
    await answer("ben", { dietary: "vegan" });
    await answer("dee", { dietary: "peanuts" });
    await answer("eve", { dietary: "sesame" });
    expect((await shop.read(`/orders/${order.id}`)).dietary).toEqual([
      nuts,
      { code: "sesame", count: 1 },
      { code: "vegan", count: 1 },
    ]);
  });

  it("has what they answer after its order was moved by hand", async () => {
    await invite();
    await answer("ada", {});
    const order = await orderedAt();
    const { service, site } = order.event;
    const event = { date: "2026-06-10", start: "12:30", end: "14:00", service, site };
    await shop.patch(`/orders/${order.id}`, { event });
    await answer("ben", { dietary: "peanuts" });
    expect(await shop.read(`/orders/${order.id}`)).toMatchObject({
      event: { date: "2026-06-10" },
      dietary: [nuts],
    });
    expect((await shop.read("/events?limit=1"))[0].data).toEqual({ date: "2026-06-09", heads: 1 });
  });

  it("takes no answer once its food is on its way, and says so", async () => {
    await invite();
    await answer("ada", {});
    const order = await orderedAt();
    const { url } = await shop.read(`/headcount-sources/${source}/group-links/2026-06-09`);
    await shop.make(`/orders/${order.id}/progress`, { status: "in_production" });
    const link = await linkIn(shop, "catering-rsvp", { name: "ada" });
    expect((await shop.visit(link)).text).toContain("You are coming.");
    await shop.make(`/orders/${order.id}/progress`, { status: "dispatched" });
    const person = { name: "Dee", person: "psn_12345678", action: "accept", dietary: "peanuts" };
    for (const late of [
      await shop.visit(link),
      await answer("ada", { dietary: "peanuts" }),
      await shop.visit(url, person),
    ]) {
      expect(late.status).toBe(410);
      expect(late.text).toContain("contact the shop");
      expect(late.text).not.toContain("You are coming.");
    }
    expect(await shop.read(`/headcount-sources/${source}/answers/2026-06-09`)).toMatchObject({
      answered: 1,
      dietary: [],
    });
  });

  it("takes no answer of one's own link when its source is archived, and says so", async () => {
    await invite();
    await shop.patch(`/headcount-sources/${source}`, { status: "archived" });
    const late = await answer("ada", { dietary: "peanuts" });
    expect([late.status, late.text.includes("contact the shop")]).toEqual([410, true]);
    const people = [{ name: "dee", email: "dee@office.example" }];
    const again = await shop.post(`/headcount-sources/${source}/invitations`, { date: "2026-06-09", people });
    expect(again.status).toBe(409);
    expect((await shop.get(`/headcount-sources/${source}/group-links/2026-06-09`)).status).toBe(409);
  });

  it("is not cancelled by the first who declines", async () => {
    await invite();
    await answer("ada", { action: "decline" });
    expect(await orderedAt()).toMatchObject({ headcount: { guaranteed: 19 } });
    expect((await first()).state).toBe("ordered");
  });
});

describe("a date that does not take place", () => {
  const closed = async () => {
    const { status, text } = await answer("ada", { dietary: "peanuts" });
    return [status, text.includes("contact the shop")];
  };
  const occurrencePath = async () => `/recurring-orders/${id}/occurrences/${(await first()).id}`;

  it("takes no answer once it is skipped, says so, and takes them again once it is brought back", async () => {
    await invite();
    const path = await occurrencePath();
    await shop.make(`${path}/skip`, {});
    expect(await closed()).toEqual([410, true]);
    const { url } = await shop.read(`/headcount-sources/${source}/group-links/2026-06-09`);
    expect((await shop.visit(url)).status).toBe(410);
    await shop.patch(path, { skip: false });
    expect((await answer("ada", {})).status).toBe(200);
  });

  it("takes no answer once it is called off for want of heads", async () => {
    await shop.patch(`/recurring-orders/${id}`, { default_heads: 3 });
    await invite();
    for (const name of PEOPLE) await answer(name, { action: "decline" });
    expect(await orderedAt()).toBeUndefined();
    expect((await first()).state).toBe("cancelled");
    expect(await closed()).toEqual([410, true]);
  });

  it("takes no answer once its recurring order has ended, but while another one counts them", async () => {
    await invite();
    await shop.make(`/recurring-orders/${id}/pause`, {});
    expect((await answer("ada", {})).status).toBe(200);
    await shop.make(`/recurring-orders/${id}/end`, {});
    expect(await closed()).toEqual([410, true]);
    await shop.make("/recurring-orders", {
      account_id: account,
      title: "Another lunch",
      dtstart: "2026-06-09T13:30",
      rrule: "FREQ=WEEKLY;BYDAY=TU",
      lines: [line(1000)],
      default_heads: 20,
      headcount_source_ids: [source],
    });
    expect((await answer("ada", {})).status).toBe(200);
  });
});
