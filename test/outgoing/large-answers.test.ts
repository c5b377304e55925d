import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, expect, it } from "vitest";

import { createFetch } from "../../server/outgoing/fetch.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";

// What a server says of the encoding of its answer must not keep the event loop from all others.

const BYTES = 5_000_000;
let server: Server;
let url: string;
beforeAll(async () => {
  const body = gzipSync(Buffer.alloc(BYTES, 0xff));
  server = createServer((req, res) => {
    const charset = req.url?.slice(1) ?? "";
    res.writeHead(200, { "content-type": `text/xml; charset=${charset}`, "content-encoding": "gzip" });
    res.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it.each(["shift_jis", "big5", "utf-8"])(
  "five megabytes that are no %s",
  async (charset) => {
    const fetch = createFetch({ allowPrivate: true });
    const read = async (path: string): Promise<void> => {
      const answer = await fetch({ url: path, bytesMax: BYTES });
      expect(answer.text().length).toBe(BYTES);
    };
    expect(await longestOf(() => `${url}/${charset}`, read)).toBeLessThan(TURN_MS);
  },
  60_000,
);

it("are read in turns of the stores that they are for", async () => {
  const fetch = createFetch({ allowPrivate: true });
  const ends: string[] = [];
  const parts = [...Array.from({ length: 8 }, () => "sto_many"), "sto_one"];
  await Promise.all(
    parts.map(async (part) => {
      await fetch({ url: `${url}/shift_jis`, bytesMax: BYTES, part });
      ends.push(part);
    }),
  );
  expect(ends.indexOf("sto_one")).toBeLessThan(4);
});
