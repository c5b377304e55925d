import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { codeOf, createShop } from "../shop.ts";
import type { Shop } from "../shop.ts";

const DAY = 86_400_000;
let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  await shop.make(
    "/settings",
    { shop_name: "Bakery", invitations: { incentive: { type: "points", note: "" } } },
    "PATCH",
  );
});
afterAll(() => shop.harness.close());

const item = (id: string) => ({
  target: { type: "product", id },
  name: `The ${id}`,
  url: `https://bakery.example/${id}`,
});
const order = (id: string, more: object = {}) => ({
  order_id: id,
  email: `${id}@shop.example`,
  customer_name: "Ada <b>",
  fulfilled_at: "2026-06-01T09:00:00.000Z",
  items: [item("loaf"), item("rye")],
  ...more,
});
const tell = async (...orders: object[]) =>
  (await shop.make("/orders", { orders })).orders.map(({ invitation }: { invitation: string }) => invitation);
const invitationOf = async (email: string) => (await shop.read(`/invitations?email=${email}`))[0];
const mailsTo = async (email: string) => (await shop.mails()).filter(({ to }) => to === email);
const form = (path: string, fields: Record<string, string>) =>
  shop.harness.call("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

describe("invitations", () => {
  it("are planned once for an order that was delivered, and called off when it is refunded", async () => {
    expect(await tell(order("a1", { fulfilled_at: null }), order("a2"), order("a3"))).toEqual([
      "waiting",
      "scheduled",
      "scheduled",
    ]);
    expect(await tell(order("a1"), order("a2"), order("a3", { refunded: true }))).toEqual([
      "scheduled",
      "unchanged",
      "cancelled",
    ]);
    expect(await invitationOf("a2@shop.example")).toMatchObject({
      status: "scheduled",
      send_at: "2026-06-15T09:00:00.000Z",
    });
    expect(await invitationOf("a3@shop.example")).toMatchObject({ status: "cancelled", reason: "refunded" });
    const single = { ...order("a4") };
    expect((await shop.call("POST", "/invitations", single)).status).toBe(201);
    expect(codeOf(await shop.call("POST", "/invitations", single))).toBe("409 exists");
  });

  it("are refused for the end of time, where none can follow", async () => {
    const late = order("a5", { fulfilled_at: "9999-12-20T10:00:00.000Z" });
    const pointerOf = async (path: string, body: object) =>
      (await shop.call("POST", path, body)).json.error.errors[0].pointer;
    expect(await pointerOf("/invitations", late)).toBe("#/fulfilled_at");
    expect(await pointerOf("/orders", { orders: [late] })).toBe("#/orders/0/fulfilled_at");
  });

  it("go out when they are due, once, with one reminder a week later, and end", async () => {
    await shop.run("reviews.invite");
    expect(await mailsTo("a2@shop.example")).toEqual([]);
    shop.harness.clock.set("2026-06-15T09:00:00.000Z");
    await shop.run("reviews.invite");
    await shop.run("reviews.invite");
    expect((await mailsTo("a2@shop.example")).map(({ template }) => template)).toEqual(["review-invitation"]);
    expect(await invitationOf("a2@shop.example")).toMatchObject({
      status: "sent",
      expires_at: "2026-08-14T09:00:00.000Z",
    });
    shop.harness.clock.advance(7 * DAY);
    await shop.run("reviews.invite");
    await shop.run("reviews.invite");
    expect((await mailsTo("a2@shop.example")).map(({ template }) => template)).toEqual([
      "review-invitation",
      "review-reminder",
    ]);
    const { id } = await invitationOf("a2@shop.example");
    expect(codeOf(await shop.call("POST", `/invitations/${id}/send`))).toBe("409 already_reminded");
  });

  it("lead to a form that works without script, and bring verified reviews that tell what was offered", async () => {
    const [mail] = await mailsTo("a2@shop.example");
    expect(mail.data.incentive).toBe("points");
    const path = new URL(mail.data.review_url).pathname;
    const shown = await shop.harness.call("GET", path);
    expect(shown.status).toBe(200);
    expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(shown.text).not.toMatch(/<script|<b>/);
    expect(shown.text).toContain("Ada &lt;b&gt;");
    expect(await invitationOf("a2@shop.example")).toMatchObject({ status: "clicked" });
    const wrong = await form(path, { item: "0", rating: "", body: "I said <b>this</b>." });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("Choose one to five stars.");
    expect(wrong.text).toContain("I said &lt;b&gt;this&lt;/b&gt;.");
    expect(
      (await form(path, { item: "0", rating: "2", body: "Too dark for my taste.", display_name: "Ada" }))
        .text,
    ).toContain("Review something else");
    const [review] = await shop.read("?target_id=loaf");
    expect(review).toMatchObject({
      rating: 2,
      status: "pending",
      email: "a2@shop.example",
      verification: { level: "verified_purchase", order_id: "a2" },
      incentive: { type: "points" },
      disclosure: "The reviewer was offered loyalty points for this review.",
      collection_method: "post_fulfillment",
      product_url: "https://bakery.example/loaf",
    });
    // The same item again changes nothing; the other one ends the invitation.
    await form(path, { item: "0", rating: "5", display_name: "Ada" });
    expect(await shop.read("?target_id=loaf")).toHaveLength(1);
    expect((await form(path, { item: "1", rating: "5", display_name: "" })).text).toContain(
      "Your reviews of this order",
    );
    expect((await shop.read("?target_id=rye"))[0].author.is_anonymous).toBe(true);
    expect(await invitationOf("a2@shop.example")).toMatchObject({ status: "submitted", reviewed: [0, 1] });
  });

  it("end with their link", async () => {
    const [mail] = await mailsTo("a4@shop.example");
    const path = new URL(mail.data.review_url).pathname;
    expect((await shop.harness.call("GET", path)).text).toContain("Your rating");
    shop.harness.clock.set("2026-08-20T09:00:00.000Z");
    expect((await shop.harness.call("GET", path)).text).toContain("This link has expired");
    await shop.run("reviews.invite");
    expect(await invitationOf("a4@shop.example")).toMatchObject({ status: "expired" });
    expect((await shop.harness.call("GET", "/api/public/reviews/nonsense.token")).status).toBe(404);
  });

  it("stop with one click, for good", async () => {
    await tell(
      order("b1", { fulfilled_at: "2026-08-01T09:00:00.000Z" }),
      order("b2", { email: "b1@shop.example", fulfilled_at: "2026-08-01T09:00:00.000Z" }),
    );
    await shop.run("reviews.invite");
    // At most one mail a week to an address: the second waits.
    const mails = await mailsTo("b1@shop.example");
    expect(mails).toHaveLength(1);
    const path = new URL(mails[0].data.unsubscribe_url).pathname;
    expect((await shop.harness.call("GET", path)).text).toContain("List-Unsubscribe");
    expect(await shop.read("/suppressions?email=b1@shop.example")).toHaveLength(0);
    expect((await form(path, { "List-Unsubscribe": "One-Click" })).text).toContain("Unsubscribed");
    await form(path, { "List-Unsubscribe": "One-Click" });
    expect(await shop.read("/suppressions?email=b1@shop.example")).toHaveLength(1);
    for (const one of await shop.read("/invitations?email=b1@shop.example"))
      expect(one.status).toBe("unsubscribed");
    expect(await tell(order("b3", { email: "b1@shop.example" }))).toEqual(["suppressed"]);
    shop.harness.clock.advance(30 * DAY);
    await shop.run("reviews.invite");
    expect(
      (await mailsTo("b1@shop.example")).filter(({ created_at: at }) => at > mails[0].created_at),
    ).toEqual([]);
  });

  it("wait for the morning", async () => {
    shop.harness.clock.set("2026-10-01T22:30:00.000Z");
    await tell(order("c1", { fulfilled_at: "2026-09-01T09:00:00.000Z" }));
    await shop.run("reviews.invite");
    expect(await mailsTo("c1@shop.example")).toEqual([]);
    expect(await invitationOf("c1@shop.example")).toMatchObject({
      status: "scheduled",
      next_action_at: "2026-10-02T07:00:00.000Z",
    });
    shop.harness.clock.set("2026-10-02T07:00:00.000Z");
    await shop.run("reviews.invite");
    expect(await mailsTo("c1@shop.example")).toHaveLength(1);
  });

  it("end with a bounce, and are not sent to who reviewed already", async () => {
    const { id } = await invitationOf("c1@shop.example");
    expect((await shop.make(`/invitations/${id}/bounce`)).status).toBe("bounced");
    expect(codeOf(await shop.call("POST", `/invitations/${id}/cancel`))).toBe("409 invalid_transition");
    await tell(order("e1", { fulfilled_at: "2026-09-10T09:00:00.000Z" }));
    const { id: byHand } = await invitationOf("e1@shop.example");
    expect((await shop.make(`/invitations/${byHand}/send`)).status).toBe("sent");
    expect(codeOf(await shop.call("POST", `/invitations/${byHand}/send`))).toBe("409 mailed_lately");
    await tell(order("d1", { items: [item("bun")], fulfilled_at: "2026-09-30T09:00:00.000Z" }));
    await shop.make("", {
      target: { type: "product", id: "bun" },
      rating: 4,
      body: "Written before anybody asked for it, as it happens.",
      email: "d1@shop.example",
      author: { display_name: "Dee" },
      incentive: { type: "none" },
    });
    const { id: asked } = await invitationOf("d1@shop.example");
    expect(codeOf(await shop.call("POST", `/invitations/${asked}/send`))).toBe("409 reviewed");
    shop.harness.clock.set("2026-10-20T09:00:00.000Z");
    await shop.run("reviews.invite");
    expect(await invitationOf("d1@shop.example")).toMatchObject({ status: "submitted", reason: "reviewed" });
    expect(await mailsTo("d1@shop.example")).toEqual([]);
  });

  it("follow their order until they are sent: a corrected address, an item that was returned, a later delivery", async () => {
    const sent = { fulfilled_at: "2026-10-10T09:00:00.000Z" };
    await tell(order("f1", { ...sent, email: "typo@shop.example", locale: "de" }));
    const next = order("f1", {
      fulfilled_at: "2026-10-12T09:00:00.000Z",
      items: [item("rye")],
      locale: "en",
    });
    expect(await tell(next, next)).toEqual(["scheduled", "unchanged"]);
    expect(await shop.read("/invitations?email=typo@shop.example")).toEqual([]);
    expect(await invitationOf("f1@shop.example")).toMatchObject({
      status: "scheduled",
      locale: "en",
      items: [{ target: { id: "rye" } }],
      send_at: "2026-10-26T09:00:00.000Z",
      next_action_at: "2026-10-26T09:00:00.000Z",
    });
    expect(codeOf(await shop.call("POST", "/invitations", order("f1", sent)))).toBe("409 exists");
    shop.harness.clock.set("2026-10-26T09:00:00.000Z");
    await shop.run("reviews.invite");
    expect(await tell(order("f1", { ...sent, customer_name: "Late" }))).toEqual(["unchanged"]);
    expect(await mailsTo("f1@shop.example")).toHaveLength(1);
  });

  it("disclose what their mails offered, also when it is not offered any more", async () => {
    const [mail] = await mailsTo("f1@shop.example");
    expect(mail.data.incentive).toBe("points");
    const offer = (type: string) =>
      shop.make("/settings", { invitations: { incentive: { type, note: "" } } }, "PATCH");
    await offer("none");
    const path = new URL(mail.data.review_url).pathname;
    expect((await shop.harness.call("GET", path)).text).toContain("You are offered an incentive");
    await form(path, { item: "0", rating: "4", body: "As good as it looks.", display_name: "Eff" });
    const [review] = (await shop.read("?target_id=rye")).filter(
      ({ email }: { email: string }) => email === "f1@shop.example",
    );
    expect(review).toMatchObject({
      incentive: { type: "points" },
      disclosure: "The reviewer was offered loyalty points for this review.",
    });
    await offer("points");
  });

  it("are not sent for what the customer has reviewed after an earlier order, by address or by id", async () => {
    const at = { fulfilled_at: "2026-10-20T09:00:00.000Z", email: "f1@shop.example" };
    await tell(order("f2", { ...at, items: [item("rye")] }));
    const known = { customer_id: "cus-g", fulfilled_at: "2026-10-20T09:00:00.000Z", items: [item("bun")] };
    await tell(order("g1", known));
    await shop.make("", {
      target: { type: "product", id: "bun" },
      rating: 4,
      body: "Written by a customer who was logged in.",
      order_id: "g1",
      author: { display_name: "Gee", customer_id: "cus-g" },
      incentive: { type: "none" },
    });
    shop.harness.clock.set("2026-11-05T10:00:00.000Z");
    await shop.run("reviews.invite");
    for (const email of ["f1@shop.example", "g1@shop.example"])
      expect(await invitationOf(email)).toMatchObject({ status: "submitted", reason: "reviewed" });
    for (const email of ["f1@shop.example", "g1@shop.example"]) expect(await mailsTo(email)).toEqual([]);
  });

  it("are not sent for past orders that a shop brings with it, unless it asks for one", async () => {
    const past = order("h1", { fulfilled_at: "2025-03-01T10:00:00.000Z" });
    expect(await tell(past)).toEqual(["too_late"]);
    expect(await shop.read("/orders?order_id=h1")).toHaveLength(1);
    expect((await shop.call("POST", "/invitations", past)).status).toBe(201);
  });
});

describe("a store whose language is not English", () => {
  it("invites, and asks authors to confirm, in it where nothing else is said", async () => {
    const german = await createShop();
    await german.harness.call("PATCH", "/v1/account/store", { key: german.key, body: { locale: "de-DE" } });
    await german.make("/orders", { orders: [order("k1")] });
    expect((await german.read("/invitations?email=k1@shop.example"))[0].locale).toBe("de");
    const target = { type: "product", id: "loaf" };
    const review = { target, rating: 5, author: { display_name: "Kay" }, incentive: { type: "none" } };
    const { id } = (await german.visit("POST", "", { ...review, email: "kay@shop.example" })).json.data;
    expect((await german.read(`/${id}`)).locale).toBe("de");
    const french = { ...review, email: "emma@shop.example", locale: "fr" };
    await german.visit("POST", "", french);
    const [confirmation] = (await german.mails()).filter(({ to }) => to === "emma@shop.example");
    expect(confirmation.locale).toBe("fr");
    const author = { display_name: "Kay" };
    const asked = await german.make("/questions", { target, body: "Ist Milch darin?", author });
    expect((await german.read(`/questions/${asked.id}`)).locale).toBe("de");
    const answered = await german.make(`/questions/${asked.id}/answers`, { body: "Nein.", author });
    expect((await german.read(`/answers/${answered.id}`)).locale).toBe("de");
    await german.harness.close();
  });
});
