import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, it } from "vitest";

import type { H3 } from "h3";

import { Answer } from "../../server/http/answer.ts";
import { waitForTurn } from "../../server/lib/slices.ts";
import { createNodeHandler } from "../../server/serve/adapter.ts";
import { watchTraffic } from "../../server/serve/traffic.ts";
import { unsentBytes } from "../../server/serve/write-body.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

const REQUESTS = 8;

/** For each answer: how many of those made before it were not written yet. `isAsked`: what the text contains. */
async function countUnwritten(
  { services }: Harness,
  answer: (request: Request) => Promise<Response>,
  {
    path = "/",
    headers = {},
    isAsked,
  }: { path?: string; headers?: Record<string, string>; isAsked: (text: string) => boolean },
): Promise<number[]> {
  const { newId, clock, log, config } = services;
  const responses: ServerResponse[] = [];
  const unwritten: number[] = [];
  let made = 0;
  let begin = (): void => undefined;
  const all = new Promise<void>((resolve) => (begin = resolve));
  const app = {
    async fetch(request: Request) {
      await all;
      const answered = await answer(request);
      unwritten.push(made - responses.filter(({ headersSent }) => headersSent).length);
      made += 1;
      return answered;
    },
  } as unknown as H3;
  const server = createServer((_, res) => {
    if (responses.push(res) === REQUESTS) begin();
  });
  const below = { newId, clock, log, baseUrl: config.baseUrl, isFlood: () => false };
  server.prependListener("request", createNodeHandler(app, below, watchTraffic(server)));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const texts = await Promise.all(
    Array.from({ length: REQUESTS }, async () => (await fetch(url, { headers })).text()),
  );
  expect(texts.map(isAsked)).toEqual(Array.from({ length: REQUESTS }, () => true));
  server.close();
  return unwritten;
}

async function countUnwrittenTexts(chars: number): Promise<number[]> {
  const answer = async (): Promise<Answer> => {
    await waitForTurn("shop");
    return new Answer({ status: 200, headers: [], body: "x".repeat(chars), bytes: chars });
  };
  return countUnwritten(await createHarness(), answer, { isAsked: ({ length }) => length === chars });
}

const EACH_WRITTEN = Array.from({ length: REQUESTS }, () => 0);

it("writes a large answer in its turn, before the next one is put together", async () => {
  expect(await countUnwrittenTexts(1_000_000)).toEqual(EACH_WRITTEN);
});

it("writes small answers of a turn together", async () => {
  expect(Math.max(...(await countUnwrittenTexts(100)))).toBeGreaterThan(1);
});

it("writes a large document that is read by its id in its turn, too", async () => {
  const harness = await createHarness();
  const key = await harness.key();
  const body = "<p>We bake é.</p>".repeat(8_000);
  const made = await harness.call("POST", "/v1/content/drafts", { key, body: { title: "Bread", body } });
  const counted = await countUnwritten(harness, async (request) => harness.app.fetch(request), {
    path: `/v1/content/drafts/${made.json.data.id}`,
    headers: { authorization: `Bearer ${key.plaintext}` },
    isAsked(text) {
      const { data } = JSON.parse(text);
      return JSON.stringify(data) === JSON.stringify(made.json.data);
    },
  });
  expect(counted).toEqual(EACH_WRITTEN);
});

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

/** Serves one text; `responses` are those that were begun. */
async function serveText(body: string): Promise<{ port: number; responses: ServerResponse[] }> {
  const { services } = await createHarness();
  const { newId, clock, log, config } = services;
  const bytes = Buffer.byteLength(body);
  const app = {
    fetch: async () => new Answer({ status: 200, headers: [], body, bytes }),
  } as unknown as H3;
  const responses: ServerResponse[] = [];
  const server = createServer((_, res) => void responses.push(res));
  const below = { newId, clock, log, baseUrl: config.baseUrl, isFlood: () => false };
  server.prependListener("request", createNodeHandler(app, below, watchTraffic(server)));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  undo.push(() => server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, responses };
}

it.each([
  ["ASCII", "abcdefghij".repeat(50_000)],
  ["Latin-1", "Brötchen".repeat(50_000)],
  // Odd offsets, so that a cut can fall into a character of two units.
  ["characters of two units", `a${"🥐".repeat(150_000)}`],
])("sends a large text of %s unchanged", async (_, text) => {
  const { port } = await serveText(text);
  const answer = await fetch(`http://127.0.0.1:${port}`);
  expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(text));
  expect((await answer.text()) === text).toBe(true);
});

it("copies a large text no faster than its client reads", async () => {
  const text = "x".repeat(40_000_000);
  const { port, responses } = await serveText(text);
  const socket = connect(port, "127.0.0.1").pause();
  undo.push(() => socket.destroy());
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  while (responses.length === 0) await sleep(5);
  await sleep(200);
  const [res] = responses;
  // What the system buffers was sent; of the rest, one part was copied, and all of it counts.
  expect(res?.writableLength).toBeLessThan(400_000);
  expect(res === undefined ? 0 : unsentBytes(res)).toBeGreaterThan(20_000_000);
  const finished = new Promise<void>((resolve) => res?.once("finish", resolve));
  socket.resume();
  await finished;
  expect(res === undefined ? -1 : unsentBytes(res)).toBe(0);
});
