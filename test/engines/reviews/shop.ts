import type { RunTx } from "../../../server/core/tx.ts";
import { jobs } from "../../../server/engines/reviews/jobs.ts";
import { storePartition } from "../../../server/core/partitions.ts";
import { storeMails } from "../../../server/core/store-mail.ts";
import { silentLog } from "../../../server/core/log.ts";
import type { Answer, Harness, TestKey } from "../../harness.ts";
import { createHarness } from "../../harness.ts";

/** A store spoken to over the whole pipeline. Paths are below /v1/reviews. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  /** A publishable key of the same store. */
  readonly pub: TestKey;
  /** Partition of the keys' data. */
  readonly part: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The same with the publishable key, as a page of the shop calls. */
  visit(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Makes or changes something and gives it; throws when it is refused. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  make(path: string, body?: unknown, method?: string): Promise<any>;
  /** `data` of a GET. */
  // oxlint-disable-next-line typescript/no-explicit-any
  read(path: string): Promise<any>;
  /** Status of a call with the publishable key to a route that has nothing for it. */
  refused(method: string, path: string, body?: unknown): Promise<number>;
  /** Runs a job of the engine once, in a turn that is over after `commits`. */
  run(id: string, runTx?: RunTx, commits?: number): Promise<void>;
  /** Mails that wait to be forwarded. */
  // oxlint-disable-next-line typescript/no-explicit-any
  mails(): Promise<any[]>;
}

/** Monday 1 June 2026, 10:00 in London. */
const NOW = "2026-06-01T09:00:00.000Z";

export async function createShop(options: Parameters<typeof createHarness>[0] = {}): Promise<Shop> {
  const harness = await createHarness({ now: NOW, ...options });
  const key = await harness.key();
  const pub = await harness.key({
    customer_id: key.customerId,
    store_id: key.storeId,
    kind: "publishable",
    scopes: ["reviews:public", "reviews:submit"],
  });
  const part = storePartition(key.storeId, "live");
  const callWith =
    (by: TestKey): Shop["call"] =>
    (method, path, body, headers = {}) =>
      harness.call(method, `/v1/reviews${path}`, { key: by, body, headers });
  const call = callWith(key);
  const must = (answer: Answer, path: string) => {
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  };
  return {
    harness,
    key,
    pub,
    part,
    call,
    visit: callWith(pub),
    make: async (path, body, method = "POST") => must(await call(method, path, body), path),
    read: async (path) => must(await call("GET", path), path),
    async refused(method, path, body) {
      const init: RequestInit = {
        method,
        headers: { authorization: `Bearer ${pub.plaintext}`, "content-type": "application/json" },
      };
      if (body !== undefined) init.body = JSON.stringify(body);
      const url = `http://platform.test/v1/reviews${path}`;
      return (await harness.app.fetch(new Request(url, init))).status;
    },
    async run(id, runTx = harness.services.runTx, commits = Infinity) {
      let left = commits;
      const counted: RunTx = (own, work) => {
        left -= 1;
        return runTx(own, work);
      };
      const job = jobs.find((one) => one.id === id);
      if (job === undefined) throw new Error(`There is no job ${id}.`);
      const now = harness.clock.now();
      await job.run({
        now,
        nowAt: new Date(now).toISOString(),
        part,
        runTx: counted,
        newId: harness.services.newId,
        log: silentLog,
        signal: new AbortController().signal,
        hasTime: () => left > 0,
        ports: harness.services.ports,
      });
    },
    mails: async () => {
      const { items } = await harness.services.runTx(part, (tx) =>
        tx.peekPage(storeMails, { index: "waiting", limit: 100 }),
      );
      return items.map(({ value }) => value);
    },
  };
}

export const codeOf = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;

export const loaf = { type: "product", id: "sourdough" };

/** A review as the shop's own server hands it in. */
export const aReview = (more: object = {}) => ({
  target: loaf,
  rating: 5,
  title: "Good crumb",
  body: "The crust sings when it comes out of the bag, and the crumb is open.",
  author: { display_name: "Ada" },
  incentive: { type: "none" },
  ...more,
});

/** A review that is published. */
export async function publish(shop: Shop, more: object = {}) {
  const { id } = await shop.make("", aReview(more));
  // Two reviews of one millisecond have no order that means anything.
  shop.harness.clock.advance(1000);
  return shop.make(`/${id}/approve`, {});
}
