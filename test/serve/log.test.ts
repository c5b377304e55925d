import { afterEach, describe, expect, it } from "vitest";

import { createSystemRandom } from "../../server/core/ids.ts";
import { createLog } from "../../server/observability/log.ts";
import { makeKey } from "../../server/core/key-format.ts";
import { captureLog, createCleanup, serve } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const key = makeKey("live", createSystemRandom());

describe("log lines", () => {
  it("are one JSON object each, with level, time and message", () => {
    const log = captureLog();
    log.warn({ request_id: "req_1", status: 200 }, "request");
    expect(log.lines).toHaveLength(1);
    expect(JSON.parse(log.lines[0]!)).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      request_id: "req_1",
      status: 200,
      message: "request",
    });
    expect(log.lines[0]).toMatch(/\}\n$/);
  });

  it("are one short line each for a person", () => {
    const log = captureLog("pretty");
    const fields = {
      method: "GET",
      route: "menus.categories.list",
      status: 200,
      duration_ms: 3,
      request_id: "req_1",
    };
    log.info(fields, "request");
    log.info({ url: "http://x" }, "listening");
    const [request, listening] = log.lines;
    expect(request).toMatch(
      /^\d\d:\d\d:\d\d info {2}request {2}GET menus\.categories\.list 200 3 ms req_1\n$/,
    );
    expect(listening).toMatch(/ info {2}listening {2}url=http:\/\/x\n$/);
  });

  it("show an error with its stack, also for a person", () => {
    for (const format of ["json", "pretty"] as const) {
      const log = captureLog(format);
      log.error({ err: new Error("broken") }, "failed");
      expect(log.lines.join("")).toContain("log.test.ts");
    }
  });

  it("contain nothing that a terminal obeys", () => {
    const evil = "a\u001b[2J\u009b31m\u202e\u2028b";
    for (const format of ["json", "pretty"] as const) {
      const log = captureLog(format);
      log.warn({ user_agent: evil, list: [evil], err: new Error(evil) }, evil);
      log.info({ method: evil, route: evil, status: 200 }, "request");
      const text = log.lines.join("");
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      if (format === "json") expect(JSON.parse(log.lines[0]!)).toMatchObject({ user_agent: evil });
      else expect(log.lines[1]!.split("\n")).toHaveLength(2);
    }
  });

  it("are written only when they are serious enough", () => {
    const lines: string[] = [];
    const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
    const log = createLog({ level: "warn", format: "json" }, sink);
    log.info({}, "not this");
    log.error({}, "but this");
    expect(lines).toHaveLength(1);
  });
});

describe("secrets never reach the log", () => {
  it.each([
    ["a member called authorization", { authorization: "secret-value" }],
    ["a member one level down", { headers: { authorization: "secret-value", cookie: "secret-value" } }],
    [
      "a key, token, secret, password or body",
      { key: "secret-value", token: "secret-value", body: "secret-value" },
    ],
    ["a body that is an object", { body: { card: "secret-value" } }],
    ["an API key under any name", { note: `used ${key}` }],
    ["an API key in the text of an error", { err: new Error(`refused ${key}`) }],
    ["a Bearer token under any name", { note: "Bearer secret-value" }],
    ["the token of a verification link", { url: "https://x/api/platform/verify?token=secret-value&a=b" }],
  ])("%s", (_name, fields) => {
    for (const format of ["json", "pretty"] as const) {
      const log = captureLog(format);
      log.info(fields, "something happened");
      expect(log.lines.join("")).not.toContain("secret-value");
      expect(log.lines.join("")).not.toContain(key);
      expect(log.lines.join("")).toContain("[redacted]");
    }
  });

  it("an API key in the message itself", () => {
    const log = captureLog();
    log.info({}, `key ${key} was used`);
    expect(log.lines.join("")).toContain("key plat_live_[redacted] was used");
  });

  it("over a whole conversation: signup, verification, key, calls, errors", async () => {
    const server = await serve(cleanup);
    const send = async (method: string, path: string, token: string | null, body?: object) => {
      const response = await fetch(server.url + path, {
        method,
        headers: {
          "content-type": "application/json",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    };
    const email = "ada.lovelace@shop.example";
    const signup = await send("POST", "/api/platform/signup", null, {
      email,
      storeIdentifier: "confidential-shop",
    });
    expect(signup.status).toBe(201);
    const { body: found } = await send(
      "GET",
      `/api/platform/admin/mail/link?email=${email}`,
      server.adminToken,
    );
    const link: string = found.data.link;
    const verified = await send("GET", link.slice(server.url.length), null);
    const apiKey: string = verified.body.api_key;
    expect(apiKey).toMatch(/^plat_live_/);
    await send("GET", "/v1/menus/categories", apiKey);
    await send(
      "GET",
      "/v1/menus/categories",
      apiKey.replace(/.$/, (char) => (char === "x" ? "y" : "x")),
    );
    await send("POST", "/v1/delivery/validate", apiKey, { postcode: "confidential-body" });

    const text = server.log.lines.join("");
    expect(server.log.lines.length).toBeGreaterThan(5);
    for (const line of server.log.lines) expect(() => JSON.parse(line)).not.toThrow();
    const token = new URL(link).searchParams.get("token") ?? "";
    expect(token.length).toBeGreaterThan(20);
    for (const secret of [apiKey, token, server.adminToken, email, "confidential", "Bearer "]) {
      expect(text, secret).not.toContain(secret);
    }
    expect(text).toContain(verified.body.key.id);
  });
});
