import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { createFetch } from "../../server/outgoing/fetch.ts";
import { limitPieces } from "../../server/outgoing/limit-pieces.ts";
import { createPost } from "../../server/outgoing/post.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Answers with these bytes, which no server of Node would send. */
async function serve(text: string): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", () => socket.write(text));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const SECONDS_MS = 3_000;
const post = createPost({ allowPrivate: true });
const fetch = createFetch({ allowPrivate: true });
const clients = [
  { name: "post", send: (url: string) => post({ url, headers: {}, body: "{}", timeoutMs: SECONDS_MS }) },
  { name: "fetch", send: (url: string) => fetch({ url, timeoutMs: SECONDS_MS }) },
];

const SWITCH = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
const HINT = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const chunked = (chunk: string, count: number): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`;

describe.each(clients)("$name", ({ send }) => {
  it.each([
    ["switches to another protocol", SWITCH, "switched to another protocol"],
    ["sends one interim response after the other", HINT.repeat(5_000), "too many interim responses"],
    ["sends its body byte by byte", chunked("a", 5_000), "too many short chunks"],
  ])("fails at once where the server %s", async (_, text, reason) => {
    await expect(send(await serve(text))).rejects.toThrow(reason);
  });

  it.each([
    ["some interim responses", HINT.repeat(10) + OK],
    ["many chunks of a line", chunked("<li>Rye bread</li>", 2_000)],
    ["a few short chunks", chunked("a", 900)],
  ])("takes a response with %s", async (_, text) => {
    expect((await send(await serve(text))).status).toBe(200);
  });
});

describe("session tickets", () => {
  it.each([
    [20, "socket hang up"],
    [21, "too many session tickets"],
  ])("%i of a server", async (count, reason) => {
    const outgoing = request(await serve(""));
    limitPieces(outgoing);
    outgoing.once("socket", (socket) => {
      for (let sent = 0; sent < count; sent += 1) socket.emit("session");
      socket.end();
    });
    await expect(once(outgoing, "response")).rejects.toThrow(reason);
  });
});
