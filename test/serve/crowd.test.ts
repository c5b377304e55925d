import { Server, Socket } from "node:net";

import { beforeEach, expect, it } from "vitest";

import { createNetworkOf, limitCrowds } from "../../server/serve/crowd.ts";
import { many } from "../support/longest-turn.ts";

let server: Server;
beforeEach(() => {
  server = new Server();
  server.maxConnections = 1_000;
  limitCrowds(server, createNetworkOf(["198.51.0.0/16", "93.184.217.1"]));
});

function connect(remoteAddress: string): Socket {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress });
  server.emit("connection", socket);
  return socket;
}
const openOf = (sockets: readonly Socket[]): number => sockets.filter(({ destroyed }) => !destroyed).length;

it.each([
  ["an address", (n: number) => (n % 2 === 0 ? "93.184.216.1" : "::ffff:93.184.216.1")],
  ["an IPv6 /48", (n: number) => `2606:4700:1:${n.toString(16)}::1`],
])("leaves places of %s that holds almost all to others, its oldest first", async (_, addressOf) => {
  const sockets = many(899, (n) => connect(addressOf(n)));
  expect(openOf(sockets)).toBe(899);
  const others = many(20, (n) => connect(`93.184.218.${n}`));
  expect([openOf(others), openOf(sockets), openOf(sockets.slice(0, 20))]).toEqual([20, 879, 0]);
  await new Promise(setImmediate);
  // Who opens more loses as many.
  const more = many(200, (n) => connect(addressOf(n)));
  expect([openOf(others), openOf(sockets) + openOf(more)]).toEqual([20, 879]);
});

it("closes no connection of a proxy, of a private network, or of one of many addresses", () => {
  const peers = ["10.0.0.7", "93.184.217.1", "198.51.1.1", "127.0.0.1"];
  const sockets = many(899, (n) => connect(peers[n % peers.length] ?? ""));
  const visitors = many(101, (n) => connect(`93.184.216.${n}`));
  expect([openOf(sockets), openOf(visitors)]).toEqual([899, 101]);
});
