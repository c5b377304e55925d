import { expect, it } from "vitest";

import type { Key } from "../../server/storage/contract.ts";
import { IN_FLIGHT } from "../../server/storage/s3/client.ts";
import { createTransport } from "../../server/storage/s3/transport.ts";
import { startS3Double } from "../support/s3-double.ts";
import { openNode } from "../support/s3-node.ts";

it("S3: a partition with many requests keeps no other waiting for more than a turn", async () => {
  const double = await startS3Double();
  const inner = createTransport(IN_FLIGHT);
  /** Paths in the order in which requests are sent: when they arrive depends on their connections too. */
  const sent: string[] = [];
  const transport = {
    ...inner,
    exchange(request: Parameters<typeof inner.exchange>[0]) {
      sent.push(request.url.pathname);
      return inner.exchange(request);
    },
  };
  const node = await openNode(double, { transport });
  double.fault = () => ({ kind: "delay", ms: 10 });
  const keysOf = (read: number): Key[] =>
    Array.from({ length: 30 }, (_, n): Key => `sto_large:things:${read}-${n}`);
  const large = Array.from({ length: 40 }, (_, read) => node.getMany(keysOf(read)));
  await expect.poll(() => sent.length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(IN_FLIGHT);
  const isOther = (path: string): boolean => path.includes("sto_other");
  const before = sent.length;
  const other = node.get("sto_other:things:a");
  await expect.poll(() => sent.some(isOther), { timeout: 60_000, interval: 1 }).toBe(true);
  // Those that have their places, and none of the 1,200 that wait.
  expect(sent.slice(before).findIndex(isOther)).toBeLessThanOrEqual(IN_FLIGHT);
  expect(await other).toBeNull();
  await Promise.all(large);
  expect(sent.length).toBeGreaterThan(1_200);
  await node.close();
  await double.close();
});
