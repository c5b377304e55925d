import type { Answer, Harness, TestKey } from "../../harness.ts";
import { createHarness } from "../../harness.ts";
import { recalculate, review } from "../../../server/engines/tiers/jobs.ts";
import { silentLog } from "../../../server/core/log.ts";
import type { Job } from "../../../server/core/engine.ts";
import { rulesOf } from "./fixture.ts";

/** A store with a published programme, spoken to over the whole pipeline. Paths are below /v1/tiers. */
export interface Club {
  readonly harness: Harness;
  readonly key: TestKey;
  readonly part: string;
  readonly programme: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  read(path: string): Promise<any>;
  /** `data` of a POST; throws when it is refused. */
  // oxlint-disable-next-line typescript/no-explicit-any
  make(path: string, body?: unknown): Promise<any>;
  /** Tells of an order that is placed today; gives the id of the aggregate. */
  buy(customer: string, amount: number, more?: object): Promise<string>;
  run(job: Job): Promise<Readonly<Record<string, number>>>;
}

const START = "2026-06-01T09:00:00.000Z";

export async function createClub(
  rules: object = {},
  options: Parameters<typeof createHarness>[0] = {},
): Promise<Club> {
  const harness = await createHarness({ now: START, ...options });
  const key = await harness.key();
  let orders = 0;
  const call: Club["call"] = (method, path, body, headers = {}) =>
    harness.call(method, `/v1/tiers${path}`, { key, body, headers });
  const must = (answer: Answer, path: string) => {
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  };
  const make: Club["make"] = async (path, body) => must(await call("POST", path, body), path);
  const { id: programme } = await make("/programmes", { ...rulesOf(), ...rules });
  await make(`/programmes/${programme}/publish`);
  return {
    harness,
    key,
    part: key.storeId.toLowerCase(),
    programme,
    call,
    make,
    read: async (path) => must(await call("GET", path), path),
    async buy(customer, amount, more = {}) {
      orders += 1;
      const event = {
        type: "order",
        external_id: `x${orders}`,
        order_ref: `r${orders}`,
        occurred_at: new Date(harness.clock.now()).toISOString(),
        currency: "GBP",
        amount,
        ...more,
      };
      const body = { customer: { id: customer, email: `${customer}@shop.example`, name: customer }, event };
      return (await make("/events", body)).customer_id;
    },
    run: (job) => runJob(harness, key.storeId.toLowerCase(), job),
  };
}

const runJob = ({ services, clock }: Harness, part: string, job: Job) =>
  job.run({
    now: clock.now(),
    nowAt: new Date(clock.now()).toISOString(),
    part,
    runTx: services.runTx,
    newId: services.newId,
    log: silentLog,
    signal: new AbortController().signal,
    hasTime: () => true,
    ports: services.ports,
  });

export const jobs = { recalculate, review };
export const refusal = (answer: Answer): string =>
  `${answer.status}${answer.json?.error?.code === undefined ? "" : ` ${answer.json.error.code}`}`;
