import { afterEach, expect, it, vi } from "vitest";

import { listEndpoints } from "../../../cli/calls/endpoints.ts";
import type { ApiResponse } from "../../../cli/command/api.ts";
import { callRoute, objectOf } from "../../../cli/mcp/send.ts";

afterEach(() => vi.restoreAllMocks());

const routeOf = async (id: string) => {
  const route = (await listEndpoints()).find((one) => one.id === id);
  if (route === undefined) throw new Error("no such route");
  return route;
};

const call = {
  params: {},
  query: {},
  body: undefined,
  idempotencyKey: undefined,
  signal: AbortSignal.timeout(60_000),
};

const answerOf = (type: string, chunks: AsyncIterable<Uint8Array>): ApiResponse => ({
  status: 200,
  statusText: "",
  headers: new Map([["content-type", type]]) as unknown as ApiResponse["headers"],
  chunks,
});

it("reads no more than 8 MB of an export", async () => {
  const route = await routeOf("allergens.matrix.get");
  let read = 0;
  const chunks = async function* chunks() {
    for (; read < 100; read += 1) yield new Uint8Array(1_000_000);
  };
  const response = answerOf("text/csv", chunks());
  await expect(callRoute(async () => response, route, call)).rejects.toThrow("larger than 8 MB");
  expect(read).toBe(8);
});

it("parses no list that is cut anyway", async () => {
  const route = await routeOf("delivery.zones.list");
  const rows = Array.from({ length: 100 }, () => ({ text: "x".repeat(70_000) }));
  const text = JSON.stringify({ data: rows, meta: { request_id: "req_1" } });
  const parse = vi.spyOn(JSON, "parse");
  const chunks = async function* chunks() {
    yield Buffer.from(text);
  };
  const result = await callRoute(async () => answerOf("application/json", chunks()), route, call);
  expect(result.text).toContain("Truncated after 60000 of");
  expect(Math.max(0, ...parse.mock.calls.map(([of]) => of.length))).toBeLessThan(1_000_000);
});

it("sends a body that is text as it is: the service says what is wrong with it", async () => {
  const route = await routeOf("delivery.zones.create");
  const sent: unknown[] = [];
  const send = async ({ body }: { readonly body?: unknown }) => {
    sent.push(body);
    return answerOf("text/plain", (async function* none() {})());
  };
  for (const body of ['{"name": ', { name: "North" }, undefined])
    await callRoute(send, route, { ...call, body });
  expect(sent).toEqual(['{"name": ', '{"name":"North"}', "{}"]);
});

it("takes parameters as text up to a length", () => {
  expect(objectOf('{"id":"a"}')).toEqual({ id: "a" });
  expect(objectOf(JSON.stringify({ id: "a".repeat(10_000) }))).toEqual({});
});
