import { afterAll, beforeAll, expect, it } from "vitest";

import { BAKERY_REQUESTS } from "../../server/site/docs/bakery-guide.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness, TestKey } from "../harness.ts";

// The guide is followed from an empty store, request by request.
let harness: Harness;
let key: TestKey;
beforeAll(async () => {
  harness = await createHarness({ now: "2026-06-01T09:00:00.000Z" });
  key = await harness.key();
});
afterAll(() => harness.close());

/** A row of the product list. */
interface Row {
  readonly id: string;
  readonly revision: number;
}

it("opens a bakery of 30 products in at most 12 requests", async () => {
  const answers: Answer[] = [];
  const at = (index: number): Answer["json"] => answers[index]?.json.data;
  const ids: Record<string, () => string> = {
    "{menu}": () => at(5).rows.find(({ kind }: { kind: string }) => kind === "menu").id,
    "{zone}": () => at(7).id,
    "{location}": () => at(8).id,
  };
  const products = () => JSON.stringify(at(2).map(({ id, revision }: Row) => ({ id, revision })));
  for (const { method, path, body } of BAKERY_REQUESTS) {
    const fill = (text: string): string =>
      text.replaceAll(/\{(?:menu|zone|location)\}/g, (name) => ids[name]?.() ?? name);
    const sent =
      body === undefined ? undefined : fill(JSON.stringify(body)).replace('"{products}"', () => products());
    const answer = await harness.call(method, fill(path), {
      key,
      ...(sent === undefined ? {} : { body: sent }),
    });
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
    answers.push(answer);
  }
  expect(answers.length).toBeLessThanOrEqual(12);
  expect(at(1).counts).toMatchObject({ created: 30, refused: 0 });
  const sandwich = at(2).find(({ title }: { title: string }) => title === "Egg sandwich");
  expect(sandwich.allergens).toEqual(expect.arrayContaining(["egg", "mustard", "wheat"]));
  expect(at(3).rows.filter(({ error }: { error: unknown }) => error !== null)).toEqual([]);
  expect(at(3).counts).toEqual({ verified: 30, refused: 0 });
  expect(at(5).complete).toBe(true);
  expect(at(5).products.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(30).fill("linked"));
  expect(at(10)).toMatchObject({ deliverable: true, fee: 399 });
  const live = await harness.call("GET", `/v1/menus/${ids["{menu}"]?.()}/live`, { key });
  expect(live.status).toBe(200);
  const { items } = live.json.data.categories[0];
  expect(items).toHaveLength(30);
  expect(items.filter(({ allergens }: { allergens: unknown }) => allergens !== undefined)).toHaveLength(30);
  const onMenu = items.find(({ title }: { title: string }) => title === "Egg sandwich");
  expect(onMenu.allergens).toEqual(expect.arrayContaining(["egg", "mustard", "wheat"]));
});
