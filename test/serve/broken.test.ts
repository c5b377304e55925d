import { Server } from "node:http";
import { PassThrough } from "node:stream";

import { expect, it } from "vitest";

import { answerBrokenRequests } from "../../server/serve/broken.ts";
import { createNetworkOf } from "../../server/serve/crowd.ts";

it("answers and logs what is no request so often for a network, and closes its connections beyond that", () => {
  const lines: unknown[] = [];
  const log = { debug: () => 0, info: (line: unknown) => lines.push(line), warn: () => 0, error: () => 0 };
  const server = new Server();
  const networkOf = createNetworkOf(["93.184.217.1"]);
  let now = 0;
  const deps = { newId: () => "req_1", clock: { now: () => now }, log, baseUrl: "https://api.shop.example" };
  answerBrokenRequests({ server, traffic: { answerOn: () => undefined }, networkOf }, deps);
  /** How many of so many connections get an answer. */
  const answered = (count: number, remoteAddress: string): number => {
    const before = lines.length;
    for (let n = 0; n < count; n += 1) {
      const socket = Object.assign(new PassThrough(), { remoteAddress });
      server.emit("clientError", new Error("Parse Error"), socket);
      expect(socket.destroyed || socket.writableEnded).toBe(true);
    }
    return lines.length - before;
  };
  expect(answered(310, "93.184.216.1")).toBe(300);
  expect(answered(10, "93.184.218.1")).toBe(10);
  // Behind a proxy are the clients of all shops.
  expect([answered(310, "93.184.217.1"), answered(310, "10.0.0.7")]).toEqual([310, 310]);
  now = 60_000;
  expect(answered(10, "93.184.216.1")).toBe(10);
});
