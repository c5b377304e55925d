import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";

// One request with every flaw there is. Mended from the front, flaw by flaw, it is refused by one gate after the other.
interface Flawed {
  readonly path: string;
  readonly method: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Gate {
  readonly title: string;
  readonly status: number;
  readonly type: string;
  readonly mend: (request: Flawed) => Flawed;
}

let harness: Harness;
let good: { full: string; poor: string; used: string; id: string };
beforeAll(async () => {
  harness = await createHarness();
  const full = await harness.key();
  const poor = await harness.key({ scopes: ["reviews:read"] });
  const used = await harness.key({ plan: "free" });
  for (let count = 0; count < 60; count += 1) await harness.store.take(used.id, 60, 60_000);
  good = { full: full.plaintext, poor: poor.plaintext, used: used.plaintext, id: "" };
  const zone = await harness.call("POST", "/v1/delivery/zones", { key: full, body: ZONE });
  good.id = zone.json.data.id;
});
afterAll(() => harness.close());

const ZONE = { name: "Centre", patterns: ["SW1A"], fee_tiers: [{ from: 0, fee: 499 }] };

const worst: Flawed = {
  path: "/v1/delivery/%zz",
  method: "PURGE",
  key: undefined,
  headers: {
    "x-service-store": "nobody's",
    "content-type": "text/plain",
    "idempotency-key": "not a key",
    "if-match": '"999999999"',
  },
  body: `{"broken": ${" ".repeat(1_048_576)}`,
};

const drop = (request: Flawed, name: string): Flawed => {
  const { [name]: _, ...headers } = request.headers;
  return { ...request, headers };
};

const gates: readonly Gate[] = [
  { title: "a broken URL", status: 400, type: "bad_request", mend: (r) => ({ ...r, path: "/v1/nowhere" }) },
  { title: "no key", status: 401, type: "unauthorized", mend: (r) => ({ ...r, key: good.used }) },
  {
    title: "a window used up",
    status: 429,
    type: "too_many_requests",
    mend: (r) => ({ ...r, key: good.poor }),
  },
  { title: "another's store", status: 403, type: "forbidden", mend: (r) => drop(r, "x-service-store") },
  {
    title: "an unknown path",
    status: 404,
    type: "not_found",
    mend: (r) => ({ ...r, path: "/v1/delivery/zones/zon_01JD8Z5T9QK3M4N5P6R7S8T9V0?limit=x" }),
  },
  {
    title: "an unknown method",
    status: 405,
    type: "method_not_allowed",
    mend: (r) => ({ ...r, method: "PATCH" }),
  },
  { title: "a missing scope", status: 403, type: "forbidden", mend: (r) => ({ ...r, key: good.full }) },
  {
    title: "another media type",
    status: 415,
    type: "unsupported_media_type",
    mend: (r) => ({ ...r, headers: { ...r.headers, "content-type": "application/json" } }),
  },
  {
    title: "too large a body",
    status: 413,
    type: "content_too_large",
    mend: (r) => ({ ...r, body: '{"broken": ' }),
  },
  { title: "broken JSON", status: 400, type: "bad_request", mend: (r) => ({ ...r, body: '{"wrong":1}' }) },
  {
    title: "a wrong body",
    status: 422,
    type: "unprocessable_content",
    mend: (r) => ({ ...r, body: '{"name":"North"}' }),
  },
  {
    title: "an unknown query parameter",
    status: 422,
    type: "unprocessable_content",
    mend: (r) => ({ ...r, path: r.path.split("?")[0] ?? "" }),
  },
  {
    title: "a wrong Idempotency-Key",
    status: 400,
    type: "bad_request",
    mend: (r) => drop(r, "idempotency-key"),
  },
  {
    title: "a resource that is not there",
    status: 404,
    type: "not_found",
    mend: (r) => ({ ...r, path: `/v1/delivery/zones/${good.id}` }),
  },
  { title: "another version", status: 412, type: "precondition_failed", mend: (r) => drop(r, "if-match") },
];

const send = ({ method, path, key, headers, body }: Flawed): Promise<Answer> =>
  harness.call(method, path, { key, headers, body });

describe("the order of checks", () => {
  it.each(gates.map((gate, index) => [gate.status, gate.title, index] as const))(
    "%i for %s, whatever else is wrong behind it",
    async (status, _, index) => {
      const request = gates.slice(0, index).reduce((flawed, gate) => gate.mend(flawed), worst);
      const answer = await send(request);
      expect([answer.status, answer.json.error.type]).toEqual([status, gates[index]?.type]);
    },
  );

  it("200 when nothing is wrong any more", async () => {
    const answer = await send(gates.reduce((flawed, gate) => gate.mend(flawed), worst));
    expect([answer.status, answer.json.data.name]).toEqual([200, "North"]);
  });

  it("204 for OPTIONS before any key is looked at, but behind a broken URL", async () => {
    expect((await send({ ...worst, method: "OPTIONS" })).status).toBe(400);
    expect((await send({ ...worst, method: "OPTIONS", path: "/v1/reviews" })).status).toBe(204);
  });
});

it("400 for a compressed body, with what to send instead", async () => {
  const answer = await harness.app.fetch(
    new Request("http://platform.test/v1/delivery/validate", {
      method: "POST",
      headers: {
        authorization: `Bearer ${good.full}`,
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body: gzipSync('{"postcode":"SW1A 1AA","basketTotal":2500}'),
    }),
  );
  expect(answer.status).toBe(400);
  expect((await answer.json()).error.detail).toBe(
    "The request body is not valid UTF-8. Send it in this encoding and without compression.",
  );
});
