import { DEFAULT_BROWSER_SETTINGS, browserSettings } from "../../../../server/core/browser.ts";
import { toInstant } from "../../../../server/lib/instant.ts";
import type { Job } from "../../../../server/core/engine.ts";
import type { Ports } from "../../../../server/core/ports.ts";
import { storeMails } from "../../../../server/core/store-mail.ts";
import type { StoreMail } from "../../../../server/core/store-mail.ts";
import { domainEvents, eventFilters } from "../../../../server/core/events.ts";
import { silentLog } from "../../../../server/core/log.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { createHarness } from "../../../harness.ts";
import type { Answer, Harness, TestKey } from "../../../harness.ts";

const NOW = "2026-06-01T09:00:00.000Z";
export const SHOP = "https://bakery.example";

/** A store with a secret and a publishable key, spoken to over the whole pipeline. Paths are below /v1/forms. */
export interface Shop {
  readonly harness: Harness;
  readonly key: TestKey;
  readonly pub: TestKey;
  readonly part: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The same out of a page of the shop. */
  page(method: string, path: string, body?: unknown, origin?: string): Promise<Answer>;
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  make(path: string, body?: unknown): Promise<any>;
  // oxlint-disable-next-line typescript/no-explicit-any
  read(path: string): Promise<any>;
  /** A published form; gives its id. */
  form(body: object): Promise<string>;
  /** Sends a form from a page that is ten seconds old; the puzzle is not asked for unless the form says so. */
  send(formId: string, data: object, more?: object): Promise<Answer>;
  mails(): Promise<StoreMail[]>;
  events(): Promise<string[]>;
  run(job: Job, ports?: Partial<Ports>): Promise<Readonly<Record<string, number>>>;
}

export async function createShop(options: Parameters<typeof createHarness>[0] = {}): Promise<Shop> {
  const harness = await createHarness({ now: NOW, ...options });
  return openShop(harness);
}

/** Another store in the same service. */
async function openShop(harness: Harness): Promise<Shop> {
  const key = await harness.key();
  const pub = await harness.key({
    kind: "publishable",
    scopes: ["forms:public", "forms:submit"],
    customer_id: key.customerId,
    store_id: key.storeId,
  });
  const part = storePartition(key.storeId, "live");
  const { services } = harness;
  await services.runTx(part, async (tx) => {
    tx.create(browserSettings, { ...DEFAULT_BROWSER_SETTINGS, origins: [SHOP] });
    tx.create(eventFilters, { id: "wanted", types: ["forms.*"] });
  });
  const call: Shop["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/forms${path}`, { key, body, headers });
  const page: Shop["page"] = (method, path, body, origin = SHOP) =>
    harness.call(method, `/v1/forms${path}`, { key: pub, body, headers: { origin } });
  const must = (answer: Answer, path: string) => {
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  };
  const make: Shop["make"] = async (path, body) => must(await call("POST", path, body), path);
  return {
    harness,
    key,
    pub,
    part,
    call,
    page,
    make,
    read: async (path) => must(await call("GET", path), path),
    async form(body) {
      const { id } = await make("", body);
      await make(`/${id}/publish`);
      return String(id);
    },
    async send(formId, data, more = {}) {
      const { token } = must(await page("POST", `/${formId}/tokens`), "tokens");
      harness.clock.advance(10_000);
      return page("POST", `/${formId}/submissions`, { data, token, ...more });
    },
    mails: async () => {
      const found = await services.runTx(part, (tx) =>
        tx.peekPage(storeMails, { index: "waiting", limit: 500 }),
      );
      return found.items.map(({ value }) => value);
    },
    events: async () => {
      const found = await services.runTx(part, (tx) =>
        tx.peekPage(domainEvents, { index: "time", limit: 500 }),
      );
      return found.items.map(({ value }) => value.type);
    },
    run: (job, ports = {}) => {
      const now = harness.clock.now();
      return job.run({
        now,
        nowAt: toInstant(now),
        part,
        runTx: services.runTx,
        newId: services.newId,
        log: silentLog,
        signal: new AbortController().signal,
        hasTime: () => true,
        ports: { ...services.ports, ...ports },
      });
    },
  };
}

export const refusal = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;

/** A form with a name, an address and a text, without a captcha. */
export const plain = (more: Record<string, unknown> = {}) => {
  const { settings = {}, ...rest } = more;
  return {
    name: "Contact us",
    fields: [
      { key: "name", type: "name", label: "Name", required: true },
      { key: "email", type: "email", label: "E-mail", required: true },
      { key: "message", type: "textarea", label: "Message" },
    ],
    settings: { captcha: "none", ...Object(settings) },
    ...rest,
  };
};
export const ada = { name: "Ada Byron", email: "Ada@Office.Example", message: "Do you bake rye bread?" };
