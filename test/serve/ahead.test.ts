import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, it } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createCleanup, eventually, freePort, serve } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const REQUEST = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n";

/** A connection that has sent so many requests at once; `text` is what came back. */
async function sendAhead(url: string, count: number) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const client = { socket, text: "", isClosed: false };
  cleanup.add(() => socket.destroy());
  socket.on("error", () => undefined).once("close", () => (client.isClosed = true));
  socket.on("data", (bytes) => (client.text += bytes.toString("latin1")));
  socket.write(REQUEST.repeat(count));
  return client;
}

const answersOf = ({ text }: { readonly text: string }): number => text.split("HTTP/1.1 404 ").length - 1;

it("answers some requests that are sent ahead of the answers, in order", async () => {
  const server = await serve(cleanup);
  const client = await sendAhead(server.url, 8);
  await eventually(() => answersOf(client) === 8);
  client.socket.write(REQUEST.repeat(8));
  await eventually(() => answersOf(client) === 16);
  expect(client.isClosed).toBe(false);
});

it("does not read on from a connection on which too many are", async () => {
  const server = await serve(cleanup);
  const client = await sendAhead(server.url, 9);
  client.socket.write(REQUEST);
  await eventually(() => client.isClosed);
  expect(answersOf(client)).toBe(8);
});

/** Counts the requests that Node makes of what it reads. */
function countMade(): () => number {
  let made = 0;
  const onStart = (): void => void (made += 1);
  subscribe("http.server.request.start", onStart);
  cleanup.add(() => unsubscribe("http.server.request.start", onStart));
  return () => made;
}

it("has Node make no requests of what follows", async () => {
  const made = countMade();
  const server = await serve(cleanup);
  const client = await sendAhead(server.url, 1_400);
  await eventually(() => client.isClosed);
  expect(made()).toBe(9);
});

it("closes a connection on which a thousand are, without working on them", async () => {
  const server = await serve(cleanup);
  const client = await sendAhead(server.url, 1_400);
  await eventually(() => client.isClosed);
  await sleep(200);
  expect(server.log.lines.filter((line) => line.includes('"status":404')).length).toBeLessThanOrEqual(8);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

it("keeps a thousand requests that come before it is ready, and closes the connections of others", async () => {
  const port = await freePort();
  const memory = createMemoryDriver({ clock: systemClock });
  let isListening = false;
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const get: typeof memory.get = async (key) => {
    // Read once the port is open.
    if (key.includes("freeze")) {
      isListening = true;
      await held;
    }
    return memory.get(key);
  };
  const starting = serve(cleanup, { "server.port": port }, { store: { ...memory, get } });
  await eventually(() => isListening);
  const url = `http://127.0.0.1:${port}`;
  const made = countMade();
  const clients: Awaited<ReturnType<typeof sendAhead>>[] = [];
  for (let n = 0; n < 125; n += 1) clients.push(await sendAhead(url, 8));
  await eventually(() => made() === 1_000);
  const late = await sendAhead(url, 1);
  await eventually(() => late.isClosed);
  expect(clients.some(({ isClosed }) => isClosed)).toBe(false);
  goOn();
  await starting;
  await eventually(() => clients.every((client) => answersOf(client) === 8));
});
