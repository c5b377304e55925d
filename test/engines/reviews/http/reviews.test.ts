import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { aReview, codeOf, createShop, loaf, publish } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

describe("handing a review in", () => {
  it("waits for a person, with a receipt that lets its author withdraw it", async () => {
    const answer = await shop.call("POST", "", aReview({ email: "Ada@Shop.Example" }));
    expect(answer.status).toBe(201);
    expect(answer.json.data).toMatchObject({ status: "pending", is_update: false });
    const review = await shop.read(`/${answer.json.data.id}`);
    expect(review).toMatchObject({
      email: "ada@shop.example",
      verification: { level: "none" },
      moderation: { risk: 0, signals: [] },
    });
    const { author_token: token } = answer.json.data;
    expect((await shop.visit("POST", `/${review.id}/withdraw`, { author_token: "x.y" })).status).toBe(403);
    expect((await shop.visit("POST", `/${review.id}/withdraw`, { author_token: token })).status).toBe(200);
    expect((await shop.read(`/${review.id}`)).status).toBe("withdrawn");
  });

  it("has no member that sets how far it is verified, and demands what was offered", async () => {
    expect(
      (await shop.call("POST", "", aReview({ verification: { level: "verified_purchase" } }))).status,
    ).toBe(422);
    const { incentive: _, ...rest } = aReview();
    expect((await shop.call("POST", "", rest)).status).toBe(422);
  });

  it("updates the one review of an author, target and order", async () => {
    const target = { type: "product", id: "one-author" };
    const first = await shop.make("", aReview({ target, email: "one@shop.example" }));
    await shop.make(`/${first.id}/approve`, {});
    const second = await shop.make(
      "",
      aReview({ target, email: "one@shop.example", rating: 2, body: "It was dry the second time round." }),
    );
    expect(second).toMatchObject({ id: first.id, is_update: true, status: "pending" });
    const review = await shop.read(`/${first.id}`);
    expect(review.edits).toMatchObject([{ by: "author", rating: 5 }]);
    await shop.make(`/${first.id}/approve`, {});
    expect(await shop.read("/aggregates/product/one-author")).toMatchObject({
      rating_count: 1,
      rating_sum: 2,
    });
  });

  it("lets a visitor's unproven claim to be somebody replace nothing by itself", async () => {
    await shop.make("/settings", { auto_publish: true, confirm_email: false }, "PATCH");
    const target = { type: "product", id: "claimed" };
    const own = await publish(shop, { target, email: "mine@shop.example" });
    const { form_token: _, ...claim } = {
      ...aReview({ target, email: "mine@shop.example", rating: 1 }),
      form_token: "",
    };
    const answer = await shop.visit("POST", "", claim);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.data.id).not.toBe(own.id);
    expect(answer.json.data.status).toBe("pending");
    expect((await shop.read(`/${own.id}`)).status).toBe("published");
    // A person lets it through: then the earlier one gives way.
    await shop.make(`/${answer.json.data.id}/unspam`, {}).catch(() => undefined);
    await shop.make(`/${answer.json.data.id}/approve`, {});
    expect((await shop.read(`/${own.id}`)).status).toBe("withdrawn");
    await shop.make("/settings", { auto_publish: false, confirm_email: true }, "PATCH");
  });

  it("knows a review of another system again, and opens none that was closed", async () => {
    const told = aReview({
      target: { type: "product", id: "external" },
      source: { system: "till", external_id: "77" },
      submitted_at: "2026-01-01T00:00:00.000Z",
    });
    const first = await shop.make("", told);
    expect(await shop.make("", { ...told, rating: 4 })).toMatchObject({ id: first.id, is_update: true });
    expect(await shop.read(`/${first.id}`)).toMatchObject({
      rating: 4,
      submitted_at: "2026-01-01T00:00:00.000Z",
    });
    await shop.make(`/${first.id}/reject`, { reason: "duplicate" });
    expect(codeOf(await shop.call("POST", "", told))).toBe("409 review_closed");
  });

  it("takes from a page nothing that only the shop's server can know", async () => {
    for (const more of [
      { order_id: "1" },
      { source: { system: "x", external_id: "1" } },
      { submitted_at: "2026-01-01T00:00:00.000Z" },
      { product_url: "https://evil.example/" },
      { author: { display_name: "Eve", customer_id: "cus-1" } },
    ]) {
      expect((await shop.visit("POST", "", aReview(more))).status, JSON.stringify(more)).toBe(422);
    }
  });

  it("confirms a visitor's address first, and finds a buyer by it", async () => {
    await shop.make("/orders", {
      orders: [
        {
          order_id: "conf-1",
          email: "buyer@shop.example",
          fulfilled_at: "2026-05-20T10:00:00.000Z",
          items: [{ target: { type: "product", id: "rye" }, name: "Rye" }],
        },
      ],
    });
    const answer = await shop.visit(
      "POST",
      "",
      aReview({
        email: "buyer@shop.example",
        target: { type: "product", id: "conf" },
        body: "Bought for my sister, who has asked for another since.",
      }),
    );
    expect(answer.json.data.status).toBe("unconfirmed");
    const storeMail = (await shop.mails()).find(
      ({ template, to }) => template === "review-confirmation" && to === "buyer@shop.example",
    );
    const path = new URL(storeMail.data.confirm_url).pathname;
    const page = await shop.harness.call("GET", path);
    expect(page.text).toContain("Is this review yours?");
    expect((await shop.read(`/${answer.json.data.id}`)).status).toBe("unconfirmed");
    const done = await shop.harness.call("POST", path, {
      body: "action=confirm",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(done.status).toBe(200);
    expect(await shop.read(`/${answer.json.data.id}`)).toMatchObject({
      status: "pending",
      verification: { level: "verified_buyer", method: "email", order_id: "conf-1" },
    });
  });

  it("verifies a purchase by the order of the customer who is logged in, and no other's", async () => {
    await shop.make("/orders", {
      orders: [
        {
          order_id: "login-1",
          email: "log@shop.example",
          customer_id: "cus-log",
          fulfilled_at: "2026-05-20T10:00:00.000Z",
          items: [{ target: { type: "product", id: "rye" }, name: "Rye" }],
        },
      ],
    });
    const level = async (target: string, customer_id: string) => {
      const body = aReview({
        target: { type: "product", id: target },
        order_id: "login-1",
        author: { display_name: "L", customer_id },
      });
      const { id } = await shop.make("", body);
      return (await shop.read(`/${id}`)).verification.level;
    };
    expect(await level("rye", "cus-log")).toBe("verified_purchase");
    expect(await level("wheat", "cus-log")).toBe("verified_buyer");
    expect(await level("rye", "cus-other")).toBe("none");
  });

  it("weighs the token of the form and refuses nobody for it", async () => {
    const target = { type: "product", id: "tokens" };
    const risk = async (form_token?: string) => {
      const answer = await shop.visit(
        "POST",
        "",
        aReview({
          target,
          body: `Nothing like another: ${form_token ?? "none"}`,
          ...(form_token === undefined ? {} : { form_token }),
        }),
      );
      expect(answer.status).toBe(201);
      return (await shop.read(`/${answer.json.data.id}`)).moderation.signals
        .map(({ code }: { code: string }) => code)
        .filter((code: string) => code.startsWith("form_"));
    };
    const { token } = (await shop.visit("POST", "/tokens", { target })).json.data;
    expect(await risk()).toEqual(["form_missing"]);
    expect(await risk("nonsense")).toEqual(["form_bad"]);
    expect(await risk(token)).toEqual(["form_too_fast"]);
    // Used once: a second time it is bad.
    expect(await risk(token)).toEqual(["form_bad"]);
    const { token: other } = (await shop.visit("POST", "/tokens", { target })).json.data;
    shop.harness.clock.advance(60_000);
    expect(await risk(other)).toEqual([]);
  });

  it("gives each of 70 visitors of a minute a token: a review without one waits for a person", async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < 70; n += 1) {
      const target = { type: "product", id: `seen-${n % 7}` };
      statuses.add((await shop.visit("POST", "/tokens", { target })).status);
    }
    expect([...statuses]).toEqual([201]);
  });

  it("publishes by itself only where the shop says so, whatever the rating", async () => {
    await shop.make("/settings", { auto_publish: true }, "PATCH");
    for (const rating of [1, 5]) {
      const { status } = await shop.make(
        "",
        aReview({
          rating,
          target: { type: "product", id: `auto-${rating}` },
          body: `Number ${rating} of the loaves that I have had here.`,
        }),
      );
      expect(status).toBe("published");
    }
    const rude = await shop.make(
      "",
      aReview({
        target: { type: "product", id: "rude" },
        body: "What a fucking good loaf this was, honestly.",
      }),
    );
    expect(rude.status).toBe("pending");
    await shop.make("/settings", { auto_publish: false }, "PATCH");
  });

  it("tells whoever sends spam nothing of it", async () => {
    const body = "Buy at https://spam.example or write to me@spam.example today";
    const answer = await shop.visit("POST", "", aReview({ body, target: { type: "product", id: "spam" } }));
    expect(answer.json.data.status).toBe("pending");
    expect((await shop.read(`/${answer.json.data.id}`)).status).toBe("spam");
    await shop.make(`/${answer.json.data.id}/unspam`, {});
    expect((await shop.read(`/${answer.json.data.id}`)).status).toBe("pending");
  });
});

describe("what anybody sees", () => {
  it("is what is published, without the person and with what has to be told", async () => {
    const target = { type: "product", id: "public" };
    const shown = await publish(shop, {
      target,
      email: "secret@shop.example",
      incentive: { type: "coupon", note: "five pounds" },
      author: { display_name: "Ada", is_anonymous: true, location: "Leeds", customer_id: "cus-9" },
    });
    const hidden = await shop.make("", aReview({ target, email: "other@shop.example" }));
    const { json, text } = await shop.visit("GET", "?target_id=public");
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([shown.id]);
    expect(json.data[0]).toMatchObject({
      author: { display_name: "Anonymous", location: null },
      disclosure: "The reviewer was offered a coupon for this review.",
    });
    for (const word of ["secret@shop.example", "cus-9", "moderation", "email_hash", "five pounds"])
      expect(text).not.toContain(word);
    expect((await shop.visit("GET", `/${hidden.id}`)).status).toBe(404);
    expect((await shop.visit("GET", "?status=pending")).status).toBe(422);
  });

  it("cannot be changed with a publishable key", async () => {
    const { id } = await publish(shop, { target: { type: "product", id: "fixed" } });
    for (const [method, path, body] of [
      ["PATCH", `/${id}`, { featured: true }],
      ["POST", `/${id}/approve`, {}],
      ["DELETE", `/${id}`, undefined],
      ["GET", "/orders", undefined],
      ["GET", "/summary", undefined],
    ] as const) {
      expect(await shop.refused(method, path, body), path).toBe(403);
    }
  });
});

describe("lists", () => {
  const target = { type: "menu_item", id: "filters" };
  beforeAll(async () => {
    const make = (more: object, n: number) =>
      publish(shop, { target, body: `Words of the review number ${n}, each with its own.`, ...more });
    await make({ rating: 1, locale: "EN-gb" }, 1);
    await make({ rating: 5, recommends: true }, 2);
    await make({ rating: 3, incentive: { type: "points" } }, 3);
    await make({ rating: 5, title: "Marmalade" }, 4);
  });
  const stars = async (query: string) =>
    (await shop.read(`?target_type=menu_item&target_id=filters${query}`)).map(
      ({ rating }: { rating: number }) => rating,
    );

  it.each([
    ["", [5, 3, 5, 1]],
    ["&rating=5", [5, 5]],
    ["&incentive=points", [3]],
    ["&incentive=none&rating=1", [1]],
    ["&locale=en-GB", [1]],
    ["&locale=en-gb", [1]],
    ["&has_reply=true", []],
    ["&sort=rating_desc", [5, 5, 3, 1]],
    ["&sort=rating_asc", [1, 3, 5, 5]],
    ["&sort=media", [5, 3, 5, 1]],
    ["&q=marmalade", [5]],
    ["&status=pending", []],
    ["&since=2030-01-01T00:00:00.000Z", []],
  ])("finds %s", async (query, expected) => expect(await stars(query)).toEqual(expected));

  it.each(["", "&sort=rating_desc", "&sort=helpful", "&rating=5", "&sort=media"])(
    "pages of one are the whole list: %s",
    async (query) => {
      const base = `?target_type=menu_item&target_id=filters${query}`;
      const whole = await shop.read(base);
      const seen: unknown[] = [];
      let cursor = "";
      do {
        const answer = await shop.call(
          "GET",
          `${base}&limit=1${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        seen.push(...answer.json.data);
        cursor = answer.json.meta.pagination.next_cursor ?? "";
      } while (cursor !== "");
      expect(seen).toEqual(whole);
    },
  );

  it("refuses a cursor of another list, and filters that make no sense", async () => {
    for (const query of [
      "?rating=5&cursor=nonsense",
      "?rating=5&cursor=9.x",
      "?target_type=product",
      "?q=marmalade",
      "?sort=helpful&status=pending",
    ]) {
      expect((await shop.call("GET", query)).status, query).toBe(422);
    }
  });

  it("shows the reviews of a group together", async () => {
    const a = await publish(shop, { target: { type: "variant", id: "g-1" }, email: "a@g.example" });
    const b = await publish(shop, {
      target: { type: "variant", id: "g-2" },
      email: "b@g.example",
      rating: 2,
    });
    const c = await publish(shop, { target: { type: "variant", id: "g-1" }, email: "c@g.example" });
    const targets = [
      { type: "variant", id: "g-1" },
      { type: "variant", id: "g-2" },
    ];
    const group = await shop.make("/groups", { name: "Both", targets });
    const first = await shop.visit("GET", `?group_id=${group.id}&limit=2`);
    const rest = await shop.visit(
      "GET",
      `?group_id=${group.id}&limit=2&cursor=${first.json.meta.pagination.next_cursor}`,
    );
    const ids = [...first.json.data, ...rest.json.data].map(({ id }: { id: string }) => id);
    expect(new Set(ids)).toEqual(new Set([a.id, b.id, c.id]));
    expect(ids).toHaveLength(3);
    expect((await shop.visit("GET", `/groups/${group.id}/aggregate`)).json.data).toMatchObject({
      rating_count: 3,
      rating_mean: 4,
    });
    expect(await shop.read("/aggregates/variant/g-1")).toMatchObject({ rating_count: 2, group_id: group.id });
    expect(codeOf(await shop.call("POST", "/groups", { name: "Again", targets: [targets[0]] }))).toBe(
      "409 in_another_group",
    );
  });
});

describe("votes", () => {
  it("count once a visitor, and order by the lower bound", async () => {
    const target = { type: "product", id: "votes" };
    const one = await publish(shop, { target, email: "v1@shop.example" });
    const two = await publish(shop, { target, email: "v2@shop.example" });
    const vote = (id: string, helpful: boolean, visitor_id: string) =>
      shop.call("POST", `/${id}/votes`, { helpful, visitor_id });
    await vote(one.id, true, "a");
    expect((await vote(one.id, true, "a")).json.data.helpful).toMatchObject({
      up: 1,
      down: 0,
      lower_bound: 0.206549,
    });
    await vote(two.id, true, "a");
    await vote(two.id, true, "b");
    expect((await vote(two.id, false, "c")).json.data.helpful).toMatchObject({ up: 2, down: 1 });
    expect((await vote(two.id, true, "c")).json.data.helpful).toMatchObject({ up: 3, down: 0 });
    const order = (await shop.visit("GET", "?target_id=votes&sort=helpful")).json.data.map(
      ({ id }: { id: string }) => id,
    );
    expect(order).toEqual([two.id, one.id]);
    expect((await shop.call("POST", `/${one.id}/votes`, { helpful: true })).status).toBe(422);
    expect(
      (await shop.call("POST", `/${one.id}/votes`, { helpful: true, visitor_id: "cus-1" })).json.data.helpful
        .up,
    ).toBe(2);
  });
});

describe("words, replies and media", () => {
  it("keeps the original of an edit, tells the author, and lets them put it back for good", async () => {
    const review = await publish(shop, {
      target: { type: "product", id: "edit" },
      email: "edit@shop.example",
    });
    for (const member of ["rating", "author", "submitted_at", "incentive"]) {
      expect((await shop.call("PATCH", `/${review.id}`, { [member]: null })).status, member).toBe(422);
    }
    const edited = await shop.make(`/${review.id}`, { body: "Shorter." }, "PATCH");
    expect(edited).toMatchObject({
      edited: true,
      body: "Shorter.",
      edits: [{ by: "shop", body: review.body }],
    });
    await shop.make(`/${review.id}`, { body: "Shorter still." }, "PATCH");
    const storeMail = (await shop.mails()).find(({ template }) => template === "review-edited");
    const path = new URL(storeMail.data.review_url).pathname;
    const page = await shop.harness.call("GET", path);
    expect(page.text).toContain("Restore my text");
    // The author's own text, not what the store made of it first.
    expect(page.text).toContain(`<span class="pre">${review.body}</span>`);
    await shop.harness.call("POST", path, {
      body: "action=decline",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(await shop.read(`/${review.id}`)).toMatchObject({
      edited: false,
      body: review.body,
      title: review.title,
    });
    expect(codeOf(await shop.call("PATCH", `/${review.id}`, { body: "Again." }))).toBe("409 edit_declined");
    expect((await shop.call("PATCH", `/${review.id}`, { featured: true })).json.data.featured).toBe(true);
  });

  it("keeps the author's text however often the store changes it", async () => {
    const target = { type: "product", id: "edited-often" };
    const review = await publish(shop, { target, email: "often@shop.example" });
    for (let n = 0; n < 22; n += 1) await shop.make(`/${review.id}`, { title: `Title ${n}` }, "PATCH");
    const { edits } = await shop.read(`/${review.id}`);
    expect([edits.length, edits[0].title, edits[1].title, edits.at(-1).title]).toEqual([
      20,
      review.title,
      "Title 2",
      "Title 20",
    ]);
  });

  it("answers in public and in private", async () => {
    const { id } = await publish(shop, {
      target: { type: "product", id: "reply" },
      email: "reply@shop.example",
    });
    await shop.make(`/${id}/reply`, { body: "Thank you!" }, "PUT");
    expect((await shop.visit("GET", `/${id}`)).json.data.reply.body).toBe("Thank you!");
    expect((await shop.call("DELETE", `/${id}/reply`)).status).toBe(204);
    expect((await shop.visit("GET", `/${id}`)).json.data.reply).toBeNull();
    await shop.make(`/${id}/private-replies`, { body: "Between us." });
    expect(
      (await shop.mails()).some(
        ({ template, data }) => template === "review-private-reply" && data.message === "Between us.",
      ),
    ).toBe(true);
    expect(await shop.refused("GET", `/${id}/private-replies`)).toBe(403);
    const nobody = await publish(shop, { target: { type: "product", id: "no-mail" } });
    expect(codeOf(await shop.call("POST", `/${nobody.id}/private-replies`, { body: "Hello?" }))).toBe(
      "409 no_email",
    );
    expect((await shop.call("DELETE", `/${id}`)).status).toBe(204);
    expect(await shop.read(`/${id}/private-replies`)).toEqual([]);
    expect(JSON.stringify(await shop.mails())).not.toContain("Between us.");
  });

  it("drafts a reply without publishing it", async () => {
    const { id } = await publish(shop, {
      target: { type: "product", id: "draft" },
      email: "draft@shop.example",
    });
    const answer = await shop.call("POST", `/${id}/reply-suggestions`, {});
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.data.text.length).toBeGreaterThan(10);
    expect((await shop.read(`/${id}`)).reply).toBeNull();
  });

  it("takes media on hosts of the shop alone, and shows what was approved", async () => {
    const { id } = await publish(shop, { target: { type: "product", id: "media" } });
    const image = { type: "image", url: "https://cdn.bakery.example/1.jpg" };
    expect(codeOf(await shop.call("POST", `/${id}/media`, image))).toBe("422 media_host_not_allowed");
    await shop.make("/settings", { media_hosts: ["cdn.bakery.example"] }, "PATCH");
    for (const url of [
      "http://cdn.bakery.example/1.jpg",
      "https://evil.example/cdn.bakery.example",
      "https://cdn.bakery.example.evil.example/",
    ]) {
      expect((await shop.call("POST", `/${id}/media`, { ...image, url })).status, url).toBe(422);
    }
    const { media } = await shop.make(`/${id}/media`, image);
    expect((await shop.visit("GET", `/${id}`)).json.data.media).toEqual([]);
    await shop.make(`/${id}/media/${media[0].id}/status`, { status: "published" }, "PUT");
    expect((await shop.visit("GET", `/${id}`)).json.data.media).toMatchObject([{ url: image.url }]);
  });
});

describe("moderation", () => {
  it("A19: refuses a rule that looks at rating or opinion", async () => {
    const set = (condition: unknown) =>
      // The member is named as on the wire.
      // oxlint-disable-next-line unicorn/no-thenable
      shop.call("PATCH", "/settings", { moderation_rules: [{ if: condition, then: "publish" }] });
    for (const field of ["rating", "stars", "sentiment", "recommends", "body"]) {
      const answer = await set({ all: [{ not: { field, op: "gte", value: 4 } }] });
      expect(codeOf(answer), field).toBe("422 sentiment_conditional_moderation");
      expect(answer.json.error.errors[0].pointer).toBe("#/moderation_rules/0/if/all/0/not/field");
    }
    expect((await set({ field: "risk", op: "lt", value: 30 })).status).toBe(200);
    const { status } = await shop.make(
      "",
      aReview({
        target: { type: "product", id: "ruled" },
        body: "Another loaf that I liked well enough to say so.",
      }),
    );
    expect(status).toBe("published");
    await shop.make("/settings", { moderation_rules: [] }, "PATCH");
  });

  it("refuses a rule of more than a hundred conditions before it checks them", async () => {
    const rule = (count: number) => ({
      if: {
        any: Array.from({ length: 10 }, (_, n) => ({
          all: Array.from({ length: count - (n === 0 ? 1 : 0) }, () => ({
            field: "risk",
            op: "gt",
            value: 99,
          })),
        })),
      },
      // The member is named as on the wire.
      // oxlint-disable-next-line unicorn/no-thenable
      then: "hold",
    });
    const most = rule(9);
    expect((await shop.call("PATCH", "/settings", { moderation_rules: [most, most] })).status).toBe(200);
    const answer = await shop.call("PATCH", "/settings", { moderation_rules: [most, rule(10)] });
    expect([answer.status, answer.json.error.errors]).toEqual([
      422,
      [
        {
          pointer: "#/moderation_rules/1/if",
          detail: "A rule can have at most 100 conditions. Divide it into several.",
        },
      ],
    ]);
    await shop.make("/settings", { moderation_rules: [] }, "PATCH");
  });

  it("rejects for a reason of the list alone, in states that allow it", async () => {
    const { id } = await shop.make("", aReview({ target: { type: "product", id: "reject" } }));
    expect((await shop.call("POST", `/${id}/reject`, { reason: "negative" })).status).toBe(422);
    expect(
      (await shop.make(`/${id}/reject`, { reason: "off_topic", note: "Parcel" })).moderation,
    ).toMatchObject({ reason: "off_topic", note: "Parcel" });
    expect(codeOf(await shop.call("POST", `/${id}/spam`, {}))).toBe("409 invalid_transition");
    expect((await shop.make(`/${id}/approve`, {})).status).toBe("published");
  });

  it("erases words and name, and takes the rating out of the averages", async () => {
    const target = { type: "product", id: "erase" };
    const { id } = await publish(shop, {
      target,
      email: "erase@shop.example",
      author: { display_name: "Zenobia" },
    });
    expect((await shop.call("DELETE", `/${id}`)).status).toBe(204);
    const review = await shop.read(`/${id}`);
    expect(review).toMatchObject({
      status: "erased",
      title: "",
      body: "",
      email: null,
      rating: 5,
      author: { display_name: "" },
    });
    expect((await shop.read("/aggregates/product/erase")).rating_count).toBe(0);
    expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
  });

  it("holds a wave of like reviews by nobody known", async () => {
    await shop.make("/settings", { auto_publish: true }, "PATCH");
    const target = { type: "product", id: "wave" };
    const seen: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const words = ["alpha", "bravo", "carrot", "delta", "echo", "fennel", "ginger", "hazel"][n];
      const { status } = await shop.make(
        "",
        aReview({
          target,
          rating: 1,
          body: `${words} ${words} was in it and I did not like ${words} at all.`,
        }),
      );
      seen.push(status);
    }
    expect(seen).toEqual([
      "published",
      "published",
      "published",
      "published",
      "published",
      "pending",
      "pending",
      "pending",
    ]);
    await shop.make("/settings", { auto_publish: false }, "PATCH");
  });
});

it("keeps all averages what a recount gives", async () => {
  expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [], repaired: 0 });
  expect(loaf.id).toBe("sourdough");
});
