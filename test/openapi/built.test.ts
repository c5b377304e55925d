import { expect, it } from "vitest";

import { createOpenApiText, openApiJson } from "../../server/openapi/document.ts";
import { documented, eventTypes } from "../../server/registry.ts";
import { openApiSource } from "../../server/site/pages/openapi.ts";

const ADDRESS = "https://api.shop.example";
const source = openApiSource(documented);

it("serves what the build wrote, with its own address, and it is what the routes say", async () => {
  const built = createOpenApiText(source, async (name) =>
    openApiJson({ ...source, events: eventTypes }, name),
  );
  const fresh = createOpenApiText(source, async () => null);
  const read = ({ text }: { readonly text: Uint8Array }): string => new TextDecoder().decode(text);
  for (const name of [null, "cart"]) {
    const served = read(await built(ADDRESS, eventTypes, name));
    expect(served).toBe(read(await fresh(ADDRESS, eventTypes, name)));
    expect(JSON.parse(served).servers).toEqual([{ url: ADDRESS }]);
  }
});
