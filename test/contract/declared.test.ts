import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { moneyRefusals } from "./refusals-money.ts";
import { shopRefusals } from "./refusals-shop.ts";
import { endpoints } from "./world.ts";

/*
 * Each error that a route declares with a code is provoked by a test: a file that calls the route and expects the code, or a
 * row of `refusals.test.ts` or `limits.test.ts`.
 */

/** Pairs that `refusals.test.ts` plays in tests of their own. */
const ALONE = [
  "account.keys.rotate customer_not_active",
  "reviews.reply-suggestions.create budget_exceeded",
  "reviews.reply-suggestions.create ai_unavailable",
];
/** Refusals of the pool of worker threads, one mechanism for all routes that hand work to it: `lib/worker-tasks.test.ts`. */
const OF_WORKERS: ReadonlySet<string> = new Set(["text_too_complex", "workers_busy"]);

const root = new URL("..", import.meta.url).pathname;
const tests = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !/^(bench|contract|attack)/.test(file))
  .map((file) => readFileSync(join(root, file), "utf8"));
const limits = readFileSync(new URL("limits.test.ts", import.meta.url), "utf8");
/** Pairs that a contract test plays by the id of the route. */
const played = new Set([
  ...[...shopRefusals, ...moneyRefusals].map(([id, code]) => `${id} ${code}`),
  ...Array.from(limits.matchAll(/^ +(?:\[)?"([a-z.-]+)",/gm), ([, id]) => `${id} limit_reached`),
  ...ALONE,
]);

const PARAM = String.raw`(?:\$\{[^}]*\}|[\w.~%-]+)`;

/** `delivery.holds.extend slot_full` for each declared pair, with the tests that may provoke it. */
const pairs = endpoints.flatMap(({ route, path }) => {
  const calls = callOf(path);
  return route.errors.flatMap(({ code }) => {
    if (code === undefined || OF_WORKERS.has(code)) return [];
    const expects = new RegExp(`["'\`/ .:]${code}["'\`/ ,.:]`);
    const pair = `${route.id} ${code}`;
    const isProvoked = played.has(pair) || tests.some((text) => expects.test(text) && calls.test(text));
    return [{ pair, isProvoked }];
  });
});

/** How a test writes the path of a route: whole, or from its last fixed part on, which helpers put behind what is common. */
function callOf(path: string): RegExp {
  const segments = path.split("/").slice(1);
  const last = segments.findLastIndex((segment) => !segment.startsWith(":"));
  const tail = segments
    .slice(last)
    .map((segment) => (segment.startsWith(":") ? PARAM : segment.replaceAll(".", String.raw`\.`)));
  return new RegExp(`["'\`/}]${tail.join("/")}(?=["'\`?$\\s/]|$)`, "m");
}

describe("declared errors", () => {
  it("finds codes of many routes", () => expect(pairs.length).toBeGreaterThan(400));

  it("have a code where they are conflicts", () => {
    const without = endpoints.filter(({ route }) =>
      route.errors.some(({ type, code }) => type === "conflict" && code === undefined),
    );
    expect(without.map(({ route }) => route.id)).toEqual([]);
    const server = new URL("../../server/", import.meta.url).pathname;
    const thrown = readdirSync(server, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => {
        const calls = readFileSync(join(server, file), "utf8")
          .split(/fail\(\s*"conflict",/)
          .slice(1);
        // The call ends with its statement, or with the arrow function that returns it.
        return calls
          .filter((rest) => !/\bcode\b/.test(/^[^]*?\)(?:;|,?\n\n)/.exec(rest)?.[0] ?? rest))
          .map(() => file);
      });
    expect(thrown).toEqual([]);
  });

  it("are provoked by a test, each pair of a route and a code", () => {
    const missing = pairs.filter(({ isProvoked }) => !isProvoked).map(({ pair }) => pair);
    expect([...new Set(missing)]).toEqual([]);
  });
});
