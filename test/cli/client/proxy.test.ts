import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { proxyOf } from "../../../cli/client/proxy.ts";
import { loadConfig } from "../../../server/config/load.ts";
import { startServer } from "../../../server/serve.ts";
import type { RunningServer } from "../../../server/serve.ts";
import { createSandbox } from "../run.ts";
import type { Sandbox } from "../run.ts";

let sandbox: Sandbox;
let secure: RunningServer;
let plain: RunningServer;
let proxy: Awaited<ReturnType<typeof startProxy>>;

beforeAll(async () => {
  sandbox = createSandbox();
  createCertificates(sandbox.dir);
  secure = await serve("secure", {
    cert: join(sandbox.dir, "server.pem"),
    key: join(sandbox.dir, "server.key"),
  });
  plain = await serve("plain", false);
  proxy = await startProxy();
});
afterAll(async () => {
  await Promise.all([secure.stop("test"), plain.stop("test")]);
  proxy.close();
  sandbox.remove();
});

/** A certificate for `localhost`, signed by an authority of its own. */
function createCertificates(dir: string): void {
  const openssl = (...args: readonly string[]): void =>
    void execFileSync("openssl", args, { cwd: dir, stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=Test CA",
    "-days",
    "2",
  );
  openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost");
  writeFileSync(join(dir, "names"), "subjectAltName=DNS:localhost\n");
  const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
  openssl("x509", "-req", "-in", "server.csr", ...signing, "-extfile", "names", "-out", "server.pem");
}

async function serve(name: string, https: false | { cert: string; key: string }): Promise<RunningServer> {
  const config = {
    storage: { driver: "fs", base: `./${name}` },
    server: { port: 0, host: "127.0.0.1", https },
    log: { level: "silent" },
  };
  const file = join(sandbox.dir, `${name}.json`);
  writeFileSync(file, JSON.stringify(config));
  const loaded = await loadConfig({ cwd: sandbox.dir, configFile: file, env: {}, dev: true });
  return startServer({ loaded, dev: true });
}

/** A forward proxy that records its requests; refuses hosts that begin with `blocked`. */
async function startProxy() {
  const seen: string[] = [];
  const note = ({ method, url, headers }: IncomingMessage): void =>
    void seen.push(`${method} ${url} ${headers["proxy-authorization"] ?? "-"}`);
  const server: Server = createServer((req, res) => {
    note(req);
    const { "proxy-authorization": _, ...headers } = req.headers;
    const passed = request(req.url ?? "", { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(passed);
  });
  server.on("connect", (req: IncomingMessage, client, head: Buffer) => {
    note(req);
    if (req.url?.startsWith("blocked") === true) return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const port = Number((req.url ?? "").split(":").at(-1));
    const target = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on("error", () => client.destroy());
    client.on("error", () => target.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    host: `127.0.0.1:${port}`,
    take: () => seen.splice(0),
    close: () => server.close().closeAllConnections(),
  };
}

const portOf = ({ url }: RunningServer): string => new URL(url).port;
const openapi = (url: string, ...more: readonly string[]) => [
  "openapi",
  "--url",
  url,
  "--jq",
  ".openapi",
  ...more,
];
const PASSED = { code: 0, stdout: "3.1.0\n" };
const BASIC = `Basic ${Buffer.from("ada:p@ss").toString("base64")}`;

describe("--cacert", () => {
  it("10 without it for a private authority; 0 with it", async () => {
    const url = `https://localhost:${portOf(secure)}`;
    const refused = await sandbox.run(openapi(url));
    expect(refused.code).toBe(10);
    expect(refused.stderr).toContain("--cacert <file>");
    expect(await sandbox.run(openapi(url, "--cacert", "ca.pem"))).toMatchObject(PASSED);
    // Another host of the same authority is not accepted.
    const other = await sandbox.run(openapi(url.replace("localhost", "127.0.0.1"), "--cacert", "ca.pem"));
    expect(other.code).toBe(10);
    expect(await sandbox.run(openapi(url, "--cacert", "none.pem"))).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("a forward proxy", () => {
  it("0 is used for https by CONNECT, with its credentials", async () => {
    const url = `https://localhost:${portOf(secure)}`;
    const env = { HTTPS_PROXY: `http://ada:p%40ss@${proxy.host}` };
    expect(await sandbox.run(openapi(url, "--cacert", "ca.pem"), { env })).toMatchObject(PASSED);
    expect(proxy.take()).toEqual([`CONNECT localhost:${portOf(secure)} ${BASIC}`]);
    const untrusted = await sandbox.run(openapi(url), { env });
    expect(untrusted).toMatchObject({ code: 10, stderr: expect.stringContaining("--cacert") });
    proxy.take();
  });

  it("0 is used for http with the whole URL", async () => {
    const url = `http://127.0.0.1:${portOf(plain)}`;
    expect(await sandbox.run(openapi(url), { env: { http_proxy: proxy.host } })).toMatchObject(PASSED);
    expect(proxy.take()).toEqual([`GET ${url}/openapi.json -`]);
  });

  it("0 is not used for hosts of NO_PROXY, nor for the server of this folder", async () => {
    const url = `https://localhost:${portOf(secure)}`;
    const env = { HTTPS_PROXY: `http://${proxy.host}`, HTTP_PROXY: proxy.host, NO_PROXY: "localhost" };
    expect(await sandbox.run(openapi(url, "--cacert", "ca.pem"), { env })).toMatchObject(PASSED);
    const local = await sandbox.run(["-c", "plain.json", "customers", "list"], { env });
    expect(local).toMatchObject({ code: 0 });
    expect(proxy.take()).toEqual([]);
  });

  it("10 with its status when it refuses, and when it is not there", async () => {
    const env = { HTTPS_PROXY: proxy.host };
    const refused = await sandbox.run(openapi("https://blocked.example"), { env });
    expect(refused.code).toBe(10);
    expect(refused.stderr).toContain("refused to connect to blocked.example:443 with status 403");
    proxy.take();
    const absent = await sandbox.run(openapi("https://shop.example"), {
      env: { HTTPS_PROXY: "127.0.0.1:9" },
    });
    expect(absent.code).toBe(10);
    expect(absent.stderr).toContain("The proxy 127.0.0.1:9 cannot be reached (ECONNREFUSED).");
    const invalid = await sandbox.run(openapi("https://shop.example"), {
      env: { HTTPS_PROXY: "socks5://a.test" },
    });
    expect(invalid.code).toBe(10);
    expect(invalid.stderr).toContain("not an http or https URL");
  });
});

describe("NO_PROXY", () => {
  it.each([
    ["*", "https://a.test", true],
    ["a.test", "https://a.test", true],
    ["a.test", "https://b.a.test", true],
    [".a.test", "https://b.a.test", true],
    ["*.a.test", "https://b.a.test", true],
    ["a.test", "https://ba.test", false],
    ["a.test:443", "https://a.test", true],
    ["a.test:8443", "https://a.test", false],
    ["b.test, a.test", "http://a.test:8080", true],
    ["[::1]:80", "http://[::1]", true],
    ["::1", "http://[::1]:3000", true],
    ["", "https://a.test", false],
  ])("%j excludes %s: %s", (list, url, excluded) => {
    const env = { ALL_PROXY: "proxy.test:3128", NO_PROXY: list };
    expect(proxyOf(new URL(url), env)?.href ?? null).toBe(excluded ? null : "http://proxy.test:3128/");
  });
});
