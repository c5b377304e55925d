import { afterEach, beforeEach, expect, it } from "vitest";

import { eventFilters } from "../../../../server/core/events.ts";
import { ballots } from "../../../../server/engines/reviews/repository.ts";
import { DAY_MS } from "../../../../server/lib/instant.ts";
import { many } from "../../../support/longest-turn.ts";
import { createShop, publish } from "../shop.ts";
import type { Shop } from "../shop.ts";

// What would be more than one commit holds: it must neither be refused nor end a job.

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const productOf = (n: number) => ({ type: "product", id: `p${n}` });

it("unsubscribes an address with fifty open invitations", async () => {
  await shop.make("/settings", { invitations: { enabled: true } }, "PATCH");
  for (const n of many(50, (at) => at)) {
    const items = [{ target: productOf(n), name: "Bar" }];
    const order = { order_id: `o${n}`, email: "ada@shop.example", customer_name: "Ada" };
    await shop.make("/invitations", { ...order, items, fulfilled_at: "2026-05-28T10:00:00.000Z" });
  }
  shop.harness.clock.advance(20 * DAY_MS);
  await shop.run("reviews.invite");
  const [mail] = await shop.mails();
  const { pathname } = new URL(mail.data.unsubscribe_url);
  const body = { "List-Unsubscribe": "One-Click" };
  const done = await shop.harness.call("POST", pathname, { body });
  expect(done.status, done.text).toBe(200);
  shop.harness.clock.advance(20 * DAY_MS);
  await shop.run("reviews.invite");
  expect(await shop.mails()).toEqual([]);
  const left = await shop.read("/invitations?status=scheduled&limit=100");
  expect(left).toEqual([]);
}, 20_000);

it("erases a review on which sixty addresses have voted", async () => {
  const { newId, runTx } = shop.harness.services;
  const { id } = await publish(shop, { email: "ada@shop.example" });
  for (let n = 0; n < 5; n += 1) await shop.make(`/${id}/private-replies`, { body: "We are sorry." });
  await runTx(shop.part, async (tx) => {
    const vote = { subject_id: id, helpful: true, at: "2026-06-01T09:00:00.000Z", of_day: true };
    for (let n = 0; n < 60; n += 1) tx.create(ballots, { id: newId("blt"), ...vote });
  });
  const erased = await shop.call("DELETE", `/${id}`);
  expect(erased.status, erased.text).toBe(204);
  expect((await shop.read(`/${id}`)).status).toBe("erased");
});

it("erases a review with sixty private replies, the last of them by the job", async () => {
  const { id } = await publish(shop, { email: "ada@shop.example" });
  for (let n = 0; n < 60; n += 1) {
    await shop.make(`/${id}/private-replies`, { body: "We are sorry." });
    shop.harness.clock.advance(1_000);
  }
  const left = async () => (await shop.read(`/${id}/private-replies?limit=100`)).length;
  expect(await left()).toBe(60);
  const erased = await shop.call("DELETE", `/${id}`);
  expect(erased.status, erased.text).toBe(204);
  expect(await shop.read(`/${id}`)).toMatchObject({ status: "erased", email: null, body: "" });
  for (let run = 0; run < 8; run += 1) await shop.run("reviews.settle-erasures");
  expect(await left()).toBe(0);
  expect(await shop.mails()).toEqual([]);
  expect((await shop.read(`/${id}`)).erase_asked).toBe(false);
  expect((await shop.call("DELETE", `/${id}`)).status).toBe(409);
});

it("imports reviews of authors whose reviews with photos they replace", async () => {
  const { runTx } = shop.harness.services;
  await runTx(shop.part, async (tx) => tx.create(eventFilters, { id: "wanted", types: ["reviews.*"] }));
  await shop.make("/settings", { media_hosts: ["cdn.shop.example"] }, "PATCH");
  const rows = many(6, (n) => ({
    email: `c${n}@shop.example`,
    target: productOf(n),
    incentive: { type: "coupon", note: "" },
    media: [{ type: "image", url: "https://cdn.shop.example/1.jpg" }],
  }));
  for (const row of rows) await publish(shop, row);
  const content = JSON.stringify(
    rows.map(({ email, target: { id } }, n) => ({
      external_id: `x${n}`,
      target_id: id,
      email,
      author_name: "Ada",
      rating: "4",
      title: "Fine",
      body: "Quite good bread",
      status: "published",
      incentive: "coupon",
    })),
  );
  const { id } = await shop.make("/imports", {
    format: "json",
    content,
    source_system: "other",
    dry_run: false,
  });
  await shop.run("reviews.transfer");
  const done = await shop.read(`/imports/${id}`);
  expect([done.state, done.done, done.created, done.problems]).toEqual(["done", 6, 6, []]);
  expect((await shop.read("?status=withdrawn&limit=100")).length).toBe(6);
});

it("ends the turn of a long import or export when its time is over, and goes on in the next one", async () => {
  const rows = many(30, (n) => ({
    external_id: `x${n}`,
    target_id: "rye",
    author_name: "Ada",
    rating: "4",
    body: `Quite good bread, number ${n}`,
    status: "published",
  }));
  const body = { format: "json", content: JSON.stringify(rows), source_system: "other", dry_run: false };
  const imported = await shop.make("/imports", body);
  const turn = (commits?: number) => shop.run("reviews.transfer", undefined, commits);
  await turn(5);
  const begun = await shop.read(`/imports/${imported.id}`);
  expect(begun.state).toBe("running");
  expect(begun.done).toBeLessThan(30);
  await turn();
  expect(await shop.read(`/imports/${imported.id}`)).toMatchObject({ state: "done", created: 30 });
  const exported = await shop.make("/exports", { format: "csv" });
  // The imports are looked for, then the exports; one part is written.
  await turn(3);
  expect(await shop.read(`/exports/${exported.id}`)).toMatchObject({ state: "running", rows: 20 });
  await turn();
  expect(await shop.read(`/exports/${exported.id}`)).toMatchObject({ state: "done", rows: 30 });
});
