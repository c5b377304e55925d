import { afterAll, beforeAll, expect, it } from "vitest";

import { questions } from "../../../../server/engines/answeros/repository.ts";
import type { Question } from "../../../../server/engines/answeros/schema/question.ts";
import { approvedAnswers } from "../../../../server/engines/answeros/services/tools.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// The memory driver returns new pages for each request: an index that is built again for each takes a second for a large store.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const AT = "2026-05-01T09:00:00.000Z";

const questionOf = (text: string, locale: string, answer: string): Question => ({
  id: shop.harness.services.newId("qst"),
  created_at: AT,
  updated_at: AT,
  text,
  locale,
  intent: "informational",
  source: "manual",
  page_id: null,
  answer: { text: answer, status: "approved", sources: [], approved_at: AT },
  priority: 3,
});

const answers = (locale: string) =>
  shop.harness.services.runTx(shop.part, (tx) => approvedAnswers(tx, locale));
const create = (...all: Question[]) =>
  shop.harness.services.runTx(shop.part, async (tx) => {
    for (const each of all) tx.create(questions, each);
  });
const find = async (question: string): Promise<string | null> =>
  (await shop.must("GET", `/answers?q=${encodeURIComponent(question)}`)).answer?.answer ?? null;

it("one index serves until an answer changes", async () => {
  const own = questionOf("How long does sourdough keep?", "en-GB", "Four days.");
  const other = questionOf("Do you bake rye bread?", "en-GB", "On Saturdays.");
  await create(own, other, questionOf("Wie lange hält Brot?", "de", "Vier Tage."));
  const [english, german] = [await answers("en-GB"), await answers("de")];
  expect([english.byId.size, german.byId.size]).toEqual([2, 1]);
  expect(await answers("en")).toBe(english);
  expect(await answers("de")).toBe(german);
  expect(await Promise.all([answers("en"), answers("en-US")])).toEqual([english, english]);
  expect(await find("how long does sourdough keep")).toBe("Four days.");

  await shop.harness.services.runTx(shop.part, async (tx) => {
    const stored = await tx.require(questions, own.id);
    const answer = { ...stored.value.answer!, text: "Five days." };
    tx.put(questions, stored, { ...stored.value, answer });
  });
  expect(await answers("en")).not.toBe(english);
  expect(await find("how long does sourdough keep")).toBe("Five days.");

  await shop.harness.services.runTx(shop.part, async (tx) =>
    tx.remove(questions, await tx.require(questions, own.id)),
  );
  expect(await find("how long does sourdough keep")).toBeNull();
  expect(await find("do you bake rye bread")).toBe("On Saturdays.");
  // Nothing of it is in another store.
  const elsewhere = await shop.harness.key();
  const path = "/v1/answeros/answers?q=do+you+bake+rye+bread";
  expect((await shop.harness.call("GET", path, { key: elsewhere })).json.data.answer).toBeNull();
});

it("searches all answers of a store of more than a page of them", async () => {
  const many = Array.from({ length: 620 }, (_, n) =>
    questionOf(`Question w${n} of many`, "en", `Answer v${n}.`),
  );
  for (let start = 0; start < many.length; start += 20) await create(...many.slice(start, start + 20));
  expect(await find("question w0 of many")).toBe("Answer v0.");
  expect(await find("question w619 of many")).toBe("Answer v619.");
});
