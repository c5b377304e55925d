import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { addEvent, FIRST_VIEW, pressKey, renderTop } from "../../../cli/live/top-view.ts";
import type { TopRows, TopView } from "../../../cli/live/top-view.ts";
import type { RunningServer } from "../../../server/serve.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const SCREEN = { columns: 140, rows: 24, nowMs: NOW };

const event = (key: string, remaining: number, more: object = {}) => ({
  type: "update",
  key,
  customer: `cus_of_${key}`,
  limit: 60,
  remaining,
  reset: NOW / 1000 + 30,
  route: "delivery.zones.list",
  ...more,
});
const rowsOf = (...events: readonly ReturnType<typeof event>[]): TopRows =>
  events.reduce<TopRows>((rows, one) => addEvent(rows, one, NOW), new Map());
const press = (keys: string): TopView => keys.split("").reduce(pressKey, FIRST_VIEW);

describe("the table of limits", () => {
  it("shows a row per key, the fullest first, with its share, reset and refusals", () => {
    const rows = rowsOf(
      event("key_low", 54),
      event("key_full", 0),
      event("key_full", 0, { type: "rejected" }),
      event("key_half", 30),
    );
    const lines = renderTop(rows, FIRST_VIEW, SCREEN);
    expect(lines.slice(1, 4).map((line) => line.split(" ")[0])).toEqual(["key_full", "key_half", "key_low"]);
    expect(lines[1]).toMatch(/█{12} 100% +0\/60 +30 s +1 .* delivery\.zones\.list$/);
    expect(lines[2]).toMatch(/█{6}░{6} +50% +30\/60/);
    expect(lines.at(-1)).toMatch(/^3 keys/);
  });

  it("gives a key its window back when that has ended", () => {
    const [, line] = renderTop(rowsOf(event("key_1", 0)), FIRST_VIEW, { ...SCREEN, nowMs: NOW + 31_000 });
    expect(line).toMatch(/ 0% +60\/60 +– /);
  });

  it("draws the last minute, the latest on the right", () => {
    const before = addEvent(new Map(), event("key_1", 59), NOW - 58_000);
    const rows = addEvent(addEvent(before, event("key_1", 58), NOW), event("key_1", 57), NOW);
    const [, line = ""] = renderTop(rows, FIRST_VIEW, SCREEN);
    const spark = /[▁-█][ ▁-█]{18}█/.exec(line.slice(80))?.[0] ?? "";
    expect(spark).toMatch(/^▄ {18}█$/);
    const later = addEvent(rows, event("key_1", 56), NOW + 120_000);
    expect(later.get("key_1")?.seconds).toHaveLength(1);
  });

  it("fits its screen", () => {
    const many = Array.from({ length: 50 }, (_, index) => event(`key_${index}`, index));
    const lines = renderTop(rowsOf(...many), FIRST_VIEW, { ...SCREEN, columns: 40, rows: 10 });
    expect(lines).toHaveLength(10);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines.at(-1)).toContain("43 more");
  });

  it("filters by what is typed, pauses and ends", () => {
    const rows = rowsOf(event("key_a", 1), event("key_b", 2));
    expect(renderTop(rows, press("/_b\r"), SCREEN).filter((line) => line.startsWith("key_"))).toHaveLength(1);
    expect(press("/_bx\u007f").filter).toBe("_b");
    expect(press("/q")).toMatchObject({ filter: "q", isDone: false });
    expect(press("/b\u001b").filter).toBe("");
    expect(press("p")).toMatchObject({ isPaused: true });
    expect(press("pp")).toMatchObject({ isPaused: false });
    expect(press("q").isDone).toBe(true);
    expect(press("/a\u0003").isDone).toBe(true);
  });
});

describe("limits tail --top", () => {
  let sandbox: ServiceSandbox;
  let server: RunningServer;
  beforeAll(async () => {
    sandbox = createServiceSandbox();
    server = await sandbox.serve();
  });
  afterAll(async () => {
    await server.stop("test");
    sandbox.remove();
  });

  it("0 redraws on a screen of its own and leaves the terminal as it was", async () => {
    const { data } = (await sandbox.run(["seed", "--json"])).json();
    const key = await sandbox.run([
      "keys",
      "issue",
      "--customer",
      data.customer_id,
      "--preset",
      "full",
      "-q",
    ]);
    await sandbox.run(["call", "/v1/delivery/zones", "--silent"], {
      env: { PLATFORM_API_KEY: key.stdout.trim() },
    });
    const { code, stdout } = await sandbox.run(["limits", "tail", "--top", "--for", "1s"], { columns: 140 });
    expect(code).toBe(0);
    expect(stdout.startsWith("\u001b[?1049h\u001b[?25l")).toBe(true);
    expect(stdout.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
    expect(stdout).toContain("delivery.zones.list");
  });

  it("0 falls back to lines where nothing can be drawn", async () => {
    const { code, stdout, stderr } = await sandbox.run(["limits", "tail", "--top", "--for", "2s"]);
    expect(code).toBe(0);
    expect(stdout).not.toContain("\u001b");
    expect(stderr).toContain("--top needs a terminal");
  });
});
