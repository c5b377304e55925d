import { createSocket } from "node:dgram";
import { once } from "node:events";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";

import { createGuard } from "../../server/outgoing/guard.ts";

/** A DNS server that knows these names and never answers for any other. */
const KNOWN: Readonly<Record<string, readonly (readonly number[])[]>> = {
  "quick.example": [[93, 184, 216, 34]],
  "inside.example": [[10, 0, 0, 1]],
  "many.example": Array.from({ length: 25 }, (_, n) => [93, 184, 216, n]),
};
const server = createSocket("udp4");
const asked: string[] = [];

beforeAll(async () => {
  server.on("message", (query, { address, port }) => {
    const labels: string[] = [];
    let end = 12;
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.toString("latin1", end + 1, end + 1 + length));
      end += 1 + length;
    }
    const name = labels.join(".").toLowerCase();
    asked.push(name);
    const known = KNOWN[name];
    if (known === undefined) return;
    const isV4 = query.readUInt16BE(end + 1) === 1;
    const records = isV4 ? known : [];
    const answer = records.flatMap((address) => [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
    const head = [0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0];
    const parts = [query.subarray(0, 2), Buffer.from(head), query.subarray(12, end + 5), Buffer.from(answer)];
    server.send(Buffer.concat(parts), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

const lookupOf = () => {
  const guard = createGuard({ allowPrivate: false, servers: [`127.0.0.1:${server.address().port}`] });
  return promisify(guard.lookup);
};

it("does not wait for names whose servers do not answer", async () => {
  const lookup = lookupOf();
  let isOver = false;
  const silent = Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => lookup(`silent-${n}.example`, { all: true })),
  ).finally(() => {
    isOver = true;
  });
  await expect.poll(() => new Set(asked).size).toBe(40);
  expect(await lookup("quick.example", { all: true })).toEqual([{ address: "93.184.216.34", family: 4 }]);
  expect(isOver).toBe(false);
  for (const one of await silent)
    expect(one).toMatchObject({ status: "rejected", reason: { fault: "refused" } });
});

it("refuses a name of a private address with the text for one that does not exist", async () => {
  const lookup = lookupOf();
  await expect(lookup("inside.example", { all: true })).rejects.toThrow(
    "inside.example has no public address.",
  );
});

it("connects to a few addresses of a name: each that fails is followed by the next", async () => {
  const found = await lookupOf()("many.example", { all: true });
  expect(found).toHaveLength(4);
});
