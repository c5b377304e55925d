import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { compileScript } from "../support/compile.ts";
import { startChild } from "./child.ts";
import { createCleanup, eventually, makeFolder, openWire, parseAnswer } from "./outside.ts";

// The built command as a process of its own: what signals do can only be seen there.
const cleanup = createCleanup();
afterEach(() => cleanup.run());

const SIGNUP = JSON.stringify({ email: "ada@shop.example", storeIdentifier: "shop" });
const FAR = { PLATFORM_DRAIN_SECONDS: "600" };

describe("platform serve", () => {
  it.each([
    ["SIGTERM", {}],
    ["SIGINT", {}],
    ["SIGTERM", { PLATFORM_HTTPS: "true" }],
  ] as [NodeJS.Signals, Record<string, string>][])(
    "answers what runs at %s %o, ends its streams, removes its run file and exits with 0",
    async (signal, https) => {
      const child = await startChild(cleanup, await makeFolder(cleanup), { ...FAR, ...https });
      const slow = await openWire(cleanup, child.url);
      const stream = await openWire(cleanup, child.url);
      slow.send("POST /api/platform/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
      slow.send(`Content-Length: ${SIGNUP.length}\r\n\r\n${SIGNUP.slice(0, 9)}`);
      stream.send("GET /api/platform/admin/limits/stream HTTP/1.1\r\nHost: x\r\n");
      stream.send(`Authorization: Bearer ${child.token}\r\n\r\n`);
      await stream.until(/event: ready/);
      child.kill(signal);
      expect(await stream.closed).toMatch(/0\r\n\r\n$/);
      expect(existsSync(child.runFile)).toBe(false);
      slow.send(SIGNUP.slice(9));
      const answer = parseAnswer(await slow.closed);
      expect([answer.status, answer.headers.get("connection")]).toEqual([201, "close"]);
      expect(await child.exited).toBe(0);
      expect(child.log()).toContain('"message":"stopped"');
    },
    60_000,
  );

  it("ends at once at the second signal", async () => {
    const child = await startChild(cleanup, await makeFolder(cleanup), FAR);
    const slow = await openWire(cleanup, child.url);
    slow.send("POST /api/platform/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
    slow.send(`Content-Length: ${SIGNUP.length}\r\n\r\n${SIGNUP.slice(0, 9)}`);
    const stream = await openWire(cleanup, child.url);
    stream.send("GET /api/platform/admin/limits/stream HTTP/1.1\r\nHost: x\r\n");
    stream.send(`Authorization: Bearer ${child.token}\r\n\r\n`);
    await stream.until(/event: ready/);
    child.kill("SIGINT");
    await stream.closed;
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
  }, 60_000);

  it("ends when it cannot begin, instead of listening for nobody", async () => {
    const dir = await makeFolder(cleanup);
    // The run file cannot be written over a folder.
    await mkdir(join(dir, "data", "run.json", "x"), { recursive: true, mode: 0o700 });
    await chmod(join(dir, "data"), 0o700);
    await expect(startChild(cleanup, dir)).rejects.toThrow(/platform serve ended with [1-9]/);
  }, 60_000);

  it("goes on when the reader of its log has ended, also where it prints mails there", async () => {
    const child = await startChild(cleanup, await makeFolder(cleanup));
    child.process.stderr?.destroy();
    for (const name of ["one", "two"]) {
      const body = JSON.stringify({ email: `${name}@shop.example`, storeIdentifier: name });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${child.url}/api/platform/signup`, { method: "POST", headers, body });
      expect(await answer.json()).toMatchObject({ email_sent: true });
    }
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  }, 60_000);

  it("outlives a flood of connections beyond its open files, and loads meanwhile what is first used", async () => {
    const child = await startChild(cleanup, await makeFolder(cleanup), {}, 1_000);
    const { hostname: host, port } = new URL(child.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanup.add(() => agent.destroy());
    const get = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(`${child.url}${path}`, { agent }, (response) => {
          response.resume().once("end", () => resolve(response.statusCode));
        })
          .once("error", reject)
          .end();
      });
    expect(await get("/healthz")).toBe(200);
    const flood = Array.from({ length: 1_400 }, () =>
      connect({ host, port: Number(port) }).on("error", () => undefined),
    );
    cleanup.add(() => flood.forEach((socket) => socket.destroy()));
    // Those beyond the limit are closed by the server; the others stay.
    await eventually(() => flood.filter((socket) => socket.closed).length > 300);
    const paths = ["/readyz", "/docs", "/docs/reference/menus", "/openapi.json", "/signup"];
    const statuses: (number | undefined)[] = [];
    for (const path of paths) statuses.push(await get(path));
    expect(statuses).toEqual(paths.map(() => 200));
    for (const socket of flood) socket.destroy();
    await eventually(async () => (await fetch(`${child.url}/readyz`).catch(() => null))?.status === 200);
    expect(child.log()).not.toContain("EMFILE");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  }, 60_000);

  it("writes one JSON line per request to standard error, and no key", async () => {
    const child = await startChild(cleanup, await makeFolder(cleanup));
    await fetch(`${child.url}/healthz`, { headers: { authorization: `Bearer ${child.token}` } });
    await eventually(() => child.log().includes("pages.healthz"));
    const lines = child
      .log()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const request = lines.map((line) => JSON.parse(line)).find(({ message }) => message === "request");
    expect(request).toMatchObject({ level: "info", method: "GET", route: "pages.healthz", status: 200 });
    expect(child.log()).not.toContain(child.token);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  }, 60_000);
});

describe("an error that nobody caught", () => {
  it.each([
    ["is thrown", "throw"],
    ["is a rejection", "reject"],
  ])("%s: is logged, and ends the process with 1", async (_name, how) => {
    const { script, remove } = await compileScript("test/serve/uncaught");
    cleanup.add(remove);
    const { status, stderr } = spawnSync(process.execPath, [script, how], { encoding: "utf8" });
    expect(status).toBe(1);
    const line = JSON.parse(stderr.trim());
    expect(line).toMatchObject({
      level: "error",
      err: { message: "a bug of ours", stack: expect.any(String) },
    });
  });
});
