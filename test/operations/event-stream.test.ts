import { describe, expect, it } from "vitest";

import { endAfter, eventStream } from "../../server/operations/admin/event-stream.ts";

/** A stream that says one thing and then has no news; `ended` tells whether its source was let go. */
function quiet(
  opening: () => string | Promise<string> = () => "event: ready\ndata: {}\n\n",
  options: Parameters<typeof eventStream>[1] = { isAllowed: () => Promise.resolve(true) },
) {
  const state = { ended: false, close: (): void => undefined };
  const reply = eventStream(
    {
      watch(watcher) {
        state.close = watcher.close;
        return { take: () => "", end: () => void (state.ended = true) };
      },
      opening,
    },
    options,
  );
  if (reply.kind !== "raw" || !(reply.body instanceof ReadableStream)) throw new Error("no stream");
  return { state, body: reply.body };
}

const textOf = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> =>
  new Response(stream).text();

describe("a stream of a session", () => {
  it("ends after a while, and lets its source go", async () => {
    const { state, body } = quiet();
    expect(await textOf(endAfter(body, 20))).toContain("event: ready");
    expect(state.ended).toBe(true);
  });

  it("ends with the process before that", async () => {
    const { state, body } = quiet();
    const text = textOf(endAfter(body, 60_000));
    state.close();
    expect(await text).toContain("event: ready");
    expect(state.ended).toBe(true);
  });

  it("lets its source go when the reader leaves", async () => {
    const { state, body } = quiet();
    const reader = endAfter(body, 60_000).getReader();
    await reader.read();
    await reader.cancel();
    expect(state.ended).toBe(true);
  });

  it("lets its source go when it cannot begin", async () => {
    const { state, body } = quiet(() => Promise.reject(new Error("The store cannot be read.")));
    await expect(textOf(body)).rejects.toThrow("cannot be read");
    expect(state.ended).toBe(true);
  });
});

describe("a stream of a session whose source fails", () => {
  it.each([
    ["is over, and its time ends nothing", true],
    ["which is not read, is let go in time", false],
  ])("%s", async (_, isRead) => {
    const failed: unknown[] = [];
    const note = (error: unknown): void => void failed.push(error);
    process.on("uncaughtException", note);
    process.on("unhandledRejection", note);
    const { body } = quiet(() => Promise.reject(new Error("The store cannot be read.")));
    const ended = endAfter(body, 20);
    if (isRead) await expect(textOf(ended)).rejects.toThrow("cannot be read");
    await new Promise((resolve) => setTimeout(resolve, 40));
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
    expect(failed).toEqual([]);
  });
});

describe("a limit that customers share", () => {
  it("takes the oldest stream of who has most, and refuses nobody", async () => {
    const stream = (reader: string) =>
      quiet(undefined, {
        limits: [{ name: "shared", max: 3, reader }],
        isAllowed: () => Promise.resolve(true),
      });
    const [quietOne, oldest, newest] = [stream("honest"), stream("hostile"), stream("hostile")];
    const late = stream("another");
    const all = [quietOne, oldest, newest, late];
    expect(all.map(({ state }) => state.ended)).toEqual([false, true, false, false]);
    expect(await textOf(oldest.body)).toContain("event: ready");
    await Promise.all([quietOne, newest, late].map(({ body }) => body.cancel()));
  });
});
