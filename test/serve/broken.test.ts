import { once } from "node:events";
import { Server } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";

import { H3 } from "h3";
import { expect, it } from "vitest";

import { createNodeHandler } from "../../server/serve/adapter.ts";
import { answerBrokenRequests, createFloodCheck } from "../../server/serve/broken.ts";
import { createNetworkOf } from "../../server/serve/crowd.ts";
import { watchTraffic } from "../../server/serve/traffic.ts";

it("answers and logs what is no request so often for a network, and closes its connections beyond that", () => {
  const lines: unknown[] = [];
  const log = { debug: () => 0, info: (line: unknown) => lines.push(line), warn: () => 0, error: () => 0 };
  const server = new Server();
  const networkOf = createNetworkOf(["93.184.217.1"]);
  let now = 0;
  const clock = { now: () => now };
  const isFlood = createFloodCheck(networkOf, clock);
  const deps = { newId: () => "req_1", clock, log, baseUrl: "https://api.shop.example", isFlood };
  answerBrokenRequests({ server, traffic: { answerOn: () => undefined } }, deps);
  /** How many of so many connections get an answer. */
  const answered = (count: number, remoteAddress: string, event = "clientError"): number => {
    const before = lines.length;
    for (let n = 0; n < count; n += 1) {
      const socket = Object.assign(new PassThrough(), { remoteAddress });
      if (event === "connect") server.emit("connect", { socket });
      else server.emit("clientError", new Error("Parse Error"), socket);
      expect(socket.destroyed || socket.writableEnded).toBe(true);
    }
    return lines.length - before;
  };
  expect(answered(310, "93.184.216.1")).toBe(300);
  expect(answered(10, "93.184.218.1")).toBe(10);
  expect([answered(300, "93.184.219.1", "connect"), answered(10, "93.184.219.1")]).toEqual([300, 0]);
  // Behind a proxy are the clients of all shops.
  expect([answered(310, "93.184.217.1"), answered(310, "10.0.0.7")]).toEqual([310, 310]);
  now = 60_000;
  expect(answered(10, "93.184.216.1")).toBe(10);
});

it("counts requests that Node accepts and HTTP forbids with them", async () => {
  let refused = 0;
  const server = new Server();
  const log = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };
  const deps = { newId: () => "req_1", clock: { now: () => 0 }, log, baseUrl: "https://api.shop.example" };
  const isFlood = (): boolean => (refused += 1) > 1;
  server.on("request", createNodeHandler(new H3(), { ...deps, isFlood }, watchTraffic(server)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const send = async (): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return text;
  };
  try {
    expect(await send()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await send()).toBe("");
  } finally {
    server.close();
  }
});
