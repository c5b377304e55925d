import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { recount } from "../../../../server/engines/reviews/services/recount.ts";
import { saveReview } from "../../../../server/engines/reviews/services/save-review.ts";
import { aggregates, pulseId, pulses, reviews } from "../../../../server/engines/reviews/repository.ts";
import { failingAt } from "../../../support/failing-at.ts";
import { DAY_MS } from "../../../../server/lib/instant.ts";
import { feedFaults } from "../feed-structure.ts";
import { aReview, codeOf, createShop, publish } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const loaf = { type: "product", id: "loaf" };

describe("questions and answers", () => {
  it("wait when a visitor asks, and are shown once they are published", async () => {
    const asked = await shop.visit("POST", "/questions", {
      target: loaf,
      body: "Does it keep for a week?",
      author: { display_name: "Ben" },
      email: "ben@x.example",
    });
    expect(asked.json.data.status).toBe("pending");
    const { id } = asked.json.data;
    expect((await shop.visit("GET", `/questions/${id}`)).status).toBe(404);
    expect((await shop.visit("GET", "/questions?target_id=loaf")).json.data).toEqual([]);
    await shop.make(`/questions/${id}/status`, { status: "published" }, "PUT");
    const shown = await shop.visit("GET", "/questions?target_id=loaf");
    expect(shown.json.data).toMatchObject([{ id, body: "Does it keep for a week?", answers_count: 0 }]);
    expect(shown.text).not.toContain("ben@x.example");

    const own = await shop.make(`/questions/${id}/answers`, {
      body: "Yes, in a tin.",
      author: { display_name: "Bakery" },
    });
    const theirs = (
      await shop.visit("POST", `/questions/${id}/answers`, {
        body: "Mine kept for nine days.",
        author: { display_name: "Cy" },
      })
    ).json.data;
    expect([own.status, theirs.status]).toEqual(["published", "pending"]);
    expect(
      (
        await shop.visit("POST", `/questions/${id}/answers`, {
          body: "Me.",
          author: { display_name: "X" },
          author_type: "merchant",
        })
      ).status,
    ).toBe(422);
    expect((await shop.read(`/questions/${id}`)).answers_count).toBe(1);
    expect(codeOf(await shop.call("POST", `/answers/${theirs.id}/accept`))).toBe("409 invalid_transition");
    await shop.make(`/answers/${theirs.id}/status`, { status: "published" }, "PUT");
    await shop.make(`/answers/${own.id}/accept`);
    await shop.make(`/answers/${theirs.id}/accept`);
    const answers = (await shop.visit("GET", `/questions/${id}/answers`)).json.data;
    expect(answers.filter(({ accepted }: { accepted: boolean }) => accepted)).toMatchObject([
      { id: theirs.id },
    ]);
    expect(await shop.read(`/questions/${id}`)).toMatchObject({
      answers_count: 2,
      accepted_answer_id: theirs.id,
    });
    for (const path of [`/answers/${theirs.id}`, `/questions/${id}`]) {
      expect((await shop.call("PUT", `${path}/status`, { status: "rejected" })).status, path).toBe(422);
    }
    await shop.make(`/answers/${theirs.id}/status`, { status: "spam" }, "PUT");
    expect(await shop.read(`/questions/${id}`)).toMatchObject({ answers_count: 1, accepted_answer_id: null });
    expect((await shop.visit("POST", `/answers/${own.id}/votes`, { helpful: true })).json.data.votes).toEqual(
      { up: 1, down: 0 },
    );
    expect((await shop.visit("POST", `/answers/${own.id}/votes`, { helpful: true })).json.data.votes).toEqual(
      { up: 1, down: 0 },
    );
    expect((await shop.call("DELETE", `/questions/${id}`)).status).toBe(204);
    expect(await shop.read(`/questions/${id}`)).toMatchObject({ status: "erased", body: "", email: null });
  });
});

describe("the shop's own questions", () => {
  it("are answered by what they ask for, and averaged", async () => {
    await shop.make("/attributes", {
      key: "crumb",
      label: "Crumb",
      type: "scale",
      min_label: "Tight",
      max_label: "Open",
    });
    await shop.make("/attributes", {
      key: "crust",
      label: "Crust",
      type: "choice",
      options: ["Soft", "Crisp"],
      applies_to: ["product"],
    });
    await shop.make("/attributes", { key: "with", label: "Eaten with", type: "text" });
    const target = { type: "product", id: "asked" };
    await publish(shop, {
      target,
      attributes: { crumb: 5, crust: "Crisp", with: "Butter" },
      email: "1@x.example",
    });
    await publish(shop, { target, attributes: { crumb: 4, crust: "Crisp" }, email: "2@x.example" });
    expect((await shop.read("/aggregates/product/asked")).attributes).toEqual({
      crumb: { count: 2, average: 4.5, options: {} },
      crust: { count: 2, average: null, options: { Crisp: 2 } },
    });
    const [first] = await shop.read("?target_id=asked&attribute=crumb:5");
    const mended = await shop.make(`/${first.id}`, { attributes: { crumb: 4 } }, "PATCH");
    expect(mended).toMatchObject({ attributes: { crumb: 4 }, remarks: { with: "Butter" } });
    const worded = await shop.call("PATCH", `/${first.id}`, { attributes: { with: "Jam" } });
    expect(worded.json.error.errors[0].pointer).toBe("#/attributes/with");
    for (const attributes of [{ crumb: 6 }, { crumb: "5" }, { crust: "Wet" }, { nothing: 1 }, { with: 3 }]) {
      expect((await shop.call("POST", "", aReview({ attributes }))).status, JSON.stringify(attributes)).toBe(
        422,
      );
    }
    expect(
      (
        await shop.call(
          "POST",
          "",
          aReview({ target: { type: "menu_item", id: "x" }, attributes: { crust: "Soft" } }),
        )
      ).status,
    ).toBe(422);
    expect(
      codeOf(await shop.call("POST", "/attributes", { key: "crumb", label: "Again", type: "scale" })),
    ).toBe("409 exists");
  });
});

const CSV = `handle;stars;text;who;mail;id;when
loaf;5;Lovely;Ada;ada@x.example;1;2025-01-02
loaf;4/5;"Two
lines; with marks";Ben;;2;2025-01-03T10:00:00Z
rye;9;Bad;Cy;;3;2025-01-04
`;
const job = {
  format: "csv",
  content: CSV,
  source_system: "oldshop",
  mapping: {
    target_id: "handle",
    rating: "stars",
    body: "text",
    author_name: "who",
    email: "mail",
    external_id: "id",
    submitted_at: "when",
  },
  defaults: { status: "published" },
};
const finished = async (path: string) => {
  await shop.run("reviews.transfer");
  return shop.read(path);
};

describe("an erasure of the privacy service", () => {
  it("takes words away at once, and the rating out of the averages with the next job", async () => {
    const target = { type: "product", id: "forgotten" };
    const { id } = await publish(shop, { target, email: "gone@x.example", body: "Nobody shall read this." });
    const { runTx } = shop.harness.services;
    await runTx(shop.part, async (tx) => {
      const stored = await tx.require(reviews, id);
      expect(reviews.personal?.subjects(stored.value)).toContain("gone@x.example");
      const erased = reviews.personal?.erased(stored.value, "gone@x.example") ?? null;
      if (erased !== null) tx.put(reviews, stored, erased);
    });
    expect((await shop.visit("GET", `/${id}`)).status).toBe(404);
    expect(JSON.stringify(await shop.read(`/${id}`))).not.toMatch(/gone@|Nobody/);
    expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
    await shop.run("reviews.settle-erasures");
    expect(await shop.read(`/${id}`)).toMatchObject({ status: "erased", erase_asked: false });
    expect((await shop.read("/aggregates/product/forgotten")).rating_count).toBe(0);
    expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
  });
});

it("recomputes averages while a review moves to another target, without repairing what is right", async () => {
  const { runTx } = shop.harness.services;
  const [from, to] = ["moves-from", "moves-to"].map((id) => ({ type: "product" as const, id }));
  const { id } = await publish(shop, { target: from });
  await publish(shop, { target: from, rating: 3, email: "second@x.example" });
  let moves = 0;
  const move = () =>
    runTx(shop.part, async (tx) => {
      const stored = await tx.require(reviews, id);
      if (to !== undefined) await saveReview(tx, stored, { ...stored.value, target: to });
    });
  await runTx(shop.part, (tx) =>
    recount({
      ...tx,
      async peekPage(collection, query) {
        if (collection.name === aggregates.name && moves++ === 0) await move();
        return tx.peekPage(collection, query);
      },
    }),
  );
  const countOf = async (name: string) => (await shop.read(`/aggregates/product/${name}`)).rating_count;
  expect([await countOf("moves-from"), await countOf("moves-to")]).toEqual([1, 1]);
  expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
});

describe("a review, an import or an export that cannot be processed", () => {
  it("does not stop the others", async () => {
    const { runTx } = shop.harness.services;
    const erased: string[] = [];
    for (const name of ["one", "two", "three"]) {
      const { id } = await publish(shop, { target: { type: "product", id: name } });
      await runTx(shop.part, async (tx) => {
        const stored = await tx.require(reviews, id);
        tx.put(reviews, stored, { ...stored.value, erase_asked: true });
      });
      erased.push(id);
    }
    const [first = "", broken = "", last = ""] = erased;
    const statusOf = async (path: string) => {
      const { status, state } = await shop.read(path);
      return status ?? state;
    };
    const statuses = async (paths: string[]) => Promise.all(paths.map(statusOf));
    await shop.run("reviews.settle-erasures", failingAt(runTx, broken));
    expect(await statuses([`/${first}`, `/${broken}`, `/${last}`])).toEqual([
      "erased",
      "published",
      "erased",
    ]);
    await shop.run("reviews.settle-erasures");

    for (const [path, body] of [
      ["/imports", { ...job, dry_run: true }],
      ["/exports", { format: "csv" }],
    ] as const) {
      const paths: string[] = [];
      for (let made = 0; made < 3; made += 1) paths.push(`${path}/${(await shop.make(path, body)).id}`);
      const [, middle = ""] = paths;
      await shop.run("reviews.transfer", failingAt(runTx, middle.slice(path.length + 1)));
      expect(await statuses(paths)).toEqual(["done", "queued", "done"]);
      await shop.run("reviews.transfer");
      expect(await statuses(paths)).toEqual(["done", "done", "done"]);
    }
  });
});

describe("imports", () => {
  it("tell in a dry run what would come of them, and write nothing", async () => {
    const before = await shop.read("/summary");
    const { id } = await shop.make("/imports", job);
    expect(await finished(`/imports/${id}`)).toMatchObject({
      state: "done",
      rows: 3,
      created: 2,
      failed: 1,
      problems: [{ row: 3, field: "rating" }],
    });
    expect(await shop.read("/summary")).toEqual(before);
  });

  it("bring reviews once, however often they are run, and none of them verified", async () => {
    const first = await shop.make("/imports", { ...job, dry_run: false });
    expect(await finished(`/imports/${first.id}`)).toMatchObject({ created: 2, failed: 1 });
    const again = await shop.make("/imports", {
      ...job,
      dry_run: false,
      content: CSV.replace("Lovely", "Lovelier"),
    });
    expect(await finished(`/imports/${again.id}`)).toMatchObject({
      created: 0,
      updated: 1,
      unchanged: 1,
      failed: 1,
    });
    const [, lovely] = await shop.read("?target_id=loaf&status=published");
    await shop.make(`/${lovely.id}/reply`, { body: "Thank you!" }, "PUT");
    const [edited] = await shop.read("?target_id=loaf&status=published");
    await shop.make(`/${edited.id}`, { title: "Two lines", body: "Two lines." }, "PATCH");
    const third = await shop.make("/imports", {
      ...job,
      dry_run: false,
      content: CSV.replace("Lovely", "Loveliest"),
      defaults: { gtin: "5417102384250" },
    });
    expect(await finished(`/imports/${third.id}`)).toMatchObject({ updated: 2, unchanged: 0 });
    expect(await shop.read(`/${edited.id}`)).toMatchObject({ body: "Two lines.", gtin: "5417102384250" });
    expect((await shop.read(`/${lovely.id}`)).reply.body).toBe("Thank you!");
    const found = await shop.read("?target_id=loaf&status=published");
    expect(found.map(({ body }: { body: string }) => body)).toEqual(["Two lines.", "Loveliest"]);
    expect(found[1]).toMatchObject({
      submitted_at: "2025-01-02T00:00:00.000Z",
      verification: { level: "none" },
      collection_method: "import",
      source: { system: "oldshop", external_id: "1" },
    });
    expect((await shop.visit("GET", "/aggregates/product/loaf/jsonld")).json.data).toEqual({
      markup: null,
      script: null,
    });
    // What the product's own page does not show is in the average of the shop, and not in the markup of the page.
    await publish(shop, { target: { type: "product", id: "loaf" }, rating: 1, email: "own@x.example" });
    const { markup } = (await shop.visit("GET", "/aggregates/product/loaf/jsonld")).json.data;
    expect(markup).toMatchObject({
      aggregateRating: { ratingValue: 1, ratingCount: 1 },
      review: { length: 1 },
    });
    expect((await shop.read("/aggregates/product/loaf")).rating_count).toBe(3);
    expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
  });

  it("take nothing back that was found out here", async () => {
    const target = { type: "product", id: "known-here" };
    const items = [{ target, name: "Loaf" }];
    const order = { order_id: "o-9", email: "nine@x.example", customer_id: "cus-9", items };
    await shop.make("/orders", { orders: [{ ...order, fulfilled_at: "2026-05-20T10:00:00.000Z" }] });
    const { id } = await publish(shop, {
      target,
      order_id: "o-9",
      author: { display_name: "Nia", customer_id: "cus-9" },
      incentive: { type: "coupon" },
      source: { system: "oldshop", external_id: "9" },
    });
    const row = "known-here;4;Changed my mind;Nia;nine@x.example;9;2026-05-25";
    const run = await shop.make("/imports", {
      ...job,
      dry_run: false,
      content: `${CSV.split("\n")[0]}\n${row}\n`,
    });
    expect(await finished(`/imports/${run.id}`)).toMatchObject({ updated: 1, failed: 0 });
    expect(await shop.read(`/${id}`)).toMatchObject({
      rating: 4,
      author: { customer_id: "cus-9" },
      verification: { level: "verified_purchase" },
      incentive: { type: "coupon" },
      disclosure: "The reviewer was offered a coupon for this review.",
    });
  });

  it("take a rating from the product that a row had by mistake, and leave its author a review there", async () => {
    const rows = (...lines: string[]) => `${CSV.split("\n")[0]}\n${lines.join("\n")}\n`;
    const take = async (content: string) => {
      const { id } = await shop.make("/imports", { ...job, dry_run: false, content });
      return finished(`/imports/${id}`);
    };
    const at = (target: string) => shop.read(`/aggregates/product/${target}`);
    await take(rows("wrong-loaf;5;Good;Mo;mo@x.example;m1;2025-05-01", "wrong-loaf;1;Bad;Al;;m2;2025-05-01"));
    expect(await take(rows("right-loaf;4;Good;Mo;mo@x.example;m1;2025-05-01"))).toMatchObject({ updated: 1 });
    expect(await at("wrong-loaf")).toMatchObject({ rating_count: 1, rating_sum: 1 });
    expect(await at("right-loaf")).toMatchObject({ rating_count: 1, rating_sum: 4 });
    expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
    // The one that moved is neither changed nor withdrawn by a new one about the first product.
    const own = { target: { type: "product", id: "wrong-loaf" }, email: "mo@x.example", rating: 2 };
    await publish(shop, own);
    expect(await at("wrong-loaf")).toMatchObject({ rating_count: 2, rating_sum: 3 });
    expect(await at("right-loaf")).toMatchObject({ rating_count: 1, rating_sum: 4 });
    // And a new one about the right product replaces it.
    await publish(shop, { ...own, target: { type: "product", id: "right-loaf" } });
    expect(await at("right-loaf")).toMatchObject({ rating_count: 1, rating_sum: 2 });
    expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
  });

  it("bring the rows of a file without ids once, equal ones each for itself, with the reply of the shop", async () => {
    await shop.make("/settings", { shop_name: "Old Mill" }, "PATCH");
    const head = "target_id,rating,body,author_name,submitted_at,reply";
    const rows = ["plain,5,,,,", "plain,5,,,,", "plain,4,Nice,Ada,2025-03-01,Thank you"];
    const take = async (content: string) => {
      const { id } = await shop.make("/imports", {
        format: "csv",
        content: `${content}\n`,
        source_system: "without-ids",
        dry_run: false,
        defaults: { status: "published" },
      });
      return finished(`/imports/${id}`);
    };
    expect(await take([head, ...rows].join("\n"))).toMatchObject({ created: 3, unchanged: 0 });
    const again = [head, ...rows, "plain,1,Dry,Bob,2025-03-02,"].join("\n");
    expect(await take(again)).toMatchObject({ created: 1, unchanged: 3 });
    expect((await shop.read("/aggregates/product/plain")).rating_count).toBe(4);
    const found = await shop.read("?target_id=plain");
    const nice = found.find(({ body }: { body: string }) => body === "Nice");
    expect(nice).toMatchObject({
      reply: { body: "Thank you", by: "Old Mill" },
      source: { external_id: null },
    });
  });

  it("change nothing with an export of the same store", async () => {
    const target = { type: "product", id: "exported" };
    const { id } = await publish(shop, { target, rating: 2 });
    const content = `target_id,rating,body,external_id\nexported,5,Better now,${id}\n`;
    const run = await shop.make("/imports", { ...job, mapping: {}, content, dry_run: false });
    expect(await finished(`/imports/${run.id}`)).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    expect(await shop.read("/aggregates/product/exported")).toMatchObject({ rating_count: 1, rating_sum: 2 });
  });

  it("refuse what is no table, and columns that are not there", async () => {
    expect(
      (await shop.call("POST", "/imports", { ...job, mapping: { body: "nope" } })).json.error.errors[0]
        .pointer,
    ).toBe("#/mapping/body");
    expect((await shop.call("POST", "/imports", { ...job, format: "json" })).status).toBe(422);
    expect((await shop.call("POST", "/imports", { ...job, mapping: { nonsense: "x" } })).status).toBe(422);
  });
});

describe("exports", () => {
  it("write a file that an import reads back", async () => {
    for (let n = 0; n < 25; n += 1)
      await shop.make("", aReview({ target: { type: "product", id: `many-${n}` }, title: "=cmd()" }));
    const { id } = await shop.make("/exports", {});
    expect(codeOf(await shop.call("GET", `/exports/${id}/file.csv`))).toBe("409 not_ready");
    const done = await finished(`/exports/${id}`);
    expect(done).toMatchObject({ state: "done" });
    const file = await shop.call("GET", `/exports/${id}/file.csv`);
    expect(file.headers.get("content-type")).toContain("text/csv");
    expect(file.text).toContain("'=cmd()");
    const back = await shop.make("/imports", {
      format: "csv",
      content: file.text,
      source_system: "back",
      dry_run: true,
      defaults: {},
    });
    const read = await finished(`/imports/${back.id}`);
    expect(read.rows).toBe(done.rows);
    const lines = await shop.make("/exports", { format: "json", status: "published" });
    await finished(`/exports/${lines.id}`);
    const json = await shop.call("GET", `/exports/${lines.id}/file.ndjson`);
    expect(codeOf(await shop.call("GET", `/exports/${id}/file.ndjson`))).toBe("409 other_format");
    for (const line of json.text.trim().split("\n")) expect(JSON.parse(line).status).toBe("published");
    shop.harness.clock.advance(25 * 3_600_000);
    await shop.run("reviews.sweep");
    expect((await shop.call("GET", `/exports/${id}`)).status).toBe(404);
  });
});

describe("feeds and reports", () => {
  it("gives Google the whole feed, as published, also under its signed link", async () => {
    await shop.make(
      "/settings",
      { shop_name: "A & B", product_url_template: "https://shop.example/p/{id}" },
      "PATCH",
    );
    for (let n = 0; n < 5; n += 1) {
      await publish(shop, {
        target: { type: "product", id: `fed ${n}` },
        body: `The ${n} & last "words" <here>.`,
        incentive: { type: n === 0 ? "coupon" : "none" },
      });
    }
    const feed = await shop.visit("GET", "/feeds/google.xml");
    expect(feed.headers.get("content-type")).toContain("application/xml");
    expect(feedFaults(feed.text)).toEqual([]);
    expect(feed.text.match(/<review>/g)?.length).toBeGreaterThanOrEqual(5);
    expect(feed.text).toContain("https://shop.example/p/fed%200");
    const { feed_url: url } = await shop.read("/settings");
    const own = await shop.call("GET", "/feeds/google.xml");
    expect((await shop.harness.call("GET", new URL(url).pathname)).text).toBe(own.text);
    await publish(shop, {
      target: { type: "product", id: "known" },
      author: { display_name: "Kay", customer_id: "cus-kay" },
    });
    expect((await shop.visit("GET", "/feeds/google.xml")).text).not.toContain("cus-kay");
    expect((await shop.harness.call("GET", new URL(url).pathname)).text).toContain("cus-kay");
    expect((await shop.harness.call("GET", "/api/public/reviews/feeds/x.y")).status).toBe(404);
  });

  it("shows markup of products that a script element can hold", async () => {
    await publish(shop, { target: { type: "product", id: "marked" }, body: "bad </script> & <b>" });
    const { json } = await shop.visit("GET", "/aggregates/product/marked/jsonld");
    expect(json.data.script).toContain("\\u003c/script\\u003e");
    expect(json.data.markup.aggregateRating).toMatchObject({ ratingValue: 5, ratingCount: 1 });
    expect((await shop.visit("GET", "/aggregates/store/s/jsonld")).json.data.markup).toBeNull();
  });

  it("gives averages of many at once, in their order, with zeroes for none", async () => {
    const { json } = await shop.visit("GET", "/aggregates?target_id=nobody,marked");
    expect(
      json.data.map((one: { target: { id: string }; rating_count: number }) => [
        one.target.id,
        one.rating_count,
      ]),
    ).toEqual([
      ["nobody", 0],
      ["marked", 1],
    ]);
    const ids = Array.from({ length: 101 }, (_, at) => `x${at}`).join(",");
    expect((await shop.visit("GET", `/aggregates?target_id=${ids}`)).status).toBe(422);
    const long = await shop.visit("GET", `/aggregates?target_id=loaf,${"a".repeat(129)}`);
    expect([long.status, long.json.error.errors[0].parameter]).toEqual([422, "target_id"]);
  });

  it("tells when low ratings are rejected more often", async () => {
    const fresh = await createShop();
    const make = async (rating: number, count: number, rejected: number) => {
      for (let n = 0; n < count; n += 1) {
        const { id } = await fresh.make(
          "",
          aReview({ rating, target: { type: "product", id: `c-${rating}-${n}` } }),
        );
        if (n < rejected) await fresh.make(`/${id}/reject`, { reason: "off_topic" });
        else await fresh.make(`/${id}/approve`, {});
      }
    };
    await make(1, 20, 8);
    await make(5, 20, 1);
    expect(await fresh.read("/compliance")).toMatchObject({
      low: { decided: 20, rejected: 8 },
      high: { decided: 20, rejected: 1 },
      ratio: 8,
      flagged: true,
    });
    expect(await fresh.read("/compliance?from=2026-05-01&to=2026-05-31")).toMatchObject({
      flagged: false,
      ratio: null,
    });
    expect((await fresh.call("GET", "/compliance?from=2026-06-02&to=2026-06-01")).status).toBe(422);
    expect(await fresh.read("/summary")).toMatchObject({ statuses: { published: 31, rejected: 9 } });
    await fresh.harness.close();
  });

  it("is not diluted by imports, which nobody decided about; what was rejected of them counts", async () => {
    const fresh = await createShop();
    const rows = Array.from({ length: 30 }, (_, at) => ({
      id: `r${at}`,
      target: "loaf",
      stars: at % 2 === 0 ? "5" : "1",
      text: `Imported words ${at}`,
    }));
    await fresh.make("/imports", {
      format: "json",
      content: JSON.stringify(rows),
      mapping: { external_id: "id", target_id: "target", rating: "stars", body: "text" },
      source_system: "other",
      defaults: { status: "published" },
      dry_run: false,
    });
    await fresh.run("reviews.transfer");
    expect(await fresh.read("/summary")).toMatchObject({ statuses: { published: 30 } });
    expect(await fresh.read("/compliance")).toMatchObject({ low: { decided: 0 }, high: { decided: 0 } });
    const [low] = await fresh.read("?rating=1");
    await fresh.make(`/${low.id}/reject`, { reason: "off_topic" });
    expect(await fresh.read("/compliance")).toMatchObject({
      low: { decided: 1, rejected: 1 },
      high: { decided: 0 },
    });
    expect(await fresh.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
    await fresh.harness.close();
  });

  it("has a policy for everybody to read", async () => {
    expect((await shop.visit("GET", "/policy")).json.data.text).toContain("How we handle reviews");
    await shop.make("/policy", { text: "Ours." }, "PUT");
    expect((await shop.visit("GET", "/policy")).json.data.text).toBe("Ours.");
  });
});

describe("a burst of unverified reviews of one rating", () => {
  it("is of those whose authors have confirmed their address: others would hold back the reviews of a product", async () => {
    const own = await createShop();
    await own.make("/settings", { auto_publish: true }, "PATCH");
    const target = { type: "product", id: "attacked" };
    const bodies = [
      "arrived late",
      "was too dark",
      "had no crust",
      "is dear",
      "broke apart",
      "got stale",
      "leaks",
    ];
    for (const [at, body] of bodies.entries()) {
      const review = aReview({ target, rating: 1, title: "", body: `Loaf ${at} of mine ${body}, alas.` });
      const { token: form_token } = (await own.visit("POST", "/tokens", { target })).json.data;
      own.harness.clock.advance(8_000_000);
      const sent = await own.visit("POST", "", { ...review, form_token, email: `bot${at}@x.example` });
      expect(sent.json.data.status).toBe("unconfirmed");
    }
    const honest = await own.make("", aReview({ target, email: "honest@x.example" }));
    expect((await own.read(`/${honest.id}`)).status).toBe("published");
    const links = (await own.mails()).filter(({ template }) => template === "review-confirmation");
    for (const { data } of links) {
      await own.harness.call("POST", new URL(data.confirm_url).pathname, {
        body: "action=confirm",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    }
    const next = await own.make(
      "",
      aReview({ target, body: "The seventh word of praise for it.", email: "b@x.example" }),
    );
    expect((await own.read(`/${next.id}`)).status).toBe("pending");
    await own.harness.close();
  });

  it("is held, those included that were published before it was one; a moderator's are not", async () => {
    const own = await createShop();
    await own.make("/settings", { auto_publish: true }, "PATCH");
    const target = { type: "product", id: "popular" };
    const texts = Array.from(
      { length: 9 },
      (_, at) => `Batch ${at * 7919} arrived ${"abcdefghi"[at]?.repeat(9)} late.`,
    );
    const ids: string[] = [];
    for (const [at, body] of texts.entries()) {
      const author = { display_name: `N${at}` };
      const review = await own.make("", aReview({ target, rating: 1, title: `T${at}`, body, author }));
      ids.push(review.id);
      if (at === 0) {
        await own.make(`/${review.id}/reject`, { reason: "off_topic" });
        await own.make(`/${review.id}/approve`, {});
      }
      own.harness.clock.advance(60_000);
    }
    const states = await Promise.all(ids.map(async (id) => (await own.read(`/${id}`)).status));
    expect(states).toEqual(["published", ...ids.slice(1).map(() => "pending")]);
    const [aggregate] = await own.read("/aggregates?target_type=product&target_id=popular");
    expect(aggregate.rating_count).toBe(1);
    expect(await own.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
    await own.harness.close();
  });

  it("is held a few at a time where more were published than a commit can hold", async () => {
    const own = await createShop();
    await own.make("/settings", { auto_publish: true }, "PATCH");
    const target = { type: "product", id: "usual" } as const;
    const now = own.harness.clock.now();
    const past = Array.from({ length: 28 }, (_, at) => new Date(now - (at + 1) * DAY_MS));
    const days = Object.fromEntries(past.map((day) => [day.toISOString().slice(0, 10), 12]));
    await own.harness.services.runTx(own.part, async (tx) => {
      tx.create(pulses, { id: pulseId(target), target, recent: [], days, hold_until: null });
    });
    const ids: string[] = [];
    for (let at = 0; at < 15; at += 1) {
      const body = `Tray ${at * 7919} came with ${"abcdefghijklmno"[at]?.repeat(7)} and ${at * 104_729} crumbs.`;
      const author = { display_name: `N${at}` };
      ids.push((await own.make("", aReview({ target, rating: 1, title: `T${at}`, body, author }))).id);
      own.harness.clock.advance(60_000);
    }
    const states = await Promise.all(ids.map(async (id) => (await own.read(`/${id}`)).status));
    expect(new Set(states)).toEqual(new Set(["pending"]));
    expect(await own.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
    await own.harness.close();
  });

  it("is held on a popular product as well, all of it", async () => {
    const own = await createShop();
    await own.make("/settings", { auto_publish: true }, "PATCH");
    const target = { type: "product", id: "bestseller" };
    let count = 0;
    const review = (rating: number, more: object = {}) => {
      count += 1;
      const text = `Box ${count * 7919} came with ${"abcdefghij"[count % 10]?.repeat(7)} and ${count * 104_729} crumbs.`;
      return own.make(
        "",
        aReview({
          target,
          rating,
          title: `T${count}`,
          body: text,
          author: { display_name: `N${count}` },
          ...more,
        }),
      );
    };
    for (let day = 0; day < 28; day += 1) {
      for (const rating of [4, 5, 5, 3, 4]) await review(rating);
      own.harness.clock.advance(86_400_000);
    }
    const before = await own.read("/aggregates/product/bestseller");
    const burst = [];
    for (let at = 0; at < 25; at += 1) {
      burst.push((await review(1)).id);
      own.harness.clock.advance(60_000);
    }
    const states = await Promise.all(burst.map(async (id) => (await own.read(`/${id}`)).status));
    expect(new Set(states)).toEqual(new Set(["pending"]));
    expect(await own.read("/aggregates/product/bestseller")).toMatchObject({
      rating_count: before.rating_count,
      rating_value: before.rating_value,
    });
    await own.harness.close();
  }, 60_000);
});

it("an attribute, an option and a category can have the name of a member of every object", async () => {
  const own = await createShop();
  const attribute = { key: "constructor", label: "Built by", type: "choice", options: ["toString", "hand"] };
  await own.make("/attributes", attribute);
  for (const at of [1, 2]) {
    const attributes = { constructor: "toString" };
    await publish(own, { target: { type: "product", id: "built" }, attributes, email: `${at}@x.example` });
  }
  expect((await own.read("/aggregates/product/built")).attributes).toEqual({
    constructor: { count: 2, average: null, options: { toString: 2 } },
  });
  const product = { target: { type: "product", id: "built" }, name: "Built", category: "valueOf" };
  const order = {
    order_id: "1",
    email: "1@x.example",
    fulfilled_at: "2026-06-01T09:00:00.000Z",
    items: [product],
  };
  expect((await own.make("/orders", { orders: [order] })).orders[0].invitation).toBe("scheduled");
  await own.harness.close();
});
