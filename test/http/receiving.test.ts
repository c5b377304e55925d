import { IncomingMessage } from "node:http";
import { connect } from "node:net";

import { afterEach, describe, expect, it, vi } from "vitest";

import { areTooShort } from "../../server/http/messages.ts";
import { createReceivingLimit } from "../../server/http/receiving.ts";
import { createCleanup, eventually, serve } from "../serve/rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Bodies of so many bytes by sender, in the order in which they came; returns the numbers of the refused ones. */
function refusedOf(limit: number, bodies: readonly (readonly [sender: string, bytes: number])[]): number[] {
  const receiving = createReceivingLimit(limit);
  const refused: number[] = [];
  for (const [index, [sender, bytes]] of bodies.entries())
    receiving(sender, () => refused.push(index)).add(bytes);
  return refused;
}

it("refuses the largest body of the sender with the most bytes", () => {
  expect(
    refusedOf(100, [
      ["one", 40],
      ["other", 30],
      ["one", 20],
      ["other", 10],
    ]),
  ).toEqual([]);
  expect(
    refusedOf(100, [
      ["one", 30],
      ["other", 45],
      ["one", 20],
      ["third", 10],
    ]),
  ).toEqual([0]);
});

it("forgets bodies that are complete", () => {
  const receiving = createReceivingLimit(100);
  const refused: number[] = [];
  for (let index = 0; index < 10; index += 1) {
    const body = receiving("one", () => refused.push(index));
    body.add(60);
    body.end();
    body.end();
  }
  expect(refused).toEqual([]);
});

it("has a sender of much wait, for all its bodies together", () => {
  const receiving = createReceivingLimit();
  const open = (sender: string) => receiving(sender, () => expect.unreachable());
  const [one, other, quiet] = [open("one"), open("one"), open("quiet")];
  expect(one.add(3_000_000)).toBe(0);
  expect(other.add(1_000_000)).toBe(0);
  // 5 MB a second: 100,000 bytes are 20 milliseconds, for each of two bodies.
  expect(one.add(100_000)).toBe(40);
  expect(quiet.add(100_000)).toBe(0);
  one.end();
  expect(other.add(100_000)).toBe(0);
});

it("reads no more of a body that is refused", () => {
  const receiving = createReceivingLimit(10_000_000);
  expect(receiving("one", () => undefined).add(20_000_000)).toBe(0);
});

describe("a body in chunks", () => {
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  /** What comes back for these chunks. */
  async function send(chunks: readonly string[]): Promise<string> {
    const server = await serve(cleanup);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    cleanup.add(() => socket.destroy());
    let answer = "";
    socket.on("error", () => undefined).on("data", (bytes) => (answer += bytes.toString("latin1")));
    socket.write(
      "POST /api/platform/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    socket.write(chunks.map(chunk).join(""));
    await eventually(() => answer !== "");
    return answer;
  }
  const email = "a".repeat(30_000);

  it("is read in whatever pieces it comes", async () => {
    const text = `{"email":"${email}@shop.test", "storeIdentifier": 1}`;
    const pieces = [
      "{",
      text.slice(1, 9),
      text.slice(9, 20_000),
      text.slice(20_000, -3),
      ...text.slice(-3).split(""),
      "",
    ];
    const answer = await send(pieces);
    expect(answer).toContain("HTTP/1.1 422 ");
    expect(answer).toContain("#/storeIdentifier");
  });

  it("is refused where there are very many short ones, before it is complete", async () => {
    const answer = await send(email.slice(0, 1_001).split(""));
    expect(answer).toContain("HTTP/1.1 400 ");
    expect(answer).toContain("more than 1000 chunks of less than 16 bytes");
    expect([areTooShort(900, 900), areTooShort(1_001, 17_000)]).toEqual([false, false]);
    expect([areTooShort(10_001, 200_000), areTooShort(10_001, 650_000)]).toEqual([true, false]);
  });
});

it("nothing more is made of a body of very short chunks, whoever it is for, and later bodies are read", async () => {
  const server = await serve(cleanup);
  const flood = "1\r\na\r\n".repeat(10_000);
  const head = "POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const push = vi.spyOn(IncomingMessage.prototype, "push");
  cleanup.add(() => push.mockRestore());
  for (let sent = 0; sent < 3; sent += 1) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    let answer = "";
    socket.on("error", () => undefined).on("data", (bytes) => (answer += bytes.toString("latin1")));
    socket.write(`${head}${flood}0\r\n\r\n`);
    await eventually(() => socket.closed);
    expect(answer).toContain("HTTP/1.1 404 ");
    const text = JSON.stringify({ email: "x" });
    const headers = { "content-type": "application/json" };
    const later = await fetch(`${server.url}/api/platform/signup`, { method: "POST", headers, body: text });
    expect([later.status, await later.text()]).toEqual([422, expect.stringContaining("#/email")]);
  }
  expect(push.mock.calls.length).toBeLessThan(3 * 1_100);
});

it("short chunks of requests that are sent ahead count together, and a request of many is the last one of its connection", async () => {
  const server = await serve(cleanup);
  const head = "POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const push = vi.spyOn(IncomingMessage.prototype, "push");
  cleanup.add(() => push.mockRestore());
  /** What comes back for so many requests with so many chunks, until the connection is closed or this is answered. */
  async function send(requests: number, chunks: number): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    cleanup.add(() => socket.destroy());
    let answer = "";
    socket.on("error", () => undefined).on("data", (bytes) => (answer += bytes.toString("latin1")));
    socket.write(`${head}${"1\r\na\r\n".repeat(chunks)}0\r\n\r\n`.repeat(requests));
    await eventually(() => socket.closed || answer.split("HTTP/1.1 404 ").length > requests);
    return answer;
  }
  expect(await send(8, 900)).toMatch(/HTTP\/1\.1 404 [^]*connection: close/i);
  expect(push.mock.calls.length).toBeLessThan(2_500);
  expect(await send(1, 900)).toMatch(/connection: close/i);
  expect(await send(8, 90)).not.toMatch(/connection: close/i);
});

const BOUNDARY = "x";
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n`;
const BYTES = 26_000_000;

it("clients that do not finish large bodies cannot fill the memory", async () => {
  const server = await serve(cleanup, {
    "server.requestTimeoutSeconds": 60,
    "server.trustedProxies": "127.0.0.1",
  });
  const answers: string[] = [];
  // Each from an address of its own: from one, they would be read slowly.
  for (let n = 0; n < 6; n += 1) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    cleanup.add(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => (answers[n] = (answers[n] ?? "") + bytes.toString("latin1")));
    socket.write(
      `POST /api/public/reviews/token-${n} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 8.8.4.${n}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${BYTES + 1_000}\r\n\r\n${PART}`,
    );
    socket.write(Buffer.alloc(BYTES));
  }
  await eventually(() => answers.filter(Boolean).length >= 2);
  // Five hold 130 MB.
  const refused = answers.filter(Boolean);
  expect(refused).toHaveLength(2);
  for (const answer of refused) {
    expect(answer).toContain("HTTP/1.1 503 ");
    expect(answer).toMatch(/retry-after: 5/i);
    expect(answer).toContain("Too many large request bodies");
  }
});
