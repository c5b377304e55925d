import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Doc, Key, StoreDriver } from "../../server/storage/contract.ts";
import { createTransport } from "../../server/storage/s3/transport.ts";
import type { Transport } from "../../server/storage/s3/transport.ts";
import { startS3Double } from "../support/s3-double.ts";
import type { S3Double } from "../support/s3-double.ts";
import { openNode } from "../support/s3-node.ts";

let double: S3Double;
let writer: StoreDriver;
beforeEach(async () => {
  double = await startS3Double();
  writer = await openNode(double);
});
afterEach(async () => {
  await writer.close();
  await double.close();
});

const IDS = Array.from({ length: 40 }, (_, i) => `d${String(i).padStart(3, "0")}`);
let round = 0;
/** Every document gets the number of the round, and one of them goes or comes. */
async function writeRound(): Promise<void> {
  round++;
  await writer.commit("p", [
    ...IDS.map((id) => ({ put: `p:c:${id}` as Key, value: String(round) })),
    round % 2 === 0 ? { del: "p:c:guest" } : { put: "p:c:guest", value: String(round) },
  ]);
}

/** Another node commits so often before each look at the head. */
function disturbed(commits: number): Transport {
  const inner = createTransport(16);
  let turn = Promise.resolve();
  return {
    ...inner,
    async exchange(request) {
      if (request.url.pathname.includes("/heads/")) {
        turn = turn.then(async () => {
          for (let i = 0; i < commits; i++) await writeRound();
        });
        await turn;
      }
      return inner.exchange(request);
    },
  };
}

async function snapshotOf(driver: StoreDriver): Promise<Doc[]> {
  const docs: Doc[] = [];
  for await (const doc of driver.snapshot("p")) docs.push(doc);
  return docs;
}

describe("s3: a snapshot beside a node that writes", () => {
  it("is what one commit left, though there is a commit before each of its looks", async () => {
    await writeRound();
    const reader = await openNode(double, { transport: disturbed(1), timeoutMs: 30_000, cacheBytes: 0 });
    const docs = await snapshotOf(reader);
    const [first] = docs;
    const last = Number(first?.value);
    expect(last).toBeGreaterThan(3);
    expect(new Set(docs.map(({ value, version }) => `${value} ${version}`))).toEqual(
      new Set([`${first?.value} ${first?.version}`]),
    );
    expect(docs.map(({ key }) => key.slice(4)).sort()).toEqual(last % 2 === 0 ? IDS : [...IDS, "guest"]);
    await reader.close();
  });

  it("is refused when heads come faster than they can be looked at", { timeout: 60_000 }, async () => {
    await writeRound();
    const reader = await openNode(double, { transport: disturbed(2), timeoutMs: 30_000 });
    await expect(snapshotOf(reader)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      retryable: true,
      message: expect.stringMatching(/Try again later/),
    });
    // A page, which shows a moment only, is served all the same.
    expect((await reader.page("p", "c", { limit: 2 })).items).toHaveLength(2);
    await reader.close();
  });

  it("fetches once more only what changed", async () => {
    await writeRound();
    let listed = 0;
    let unseen: Promise<unknown> = Promise.resolve();
    const inner = createTransport(16);
    const transport: Transport = {
      ...inner,
      async exchange(request) {
        // While the first listing is on its way, three commits go by unseen: a second pass it must be.
        if (request.url.search.includes("prefix=docs") && listed++ === 0) unseen = commitThrice();
        await unseen;
        return inner.exchange(request);
      },
    };
    const commitThrice = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) await writer.commit("p", [{ put: "p:c:d001", value: `"${i}"` }]);
    };
    const reader = await openNode(double, { transport, cacheBytes: 0 });
    await reader.get("p:c:none");
    double.log.length = 0;
    expect((await snapshotOf(reader)).find(({ key }) => key === "p:c:d001")?.value).toBe('"2"');
    const gets = double.log.filter(({ method, key }) => method === "GET" && key.startsWith("docs/"));
    expect(gets.length).toBeLessThanOrEqual(IDS.length + 5);
    expect(listed).toBe(2);
    await reader.close();
  });
});
