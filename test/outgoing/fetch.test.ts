import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { afterEach, describe, expect, it } from "vitest";

import { fetchFollowing } from "../../server/core/fetching.ts";
import { OutgoingError } from "../../server/core/ports.ts";
import { createFetch } from "../../server/outgoing/fetch.ts";
import { createGuard } from "../../server/outgoing/guard.ts";
import type { Resolve } from "../../server/outgoing/guard.ts";
import { createPost } from "../../server/outgoing/post.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Listens on one loopback address; all of 127/8 is this machine. */
async function serve(
  handle: (req: IncomingMessage, res: ServerResponse) => void,
  address = "127.0.0.1",
): Promise<{ port: number; url: string }> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://${address}:${port}/page` };
}

const guarded = createFetch({ allowPrivate: false });
const here = createFetch({ allowPrivate: false, allow: ["127.0.0.1"] });
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "answered",
    (error: unknown) => (error instanceof OutgoingError ? error.fault : error),
  );
/** Answers each look-up with the next of these. */
function resolverOf(...answers: readonly (readonly string[])[]): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve: Resolve = (host, _family, done) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(host);
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return Object.assign(resolve, { asked });
}

describe("fetch", () => {
  it("gives status, headers and body, whatever they are", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const { url } = await serve((req, res) => {
      seen.push(req.headers);
      res.writeHead(404, { "content-type": "text/html; charset=iso-8859-1", "x-a": ["1", "2"] });
      res.end(Buffer.from("Caf\xe9", "latin1"));
    });
    const answer = await here({ url, headers: { "x-test": "1" } });
    expect(answer).toMatchObject({ status: 404, isCut: false, location: null, headers: { "x-a": "1, 2" } });
    expect(answer.text()).toBe("Café");
    expect(seen[0]).toMatchObject({ "x-test": "1", "user-agent": "storefront-platform" });
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("decodes %s", async (name, pack) => {
    const { url } = await serve((_, res) =>
      res.writeHead(200, { "content-encoding": name }).end(pack("bread")),
    );
    expect((await here({ url })).text()).toBe("bread");
  });

  it("leaves a response that unpacks to nothing, without end", async () => {
    const empty = Buffer.concat(Array.from({ length: 5_000 }, () => gzipSync("")));
    let isClosed = false;
    const { url } = await serve((_, res) => {
      res.writeHead(200, { "content-encoding": "gzip" }).once("close", () => (isClosed = true));
      const goOn = (): void => {
        while (!res.destroyed && res.write(empty));
      };
      res.on("drain", goOn);
      goOn();
    });
    await expect(here({ url })).rejects.toThrow("unpacks to less than it has");
    await expect.poll(() => isClosed).toBe(true);
  });

  it.each([
    ["plain", undefined],
    ["gzip", gzipSync],
  ] as const)("reads so many bytes and no more: %s", async (name, pack) => {
    const body = Buffer.alloc(5_000_000, "x");
    const { url } = await serve((_, res) => {
      res.writeHead(200, pack === undefined ? {} : { "content-encoding": name });
      res.end(pack === undefined ? body : pack(body));
    });
    const answer = await here({ url, bytesMax: 1000 });
    expect([answer.body.length, answer.isCut]).toEqual([1000, true]);
    expect((await here({ url })).body).toHaveLength(2_000_000);
  });

  it("says when it was told a wrong encoding", async () => {
    const { url } = await serve((_, res) => res.writeHead(200, { "content-encoding": "gzip" }).end("plain"));
    expect(await faultOf(here({ url }))).toBe("unknown");
  });

  it.each([
    ["an answer that never comes", (): void => undefined],
    ["an answer that never ends", (_: IncomingMessage, res: ServerResponse): void => void res.write("x")],
    ["a connection that is cut", (req: IncomingMessage): void => void req.socket.destroy()],
  ])("gives up on %s", async (_, handle) => {
    const { url } = await serve(handle);
    expect(await faultOf(here({ url, timeoutMs: 200 }))).toBe("unknown");
  });

  it("stops when it is told to", async () => {
    const { url } = await serve(() => undefined);
    const stop = new AbortController();
    const asked = faultOf(here({ url, signal: stop.signal }));
    stop.abort();
    expect(await asked).toBe("unknown");
  });

  it("asks for the head alone", async () => {
    const { url } = await serve((req, res) => res.end(req.method === "HEAD" ? "" : "body"));
    expect((await here({ url, method: "HEAD" })).status).toBe(200);
  });

  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://localhost/",
    "http://shop.example:22/",
    "http://user:secret@shop.example/",
    "ftp://shop.example/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "nonsense",
    "",
  ])("does not reach %s", async (url) =>
    expect(await faultOf(guarded({ url }))).toBe(
      // A name is refused by what it leads to, once it is looked up.
      "refused",
    ),
  );
});

describe("names", () => {
  it.each([
    ["loopback", ["127.0.0.1"]],
    ["private", ["10.1.2.3"]],
    ["link-local", ["169.254.169.254"]],
    ["mapped", ["::ffff:127.0.0.1"]],
    ["one of several", ["93.184.216.34", "127.0.0.1"]],
  ])("that lead to an address that is not public are refused: %s", async (_, addresses) => {
    const resolve = resolverOf(addresses);
    const fetch = createFetch({ allowPrivate: false, resolve });
    expect(await faultOf(fetch({ url: "http://shop.example/" }))).toBe("refused");
    expect(resolve.asked).toEqual(["shop.example"]);
  });

  it("are refused in the same words whether the name is private or does not exist", async () => {
    const missing: Resolve = (host, _family, done) => done(new Error(`getaddrinfo ENOTFOUND ${host}`), []);
    const texts = await Promise.all(
      [resolverOf(["10.1.2.3"]), missing].map((resolve) =>
        createFetch({ allowPrivate: false, resolve })({ url: "http://intranet.example/" }).catch(
          (error: unknown) => (error instanceof OutgoingError ? [error.fault, error.message] : error),
        ),
      ),
    );
    expect(texts[0]).toEqual(["refused", "intranet.example has no public address."]);
    expect(texts[1]).toEqual(texts[0]);
  });

  it("are looked up once: what was checked is what is connected to", async () => {
    let reached = "";
    const good = await serve((_, res) => res.end("good"), "127.0.0.2");
    // A name that rebinds would lead here the second time, and find a listener on the same port.
    const evil = createServer((_, res) => {
      reached = "evil";
      res.end("evil");
    });
    servers.push(evil);
    await new Promise<void>((done) => evil.listen(good.port, "127.0.0.3", done));
    const resolve = resolverOf(["127.0.0.2"], ["127.0.0.3"]);
    const fetch = createFetch({ allowPrivate: false, allow: ["127.0.0.2/32"], resolve });
    // The port is not one of those for everybody: the name is, by its address, no more trusted than any other.
    expect(await faultOf(fetch({ url: `http://rebind.example:${good.port}/` }))).toBe("refused");
    const trusting = createFetch({ allowPrivate: false, allow: ["rebind.example"], resolve });
    expect((await trusting({ url: `http://rebind.example:${good.port}/` })).text()).toBe("good");
    expect([resolve.asked.length, reached]).toEqual([1, ""]);
  });
});

describe("what the operator lets through", () => {
  it.each([
    [["10.0.0.0/8"], "http://10.2.3.4:9000/"],
    [["fd00::/8"], "http://[fd00::5]/"],
    [["intranet.example"], "http://intranet.example:9000/"],
    [["*.intranet.example"], "http://a.b.intranet.example/"],
  ])("%j opens %s", async (allow, url) => {
    const { trusts, lets } = createGuard({ allowPrivate: false, allow });
    const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
    expect(trusts(host) || lets(host)).toBe(true);
  });

  it.each([
    [["10.0.0.0/8"], "11.0.0.1", true],
    [["10.0.0.0/8"], "192.168.0.1", false],
    [["*.intranet.example"], "intranet.example", false],
    [["*.intranet.example"], "evilintranet.example", false],
    [["intranet.example"], "a.intranet.example", false],
  ])("%j says of %s: %s", (allow, host, expected) => {
    const { trusts, lets } = createGuard({ allowPrivate: false, allow });
    expect(trusts(host) || lets(host)).toBe(expected);
  });

  it("holds for posts as well", async () => {
    const { url } = await serve((_, res) => res.end("taken"));
    const post = createPost({ allowPrivate: false, allow: ["127.0.0.0/8"] });
    expect(await post({ url, headers: {}, body: "{}", timeoutMs: 2000 })).toEqual({
      status: 200,
      body: "taken",
    });
  });
});

describe("redirects", () => {
  it("are told, not followed", async () => {
    const { url } = await serve((_, res) => res.writeHead(301, { location: "/there?a=1" }).end());
    expect(await here({ url })).toMatchObject({ status: 301, location: new URL("/there?a=1", url).href });
  });

  it("are followed hop by hop when one wants to, to the last but so many", async () => {
    const { url } = await serve((req, res) => {
      const step = Number(new URL(req.url ?? "/", "http://x").searchParams.get("n") ?? 0);
      if (step < 3) res.writeHead(302, { location: `/page?n=${step + 1}` }).end();
      else res.end("there");
    });
    const followed = await fetchFollowing(here, { url });
    expect(followed.answer.text()).toBe("there");
    expect(followed.hops).toHaveLength(4);
    expect((await fetchFollowing(here, { url }, 1)).answer.status).toBe(302);
  });

  it("into a private network are refused at that hop", async () => {
    for (const location of [
      "http://169.254.169.254/",
      "http://127.0.0.9/",
      "file:///etc/passwd",
      "http://[::1]/",
    ]) {
      const { url } = await serve((_, res) => res.writeHead(302, { location }).end());
      expect(await faultOf(fetchFollowing(here, { url }))).toBe("refused");
    }
  });

  it("in a circle end", async () => {
    const { url } = await serve((_, res) => res.writeHead(302, { location: "/page" }).end());
    expect(await faultOf(fetchFollowing(here, { url }))).toBe("unknown");
  });

  it("take no credentials to another host", async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((req, res) => {
      seen.push(req.headers.authorization, String(req.headers["x-test"]));
      res.end();
    });
    const { url } = await serve((_, res) => res.writeHead(302, { location: other.url }).end());
    await fetchFollowing(here, { url, headers: { Authorization: "Bearer x", "x-test": "1" } });
    expect(seen).toEqual([undefined, "1"]);
  });
});
