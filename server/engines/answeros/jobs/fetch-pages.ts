import { eachDue } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { fetchFollowing, isOverBudget } from "../../../core/fetching.ts";
import { OutgoingError } from "../../../core/ports.ts";
import type { FetchedAnswer, Ports } from "../../../core/ports.ts";
import { watch } from "../../../core/watch.ts";
import { Problem } from "../../../lib/errors.ts";
import { isTooComplex } from "../../../lib/worker-tasks.ts";
import { pages } from "../repository.ts";
import type { Page, PageContent } from "../schema.ts";
import { storeContent } from "../services/keep-page.ts";
import { renderText, slimPage } from "../services/page-tasks.ts";

const REDIRECTS_MAX = 3;

/** Fetches, parses and scores queued pages. */
export const fetchPages: Job = {
  id: "answeros.fetch-pages",
  summary: "Fetches, parses and scores queued pages",
  schedule: "*/5 * * * * *",
  watches: [watch(pages, { index: "by", value: "queued" })],
  async run(work) {
    const counts = { fetched: 0, failed: 0 };
    const queued = { collection: pages, index: "by", value: "queued", isDue: () => true };
    await eachDue(work, queued, async (id) => {
      const page = await work.runTx(work.part, (tx) => tx.get(pages, id));
      if (page?.value.status !== "queued") return 0;
      counts[(await fetchOne(work, page.value)) ? "fetched" : "failed"] += 1;
      return 1;
    });
    return counts;
  },
};

type Got = { readonly read: Omit<PageContent, "id"> } | { readonly error: NonNullable<Page["error"]> };

/** Fetches outside of any transaction; the result is stored if the page is still queued. */
async function fetchOne(work: JobContext, page: Page): Promise<boolean> {
  try {
    return await record(
      work,
      page,
      await (page.url === null ? readSource(work, page) : getPage(work, page.url)),
    );
  } catch (error) {
    if (isTooComplex(error))
      return record(work, page, { error: { code: "text_too_complex", detail: error.detail } });
    // More than a document holds, which would be fetched again and again before all others; anything else is a fault of ours.
    if (!(error instanceof Problem) || error.type !== "content_too_large") throw error;
    return record(work, page, { error: TOO_LARGE });
  }
}

const TOO_LARGE = { code: "too_large", detail: "The page is too large." };

async function record(work: JobContext, page: Page, got: Got): Promise<boolean> {
  // The requests were broken off here: the page is fetched again.
  if (work.signal.aborted) return false;
  return work.runTx(work.part, async (tx) => {
    const before = await tx.get(pages, page.id);
    if (before === null || before.value.status !== "queued") return true;
    if ("read" in got) {
      await storeContent(tx, before, got.read, work);
      return true;
    }
    tx.put(pages, before, { ...before.value, status: "failed", error: got.error, updated_at: work.nowAt });
    return false;
  });
}

async function getPage({ part, ports, signal }: JobContext, url: string): Promise<Got> {
  try {
    const { answer } = await fetchFollowing(ports.fetch, { url, signal, headers: HEADERS }, REDIRECTS_MAX);
    const fault = faultOf(answer);
    if (fault !== null) return { error: fault };
    const html = await slimPage(part, answer.text());
    if (html === null) return { error: TOO_LARGE };
    return {
      read: {
        html,
        robots_txt: await getRobots(ports.fetch, url, signal),
        x_robots_tag: answer.headers["x-robots-tag"]?.slice(0, 500) ?? null,
      },
    };
  } catch (error) {
    if (!(error instanceof OutgoingError) || isOverBudget(error)) throw error;
    const code = error.fault === "refused" ? "address_refused" : "unreachable";
    return { error: { code, detail: error.message.slice(0, 300) } };
  }
}

const HEADERS = {
  accept: "text/html,application/xhtml+xml",
  "user-agent": "storefront-platform (+page check)",
};

function faultOf(answer: FetchedAnswer): NonNullable<Page["error"]> | null {
  if (answer.location !== null) return { code: "too_many_redirects", detail: "More than three redirects." };
  if (answer.status !== 200)
    return { code: "http_status", detail: `The page returned status ${answer.status}.` };
  if (!/^(text\/html|application\/xhtml\+xml)/i.test(answer.headers["content-type"] ?? "text/html")) {
    return { code: "not_html", detail: "The response is not an HTML page." };
  }
  return answer.isCut ? TOO_LARGE : null;
}

/** What crawlers have to assume while robots.txt is a server error (RFC 9309 §2.3.1.4). */
const DISALLOW_ALL = "User-agent: *\nDisallow: /\n";

/** robots.txt of the page's host: empty if there is none (RFC 9309 §2.3.1.3), null if unknown. */
async function getRobots(fetch: Ports["fetch"], url: string, signal: AbortSignal): Promise<string | null> {
  try {
    const { answer } = await fetchFollowing(
      fetch,
      { url: new URL("/robots.txt", url).href, signal },
      REDIRECTS_MAX,
    );
    if (answer.status >= 500) return DISALLOW_ALL;
    if (answer.status >= 400) return "";
    return answer.status === 200 ? wholeLines(answer.text()) : null;
  } catch (error) {
    if (!(error instanceof OutgoingError) || isOverBudget(error)) throw error;
    return null;
  }
}

const ROBOTS_MAX = 50_000;

/** The lines that fit: a rule that is cut in its path forbids more than it says. */
const wholeLines = (text: string): string =>
  text.length <= ROBOTS_MAX ? text : text.slice(0, text.lastIndexOf("\n", ROBOTS_MAX - 1) + 1);

async function readSource({ runTx, part, ports }: JobContext, { source }: Page): Promise<Got> {
  const text =
    source?.type === "draft"
      ? await runTx(part, (tx) => ports.engines.textOf(tx, { kind: "draft", id: source.id }))
      : null;
  if (text === null)
    return { error: { code: "no_source", detail: "The source of the page no longer exists." } };
  return { read: { html: await renderText(part, text), robots_txt: null, x_robots_tag: null } };
}
