import { expect, it } from "vitest";

import { ANSWER_BOTS } from "../../../server/engines/answeros/data/bots.ts";
import { accessChecks } from "../../../server/engines/answeros/rules/access-checks.ts";
import { robotsAccess } from "../../../server/engines/answeros/rules/robots-access.ts";
import { robotsReader } from "../../../server/engines/answeros/services/readers.ts";
import { factsOf } from "./fixture.ts";

const url = "https://crumb.example/blog/x";

it("A33: GPTBot no, the five others yes: A3 = 4", async () => {
  const robotsTxt =
    "User-agent: *\nAllow: /\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: OAI-SearchBot\nAllow: /\n";
  const access = robotsAccess({ url, robotsTxt }, ["GPTBot", ...ANSWER_BOTS], await robotsReader());
  expect(access).toEqual({
    GPTBot: false,
    Googlebot: true,
    Bingbot: true,
    "OAI-SearchBot": true,
    PerplexityBot: true,
    "Claude-SearchBot": true,
  });
  const checks = accessChecks({ facts: await factsOf("<p>x</p>"), url, robots: access });
  expect(checks[2]).toMatchObject({ id: "A3", points: 4, status: "good" });
});

it("allows everything where there is no robots.txt", async () => {
  expect(robotsAccess({ url, robotsTxt: "" }, ["Googlebot"], await robotsReader())).toEqual({
    Googlebot: true,
  });
});

it("goes by the path", async () => {
  const robotsTxt = "User-agent: *\nDisallow: /blog/\n";
  expect(robotsAccess({ url, robotsTxt }, ["Googlebot"], await robotsReader())).toEqual({ Googlebot: false });
});
