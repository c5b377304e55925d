import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

import type { H3 } from "h3";
import { afterEach, expect, it, vi } from "vitest";

import { Answer } from "../../server/http/answer.ts";
import { createNodeHandler } from "../../server/serve/adapter.ts";
import { watchTraffic } from "../../server/serve/traffic.ts";
import { createUnsentLimit } from "../../server/serve/unsent.ts";
import { writeBody } from "../../server/serve/write-body.ts";
import { createCleanup } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const BYTES = 8_000_000;

/** Asks for one response after the other without reading any, each as `customer#number`; resolves to the ones that were closed. */
async function closedOf(asked: readonly string[], most: number): Promise<string[]> {
  const limit = createUnsentLimit({ bytes: most * BYTES, waitMs: 3_600_000, bytesAtOnce: most * BYTES });
  const closed: string[] = [];
  const sockets: Socket[] = [];
  const begun = new Map<string, () => void>();
  const server = createServer((req, res) => {
    const name = decodeURIComponent(req.url ?? "").slice(1);
    res.once("close", () => closed.push(name));
    res.end(Buffer.alloc(BYTES));
    limit(res, name.split("#", 1)[0]);
    begun.get(name)?.();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (const name of asked) {
    const isBegun = new Promise<void>((resolve) => void begun.set(name, resolve));
    const socket = connect(port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    socket.write(`GET /${encodeURIComponent(name)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    sockets.push(socket);
    await isBegun;
  }
  await new Promise((resolve) => void setTimeout(resolve, 50));
  const result = [...closed];
  for (const socket of sockets) socket.destroy();
  return result;
}

it("the oldest response is closed first, so that one that has just begun goes on", async () => {
  expect(await closedOf(["a#1", "a#2", "a#3", "a#4", "a#5"], 3.5)).toEqual(["a#1", "a#2"]);
});

it("a customer who asked for little keeps the response, whoever asked first", async () => {
  expect(await closedOf(["quiet#1", "a#1", "a#2", "a#3", "quiet#2", "a#4"], 4.5)).toEqual(["a#1", "a#2"]);
});

it("a response that waits for its turn is not taken for one that nobody reads", async () => {
  const limit = createUnsentLimit({ bytes: BYTES, waitMs: 3_600_000, bytesAtOnce: BYTES });
  const closed: string[] = [];
  const begin = (name: string, unsent: number) => {
    const destroy = (): void => void closed.push(name);
    return Object.assign(new EventEmitter(), { writableLength: unsent, write: () => false, destroy });
  };
  // The members that the limit and the writing of a body use.
  const count = (res: object): void => limit(res as ServerResponse, "a");
  const stuck = begin("stuck", 0.5 * BYTES);
  count(stuck);
  const held = begin("held", 0);
  void writeBody(held as unknown as ServerResponse, { content: Buffer.alloc(0.4 * BYTES), recipient: "a" });
  await new Promise((resolve) => void setTimeout(resolve, 20));
  count(held);
  // The system has taken a little more of it.
  stuck.writableLength -= 1_000;
  count(begin("next", 0.4 * BYTES));
  expect(closed).toEqual(["stuck"]);
});

it("small responses count where nobody reads them", async () => {
  const limit = createUnsentLimit({ bytes: 1_000_000, waitMs: 3_600_000, bytesAtOnce: 1_000_000 });
  const server = createServer((_req, res) => {
    res.end(Buffer.alloc(60_000));
    limit(res, undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => undefined);
  const isClosed = new Promise((resolve) => server.once("connection", (own) => own.once("close", resolve)));
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(300));
  await isClosed;
  socket.destroy();
});

it("what is unsent of streams counts, of which each holds no more than a piece", async () => {
  const piece = Buffer.alloc(BYTES);
  const server = createServer();
  const responses: ServerResponse[] = [];
  server.on("request", (_req, res) => void responses.push(res));
  const fetch = () => {
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(piece);
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    return new Answer({ status: 200, headers: [], body, recipient: "a" });
  };
  const app = { fetch } as unknown as H3;
  const below = {} as Parameters<typeof createNodeHandler>[1];
  server.on("request", createNodeHandler(app, below, watchTraffic(server)));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 30 }, () => {
    const socket = connect(port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    return socket;
  });
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const isWaiting = (res: ServerResponse): boolean => res.writableLength > 0;
  const isSettled = (): boolean => responses.every((res) => res.destroyed || isWaiting(res));
  await vi.waitUntil(() => responses.length === sockets.length && isSettled());
  const unsent = responses.filter((res) => !res.destroyed).length * BYTES;
  expect(unsent).toBeLessThanOrEqual(128_000_000 + BYTES);
  expect(unsent).toBeGreaterThan(60_000_000);
});
