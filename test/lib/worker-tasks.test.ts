import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DEFAULT_SETTINGS } from "../../server/engines/content/repository.ts";
import { samplePost } from "../engines/content/samples.ts";
import { checkClaims, lockedIn, writeBuiltin } from "../../server/ai/tasks.ts";
import {
  readLog,
  readAnswers,
  readObservationCsv,
} from "../../server/engines/answeros/services/import-tasks.ts";
import * as pages from "../../server/engines/answeros/services/page-tasks.ts";
import { evaluateCart } from "../../server/engines/cart/services/evaluation-tasks.ts";
import { countCalendar, explainCalendar } from "../../server/engines/catering/services/calendar-tasks.ts";
import { detectType, redrawImage, toPhoto } from "../../server/core/image-tasks.ts";
import { blockedDate } from "../engines/delivery/fixture.ts";
import { everything, lineOf, offerOf, questionOf } from "../engines/cart/make.ts";
import { PNG } from "../engines/forms/files.ts";
import { readInThread } from "../../server/engines/menus/services/read-document.ts";
import * as texts from "../../server/engines/content/services/text-tasks.ts";
import { readImportRows } from "../../server/engines/reviews/services/read-rows.ts";
import { memberId } from "../../server/engines/tiers/repository.ts";
import { Recalculation } from "../../server/engines/tiers/schema/recalculation.ts";
import { newMember } from "../../server/engines/tiers/services/members.ts";
import { planInThread } from "../../server/engines/tiers/services/plan-members.ts";
import { factsOf } from "../../server/engines/tiers/rules/facts.ts";
import { replayEvents, replayHistories } from "../../server/engines/tiers/services/replay-tasks.ts";
import { checkEntry, expandRules } from "../../server/engines/delivery/services/recurrence-tasks.ts";
import { addDays } from "../../server/lib/local-time.ts";
import { mapOf, order, rulesOf } from "../engines/tiers/fixture.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { renderSafeHtml } from "../../server/lib/text/tasks.ts";
import { outlineLines, writeDocuments, writeRows } from "../../server/operations/privacy/archive-tasks.ts";
import {
  addTaskCustomers,
  onWorkerTaskEnd,
  queuedTasks,
  runWorkerTask,
  THREADS,
} from "../../server/lib/worker-tasks.ts";
import type { WorkerTask } from "../../server/lib/worker-tasks.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
/** Longer than what is processed inline. */
const PROSE = "Our rye loaf is baked every morning. It contains rye and wheat. ".repeat(60);
const body = `# What is rye bread?\n\n${PROSE}\n\n- one\n- two\n`;
const html = `<html lang="en"><head><title>Rye</title></head><body><main><h1>Rye loaf</h1><p>${PROSE}</p></main></body></html>`;
const source = { html, url: "https://crumb.example/rye", locale: "en-GB", x_robots_tag: null };
const robots = { noindex: false, nosnippet: false, max_snippet: null };
const text = {
  title: "Rye",
  seo_title: null,
  description: null,
  locale: "en-GB",
  body_format: "markdown",
  body,
  canonical_url: null,
  robots,
  updated_at: "2026-06-01T09:00:00.000Z",
} as const;
const content = {
  title: "Rye",
  slug: "rye",
  locale: "en-GB",
  excerpt: "",
  body,
  body_format: "markdown",
  author: null,
  tags: [],
  category: null,
  cover: null,
  kind: "post",
  cornerstone: false,
  seo: {
    title: null,
    description: null,
    canonical_url: null,
    focus_keyphrase: null,
    secondary_keyphrases: [],
    robots,
    og: { title: null, description: null, image_url: null },
    schema_type: "BlogPosting",
  },
} as const;
const input = { text: body, locale: "en", ops: ["drop_filler"], count: 3 } as const;
const context = {
  url: source.url,
  page_type: "product",
  entity: null,
  questions: [],
  robots_txt: "",
  now: NOW,
} as const;

const event = (day: number) =>
  `BEGIN:VEVENT\nUID:${day}\nDTSTART:202606${String(day).padStart(2, "0")}T120000Z\nSUMMARY:Lunch\nATTENDEE;PARTSTAT=ACCEPTED:mailto:ada@office.example\nEND:VEVENT`;
const calendar = {
  ics: [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    ...Array.from({ length: 20 }, (_, day) => event(day + 1)),
    "END:VCALENDAR",
  ].join("\n"),
  span: { from: "2026-06-01", to: "2026-06-30", timezone: "Europe/London" },
  counting: {
    match: { category: null, summary_contains: null, uid: null },
    mode: "attendees",
    weights: { accepted: 1, tentative: 0, needs_action: 0 },
  },
};

const recalculation = Recalculation.parse({
  id: "trc_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  status: "ready",
  mode: "dry_run",
  as_of: "2026-06-01",
  scope: { level_id: null },
  placement: "hold",
  programme_id: "tpg_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  programme_version: 1,
  draft: false,
  levels: [
    { level_id: "lvl_friend", before: 20, after: 19 },
    { level_id: "lvl_gold", before: 20, after: 21 },
  ],
  discounts: { currency: "GBP", before: 0, after: 0 },
  progress: { done: 40, total: 40, cursor: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  counts: { up: 1, down: 0, same: 39, errors: 0, written: 0, skipped: 0 },
  moves_sample: [
    { customer_id: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V0", from: "lvl_friend", to: "lvl_gold", kind: "upgraded" },
  ],
  guard: { exceeded: false, down: 0, members: 40 },
  rfm: null,
  applied_at: null,
  rollback_until: null,
});
const tierContext = {
  programme_id: recalculation.programme_id,
  programme_version: 1,
  rules: rulesOf(),
  cuts: null,
  nowAt: recalculation.created_at,
};

const tierOrders = Array.from({ length: 400 }, (_, n) => order(addDays("2025-01-01", n), 5_000));

/** A call of each task with an input that is long enough for a thread. */
const EXPORTED = Array.from(
  { length: 20 },
  (_, n) =>
    `${JSON.stringify({ part: "sto_a", collection: "forms.submissions", document: { n, text: PROSE } })}\n`,
).join("");

const CALLS: Readonly<Record<string, readonly [WorkerTask<never, unknown>, unknown]>> = {
  "ai.builtin": [writeBuiltin, { operation: "rewrite", input }],
  "ai.claims": [checkClaims, { operation: "rewrite", input, written: { text: `${PROSE} It costs £4.` } }],
  "ai.locked": [lockedIn, input],
  "answeros.answers": [
    readAnswers,
    {
      answers: [{ answer_text: PROSE, citations: [], sentiment: null, locale: "en" }],
      brands: [{ id: "brd_1", name: "Rye", aliases: [], domains: [] }],
    },
  ],
  "answeros.csv": [
    readObservationCsv,
    `prompt_id,answer_text\n${`prm_1,${"word ".repeat(20)}\n`.repeat(20)}`,
  ],
  "answeros.lint": [pages.lintSiteFile, { name: "llms.txt", content: body }],
  "answeros.log": [
    readLog,
    {
      format: "combined",
      log: '192.0.2.7 - - [01/Jun/2026:06:12:01 +0000] "GET /rye HTTP/1.1" 200 5 "-" "GPTBot/1.2"\n'.repeat(
        20,
      ),
    },
  ],
  "answeros.main-html": [pages.mainHtmlOf, source],
  "answeros.main-markdown": [pages.mainMarkdownOf, source],
  "answeros.markup": [
    pages.judgeMarkups,
    { jsonld: [{ "@type": "Product", name: "Oat loaf" }], page: source },
  ],
  "answeros.markup-draft": [
    pages.draftMarkup,
    {
      type: "Product",
      page: source,
      about: { url: source.url, entity: null, questions: [], date_published: null, date_modified: null },
    },
  ],
  "answeros.questions": [pages.suggestFor, { page: source, entity: "rye", existing: [], count: 3 }],
  "answeros.rewrite": [
    pages.compareRewrite,
    { before: body, after: `${body} More.`, format: "markdown", locale: "en", question: null, now: NOW },
  ],
  "answeros.score": [pages.scoreSource, { source, context }],
  "answeros.slim": [pages.slimPage, html],
  "answeros.text-html": [pages.renderText, text],
  "answeros.text-score": [pages.scoreJudgedText, { text, now: NOW }],
  "cart.evaluation": [
    evaluateCart,
    questionOf(
      Array.from({ length: 500 }, (_, at) => lineOf(`line-${at}`, 100 + at)),
      {
        offers: [
          offerOf("ofr_1", {
            class: "product",
            filter: everything,
            value: { kind: "percent_off", value: 1_000 },
          }),
        ],
      },
    ),
  ],
  "catering.calendar": [countCalendar, calendar],
  "catering.calendar-preview": [explainCalendar, calendar],
  "content.ai-share": [texts.shareOfAi, { body, hashes: ["0000000000000000"] }],
  "content.csv": [texts.readArticleCsv, `url,title\n${"https://crumb.example/rye,Rye\n".repeat(50)}`],
  "content.diff": [texts.compareContents, { from: content, to: { ...content, body: `${body} More.` } }],
  "content.feed": [
    texts.writeFeedText,
    {
      format: "rss",
      about: { settings: DEFAULT_SETTINGS, feedUrl: "https://crumb.example/feed", updatedAt: 0 },
      entries: [{ post: samplePost, body: `"html":"${"<p>Rye</p>".repeat(200)}"}` }],
    },
  ],
  "content.new-paragraphs": [texts.hashNew, { before: body, after: `${body}\n\nMore.` }],
  "content.page": [
    texts.readForInspection,
    {
      html,
      status: 200,
      url: source.url,
      locale: "en",
      keyphrase: "rye loaf",
      robotsHeader: undefined,
      robotsTxt: {
        url: "https://crumb.example/robots.txt",
        status: 200,
        text: "User-agent: *\nDisallow: /private\n",
      },
    },
  ],
  "content.score": [
    texts.readForScore,
    {
      body,
      format: "markdown",
      locale: "en",
      url: source.url,
      seoTitle: "Rye",
      description: "",
      slug: "rye",
      kind: "post",
      cornerstone: false,
      keyphrase: "rye loaf",
      robots,
      canonical: null,
    },
  ],
  "content.sitemap": [
    texts.readSitemapText,
    `<urlset>${"<url><loc>https://crumb.example/rye</loc></url>".repeat(40)}</urlset>`,
  ],
  "content.words": [texts.countWords, content],
  "delivery.blocked-date": [checkEntry, blockedDate({ from: "2026-06-01", rrule: "FREQ=YEARLY;COUNT=9000" })],
  "delivery.recurrences": [
    expandRules,
    Array.from({ length: 20 }, (_, n) => ({
      rrule: `FREQ=DAILY;COUNT=${n + 1}`,
      anchor: "2026-06-01",
      start: "2026-06-01",
      end: "2026-08-31",
    })),
  ],
  "images.photo": [toPhoto, { bytes: new Uint8Array(PNG), bytesMax: 1_000 }],
  "images.redraw": [redrawImage, new Uint8Array(PNG)],
  "images.type": [detectType, new Uint8Array(PNG)],
  "menus.document": [
    readInThread,
    {
      format: "square",
      text: JSON.stringify({
        objects: Array.from({ length: 30 }, (_, n) => ({
          type: "CATEGORY",
          id: `c${n}`,
          category_data: { name: "Breads" },
        })),
      }),
      options: { locale: "en", currency: "GBP" },
    },
  ],
  "privacy.documents": [writeDocuments, { text: EXPORTED, name: "live/forms.submissions" }],
  "privacy.outline": [outlineLines, EXPORTED],
  "privacy.rows": [
    writeRows,
    {
      text: EXPORTED,
      name: "live/forms.submissions",
      columns: ["n", "text"],
      hasMore: false,
      hasHeader: true,
    },
  ],
  "reviews.rows": [
    readImportRows,
    { text: `product,rating,body\n${"oat-bar,5,Lovely\n".repeat(80)}`, format: "csv", mapping: {} },
  ],
  "tiers.history": [
    replayHistories,
    { rules: rulesOf(), asOf: "2026-06-01", facts: factsOf(mapOf(tierOrders), rulesOf()), before: null },
  ],
  "tiers.members": [
    planInThread,
    {
      part: "sto_a",
      job: recalculation,
      context: tierContext,
      before: tierContext.rules,
      rows: Array.from({ length: 30 }, (_, n) => {
        const { id, ...rest } = newMember(memberId(`c${n}`), `c${n}`, recalculation.created_at);
        const member = { id, version: 1, members: JSON.stringify({ id, ...rest }).slice(1) };
        return { id, member, shown: null, diff: null };
      }),
      shop: null,
    },
  ],
  "tiers.simulation": [
    replayEvents,
    { rules: rulesOf(), events: tierOrders, asOf: "2026-06-01", current: null },
  ],
  "text.safe-html": [renderSafeHtml, { body, format: "markdown" }],
};

describe("worker tasks", () => {
  it("are all called here", () => {
    const root = new URL("../../server/", import.meta.url).pathname;
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const declared = files.flatMap((name) =>
      [...readFileSync(join(root, name), "utf8").matchAll(/defineWorkerTask\(\{\s*id: "([^"]+)"/g)].map(
        ([, id]) => id,
      ),
    );
    expect(new Set(declared)).toEqual(new Set(Object.keys(CALLS)));
  });

  it.each(Object.entries(CALLS))("%s gives in a thread what it gives inline", async (id, [task, given]) => {
    const ended: string[] = [];
    const stop = onWorkerTaskEnd(({ task: name }) => void ended.push(name));
    const run = task as WorkerTask<unknown, unknown>;
    const result = await run("test", given);
    stop();
    expect(ended).toEqual([id]);
    expect({ value: result }).toEqual(await runWorkerTask({ id, input: given }));
  });

  it("refuse in a thread as they refuse inline", async () => {
    await expect(
      renderSafeHtml("test", { body: "!".repeat(5_000), format: "markdown" }),
    ).rejects.toMatchObject({
      type: "unprocessable_content",
      detail: "The text contains too many marks without a space between them.",
      options: { code: "text_too_complex" },
    });
    const log = { format: "csv", log: `"${"x".repeat(2_000)}` } as const;
    await expect(readLog("test", log)).rejects.toMatchObject({
      options: { code: "bad_log", errors: [{ pointer: "#/log" }] },
    });
  });
});

describe("a store that sends texts which are slow to process", () => {
  let harness: Harness;
  let [hostile, quiet]: [TestKey?, TestKey?] = [];
  beforeAll(async () => {
    harness = await createHarness();
    hostile = await harness.key();
    quiet = await harness.key();
  });
  afterAll(() => harness.close());

  const analyse = (key: TestKey | undefined, unit: string, chars: number) =>
    harness.call("POST", "/v1/content/analyses", { key, body: { body: unit.repeat(chars / unit.length) } });

  it("has turns for its customer, and none for requests whose client is gone", async () => {
    const client = new AbortController();
    const count = THREADS + 2;
    const tasks = Array.from({ length: 2 * count }, (_, n) => {
      const owner = { part: `sto_${n % 2}`, customerId: "cus_1", signal: () => client.signal };
      return texts.countWords(owner, { ...content, body: `${"x ".repeat(20)}\n\n`.repeat(10_000) });
    });
    // Two stores have the threads of one customer: one stays free for others.
    await expect.poll(queuedTasks, { interval: 1 }).toBe(2 * count - (THREADS - 1));
    client.abort();
    expect(queuedTasks()).toBe(0);
    const ends = await Promise.allSettled(tasks);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(THREADS - 1);
  }, 120_000);

  it("has turns for the customer of jobs and requests together", async () => {
    const { customerId = "", storeId = "" } = hostile ?? {};
    const part = storePartition(storeId, "live");
    const owners = [part, storePartition(storeId, "test"), { part }, { part, customerId }];
    const tasks = Array.from({ length: owners.length * THREADS }, (_, n) =>
      texts.countWords(owners[n % owners.length] ?? part, { ...content, body: "x\n\n".repeat(8_000) }),
    );
    await expect.poll(queuedTasks, { interval: 1 }).toBeGreaterThan(THREADS);
    // One thread stays free for others.
    await expect.poll(queuedTasks, { interval: 1 }).toBe(tasks.length - (THREADS - 1));
    await Promise.all(tasks);
  }, 120_000);

  it("run also where the store does not answer whose partition it is", async () => {
    const remove = addTaskCustomers(() => Promise.reject(new Error("closed")));
    try {
      const words = await texts.countWords("sto_nowhere", { ...content, body: "word ".repeat(2_000) });
      expect(JSON.stringify(words)).toContain("2000");
    } finally {
      remove();
    }
  }, 120_000);

  it("keeps neither the health check nor another store waiting", async () => {
    let open = 0;
    const slow = Array.from({ length: 5 }, async () => {
      open += 1;
      const answer = await analyse(hostile, "x x x x x\n\n", 110_000);
      open -= 1;
      return answer.status;
    });
    for (let turn = 0; turn < 50; turn += 1) expect((await harness.call("GET", "/healthz")).status).toBe(200);
    // Fifty answers took less time than the first text.
    expect(open).toBe(5);
    const answer = await analyse(quiet, "Our bread is baked daily. ", 5_200);
    expect(answer.status).toBe(200);
    expect(open).toBeGreaterThanOrEqual(3);
    expect(await Promise.all(slow)).toEqual(slow.map(() => 200));
  }, 120_000);
});
