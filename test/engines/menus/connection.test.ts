import { describe, expect, it } from "vitest";

import {
  changesOf,
  isSame,
  nextSendMs,
  outdated,
  settleAttempt,
  settleStock,
} from "../../../server/engines/menus/rules/connection.ts";
import { judgeAnswer } from "../../../server/engines/menus/services/menu-channel.ts";
import { toInstant } from "../../../server/lib/instant.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const at = { nowMs: NOW, realMs: NOW };
const pending = {
  id: "pub_1",
  menu_version: 2,
  status: "pending",
  requested_at: toInstant(NOW),
  finished_at: null,
  attempts: 0,
  next_attempt_at: toInstant(NOW),
  error: null,
} as const;
const retry = { status: "retry", error: "503", notBeforeMs: null } as const;

describe("what an answer of a channel means", () => {
  it.each([
    [200, "accepted"],
    [204, "accepted"],
    [202, "pending"],
    [400, "refused"],
    [301, "refused"],
    [410, "refused"],
    [408, "retry"],
    [409, "retry"],
    [429, "retry"],
    [500, "retry"],
    [503, "retry"],
  ])("%d: %s", (status, expected) => {
    expect(judgeAnswer({ status, body: "" }, NOW).status).toBe(expected);
  });

  it("waits as long as the channel asks, a day at most", () => {
    const of = (retryAfter: string) => judgeAnswer({ status: 429, body: "", retryAfter }, NOW);
    expect(of("120")).toMatchObject({ notBeforeMs: NOW + 120_000 });
    expect(of("999999999")).toMatchObject({ notBeforeMs: NOW + 86_400_000 });
    expect(of("soon")).toMatchObject({ notBeforeMs: null });
  });
});

describe("a publication", () => {
  it("is online or failed for good", () => {
    const ended = { attempts: 1, next_attempt_at: null, finished_at: toInstant(NOW) };
    expect(settleAttempt(pending, { status: "accepted" }, at)).toMatchObject({ ...ended, status: "online" });
    expect(settleAttempt(pending, { status: "refused", error: "no" }, at)).toMatchObject({
      ...ended,
      status: "failed",
      error: "no",
    });
  });

  it("is attempted again with growing waits for almost a day, then fails", () => {
    let publication: Parameters<typeof settleAttempt>[0] = pending;
    const waits: number[] = [];
    let now = NOW;
    while (publication.status === "pending" && waits.length < 50) {
      publication = settleAttempt(publication, retry, { nowMs: now, realMs: now });
      const next = publication.next_attempt_at;
      if (next === null) break;
      waits.push((Date.parse(next) - now) / 1000);
      now = Date.parse(next);
    }
    expect(waits).toEqual([10, 60, 300, 900, 3_600, 10_800, 21_600, 43_200]);
    expect(publication).toMatchObject({ status: "failed", attempts: 9, error: "503" });
  });

  it("is not attempted before the channel wants it, by its clock", () => {
    const later = { ...retry, notBeforeMs: NOW + 600_000 };
    const testClock = { nowMs: NOW - 86_400_000, realMs: NOW };
    expect(settleAttempt(pending, later, testClock).next_attempt_at).toBe(
      toInstant(NOW - 86_400_000 + 600_000),
    );
  });
});

describe("stock", () => {
  const describeAll = () => ({ kind: "item", external_id: "x" }) as const;
  it("sends what changed, in both directions, and nothing else", () => {
    const sent = { a: null, b: "2026-06-01T10:00:00.000Z", c: null };
    const now = { b: "2026-06-01T11:00:00.000Z", c: null, d: null };
    expect(
      changesOf(sent, now, describeAll).map(({ id, available, until }) => [id, available, until]),
    ).toEqual([
      ["b", false, "2026-06-01T11:00:00.000Z"],
      ["d", false, null],
      ["a", true, null],
    ]);
    expect(changesOf(now, now, describeAll)).toEqual([]);
    expect(changesOf(outdated(now), now, describeAll)).toHaveLength(3);
    expect([isSame(now, now), isSame(sent, now), isSame({}, now), isSame({ ...now, e: null }, now)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("leaves out what the menu of the channel does not show", () => {
    expect(changesOf({}, { a: null }, () => null)).toEqual([]);
  });

  it("is repeated without an end, hourly at last", () => {
    let stock = { sent_at: null, attempts: 0, next_attempt_at: null, error: null } as Parameters<
      typeof settleStock
    >[0];
    for (let attempt = 0; attempt < 30; attempt += 1) stock = settleStock(stock, retry, at);
    expect(stock).toMatchObject({ attempts: 30, next_attempt_at: toInstant(NOW + 3_600_000), error: "503" });
    expect(settleStock(stock, { status: "pending" }, at)).toEqual({
      sent_at: toInstant(NOW),
      attempts: 0,
      next_attempt_at: null,
      error: null,
    });
  });

  it("is next sent when the first suspension ends", () => {
    const idle = { sent_at: null, attempts: 0, next_attempt_at: null, error: null };
    const sent = { a: "2026-06-01T12:00:00.000Z", b: "2026-06-01T10:00:00.000Z", c: null };
    const of = (parts: object) =>
      nextSendMs({ publication: null, stock: idle, online_version: 1, ...parts } as never, sent);
    expect(of({})).toBe(Date.parse("2026-06-01T10:00:00.000Z"));
    expect(of({ online_version: null })).toBeNull();
    expect(of({ publication: pending })).toBe(NOW);
    expect(of({ stock: { ...idle, next_attempt_at: "2026-06-01T13:00:00.000Z" } })).toBe(
      Date.parse("2026-06-01T13:00:00.000Z"),
    );
  });
});
