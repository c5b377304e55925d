import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createShop, RYE } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const ask = (text: string, answer: string | null = null, more: object = {}) =>
  shop.must("POST", "/questions", {
    text,
    ...(answer === null ? {} : { answer: { text: answer } }),
    ...more,
  });
const find = (q: string) => shop.must("GET", `/answers?q=${encodeURIComponent(q)}`);

describe("answers", () => {
  it("are found once they are approved, and no longer when the question changes", async () => {
    const { id, answer } = await ask(
      "How long does sourdough keep?",
      "Fresh is best. Sourdough keeps for four days in paper.",
    );
    expect(answer.status).toBe("draft");
    expect((await find("how long does sourdough keep")).answer).toBeNull();
    expect((await shop.must("POST", `/questions/${id}/approve`)).answer).toMatchObject({
      status: "approved",
      approved_at: expect.any(String),
    });
    expect((await find("how long does SOURDOUGH keep?!")).answer).toMatchObject({
      question_id: id,
      passage: "Sourdough keeps for four days in paper.",
      coverage: 1,
    });
    await shop.must("PATCH", `/questions/${id}`, { text: "How long does rye keep?" });
    expect((await find("how long does sourdough keep")).answer).toBeNull();
  });

  it("are nothing where nothing fits", async () => {
    expect(await find("do you sell bicycles")).toEqual({
      query: "do you sell bicycles",
      answer: null,
      others: [],
    });
  });

  it("are found in their language alone", async () => {
    const { id } = await ask("Wie lange hält Roggenbrot?", "Roggenbrot hält acht Tage.", { locale: "de-DE" });
    await shop.must("POST", `/questions/${id}/approve`);
    expect((await find("Roggenbrot")).answer).toBeNull();
    expect((await shop.must("GET", "/answers?q=Roggenbrot&locale=de")).answer.question_id).toBe(id);
  });

  it("are found with a publishable key", async () => {
    const key = await shop.harness.key({
      kind: "publishable",
      scopes: ["answeros:public"],
      customer_id: shop.key.customerId,
      store_id: shop.key.storeId,
    });
    const answer = await shop.harness.call("GET", "/v1/answeros/answers?q=roggenbrot&locale=de", { key });
    expect(answer.status).toBe(200);
    expect((await shop.harness.call("GET", "/v1/answeros/questions", { key })).status).toBe(403);
  });

  it("cannot be approved while there are none: 409 no_answer", async () => {
    const { id } = await ask("Do you bake at night?");
    expect(await shop.refused("POST", `/questions/${id}/approve`)).toEqual([409, "no_answer"]);
  });
});

describe("questions", () => {
  it("are listed by what became of them", async () => {
    const { id } = await ask("Do you bake at dawn?");
    const open = await shop.must("GET", "/questions?answer=open");
    expect(open.every(({ answer }: { answer: unknown }) => answer === null)).toBe(true);
    expect(open.map((one: { id: string }) => one.id)).toContain(id);
    const urgent = await ask("Is the oven on fire?", null, { priority: 1 });
    const [first] = await shop.must("GET", "/questions?sort=priority");
    expect(first.id).toBe(urgent.id);
    await shop.must("DELETE", `/questions/${urgent.id}`);
    expect((await shop.call("GET", `/questions/${urgent.id}`)).status).toBe(404);
  });

  it("are about pages that are there", async () => {
    expect((await shop.call("POST", "/questions", { text: "What?", page_id: "pag_none" })).status).toBe(422);
    const page = await shop.must("POST", "/pages", { html: RYE });
    const { id } = await ask("What is dark rye?", null, { page_id: page.id });
    expect(
      (await shop.must("GET", `/questions?page_id=${page.id}`)).map((one: { id: string }) => one.id),
    ).toEqual([id]);
    const tracked = await shop.must("PATCH", `/pages/${page.id}`, { tracked_question_ids: [id] });
    expect(tracked.tracked_question_ids).toEqual([id]);
    expect(
      (await shop.call("PATCH", `/pages/${page.id}`, { tracked_question_ids: ["aqs_none"] })).status,
    ).toBe(422);
    const { score } = await shop.must("POST", "/scores", { page_id: page.id });
    expect(score.components.coverage).toBe(10);
    const { suggestions: suggested } = await shop.must("POST", "/questions/suggest", {
      page_id: page.id,
      entity: "dark rye",
    });
    expect(suggested.map((one: { text: string }) => one.text)).not.toContain("What is dark rye?");
    expect(suggested.length).toBeGreaterThan(2);
  });

  it.each(["page_id=pag_1&answer=open", "page_id=pag_1&source=manual", "sort=priority&source=manual"])(
    "422 for what no index serves: %s",
    async (query) => expect((await shop.call("GET", `/questions?${query}`)).status).toBe(422),
  );
});
