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
  /** The types that the package exports, for `npm run build`. A member with a default can be left out of a request. */
  async api() {
    const { default: generate, astToString } = await import("openapi-typescript");
    const types = astToString(await generate(JSON.parse(text), { defaultNonNullable: false }));
    const indented = types.replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
    writeFileSync(join(folder, "api.d.ts"), indented);
    return [];
  },
  async oazapfts() {
    const { generateSource } = await import("oazapfts");
    writeFileSync(join(folder, "oazapfts.ts"), await generateSource(file));
    return [];
  },
  /** Reads requests from `folder`: Prism answers each as a mock server, or passes it on to `upstream` as a validating proxy. */
  async prism() {
    const { default: prism } = await import("@stoplight/prism-http");
    const { upstream, requests } = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8"));
    const operations = await prism.getHttpOperationsFromSpec(file);
    const checks = { checkSecurity: true, validateRequest: true, validateResponse: true, errors: false };
    const modes = {
      mock: { ...checks, isProxy: false, mock: { dynamic: false } },
      proxy: { ...checks, isProxy: true, upstream: new URL(upstream), upstreamProxy: undefined },
    };
    const instance = prism.createInstance(modes.mock, { logger: SILENT });
    const lines = [];
    for (const { title, mode, method, path, query, headers, body } of requests) {
      const request = { method, url: { path, query }, headers, ...(body === undefined ? {} : { body }) };
      const result = await instance.request(request, operations, modes[mode])();
      const { output, validations } = result.right ?? {};
      const found = validations ? [...validations.input, ...validations.output] : [result.left];
      lines.push(`answer ${mode} ${output?.statusCode} ${title}`);
      lines.push(
        ...found.map((one) =>
          lineOf("error", mode, JSON.stringify(one.message ?? one), `${title} ${one.path?.join("/")}`),
        ),
      );
    }
    return lines;
  },
};

const SILENT = { child: () => SILENT };
for (const level of ["trace", "debug", "info", "warn", "error", "fatal", "success"]) SILENT[level] = () => {};

const SEVERITIES = ["error", "warn", "info", "hint"];

const lineOf = (severity, rule, message, place) => `${severity} ${rule}: ${message} (${place})`;

for (const line of await TOOLS[tool]()) console.log(line);
