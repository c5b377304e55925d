import { readFileSync } from "node:fs";
import { join } from "node:path";

import { findPackageRoot } from "../../core/package-root.ts";
import type { Guide } from "./guide.ts";

/**
 * Guides for operators who write code. Their text is in `templates/guides`: test/serve/packed.test.ts writes the files that it shows (a
 * block after its name) and runs its blocks of bash.
 */
export const extendGuides: readonly Guide[] = [
  guide({
    slug: "extend-engines",
    title: "Extend: engines",
    summary:
      "Write an engine in a package of your own: routes, documents, events, mails, jobs, demo data, CLI commands.",
  }),
  guide({
    slug: "extend-hooks",
    title: "Extend: hooks",
    summary: "Run code before and after a route of an engine, in its transaction.",
  }),
  guide({
    slug: "extend-storage",
    title: "Extend: storage drivers",
    summary:
      "Store all data with a driver of your own, and test it with the tests that every driver has to pass.",
  }),
  guide({
    slug: "extend-mail",
    title: "Extend: mail transports",
    summary:
      "Send mail with any transport of nodemailer: a provider's API, a pool, DKIM, or code of your own.",
  }),
  guide({
    slug: "extend-embedding",
    title: "Extend: embedding",
    summary: "Run the platform inside your own h3, Nitro or Node server, below any path.",
  }),
  guide({
    slug: "typescript",
    title: "TypeScript",
    summary: "Call the API with checked types: openapi-fetch, ofetch or fetch.",
  }),
];

function guide(about: Omit<Guide, "markdown">): Guide {
  return {
    ...about,
    markdown: () => readFileSync(join(findPackageRoot(), "templates", "guides", `${about.slug}.md`), "utf8"),
  };
}
