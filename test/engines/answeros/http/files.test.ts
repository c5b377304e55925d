import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { pages } from "../../../../server/engines/answeros/repository.ts";
import { createShop, RYE, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

describe("files for answer engines", () => {
  it("need a page to list: 409 nothing_to_list", async () => {
    const own = await shopOf(shop.harness, await shop.harness.key());
    expect(await own.refused("POST", "/files/llms.txt/generate", {})).toEqual([409, "nothing_to_list"]);
    expect((await own.call("GET", "/files/llms.txt")).status).toBe(404);
    expect((await own.call("GET", "/files/passwd")).status).toBe(422);
  });

  it("are generated out of pages, without findings, and served as they are", async () => {
    await shop.must("POST", "/pages", {
      url: "https://crumb.example/rye",
      html: RYE,
      page_type: "product",
      entity: "Dark rye",
    });
    const hidden = RYE.replace("<head>", '<head><meta name="robots" content="noindex">');
    await shop.must("POST", "/pages", {
      url: "https://crumb.example/secret",
      html: hidden,
      entity: "Secret",
    });
    for (const name of ["llms.txt", "llms-full.txt", "robots", "ai-catalog.json"]) {
      const file = await shop.must("POST", `/files/${name}/generate`, { site_name: "Crumb" });
      expect([
        name,
        file.warnings.filter(({ severity }: { severity: string }) => severity === "error"),
      ]).toEqual([name, []]);
      expect(await shop.must("POST", `/files/${name}/validate`, {})).toMatchObject({ valid: true });
      const served = await shop.call("GET", `/files/${name}/content`);
      expect(served.text).toBe(file.content);
      expect(served.text).not.toContain("Secret");
    }
    const { content } = await shop.must("GET", "/files/llms.txt");
    expect(content).toContain("## Products\n\n- [Dark rye](https://crumb.example/rye)");
    expect((await shop.must("GET", "/files/llms-full.txt")).content).toContain("dense loaf of 900 g");
    expect((await shop.must("GET", "/files/robots")).content).toContain("User-agent: GPTBot\nDisallow: /");
    const listed = await shop.must("GET", "/files");
    expect(listed.every(({ exists }: { exists: boolean }) => exists)).toBe(true);
  });

  it("have what fits, where the store has long pages", async () => {
    const own = await shopOf(shop.harness, await shop.harness.key());
    const { runTx, newId } = own.harness.services;
    const { id } = await own.must("POST", "/pages", { url: "https://crumb.example/rye", html: RYE });
    for (let made = 0; made < 240; made += 20)
      await runTx(own.part, async (tx) => {
        const { value } = await tx.require(pages, id);
        const meta = value.meta && { ...value.meta, description: "x".repeat(500) };
        for (let at = made; at < made + 20; at += 1)
          tx.create(pages, { ...value, id: newId("pag"), url: `https://crumb.example/${at}`, meta });
      });
    const { content } = await own.must("POST", "/files/llms.txt/generate", {});
    expect(content.length).toBeLessThanOrEqual(100_000);
    expect(await own.must("GET", "/files/llms.txt")).toMatchObject({ content });
  });

  it("are written by hand, unless they are wrong: 422 file_invalid", async () => {
    const content = "# Crumb\n\n- [Rye](https://crumb.example/rye), our densest bread\n";
    expect(await shop.must("PUT", "/files/llms.txt", { content })).toMatchObject({
      origin: "manual",
      content,
    });
    expect(await shop.refused("PUT", "/files/llms.txt", { content: "Crumb" })).toEqual([422, "file_invalid"]);
    expect(await shop.refused("PUT", "/files/ai-catalog.json", { content: "{}" })).toEqual([
      422,
      "file_invalid",
    ]);
    expect((await shop.must("GET", "/files/llms.txt")).content).toBe(content);
  });

  it("are served to a publishable key", async () => {
    const key = await shop.harness.key({
      kind: "publishable",
      scopes: ["answeros:public"],
      customer_id: shop.key.customerId,
      store_id: shop.key.storeId,
    });
    const send = (method: string, path: string) => shop.harness.call(method, `/v1/answeros${path}`, { key });
    expect((await send("GET", "/files/robots/content")).status).toBe(200);
    expect((await send("GET", "/files/robots")).status).toBe(200);
    expect((await send("GET", "/files")).status).toBe(403);
  });
});

describe("files without a key", () => {
  it("are served as what they are, for caches; 404 where there is none", async () => {
    const own = await shopOf(shop.harness, await shop.harness.key());
    const store = own.part;
    const read = (name: string) => shop.harness.call("GET", `/api/public/stores/${store}/${name}`);
    expect((await read("llms.txt")).status).toBe(404);
    const content =
      "# Crumb\n\n> Bread of Hackney, baked every morning.\n\n- [Shop](https://crumb.example/)\n";
    await own.must("PUT", "/files/llms.txt", { content });
    const answer = await read("llms.txt");
    expect([answer.status, answer.text, answer.headers.get("cache-control")]).toEqual([
      200,
      content,
      "public, max-age=300",
    ]);
    expect(answer.headers.get("content-type")).toMatch(/^text\//);
    await own.must("POST", "/files/robots/generate", {});
    expect((await read("robots.txt")).text).toContain("User-agent:");
  });
});

describe("crawler logs", () => {
  const line = (agent: string, path = "/rye", status = 200) =>
    `192.0.2.7 - - [31/May/2026:06:12:01 +0000] "GET ${path}?who=me HTTP/1.1" ${status} 512 "https://ref.example/" "${agent}"`;

  it("are counted once, by day and crawler, without addresses", async () => {
    const log = [
      line("GPTBot/1.2"),
      line("GPTBot/1.2", "/gone", 404),
      line("OAI-SearchBot/1.0"),
      line("Firefox"),
      "nonsense",
    ].join("\n");
    const first = await shop.must("POST", "/crawler-logs", { log });
    expect(first).toMatchObject({ lines: 5, hits: 3, skipped: 1, unreadable: 1, repeated: 0 });
    expect(await shop.must("POST", "/crawler-logs", { log })).toMatchObject({ hits: 0, repeated: 3 });
    const days = await shop.must("GET", "/crawlers");
    expect(days.map(({ bot, hits }: { bot: string; hits: number }) => [bot, hits]).toSorted()).toEqual([
      ["GPTBot", 2],
      ["OAI-SearchBot", 1],
    ]);
    expect(JSON.stringify(days)).not.toMatch(/192\.0|who=me|ref\.example/);
    expect((await shop.must("GET", "/crawlers?bot=GPTBot"))[0]).toMatchObject({
      by_status: { "200": 1, "404": 1 },
      crawler: { vendor: "OpenAI", purpose: "training" },
    });
    expect(await shop.must("GET", "/crawlers?from=2026-05-01&to=2026-05-30")).toEqual([]);
    expect((await shop.call("GET", "/crawlers?bot=NoBot")).status).toBe(422);
  });

  it("may be CSV", async () => {
    const log = "date,path,status,user_agent\n2026-05-30,/rye,200,PerplexityBot/1.0\n2026-05-30,/rye,,x\n";
    expect(await shop.must("POST", "/crawler-logs", { format: "csv", log })).toMatchObject({
      hits: 1,
      unreadable: 1,
    });
  });

  it("count each line once when a log that has grown is sent again, or in parts", async () => {
    const own = await shopOf(shop.harness, await shop.harness.key());
    const lines = Array.from({ length: 5 }, (_, at) => line("GPTBot/1.2", `/${at}`));
    const hits = async () => (await own.must("GET", "/crawlers")).map((day: { hits: number }) => day.hits);
    await own.must("POST", "/crawler-logs", { log: lines.slice(0, 2).join("\n") });
    expect(await hits()).toEqual([2]);
    const grown = await own.must("POST", "/crawler-logs", { log: lines.slice(0, 3).join("\n") });
    expect(grown).toMatchObject({ hits: 1, repeated: 2 });
    expect(await hits()).toEqual([3]);
    await own.must("POST", "/crawler-logs", { log: lines.slice(2).join("\n") });
    expect(await hits()).toEqual([5]);
    // The same request twice in one second is two lines.
    await own.must("POST", "/crawler-logs", { log: [...lines, lines[0]].join("\n") });
    expect(await hits()).toEqual([6]);
    const json = { time: "2026-05-31T07:00:00Z", path: "/rye", status: 200, user_agent: "GPTBot/1.2" };
    expect(await own.must("POST", "/crawler-logs", { log: JSON.stringify(json) })).toMatchObject({ hits: 1 });
  });

  it("must be readable: 422 bad_log", async () => {
    expect(await shop.refused("POST", "/crawler-logs", { log: "nonsense" })).toEqual([422, "bad_log"]);
    expect(await shop.refused("POST", "/crawler-logs", { format: "csv", log: 'a,"b' })).toEqual([
      422,
      "bad_log",
    ]);
  });

  it("know their crawlers", async () => {
    const bots = await shop.must("GET", "/crawlers/bots");
    expect(bots.find(({ name }: { name: string }) => name === "Perplexity-User")).toMatchObject({
      obeys_robots: false,
    });
  });
});
