import { expect, it } from "vitest";

import type { Key } from "../../server/storage/contract.ts";
import { startS3Double } from "../support/s3-double.ts";
import { openNode } from "../support/s3-node.ts";

/** More than are under way at once. */
const BEFORE_MAX = 150;

it("S3: a partition with many requests keeps no other waiting for more than a turn", async () => {
  const double = await startS3Double();
  const node = await openNode(double);
  double.fault = () => ({ kind: "delay", ms: 10 });
  double.log.length = 0;
  const keysOf = (read: number): Key[] =>
    Array.from({ length: 30 }, (_, n): Key => `sto_large:things:${read}-${n}`);
  const large = Array.from({ length: 40 }, (_, read) => node.getMany(keysOf(read)));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await node.get("sto_other:things:a")).toBeNull();
  expect(double.log.findIndex(({ key }) => key === "docs/sto_other/things/a")).toBeLessThan(BEFORE_MAX);
  await Promise.all(large);
  expect(double.log.length).toBeGreaterThan(1_200);
  await node.close();
  await double.close();
});
