import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { OutgoingError } from "../../server/core/ports.ts";
import { isPublicAddress } from "../../server/lib/addresses.ts";
import { createPost } from "../../server/outgoing/post.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  server = createServer(handle);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/pay`;
}

const open = createPost({ allowPrivate: true });
const guarded = createPost({ allowPrivate: false });
const request = (url: string, timeoutMs = 2_000) => ({
  url,
  headers: { "x-test": "1" },
  body: '{"a":"é"}',
  timeoutMs,
});
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "answered",
    (error: unknown) => (error instanceof OutgoingError ? error.fault : error),
  );

describe("post", () => {
  it("sends the body with its headers, and gives whatever answer came", async () => {
    const seen: string[] = [];
    const url = await serve((req, res) => {
      req.setEncoding("utf8").on("data", (text: string) => seen.push(text));
      req.on("end", () => {
        seen.push(String(req.headers["x-test"]), String(req.headers["content-length"]));
        res.writeHead(418).end("teapot");
      });
    });
    expect(await open(request(url))).toEqual({ status: 418, body: "teapot" });
    expect(seen).toEqual(['{"a":"é"}', "1", "10"]);
  });

  it("follows no redirect", async () => {
    const url = await serve((_, res) => res.writeHead(302, { location: "/elsewhere" }).end());
    expect((await open(request(url))).status).toBe(302);
  });

  it("reads 64 KB of an answer at most", async () => {
    const url = await serve((_, res) => res.end("x".repeat(1_000_000)));
    expect((await open(request(url))).body).toHaveLength(65_536);
  });

  it.each([
    ["an answer that never comes", (): void => undefined],
    ["a connection that is cut", (req: IncomingMessage): void => void req.socket.destroy()],
  ])("%s may have been carried out: unknown", async (_, handle) => {
    expect(await faultOf(open(request(await serve(handle), 300)))).toBe("unknown");
  });

  it("a connection that never came about: refused", async () => {
    const url = await serve(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    expect(await faultOf(open(request(url)))).toBe("refused");
  });

  it.each([
    "http://shop.example/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::ffff:10.0.0.1]/",
    "https://user:secret@shop.example/",
    "https://shop.example:22/",
    "file:///etc/passwd",
    "nonsense",
  ])("does not reach %s", async (url) => expect(await faultOf(guarded(request(url)))).toBe("refused"));
});

describe("isPublicAddress", () => {
  it.each(["8.8.8.8", "1.1.1.1", "2a00:1450:4009::1"])("%s is", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.8.8.8",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "fc00::1",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "not an address",
  ])("%s is not", (address) => expect(isPublicAddress(address)).toBe(false));
});
