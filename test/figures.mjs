import { register } from "node:module";

/* Prints the figures by which the size and the shape of the source are judged: `node test/figures.mjs`. */
register("./support/typescript-hooks.mjs", import.meta.url);
const { importCircles, sources, unusedExports, upwardArrows } = await import("./source-graph.ts");
const { wordFaults } = await import("./dialect.ts");
const { createOpenApi } = await import("../server/openapi/document.ts");
const { eventTypes, namespaces } = await import("../server/registry.ts");
const { introduction } = await import("../server/site/docs/introduction.ts");

const linesOf = (pattern) =>
  [...sources]
    .filter(([file]) => pattern.test(file))
    .reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0);

const document = createOpenApi({
  namespaces,
  events: eventTypes,
  baseUrl: "https://platform.example",
  version: "1.0.0",
  introduction,
});

const figures = {
  "lines of the product": linesOf(/./),
  "lines of engines": linesOf(/^server\/engines\//),
  "upward imports": upwardArrows().length,
  "import circles": importCircles().length,
  "unused exports": unusedExports().length,
  "refused words": wordFaults().length,
  "bytes of the served OpenAPI document": Buffer.byteLength(JSON.stringify(document)),
};
for (const [name, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(9)}  ${name}`);
