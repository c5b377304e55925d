import { describe, expect, it } from "vitest";

import { readEvents } from "../../../cli/live/sse.ts";

const MEGABYTE = Buffer.alloc(1_000_000, "x");

/** A stream that begins in some way and goes on with the same megabyte, up to 40 times. */
async function* endless(next: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from("event: delivery\nid: 1\n");
  for (let sent = 0; sent < 40; sent += 1) {
    yield Buffer.from("data: ");
    yield MEGABYTE;
    yield Buffer.from(next);
  }
  throw new Error("It was read on.");
}

describe("the events of a stream", () => {
  it("are cut at line breaks of every kind, in any pieces", async () => {
    const text = "event: a\r\ndata: 1\rdata: 2\n\r\n: note\ndata\nid: 7\n\ndata: lost";
    const events = [];
    const chunks = async function* letters() {
      for (const char of text) yield Buffer.from(char);
    };
    for await (const event of readEvents(chunks())) events.push(event);
    expect(events).toEqual([
      { event: "a", data: "1\n2", id: "" },
      { event: "message", data: "", id: "7" },
    ]);
  });

  it.each([
    ["a line", ""],
    ["an event", "\n"],
  ])("are refused where %s does not end", async (_, next) => {
    const first = readEvents(endless(next)).next();
    await expect(first).rejects.toThrow("an event of more than 8 MB");
  });
});
