import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * `node run.mjs <tool> <document> <folder>` has one tool read the document: linters print what they object to, one line each;
 * generators write TypeScript into the folder. In a process of its own, since the tools are large.
 */
const [tool = "", file = "", folder = ""] = process.argv.slice(2);
const text = readFileSync(file, "utf8");

const TOOLS = {
  async redocly() {
    const { createConfig, lintFromString } = await import("@redocly/openapi-core");
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: text, absoluteRef: file, config });
    return problems.map(({ severity, ruleId, message, location: [at] }) =>
      lineOf(severity, ruleId, message, at?.pointer),
    );
  },
  async spectral() {
    const { default: core } = await import("@stoplight/spectral-core");
    const { default: rulesets } = await import("@stoplight/spectral-rulesets");
    const spectral = new core.Spectral();
    spectral.setRuleset({ extends: [rulesets.oas] });
    const results = await spectral.run(JSON.parse(text));
    return results.map(({ severity, code, message, path }) =>
      lineOf(SEVERITIES[severity], code, message, path.join("/")),
    );
  },
  async "openapi-typescript"() {
    const { default: generate, astToString } = await import("openapi-typescript");
    writeFileSync(join(folder, "openapi-typescript.ts"), astToString(await generate(JSON.parse(text))));
    return [];
  },
  async oazapfts() {
    const { generateSource } = await import("oazapfts");
    writeFileSync(join(folder, "oazapfts.ts"), await generateSource(file));
    return [];
  },
};

const SEVERITIES = ["error", "warn", "info", "hint"];

const lineOf = (severity, rule, message, place) => `${severity} ${rule}: ${message} (${place})`;

for (const line of await TOOLS[tool]()) console.log(line);
