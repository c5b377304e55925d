import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { indexEntries, toText } from "../../../../server/core/collection.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { products } from "../../../../server/engines/allergens/repository.ts";
import { createShop, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const lines = [
  { name: "barley", contains: ["barley"] },
  { name: "wheat flour", contains: ["wheat"] },
  { name: "milk", contains: ["milk"] },
];
const label = async (id: string, query = "") => (await shop.get(`/products/${id}/label${query}`)).json.data;

describe("GET /products/{id}/label", () => {
  it("AA3: spelt in uk", async () => {
    const id = await shop.verified("Spelt loaf", [{ name: "spelt", contains: ["spelt"] }]);
    const found = await label(id, "?mode=uk");
    expect(found.segments).toEqual([
      { text: "spelt (", emphasised: false },
      { text: "wheat", emphasised: true, code: "wheat" },
      { text: ")", emphasised: false },
    ]);
    expect(found.ingredients_html).toBe("spelt (<strong>wheat</strong>)");
    expect((await shop.get(`/products/${id}`)).json.data.allergens).toEqual(["wheat"]);
  });

  it("AA5: the summary of au_nz", async () => {
    const found = await label(await shop.verified("Malt loaf", lines), "?mode=au_nz");
    expect(found.ingredients_html).toBe(
      "<strong>barley</strong>, <strong>wheat</strong> flour, <strong>milk</strong>",
    );
    expect(found.contains_statement).toBe("Contains wheat, gluten, milk.");
  });

  it("AA6: no statement beside a list in uk, and an error for one of your own", async () => {
    const id = await shop.make("/products", {
      title: "Loaf",
      ingredients: lines,
      contains_statement: "Contains milk",
    });
    const found = await label(id);
    expect(found.contains_statement).toBeNull();
    expect(found.lint).toContainEqual(
      expect.objectContaining({ code: "contains_statement_forbidden", level: "error" }),
    );
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe("409 lint_errors");
    const loose = await label(id, "?sale_type=loose");
    expect(loose.contains_statement).toBe("Contains barley, wheat, milk.");
    expect(loose.lint).toContainEqual(expect.objectContaining({ code: "contains_statement_incomplete" }));
  });

  it("200 never prints a statement of one's own that leaves out what is in it", async () => {
    const id = await shop.verified("Satay", [{ name: "peanut sauce", contains: ["peanut"] }], {
      sale_type: "loose",
    });
    const statementAfter = async (statement: string) => {
      expect((await shop.patch(`/products/${id}`, { contains_statement: statement })).status).toBe(200);
      const answer = await shop.get(`/products/${id}/label?format=text`);
      return answer.status === 200 ? answer.text : refusal(answer);
    };
    expect(await statementAfter("Contains no allergens")).toBe("409 label_errors");
    expect((await label(id)).contains_statement).toBe("Contains peanuts.");
    expect(await statementAfter("Peanut-free")).toBe("409 label_errors");
    expect(await statementAfter("Contains: peanut")).toBe("Satay\nContains: peanut\n");
  });

  it("200 as text and as a page without script, everything escaped", async () => {
    const title = `<img src=x onerror=alert(1)> & "Sons"`;
    const id = await shop.verified(title, [{ name: "<b>milk</b>", contains: ["milk"] }]);
    const text = await shop.get(`/products/${id}/label?format=text`);
    expect([text.headers.get("content-type"), text.text]).toEqual([
      "text/plain; charset=utf-8",
      `${title}\nIngredients: <b>MILK</b>.\n`,
    ]);
    const page = await shop.get(`/products/${id}/label?format=html`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'/,
    );
    expect(page.text).not.toMatch(/<img|<b>milk/);
    expect(page.text).toContain("&lt;b&gt;<strong>milk</strong>&lt;/b&gt;");
    expect(page.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("200 in French where the mode has it, 422 where it has not", async () => {
    const id = await shop.verified("Pain", lines);
    expect((await label(id, "?mode=ca&locale=fr")).contains_statement).toBe("Contient : orge, blé, lait.");
    expect(pointersOf(await shop.get(`/products/${id}/label?mode=uk&locale=fr`))).toEqual(["locale"]);
  });
});

describe("GET /matrix", () => {
  it("200 as JSON: C, M, - and ?", async () => {
    await shop.verified("Loaf", lines, { declarations: [{ code: "egg", presence: "may_contain" }] });
    await shop.make("/products", { title: "Draft", ingredients: [{ name: "milk", contains: ["milk"] }] });
    const { json } = await shop.get("/matrix");
    expect(json.data.codes).toContainEqual({ code: "soy", name: "soya" });
    const [draft, loaf] = json.data.rows;
    expect([draft.title, loaf.title]).toEqual(["Draft", "Loaf"]);
    expect(loaf.cells).toMatchObject({ barley: "C", milk: "C", egg: "M", soy: "-" });
    expect(draft.cells).toMatchObject({ milk: "C", egg: "?", soy: "?" });
    expect((await shop.get("/matrix?mode=us")).json.data.rows[1].cells).not.toHaveProperty("barley");
  });

  it("409 for more products than it evaluates", async () => {
    const id = await shop.make("/products", { title: "Loaf" });
    const { store, services } = shop.harness;
    const part = storePartition(shop.key.storeId, "live");
    const { value } = await services.runTx(part, (tx) => tx.require(products, id));
    const ops = Array.from({ length: 2000 }, (_, index) => {
      const copy = { ...value, id: `${id.slice(0, -4)}${String(index).padStart(4, "0")}` };
      return [
        { put: `${part}:${products.name}:${copy.id}` as const, value: toText(products, copy) },
        ...indexEntries(products, copy).map(([coll, entry]) => ({
          put: `${part}:${coll}:${entry}` as const,
          value: "1",
        })),
      ];
    });
    for (let from = 0; from < ops.length; from += 10) {
      expect((await store.commit(part, ops.slice(from, from + 10).flat())).ok).toBe(true);
    }
    expect(refusal(await shop.get("/matrix"))).toBe("409 collection_too_large");
  });

  it("200 as CSV that no spreadsheet runs", async () => {
    for (const title of [
      "=1+1",
      "+x",
      "-x",
      "@x",
      " =x",
      "＝1+1",
      "bread;=1+1",
      'say "hi", you',
      "Größe\nzwei",
    ])
      await shop.make("/products", { title });
    const answer = await shop.get("/matrix?format=csv");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toContain("allergen-matrix.csv");
    for (const cell of ["'=1+1", "'+x", "'-x", "'@x", '"say ""hi"", you"', '"Größe\nzwei"'])
      expect(answer.text).toContain(`,${cell},unverified,?`);
    // Excel reads a full-width sign as the ASCII one, and with a decimal comma a semicolon ends a cell.
    expect(answer.text).not.toMatch(/,\s*=|;=|,＝/);
    expect(answer.text.split("\r\n")[0]).toMatch(/id,title,status,wheat,rye/);
  });

  it("200 as a page to print", async () => {
    await shop.make("/products", { title: "<script>" });
    const page = await shop.get("/matrix?format=html");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.text).toContain("&lt;script&gt;");
    expect(page.text).not.toContain("<script");
    expect(page.text).toContain('<th scope="col">Brazil nut</th>');
  });
});
