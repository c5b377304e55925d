import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { showConfig } from "../../server/config/show.ts";
import { Ai as AiConfigSchema } from "../../server/config/ai.ts";
import type { AiProvider } from "../../server/core/ai.ts";
import { runPrompts } from "../../server/engines/answeros/jobs/run-prompts.ts";
import { Problem } from "../../server/lib/errors.ts";
import { createFolder, failure, folderWith, load } from "../config/folder.ts";
import { createShop } from "../engines/answeros/http/shop.ts";
import { startOpenAi } from "./openai-server.ts";
import type { OpenAiServer } from "./openai-server.ts";
import { createWorld } from "./world.ts";

let server: OpenAiServer;
beforeEach(async () => {
  server = await startOpenAi();
});
afterEach(() => server.close());

const perplexity = () => ({
  id: "perplexity",
  url: server.url,
  key: "pplx-key",
  model: "sonar",
  models: ["sonar-pro"],
});
const answer = {
  text: "Crumb bakes rye.",
  sources: [{ url: "https://crumb.example/rye", title: "Rye" }],
  tokens: { input: 10, output: 5 },
};
const gemini = (write: AiProvider["write"] = async () => answer): AiProvider => ({
  id: "gemini",
  models: ["flash"],
  write,
});

describe("further OpenAI-compatible providers", () => {
  it("are asked by name, with their own keys; the default stays the configured one", async () => {
    const world = await createWorld({ providers: [perplexity()] });
    expect(world.ai.providers.map(({ id, model }) => [id, model])).toEqual([
      ["builtin", "builtin-1"],
      ["perplexity", "sonar"],
    ]);
    expect((await world.ai.generate(world.ask())).provider).toBe("builtin");
    const result = await world.ai.generate(world.ask({ provider: "perplexity", model: "sonar-pro" }));
    expect([result.provider, result.model]).toEqual(["perplexity", "sonar-pro"]);
    expect(server.requests.map(({ auth, body }) => [auth, body["model"]])).toEqual([
      ["Bearer pplx-key", "sonar-pro"],
    ]);
  });

  it("are engines that prompts of answeros ask", async () => {
    const shop = await createShop({ config: { ai: AiConfigSchema.parse({ providers: [perplexity()] }) } });
    await shop.must("POST", "/brands", { name: "Crumb", domains: ["crumb.example"], own: true });
    server.behave({ parts: ["Crumb bakes the best rye in town."] });
    const prompt = await shop.must("POST", "/prompts", {
      text: "Who bakes rye bread?",
      topic: "rye",
      engines: ["perplexity"],
    });
    await shop.must("POST", `/prompts/${prompt.id}/runs`, { samples: 3 });
    expect(await shop.run(runPrompts)).toMatchObject({ done: 1, failed: 0 });
    const seen = await shop.must("GET", "/visibility");
    expect(seen.brands[0].metrics.visibility).toMatchObject({ numerator: 3, denominator: 3 });
    expect((await shop.must("GET", "/visibility?exclude_engine=perplexity")).answers).toBe(0);
    await shop.harness.close();
  });

  it("take their keys from secrets, which are never printed, and have different names", async () => {
    const { key: _, ...rest } = perplexity();
    const folder = folderWith({
      ai: {
        providers: [
          { ...rest, key: { $secret: "PPLX" } },
          { ...perplexity(), id: "other" },
        ],
      },
    });
    const loaded = await load(folder, { env: { PPLX: "pplx-hidden" } });
    expect(loaded.config.ai.providers[0]?.key).toBe("pplx-hidden");
    expect(loaded.secrets).toEqual(expect.arrayContaining(["ai.providers[0].key", "ai.providers[1].key"]));
    expect(JSON.stringify(showConfig(loaded))).not.toMatch(/pplx-/);
    const twice = folderWith({ ai: { providers: [perplexity(), perplexity()] } });
    expect((await failure(load(twice))).problems).toMatchObject([{ path: "ai.providers[1].id" }]);
    const own = folderWith({ ai: { providers: [{ ...perplexity(), id: "builtin" }] } });
    expect((await failure(load(own))).problems).toMatchObject([{ path: "ai.providers[0].id" }]);
  });
});

describe("providers in the operator's code", () => {
  it("write texts under the budgets and checks of every provider, whole and as a stream", async () => {
    const tasks: unknown[] = [];
    const world = await createWorld(
      { prices: [{ model: "flash", input: 1_000_000, output: 2_000_000 }] },
      undefined,
      [
        gemini(async (task) => {
          tasks.push(task);
          return answer;
        }),
      ],
    );
    const input = { text: "Who bakes rye?", question: "Who bakes rye?", locale: "de" };
    const result = await world.ai.generate(world.ask({ provider: "gemini", operation: "answer", input }));
    expect(result).toMatchObject({
      text: answer.text,
      provider: "gemini",
      model: "flash",
      sources: answer.sources,
      usage: { cost_micros: 20 },
    });
    expect(tasks).toMatchObject([
      { model: "flash", operation: "answer", question: "Who bakes rye?", locale: "de" },
    ]);
    const events = [];
    for await (const { type } of await world.ai.stream(world.ask({ provider: "gemini" }))) events.push(type);
    expect(events).toEqual(["delta", "usage", "done"]);
    const budget = await world.budget({ limit_micros: 1, on_exceed: "block" });
    const refused = await world.ai
      .generate(world.ask({ provider: "gemini" }))
      .catch((error: unknown) => error);
    expect(refused instanceof Problem && refused.options.code).toBe("budget_exceeded");
    expect(budget.limit_micros).toBe(1);
  });

  it.each<[string, AiProvider["write"]]>([
    ["throws", async () => Promise.reject(new Error("down"))],
    ["returns something else", async () => JSON.parse('{"words":"x"}')],
    ["returns nothing", async () => ({ text: "  " })],
    ["returns too much", async () => ({ text: "x".repeat(200_000) })],
    ["never answers and ignores the signal", () => new Promise(() => undefined)],
  ])("is unavailable where it %s", async (_, write) => {
    const world = await createWorld({ timeoutSeconds: 1 }, undefined, [gemini(write)]);
    const error = await world.ai
      .generate(world.ask({ provider: "gemini" }))
      .catch((reason: unknown) => reason);
    expect(error instanceof Problem && [error.type, error.options.code]).toEqual([
      "service_unavailable",
      "ai_unavailable",
    ]);
    expect(await world.records()).toHaveLength(1);
  });

  it("lose what is no source and no count", async () => {
    const odd = {
      text: "Rye.",
      sources: [{ url: "javascript:alert(1)", title: null }],
      tokens: { input: -5, output: 2.5 },
    };
    const world = await createWorld({}, undefined, [gemini(async () => odd)]);
    const result = await world.ai.generate(world.ask({ provider: "gemini" }));
    expect(result).toMatchObject({ text: "Rye.", sources: [], usage: { estimated: true } });
  });

  it("come with the configuration file, which is refused where one is incomplete", async () => {
    const code = (provider: string) => ({
      "platform.config.mjs": `export default { aiProviders: [${provider}] };`,
    });
    const at = (provider: string) => load(createFolder(code(provider)));
    const { extensions } = await at(
      `{ id: "gemini", models: ["flash"], write: async () => ({ text: "x" }) }`,
    );
    expect(extensions.aiProviders?.map(({ id }) => id)).toEqual(["gemini"]);
    expect((await failure(at(`{ id: "builtin", models: ["x"], write() {} }`))).problems).toMatchObject([
      { path: "aiProviders[0]" },
    ]);
  });
});
