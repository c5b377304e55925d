import { expect, it } from "vitest";

import { linkChecks } from "../../../server/engines/content/rules/seo-score.ts";
import { factsWith } from "./facts.ts";

it.each([
  ["l1", { internal: { all: 2, followed: 1 } }, "good"],
  ["l1", { internal: { all: 2, followed: 0 } }, "ok"],
  ["l1", { internal: { all: 0, followed: 0 } }, "bad"],
  ["l2", { outbound: { all: 1, followed: 1 } }, "good"],
  ["l2", { outbound: { all: 1, followed: 0 } }, "ok"],
  ["l2", { outbound: { all: 0, followed: 0 } }, "bad"],
  ["l3", { broken: null }, "na"],
  ["l3", { broken: 0 }, "good"],
  ["l3", { broken: 1 }, "bad"],
])("%s with %j is %s", (id, members, status) => {
  expect(linkChecks(factsWith("links", members)).find((check) => check.id === id)?.status).toBe(status);
});
