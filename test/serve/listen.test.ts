import type { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer, Server as NetServer } from "node:net";
import type { Server } from "node:net";
import { join } from "node:path";
import { connect } from "node:tls";

import { afterEach, describe, expect, it, vi } from "vitest";

import { ConfigError } from "../../server/config/error.ts";
import { systemClock } from "../../server/core/clock.ts";
import { ServeError } from "../../server/serve/error.ts";
import { startOf } from "../../server/serve/process-start.ts";
import { startServer } from "../../server/serve.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { captureLog, createCleanup, freePort, load, makeFolder, serve } from "./rig.ts";
import type { Settings } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Somebody else's listener; resolves to its port. */
async function occupy(port = 0): Promise<number> {
  const other: Server = createServer().listen(port, "127.0.0.1");
  await new Promise<void>((resolve, reject) => other.once("listening", resolve).once("error", reject));
  cleanup.add(() => new Promise((resolve) => other.close(resolve)));
  const address = other.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const PUBLIC = { baseUrl: "https://api.shop.example", "mail.transport": "console" };

async function start(settings: Settings, dev: boolean, showsAddress = false) {
  const loaded = await load(await makeFolder(cleanup), settings, dev);
  const server = await startServer({ loaded, dev, showsAddress, log: captureLog() });
  cleanup.add(() => server.stop("test"));
  return server;
}

const failure = (settings: Settings, dev: boolean): Promise<unknown> =>
  start(settings, dev).then(
    () => expect.fail("it started"),
    (error: unknown) => error,
  );

describe("ports", () => {
  it("serve stays on its port: one that is taken is an error that names it", async () => {
    const port = await occupy();
    const error = await failure({ ...PUBLIC, "server.port": port }, false);
    expect(error).toBeInstanceOf(ServeError);
    expect(error).toMatchObject({ code: "PORT_IN_USE", message: `port ${port} is in use on 127.0.0.1` });
    expect(error).toHaveProperty("hint", expect.stringContaining("--port"));
  });

  it("dev takes the next free port and says so", async () => {
    const port = await occupy();
    const server = await start({ "server.port": port }, true);
    const bound = Number(new URL(server.url).port);
    expect(bound).toBeGreaterThan(port);
    expect(server.warnings).toContain(`Port ${port} is in use, listening on port ${bound} instead.`);
    expect(server.services.config.baseUrl).toBe(server.url);
  });

  it("dev finds the same port with what prints the address and without", async () => {
    const port = await occupy();
    const plain = await start({ "server.port": port }, true);
    const bound = plain.url;
    expect(plain.address).toBeNull();
    await plain.stop("test");
    const shown = await start({ "server.port": port }, true, true);
    expect(shown.address).toHaveProperty("showURL");
    expect(shown.url).toBe(bound);
  });

  it("of two that want one port at the same moment one gets it, the other is told", async () => {
    const port = await occupy();
    await cleanup.run();
    const settings = { ...PUBLIC, "server.port": port };
    const both = await Promise.allSettled([start(settings, false), start(settings, false)]);
    const failed = both.filter(({ status }) => status === "rejected");
    expect(failed.length).toBeLessThanOrEqual(1);
    for (const one of failed) expect(one).toHaveProperty("reason.code", "PORT_IN_USE");
  });

  it("serve opens its port once: a probe before it would reset the connections of a proxy", async () => {
    const port = await freePort();
    const listens = vi.spyOn(NetServer.prototype, "listen");
    cleanup.add(async () => listens.mockRestore());
    await start({ ...PUBLIC, "server.port": port }, false);
    expect(listens.mock.calls.filter(([at]) => JSON.stringify(at).includes(String(port)))).toHaveLength(1);
  });

  it("refuses a port that browsers refuse, instead of moving silently", async () => {
    expect(await failure({ ...PUBLIC, "server.port": 6000 }, false)).toMatchObject({ code: "ADDRESS" });
  });

  it.each(["192.0.2.1", "no_such_host", "nowhere.invalid"])(
    "names the host %s that is not ours",
    async (host) => {
      const error = await failure({ ...PUBLIC, "server.host": host }, false);
      expect(error).toMatchObject({ code: "ADDRESS", message: expect.stringContaining(host) });
    },
  );

  it("listens where it is told and nowhere else", async () => {
    const server = await start({ "server.host": "127.0.0.2" }, true);
    expect(new URL(server.url).hostname).toBe("127.0.0.2");
    await expect(fetch(server.url.replace("127.0.0.2", "127.0.0.1"))).rejects.toThrow();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it("leaves nothing open when it cannot start", async () => {
    const port = await occupy();
    const dir = await makeFolder(cleanup);
    const settings = { ...PUBLIC, "server.port": port, "storage.driver": "fs" };
    const loaded = await load(dir, settings, false);
    await expect(startServer({ loaded, log: captureLog() })).rejects.toThrow(ServeError);
    expect(existsSync(join(dir, "data", "run.json"))).toBe(false);
    // The lock on the data is free again.
    const next = await load(dir, { ...settings, "server.port": 0 }, false);
    const server = await startServer({ loaded: next, log: captureLog() });
    await server.stop("test");
  });
});

describe("what serve demands", () => {
  it("names baseUrl and mail.transport when nobody set them", async () => {
    const error = await failure({}, false);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toHaveProperty(
      "problems",
      expect.arrayContaining([
        expect.objectContaining({ path: "baseUrl" }),
        expect.objectContaining({ path: "mail.transport" }),
      ]),
    );
  });

  it("refuses the inbox of development on a public address", async () => {
    const error = await failure({ ...PUBLIC, "mail.transport": "dev" }, false);
    expect(error).toHaveProperty("problems", [expect.objectContaining({ path: "mail.transport" })]);
  });

  it("is content with a base URL and a transport, and warns of mail that goes nowhere", async () => {
    const server = await start(PUBLIC, false);
    expect(server.services.config.baseUrl).toBe("https://api.shop.example");
    expect(server.warnings.join()).toContain("no mail leaves this machine");
  });
});

describe("run file", () => {
  it("is there while the server is, for its user alone, and opens the operator's API", async () => {
    const server = await serve(cleanup, { "storage.driver": "fs" });
    expect(server.runFile).toBe(join(server.dir, "data", "run.json"));
    const { mode } = await stat(server.runFile);
    expect(mode & 0o777).toBe(0o600);
    const run = JSON.parse(await readFile(server.runFile, "utf8"));
    const started = startOf(process.pid);
    expect(run).toEqual({ pid: process.pid, url: server.url, token: server.adminToken, started });
    const asked = await fetch(`${run.url}/api/platform/admin/doctor`, {
      headers: { authorization: `Bearer ${run.token}` },
    });
    expect(asked.status).toBe(200);
    await server.stop("test");
    expect(existsSync(server.runFile)).toBe(false);
  });

  it("is there before the server says that it is ready, to requests as well that came while it started", async () => {
    const dir = await makeFolder(cleanup);
    const port = await freePort();
    const loaded = await load(dir, { "server.port": port });
    const memory = createMemoryDriver({ clock: systemClock });
    const wasThere: boolean[] = [];
    const store: StoreDriver = {
      ...memory,
      // Both /readyz and /healthz ask the store.
      ping: async () => void wasThere.push(existsSync(join(dir, ".platform", "run.json"))),
    };
    const starting = startServer({ loaded, dev: true, log: captureLog(), store });
    const ask = async (path: string): Promise<number> => {
      for (;;) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
        if (answer !== null) return answer.status;
      }
    };
    const asked = Promise.all([ask("/readyz"), ask("/healthz")]);
    const server = await starting;
    cleanup.add(() => server.stop("test"));
    expect(await asked).toEqual([200, 200]);
    expect(new Set(wasThere)).toEqual(new Set([true]));
  });

  it("lies beside the configuration where there is no data folder", async () => {
    const server = await serve(cleanup);
    expect(server.runFile).toBe(join(server.dir, ".platform", "run.json"));
  });

  it("is left alone when another server has written its own", async () => {
    const server = await serve(cleanup);
    await writeFile(server.runFile, '{"pid":1,"url":"http://x","token":"other"}');
    await server.stop("test");
    expect(existsSync(server.runFile)).toBe(true);
  });

  it("has a new token at every start", async () => {
    const tokens = [await serve(cleanup), await serve(cleanup)].map(({ adminToken }) => adminToken);
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^plat_admin_[0-9A-Za-z]{36}$/);
  });
});

describe("HTTPS", () => {
  const certificateOf = (url: string): Promise<X509Certificate> =>
    new Promise((resolve, reject) => {
      const socket = connect({
        host: "127.0.0.1",
        port: Number(new URL(url).port),
        rejectUnauthorized: false,
      });
      socket.once("error", reject).once("secureConnect", () => {
        const found = socket.getPeerX509Certificate();
        socket.destroy();
        if (found === undefined) reject(new Error("no certificate"));
        else resolve(found);
      });
    });

  it("makes a certificate of its own once, keeps it for its user alone, and uses it again", async () => {
    const dir = await makeFolder(cleanup);
    const settings = { "server.https": true };
    const prints: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const server = await startServer({ loaded: await load(dir, settings), dev: true, log: captureLog() });
      expect(server.url).toMatch(/^https:/);
      const certificate = await certificateOf(server.url);
      prints.push(certificate.fingerprint256);
      expect(certificate.checkHost("localhost")).toBe("localhost");
      expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
      await server.stop("test");
    }
    expect(prints[0]).toBe(prints[1]);
    expect((await stat(join(dir, ".platform", "tls", "key.pem"))).mode & 0o777).toBe(0o600);
  });

  it("serves a certificate and key from files", async () => {
    const first = await serve(cleanup, { "server.https": true });
    const folder = join(first.dir, ".platform", "tls");
    const files = {
      "server.https.cert": join(folder, "cert.pem"),
      "server.https.key": join(folder, "key.pem"),
    };
    const second = await serve(cleanup, files);
    const [one, other] = await Promise.all([certificateOf(first.url), certificateOf(second.url)]);
    expect(other.fingerprint256).toBe(one.fingerprint256);
  });

  it("names the file that is missing, and the pair that does not fit", async () => {
    const missing = { "server.https.cert": "/nowhere/cert.pem", "server.https.key": "/nowhere/key.pem" };
    expect(await failure(missing, true)).toMatchObject({
      code: "CERTIFICATE",
      message: "server.https.cert: cannot read /nowhere/cert.pem",
    });
    const dir = await makeFolder(cleanup);
    const file = join(dir, "no.pem");
    await writeFile(file, "not a certificate");
    expect(await failure({ "server.https.cert": file, "server.https.key": file }, true)).toMatchObject({
      code: "CERTIFICATE",
    });
  });
});
