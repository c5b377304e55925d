import * as fc from "fast-check";
import { expect, it } from "vitest";

import { seeded } from "../../../seeded.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// After every commit, whatever is served of a product has the allergens of the library as it is then: also of products
// that the job has not reached, and through ingredients inside others. A claim that an ingredient breaks is not served.

const CODES = ["milk", "egg", "sesame", "soy"] as const;
const PRODUCTS = 18;
const step = fc.record({
  ingredient: fc.nat(2),
  contains: fc.subarray([...CODES]),
  runsJob: fc.boolean(),
});
const shape = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  nested: fc.boolean(),
  seedCodes: fc.subarray([...CODES]),
});

/** Codes, each once, in the order of CODES. */
const inOrder = (codes: readonly string[]): string[] => CODES.filter((code) => codes.includes(code));

interface Made {
  readonly id: string;
  readonly uses: readonly number[];
}

async function stock(shop: Shop, seedCodes: readonly string[], nested: boolean) {
  const ids: string[] = [];
  for (const [n, contains] of [seedCodes, [], []].entries()) {
    const [inner] = ids;
    const subs = nested && n === 2 && inner !== undefined ? [{ ingredient_id: inner }] : [];
    ids.push(await shop.make("/ingredients", { name: `mix ${n}`, contains, sub_ingredients: subs }));
  }
  const products: Made[] = [];
  for (let n = 0; n < PRODUCTS; n += 1) {
    const uses = n % 3 === 0 ? [0, 1] : [n % 3];
    const ingredients = uses.map((use) => ({ ingredient_id: ids[use] }));
    const isSafe = !uses.some(
      (use) => [0, ...(nested ? [2] : [])].includes(use) && seedCodes.includes("sesame"),
    );
    const dietary = isSafe ? [{ claim: "sesame_free" }] : [];
    products.push({ id: await shop.verified(`Food ${n}`, ingredients, { dietary }), uses });
  }
  return { ids, products };
}

async function served(shop: Shop, id: string, matrix: Readonly<Record<string, Record<string, string>>>) {
  const view = (await shop.get(`/products/${id}`)).json.data;
  const label = (await shop.get(`/products/${id}/label?sale_type=prepacked`)).json.data;
  const check = (await shop.post("/check", { product_ids: [id], avoid: ["sesame"], diets: ["sesame_free"] }))
    .json.data;
  return {
    view: inOrder(view.allergens),
    label: inOrder(label.segments.flatMap(({ code }: { code?: string }) => code ?? [])),
    matrix: inOrder(CODES.filter((code) => matrix[id]?.[code] === "C")),
    claims: view.dietary.filter(({ status }: { status: string }) => status !== "withdrawn").length,
    verdict: check.verdict,
  };
}

it("no served page shows an allergen set older than the commit", { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(shape, async ({ steps, nested, seedCodes }) => {
      const shop = await createShop();
      try {
        const { ids, products } = await stock(shop, seedCodes, nested);
        const contains: string[][] = [[...seedCodes], [], []];
        for (const { ingredient, contains: next, runsJob } of steps) {
          expect((await shop.patch(`/ingredients/${ids[ingredient]}`, { contains: next })).status).toBe(200);
          contains[ingredient] = next;
          const rows = (await shop.get("/matrix")).json.data.rows;
          const matrix = Object.fromEntries(
            rows.map(({ id, cells }: { id: string; cells: Record<string, string> }) => [id, cells]),
          );
          for (const { id, uses } of products) {
            const all = uses.flatMap((use) => [
              ...(contains[use] ?? []),
              ...(nested && use === 2 ? (contains[0] ?? []) : []),
            ]);
            const expected = inOrder(all);
            const found = await served(shop, id, matrix);
            expect([found.view, found.label, found.matrix]).toEqual([expected, expected, expected]);
            if (!expected.includes("sesame")) continue;
            expect([found.claims, found.verdict]).toEqual([0, "unsafe"]);
          }
          if (runsJob) await shop.runJob();
        }
      } finally {
        await shop.harness.close();
      }
    }),
    seeded(4),
  );
});
