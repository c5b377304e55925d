import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, it } from "vitest";

import type { H3 } from "h3";

import { Answer } from "../../server/http/answer.ts";
import { waitForTurn } from "../../server/lib/slices.ts";
import { createNodeHandler } from "../../server/serve/adapter.ts";
import { watchTraffic } from "../../server/serve/traffic.ts";
import { createHarness } from "../harness.ts";

const REQUESTS = 8;

/** For each answer: how many of those made before it were not written yet. */
async function countUnwritten(chars: number): Promise<number[]> {
  const { services } = await createHarness();
  const { newId, clock, log, config } = services;
  const responses: ServerResponse[] = [];
  const unwritten: number[] = [];
  let made = 0;
  let begin = (): void => undefined;
  const all = new Promise<void>((resolve) => (begin = resolve));
  const app = {
    async fetch() {
      await all;
      await waitForTurn("shop");
      unwritten.push(made - responses.filter(({ headersSent }) => headersSent).length);
      made += 1;
      return new Answer({ status: 200, headers: [], body: "x".repeat(chars), bytes: chars });
    },
  } as unknown as H3;
  const server = createServer((_, res) => {
    if (responses.push(res) === REQUESTS) begin();
  });
  const below = { newId, clock, log, baseUrl: config.baseUrl };
  server.prependListener("request", createNodeHandler(app, below, watchTraffic(server)));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const texts = await Promise.all(Array.from({ length: REQUESTS }, async () => (await fetch(url)).text()));
  expect(texts.map(({ length }) => length)).toEqual(Array.from({ length: REQUESTS }, () => chars));
  server.close();
  return unwritten;
}

it("writes a large answer in its turn, before the next one is put together", async () => {
  expect(await countUnwritten(1_000_000)).toEqual(Array.from({ length: REQUESTS }, () => 0));
});

it("writes small answers of a turn together", async () => {
  expect(Math.max(...(await countUnwritten(100)))).toBeGreaterThan(1);
});
