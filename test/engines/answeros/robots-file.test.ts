import { describe, expect, it } from "vitest";

import { ANSWER_BOTS, BOTS } from "../../../server/engines/answeros/data/bots.ts";
import { robotsReader } from "../../../server/engines/answeros/services/readers.ts";
import { robotsAccess } from "../../../server/engines/answeros/rules/robots-access.ts";
import {
  lintRobots,
  ROBOTS_PRESETS,
  writeRobots,
} from "../../../server/engines/answeros/rules/robots-file.ts";

const url = "https://crumb.example/rye";
const names = BOTS.map(({ name }) => name);

describe("presets, as robots-parser reads them", () => {
  it("visible_no_training lets search and people in and training out", async () => {
    const access = robotsAccess(
      { url, robotsTxt: writeRobots("visible_no_training", null) },
      names,
      await robotsReader(),
    );
    for (const { name, purpose, obeys_robots: obeys } of BOTS) {
      expect([name, access[name]]).toEqual([name, purpose !== "training" || !obeys]);
    }
    for (const bot of ANSWER_BOTS) expect(access[bot]).toBe(true);
  });

  it("open lets all in; closed leaves search engines for people", async () => {
    const read = await robotsReader();
    const open = robotsAccess({ url, robotsTxt: writeRobots("open", null) }, names, read);
    expect(Object.values(open).every(Boolean)).toBe(true);
    const closed = robotsAccess({ url, robotsTxt: writeRobots("closed", null) }, names, read);
    expect([closed["Googlebot"], closed["OAI-SearchBot"], closed["GPTBot"]]).toEqual([true, false, false]);
  });

  it.each(ROBOTS_PRESETS)("%s has no findings, and names the catalogue", (preset) => {
    const text = writeRobots(preset, "https://crumb.example/.well-known/ai-catalog.json");
    expect(lintRobots(text)).toEqual([]);
    expect(text).toContain("Agentmap: https://crumb.example/.well-known/ai-catalog.json");
  });
});

it.each([
  ["Disallow: /", ["no_group"]],
  ["User-agent:", ["no_agent"]],
  ["User-agent: *\nDisallow: cart", ["bad_path"]],
  ["User-agent: *\nDisallow:\nAllow: /*.png$", []],
  ["Bake bread", ["unknown_line"]],
  ["# only a comment\n\n", []],
])("%j: %o", (text, expected) => expect(lintRobots(text).map(({ code }) => code)).toEqual(expected));
