import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import type { TlsOptions, TLSSocket } from "node:tls";

import { afterEach } from "vitest";

export async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Starts TLS servers with a self-signed certificate, sent `copies` times, which are closed after the test. */
export function useTlsServers(): (
  options: TlsOptions & { readonly copies?: number },
  accept: (socket: TLSSocket) => void,
) => Promise<{ readonly server: Server; readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), "platform-tls-"));
  const files = ["-keyout", "key.pem", "-out", "cert.pem"];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, "-subj", "/CN=localhost"];
  execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const [key = "", cert = ""] = ["key.pem", "cert.pem"].map((name) =>
    readFileSync(join(folder, name), "utf8"),
  );
  rmSync(folder, { recursive: true });
  const sockets = new Set<TLSSocket>();
  const servers: Server[] = [];
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });
  return async ({ copies = 1, ...options }, accept) => {
    const server = createServer({ ...options, key, cert: cert.repeat(copies) }, (socket) => {
      sockets.add(socket.on("error", () => undefined));
      accept(socket);
    });
    servers.push(server);
    return { server, port: await portOf(server) };
  };
}
