import { getDiffieHellman } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";
import type { TlsOptions } from "node:tls";

import { describe, expect, it } from "vitest";

import { createClientContext } from "../../server/outgoing/client-context.ts";
import { createFetch } from "../../server/outgoing/fetch.ts";
import { createPost } from "../../server/outgoing/post.ts";
import { useTlsServers } from "../support/tls-server.ts";

const serve = useTlsServers();

const derOf = (tag: number, value: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, value]);
};

/** Parameters of Diffie-Hellman that no certificate authority and no client has agreed to, as PEM. */
function parametersOf(prime: Buffer): string {
  const numbers = [derOf(2, Buffer.concat([Buffer.from([0]), prime])), derOf(2, Buffer.from([2]))];
  const text = derOf(0x30, Buffer.concat(numbers)).toString("base64").replaceAll(/.{64}/g, "$&\n");
  return `-----BEGIN DH PARAMETERS-----\n${text}\n-----END DH PARAMETERS-----\n`;
}

const dhe: TlsOptions = {
  ciphers: "DHE-RSA-AES128-GCM-SHA256",
  dhparam: parametersOf(getDiffieHellman("modp14").getPrime()),
  maxVersion: "TLSv1.2",
};
const shared = { host: "127.0.0.1", rejectUnauthorized: false };

describe("a server that makes handshakes expensive", () => {
  const options = { allowPrivate: false, allow: ["127.0.0.1"] };
  const post = createPost(options);
  const fetch = createFetch(options);
  it.each([
    ["post", (url: string) => post({ url, headers: {}, body: "{}", timeoutMs: 3_000 })],
    ["fetch", (url: string) => fetch({ url, timeoutMs: 3_000 })],
  ])("is refused where it insists on Diffie-Hellman with a prime of its own: %s", async (_, send) => {
    const { port } = await serve(dhe, () => undefined);
    // Others get as far as its certificate.
    await expect(send(`https://127.0.0.1:${port}/`)).rejects.toThrow("handshake failure");
  });

  it("is refused where it insists on a finite field in TLS 1.3", async () => {
    const { port } = await serve({ ecdhCurve: "ffdhe8192" }, () => undefined);
    const socket = connect({ ...shared, port, secureContext: createClientContext() });
    await expect(once(socket, "secureConnect")).rejects.toThrow("handshake failure");
  });

  it("gets no second handshake in a connection", async () => {
    const outcomes: string[] = [];
    const { port } = await serve({ maxVersion: "TLSv1.2" }, (socket) => {
      socket.renegotiate({}, () => {
        outcomes.push("second handshake");
      });
    });
    const socket = connect({ ...shared, port, secureContext: createClientContext() });
    socket.on("error", () => outcomes.push("refused")).resume();
    await expect.poll(() => outcomes[0]).toBe("refused");
    socket.destroy();
  });
});

it.each(["TLSv1.2", "TLSv1.3"] as const)("speaks %s with other servers", async (version) => {
  const { port } = await serve({ maxVersion: version, minVersion: version }, (socket) => socket.end());
  const socket = connect({ ...shared, port, secureContext: createClientContext() });
  await once(socket, "secureConnect");
  expect(socket.getProtocol()).toBe(version);
  socket.destroy();
});
