import type { Job } from "../../../../server/core/engine.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { toInstant } from "../../../../server/lib/instant.ts";
import { storeMails } from "../../../../server/core/store-mail.ts";
import type { StoreMail } from "../../../../server/core/store-mail.ts";
import { silentLog } from "../../../../server/core/log.ts";
import type { Answer, Harness, TestKey } from "../../../harness.ts";
import { createHarness } from "../../../harness.ts";

/** A store with a key, spoken to over the whole pipeline. Paths are below /v1/catering. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  readonly part: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  /** Makes something and gives it; throws when it is refused. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  make(path: string, body?: unknown): Promise<any>;
  /** `data` of a GET. */
  // oxlint-disable-next-line typescript/no-explicit-any
  read(path: string): Promise<any>;
  /** A page that a link leads to, or the answer to its form. */
  visit(link: string, form?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Mail that waits to be sent, oldest first. */
  mails(): Promise<StoreMail[]>;
  run(job: Job, signal?: AbortSignal): Promise<Readonly<Record<string, number>>>;
  /** Types of the events, oldest first. */
  eventTypes(): Promise<string[]>;
}

/** Monday 1 June 2026, 10:00 in London. */
export const NOW = "2026-06-01T09:00:00.000Z";

export async function createShop(options: Parameters<typeof createHarness>[0] = {}): Promise<Shop> {
  const harness = await createHarness({ now: NOW, ...options });
  return shopOf(harness, await harness.key());
}

function shopOf(harness: Harness, key: TestKey): Shop {
  const part = storePartition(key.storeId, "live");
  const call: Shop["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/catering${path}`, { key, body, headers });
  const must = (answer: Answer, path: string) => {
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  };
  const { services } = harness;
  return {
    harness,
    key,
    part,
    call,
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body),
    make: async (path, body) => must(await call("POST", path, body), path),
    read: async (path) => must(await call("GET", path), path),
    visit: (link, form) => {
      const path = link.replace(/^https?:\/\/[^/]+/, "");
      if (form === undefined) return harness.call("GET", path);
      return harness.call("POST", path, {
        body: new URLSearchParams(form).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    },
    mails: async () => {
      const found = await services.runTx(part, (tx) =>
        tx.peekPage(storeMails, { index: "waiting", limit: 500 }),
      );
      return found.items.map(({ value }) => value);
    },
    run: (job, signal = new AbortController().signal) => {
      const now = harness.clock.now();
      return job.run({
        now,
        nowAt: toInstant(now),
        part,
        runTx: services.runTx,
        newId: services.newId,
        log: silentLog,
        signal,
        hasTime: () => true,
        ports: services.ports,
      });
    },
    eventTypes: async () => {
      const answer = await call("GET", "/events?limit=100");
      return answer.json.data.map(({ type }: { type: string }) => type).toReversed();
    },
  };
}

export const line = (unitPrice = 1295, more: object = {}) => ({
  type: "per_head",
  title: "Working lunch",
  unit_price: unitPrice,
  ...more,
});

export const prospect = { name: "Ada Byron", email: "ada@office.example", company: "Analytical Engines" };

/** Friday 19 June 2026, half past twelve in London. */
export const event = (more: object = {}) => ({ date: "2026-06-19", start: "12:30", end: "14:00", ...more });

export const quoteBody = (more: object = {}) => ({
  prospect,
  title: "Board lunch",
  lines: [line()],
  event: event(),
  headcount: { estimate: 30 },
  ...more,
});

export const accountBody = (more: object = {}) => ({
  legal_name: "Analytical Engines Ltd",
  billing_contacts: [{ name: "Ada Byron", email: "ada@office.example" }],
  credit_limit: 100_000,
  terms: { kind: "net", days: 30 },
  ...more,
});

/** Drafts and sends a quote; gives it with the link that its mail carries. */
export async function sendQuote(shop: Shop, more: object = {}) {
  const draft = await shop.make("/quotes", quoteBody(more));
  const quote = await shop.make(`/quotes/${draft.id}/send`, {});
  return { quote, link: await linkIn(shop, "catering-quote", { number: String(quote.number) }) };
}

/** The link in the mail of a template whose data hold these. */
export async function linkIn(
  shop: Shop,
  template: string,
  about: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const found = (await shop.mails()).filter(
    ({ data, template: own }) =>
      own === template && Object.entries(about).every(([name, value]) => data[name] === value),
  );
  return String(found.at(-1)?.data["page_url"]);
}

export const refusal = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;
export const pointersOf = (answer: Answer): string[] =>
  answer.json.error.errors.map(({ pointer, parameter }: { pointer?: string; parameter?: string }) =>
    String(pointer ?? parameter),
  );
