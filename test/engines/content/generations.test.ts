import { afterAll, beforeAll, expect, it } from "vitest";

import { Ai } from "../../../server/config/ai.ts";
import type { OpenAiServer } from "../../ai/openai-server.ts";
import { startOpenAi } from "../../ai/openai-server.ts";
import type { Blog } from "./blog.ts";
import { blogOf, createBlog } from "./blog.ts";

let server: OpenAiServer;
let blog: Blog;
beforeAll(async () => {
  server = await startOpenAi();
  const ai = Ai.parse({
    provider: "openai-compatible",
    url: server.url,
    model: "m",
    prices: [{ model: "m", input: 250_000, output: 2_000_000 }],
    outputTokensMax: 100,
  });
  blog = await createBlog({ config: { ai } });
});
afterAll(async () => {
  await blog.harness.close();
  await server.close();
});

const another = async (scopes?: string[]): Promise<Blog> =>
  blogOf(blog.harness, await blog.harness.key(scopes === undefined ? {} : { scopes }));
const TEXT =
  "Crumb bakes sourdough bread in Hackney every morning. Our ovens are heated with wood. Order before noon, and eat on the next day.";
const codeOf = (answer: { json: { error: { code?: string } } }) => answer.json.error.code;

it("writes by the builtin provider, the same each time, and puts it into the draft", async () => {
  const shop = await another();
  const { id } = await shop.must("POST", "/drafts", { title: "Bread", body: TEXT });
  const ask = { operation: "meta_description", draft_id: id, provider: "builtin" };
  const first = await shop.must("POST", "/generations", ask);
  const second = await shop.must("POST", "/generations", ask);
  expect(second.output).toBe(first.output);
  expect(first).toMatchObject({ draft_id: id, input_revision: 1, unsupported_claims: [], fallback: false });
  const draft = await shop.must("POST", `/generations/${first.id}/apply`);
  expect(draft.seo.description).toBe(first.output);
  expect(draft.ai.generation_ids).toEqual([first.id]);
  const [revision] = await shop.must("GET", `/drafts/${id}/revisions`);
  expect(revision).toMatchObject({ number: 2, source: "ai" });
  expect((await shop.must("GET", `/generations/${first.id}`)).applied_revision).toBe(2);
  expect(await shop.must("GET", `/generations?draft_id=${id}`)).toHaveLength(2);
  expect((await shop.post("/generations", { operation: "summarise" })).status).toBe(422);
});

it("refuses what no source says, unless somebody who may lets it pass, and keeps who did", async () => {
  server.behave({ parts: ["Crumb sells rye for £3.50 since 1987."] });
  const shop = await another();
  const { id } = await shop.must("POST", "/drafts", { title: "Bread", body: TEXT });
  const made = await shop.must("POST", "/generations", { operation: "draft", draft_id: id });
  expect(made.unsupported_claims.map(({ text }: { text: string }) => text).join(" ")).toMatch(/3\.50/);
  const refused = await shop.post(`/generations/${made.id}/apply`);
  expect([refused.status, codeOf(refused)]).toEqual([409, "unsupported_claims"]);
  const { customerId, storeId } = shop.key;
  const scopes = ["content:read", "content:write"];
  const writer = blogOf(
    shop.harness,
    await shop.harness.key({ customer_id: customerId, store_id: storeId, scopes }),
  );
  const override = { reason: "The owner has confirmed it" };
  expect((await writer.post(`/generations/${made.id}/apply`, { override })).status).toBe(403);
  const draft = await shop.must("POST", `/generations/${made.id}/apply`, { override });
  expect(draft.ai).toMatchObject({
    share: 1,
    overrides: [{ generation_id: made.id, by: shop.key.id, reason: override.reason }],
  });
  expect((await shop.must("GET", `/generations/${made.id}`)).override.by).toBe(shop.key.id);
});

it("does not put a text that was made from an earlier one over a newer one", async () => {
  const shop = await another();
  const { id } = await shop.must("POST", "/drafts", {
    title: "Bread",
    body: `${TEXT} In order to eat, wait.`,
  });
  const made = await shop.must("POST", "/generations", {
    operation: "rewrite",
    draft_id: id,
    provider: "builtin",
    input: { ops: ["drop_filler"] },
  });
  expect(made.output).toContain("To eat, wait.");
  await shop.must("PATCH", `/drafts/${id}`, { body: "Mine." });
  const refused = await shop.post(`/generations/${made.id}/apply`);
  expect([refused.status, codeOf(refused)]).toEqual([409, "input_changed"]);
});

it("holds what it puts into a scheduled draft to the gate", async () => {
  const shop = await another();
  const { id } = await shop.must("POST", "/drafts", { title: "Bread", body: TEXT });
  await shop.must("POST", `/drafts/${id}/schedule`, { at: "2099-01-01T09:00:00.000Z" });
  const ask = { operation: "meta_description", draft_id: id, provider: "builtin" };
  const made = await shop.must("POST", "/generations", ask);
  const gate = { min_seo: 99, min_readability: null, required_checks: [] };
  await shop.must("PATCH", "/settings", { gate });
  const refused = await shop.post(`/generations/${made.id}/apply`);
  expect([refused.status, codeOf(refused)]).toEqual([422, "publish_gate"]);
  expect(await shop.must("GET", `/drafts/${id}`)).toMatchObject({ revision: 1, seo: { description: null } });
  await shop.must("PATCH", "/settings", { gate: { ...gate, min_seo: 1 } });
  expect(await shop.must("POST", `/generations/${made.id}/apply`)).toMatchObject({
    status: "scheduled",
    revision: 2,
  });
});

it("streams delta, usage and done, and stores what was streamed", async () => {
  server.behave({
    parts: ["Crumb bakes ", "bread."],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  });
  const shop = await another();
  const answer = await shop.post("/generations", {
    operation: "summarise",
    input: { text: TEXT },
    stream: true,
  });
  expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const events = answer.text
    .trim()
    .split("\n\n")
    .map((event) => {
      const [name = "", data = ""] = event.split("\n");
      return { type: name.slice("event: ".length), data: JSON.parse(data.slice("data: ".length)) };
    });
  expect(events.map(({ type }) => type)).toEqual(["delta", "delta", "usage", "done"]);
  const done = events.at(-1)?.data;
  expect(done.output).toBe("Crumb bakes bread.");
  expect((await shop.must("GET", `/generations/${done.id}`)).usage_id).toBe(done.usage_id);
});

it("holds calls to budgets and sums up exactly what the records say", async () => {
  server.behave({
    parts: ["Crumb bakes bread."],
    usage: { prompt_tokens: 1_200, completion_tokens: 350, total_tokens: 1_550 },
  });
  const shop = await another();
  const budget = await shop.must("POST", "/budgets", {
    name: "Day",
    limit_micros: 1_500,
    period: "day",
    on_exceed: "block",
  });
  const ask = { operation: "summarise", input: { text: TEXT } };
  // A22: 1,200 tokens in and 350 out cost 1,000 micros.
  expect((await shop.must("POST", "/generations", ask)).usage.cost_micros).toBe(1_000);
  expect(await shop.must("GET", `/budgets/${budget.id}/state`)).toMatchObject({
    used_micros: 1_000,
    reserved_micros: 0,
    calls: 1,
  });
  await shop.must("PATCH", `/budgets/${budget.id}`, { limit_micros: 1_010 });
  const refused = await shop.post("/generations", ask);
  expect([refused.status, codeOf(refused)]).toEqual([409, "budget_exceeded"]);
  await shop.must("PATCH", `/budgets/${budget.id}`, { on_exceed: "fallback_builtin" });
  expect(await shop.must("POST", "/generations", ask)).toMatchObject({ fallback: true, provider: "builtin" });

  const records = await shop.must("GET", "/usage/records");
  const sum = (name: string, rows: Record<string, number>[]) =>
    rows.reduce((all, row) => all + (row[name] ?? 0), 0);
  for (const group of [
    "",
    "?group_by=day",
    "?group_by=key",
    "?group_by=model",
    "?group_by=operation",
    "?group_by=engine",
  ]) {
    const rows = await shop.must("GET", `/usage${group}`);
    for (const name of ["cost_micros", "input_tokens", "output_tokens", "total_tokens"]) {
      expect([group, name, sum(name, rows)]).toEqual([group, name, sum(name, records)]);
    }
    expect(sum("calls", rows)).toBe(records.length);
  }
  expect(await shop.must("GET", `/usage/records?key_id=${shop.key.id}`)).toHaveLength(records.length);
  expect((await shop.get("/usage?from=2026-06-02&to=2026-06-01")).status).toBe(422);
  expect((await shop.get("/usage?from=2024-06-02&to=2026-06-01")).status).toBe(422);
  expect((await shop.post("/budgets", { name: "Two", limit_micros: 1, limit_tokens: 1 })).status).toBe(422);
  await shop.must("DELETE", `/budgets/${budget.id}`);
  expect(await shop.must("GET", "/budgets")).toEqual([]);
});

it("keeps budgets to those who may manage", async () => {
  const shop = await another(["content:read", "content:write"]);
  expect((await shop.post("/budgets", { name: "x", limit_tokens: 5 })).status).toBe(403);
  const full = await another();
  for (let at = 0; at < 50; at += 1) await full.must("POST", "/budgets", { name: `b${at}`, limit_tokens: 5 });
  expect(codeOf(await full.post("/budgets", { name: "x", limit_tokens: 5 }))).toBe("limit_reached");
});

it("says when the provider does not answer", async () => {
  server.behave({ status: 500 });
  const shop = await another();
  const answer = await shop.post("/generations", { operation: "summarise", input: { text: TEXT } });
  expect([answer.status, codeOf(answer)]).toEqual([503, "ai_unavailable"]);
});

it("appends outlines and questions to a body of HTML as HTML", async () => {
  const shop = await another();
  const body = `<h2>What do we bake?</h2><p>${TEXT}</p>`;
  const { id } = await shop.must("POST", "/drafts", { title: "Bread", body, body_format: "html" });
  const ask = { operation: "faq", draft_id: id, provider: "builtin" };
  const made = await shop.must("POST", "/generations", ask);
  expect(made.output).toMatch(/^#+ What do we bake\?/m);
  const draft = await shop.must("POST", `/generations/${made.id}/apply`);
  expect(draft.body.slice(body.length)).toMatch(/^\s*<h\d[^>]*>What do we bake\?<\/h\d>\s*<p>/);
  expect(draft.body).not.toContain("##");
  expect(draft.ai.share).toBeGreaterThan(0);
});
