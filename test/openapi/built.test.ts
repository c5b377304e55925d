import { expect, it } from "vitest";

import { createOpenApiText, openApiJson } from "../../server/openapi/document.ts";
import { withExamples } from "../../server/openapi/examples.ts";
import { documented, eventTypes } from "../../server/registry.ts";
import { openApiSource } from "../../server/site/pages/openapi.ts";

const ADDRESS = "https://api.shop.example";
const source = openApiSource(documented);

it("serves what the build wrote, with its own address, and it is what the routes say", async () => {
  const examples = { "cart.bundles.list": { data: [{ id: "bdl_recorded" }] } };
  const shown = { ...source, namespaces: withExamples(source.namespaces, examples) };
  const built = createOpenApiText(source, {
    document: async (name) => openApiJson({ ...shown, events: eventTypes }, name),
    examples: async () => ({}),
  });
  const fresh = createOpenApiText(source, { document: async () => null, examples: async () => examples });
  const read = ({ text }: { readonly text: Uint8Array }): string => new TextDecoder().decode(text);
  for (const name of [null, "cart"]) {
    const served = read(await built(ADDRESS, eventTypes, name));
    expect(served).toBe(read(await fresh(ADDRESS, eventTypes, name)));
    expect(served).toContain("bdl_recorded");
    expect(JSON.parse(served).servers).toEqual([{ url: ADDRESS }]);
  }
});
