import { afterAll, beforeAll, expect, it } from "vitest";

import type { Collection } from "../../../../server/core/collection.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { aggregates, questions } from "../../../../server/engines/answeros/repository.ts";
import { noSums } from "../../../../server/engines/answeros/rules/tally.ts";
import type { Question } from "../../../../server/engines/answeros/schema/question.ts";
import type { Aggregate } from "../../../../server/engines/answeros/schema/tracking.ts";
import { createWorld } from "../../../contract/world.ts";
import type { World } from "../../../contract/world.ts";
import { createHarness } from "../../../harness.ts";
import type { Harness } from "../../../harness.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";

// Documents as large as a store may have them: work on hundreds of them must not keep the event loop from other stores.

let harness: Harness;
let world: World;
let part: string;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
  part = storePartition(world.key.storeId, "live");
}, 120_000);
afterAll(() => harness.close());

async function create<T extends { id: string }>(collection: Collection<T>, values: readonly T[]) {
  for (const value of values) {
    await harness.services.runTx(part, async (tx) => void tx.create(collection, value));
  }
}
const get = (path: string) =>
  longestTurn({ harness, world, path: `/answeros${path}` }, null, 200, { method: "GET" });

const AT = "2026-05-01T09:00:00.000Z";

const questionOf = (n: number): Question => ({
  id: harness.services.newId("qst"),
  created_at: AT,
  updated_at: AT,
  text: `Question ${n} about bread`,
  locale: "en-GB",
  intent: "informational",
  source: "manual",
  page_id: null,
  answer: {
    text: many(500, (word) => `w${(n * 31 + word * 17) % 900}${word % 12 === 11 ? " bread." : ""}`).join(" "),
    status: "approved",
    sources: [],
    approved_at: AT,
  },
  priority: 3,
});

it("searches hundreds of long answers", async () => {
  await create(questions, many(100, questionOf));
  expect(await get("/answers?q=bread+with+w5+and+w7")).toBeLessThan(TURN_MS);
  const answer = await harness.call("GET", "/v1/answeros/answers?q=bread&count=10", { key: world.key });
  expect(answer.json.data.others).toHaveLength(9);
  expect(answer.json.data.answer.passage).toContain("bread");
}, 60_000);

it("suggests questions and structured data next to hundreds of long answers", async () => {
  const sources = many(20, () => ({
    title: "\u0001".repeat(200),
    url: `https://a.example/${"a".repeat(400)}`,
  }));
  const added = await harness.call("POST", "/v1/answeros/pages", {
    key: world.key,
    body: { html: "<h1>Rye bread</h1><p>Bread of rye.</p>" },
  });
  expect(added.status, added.text).toBe(201);
  const { id: page_id } = added.json.data;
  const longOf = (n: number): Question => ({
    ...questionOf(n),
    page_id,
    answer: { text: "\u0001".repeat(4_000), status: "draft", sources, approved_at: null },
  });
  await create(questions, many(120, longOf));
  const post = (path: string, body: object, status: number) =>
    longestTurn({ harness, world, path: `/answeros${path}` }, body, status, { atOnce: 12 });
  const suggested = await post("/questions/suggest", { entity: "rye bread", count: 1 }, 200);
  const generated = await post("/schemas/generate", { page_id }, 201);
  expect([suggested < TURN_MS, generated < TURN_MS], `${suggested} ${generated}`).toEqual([true, true]);
}, 120_000);

const aggregateOf = (n: number): Aggregate => {
  const domains = many(300, (at) => `d${n}x${at}.`.padEnd(190, "abcdefghij.") + "example");
  return {
    id: harness.services.newId("agg"),
    kind: "topic",
    day: `2026-05-${String(1 + (n % 28)).padStart(2, "0")}`,
    engine: "chatgpt",
    topic: `t${n}`,
    prompt_id: null,
    prompt_version: null,
    extraction_version: 1,
    sums: {
      ...noSums(),
      answers: 6,
      cited_answers: 6,
      pairs: 300,
      domains: Object.fromEntries(domains.map((name) => [name, { answers: 1, citations: 1, pawc: 0 }])),
      urls: Object.fromEntries(domains.map((name) => [`https://${name}/`.padEnd(440, "p"), { answers: 1 }])),
    },
  };
};

it("sums hundreds of large aggregates", async () => {
  await create(aggregates, many(40, aggregateOf));
  const window = "from=2026-05-01&to=2026-05-31";
  expect(await get(`/citations?${window}&group_by=url`)).toBeLessThan(TURN_MS);
  expect(await get(`/visibility/series?${window}&interval=day`)).toBeLessThan(TURN_MS);
}, 60_000);

it("refuses a period of more domains and URLs than memory should hold", async () => {
  const key = await harness.key();
  const own = storePartition(key.storeId, "live");
  const urls = Object.fromEntries(many(300, (at) => [`https://u${at}.example/`, { answers: 1 }]));
  const sums = { ...noSums(), answers: 6, cited_answers: 6, urls };
  const base = { ...aggregateOf(0), sums };
  for (let start = 0; start < 850; start += 17) {
    await harness.services.runTx(own, async (tx) => {
      for (const n of many(17, (at) => start + at)) {
        const engine = n % 2 === 0 ? "chatgpt" : "perplexity";
        tx.create(aggregates, { ...base, id: harness.services.newId("agg"), topic: `t${n}`, engine });
      }
    });
  }
  const citations = async (query: string) =>
    harness.call("GET", `/v1/answeros/citations?from=2026-05-01&to=2026-05-31&${query}`, { key });
  const refused = await citations("group_by=url");
  expect([refused.status, refused.json.error.errors]).toEqual([
    422,
    [
      {
        parameter: "from",
        detail: "The period contains too many citations. Request fewer days, or a single engine.",
      },
    ],
  ]);
  expect((await citations("group_by=url&engine=chatgpt")).json.data).toHaveLength(25);
  expect((await citations("group_by=engine")).json.data).toHaveLength(2);
}, 60_000);
