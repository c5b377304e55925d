import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { RunningServer } from "../../../server/serve.ts";
import type { RunOptions } from "../run.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

/** Every control character but the line feed, and what turns the direction of writing. */
const MOVES_CURSOR = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;

let sandbox: ServiceSandbox;
let server: RunningServer;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = createServiceSandbox();
  server = await sandbox.serve();
  const seeded = (await sandbox.run(["seed", "--json"])).json().data;
  const key = await sandbox.run([
    "keys",
    "issue",
    "--customer",
    seeded.customer_id,
    "--preset",
    "full",
    "-q",
  ]);
  env = { PLATFORM_API_KEY: key.stdout.trim() };
});
afterAll(async () => {
  await server.stop("test");
  sandbox.remove();
});

const run = (argv: readonly string[], options: RunOptions = {}) =>
  sandbox.run(argv, { ...options, env: { ...env, ...options.env } });

describe("call to a real server", () => {
  it("0 sends a POST because the route is one, with the types of its schema", async () => {
    const argv = ["call", "/v1/delivery/validate", "-F", "postcode=SW1A 1AA", "-F", "basketTotal=2500"];
    const answer = await run(argv);
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.json().data).toMatchObject({ deliverable: true, basket_total: 2500 });
  });

  it("0 prints the very bytes on a pipe, and indents on a terminal", async () => {
    const piped = await run(["call", "/v1/delivery/settings"]);
    expect(piped.stdout).toMatch(/^\{"data":\{/);
    const shown = await run(["call", "/v1/delivery/settings"], { columns: 80 });
    expect(shown.stdout).toMatch(/^\{\n {2}"data": \{\n/);
    expect(shown.json().data).toEqual(piped.json().data);
  });

  it("0 merges all pages into one list", async () => {
    const paged = (await run(["call", "/v1/delivery/zones", "-F", "limit=1", "--all"])).json();
    const whole = (await run(["call", "/v1/delivery/zones", "-F", "limit=100"])).json();
    expect(whole.data.length).toBeGreaterThan(2);
    expect(paged.data).toEqual(whole.data);
    expect(paged.meta).toMatchObject({ pages: whole.data.length, items: whole.data.length });
    expect(paged.meta.pagination).toMatchObject({ has_more: false, next_cursor: null });
    expect(await run(["call", "/v1/delivery/settings", "--all"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("0 filters the whole document of all pages with --jq, as jq does", async () => {
    const whole = (await run(["call", "/v1/delivery/zones", "-F", "limit=100"])).json();
    const ids = whole.data.map(({ id }: { id: string }) => `${id}\n`).join("");
    const paged = ["call", "/v1/delivery/zones", "-F", "limit=1", "--all"];
    expect(await run([...paged, "--jq", ".data[].id"])).toMatchObject({ code: 0, stdout: ids, stderr: "" });
    const { stdout } = await run([...paged, "--jq", '{n: .meta.items, first: (.nothing // "none")}']);
    expect(stdout).toBe(`{"n":${whole.data.length},"first":"none"}\n`);
    expect(await run(["call", "/v1/delivery/zones", "--jq", "empty"])).toMatchObject({ code: 0, stdout: "" });
    expect(await run(["keys", "list", "--jq", ".meta.count"])).toMatchObject({ code: 0, stdout: "1\n" });
  });

  it("2 tells what jq says of a filter that is none", async () => {
    const { code, stdout, stderr } = await run(["call", "/v1/delivery/zones", "--jq", ".data["]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/syntax error/);
    expect((await run(["call", "/v1/delivery/zones", "--jq", ".data.id"])).code).toBe(2);
  });

  it("0 prints an item per line with --ndjson, of all pages, into a file as well", async () => {
    const whole = (await run(["call", "/v1/delivery/zones", "-F", "limit=100"])).json();
    const argv = ["call", "/v1/delivery/zones", "-F", "limit=1", "--ndjson"];
    const lines = (await run(argv)).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(whole.data);
    expect((await run([...argv, "--jq", ".id"])).stdout.trimEnd().split("\n")).toEqual(
      whole.data.map(({ id }: { id: string }) => id),
    );
    expect(await run([...argv, "-o", "zones.ndjson"])).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(join(sandbox.dir, "zones.ndjson"), "utf8")).toBe(`${lines.join("\n")}\n`);
    const ofEngine = await run(["delivery", "zones", "list", "--limit", "1", "--ndjson", "--jq", ".id"]);
    expect(ofEngine.stdout.trimEnd().split("\n")).toHaveLength(whole.data.length);
  });

  it("6 prints the refusal untouched, whatever the filter", async () => {
    const refused = await run(["call", "/v1/delivery/zones/zon_none", "--jq", ".data.id"]);
    expect(refused.code).toBe(6);
    expect(refused.json().error.status).toBe(404);
  });

  it("0 tells status and headers on stderr with -i", async () => {
    const { code, stdout, stderr } = await run(["call", "/v1/delivery/settings", "-i"]);
    expect(code).toBe(0);
    expect(() => JSON.parse(stdout)).not.toThrow();
    expect(stderr).toMatch(/^HTTP 200/);
    expect(stderr).toMatch(/^x-request-id: req_/m);
  });

  it("0 writes the body into a file, reads one from a file or stdin", async () => {
    expect(await run(["call", "/v1/delivery/settings", "-o", "out.json"])).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect(JSON.parse(readFileSync(join(sandbox.dir, "out.json"), "utf8")).data.id).toBe("settings");
    const body = JSON.stringify({ postcode: "SW1A 1AA", basketTotal: 1 });
    writeFileSync(join(sandbox.dir, "in.json"), body);
    const fromFile = await run(["call", "/v1/delivery/validate", "--input", "in.json"]);
    const fromStdin = await run(["call", "POST", "delivery/validate", "--input", "-"], { stdin: body });
    expect(fromFile.json().data).toMatchObject({ basket_total: 1 });
    expect(fromStdin.json().data).toEqual(fromFile.json().data);
  });

  it("0 does a thing once for one idempotency key", async () => {
    const zone = { name: "Once", patterns: ["ZE"], fee_tiers: [{ from: 0, fee: 100 }] };
    const argv = ["call", "POST", "/v1/delivery/zones", "--input", "-"];
    const first = await run([...argv, "--idempotency-key", "k-1"], { stdin: JSON.stringify(zone) });
    const again = await run([...argv, "--idempotency-key", "k-1"], { stdin: JSON.stringify(zone) });
    expect(first.code).toBe(0);
    expect(again.json().data).toEqual(first.json().data);
    const auto = await run([...argv, "--idempotency-key", "auto"], {
      stdin: JSON.stringify({ ...zone, name: "Auto", patterns: ["HS"] }),
    });
    expect(auto.stderr).toMatch(/^Idempotency-Key: [0-9a-f-]{36}\n$/);
  });

  it.each([
    ["404", ["call", "/v1/delivery/zones/zon_01KDVDNA00GGGGGGGGGGGGGGGZ"], 6, "not_found"],
    [
      "422",
      ["call", "/v1/delivery/validate", "-F", "postcode=1", "-F", "basketTotal=lots"],
      7,
      "unprocessable_content",
    ],
    ["405", ["call", "PATCH", "/v1/delivery/zones"], 7, "method_not_allowed"],
    ["404 of an unknown route", ["call", "/v1/nothing/at/all"], 6, "not_found"],
  ])("%s: body on stdout, class in the exit code, reason on stderr", async (_, argv, code, type) => {
    const answer = await run(argv);
    expect(answer.code).toBe(code);
    expect(answer.json().error.type).toBe(type);
    expect(answer.stderr).toContain("✖");
    const asJson = await run([...argv, "--json", "--quiet"]);
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      error: { type },
      exit_code: code,
      request_id: expect.stringMatching(/^req_/),
    });
    expect(await run([...argv, "--no-fail"])).toMatchObject({ code: 0 });
  });

  it("5 for a store of somebody else, 4 for a broken key", async () => {
    expect(await run(["call", "/v1/delivery/zones", "--store", "not-mine"])).toMatchObject({ code: 5 });
    const broken = { PLATFORM_API_KEY: `plat_live_${"0".repeat(36)}` };
    expect(await run(["call", "/v1/delivery/zones"], { env: broken })).toMatchObject({ code: 4 });
  });

  it("0 names the invalid places of a request", async () => {
    const { stderr } = await run([
      "call",
      "/v1/delivery/validate",
      "-F",
      "postcode=SW1A 1AA",
      "-F",
      "basketTotal=x",
    ]);
    expect(stderr).toMatch(/^ +#\/basketTotal /m);
  });
});

describe("commands of an engine", () => {
  it("0 lists, creates, changes and deletes", async () => {
    const zones = await run(["delivery", "zones", "list", "--limit", "2"]);
    expect(zones.json().data).toHaveLength(2);
    const tiers = JSON.stringify([{ from: 0, fee: 250 }]);
    const made = await run([
      "delivery",
      "zones",
      "create",
      "--name",
      "Orkney",
      "--patterns",
      "KW15",
      "--patterns",
      "KW16",
      "--fee-tiers",
      tiers,
    ]);
    expect(made).toMatchObject({ code: 0 });
    const { id, version } = made.json().data;
    expect(made.json().data).toMatchObject({
      patterns: ["KW15", "KW16"],
      fee_tiers: [{ from: 0, fee: 250 }],
    });
    const stale = ["delivery", "zones", "update", id, "--name", "Shetland", "--if-match", "999999"];
    expect(await run(stale)).toMatchObject({ code: 7 });
    const changed = await run([
      "delivery",
      "zones",
      "update",
      id,
      "--name",
      "Shetland",
      "--if-match",
      String(version),
    ]);
    expect(changed.json().data.name).toBe("Shetland");
    expect(await run(["delivery", "zones", "remove", id])).toMatchObject({ code: 0, stdout: "" });
    expect(await run(["delivery", "zones", "get", id])).toMatchObject({ code: 6 });
  });

  it("0 --dry-run shows what it would send", async () => {
    const { stdout } = await run([
      "delivery",
      "validate",
      "--postcode",
      "12345",
      "--basket-total",
      "100",
      "--dry-run",
    ]);
    expect(stdout).toContain(`--data-raw '{"postcode":"12345","basketTotal":100}'`);
  });

  it("2 refuses a flag that the route has not", async () => {
    const { code, stderr } = await run(["delivery", "zones", "list", "--limt", "2"]);
    expect(code).toBe(2);
    expect(stderr).toContain("  try  --limit");
  });
});

describe("call to a server in trouble", () => {
  const open: Server[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) {
      one.closeAllConnections();
      one.close();
    }
  });

  /** Answers with each of the handlers in turn, the last one for ever. */
  async function troubled(...handlers: ((req: IncomingMessage, res: ServerResponse) => void)[]) {
    let asked = 0;
    const bad = createServer((req, res) => {
      handlers[Math.min(asked, handlers.length - 1)]?.(req, res);
      asked += 1;
    }).listen(0, "127.0.0.1");
    open.push(bad);
    await once(bad, "listening");
    const address = bad.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const call = (argv: readonly string[]) => run(["call", ...argv, "--url", `http://127.0.0.1:${port}`]);
    return { call, asked: () => asked };
  }

  const answer =
    (status: number, body: string, headers: Record<string, string> = {}) =>
    (_: IncomingMessage, res: ServerResponse) => {
      res.writeHead(status, { "content-type": "application/json", ...headers });
      res.end(body);
    };
  const ok = answer(200, '{"data":[],"meta":{"request_id":"req_1"}}');
  const hangUp = (req: IncomingMessage): void => void req.socket.destroy();

  it("9 does not try again unless told", async () => {
    const bad = await troubled(answer(503, "{}"));
    expect(await bad.call(["/v1/tiers/customers"])).toMatchObject({ code: 9 });
    expect(bad.asked()).toBe(1);
  });

  it("0 tries again after 503 and after a broken connection", async () => {
    const bad = await troubled(answer(503, "{}"), hangUp, ok);
    expect(await bad.call(["/v1/tiers/customers", "--retry", "2"])).toMatchObject({ code: 0 });
    expect(bad.asked()).toBe(3);
  });

  it("9 does not repeat a write without an idempotency key; 0 repeats it with one", async () => {
    const write = ["POST", "/v1/reviews", "-f", "a=b", "--retry", "3"];
    const first = await troubled(answer(502, "{}"), ok);
    expect(await first.call(write)).toMatchObject({ code: 9 });
    expect(first.asked()).toBe(1);
    const keys: unknown[] = [];
    const note = (next: typeof ok) => (req: IncomingMessage, res: ServerResponse) => {
      keys.push(req.headers["idempotency-key"]);
      next(req, res);
    };
    const second = await troubled(note(answer(502, "{}")), note(ok));
    expect(await second.call([...write, "--idempotency-key", "auto"])).toMatchObject({ code: 0 });
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it("0 tries again after as many seconds as the server asks for, and while the key of the first request is in use", async () => {
    const busy = answer(503, "{}", { "retry-after": "2" });
    const bad = await troubled(busy, answer(409, "{}", { "retry-after": "1" }), ok);
    const startedAt = performance.now();
    const write = ["POST", "/v1/reviews", "-f", "a=b", "--retry", "2", "--idempotency-key", "auto"];
    const done = await bad.call(write);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain("HTTP 503. Retrying in 2 s.");
    expect(performance.now() - startedAt).toBeGreaterThan(2_900);
  });

  it("9 and 7 at once where the server asks for minutes, and where a retry does not help", async () => {
    const frozen = await troubled(answer(503, "{}", { "retry-after": "300" }));
    expect(await frozen.call(["/v1/tiers/customers", "--retry", "2"])).toMatchObject({ code: 9 });
    const refused = await troubled(answer(409, "{}"));
    expect(await refused.call(["/v1/tiers/customers", "--retry", "2"])).toMatchObject({ code: 7 });
    expect([frozen.asked(), refused.asked()]).toEqual([1, 1]);
  });

  it("names the option only where it exists, with the time that it takes", async () => {
    const long = await troubled(answer(429, "{}", { "retry-after": "3600" }));
    expect((await long.call(["/v1/tiers/customers"])).stderr).toContain(
      "wait 3600 s; platform call waits with --wait-on-429 3600s",
    );
  });

  it("8 for 429; 0 when told to wait for the next window", async () => {
    const full = answer(429, '{"error":{"type":"too_many_requests"}}', { "retry-after": "1" });
    const bad = await troubled(full, full, ok);
    expect(await bad.call(["/v1/tiers/customers"])).toMatchObject({ code: 8 });
    const waited = await bad.call(["/v1/tiers/customers", "--wait-on-429"]);
    expect(waited).toMatchObject({ code: 0, stdout: '{"data":[],"meta":{"request_id":"req_1"}}' });
    expect(waited.stderr).toContain("retrying in 1 s");
    const long = await troubled(answer(429, "{}", { "retry-after": "3600" }));
    expect(await long.call(["/v1/tiers/customers", "--wait-on-429", "5s"])).toMatchObject({ code: 8 });
  });

  it("10 for no answer in time, also in the middle of a body", async () => {
    const silent = await troubled(() => undefined);
    expect(await silent.call(["/v1/tiers/customers", "--timeout", "100ms"])).toMatchObject({ code: 10 });
    const stuck = await troubled((_, res) => {
      res.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      res.write("half");
    });
    const late = await stuck.call(["/v1/tiers/customers", "--timeout", "200ms"]);
    expect(late).toMatchObject({ code: 10, stdout: "" });
    expect(late.stderr).toContain("No response within 0.2 s.");
  });

  it("0 passes bytes on untouched, 10 refuses an answer that is not ours", async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x1b, 0x5b, 0x32, 0x4a]);
    const odd = await troubled((_, res) => {
      res.writeHead(200, { "content-type": "application/octet-stream", "x-request-id": "req_1" });
      res.end(bytes);
    });
    await odd.call(["/v1/forms/uploads/upl_1/content", "-o", "bytes"]);
    expect(readFileSync(join(sandbox.dir, "bytes"))).toEqual(bytes);
    const page = await troubled(answer(200, "<html>", { "content-type": "text/html" }));
    const listed = await run(["keys", "list", "--url", await urlOf(page)], {
      env: { PLATFORM_ADMIN_TOKEN: "plat_admin_x" },
    });
    expect(listed).toMatchObject({ code: 10, stdout: "" });
  });

  it("0 writes a body as it arrives, and leaves the file as it was where the rest does not come", async () => {
    const file = join(sandbox.dir, "export.csv");
    const path = "/v1/forms/uploads/upl_1/content";
    const upTo = async (end: (res: ServerResponse) => void) =>
      troubled((_, res) => {
        res.writeHead(200, { "content-type": "application/octet-stream", "x-request-id": "req_1" });
        res.write("a,b\n");
        const seen = setInterval(() => {
          // What has arrived is in the draft before the rest is sent.
          if (!existsSync(`${file}.part`) || readFileSync(`${file}.part`, "utf8") === "") return;
          clearInterval(seen);
          end(res);
        }, 5);
        res.on("close", () => clearInterval(seen));
      });
    writeFileSync(file, "yesterday", { mode: 0o640 });
    const cut = await upTo((res) => res.destroy());
    expect(await cut.call([path, "-o", "export.csv"])).toMatchObject({ code: 10 });
    expect(readFileSync(file, "utf8")).toBe("yesterday");
    expect(existsSync(`${file}.part`)).toBe(false);
    const whole = await upTo((res) => res.end("1,2\n"));
    expect(await whole.call([path, "-o", "export.csv"])).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe("a,b\n1,2\n");
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it("leaves the file of a list as it was where a page fails", async () => {
    const file = join(sandbox.dir, "all.ndjson");
    writeFileSync(file, "yesterday");
    const page = '{"data":[{"id":"a"}],"meta":{"request_id":"req_1","pagination":{"next_cursor":"c1"}}}';
    const bad = await troubled(answer(200, page), answer(404, '{"error":{"type":"not_found"}}'));
    expect(await bad.call(["/v1/tiers/customers", "--ndjson", "-o", "all.ndjson"])).toMatchObject({
      code: 6,
    });
    expect(readFileSync(file, "utf8")).toBe("yesterday");
  });

  it("writes to a pipe, and through a link to its file", async () => {
    const pipe = join(sandbox.dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    const piped = promisify(execFile)("cat", [pipe]);
    symlinkSync("real", join(sandbox.dir, "link"));
    writeFileSync(join(sandbox.dir, "real"), "");
    const bad = await troubled(
      answer(200, "a", { "content-type": "application/octet-stream", "x-request-id": "req_1" }),
    );
    for (const name of ["pipe", "link"])
      expect(await bad.call(["/v1/forms/uploads/upl_1/content", "-o", name])).toMatchObject({ code: 0 });
    expect((await piped).stdout).toBe("a");
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(lstatSync(join(sandbox.dir, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(sandbox.dir, "real"), "utf8")).toBe("a");
  });

  async function urlOf({
    call,
  }: {
    call: (argv: readonly string[]) => Promise<{ stdout: string }>;
  }): Promise<string> {
    const { stdout } = await call(["/v1/tiers/customers", "--dry-run"]);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? "";
  }

  it("follows no redirect with the key", async () => {
    const bad = await troubled(answer(302, "", { location: "http://127.0.0.1:1/elsewhere" }));
    const redirected = await bad.call(["/v1/tiers/customers", "-i"]);
    expect(redirected.code).toBe(10);
    expect(redirected.stderr).toContain("returned 302, a redirect to http://127.0.0.1:1/elsewhere");
    expect(bad.asked()).toBe(1);
  });

  it("10 where a page leads to itself, as behind a cache that ignores the query", async () => {
    const same = '{"data":[{"id":"a"}],"meta":{"request_id":"req_1","pagination":{"next_cursor":"c1"}}}';
    const bad = await troubled((req, res) => answer(bad.asked() < 9 ? 200 : 500, same)(req, res));
    const paged = await bad.call(["/v1/tiers/customers", "--all"]);
    expect(paged).toMatchObject({ code: 10, stdout: "" });
    expect(paged.stderr).toContain("the same page twice");
    const listed = await run(["keys", "list", "--all", "--url", await urlOf(bad)], {
      env: { PLATFORM_ADMIN_TOKEN: "plat_admin_x" },
    });
    expect(listed.code).toBe(10);
    expect(bad.asked()).toBe(4);
  });

  it("shows nothing that moves the cursor", async () => {
    const evil = '{"data":"\\u001b[2Jx\u009b31m","meta":{"request_id":"req_1","note":"\u202egnp"}}';
    const bad = await troubled(answer(200, evil));
    const url = await urlOf(bad);
    const shown = await run(["call", "/v1/tiers/customers", "--url", url], { columns: 80 });
    expect(shown.code).toBe(0);
    expect(shown.stdout).not.toMatch(MOVES_CURSOR);
    expect(shown.json().data).toContain("x");
    const broken = await troubled(answer(404, '{"error":{"title":"\\u001b[2J","detail":"a\\nb\\u0007"}}'));
    const failed = await run(["keys", "list", "--url", await urlOf(broken)], {
      env: { PLATFORM_ADMIN_TOKEN: "plat_admin_x" },
    });
    expect(failed.stderr).not.toMatch(MOVES_CURSOR);
    expect(failed.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(4);
  });
});
