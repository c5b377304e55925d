import { createConnection, createServer } from "node:net";
import type { Socket } from "node:net";

/** A proxy in front of a server, which loses answers on demand: what was asked is done, and nobody is told. */
export interface Proxy {
  readonly port: number;
  /** Passes requests on and loses every answer, until `mend`. */
  swallow(): void;
  /** Breaks every connection, and passes answers again on new ones. */
  mend(): void;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((client) => {
    const upstream = createConnection(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    }
    client.on("data", (bytes) => upstream.write(bytes)).on("close", () => upstream.end());
    upstream.on("data", (bytes) => silent || client.write(bytes)).on("close", () => client.destroy());
  });
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    swallow() {
      silent = true;
    },
    mend() {
      breakAll();
      silent = false;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      breakAll();
      await closed;
    },
  };
}
