import { createConnection, createServer } from "node:net";
import type { Socket } from "node:net";

/** A proxy in front of a server, which loses answers on demand: what was asked is done, and nobody is told. */
export interface Proxy {
  readonly port: number;
  /** Passes requests on and loses every answer. */
  swallow(): void;
  /** Passes answers again, but only on new connections: what has lost a part of its answers is of no more use. */
  pass(): void;
  /** Breaks every connection, then passes. */
  mend(): void;
  close(): Promise<void>;
}

interface Line {
  readonly sockets: readonly Socket[];
  silent: boolean;
}

export async function startProxy(target: number): Promise<Proxy> {
  const lines = new Set<Line>();
  let silent = false;
  const server = createServer((client) => {
    const upstream = createConnection(target, "127.0.0.1");
    const line: Line = { sockets: [client, upstream], silent };
    lines.add(line);
    for (const socket of line.sockets) socket.on("error", () => socket.destroy());
    client.on("data", (bytes) => upstream.write(bytes));
    client.on("close", () => {
      lines.delete(line);
      upstream.end();
    });
    upstream.on("data", (bytes) => line.silent || client.write(bytes)).on("close", () => client.destroy());
  });
  const breakAll = (): void => {
    for (const { sockets } of lines) for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const pass = (): void => {
    silent = false;
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    swallow() {
      silent = true;
      for (const line of lines) line.silent = true;
    },
    pass,
    mend() {
      breakAll();
      pass();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      breakAll();
      await closed;
    },
  };
}
