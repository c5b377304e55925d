import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createTransport } from "../../server/storage/s3/transport.ts";
import type { Transport } from "../../server/storage/s3/transport.ts";
import { isLinearizable, recordHistory, storeModel } from "../support/linearizable.ts";
import { startS3Double } from "../support/s3-double.ts";
import type { S3Double } from "../support/s3-double.ts";
import { withoutRedo } from "../support/s3-blind.ts";
import { badWeather } from "../support/s3-weather.ts";
import { createRandom } from "./random.ts";
import { openNode } from "../support/s3-node.ts";

const CLIENTS = 8;
const SEED = 7;
// A history is some two hundred signed requests. PLATFORM_TEST_S3_HISTORIES=1000 runs as many as on Redis.
const HISTORIES = Number(process.env["PLATFORM_TEST_S3_HISTORIES"] ?? 20);

let double: S3Double;
beforeAll(async () => {
  double = await startS3Double();
});
afterAll(() => double.close());

const openNodes = (transport?: () => Transport): Promise<StoreDriver[]> =>
  Promise.all(
    Array.from({ length: CLIENTS }, () =>
      openNode(double, { prefix: "shared", ...(transport === undefined ? {} : { transport: transport() }) }),
    ),
  );

/** How many of so many histories can't be put in order; the first of them. */
async function search(
  clients: readonly StoreDriver[],
  {
    name,
    count,
    untilWrong = false,
  }: { readonly name: string; readonly count: number; readonly untilWrong?: boolean },
): Promise<{ wrong: number; first: string; open: number }> {
  const random = createRandom(SEED);
  const found = { wrong: 0, first: "", open: 0 };
  for (let i = 0; i < count; i++) {
    if (untilWrong && found.wrong > 0) break;
    const history = await recordHistory({ clients, part: `${name}${i}`, random, callsPerClient: 8 });
    found.open += history.filter(({ end }) => end === Infinity).length;
    if (isLinearizable(history, storeModel(history))) continue;
    if (found.wrong++ === 0) found.first = `history ${i}: ${JSON.stringify(history)}`;
  }
  return found;
}

describe(`s3: histories of ${CLIENTS} nodes on five keys (seed ${SEED})`, () => {
  it(`are linearizable, ${HISTORIES} of them`, { timeout: 60_000 + HISTORIES * 4000 }, async () => {
    const clients = await openNodes();
    expect(await search(clients, { name: "h", count: HISTORIES })).toMatchObject({ wrong: 0, first: "" });
    for (const client of clients) await client.close();
  });

  it("are linearizable also in bad weather", { timeout: 60_000 + HISTORIES * 4000 }, async () => {
    const clients = await openNodes();
    double.fault = badWeather(createRandom(SEED), 0.15);
    const found = await search(clients, { name: "f", count: HISTORIES });
    double.fault = () => null;
    expect(found).toMatchObject({ wrong: 0, first: "" });
    for (const client of clients) await client.close();
  });

  it("are caught when a reader goes by the documents alone", { timeout: 120_000 }, async () => {
    const clients = await openNodes(withoutRedo);
    const { wrong } = await search(clients, { name: "r", count: 100, untilWrong: true });
    expect(wrong).toBeGreaterThan(0);
    for (const client of clients) await client.close();
  });

  it(
    "are caught when nodes see heads of a moment ago, if a node does not notice it itself",
    {
      timeout: 120_000,
    },
    async () => {
      const clients = await openNodes(withOldHeads);
      const found = await search(clients, { name: "o", count: 100, untilWrong: true }).catch(
        (error: unknown) => {
          if (error instanceof StoreError && error.code === "CORRUPT") return { wrong: 1 };
          throw error;
        },
      );
      expect(found.wrong).toBeGreaterThan(0);
      for (const client of clients) await client.close();
    },
  );
});

/** Negative control: three of four looks at a head are answered as the last one was. */
function withOldHeads(): Transport {
  const inner = createTransport(64);
  let looks = 0;
  return {
    ...inner,
    async exchange(request) {
      const isLook =
        request.method === "GET" &&
        "if-none-match" in request.headers &&
        request.url.pathname.includes("/heads/");
      if (isLook && looks++ % 4 !== 0) return { status: 304, etag: "", date: "", body: Buffer.alloc(0) };
      return inner.exchange(request);
    },
  };
}
