import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";

import { afterEach, expect, it } from "vitest";

import { createCleanup, eventually, serve } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const CLIENTS = 40;

it("clients that do not read large responses cannot fill the memory, and others are served", async () => {
  const server = await serve(cleanup);
  const operator = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
  const post = async (path: string, body: object) =>
    (
      await fetch(`${server.url}/api/platform/admin${path}`, {
        method: "POST",
        headers: operator,
        body: JSON.stringify(body),
      })
    ).json();
  const { customer_id } = (await post("/seed", {})).data;
  const { api_key: key } = (await post("/keys", { customer_id, preset: "full" })).data;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const line = { ref: "r".repeat(110), title: "x".repeat(140), quantity: 1, unit_price: 100 };
  const cart = {
    sequence: 1,
    customer: { email: null },
    lines: Array.from({ length: 200 }, () => line),
    total: 100,
    currency: "GBP",
    checkout_url: "https://shop.example/checkout",
  };
  for (let n = 0; n < 100; n += 1) {
    const url = `${server.url}/v1/cart/carts/large-${n}`;
    const made = await fetch(url, { method: "PUT", headers, body: JSON.stringify(cart) });
    await made.arrayBuffer();
    expect(made.status).toBe(200);
  }
  const path = "/v1/cart/carts?limit=100";
  const readAll = async () => (await fetch(server.url + path, { headers })).arrayBuffer();
  const { byteLength } = await readAll();
  expect(byteLength).toBeGreaterThan(5_000_000);

  const { port } = new URL(server.url);
  const begun: ServerResponse[] = [];
  const note = (message: unknown): void =>
    void begun.push((message as { response: ServerResponse }).response);
  subscribe("http.server.request.start", note);
  cleanup.add(() => unsubscribe("http.server.request.start", note));
  const sockets: { readonly socket: Socket; received: number }[] = [];
  cleanup.add(() => sockets.forEach(({ socket }) => socket.destroy()));
  for (let n = 0; n < CLIENTS; n += 1) {
    const socket = connect(Number(port), "127.0.0.1").pause();
    const client = { socket, received: 0 };
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => (client.received += bytes.length));
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    sockets.push(client);
  }
  await eventually(
    () => begun.length === CLIENTS && begun.every(({ headersSent, destroyed }) => headersSent || destroyed),
  );
  // Who reads is served meanwhile, in full.
  expect((await readAll()).byteLength).toBe(byteLength);

  for (const { socket } of sockets) socket.resume();
  const isComplete = ({ received }: { readonly received: number }): boolean => received >= byteLength;
  await eventually(() => sockets.every((each) => each.socket.destroyed || isComplete(each)));
  const complete = sockets.filter(isComplete).length;
  // What the system buffers of each connection is not counted: some of them are complete nevertheless.
  expect(complete).toBeLessThan(0.7 * CLIENTS);
  expect(complete).toBeGreaterThan(0);
}, 120_000);
