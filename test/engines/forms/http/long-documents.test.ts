import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sweepSubmissions } from "../../../../server/engines/forms/jobs.ts";
import { forms, formSettings, submissions, tallies } from "../../../../server/engines/forms/repository.ts";
import { longestCall, longestOf, many, readAnswer, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop, plain, SHOP } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Requests that read many documents as large as a store or a visitor may make them.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const longest = (method: string, path: string, body: unknown, status: number): Promise<number> =>
  longestCall(shop, [method, path, body], status);

it("a search among forms with long lists of options", async () => {
  const options = many(100, (n) => ({ value: `v${n}`, label: "L".repeat(190) }));
  const fields = many(10, (n) => ({
    key: `f${n}`,
    type: "select" as const,
    label: "Choose",
    required: false,
    options,
  }));
  const { id } = await shop.make("", plain());
  for (let n = 0; n < 80; n += 1) {
    await shop.harness.services.runTx(shop.part, async (tx) => {
      const { value } = await tx.require(forms, id);
      const copy = { ...value, id: shop.harness.services.newId("frm"), name: `Form ${n}`, fields };
      tx.create(forms, copy);
    });
  }
  expect((await shop.call("GET", "?q=form%207")).json.data).toHaveLength(11);
  expect(await longest("GET", "?q=form%207", undefined, 200)).toBeLessThan(TURN_MS);
  const { data, meta } = (await shop.call("GET", "?q=form&limit=70")).json;
  expect([data.length, typeof meta.pagination.next_cursor]).toEqual([70, "string"]);
  expect(data[0]).toEqual(await shop.read(`/${data[0].id}`));
  const { app, clock } = shop.harness;
  const headers = { authorization: `Bearer ${shop.key.plaintext}` };
  const url = "http://platform.test/v1/forms?q=form&limit=70";
  const measured = longestOf(
    () => clock.advance(60_000),
    async () => {
      const answer = await app.fetch(new Request(url, { headers }));
      await readAnswer(answer);
      expect(answer.status).toBe(200);
    },
  );
  expect(await measured).toBeLessThan(TURN_MS);
}, 60_000);

const keys = many(19, (n) => `text_${n}`);
const textFields = keys.map((key) => ({ key, type: "textarea", label: "Text" }));
const answers = (text: string) => Object.fromEntries(keys.map((key) => [key, text.padEnd(9_900, text)]));

it("a long text in a store of many blocked terms", async () => {
  const terms = many(500, (n) => `${"a".repeat(60)}${n.toString(36).padStart(8, "b")}`);
  await shop.harness.services.runTx(shop.part, (tx) =>
    formSettings.save(tx, { blocked_terms: terms }, "2026-06-01T09:00:00.000Z"),
  );
  const id = await shop.form(plain({ fields: textFields }));
  const data = answers(`${"a".repeat(79)} `);
  expect(await longest("POST", `/${id}/submissions`, { data }, 201)).toBeLessThan(TURN_MS);
}, 60_000);

it("a submission that is compared with thirty long ones", async () => {
  const id = await shop.form(plain({ fields: textFields }));
  const first = await shop.send(id, answers("Do you bake rye bread? "));
  expect(first.status, first.text).toBe(201);
  for (let n = 0; n < 30; n += 1) {
    await shop.harness.services.runTx(shop.part, async (tx) => {
      const { value } = await tx.require(submissions, first.json.data.id);
      const data = answers(`${n} loaves of bread are ${n} too many `);
      tx.create(submissions, { ...value, id: shop.harness.services.newId("sub"), data });
    });
  }
  const data = answers("a b c d ");
  const measured = longestOf(
    () => shop.harness.clock.advance(60_000),
    async () => expect((await shop.send(id, data)).status).toBe(201),
  );
  expect(await measured).toBeLessThan(TURN_MS);
}, 60_000);

it.each([
  ["control characters", "\u007f"],
  ["control characters between letters", "a\u007f"],
  ["line breaks of another system", "\r\n"],
  ["letters with a mark", "e\u0301"],
  ["letters with as many marks as a language has", `e${"\u0301".repeat(30)}`],
])(
  "a megabyte of %s",
  async (_name, text) => {
    const id = await shop.form(plain({ fields: textFields }));
    const bytes = Buffer.byteLength(JSON.stringify(text)) - 2;
    const times = (chars: number): string => text.repeat(Math.floor(chars / bytes));
    const one = { text_0: "a", text_1: times(1_000_000) };
    expect(await longest("POST", `/${id}/validations`, { data: one }, 200)).toBeLessThan(2 * TURN_MS);
    const ten = Object.fromEntries(keys.slice(0, 10).map((key) => [key, times(95_000)]));
    expect(await longest("POST", `/${id}/validations`, { data: ten }, 200)).toBeLessThan(2 * TURN_MS);
  },
  60_000,
);

it("a step of a form whose conditions look for long texts in a long one", async () => {
  const value = `${"a".repeat(99)}b${"a".repeat(900)}`;
  const contains = { field: "text", op: "contains", value };
  const when = { any: [{ any: many(14, () => contains) }, { any: many(13, () => contains) }] };
  const hidden = many(8, (n) => ({ key: `f${n}`, type: "text", label: "More", visible_when: when }));
  const id = await shop.form(
    plain({
      fields: [{ key: "text", type: "textarea", label: "Text", max_length: 10_000 }, ...hidden],
      steps: [
        { key: "one", title: "One", fields: ["text"] },
        { key: "two", title: "Two", fields: hidden.map(({ key }) => key) },
      ],
    }),
  );
  const body = new URLSearchParams({ text: "a".repeat(10_000), _step: "one", _go: "next" }).toString();
  const measured = longestOf(
    () => shop.harness.clock.advance(60_000),
    async () => {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const path = `/api/public/forms/${shop.part}.${id}/steps`;
      const page = await shop.harness.call("POST", path, { body, headers });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('value="_review"')]);
    },
  );
  expect(await measured).toBeLessThan(TURN_MS);
}, 60_000);

it("pages of a form with thousands of options, several at once", async () => {
  const options = many(100, (n) => ({ value: `v${n}`, label: `l${n}` }));
  const fields = many(85, (n) => ({ key: `f${n}`, type: "checkbox", label: "T", options }));
  const id = await shop.form(plain({ fields }));
  const { app } = shop.harness;
  const url = `http://platform.test/api/public/forms/${shop.part}.${id}`;
  const measured = longestOf(
    () => shop.harness.clock.advance(60_000),
    async () => {
      const pages = await Promise.all(many(8, async () => app.fetch(new Request(url))));
      // A browser reads one page: the decoding of several in a row belongs to this test, not to the server.
      for (const page of pages) {
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("f84-99")]);
        await new Promise(setImmediate);
      }
    },
  );
  expect(await measured).toBeLessThan(2 * TURN_MS);
}, 180_000);

describe("a form with thousands of options", () => {
  const options = many(100, (n) => ({ value: `v${n}`, label: `l${n}` }));
  const fields = many(85, (n) => ({ key: `f${n}`, type: "checkbox", label: "T", options }));
  const all = Object.fromEntries(fields.map(({ key }) => [key, options.map(({ value }) => value)]));

  it("shows its JSON Schema, several times at once", async () => {
    const id = await shop.form(plain({ fields }));
    const headers = { authorization: `Bearer ${shop.pub.plaintext}`, origin: SHOP };
    const { app, clock } = shop.harness;
    const url = `http://platform.test/v1/forms/${id}/schema`;
    const measured = longestOf(
      () => clock.advance(60_000),
      async () => {
        const answers = await Promise.all(many(16, async () => app.fetch(new Request(url, { headers }))));
        for (const answer of answers)
          expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"f84"')]);
      },
    );
    expect(await measured).toBeLessThan(TURN_MS);
  }, 60_000);

  it("has its submissions deleted after their retention", async () => {
    const id = await shop.form(plain({ fields }));
    const first = await shop.send(id, all);
    expect(first.status, first.text).toBe(201);
    const from = shop.harness.clock.now();
    for (const round of many(12, (n) => n + 1)) {
      const due = new Date(from + round * 3_600_000).toISOString();
      for (let n = 0; n < 30; n += 1) {
        await shop.harness.services.runTx(shop.part, async (tx) => {
          const { value } = await tx.require(submissions, first.json.data.id);
          tx.create(submissions, { ...value, id: shop.harness.services.newId("sub"), expires_at: due });
        });
      }
    }
    const measured = longestOf(
      () => shop.harness.clock.advance(3_600_000),
      async () => expect(await shop.run(sweepSubmissions)).toMatchObject({ removed: 30 }),
    );
    expect(await measured).toBeLessThan(2 * TURN_MS);
  }, 60_000);
});

it("the statistics of a year of a form of a hundred long fields", async () => {
  const fields = many(100, (n) => ({ key: `f${n}_`.padEnd(40, "x"), type: "text", label: "Text" }));
  const id = await shop.form(plain({ fields }));
  const counted = Object.fromEntries(fields.map(({ key }) => [key, 1]));
  const to = Date.parse("2026-06-01T00:00:00.000Z");
  for (const day of many(366, (n) => new Date(to - n * 86_400_000).toISOString().slice(0, 10))) {
    await shop.harness.services.runTx(shop.part, async (tx) => {
      for (const shard of many(4, (n) => n)) {
        const counts = { views: 1, starts: 1, submissions: 1, spam: 0, reached: counted, left: counted };
        tx.create(tallies, { id: `fty_${day}_${shard}`, form_id: id, date: day, ...counts });
      }
    });
  }
  const path = `/${id}/stats?from=2025-06-01&to=2026-06-01`;
  const { data } = (await shop.call("GET", path)).json;
  expect([data.views, data.fields[99].reached, data.days.length]).toEqual([1_464, 1_464, 366]);
  expect(await longest("GET", path, undefined, 200)).toBeLessThan(TURN_MS);
}, 60_000);
