import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSystemRandom } from "../../../server/core/ids.ts";
import { makeKey } from "../../../server/core/key-format.ts";
import { namespaces } from "../../../server/registry.ts";
import { createSandbox } from "../run.ts";
import type { Sandbox } from "../run.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.remove());

const random = createSystemRandom();

describe("keys scan", () => {
  it("11 finds a real key and shows it masked", async () => {
    const key = makeKey("live", random);
    mkdirSync(join(sandbox.dir, "src"));
    writeFileSync(join(sandbox.dir, "src", "app.js"), `// one\nconst key = "${key}";\n`);
    const { code, stdout, stderr, json } = await sandbox.run(["keys", "scan", ".", "--json"]);
    expect(code).toBe(11);
    expect(json().data).toEqual([
      { file: "src/app.js", line: 2, column: 14, kind: "live", key: `plat_live_…${key.slice(-4)}` },
    ]);
    expect(stdout + stderr).not.toContain(key);
  });

  it("0 passes over a key with a wrong checksum, node_modules and links", async () => {
    const key = makeKey("live", random);
    const broken = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
    writeFileSync(join(sandbox.dir, "example.md"), `${broken} plat_live_${"x".repeat(36)}`);
    mkdirSync(join(sandbox.dir, "node_modules"));
    writeFileSync(join(sandbox.dir, "node_modules", "a.txt"), key);
    symlinkSync(join(sandbox.dir, "node_modules"), join(sandbox.dir, "loop"));
    const { code, json } = await sandbox.run(["keys", "scan", ".", "--json"]);
    expect({ code, ...json() }).toEqual({ code: 0, data: [], meta: { count: 0, files: 1 } });
  });

  it("11 looks into .env, and into other hidden files when told", async () => {
    writeFileSync(join(sandbox.dir, ".env"), `KEY=${makeKey("admin", random)}\n`);
    writeFileSync(join(sandbox.dir, ".hidden"), makeKey("pub", random));
    expect((await sandbox.run(["keys", "scan", "."])).rows().map(([file]) => file)).toEqual([".env"]);
    const all = await sandbox.run(["keys", "scan", ".", "--hidden"]);
    expect(all.rows().map(([file]) => file)).toEqual([".env", ".hidden"]);
  });

  it("2 names a path that is not there", async () => {
    const { code, stderr } = await sandbox.run(["keys", "scan", "nowhere"]);
    expect(code).toBe(2);
    expect(stderr).toContain("nowhere");
  });
});

describe("routes", () => {
  const shown = namespaces
    .flatMap(({ auth, routes }) => (auth === "admin" ? [] : routes))
    .filter(({ hidden }) => !hidden);

  it("0 lists the registry without a server", async () => {
    const { code, json, stderr } = await sandbox.run(["routes", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(
      json()
        .data.map(({ id }: { id: string }) => id)
        .sort(),
    ).toEqual(shown.map(({ id }) => id).sort());
  });

  it("0 filters by scope and by method", async () => {
    const { rows } = await sandbox.run(["routes", "tiers", "--scope", "tiers:read", "--method", "get"]);
    expect(rows().length).toBeGreaterThan(0);
    for (const [method, path, scope] of rows()) {
      expect({ method, scope }).toEqual({ method: "GET", scope: "tiers:read" });
      expect(path).toMatch(/^\/v1\/tiers\//);
    }
  });

  it("2 names an unknown namespace", async () => {
    expect(await sandbox.run(["routes", "nothing"])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("openapi", () => {
  it("0 prints the document; --check agrees with it", async () => {
    const printed = await sandbox.run(["openapi"]);
    expect(printed.code).toBe(0);
    expect(printed.json().openapi).toBe("3.1.0");
    writeFileSync(join(sandbox.dir, "golden.json"), printed.stdout);
    expect(await sandbox.run(["openapi", "--check", "golden.json"])).toMatchObject({ code: 0, stdout: "" });
  });

  it("11 names what differs", async () => {
    const golden = (await sandbox.run(["openapi"])).json();
    const [path = ""] = Object.keys(golden.paths);
    delete golden.paths[path];
    golden.paths["/v1/gone"] = { get: {} };
    writeFileSync(join(sandbox.dir, "golden.json"), JSON.stringify(golden));
    const { code, rows } = await sandbox.run(["openapi", "--check", "golden.json"]);
    expect(code).toBe(11);
    expect(rows()).toContainEqual(["removed", "GET /v1/gone"]);
    expect(rows().some(([change, what]) => change === "added" && what?.endsWith(path))).toBe(true);
  });

  it("0 writes into a file", async () => {
    const { code, stdout } = await sandbox.run(["openapi", "-o", "out.json"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(JSON.parse(readFileSync(join(sandbox.dir, "out.json"), "utf8")).openapi).toBe("3.1.0");
  });
});

describe("mail preview", () => {
  it("0 renders the example, and data from a file", async () => {
    const example = await sandbox.run(["mail", "preview", "verify", "--part", "text"]);
    expect(example.code).toBe(0);
    expect(example.stdout).toContain("https://api.shop.example/api/platform/verify?token=");
    const link = "https://shop.test/api/platform/verify?token=abc";
    writeFileSync(
      join(sandbox.dir, "ada.json"),
      JSON.stringify({ link: `${link}&a=<b>`, store_identifier: "s1", expires_at: "2026-01-01T00:00:00Z" }),
    );
    const own = await sandbox.run(["mail", "preview", "verify", "--data", "@ada.json", "--json"]);
    expect(own.json().data.text).toContain(link);
    expect(own.json().data.html).toContain("&lt;b&gt;");
  });

  it.each([
    [["mail", "preview", "nothing"], "No mail template"],
    [["mail", "preview", "verify", "--data", "no.json"], "no.json cannot be read"],
    [["mail", "preview", "verify", "--part", "pdf"], '--part "pdf"'],
    [["mail", "preview"], "<template> is required (no terminal to prompt on)"],
  ])("2 %j", async (argv, why) => {
    const { code, stdout, stderr } = await sandbox.run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(why);
  });
});

describe("config", () => {
  it("0 shows every setting, with its origin and secrets masked", async () => {
    const env = { PLATFORM_PORT: "4001", PLATFORM_ADMIN_TOKEN: "a-token-of-thirty-characters-x" };
    const { code, stdout, rows } = await sandbox.run(["config", "show", "--origin"], { env });
    expect(code).toBe(0);
    expect(rows()).toContainEqual(["server.port", "4001", "env PLATFORM_PORT"]);
    expect(rows()).toContainEqual(["admin.token", "***", "env PLATFORM_ADMIN_TOKEN"]);
    expect(stdout).not.toContain(env.PLATFORM_ADMIN_TOKEN);
  });

  it("2 tells every problem of a configuration", async () => {
    writeFileSync(
      join(sandbox.dir, "platform.config.json"),
      JSON.stringify({ server: { prot: 1, host: 5 } }),
    );
    const { code, stdout, stderr } = await sandbox.run(["config", "check"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^✖ platform\.config\.json: 2 problems\n/);
    const asJson = await sandbox.run(["config", "check", "--json"]);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { type: "invalid_config" }, exit_code: 2 });
  });

  it("2 demands of `serve` what `dev` does not need", async () => {
    expect(await sandbox.run(["config", "check"])).toMatchObject({ code: 2 });
    expect(await sandbox.run(["config", "check", "--dev"])).toMatchObject({ code: 0 });
  });

  it("0 tells the file in use, and a JSON schema", async () => {
    const file = join(sandbox.dir, "platform.config.json");
    writeFileSync(file, "{}");
    expect((await sandbox.run(["config", "path"])).stdout).toBe(`${file}\n`);
    expect((await sandbox.run(["config", "schema"])).json().properties).toHaveProperty("server");
  });
});

describe("init", () => {
  it("0 writes a configuration that `dev` can load, once", async () => {
    const { code, json } = await sandbox.run(["init", "shop", "--yes", "--json"]);
    expect(code).toBe(0);
    expect(json().data.files.map(({ file }: { file: string }) => file)).toEqual([
      "shop/platform.config.ts",
      "shop/.env",
      "shop/.gitignore",
    ]);
    expect(statSync(join(sandbox.dir, "shop", ".env")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(sandbox.dir, "shop", ".gitignore"), "utf8")).toContain(".env\n");
    const again = await sandbox.run(["init", "shop", "--yes"]);
    expect(again).toMatchObject({ code: 2, stdout: "" });
    expect(again.stderr).toContain("--force");
  });

  it("names the next command as it can be typed here", async () => {
    const next = async (path: string) =>
      (await sandbox.run(["init", "shop", "--yes", "--force"], { env: { PATH: path } })).stderr;
    expect(await next("/nowhere")).toMatch(/^Next: cd shop && node \S+ dev$/m);
    mkdirSync(join(sandbox.dir, "node_modules", ".bin"), { recursive: true });
    writeFileSync(join(sandbox.dir, "node_modules", ".bin", "platform"), "");
    expect(await next("/nowhere")).toContain("Next: cd shop && npx platform dev");
    writeFileSync(join(sandbox.dir, "platform"), "");
    expect(await next(sandbox.dir)).toContain("Next: cd shop && platform dev");
  });

  it("0 leaves an .env and the lines of a .gitignore alone", async () => {
    writeFileSync(join(sandbox.dir, ".env"), "A=1\n");
    writeFileSync(join(sandbox.dir, ".gitignore"), "node_modules\n.env");
    expect(await sandbox.run(["init", "--yes", "--format", "json", "--mail", "smtp"])).toMatchObject({
      code: 0,
    });
    expect(readFileSync(join(sandbox.dir, ".env"), "utf8")).toBe("A=1\n");
    const lines = readFileSync(join(sandbox.dir, ".gitignore"), "utf8").split("\n");
    expect(lines.filter((line) => line === ".env")).toEqual([".env"]);
    const check = await sandbox.run(["config", "check", "--dev"], {
      env: { PLATFORM_SMTP_URL: "smtp://u:p@mail.test:587" },
    });
    expect(check).toMatchObject({ code: 0 });
  });

  it("2 refuses a driver that it does not know", async () => {
    expect(await sandbox.run(["init", "--storage", "tape"])).toMatchObject({ code: 2 });
    expect(existsSync(join(sandbox.dir, "platform.config.ts"))).toBe(false);
  });
});

describe("words that name nothing", () => {
  it.each([
    ["customers", "show", ""],
    ["stores", "show", "."],
    ["keys", "revoke", "key_1", " ", "--yes"],
    ["customers", "delete", "..", "--confirm", "a@b.test"],
    ["jobs", "run", ".."],
    ["delivery", "zones", "get", ".."],
    ["call", ""],
    ["init", ""],
  ])("2 %s %s %s", async (...argv) => {
    const { code, stdout, stderr } = await sandbox.run(argv);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/why {2}"[ .]*" is not a valid <[a-z-]+>\./);
  });

  it("leaves folders alone", async () => {
    expect(await sandbox.run(["keys", "scan", "."])).toMatchObject({ code: 0 });
  });
});

describe("completion", () => {
  const offers = async (...words: string[]): Promise<string[]> =>
    (await sandbox.run(["complete", "--", ...words])).stdout
      .split("\n")
      .map((line) => line.split("\t", 1)[0] ?? "")
      .filter((word) => word !== "" && !word.startsWith(":"));

  it("knows the values of arguments and options that the registry knows", async () => {
    expect(await offers("keys", "issue", "--scope", "delivery:")).toEqual([
      "delivery:read",
      "delivery:write",
      "delivery:manage",
      "delivery:public",
      "delivery:submit",
    ]);
    expect(await offers("keys", "issue", "--preset", "")).toEqual(["read-only", "full"]);
    expect(await offers("jobs", "run", "delivery.")).toContain("delivery.sweep-holds");
    expect(await offers("routes", "deli")).toEqual(["delivery"]);
  });

  it("knows the profiles, and none where their file is broken", async () => {
    await sandbox.run(["profiles", "add", "production", "--url", "https://api.shop.test"]);
    expect(await offers("profiles", "use", "")).toEqual(["production"]);
    expect(await offers("--profile", "")).toEqual(["production"]);
    writeFileSync(join(sandbox.dir, ".home", "platform", "profiles.json"), "{");
    expect(await offers("profiles", "use", "")).toEqual([]);
  });
});

describe("call --retry", () => {
  it("does not try again where a key is missing", async () => {
    const { code, stderr } = await sandbox.run(
      "call /v1/account --retry 2 --url http://127.0.0.1:1".split(" "),
    );
    expect(code).toBe(4);
    expect(stderr).not.toContain("again");
  });
});

describe("profiles", () => {
  const add = (name: string) => ["profiles", "add", name, "--url", "https://api.shop.test/", "--store", "s1"];
  const file = (): string => join(sandbox.dir, ".home", "platform", "profiles.json");

  it("0 adds, lists, uses and removes; the file is its owner's alone", async () => {
    expect(await sandbox.run(add("prod"))).toMatchObject({ code: 0 });
    expect(await sandbox.run(add("staging"))).toMatchObject({ code: 0 });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const listed = (await sandbox.run(["profiles", "list", "--json"])).json();
    expect(listed.data).toEqual([
      { name: "prod", url: "https://api.shop.test", store: "s1", key: "", token: "", current: true },
      { name: "staging", url: "https://api.shop.test", store: "s1", key: "", token: "", current: false },
    ]);
    expect(await sandbox.run(["profiles", "use", "staging"])).toMatchObject({ code: 0 });
    expect((await sandbox.run(["profiles", "show", "--json"])).json().data).toMatchObject({
      target: "remote",
      url: "https://api.shop.test",
      profile: "staging",
      store: "s1",
    });
    expect(await sandbox.run(["profiles", "remove", "staging", "--yes"])).toMatchObject({ code: 0 });
    expect((await sandbox.run(["profiles", "list"])).rows()).toHaveLength(1);
  });

  it.each([
    [["profiles", "use", "nothing"], 6],
    [["profiles", "remove", "nothing", "--yes"], 6],
    [["profiles", "add", "local", "--url", "http://a.test"], 2],
    [["profiles", "add", "a/b", "--url", "http://a.test"], 2],
    [["profiles", "add", "prod", "--url", "nonsense"], 2],
    [["profiles", "add", "prod"], 2],
    [["-p", "nothing", "keys", "list"], 2],
  ])("%j ends with %i", async (argv, code) => {
    expect(await sandbox.run(argv)).toMatchObject({ code, stdout: "" });
  });

  it("2 does not overwrite a file that is no file of profiles", async () => {
    mkdirSync(join(sandbox.dir, ".home", "platform"), { recursive: true });
    writeFileSync(file(), "not json");
    expect(await sandbox.run(add("prod"))).toMatchObject({ code: 2 });
    expect(readFileSync(file(), "utf8")).toBe("not json");
  });

  it("logout forgets the key and keeps the address", async () => {
    const key = makeKey("live", random);
    const login = await sandbox.run(
      ["login", "--url", "https://api.shop.test", "--key-file", "-", "--no-check"],
      { stdin: `${key}\n` },
    );
    expect(login).toMatchObject({ code: 0 });
    expect(login.stdout + login.stderr).not.toContain(key);
    expect(readFileSync(file(), "utf8")).toContain(key);
    const shown = await sandbox.run(["profiles", "show"]);
    expect(shown.stdout).toContain(`plat_live_…${key.slice(-4)}`);
    expect(shown.stdout).not.toContain(key);
    expect(await sandbox.run(["logout"])).toMatchObject({ code: 0 });
    expect(readFileSync(file(), "utf8")).not.toContain(key);
    expect(readFileSync(file(), "utf8")).toContain("https://api.shop.test");
  });

  it("login takes the token of the configuration, which can be any text of its length", async () => {
    const token = "k7!vX$2#pQ9&mL4*rT8@wZ1%";
    const argv = ["login", "--url", "https://api.shop.test", "--key-file", "-", "--no-check"];
    expect(await sandbox.run(argv, { stdin: `${token}\n` })).toMatchObject({ code: 0 });
    const { profiles } = JSON.parse(readFileSync(file(), "utf8"));
    expect(profiles["api.shop.test"]).toMatchObject({ key: "", token });
  });

  it("login keeps nothing that was saved under the same name for another address", async () => {
    const [key, token] = [makeKey("live", random), makeKey("admin", random)];
    const login = (url: string, stdin: string) =>
      sandbox.run(["login", "--url", url, "--key-file", "-", "--no-check"], { stdin });
    await login("http://localhost:3000", key);
    await login("http://localhost:4000", token);
    const { profiles } = JSON.parse(readFileSync(file(), "utf8"));
    expect(profiles.localhost).toEqual({ url: "http://localhost:4000", store: "", key: "", token });
  });

  it.each([
    ["plat_live_short", 4],
    ["plat_admin_of_nobody_with_24_letters", 4],
    ["nonsense", 2],
    ["", 2],
  ])("login refuses %j with %i", async (given, code) => {
    const login = ["login", "--url", "https://api.shop.test", "--key-file", "-", "--no-check"];
    expect(await sandbox.run(login, { stdin: given })).toMatchObject({ code, stdout: "" });
    expect(existsSync(file())).toBe(false);
  });
});

describe("prompts without a terminal end with 2 and name the flag", () => {
  it.each([
    [["keys", "issue"], "--email"],
    [["keys", "issue", "--email", "a@b.test"], "--preset"],
    [["keys", "rotate", "key_1"], "--yes"],
    [["keys", "revoke", "key_1"], "--yes"],
    [["customers", "create"], "--email"],
    [["customers", "create", "--email", "a@b.test"], "--store"],
    [["customers", "verify", "cus_1"], "--yes"],
    [["customers", "suspend", "cus_1"], "--yes"],
    [["stores", "add"], "--customer"],
    [["stores", "add", "--customer", "cus_1"], "--identifier"],
    [["plans", "assign", "cus_1"], "<plan>"],
    [["limits", "reset", "key_1"], "--yes"],
    [["seed", "--clear"], "--yes"],
    [["mail", "preview"], "<template>"],
    [["mail", "send-test"], "<address>"],
    [["login"], "--url"],
    [["login", "--url", "http://a.test"], "--key-file"],
  ])("%j → %s", async (argv, flag) => {
    const { code, stdout, stderr } = await sandbox.run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(flag);
    expect(stderr).toContain("no terminal to prompt on");
  });
});

describe("a key on the command line", () => {
  it("2 is refused", async () => {
    const argv = ["call", "/v1/account", "-H", "Authorization: Bearer x"];
    expect(await sandbox.run(argv)).toMatchObject({ code: 2, stdout: "" });
  });

  it("has no flag", async () => {
    expect(await sandbox.run(["call", "/v1/account", "--key", "x"])).toMatchObject({ code: 2 });
    expect(await sandbox.run(["login", "--key", "x"])).toMatchObject({ code: 2 });
  });
});

describe("call", () => {
  const key = makeKey("live", random);
  const env = { PLATFORM_API_KEY: key, PLATFORM_URL: "https://api.shop.test" };

  it.each([
    [
      "a path without its mount",
      ["call", "tiers/customers"],
      "curl https://api.shop.test/v1/tiers/customers -H",
    ],
    [
      "fields of a GET as its query",
      ["call", "/v1/tiers/customers", "-F", "limit=5"],
      "/v1/tiers/customers?limit=5'",
    ],
    [
      "a query of its own and fields",
      ["call", "/v1/tiers/customers?a=b", "-F", "limit=5"],
      "customers?a=b&limit=5'",
    ],
    ["the store", ["call", "/v1/tiers/customers", "--store", "shop-2"], "-H 'x-service-store: shop-2'"],
    ["an own header", ["call", "/v1/tiers/customers", "-H", "X-A: b"], "-H 'x-a: b'"],
    ["HEAD", ["call", "HEAD", "/v1/tiers/customers"], "curl --head https://"],
    [
      "a full address of the same service",
      ["call", "https://api.shop.test/v1/tiers/customers?x=1"],
      "customers?x=1'",
    ],
  ])("0 --dry-run: %s", async (_, argv, part) => {
    const { code, stdout } = await sandbox.run([...argv, "--dry-run"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(part);
    expect(stdout).toContain(`Bearer plat_live_…${key.slice(-4)}`);
    expect(stdout).not.toContain(key);
  });

  it("0 --dry-run quotes for the shell, and shows the key only when told", async () => {
    const argv = ["call", "POST", "/v1/unknown", "-f", "name=it's; rm -rf /", "--dry-run", "--show-secrets"];
    const { stdout, stderr } = await sandbox.run(argv, { env });
    expect(stdout).toContain(key);
    expect(stdout).toContain(`--data-raw '{"name":"it'\\''s; rm -rf /"}'`);
    expect(stderr).toContain("/v1/unknown is not a known route");
  });

  it("0 suggests the route that was probably meant", async () => {
    const { stderr } = await sandbox.run(["call", "/v1/tiers/custmers", "--dry-run"], { env });
    expect(stderr).toContain("did you mean /v1/tiers/customers?");
  });

  it.each([
    ["another host", ["call", "https://evil.test/v1/tiers/customers"], 2],
    ["no HTTP method", ["call", "FETCH", "/v1/tiers/customers"], 2],
    ["a field without a value", ["call", "/v1/tiers/customers", "-F", "limit"], 2],
    ["a body on a GET", ["call", "GET", "/v1/tiers/customers", "--input", "-"], 2],
    ["a file that is not there", ["call", "POST", "/v1/x", "--input", "no.json"], 2],
    ["a duration that is none", ["call", "/v1/tiers/customers", "--timeout", "soon"], 2],
  ])("%s ends with 2", async (_, argv, code) => {
    expect(await sandbox.run(argv, { env, stdin: "{}" })).toMatchObject({ code, stdout: "" });
  });

  it("10 tells that nothing listens", async () => {
    const { code, stderr } = await sandbox.run(["call", "/v1/tiers/customers"], {
      env: { ...env, PLATFORM_URL: "http://127.0.0.1:1" },
    });
    expect(code).toBe(10);
    expect(stderr).toMatch(
      /^✖ Cannot reach the service\n {2}at {3}http:\/\/127\.0\.0\.1:1\n {2}why {2}.+\n {2}try {2}.+\n$/,
    );
  });

  it("4 has no key to send", async () => {
    const { code, stderr } = await sandbox.run([
      "call",
      "/v1/tiers/customers",
      "--url",
      "http://127.0.0.1:1",
    ]);
    expect(code).toBe(4);
    expect(stderr).toContain("platform login");
  });

  it("does not send a saved key to another address", async () => {
    await sandbox.run(["login", "--url", "https://api.shop.test", "--key-file", "-", "--no-check"], {
      stdin: key,
    });
    const own = await sandbox.run([
      "call",
      "/v1/tiers/customers",
      "--dry-run",
      "--url",
      "https://api.shop.test",
    ]);
    expect(own.stdout).toContain(`plat_live_…${key.slice(-4)}`);
    const other = await sandbox.run([
      "call",
      "/v1/tiers/customers",
      "--dry-run",
      "--url",
      "https://evil.test",
    ]);
    expect(other).toMatchObject({ code: 4, stdout: "" });
    const named = [
      "call",
      "/v1/tiers/customers",
      "--dry-run",
      "-p",
      "api.shop.test",
      "--url",
      "https://evil.test",
    ];
    expect(await sandbox.run(named)).toMatchObject({ code: 4, stdout: "" });
  });
});

describe("a damaged store", () => {
  it("10 is refused, with the way out; 11 is salvaged, with what was lost", async () => {
    await sandbox.run(["storage", "provision"]);
    await sandbox.run(["customers", "create", "--email", "ada@shop.test", "--store", "s1", "--no-mail"]);
    const log = readdirSync(join(sandbox.dir, "data")).find((name) => name.endsWith(".log")) ?? "";
    const file = join(sandbox.dir, "data", log);
    const lines = readFileSync(file, "utf8").split("\n");
    const middle = Math.floor(lines.length / 2);
    writeFileSync(file, lines.with(middle, `#${(lines[middle] ?? "").slice(1)}`).join("\n"));
    const refused = await sandbox.run(["customers", "list"]);
    expect(refused).toMatchObject({ code: 10, stdout: "" });
    expect(refused.stderr).toContain("platform storage salvage");
    const salvaged = await sandbox.run(["storage", "salvage", "--yes", "--json"]);
    expect(salvaged.code).toBe(11);
    expect(salvaged.json().data).toMatchObject([{ offset: expect.any(Number) }]);
    expect(await sandbox.run(["storage", "info"])).toMatchObject({ code: 0 });
  });
});

describe("doctor", () => {
  it("11 names a broken configuration, with what mends it", async () => {
    writeFileSync(join(sandbox.dir, "platform.config.json"), "{");
    const { code, json } = await sandbox.run(["doctor", "--json"]);
    expect(code).toBe(11);
    expect(json().data.ok).toBe(false);
    expect(json().data.checks).toContainEqual(
      expect.objectContaining({ id: "config", status: "fail", fix: expect.any(String) }),
    );
  });

  it("11 finds a file of secrets that everybody can read, and a port that is taken", async () => {
    const file = join(sandbox.dir, ".env");
    const secret = join(sandbox.dir, "token");
    writeFileSync(secret, "a-token-of-the-operator-long-enough");
    writeFileSync(file, `PLATFORM_ADMIN_TOKEN_FILE=${secret}`);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const env = { PLATFORM_PORT: String(port), PLATFORM_BASE_URL: "http://127.0.0.1:1" };
    for (const [mode, status] of [
      [0o644, "fail"],
      [0o640, "warn"],
      [0o600, "ok"],
    ] as const) {
      chmodSync(file, mode);
      chmodSync(secret, mode);
      const { code, json } = await sandbox.run(["doctor", "--json"], { env });
      expect(code).toBe(11);
      const { checks } = json().data;
      for (const id of ["config..env", "config.token"])
        expect(checks).toContainEqual(expect.objectContaining({ id, status }));
      expect(checks).toContainEqual(
        expect.objectContaining({
          id: "server.port",
          status: "fail",
          fix: expect.stringContaining("PLATFORM_PORT"),
        }),
      );
    }
    other.close();
    const free = (await sandbox.run(["doctor", "--json"], { env })).json().data.checks;
    expect(free).toContainEqual(expect.objectContaining({ id: "server.port", status: "ok" }));
  });
});
