import type { Server, Socket } from "node:net";

import { addressNetwork, clientAddress, createMatcher } from "../http/client-address.ts";
import { isClientAddress } from "../lib/addresses.ts";

/** Share of all connections from which on places are kept for others. */
const CROWDED = 0.9;
/** With fewer of them no network keeps others out. */
const FEW = 100;

/** The network of the internet that a connection comes from; null for a proxy, and within a private network. */
export function createNetworkOf(trustedProxies: readonly string[]): (socket: Socket) => string | null {
  const isProxy = createMatcher(trustedProxies);
  return ({ remoteAddress = "" }) => {
    const address = clientAddress(remoteAddress, undefined, []) ?? "";
    return isClientAddress(address) && !isProxy(address) ? addressNetwork(address) : null;
  };
}

/**
 * Where few connections are left, the network of the internet with most of them loses its oldest one for each new one. Beyond its maximum
 * the server closes new connections at once: one client that opens so many would keep all others out. Proxies are no network of this kind.
 */
export function limitCrowds(server: Server, networkOf: ReturnType<typeof createNetworkOf>): void {
  const networks = new Map<string, Set<Socket>>();
  let count = 0;

  function end(network: string, socket: Socket): void {
    const own = networks.get(network);
    own?.delete(socket);
    if (own?.size === 0) networks.delete(network);
  }

  server.on("connection", (socket: Socket) => {
    count += 1;
    socket.once("close", () => (count -= 1));
    const network = networkOf(socket);
    if (network !== null) {
      networks.set(network, (networks.get(network) ?? new Set()).add(socket));
      socket.once("close", () => end(network, socket));
    }
    if (count < server.maxConnections * CROWDED) return;
    let most = "";
    for (const [network, { size }] of networks) if (size > (networks.get(most)?.size ?? FEW)) most = network;
    const [oldest] = networks.get(most) ?? [];
    if (oldest === undefined) return;
    end(most, oldest);
    oldest.destroy();
  });
}
