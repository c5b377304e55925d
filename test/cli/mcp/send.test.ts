import { expect, it } from "vitest";

import { listEndpoints } from "../../../cli/calls/endpoints.ts";
import type { ApiResponse } from "../../../cli/command/api.ts";
import { callRoute } from "../../../cli/mcp/send.ts";

it("reads no more than 8 MB of an export", async () => {
  const route = (await listEndpoints()).find(({ id }) => id === "allergens.matrix.get");
  if (route === undefined) throw new Error("no such route");
  let read = 0;
  const response: ApiResponse = {
    status: 200,
    statusText: "",
    headers: new Map([["content-type", "text/csv"]]) as unknown as ApiResponse["headers"],
    chunks: (async function* chunks() {
      for (; read < 100; read += 1) yield new Uint8Array(1_000_000);
    })(),
  };
  const call = {
    params: {},
    query: {},
    body: undefined,
    idempotencyKey: undefined,
    signal: AbortSignal.timeout(60_000),
  };
  await expect(callRoute(async () => response, route, call)).rejects.toThrow("larger than 8 MB");
  expect(read).toBe(8);
});
