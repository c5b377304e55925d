import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Ai } from "../../../server/config/ai.ts";
import type { Behaviour, OpenAiServer } from "../../ai/openai-server.ts";
import { startOpenAi } from "../../ai/openai-server.ts";
import type { Answer } from "../../harness.ts";
import type { Blog } from "./blog.ts";
import { blogOf, createBlog } from "./blog.ts";

// A provider on the loopback address that edits, cuts, lies, stalls, streams and floods: whatever it sends becomes a text, a text
// to review or a problem, and what it charged is recorded.

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
    timeoutSeconds: 5,
  });
  blog = await createBlog({ config: { ai } });
});
afterAll(async () => {
  await blog.harness.close();
  await server.close();
});

const TEXT = "Crumb bakes rye bread in Hackney. The rye bread contains wheat. Order before noon.";
const REWRITE = { operation: "rewrite", input: { text: TEXT, ops: ["drop_filler"] } };

interface Result {
  readonly answer: Answer;
  /** Usage records of the store. */
  // The tests look into records of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly records: any[];
}

async function generate(behaviour: Behaviour, body: object = REWRITE): Promise<Result> {
  server.behave(behaviour);
  const shop = blogOf(blog.harness, await blog.harness.key());
  const answer = await shop.post("/generations", body);
  return { answer, records: await shop.must("GET", "/usage/records") };
}

/** Events of a stream by their type. */
const eventsOf = ({ text }: Answer) =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const [, type = "", data = "{}"] = /^event: (.+)\ndata: (.+)$/s.exec(event) ?? [];
      return { type, data: JSON.parse(data) };
    });

describe("a provider", () => {
  it("that edits a sentence about allergens: the text needs a review, with the sentence that is gone", async () => {
    const edited = "Crumb bakes rye bread in Hackney. There is wheat in it. Order before noon.";
    const { answer } = await generate({ parts: [edited] });
    expect(answer.status).toBe(201);
    expect(answer.json.data.unsupported_claims).toEqual([
      { kind: "allergen", text: "The rye bread contains wheat.", missing: true },
    ]);
    const shop = blogOf(blog.harness, await blog.harness.key());
    const { id } = await shop.must("POST", "/drafts", { title: "Bread", body: TEXT });
    const made = await shop.must("POST", "/generations", {
      operation: "rewrite",
      draft_id: id,
      input: { ops: [] },
    });
    expect(await shop.post(`/generations/${made.id}/apply`)).toMatchObject({
      status: 409,
      json: { error: { code: "unsupported_claims" } },
    });
  });

  it.each([
    ["negative", { prompt_tokens: -5, completion_tokens: 20, total_tokens: 15 }],
    ["fractions", { prompt_tokens: 1.5, completion_tokens: 20, total_tokens: 21.5 }],
    ["beyond all measure", { prompt_tokens: 1e300, completion_tokens: 20, total_tokens: 1e300 }],
  ])("whose usage is %s: the tokens are counted here", async (_, usage) => {
    const { answer, records } = await generate({ parts: [TEXT], usage });
    expect(answer.status).toBe(201);
    expect(answer.json.data.usage).toMatchObject({ estimated: true });
    expect(records).toMatchObject([{ status: "ok", estimated: true }]);
    expect(records[0].input_tokens).toBeGreaterThan(20);
  });

  it("whose cached tokens exceed its tokens: they are part of them", async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 900 },
      completion_tokens_details: { reasoning_tokens: -3 },
    };
    const { records } = await generate({ parts: [TEXT], usage });
    expect(records).toMatchObject([{ cache_read_tokens: 100, reasoning_tokens: 0, total_tokens: 120 }]);
  });

  it.each([
    [401, "The AI provider returned status 401: it does not accept the key of this server."],
    [403, "The AI provider returned status 403: it does not accept the key of this server."],
    [402, "The AI provider returned status 402: its account has no credit."],
    [404, "The AI provider returned status 404: it does not know the address or the model."],
    [400, "The AI provider returned status 400: it does not accept the request."],
  ])("that returns %i: the problem says who can resolve it", async (status, sentence) => {
    const { answer, records } = await generate({ status });
    expect([answer.status, answer.json.error.code]).toEqual([503, "ai_unavailable"]);
    expect(answer.json.error.detail).toContain(sentence);
    expect(answer.json.error.detail).not.toContain("Retry");
    expect(records).toMatchObject([{ status: "error", cost_micros: 0 }]);
  });

  it.each<[string, Behaviour, string]>([
    ["an empty text", { parts: [" \n"] }, "returned an empty text"],
    ["a text that is cut off", { parts: [TEXT], finish: "length" }, "was cut off after 100 tokens"],
    ["a refusal", { parts: [""], finish: "content_filter" }, "refused to write this text"],
    ["a text that is too long", { parts: ["Bread. ".repeat(15_000)] }, "is too long"],
  ])("that sends %s: a problem, and its tokens are recorded", async (_, behaviour, sentence) => {
    const { answer, records } = await generate(behaviour);
    expect([answer.status, answer.json.error.code]).toEqual([503, "ai_unavailable"]);
    expect(answer.json.error.detail).toContain(sentence);
    expect(records).toMatchObject([
      { status: "error", input_tokens: 100, output_tokens: 20, cost_micros: 65 },
    ]);
  });

  it("that sends ten megabytes: its response is not read to the end, and an estimate is recorded", async () => {
    const { answer, records } = await generate({ parts: ["Bread. ".repeat(1_500_000)] });
    expect([answer.status, answer.json.error.code]).toEqual([503, "ai_unavailable"]);
    expect(answer.json.error.detail).toContain("is too long");
    expect(records).toMatchObject([{ status: "error", estimated: true }]);
    expect(records[0].cost_micros).toBeGreaterThan(0);
  });

  it("that sends a text which nobody can check: a problem, and its tokens are recorded", async () => {
    const { answer, records } = await generate({ parts: ["!".repeat(20_000)] });
    expect([answer.status, answer.json.error.code]).toEqual([503, "ai_unavailable"]);
    expect(answer.json.error.detail).toContain("cannot be checked");
    expect(records).toMatchObject([{ total_tokens: 120 }]);
  });

  it("that sends thousands of claims: a text to review with the first of them", async () => {
    const prices = Array.from({ length: 3_000 }, (_, index) => `A loaf costs £${index + 7}.`).join(" ");
    const { answer } = await generate({ parts: [prices] });
    expect(answer.status).toBe(201);
    expect(answer.json.data.unsupported_claims).toHaveLength(100);
  });

  it("is not asked about a text that nobody could check afterwards", async () => {
    const before = server.requests.length;
    const { answer } = await generate({}, { operation: "summarise", input: { text: "!".repeat(20_000) } });
    expect([answer.status, answer.json.error.code]).toEqual([422, "text_too_complex"]);
    expect(server.requests).toHaveLength(before);
  });

  const choices = (choice: object): string => JSON.stringify({ id: "1", model: "m", choices: [choice] });
  it.each([
    ["nothing", ""],
    ["no JSON", "<html>Bad gateway</html>"],
    ["half of its JSON", '{"id":"1","choices":[{"index":0,"mess'],
    ["an empty object", "{}"],
    ["null", "null"],
    ["no choice", '{"choices":[]}'],
    ["no message", choices({ index: 0, finish_reason: "stop" })],
    ["a message without content", choices({ index: 0, message: { role: "assistant", content: null } })],
    ["content that is no text", choices({ index: 0, message: { role: "assistant", content: { a: 1 } } })],
    [
      "a call of a tool",
      choices({
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "rm", arguments: "{" } }],
        },
      }),
    ],
    ["broken characters", choices({ index: 0, message: { role: "assistant", content: "\uD800 \u0000 x" } })],
    [
      "usage that is no usage",
      `{"choices":[{"index":0,"message":{"role":"assistant","content":"x"}}],"usage":"free"}`,
    ],
  ])("that sends %s: no failure of ours", async (_, raw) => {
    for (const stream of [false, true]) {
      const { answer, records } = await generate({ raw }, { ...REWRITE, stream });
      expect([201, 503]).toContain(answer.status);
      expect(records).toHaveLength(1);
      for (const { type, data } of stream && answer.status === 201 ? eventsOf(answer) : []) {
        if (type === "error") expect(data.code).toBe("ai_unavailable");
      }
    }
  });

  it("that sends whatever JSON: no failure of ours", () =>
    fc.assert(
      fc.asyncProperty(
        fc.json({ maxDepth: 4 }),
        fc.jsonValue(),
        fc.jsonValue(),
        async (raw, content, usage) => {
          const whole = JSON.stringify({
            choices: [{ index: 0, message: { role: "assistant", content } }],
            usage,
          });
          for (const text of [raw, whole]) {
            const { answer } = await generate({ raw: text });
            expect([201, 503]).toContain(answer.status);
          }
        },
      ),
      { numRuns: 25 },
    ));

  it.each<[string, Behaviour, string]>([
    ["floods", { parts: Array.from({ length: 40 }, () => "Bread. ".repeat(500)) }, "is too long"],
    ["sends nothing", { parts: [] }, "returned an empty text"],
    ["cuts its text off", { parts: [TEXT], finish: "length" }, "was cut off after 100 tokens"],
    ["sends what nobody can check", { parts: ["!".repeat(10_000), "!".repeat(10_000)] }, "cannot be checked"],
    ["breaks off", { parts: ["Our ", "bread ", "is"], cutAfter: 2 }, "The AI provider failed"],
  ])(
    "whose stream %s: an error is the last event, and a record is written",
    async (_, behaviour, sentence) => {
      const { answer, records } = await generate(behaviour, { ...REWRITE, stream: true });
      const last =
        answer.status === 201
          ? eventsOf(answer).at(-1)
          : { type: "error", data: { code: answer.json.error.code, detail: answer.json.error.detail } };
      expect(last).toMatchObject({ type: "error", data: { code: "ai_unavailable" } });
      expect(last?.data.detail).toContain(sentence);
      expect(records).toHaveLength(1);
      expect(records[0].total_tokens).toBeGreaterThan(0);
    },
  );
});
