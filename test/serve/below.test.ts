import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { PassThrough, Readable } from "node:stream";

import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { drain, LINGER_MS } from "../../server/serve/below.ts";
import type { RunningServer } from "../../server/serve.ts";
import { createCleanup, eventually, openWire, parseAnswer, serve } from "./rig.ts";
import type { Wire } from "./rig.ts";

// What arrives below the pipeline is sent as raw bytes: no HTTP client would send it.
const cleanup = createCleanup();
const perTest = createCleanup();
let server: RunningServer;
/** What a slow machine does in time would be late for it. */
let hasty: RunningServer;

beforeAll(async () => {
  server = await serve(cleanup);
  hasty = await serve(cleanup, { "server.headersTimeoutSeconds": 1, "server.requestTimeoutSeconds": 2 });
  // The document is made for the first who asks, which is not what is tried here.
  await (await fetch(`${server.url}/openapi.json`)).arrayBuffer();
  return () => cleanup.run();
});
afterEach(() => perTest.run());

const HEAD = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
const open = ({ url } = server): Promise<Wire> => openWire(perTest, url);

async function expectProblem(text: string, status: number, type: string): Promise<void> {
  const answer = parseAnswer(text);
  expect(answer.status, text).toBe(status);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("connection")).toBe("close");
  expect(Number(answer.headers.get("content-length"))).toBe(answer.body.length);
  const { error } = JSON.parse(answer.body);
  expect(error).toMatchObject({ type, status });
  expect(Object.keys(error).sort()).toEqual(["detail", "status", "title", "type"]);
}

describe("answers below the framework", () => {
  it.each([
    ["a request line that is none", "NONSENSE\r\n\r\n"],
    ["an unknown version", "GET / HTTP/9.9\r\nHost: x\r\n\r\n"],
    ["a space before the colon", `${HEAD}Authorization : Bearer x\r\n\r\n`],
    ["a Content-Length that is no number", "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n"],
    [
      "two Content-Lengths",
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ],
    [
      "Content-Length beside Transfer-Encoding",
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "a chunk size that is no number",
      "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ["a bare line feed in a header", `${HEAD}A: b\nC: d\r\n\r\n`.replace("b\n", "b\n ")],
    ["a NUL in a header", `${HEAD}A: \0\r\n\r\n`],
    ["two Hosts", `${HEAD}Host: y\r\n\r\n`],
    ["no Host", "GET /healthz HTTP/1.1\r\n\r\n"],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("400 %s", async (_name, bytes) => {
    const wire = await open();
    wire.send(bytes);
    await expectProblem(await wire.closed, 400, "bad_request");
  });

  it("431 headers beyond 16 KiB", async () => {
    const wire = await open();
    wire.send(`${HEAD}X-Long: ${"a".repeat(17_000)}\r\n\r\n`);
    await expectProblem(await wire.closed, 431, "request_header_fields_too_large");
  });

  it("431 so many headers that Node drops the last one, which a proxy may have added", async () => {
    const wire = await open();
    wire.send(`${HEAD}${"A:\r\n".repeat(2_100)}X-Forwarded-For: 93.184.216.20\r\n\r\n`);
    await expectProblem(await wire.closed, 431, "request_header_fields_too_large");
    const usual = await open();
    usual.send(`${HEAD}${"A:\r\n".repeat(198)}Connection: close\r\n\r\n`);
    expect(parseAnswer(await usual.closed).status).toBe(200);
  });

  it("200 headers just below 16 KiB", async () => {
    const wire = await open();
    wire.send(`${HEAD}X-Long: ${"a".repeat(15_500)}\r\nConnection: close\r\n\r\n`);
    expect(parseAnswer(await wire.closed).status).toBe(200);
  });

  it("408 headers that drip", async () => {
    const wire = await open(hasty);
    wire.send(HEAD);
    const drip = setInterval(() => wire.send("X: y\r\n"), 200);
    perTest.add(() => clearInterval(drip));
    await expectProblem(await wire.closed, 408, "request_timeout");
  });

  it("408 a connection that never sends a request", async () => {
    const wire = await open(hasty);
    await expectProblem(await wire.closed, 408, "request_timeout");
  });

  it("408 a body that drips", async () => {
    const wire = await open(hasty);
    wire.send("POST /api/platform/signup HTTP/1.1\r\nHost: x\r\n");
    wire.send("Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{");
    const drip = setInterval(() => wire.send(" "), 200);
    perTest.add(() => clearInterval(drip));
    const answer = await wire.closed;
    await expectProblem(answer, 408, "request_timeout");
    expect(answer).toContain("all of it within 30. Send smaller files, or one at a time.");
  });

  it("413 reaches a client that is still sending", async () => {
    const wire = await open();
    wire.send("POST /api/platform/signup HTTP/1.1\r\nHost: x\r\n");
    wire.send(`Content-Type: application/json\r\nContent-Length: 8000000\r\n\r\n${"x".repeat(4_000_000)}`);
    await expectProblem(await wire.closed, 413, "content_too_large");
  });

  it.each([
    ["Content-Length: 800000000", "x".repeat(400_000)],
    ["Transfer-Encoding: chunked", "7000000\r\nx"],
  ])("closes the connection of a refused client that goes on sending: %s", async (length, body) => {
    const wire = await open();
    wire.send(
      `POST /v1/reviews HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n\r\n${body}`,
    );
    const more = setInterval(() => wire.send("x".repeat(400_000)), 20);
    perTest.add(() => clearInterval(more));
    await expectProblem(await wire.closed, 401, "unauthorized");
  });

  it("reads what a refused client goes on sending with pauses", async () => {
    const input = new PassThrough();
    drain(input);
    const paused: boolean[] = [];
    input.on("data", () => paused.push(input.isPaused()));
    for (const chunk of ["a", "b", "c"]) input.write(chunk);
    input.end();
    await once(input, "end");
    expect(paused).toEqual([true, true, true]);
  });

  it("reads no faster from many refused clients than from one", async () => {
    // Those of the tests before share the pace until they are closed.
    await new Promise((resolve) => void setTimeout(resolve, LINGER_MS + 500));
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    perTest.add(() => vi.useRealTimers());
    /** Chunks that are read in 300 ms from so many clients that never stop sending. */
    const readFrom = async (count: number): Promise<number> => {
      let chunks = 0;
      const inputs = Array.from({ length: count }, () => {
        const input = new Readable({ read: () => undefined });
        drain(input);
        input.on("data", () => (chunks += 1)).on("resume", () => input.push("x"));
        return input;
      });
      for (let ms = 0; ms < 300; ms += 1) {
        vi.advanceTimersByTime(1);
        // What the streams do follows in turns of the event loop.
        await new Promise((resolve) => void setImmediate(resolve));
      }
      for (const input of inputs) input.destroy().emit("close");
      return chunks;
    };
    const one = await readFrom(1);
    expect(one).toBeGreaterThan(10);
    // The first chunk of each is there at once.
    expect(await readFrom(4)).toBeLessThanOrEqual(one + 4);
    expect(await readFrom(32)).toBeLessThanOrEqual(one + 32);
  });

  it("200, then 400 for garbage behind a whole request", async () => {
    const wire = await open();
    wire.send(`${HEAD}\r\nGARBAGE\r\n\r\n`);
    const text = await wire.closed;
    const second = text.indexOf("HTTP/1.1 400");
    expect(parseAnswer(text).status).toBe(200);
    expect(second).toBeGreaterThan(0);
    await expectProblem(text.slice(second), 400, "bad_request");
  });

  it("cuts a client that asks for much and reads nothing of it", async () => {
    // More than the buffers of both systems take.
    const asked = 40;
    let isCut = false;
    const note = (message: unknown): void =>
      void (message as { socket: Socket }).socket.once("close", () => (isCut = true));
    subscribe("net.server.socket", note);
    perTest.add(() => unsubscribe("net.server.socket", note));
    const wire = await open();
    wire.socket.pause();
    wire.send("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(asked));
    await eventually(() => isCut);
    wire.socket.resume();
    const length = (await wire.closed).match(/HTTP\/1\.1 200 OK\r\n/g)?.length;
    // A reset may take with it what had arrived and was not read.
    expect(length ?? 0).toBeLessThan(asked);
  });

  it("200 a client that is slow to read, but reads", async () => {
    const wire = await open();
    wire.send(`GET /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const sip = setInterval(() => (wire.socket.isPaused() ? wire.socket.resume() : wire.socket.pause()), 300);
    perTest.add(() => clearInterval(sip));
    const { status, headers, body } = parseAnswer(await wire.closed);
    expect([status, Number(headers.get("content-length"))]).toEqual([200, body.length]);
  });

  it("200 an expectation that nobody knows", async () => {
    const wire = await open();
    wire.send(`${HEAD}Expect: miracles\r\nConnection: close\r\n\r\n`);
    expect(parseAnswer(await wire.closed).status).toBe(200);
  });

  it("200 a target in absolute form, as a proxy sends it", async () => {
    const wire = await open();
    wire.send("GET http://other.example/healthz?a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(parseAnswer(await wire.closed).status).toBe(200);
  });

  it.each(["/%zz", "/v1/%ff", "/a//b", "/%00", "*", "?a=b", "healthz", "ftp://x/healthz", "http://"])(
    "names the request in the answer to the target %s",
    async (target) => {
      const wire = await open();
      wire.send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      const answer = parseAnswer(await wire.closed);
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    },
  );

  it("goes on serving after all of this", async () => {
    const response = await fetch(`${server.url}/healthz`);
    expect(response.status).toBe(200);
  });
});

describe("clients that go away", () => {
  it("in the middle of a body: nothing is written, nothing breaks", async () => {
    for (let round = 0; round < 20; round += 1) {
      const wire = await open();
      wire.send("POST /api/platform/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
      wire.send('Content-Length: 100\r\n\r\n{"email":');
      wire.socket.resetAndDestroy();
      await wire.closed;
    }
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("in the middle of a stream: the stream ends here too", async () => {
    for (let round = 0; round < 20; round += 1) {
      const wire = await open();
      wire.send("GET /api/platform/admin/limits/stream HTTP/1.1\r\nHost: x\r\n");
      wire.send(`Authorization: Bearer ${server.adminToken}\r\n\r\n`);
      await wire.until(/event: ready/);
      wire.socket.resetAndDestroy();
      await wire.closed;
    }
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("in the middle of an export", async () => {
    const wire = await open();
    wire.send("GET /api/platform/admin/storage/export HTTP/1.1\r\nHost: x\r\n");
    wire.send(`Authorization: Bearer ${server.adminToken}\r\n\r\n`);
    wire.socket.resetAndDestroy();
    await wire.closed;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});
