import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

const BIN = fileURLToPath(new URL("../../../dist/bin/platform.js", import.meta.url));

/** Of a server at its start; may only become smaller. */
const MODULES_MAX = 200;
/** Of nobody: its private key was never kept. */
const ANOTHER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIUOg/v7kDrKShKO2KZR4Zr/aeDcLQwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMYW5vdGhlci50ZXN0MB4XDTI2MTEyMTE0NDQxMFoXDTI2MTEy
MjE0NDQxMFowFzEVMBMGA1UEAwwMYW5vdGhlci50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEejV3Yh4TgAsrZ2I26f93/We8W6C/mO715RcaIER7+VDXjW8e
TLp9E6VgiEbUjU8ZtEikNF2b/K8enPi4cFOc1qNTMFEwHQYDVR0OBBYEFEQ6xX3O
E7ViO50w93EijXSAVGm5MB8GA1UdIwQYMBaAFEQ6xX3OE7ViO50w93EijXSAVGm5
MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgDxHMSVbD9Ooqmv0d
GZp1vWHG4/ktdEl8kU82iVwZ2rkCIQDhZL18TYmItoY4YdyqNn95PDYmoz66Hcvl
6s3u/93EMw==
-----END CERTIFICATE-----
`;

let sandbox: ServiceSandbox;
const children: ChildProcess[] = [];
beforeEach(() => {
  sandbox = createServiceSandbox();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  sandbox.remove();
});

interface Spawned {
  readonly child: ChildProcess;
  readonly out: { stdout: string; stderr: string };
  /** Resolves when stderr holds the text. */
  said(text: string): Promise<void>;
  readonly done: Promise<number | null>;
}

function start(argv: readonly string[], env: Record<string, string> = {}): Spawned {
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd: sandbox.dir,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(sandbox.dir, ".home"), ...env },
  });
  children.push(child);
  const out = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => void (out.stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => void (out.stderr += chunk.toString("utf8")));
  child.stdin.end();
  const done = once(child, "close").then(([code]) => code as number | null);
  const said = async (text: string): Promise<void> => {
    while (!out.stderr.includes(text)) {
      const ended = await Promise.race([done.then(() => true), once(child.stderr, "data").then(() => false)]);
      if (ended && !out.stderr.includes(text))
        throw new Error(`It ended without saying ${text}: ${out.stderr}`);
    }
  };
  return { child, out, said, done };
}

describe("--help", () => {
  const help = async (env: Record<string, string> = {}, option = "--help"): Promise<string> => {
    const printed = start([option], env);
    expect(await printed.done).toBe(0);
    return printed.out.stdout;
  };

  it("prints the page of the build, which is the one that the parser computes, to the byte", async () => {
    const computed = await sandbox.run(["--help"]);
    expect(computed.stdout).toContain("Usage: platform");
    expect(await help()).toBe(computed.stdout);
    expect(await help({}, "-h")).toBe(computed.stdout);
    expect(readFileSync(fileURLToPath(new URL("../../../dist/help.txt", import.meta.url)), "utf8")).toBe(
      computed.stdout,
    );
    // Computed by the build too, since there are other options.
    const loud = start(["--help", "--verbose"]);
    expect([await loud.done, loud.out.stdout]).toEqual([0, computed.stdout]);
  });

  it("lists the engines that the configuration adds", async () => {
    const file = join(sandbox.dir, "with-engines.mjs");
    const engine = {
      name: "gift_cards",
      summary: "Gift cards",
      routes: [],
      jobs: [],
      hooks: [],
      links: [],
      events: [],
    };
    writeFileSync(
      file,
      `export default { engines: [{ ...${JSON.stringify(engine)}, answers: {}, seed: () => [] }] };`,
    );
    expect(await help({ PLATFORM_CONFIG: file })).toMatch(/gift_cards +Gift cards/);
  });

  it("loads two files", async () => {
    const folder = join(sandbox.dir, ".help");
    await help({ NODE_V8_COVERAGE: folder });
    const urls = readdirSync(folder)
      .flatMap((name): { url: string }[] => JSON.parse(readFileSync(join(folder, name), "utf8")).result)
      .filter(({ url }) => url.startsWith("file:"));
    expect(urls).toHaveLength(2);
  });
});

describe("a full disk", () => {
  it("10 behind stdout, in words", async () => {
    const argv = ["-c", `exec "$0" "$@" > /dev/full`, process.execPath, BIN, "config", "schema"];
    const child = spawn("sh", argv, { cwd: sandbox.dir, env: { PATH: process.env.PATH } });
    children.push(child);
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => void (said += chunk.toString("utf8")));
    const [code] = await once(child, "close");
    expect([code, said]).toEqual([10, expect.stringContaining("ENOSPC")]);
    expect(said).not.toContain("    at ");
  });
});

describe("webhooks listen --for", () => {
  it("4 ends when it fails, and not at the end of that time", async () => {
    const url = ["--url", "http://127.0.0.1:9", "--forward-to", "http://127.0.0.1:9/hooks"];
    const listening = start(["webhooks", "listen", "--for", "10m", ...url]);
    expect(await listening.done).toBe(4);
  });
});

describe("dev", () => {
  it("0 serves demo data that `call` finds by its folder, and drains at SIGTERM", async () => {
    const dev = start(["dev", "--port", "0"]);
    await dev.said("Try it");
    const [, key = ""] = /Key +(plat_live_\w{36})/.exec(dev.out.stderr) ?? [];
    const [, command = ""] = /Try it +(?:npx platform|platform|node \S+) (.+)/.exec(dev.out.stderr) ?? [];
    const words = [...command.matchAll(/'([^']*)'|[^\s']+(?:'[^']*')?/g)].map(([word]) =>
      word.replaceAll("'", ""),
    );
    const called = start(words);
    expect(await called.done).toBe(0);
    expect(JSON.parse(called.out.stdout).data).toMatchObject({ deliverable: true, postcode: "SW1A 1AA" });
    const [, curlUrl = ""] = /curl (http:\S+)/.exec(dev.out.stderr) ?? [];
    const zones = await fetch(curlUrl, { headers: { authorization: `Bearer ${key}` } });
    expect(zones.status).toBe(200);
    dev.child.kill("SIGTERM");
    expect(await dev.done).toBe(0);
    expect(dev.out.stdout).toBe("");
    expect(existsSync(join(sandbox.dir, "data", "run.json"))).toBe(false);
    // The same command without the server, and the same key after a restart.
    const alone = start(words);
    expect(await alone.done).toBe(0);
    expect(JSON.parse(alone.out.stdout).data.zone).toEqual(JSON.parse(called.out.stdout).data.zone);
    const again = start(["dev", "--port", "0"]);
    await again.said("Try it");
    expect(again.out.stderr).toContain(key);
  });

  it("ends in order also at a signal that comes before it has said how to begin", async () => {
    const dev = start(["dev", "--port", "0"], { PLATFORM_LOG_LEVEL: "info" });
    await dev.said("listening");
    dev.child.kill("SIGTERM");
    expect(await dev.done).toBe(0);
    expect(existsSync(join(sandbox.dir, "data", "run.json"))).toBe(false);
  });

  it("prints its address as a QR code for other devices, and 2 where none reaches it", async () => {
    const wrong = start(["dev", "--qr"]);
    expect(await wrong.done).toBe(2);
    expect(wrong.out.stderr).toContain("--host 0.0.0.0");
    const dev = start(["dev", "--port", "0", "--no-demo", "--host", "0.0.0.0", "--qr"]);
    await dev.said("Inbox");
    dev.child.kill("SIGTERM");
    expect(await dev.done).toBe(0);
    expect(dev.out.stdout).toMatch(/█▀▀▀▀▀▀▀█[\s\S]*Local: +http:\/\/0\.0\.0\.0:\d+[\s\S]*Network: +http/);
  });

  it("begins again when the configuration changes, and goes on while it is broken", async () => {
    const dev = start(["dev", "--port", "0", "--no-demo"]);
    await dev.said("Inbox");
    const file = join(sandbox.dir, "platform.config.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, "{ broken");
    await dev.said("The server continues with the previous configuration.");
    writeFileSync(file, before.replace('"dev"', '"console"'));
    await dev.said("transport console");
    dev.child.kill("SIGINT");
    expect(await dev.done).toBe(0);
  });

  it("0 over HTTPS: commands know the server by its certificate", async () => {
    const dev = start(["dev", "--port", "0", "--https"]);
    await dev.said("Try it");
    expect(dev.out.stderr).toContain("https://127.0.0.1:");
    const listed = start(["keys", "list", "--json", "-v"]);
    expect(await listed.done).toBe(0);
    expect(JSON.parse(listed.out.stdout).data).toMatchObject([{ name: "Demo key" }]);
    expect(listed.out.stderr).toContain("target https://127.0.0.1:");
    const changed = start(["delivery", "settings", "update", "--horizon-days", "20"]);
    await changed.done;
    expect(JSON.parse(changed.out.stdout).data).toMatchObject({ horizon_days: 20 });
    // Another certificate in the file: the token is not sent to whoever answers.
    const file = join(sandbox.dir, ".platform", "tls", "cert.pem");
    writeFileSync(file, ANOTHER_CERTIFICATE);
    const refused = start(["keys", "list"]);
    expect(await refused.done).toBe(10);
    expect(refused.out.stderr).toContain("certificate of the server differs");
  });

  it("10 when another server has the data", async () => {
    const first = start(["dev", "--port", "0", "--no-demo"]);
    await first.said("Inbox");
    const second = start(["dev", "--port", "0", "--no-demo"]);
    expect(await second.done).toBe(10);
    expect(second.out.stderr).toContain("Storage in use");
  });
});

describe("serve", () => {
  it("0 --check says whether it would serve; 2 when a choice is missing", async () => {
    const fit = start(["serve", "--check", "--port", "0", "--base-url", "http://127.0.0.1:1", "--json"]);
    expect(await fit.done).toBe(0);
    expect(JSON.parse(fit.out.stdout).data.ok).toBe(true);
    const unfit = start(["serve", "--check", "--port", "0"]);
    expect(await unfit.done).toBe(2);
    expect(unfit.out.stderr).toContain("baseUrl");
  });

  it("loads neither an engine, nor listhen, nor an optional package before it is ready", async () => {
    const folder = join(sandbox.dir, ".loaded");
    // Node writes the addresses of all modules of the process into this folder.
    const server = start(["serve", "--check", "--port", "0", "--base-url", "http://127.0.0.1:1"], {
      NODE_V8_COVERAGE: folder,
    });
    expect(await server.done).toBe(0);
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const modules = files
      .flatMap((text): { url: string }[] => JSON.parse(text).result)
      .map(({ url }) => url)
      .filter((url) => url.startsWith("file:"));
    const packages = new Set(modules.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]));
    expect(packages).toContain("h3");
    const late = /^(?:listhen|node-forge|consola|sharp|ai|@ai-sdk\/.*|@opentelemetry\/.*|jq-web|mjml)$/;
    expect([...packages].filter((name) => late.test(name ?? ""))).toEqual([]);
    expect(modules.length).toBeLessThan(MODULES_MAX);

    // The bundle puts many modules into a file: that of a route contains its id.
    const ids: { id: string; namespace: string }[] = JSON.parse(
      readFileSync(fileURLToPath(new URL("../../../dist/routes/index.json", import.meta.url)), "utf8"),
    );
    const own = modules.filter((url) => !url.includes("node_modules"));
    const code = own.map((url) => readFileSync(fileURLToPath(url), "utf8")).join("\n");
    const loaded = new Set(ids.filter(({ id }) => code.includes(`id: "${id}"`)).map((one) => one.namespace));
    expect([...loaded]).toEqual([]);
    expect(ids.length).toBeGreaterThan(500);
  });

  it("10 for a port that is taken, without moving to another", async () => {
    const first = start(["serve", "--port", "0", "--base-url", "http://127.0.0.1:1"]);
    await first.said("Serving");
    const [, port = ""] = /on http:\/\/127\.0\.0\.1:(\d+)/.exec(first.out.stderr) ?? [];
    const env = { PLATFORM_STORAGE_DRIVER: "memory" };
    writeFileSync(
      join(sandbox.dir, "other.json"),
      JSON.stringify({ storage: { driver: "memory" }, mail: { transport: "dev" } }),
    );
    const second = start(
      ["-c", "other.json", "serve", "--port", port, "--base-url", "http://127.0.0.1:1"],
      env,
    );
    expect(await second.done).toBe(10);
    expect(second.out.stderr).toContain(port);
  });
});

describe("a pipe", () => {
  it("0 gets all of a long output", async () => {
    const openapi = start(["openapi"]);
    expect(await openapi.done).toBe(0);
    expect(openapi.out.stdout.length).toBeGreaterThan(65_536);
    expect(() => JSON.parse(openapi.out.stdout)).not.toThrow();
  });

  it("0 when its reader has seen enough", async () => {
    const script = `"${process.execPath}" "${BIN}" openapi | head -c 1 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["--norc", "-c", script], {
      cwd: sandbox.dir,
      env: { PATH: process.env.PATH },
    });
    const said = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => void (said.stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => void (said.stderr += chunk.toString("utf8")));
    await once(child, "close");
    expect(said).toEqual({ stdout: "0\n", stderr: expect.stringMatching(/^Document of http:\S+\n$/) });
  });

  it("130 at SIGINT, without a word", async () => {
    const server = await sandbox.serve();
    const { createServer } = await import("node:http");
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const asked = once(silent, "request");
    const waiting = start(["call", "/healthz", "--url", `http://127.0.0.1:${port}`]);
    await asked;
    waiting.child.kill("SIGINT");
    expect(await waiting.done).toBe(130);
    expect(waiting.out).toEqual({ stdout: "", stderr: expect.not.stringContaining("✖") });
    silent.closeAllConnections();
    silent.close();
    await server.stop("test");
  });
});

describe("completion", () => {
  it.each(["bash", "zsh", "fish", "powershell"])(
    "0 prints a script for %s that asks this command",
    async (shell) => {
      const script = start(["completion", shell]);
      expect(await script.done).toBe(0);
      expect(script.out.stdout).toMatch(/platform complete '?--/);
    },
  );

  it.each([
    ["keys", ["keys", ""], "rotate"],
    ["flags", ["keys", "issue", "--e"], "--expires"],
    ["engines", ["deliv"], "delivery"],
    ["resources of an engine", ["delivery", "zones", ""], "list"],
    ["values", ["completion", ""], "zsh"],
    ["templates", ["mail", "preview", ""], "verify"],
  ])("0 completes %s", async (_, words, expected) => {
    const answer = start(["complete", "--", ...words]);
    expect(await answer.done).toBe(0);
    expect(answer.out.stdout.split("\n").map((line) => line.split("\t")[0])).toContain(expected);
    expect(answer.out.stderr).toBe("");
  });

  it("the script for bash is sound", async () => {
    const script = start(["completion", "bash"]);
    await script.done;
    const bash = spawn("bash", ["-n"]);
    bash.stdin.end(script.out.stdout);
    const [code] = await once(bash, "close");
    expect(code).toBe(0);
  });
});

describe("two commands at once without a server", () => {
  it("0 wait for each other", async () => {
    await sandbox.run(["storage", "provision"]);
    const commands = ["a", "b", "c"].map((name) =>
      start(["customers", "create", "--email", `${name}@shop.test`, "--store", name, "--no-mail"]),
    );
    expect(await Promise.all(commands.map(({ done }) => done))).toEqual([0, 0, 0]);
    expect((await sandbox.run(["customers", "list"])).rows()).toHaveLength(3);
  });
});
