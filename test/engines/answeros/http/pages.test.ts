import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fetchPages } from "../../../../server/engines/answeros/jobs/fetch-pages.ts";
import { OutgoingError } from "../../../../server/core/ports.ts";
import type { FetchedAnswer, OutgoingGet } from "../../../../server/core/ports.ts";
import { createShop, RYE } from "./shop.ts";
import type { Shop } from "./shop.ts";

const SITE: Record<
  string,
  { status?: number; body?: string; type?: string; location?: string; robots?: string }
> = {
  "https://crumb.example/rye": { body: RYE },
  "https://crumb.example/robots.txt": {
    body: "User-agent: OAI-SearchBot\nDisallow: /\n",
    type: "text/plain",
  },
  "https://crumb.example/moved": { status: 301, location: "https://crumb.example/rye" },
  "https://crumb.example/gone": { status: 410 },
  "https://crumb.example/menu.pdf": { body: "%PDF", type: "application/pdf" },
  "https://crumb.example/hidden": { body: RYE, robots: "noindex" },
};

async function fetch({ url }: OutgoingGet): Promise<FetchedAnswer> {
  const found = SITE[url];
  if (found === undefined) throw new OutgoingError("refused", `${url} may not be asked.`);
  const { status = 200, body = "", type = "text/html", location = null, robots } = found;
  return {
    status,
    headers: { "content-type": type, ...(robots === undefined ? {} : { "x-robots-tag": robots }) },
    body: new Uint8Array(),
    isCut: false,
    location,
    text: () => body,
  };
}

let shop: Shop;
beforeAll(async () => {
  shop = await createShop({ fetch });
});
afterAll(() => shop.harness.close());

describe("a page by its HTML", () => {
  it("is read and scored at once", async () => {
    const page = await shop.must("POST", "/pages", {
      url: "https://crumb.example/a",
      html: RYE,
      page_type: "product",
    });
    expect(page).toMatchObject({
      status: "ready",
      meta: { title: "Dark rye | Crumb" },
      latest_score: { total: expect.any(Number) },
    });
    const scores = await shop.must("GET", `/pages/${page.id}/scores`);
    expect(scores).toHaveLength(1);
    expect(scores[0]).toMatchObject({ page_id: page.id, previous_total: null, id: page.latest_score.id });
    expect(await shop.must("GET", `/scores/${page.latest_score.id}`)).toEqual(scores[0]);
  });

  it("gets a new score beside the old one when it is refreshed, and tells of a jump", async () => {
    const page = await shop.must("POST", "/pages", { url: "https://crumb.example/b", html: RYE });
    const first = await shop.must("GET", `/scores/${page.latest_score.id}`);
    const better = RYE.replace(
      "</main>",
      "<h2>How long does it keep?</h2><p>Dark rye keeps for eight days in a paper bag or in a cloth, and it is best from the second day on, when its crumb has set.</p></main>",
    );
    await shop.must("POST", `/pages/${page.id}/refresh`, { html: better });
    const [newest, oldest] = await shop.must("GET", `/pages/${page.id}/scores`);
    expect(oldest).toEqual(first);
    expect(newest).toMatchObject({ previous_total: first.total });
    expect(newest.total).toBeGreaterThanOrEqual(first.total + 5);
    expect(await shop.events()).toContain("answeros.score.changed");
  });

  it("is one page a URL: 409 page_exists", async () => {
    const body = { url: "https://crumb.example/once", html: RYE };
    await shop.must("POST", "/pages", body);
    expect(await shop.refused("POST", "/pages", body)).toEqual([409, "page_exists"]);
  });

  it("is one page a URL when ten requests create it at the same time, by either route", async () => {
    const own = await createShop({ fetch });
    const url = "https://crumb.example/raced";
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        n % 2 === 0 ? own.call("POST", "/pages", { url, html: RYE }) : own.call("POST", "/scores", { url }),
      ),
    );
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    const pages = await own.must("GET", "/pages?limit=100");
    expect(pages.filter((page: { url: string }) => page.url === url)).toHaveLength(1);
    await own.harness.close();
  });

  it("must not be too large: 422 html_too_large", async () => {
    const html = `<p>${"bread ".repeat(50_000)}</p>`;
    expect(await shop.refused("POST", "/pages", { html })).toEqual([422, "html_too_large"]);
    expect(await shop.refused("POST", "/scores", { html })).toEqual([422, "html_too_large"]);
  });

  it("needs something to read", async () => {
    expect((await shop.call("POST", "/pages", {})).status).toBe(422);
    const source = { source: { type: "product", id: "prd_1" } };
    expect((await shop.call("POST", "/pages", source)).status).toBe(422);
    const page = await shop.must("POST", "/pages", { ...source, html: RYE });
    expect(await shop.refused("POST", `/pages/${page.id}/refresh`, {})).toEqual([409, "nothing_to_fetch"]);
    expect(await shop.refused("POST", "/pages", { ...source, html: RYE })).toEqual([409, "page_exists"]);
  });
});

describe("a page by its URL", () => {
  const added = async (path: string) => shop.must("POST", "/pages", { url: `https://crumb.example${path}` });

  it("stays queued where the process ends, or loses the job, while it is fetched", async () => {
    const { id } = await added("/rye");
    const ending = new AbortController();
    const { ports } = shop.harness.services;
    const cut = async ({ url }: OutgoingGet): Promise<FetchedAnswer> => {
      ending.abort();
      throw new OutgoingError("unknown", `GET ${url}: This operation was aborted`);
    };
    await shop.run(fetchPages, { signal: ending.signal, ports: { ...ports, fetch: cut } });
    expect(await shop.must("GET", `/pages/${id}`)).toMatchObject({ status: "queued", error: null });
    await shop.must("DELETE", `/pages/${id}`);
  });

  it("stays queued where the budget of outgoing requests is used up, also before robots.txt", async () => {
    const { id } = await added("/rye");
    const { ports } = shop.harness.services;
    for (const requests of [0, 1]) {
      let left = requests;
      const budgeted = async (request: OutgoingGet): Promise<FetchedAnswer> => {
        if (left === 0) throw new OutgoingError("refused", "No budget.", { renewsAtMs: 0 });
        left -= 1;
        return fetch(request);
      };
      const work = { ports: { ...ports, fetch: budgeted } };
      expect(await shop.run(fetchPages, work)).toEqual({ fetched: 0, failed: 0 });
    }
    expect(await shop.must("GET", `/pages/${id}`)).toMatchObject({ status: "queued", error: null });
    await shop.must("DELETE", `/pages/${id}`);
  });

  it("is fetched by a job, with robots.txt", async () => {
    const queued = await added("/rye");
    expect([queued.status, queued.latest_score]).toEqual(["queued", null]);
    expect(await shop.refused("POST", "/scores", { page_id: queued.id })).toEqual([409, "page_not_read"]);
    expect(await shop.run(fetchPages)).toEqual({ fetched: 1, failed: 0 });
    const page = await shop.must("GET", `/pages/${queued.id}`);
    expect(page.status).toBe("ready");
    const score = await shop.must("GET", `/scores/${page.latest_score.id}`);
    expect(score.checks.find(({ id }: { id: string }) => id === "A3")).toMatchObject({
      points: 3.2,
      status: "ok",
    });
    expect(await shop.run(fetchPages)).toEqual({ fetched: 0, failed: 0 });
  });

  it("is not judged by a part of a rule of a long robots.txt", async () => {
    const robots = SITE["https://crumb.example/robots.txt"] ?? {};
    const rule = "\nDisallow: /private-of-the-shop\n";
    const start = "User-agent: *\n# ";
    const comment = "x".repeat(50_000 - start.length - "\nDisallow: /".length);
    SITE["https://crumb.example/robots.txt"] = { ...robots, body: `${start}${comment}${rule}` };
    SITE["https://crumb.example/long-rules"] = { body: RYE };
    const { id } = await added("/long-rules");
    await shop.run(fetchPages);
    SITE["https://crumb.example/robots.txt"] = robots;
    const { latest_score: latest } = await shop.must("GET", `/pages/${id}`);
    const { checks } = await shop.must("GET", `/scores/${latest.id}`);
    expect(checks.find(({ id: check }: { id: string }) => check === "A3")).toMatchObject({ status: "good" });
  });

  it("forbids crawlers while robots.txt is a server error, as they assume", async () => {
    const robots = SITE["https://crumb.example/robots.txt"] ?? {};
    SITE["https://crumb.example/robots.txt"] = { status: 503 };
    SITE["https://crumb.example/down"] = { body: RYE };
    const { id } = await added("/down");
    await shop.run(fetchPages);
    SITE["https://crumb.example/robots.txt"] = robots;
    const { latest_score: latest } = await shop.must("GET", `/pages/${id}`);
    const { checks } = await shop.must("GET", `/scores/${latest.id}`);
    const access = checks.find(({ id: check }: { id: string }) => check === "A3");
    expect([access.points, access.evidence]).toEqual([0, expect.stringContaining("server error")]);
  });

  it("heeds X-Robots-Tag", async () => {
    const { id } = await added("/hidden");
    await shop.run(fetchPages);
    const { latest_score: latest } = await shop.must("GET", `/pages/${id}`);
    expect(await shop.must("GET", `/scores/${latest.id}`)).toMatchObject({ gate: "noindex", band: "poor" });
  });

  it("follows redirects", async () => {
    const { id } = await added("/moved");
    await shop.run(fetchPages);
    expect((await shop.must("GET", `/pages/${id}`)).status).toBe("ready");
  });

  it.each([
    ["/gone", "http_status"],
    ["/menu.pdf", "not_html"],
    ["/private", "address_refused"],
  ])("%s fails: %s", async (path, code) => {
    const { id } = await added(path);
    expect(await shop.run(fetchPages)).toEqual({ fetched: 0, failed: 1 });
    expect(await shop.must("GET", `/pages/${id}`)).toMatchObject({ status: "failed", error: { code } });
  });

  it.each([
    ["/quotes", { body: `<html><body><p>${'"'.repeat(190_000)}</p></body></html>`, rules: "" }],
    ["/rules", { body: `${RYE}<p>${"a ".repeat(80_000)}</p>`, rules: "語".repeat(40_000) }],
  ])(
    "%s, with more than a document holds, fails once, and the next one is read",
    async (path, { rules, body }) => {
      const robots = SITE["https://crumb.example/robots.txt"] ?? {};
      SITE[`https://crumb.example${path}`] = { body };
      SITE["https://crumb.example/robots.txt"] = { ...robots, body: rules };
      const { id } = await added(path);
      const next = await added(`${path}/next`);
      SITE[`https://crumb.example${path}/next`] = { body: RYE };
      const job = shop.run(fetchPages);
      await expect(job).resolves.toEqual({ fetched: 1, failed: 1 });
      SITE["https://crumb.example/robots.txt"] = robots;
      expect(await shop.must("GET", `/pages/${id}`)).toMatchObject({
        status: "failed",
        error: { code: "too_large" },
      });
      expect((await shop.must("GET", `/pages/${next.id}`)).status).toBe("ready");
    },
  );

  it("that is deleted meanwhile stays deleted", async () => {
    const { id } = await added("/late");
    SITE["https://crumb.example/late"] = { body: RYE };
    await shop.must("DELETE", `/pages/${id}`);
    await shop.run(fetchPages);
    expect((await shop.call("GET", `/pages/${id}`)).status).toBe(404);
  });
});

describe("POST /scores", () => {
  it("works HTML out and keeps nothing", async () => {
    const before = await shop.must("GET", "/scores?limit=100");
    const answer = await shop.must("POST", "/scores", {
      html: RYE,
      page_type: "product",
      questions: ["What is dark rye?"],
    });
    expect(answer).toMatchObject({ kept: false, score_id: null, score: { score_version: 1 } });
    expect(answer.score.checks.find(({ id }: { id: string }) => id === "C4").points).toBe(6);
    expect(await shop.must("GET", "/scores?limit=100")).toEqual(before);
  });

  it("queues a URL once", async () => {
    const body = { url: "https://crumb.example/queued" };
    const first = await shop.must("POST", "/scores", body);
    expect(first).toMatchObject({ page_status: "queued", score: null });
    expect((await shop.must("POST", "/scores", body)).page_id).toBe(first.page_id);
  });

  it("takes exactly one of three", async () => {
    expect((await shop.call("POST", "/scores", {})).status).toBe(422);
    expect((await shop.call("POST", "/scores", { html: RYE, url: "https://crumb.example/x" })).status).toBe(
      422,
    );
    expect((await shop.call("POST", "/scores", { page_id: "pag_none" })).status).toBe(404);
  });
});

describe("lists of scores", () => {
  it("show the newest of each page by total, within bounds", async () => {
    const all = await shop.must("GET", "/scores?latest=true&sort=total&limit=100");
    const totals = all.map(({ total }: { total: number }) => total);
    expect(totals).toEqual(totals.toSorted((a: number, b: number) => a - b));
    expect(new Set(all.map(({ page_id: id }: { page_id: string }) => id)).size).toBe(all.length);
    const middle = totals[1];
    const within = await shop.must(
      "GET",
      `/scores?latest=true&sort=total&min=${middle}&max=${middle}&limit=100`,
    );
    expect(within.length).toBeGreaterThan(0);
    expect(within.every(({ total }: { total: number }) => total === middle)).toBe(true);
  });

  it("are filtered by band and type", async () => {
    const product = await shop.must("GET", "/scores?page_type=product");
    expect(product.every(({ page_type: type }: { page_type: string }) => type === "product")).toBe(true);
    expect(await shop.must("GET", "/scores?latest=true&page_type=product&band=good")).toEqual([]);
    expect((await shop.must("GET", "/scores?band=poor")).length).toBeGreaterThan(0);
  });

  it.each([
    "sort=total",
    "min=3",
    "latest=true&sort=delta&max=3",
    "page_id=pag_1&band=good",
    "latest=true&page_id=pag_1&min=3",
  ])("422 for what no index serves: %s", async (query) =>
    expect((await shop.call("GET", `/scores?${query}`)).status).toBe(422),
  );

  it("order by how far a total fell", async () => {
    const fell = await shop.must("GET", "/scores?latest=true&sort=delta&limit=100");
    const deltas = fell.map((score: { total: number; previous_total: number | null }) =>
      score.previous_total === null ? 0 : score.total - score.previous_total,
    );
    expect(deltas).toEqual(deltas.toSorted((a: number, b: number) => a - b));
  });
});

it("penalises an answer that stands on three pages", async () => {
  const html = (name: string) =>
    `<html><head><script type="application/ld+json">{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Open?","acceptedAnswer":{"@type":"Answer","text":"From seven."}}]}</script></head><body><h1>${name}</h1><p>Open? From seven.</p></body></html>`;
  const penalties = [];
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const page = await shop.must("POST", "/pages", { url: `https://faq.example/${name}`, html: html(name) });
    const score = await shop.must("GET", `/scores/${page.latest_score.id}`);
    penalties.push(score.penalties.map(({ id }: { id: string }) => id));
    ids.push(page.id);
  }
  expect(penalties).toEqual([[], [], ["repeated_answers"]]);
  const [one, two, three] = ids;
  const again = async () => (await shop.must("POST", "/scores", { page_id: three })).score.penalties;
  expect(await again()).toHaveLength(1);
  // Another page that has the answer no more, or is gone, is none on which it stands.
  await shop.must("POST", `/pages/${one}/refresh`, { html: RYE });
  expect(await again()).toEqual([]);
  await shop.must("POST", `/pages/${one}/refresh`, { html: html("one") });
  expect(await again()).toHaveLength(1);
  await shop.must("DELETE", `/pages/${two}`);
  expect(await again()).toEqual([]);
});
