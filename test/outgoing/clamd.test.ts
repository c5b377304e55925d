import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { createClamdScan } from "../../server/outgoing/clamd.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** A scanner that reads a whole INSTREAM and then says what `verdict` says of it. */
async function scanner(verdict: (file: Buffer) => string | null): Promise<string> {
  server = createServer((socket) => {
    let heard = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      heard = Buffer.concat([heard, data]);
      const file = readStream(heard);
      const told = file === null ? null : verdict(file);
      if (told !== null) socket.end(told);
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  // Listening on a port, it has an address of this shape.
  return `127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

function readStream(heard: Buffer): Buffer | null {
  const command = "zINSTREAM\0";
  if (heard.length < command.length) return null;
  expect(heard.subarray(0, command.length).toString()).toBe(command);
  const pieces: Buffer[] = [];
  let at = command.length;
  while (at + 4 <= heard.length) {
    const length = heard.readUInt32BE(at);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(heard.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return null;
}

describe("a virus scanner", () => {
  it("gets the whole file in pieces, and its word is taken", async () => {
    const file = Buffer.alloc(200_000, "soup");
    let seen: Buffer | null = null;
    const address = await scanner((whole) => {
      seen = whole;
      return "stream: OK\0";
    });
    expect(await createClamdScan(address)(file)).toBe("clean");
    expect(Buffer.compare(seen ?? Buffer.alloc(0), file)).toBe(0);
  });

  it.each([
    ["stream: Win.Test.EICAR_HDB-1 FOUND\0", "infected"],
    ["INSTREAM size limit exceeded. ERROR\0", "pending"],
    ["", "pending"],
  ])("%j: %s", async (said, expected) => {
    expect(await createClamdScan(await scanner(() => said))(Buffer.from("x"))).toBe(expected);
  });

  it("that does not answer, or is not there, has judged nothing", async () => {
    expect(await createClamdScan(await scanner(() => null), 100)(Buffer.from("x"))).toBe("pending");
    expect(await createClamdScan("127.0.0.1:1")(Buffer.from("x"))).toBe("pending");
  });
});
