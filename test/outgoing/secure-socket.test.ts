import { createCipheriv, createHmac } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { createFetch } from "../../server/outgoing/fetch.ts";
import { portOf, useTlsServers } from "../support/tls-server.ts";

const serve = useTlsServers();
const fetch = createFetch({ allowPrivate: false, allow: ["127.0.0.1"] });
beforeEach(() => void vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0"));
afterEach(() => void vi.unstubAllEnvs());

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";

it("reads a large response completely", async () => {
  const { port } = await serve({}, (socket) => void socket.end(HEAD + "bread ".repeat(300_000)));
  const answer = await fetch({ url: `https://127.0.0.1:${port}/` });
  expect(answer.text()).toHaveLength(1_800_000);
});

it("closes its connection where it reads no further, and where the server does not answer", async () => {
  const closed: string[] = [];
  const { port } = await serve({}, (socket) => {
    socket.once("data", (text: Uint8Array) => {
      const path = String(text).split(" ", 2)[1] ?? "";
      socket.on("close", () => closed.push(path));
      if (path === "/long") socket.write(HEAD + "bread ".repeat(300_000));
    });
  });
  const url = `https://127.0.0.1:${port}`;
  expect((await fetch({ url: `${url}/long`, bytesMax: 1_000 })).isCut).toBe(true);
  await expect(fetch({ url: `${url}/silent`, timeoutMs: 500 })).rejects.toThrow("timed out");
  await expect.poll(() => closed).toEqual(["/long", "/silent"]);
});

it("reports a connection that is refused", async () => {
  const { port, server } = await serve({}, () => undefined);
  server.close();
  await once(server, "close");
  await expect(fetch({ url: `https://127.0.0.1:${port}/` })).rejects.toThrow("ECONNREFUSED");
});

it("fails where the certificates of a server are longer than those of any website", async () => {
  const statusOf = async (copies: number) => {
    const { port } = await serve({ copies }, (socket) => void socket.end(HEAD));
    return (await fetch({ url: `https://127.0.0.1:${port}/` })).status;
  };
  expect(await statusOf(20)).toBe(200);
  await expect(statusOf(60)).rejects.toThrow("the server sends too much that is no response");
});

/** HKDF-Expand-Label of TLS 1.3 (RFC 8446 §7.1), for at most one hash. */
function expand(secret: Uint8Array, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac("sha256", secret).update(info).digest().subarray(0, length);
}

/** Records that change the key of a server and nothing else (RFC 8446 §4.6.3); the first has the number `sequence`. */
function keyUpdates(first: Uint8Array, sequence: number, count: number): Buffer {
  const records: Buffer[] = [];
  let secret = first;
  for (let sent = 0; sent < count; sent += 1) {
    const nonce = expand(secret, "iv", 12);
    nonce.writeUInt8(nonce.readUInt8(11) ^ (sent === 0 ? sequence : 0), 11);
    const cipher = createCipheriv("aes-128-gcm", expand(secret, "key", 16), nonce);
    const header = Buffer.from([23, 3, 3, 0, 22]);
    const body = cipher.setAAD(header).update(Buffer.from([24, 0, 0, 1, 0, 22]));
    records.push(header, body, cipher.final(), cipher.getAuthTag());
    secret = expand(secret, "traffic upd", 32);
  }
  return Buffer.concat(records);
}

/** Session tickets that a server of Node sends after its handshake, each in a record. */
const TICKETS = 2;

it("fails where a server changes its key without end", async () => {
  let secret = Buffer.alloc(0);
  let front: Socket | undefined;
  const { port, server } = await serve({ ciphers: "TLS_AES_128_GCM_SHA256" }, (socket) => {
    // Once its tickets have passed.
    socket.once("data", () => setTimeout(() => front?.write(keyUpdates(secret, TICKETS, 50_000)), 100));
  });
  server.on("keylog", (line: Buffer) => {
    const [name, , value = ""] = line.toString().trim().split(" ");
    if (name === "SERVER_TRAFFIC_SECRET_0") secret = Buffer.from(value, "hex");
  });
  const proxy = createServer((socket) => {
    front = socket.on("error", () => undefined);
    socket.pipe(connect(port, "127.0.0.1").on("error", () => undefined)).pipe(socket);
  });
  try {
    await expect(
      fetch({ url: `https://127.0.0.1:${await portOf(proxy)}/`, timeoutMs: 20_000 }),
    ).rejects.toThrow("the server sends too much that is no response");
  } finally {
    proxy.close();
    front?.destroy();
  }
});
