import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { serveHarness } from "../../../support/browser.ts";
import { collectGarbage } from "../../../support/collect-garbage.ts";
import { longestOf, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

/** Sends a log as curl -T does: in chunks, none of which ends where a line does. */
async function send(own: Shop, log: string | Uint8Array, query = "", chunkBytes = 70_001): Promise<Response> {
  const bytes = typeof log === "string" ? new TextEncoder().encode(log) : new Uint8Array(log);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at + chunkBytes));
      at += chunkBytes;
      if (at >= bytes.length) controller.close();
    },
  });
  const headers = { authorization: `Bearer ${own.key.plaintext}`, "content-type": "text/plain" };
  const request = { method: "POST", headers, body, duplex: "half" } as const;
  return own.harness.app.fetch(
    new Request(`http://platform.test/v1/answeros/crawler-logs/stream${query}`, request),
  );
}
const read = async (answer: Promise<Response>) => {
  const { data, error } = await (await answer).json();
  return data ?? error.code;
};
const fresh = () => createShop();

const combined = (at: number, agent = "GPTBot/1.2") =>
  `192.0.2.${at % 250} - - [01/Jun/2026:06:${String(Math.trunc(at / 60) % 60).padStart(2, "0")}:${String(at % 60).padStart(2, "0")} +0000] "GET /p${at} HTTP/1.1" 200 5 "-" "${agent}"`;
const LINES = 30_000;
const large = Array.from({ length: LINES }, (_, at) =>
  combined(at, at % 3 === 0 ? "GPTBot/1.2" : "Firefox"),
).join("\n");

describe("a log of any size, as a stream", () => {
  it("comes over a socket, and is refused while the client still sends", async () => {
    const served = await serveHarness();
    const { plaintext } = await served.harness.key();
    const post = async (body: string): Promise<unknown> => {
      const answer = await fetch(`${served.url}/v1/answeros/crawler-logs/stream`, {
        method: "POST",
        headers: { authorization: `Bearer ${plaintext}`, "content-type": "text/plain" },
        body,
      });
      return read(Promise.resolve(answer));
    };
    expect(await post(large)).toMatchObject({ lines: LINES, hits: LINES / 3 });
    expect(await post("junk\n".repeat(1_000_000))).toBe("bad_log");
    expect(await post(combined(3))).toMatchObject({ hits: 0, repeated: 1 });
    await served.close();
  }, 60_000);

  it("is counted in parts as it arrives, each line once, whole or compressed, however often it is sent", async () => {
    // More than any JSON body may have.
    expect(large.length).toBeGreaterThan(2_000_000);
    const counted = { lines: LINES, hits: LINES / 3, repeated: 0, skipped: (LINES / 3) * 2, unreadable: 0 };
    expect(await read(send(shop, large))).toEqual(counted);
    const grown = gzipSync(`${large}\n${combined(LINES)}\n`);
    expect(await read(send(shop, grown, "", 4_096))).toEqual({
      ...counted,
      lines: LINES + 1,
      hits: 1,
      repeated: LINES / 3,
    });
    const [day] = await shop.must("GET", "/crawlers?from=2026-06-01&to=2026-06-01");
    expect(day).toMatchObject({ bot: "GPTBot", hits: LINES / 3 + 1 });
    // One of its lines by the other route.
    expect(await shop.must("POST", "/crawler-logs", { log: combined(3) })).toMatchObject({
      hits: 0,
      repeated: 1,
    });
  }, 60_000);

  it("counts equal lines as often as they are there, also where a part ends between them", async () => {
    const own = await fresh();
    const log = Array.from({ length: 12_000 }, () => combined(1)).join("\n");
    expect(await read(send(own, log))).toMatchObject({ lines: 12_000, hits: 12_000, repeated: 0 });
    expect(await read(send(own, log))).toMatchObject({ hits: 0, repeated: 12_000 });
    await own.harness.close();
  }, 60_000);

  it("recognises more than 20,000 requests of a crawler on a day", async () => {
    const own = await fresh();
    const log = Array.from({ length: 25_000 }, (_, at) => combined(at)).join("\n");
    expect(await read(send(own, log))).toMatchObject({ hits: 25_000 });
    expect(await read(send(own, log))).toMatchObject({ hits: 0, repeated: 25_000 });
    await own.harness.close();
  }, 60_000);

  it.each<[string, string]>([
    [
      "Cloudflare",
      '{"ClientRequestURI":"/rye","EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-06-02T06:00:00Z","ClientRequestUserAgent":"ClaudeBot/1.0"}',
    ],
    [
      "JSON lines of nginx",
      '{"time_iso8601":"2026-06-02T06:00:00+00:00","request_uri":"/rye","status":"200","http_user_agent":"ClaudeBot/1.0"}',
    ],
    ["CSV", "time,path,status,user_agent\n2026-06-02T06:00:00Z,/rye,200,ClaudeBot/1.0"],
    ["Apache with carriage returns", `${combined(1, "ClaudeBot/1.0")}\r`],
  ])("takes %s", async (_, log) => {
    const own = await fresh();
    expect(await read(send(own, log))).toMatchObject({ lines: 1, hits: 1 });
    await own.harness.close();
  });

  // Compressed, an error of the body that had no listener ended the process of the server; else it was logged as a fault of the server.
  it.each<[string, Uint8Array]>([
    ["compressed", gzipSync(large).subarray(0, 100)],
    ["text", Buffer.from(large).subarray(0, 100)],
  ])("ends where the connection breaks within what is %s", async (_, part) => {
    const parts = [part];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = parts.shift();
        if (next === undefined) controller.error(new Error("aborted"));
        else controller.enqueue(next);
      },
    });
    const headers = { authorization: `Bearer ${shop.key.plaintext}`, "content-type": "text/plain" };
    const url = "http://platform.test/v1/answeros/crawler-logs/stream";
    const request = new Request(url, { method: "POST", headers, body, duplex: "half" } as RequestInit);
    const { status } = await shop.harness.app.fetch(request);
    expect(status).toBe(400);
  });

  it("refuses what is no log, and reads nothing of a huge line", async () => {
    expect(await read(send(shop, "nonsense\n"))).toBe("bad_log");
    expect(await read(send(shop, gzipSync(large).subarray(0, 5_000)))).toBe("bad_log");
    expect(await read(send(shop, ""))).toEqual({ lines: 0, hits: 0, repeated: 0, skipped: 0, unreadable: 0 });
    const huge = `${combined(LINES + 7)}\n${"x".repeat(3_000_000)}\n${combined(LINES + 8)}`;
    expect(await read(send(shop, huge))).toMatchObject({ lines: 3, hits: 2, unreadable: 1 });
  });

  // A line kept the chunk that it came in: six requests of 91 KB of gzip took a gigabyte.
  it("keeps of each chunk only what is in its lines", async () => {
    const chunk = new TextEncoder().encode(`${combined(1, "中")}\n${"\n".repeat(32_000)}`);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let noteSent = (): void => undefined;
    const allSent = new Promise<void>((resolve) => (noteSent = resolve));
    let count = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        count += 1;
        if (count <= 1_000) return controller.enqueue(chunk);
        noteSent();
        await held;
        controller.close();
      },
    });
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const headers = { authorization: `Bearer ${shop.key.plaintext}`, "content-type": "text/plain" };
    const url = "http://platform.test/v1/answeros/crawler-logs/stream";
    const answer = Promise.resolve(
      shop.harness.app.fetch(
        new Request(url, { method: "POST", headers, body, duplex: "half" } as RequestInit),
      ),
    );
    await allSent;
    collectGarbage();
    expect((process.memoryUsage().heapUsed - before) / 1_000_000).toBeLessThan(20);
    goOn();
    expect(await read(answer)).toMatchObject({ lines: 1_000, skipped: 1_000 });
  }, 60_000);

  // One of empty lines, a thousandth of it as gzip, was charged at its end: for hours a customer had half of the server.
  it.each(["plain", "compressed"])(
    "is charged while it is read, %s",
    async (how) => {
      const own = await fresh();
      const key = await own.harness.key({ plan: "free" });
      await own.harness.services.budgets.charge(key.customerId, "cpu", 118_500);
      const lines = new Uint8Array(1_000_000).fill(10);
      const chunk = how === "plain" ? lines : gzipSync(lines);
      let count = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          count += 1;
          if (count > 1_000) controller.close();
          else controller.enqueue(chunk);
        },
      });
      const headers = { authorization: `Bearer ${key.plaintext}`, "content-type": "text/plain" };
      const url = "http://platform.test/v1/answeros/crawler-logs/stream";
      const request = new Request(url, { method: "POST", headers, body, duplex: "half" } as RequestInit);
      expect((await own.harness.app.fetch(request)).status).toBe(429);
      expect(count).toBeLessThan(1_000);
      await own.harness.close();
    },
    60_000,
  );

  it("makes pauses among lines that are empty", async () => {
    const longest = await longestOf(
      () => shop.harness.clock.advance(60_000),
      async () =>
        expect(await read(send(shop, "\n".repeat(3_000_000), "", 16_384))).toMatchObject({ lines: 0 }),
    );
    expect(longest).toBeLessThan(TURN_MS);
  }, 60_000);
});
