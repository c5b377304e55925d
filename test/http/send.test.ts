import { setTimeout as sleep } from "node:timers/promises";

import { expect, it } from "vitest";

import { withoutBody } from "../../server/http/send.ts";

it("ends nothing where the body of a HEAD request cannot be let go", async () => {
  const failed: unknown[] = [];
  const note = (error: unknown): void => void failed.push(error);
  process.on("unhandledRejection", note);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    cancel: () => Promise.reject(new Error("The store is away.")),
  });
  expect(withoutBody({ status: 200, headers: [], body }).body).toBe(null);
  await sleep(10);
  process.off("unhandledRejection", note);
  expect(failed).toEqual([]);
});
