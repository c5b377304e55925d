import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { reExtract, staleAggregates } from "../../../../server/engines/answeros/jobs/re-extract.ts";
import { newRun, runPrompts } from "../../../../server/engines/answeros/jobs/run-prompts.ts";
import { prompts, runs } from "../../../../server/engines/answeros/repository.ts";
import { buildObservation } from "../../../../server/engines/answeros/rules/build-observation.ts";
import { storeObservations } from "../../../../server/engines/answeros/services/ingest.ts";
import { failingAt } from "../../../support/failing-at.ts";
import { A30 } from "../fixture.ts";
import type { Said } from "../fixture.ts";
import { createShop, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

interface Tracked {
  readonly shop: Shop;
  readonly crumb: string;
  readonly loafly: string;
  readonly prompt: string;
}

/** A store of its own with the brands of vector A30 and one prompt. */
async function tracked(): Promise<Tracked> {
  const own = await shopOf(shop.harness, await shop.harness.key());
  const brand = async (name: string, domains: string[], isOwn: boolean) =>
    (await own.must("POST", "/brands", { name, domains, own: isOwn })).id;
  const crumb = await brand("Crumb", ["crumb.example"], true);
  const loafly = await brand("Loafly", ["loafly.example"], false);
  await brand("Bakehaus", [], false);
  const { id: prompt } = await own.must("POST", "/prompts", {
    text: "Where can I buy bread?",
    topic: "bread",
    engines: ["chatgpt"],
  });
  return { shop: own, crumb, loafly, prompt };
}

const observed = (
  prompt: string,
  answers: readonly Said[] = A30,
  at = "2026-05-31T08:00:00.000Z",
  engine = "chatgpt",
) =>
  answers.map(({ text, cites, sentiment }, index) => ({
    prompt_id: prompt,
    engine,
    at,
    sample: index + 1,
    answer_text: text,
    citations: cites.map((url) => ({ url })),
    sentiment,
  }));

async function figures(own: Shop, brand: string, more = "") {
  const data = await own.must("GET", `/visibility?brand_id=${brand}${more}`);
  return { ...data, metrics: data.brands[0].metrics };
}

describe("A30 over the whole pipeline", () => {
  it("gives the vector's figures, whatever the order, and however often it is handed in", async () => {
    const { shop: own, crumb, prompt } = await tracked();
    const observations = observed(prompt);
    const first = await own.must("POST", "/observations", { observations: observations.toReversed() });
    expect([first.created, first.duplicates, first.rejected]).toEqual([5, 0, 0]);
    const again = await own.must("POST", "/observations", {
      observations: [...observations, ...observations],
    });
    expect([again.created, again.duplicates]).toEqual([0, 10]);
    const { answers, metrics, extraction } = await figures(own, crumb);
    expect(answers).toBe(5);
    expect(extraction.is_current).toBe(true);
    const values = Object.fromEntries(
      Object.entries(metrics).map(([name, metric]) => [name, (metric as { value: number | null }).value]),
    );
    expect(values).toMatchObject({
      visibility: 0.6,
      sov_answers: 0.75,
      sov_mentions: 0.363636,
      citation_rate: 0.25,
      citation_rate_all: 0.2,
      citation_share: 0.166667,
      avg_position: 1.333333,
      first_mention_rate: 0.4,
      sentiment: 50,
    });
    expect(metrics.visibility).toMatchObject({
      numerator: 3,
      denominator: 5,
      ci95: { lower: expect.closeTo(0.2307, 4), upper: expect.closeTo(0.8824, 4) },
      low_confidence: true,
    });
  });
});

describe("observations", () => {
  it("are read out with the brands of now, and can be looked up", async () => {
    const { shop: own, crumb, prompt } = await tracked();
    const text = "Crumb bakes daily [1]. Others ship [2].";
    const cites = ["https://www.crumb.example/?utm_source=chatgpt.com", "https://guide.example/x"];
    const { items } = await own.must("POST", "/observations", {
      observations: observed(prompt, [{ text, cites, sentiment: null }]),
    });
    const one = await own.must("GET", `/observations/${items[0].id}`);
    expect(one).toMatchObject({
      origin: "import",
      topic: "bread",
      citations: [
        { n: 1, url: "https://www.crumb.example/", domain: "crumb.example", position: 1 },
        { n: 2 },
      ],
      mentions: [{ brand_id: crumb, first_offset: 0, count: 1, order: 1 }],
      pawc_variant: "paper",
    });
    expect(one.pawc["crumb.example"]).toBeGreaterThan(one.pawc["guide.example"]);
    const [code] = await own.must("GET", `/observations?prompt_id=${prompt}&pawc_variant=code`);
    expect(code.pawc_variant).toBe("code");
    expect(code.pawc["crumb.example"]).not.toBe(one.pawc["crumb.example"]);
    expect(await own.must("GET", "/observations?engine=perplexity")).toEqual([]);
    expect((await own.call("GET", `/observations?engine=x&prompt_id=${prompt}`)).status).toBe(422);
  });

  it("come as CSV; rows that cannot be read are told and the others are kept", async () => {
    const { shop: own, prompt } = await tracked();
    const csv = [
      "prompt_id,engine,at,answer_text,citations",
      `${prompt},chatgpt,2026-05-31T08:00:00Z,"Crumb, of course.",https://crumb.example/`,
      `${prompt},chatgpt,someday,Crumb.,`,
      "prm_none,chatgpt,2026-05-31T08:00:00Z,Crumb.,",
    ].join("\n");
    const result = await own.must("POST", "/observations/imports", { csv });
    expect(result).toEqual({
      created: 1,
      duplicates: 0,
      rejected: 2,
      items: [
        { index: 1, id: null, outcome: "rejected", detail: "at is invalid." },
        { index: 2, id: null, outcome: "rejected", detail: "prompt_id: no prompt with this id." },
      ],
    });
    expect((await own.must("POST", "/observations/imports", { csv })).duplicates).toBe(1);
    expect(await own.refused("POST", "/observations/imports", { csv: 'a,"b' })).toEqual([422, "bad_csv"]);
  });

  it("are about prompts that are there", async () => {
    const answer = await shop.call("POST", "/observations", { observations: observed("prm_none") });
    expect(answer.status).toBe(422);
    expect(answer.json.error.errors[0].pointer).toBe("#/observations/0/prompt_id");
  });

  it("are two hundred at most of a prompt, an engine and a day", async () => {
    const { shop: own, prompt } = await tracked();
    const many = Array.from({ length: 203 }, (_, index) => ({
      text: `Crumb ${index}.`,
      cites: [],
      sentiment: null,
    }));
    const result = await own.must("POST", "/observations", { observations: observed(prompt, many) });
    expect([result.created, result.rejected]).toEqual([200, 3]);
  });
});

describe("figures", () => {
  it("are counted again when brands change", async () => {
    const { shop: own, crumb, prompt } = await tracked();
    await own.must("POST", "/observations", { observations: observed(prompt) });
    await own.must("PATCH", `/brands/${crumb}`, { aliases: ["your street"] });
    expect((await figures(own, crumb)).extraction.is_current).toBe(false);
    expect(await own.run(reExtract)).toEqual({ made: 2 });
    const after = await figures(own, crumb);
    expect(after.extraction.is_current).toBe(true);
    // The fourth answer says "Ask in your street."
    expect(after.metrics.visibility).toMatchObject({ numerator: 4, denominator: 5 });
    expect(await own.run(reExtract)).toEqual({ made: 0 });
  });

  it("are counted again for the others where those of one prompt cannot be", async () => {
    const { shop: own, crumb, prompt } = await tracked();
    const other = await own.must("POST", "/prompts", {
      text: "Where can I buy cake?",
      topic: "cake",
      engines: ["chatgpt"],
    });
    for (const id of [prompt, other.id])
      await own.must("POST", "/observations", { observations: observed(id) });
    await own.must("PATCH", `/brands/${crumb}`, { aliases: ["your street"] });
    const { runTx } = own.harness.services;
    const stale = await runTx(own.part, (tx) => staleAggregates(tx, "prompt", 10));
    const [broken = ""] = stale;
    const made = await own.run({
      ...reExtract,
      run: (work) => reExtract.run({ ...work, runTx: failingAt(runTx, broken) }),
    });
    expect([stale.length, made]).toEqual([2, { made: 2 }]);
    expect(await runTx(own.part, (tx) => staleAggregates(tx, "prompt", 10))).toEqual([broken]);
    expect(await own.run(reExtract)).toEqual({ made: 2 });
    expect((await figures(own, crumb)).metrics.visibility).toMatchObject({ numerator: 8, denominator: 10 });
  });

  it("never join two texts of a prompt", async () => {
    const { shop: own, crumb, prompt } = await tracked();
    await own.must("POST", "/observations", { observations: observed(prompt) });
    const changed = await own.must("PATCH", `/prompts/${prompt}`, { text: "Where can I buy good bread?" });
    expect(changed.prompt_version).toBe(2);
    expect((await own.must("PATCH", `/prompts/${prompt}`, { topic: "bread" })).prompt_version).toBe(2);
    await own.must("POST", "/observations", { observations: observed(prompt, A30.slice(1, 2)) });
    expect((await figures(own, crumb, `&prompt_id=${prompt}`)).answers).toBe(1);
    expect((await figures(own, crumb, `&prompt_id=${prompt}&prompt_version=1`)).answers).toBe(5);
    const rows = await own.must("GET", "/citations?group_by=prompt");
    expect(rows.map((row: { prompt_version: number }) => row.prompt_version).toSorted()).toEqual([1, 2]);
  });

  it("are of the days that are asked for, compared with those before", async () => {
    const { shop: own, crumb, prompt } = await tracked();
    await own.must("POST", "/observations", {
      observations: observed(prompt, A30, "2026-05-31T23:59:59.999Z"),
    });
    await own.must("POST", "/observations", {
      observations: observed(prompt, A30.slice(0, 2), "2026-05-30T00:00:00.000Z"),
    });
    const day = await figures(own, crumb, "&from=2026-05-31&to=2026-05-31&compare=previous");
    expect([day.answers, day.previous]).toEqual([5, { from: "2026-05-30", to: "2026-05-30", answers: 2 }]);
    expect(day.brands[0].previous.visibility).toMatchObject({ numerator: 2, denominator: 2, value: 1 });
    const none = await figures(own, crumb, "&from=2026-05-01&to=2026-05-02");
    expect(none.metrics.visibility).toMatchObject({ value: null, ci95: null, numerator: 0, denominator: 0 });
    expect((await own.call("GET", "/visibility?from=2026-01-01&to=2026-05-01")).status).toBe(422);
    expect((await own.call("GET", "/visibility?from=2026-05-02&to=2026-05-01")).status).toBe(422);
  });

  it("are by engine and topic, by one definition of share of voice", async () => {
    const { shop: own, crumb, prompt } = await tracked();
    await own.must("POST", "/observations", { observations: observed(prompt) });
    await own.must("POST", "/observations", {
      observations: observed(prompt, A30.slice(0, 1), "2026-05-31T08:00:00.000Z", "perplexity"),
    });
    expect((await figures(own, crumb, "&engine=perplexity")).answers).toBe(1);
    expect((await figures(own, crumb, "&topic=bread")).answers).toBe(6);
    expect((await figures(own, crumb, "&topic=cakes")).answers).toBe(0);
    const { metrics } = await figures(own, crumb, "&definition=mentions");
    expect([metrics.sov_mentions?.denominator, metrics.sov_answers]).toEqual([15, undefined]);
  });
});

describe("citations and gaps", () => {
  it("are listed, own domains marked", async () => {
    const { shop: own, prompt } = await tracked();
    await own.must("POST", "/observations", { observations: observed(prompt) });
    const rows = await own.must("GET", "/citations");
    expect(
      rows.map((row: { domain: string; answers: number; own: boolean }) => [
        row.domain,
        row.answers,
        row.own,
      ]),
    ).toEqual([
      ["guide.example", 3, false],
      ["loafly.example", 2, false],
      ["crumb.example", 1, true],
    ]);
    const urls = await own.must("GET", "/citations?group_by=url&domain=guide.example");
    expect(urls).toMatchObject([{ url: "https://guide.example/b", answers: 3, of_answers: 5 }]);
  });

  it("show where competitors are cited and the shop is not", async () => {
    const { shop: own, prompt, loafly } = await tracked();
    await own.must("POST", "/observations", {
      observations: observed(
        prompt,
        A30.filter((_, index) => index !== 1),
      ),
    });
    expect(await own.must("GET", "/gaps")).toMatchObject([
      {
        prompt_id: prompt,
        text: "Where can I buy bread?",
        opportunity: 0.5,
        competitors: [{ brand_id: loafly, name: "Loafly" }],
      },
    ]);
    await own.must("POST", "/observations", { observations: observed(prompt) });
    expect(await own.must("GET", "/gaps")).toEqual([]);
  });

  it("are told when they are gained and when they are lost", async () => {
    const { shop: own, prompt } = await tracked();
    const at = (day: number) => `2026-05-2${day}T08:00:00.000Z`;
    const send = (day: number, answers: readonly Said[]) =>
      own.must("POST", "/observations", { observations: observed(prompt, answers, at(day)) });
    await send(1, A30.slice(1, 2));
    await send(2, A30.slice(2, 4));
    expect(await own.events()).toEqual(["answeros.citation.gained"]);
    await send(3, A30.slice(4, 5));
    expect(await own.events()).toEqual(["answeros.citation.gained", "answeros.citation.lost"]);
  });
});

describe("brands", () => {
  it("have names of their own: 409 name_taken", async () => {
    const { shop: own } = await tracked();
    const body = { name: "Other", aliases: ["LOAFLY"] };
    expect(await own.refused("POST", "/brands", body)).toEqual([409, "name_taken"]);
  });

  it("are fifty at most: 409 limit_reached", async () => {
    const { shop: own } = await tracked();
    for (let count = 3; count < 50; count += 1) await own.must("POST", "/brands", { name: `Brand ${count}` });
    expect(await own.refused("POST", "/brands", { name: "One more" })).toEqual([409, "limit_reached"]);
  });
});

describe("visibility over time", () => {
  it("has a point per week with its interval, and null where there are no answers", async () => {
    const { shop: own, crumb, loafly, prompt } = await tracked();
    await own.must("POST", "/observations", {
      observations: [
        ...observed(prompt, A30.slice(0, 2), "2026-05-13T08:00:00.000Z"),
        ...observed(prompt, A30, "2026-05-31T08:00:00.000Z"),
      ],
    });
    const series = await own.must("GET", "/visibility/series?from=2026-05-13&to=2026-06-01");
    expect(series.brands.map((brand: { brand_id: string }) => brand.brand_id).slice(0, 1)).toEqual([crumb]);
    expect(
      series.points.map((point: { from: string; to: string; answers: number }) => [
        point.from,
        point.to,
        point.answers,
      ]),
    ).toEqual([
      ["2026-05-13", "2026-05-17", 2],
      ["2026-05-18", "2026-05-24", 0],
      ["2026-05-25", "2026-05-31", 5],
      ["2026-06-01", "2026-06-01", 0],
    ]);
    const [, empty, full] = series.points;
    expect(empty.brands[0].metric).toMatchObject({ value: null, ci95: null });
    // The same figure as that of the period, which vector A30 gives.
    const whole = await own.must("GET", `/visibility?from=2026-05-25&to=2026-05-31&brand_id=${crumb}`);
    const { definition, ...visibility } = whole.brands[0].metrics.visibility;
    expect(full.brands[0]).toEqual({ brand_id: crumb, metric: visibility });
    expect(series.definition).toBe(definition);
    const one = await own.must(
      "GET",
      `/visibility/series?from=2026-05-31&to=2026-05-31&interval=day&metric=citation_rate&brand_id=${loafly}`,
    );
    expect(one.points).toHaveLength(1);
    expect(one.points[0].brands).toHaveLength(1);
    expect((await own.call("GET", "/visibility/series?brand_id=brd_none")).status).toBe(422);
    // The day after the last of four digits compares as an earlier one: its points had no end, in one turn.
    for (const to of ["9999-12-31", "1899-12-31"])
      expect((await own.call("GET", `/visibility/series?to=${to}`)).status).toBe(422);
  });
});

describe("the builtin engine", () => {
  it("answers a prompt out of approved answers, three samples, without a network", async () => {
    const { shop: own, crumb } = await tracked();
    const { id } = await own.must("POST", "/questions", {
      text: "How long does sourdough keep?",
      answer: {
        text: "Sourdough of Crumb keeps for four days.",
        sources: [{ title: "Crumb", url: "https://crumb.example/keeping" }],
      },
    });
    await own.must("POST", `/questions/${id}/approve`);
    const prompt = await own.must("POST", "/prompts", {
      text: "How long does sourdough keep?",
      cadence: "weekly",
    });
    expect(await own.run(runPrompts)).toEqual({ queued: 1, done: 1, failed: 0 });
    expect(await own.run(runPrompts)).toEqual({ queued: 0, done: 0, failed: 0 });
    const [run] = await own.must("GET", `/runs?prompt_id=${prompt.id}`);
    expect(run).toMatchObject({ status: "done", engine: "builtin", samples: 3, done: 3 });
    expect(await own.must("GET", `/runs/${run.id}`)).toEqual(run);
    const seen = await own.must("GET", `/observations?prompt_id=${prompt.id}`);
    expect(seen).toHaveLength(3);
    expect(seen[0]).toMatchObject({
      origin: "run",
      run_id: run.id,
      answer_text: "Sourdough of Crumb keeps for four days [1].",
      citations: [{ domain: "crumb.example" }],
      mentions: [{ brand_id: crumb }],
    });
    expect((await figures(own, crumb, "&engine=builtin")).metrics.citation_rate).toMatchObject({
      value: 1,
      denominator: 3,
    });
    // Its answers are the store's own: they count only where they are asked for.
    expect((await figures(own, crumb)).answers).toBe(0);
    expect(await own.must("GET", "/citations")).toEqual([]);
    await own.must("POST", "/observations", { observations: observed(prompt.id, A30.slice(0, 2)) });
    const answers = async (filter: string) => (await figures(own, crumb, filter)).answers;
    expect(await answers("")).toBe(2);
    expect(await answers("&engine=all")).toBe(5);
    expect(await answers("&engine=all&exclude_engine=chatgpt")).toBe(3);
    expect(await answers("&engine=chatgpt,perplexity")).toBe(2);
    expect(await answers("&exclude_engine=chatgpt")).toBe(0);
    expect((await own.must("GET", "/citations?engine=all")).length).toBeGreaterThan(0);
    expect((await own.call("GET", "/visibility?engine=Chat%20GPT")).status).toBe(422);
    const next = await own.must("GET", `/prompts/${prompt.id}`);
    expect(next.next_run_at).toBe("2026-06-08T09:00:00.000Z");
  });

  it("says so where no approved answer fits", async () => {
    const { shop: own } = await tracked();
    const prompt = await own.must("POST", "/prompts", { text: "Do you repair bicycles?" });
    const { runs } = await own.must("POST", `/prompts/${prompt.id}/runs`, { samples: 4 });
    expect(runs).toMatchObject([{ engine: "builtin", samples: 4, status: "queued" }]);
    await own.run(runPrompts);
    const seen = await own.must("GET", `/observations?prompt_id=${prompt.id}`);
    expect(seen.map((one: { answer_text: string }) => one.answer_text)).toEqual(
      Array.from({ length: 4 }, () => "No approved answer matches."),
    );
  });

  it("is told apart from a provider that is not there: the run fails and says why", async () => {
    const { shop: own, prompt } = await tracked();
    const { value } = await own.harness.services.runTx(own.part, (tx) => tx.require(prompts, prompt));
    const run = newRun(
      value,
      { engine: "oracle", samples: 3, model: null },
      { nowAt: value.created_at, newId: own.harness.services.newId },
    );
    await own.harness.services.runTx(own.part, async (tx) => tx.create(runs, run));
    // A process that ends breaks its calls off, which is no failure of a run.
    const ended = { signal: AbortSignal.abort() };
    expect(await own.run(runPrompts, ended)).toEqual({ queued: 0, done: 0, failed: 0 });
    expect(await own.run(runPrompts)).toEqual({ queued: 0, done: 0, failed: 1 });
    expect(await own.must("GET", `/runs/${run.id}`)).toMatchObject({
      status: "failed",
      attempts: 1,
      done: 0,
    });
    expect(await own.events()).toEqual(["answeros.run.failed"]);
    expect(await own.must("GET", "/observations")).toEqual([]);
  });

  it("is asked only of active prompts, and of engines that can be asked", async () => {
    const { shop: own, prompt } = await tracked();
    expect(await own.refused("POST", `/prompts/${prompt}/runs`, {})).toEqual([422, "engine_not_askable"]);
    const foreign = { engines: ["chatgpt"] };
    expect(await own.refused("POST", `/prompts/${prompt}/runs`, foreign)).toEqual([
      422,
      "engine_not_askable",
    ]);
    await own.must("PATCH", `/prompts/${prompt}`, { active: false });
    expect(await own.refused("POST", `/prompts/${prompt}/runs`, {})).toEqual([409, "prompt_inactive"]);
    expect((await own.call("POST", `/prompts/${prompt}/runs`, { samples: 2 })).status).toBe(422);
  });
});

it("tells other engines how well a text lends itself to being quoted", async () => {
  const { ports, runTx } = shop.harness.services;
  const text = {
    id: "drf_1",
    kind: "draft" as const,
    revision: 1,
    title: "Dark rye",
    seo_title: null,
    description: null,
    focus_keyphrase: null,
    locale: "en-GB",
    body_format: "markdown" as const,
    body: "Dark rye is a dense loaf of 900 g. It costs £5.20.",
    url: null,
    canonical_url: null,
    robots: { noindex: false, nosnippet: false, max_snippet: null },
    published_at: null,
    updated_at: "2026-06-01T09:00:00.000Z",
  };
  const now = Date.parse("2026-06-01T09:00:00.000Z");
  const of = (change: object) =>
    runTx(shop.part, (tx) => ports.engines.aeoOf(tx, { ...text, ...change }, { now }));
  const total = await of({});
  expect(total).toBeGreaterThan(20);
  expect(await of({ robots: { ...text.robots, noindex: true } })).toBe(20);
  expect(await of({ updated_at: "2024-06-01T09:00:00.000Z" })).toBeLessThan(total ?? 0);
});

it("an answer can cite a host with the name of a member of every object", async () => {
  const { prompt, shop: own } = await tracked();
  const cites = ["https://crumb.example/", "https://constructor/"];
  const observations = observed(prompt, [{ text: "Crumb bakes bread [1].", cites, sentiment: null }]);
  expect((await own.must("POST", "/observations", { observations })).created).toBe(1);
  const { items } = await own.must("POST", "/observations", { observations });
  expect(items).toHaveLength(1);
});

it("counts an answer with the brands that are stored when it is, also where one changes in between", async () => {
  const { shop: own, crumb, prompt } = await tracked();
  const { runTx, newId } = own.harness.services;
  const [said] = A30;
  const observation = buildObservation(
    {
      prompt_id: prompt,
      prompt_version: 1,
      topic: "bread",
      locale: "en-GB",
      engine: "chatgpt",
      model: null,
      origin: "import",
      run_id: null,
      sample: 1,
      at: "2026-05-31T08:00:00.000Z",
      answer_text: said?.text.replace("Crumb", "Krume") ?? "",
      citations: [],
      sentiment: null,
    },
    "2026-06-01T09:00:00.000Z",
  );
  let isFirst = true;
  await runTx(own.part, async (tx) => {
    const peekAll: typeof tx.peekAll = async (...query) => {
      const all = await tx.peekAll(...query);
      if (isFirst) {
        isFirst = false;
        await own.must("PATCH", `/brands/${crumb}`, { aliases: ["Krume"] });
      }
      return all;
    };
    const moment = { nowAt: "2026-06-01T09:00:00.000Z", newId };
    return storeObservations({ ...tx, peekAll }, [observation], moment);
  });
  await own.run(reExtract);
  expect((await figures(own, crumb)).metrics.visibility).toMatchObject({ numerator: 1, denominator: 1 });
});

it("counts citations of a brand whose domain is written with www", async () => {
  const { shop: own, prompt } = await tracked();
  const { id, domains } = await own.must("POST", "/brands", {
    name: "Ovenly",
    domains: ["WWW.ovenly.example"],
  });
  expect(domains).toEqual(["ovenly.example"]);
  const said = { text: "Try them [1].", cites: ["https://www.ovenly.example/menu"], sentiment: null };
  await own.must("POST", "/observations", { observations: observed(prompt, [said]) });
  expect((await figures(own, id)).metrics.citation_rate).toMatchObject({ numerator: 1, denominator: 1 });
  const cited = await own.must("GET", "/citations?domain=www.ovenly.example");
  expect(cited).toMatchObject([{ domain: "ovenly.example", answers: 1 }]);
});

it("fails a run whose answers no longer fit into the day, and counts those that do", async () => {
  const { shop: own } = await tracked();
  const prompt = await own.must("POST", "/prompts", { text: "Do you repair bicycles?" });
  const at = own.harness.clock.now();
  const said = { text: "No.", cites: [], sentiment: null };
  const many = Array.from({ length: 198 }, () => said);
  const observations = observed(prompt.id, many, new Date(at).toISOString(), "builtin");
  await own.must("POST", "/observations", { observations });
  const run = async () => {
    const { runs } = await own.must("POST", `/prompts/${prompt.id}/runs`, {});
    await own.run(runPrompts);
    return own.must("GET", `/runs/${runs[0].id}`);
  };
  expect(await run()).toMatchObject({ status: "done", done: 2 });
  expect(await run()).toMatchObject({ status: "failed", done: 0, error: { code: "day_full" } });
});
