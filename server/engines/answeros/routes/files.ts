import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { conflict, conflictWhen, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { sha256Base64Url } from "../../../core/ids.ts";
import { publicPart, storeParams, toPublic } from "../../../core/public-store.ts";
import { item, ok, raw, values } from "../../../core/reply.ts";
import { defineOpenRoute, defineRoute } from "../../../core/route.ts";
import { withVersion } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { lintSiteFile } from "../services/page-tasks.ts";
import { generateFile } from "../services/site-files.ts";
import { siteFiles } from "../repository.ts";
import { CONTENT_TYPES } from "../rules/lint-file.ts";
import { ROBOTS_PRESETS } from "../rules/robots-file.ts";
import { ANSWEROS_LIMITS, HttpUrl } from "../schema.ts";
import { FILE_NAMES, FileFinding, FileName, SiteFile } from "../schema/files.ts";

const FileView = withVersion(SiteFile);
const Params = z.object({ name: FileName });
const params = { name: "llms.txt" };
const absent = { type: "not_found", when: "The file has neither been generated nor written" } as const;

const listFiles = defineRoute({
  id: "answeros.files.list",
  method: "GET",
  path: "/files",
  summary: "List the files for answer engines and their state",
  data: z.array(
    z.strictObject({
      name: FileName,
      exists: z.boolean(),
      updated_at: z.string().nullable(),
      origin: SiteFile.shape.origin.nullable(),
      serve_at: z.string().meta({ description: "Path at which the store's site should serve it" }),
      note: z.string(),
    }),
  ),
  handle: async (_, { tx }) => {
    const documents = await Promise.all(FILE_NAMES.map((name) => tx.get(siteFiles, name)));
    return values(
      FILE_NAMES.map((name, index) => ({
        name,
        exists: documents[index] !== null,
        updated_at: documents[index]?.value.updated_at ?? null,
        origin: documents[index]?.value.origin ?? null,
        ...ABOUT[name],
      })),
    );
  },
});

const ABOUT: Readonly<Record<FileName, { readonly serve_at: string; readonly note: string }>> = {
  "llms.txt": { serve_at: "/llms.txt", note: "Not used by Google; checked by Lighthouse 13.5." },
  "llms-full.txt": {
    serve_at: "/llms-full.txt",
    note: "The full text of the pages, for clients that fetch a single file.",
  },
  robots: { serve_at: "/robots.txt", note: "A fragment: merge it into your existing robots.txt." },
  "ai-catalog.json": {
    serve_at: "/.well-known/ai-catalog.json",
    note: "Alternatively, refer to it by Agentmap in robots.txt, a link rel=ai-catalog, or a Link header.",
  },
};

const getFile = defineRoute({
  id: "answeros.files.get",
  method: "GET",
  path: "/files/:name",
  open: "public",
  summary: "Show a file for answer engines",
  params: Params,
  data: FileView,
  errors: [absent],
  example: { params },
  handle: async ({ params: { name } }, { tx }) => item(await tx.require(siteFiles, name)),
});

const fileContent = defineRoute({
  id: "answeros.files.content",
  method: "GET",
  path: "/files/:name/content",
  open: "public",
  summary: "Show the content of a file for answer engines",
  description:
    "Without a key: /api/public/stores/{store}/llms.txt, /llms-full.txt, /robots.txt and /ai-catalog.json.",
  params: Params,
  data: z.string(),
  rawType: "text/plain; charset=utf-8",
  errors: [absent],
  example: { params },
  handle: async ({ params: { name } }, { tx }) => {
    const { value } = await tx.require(siteFiles, name);
    return contentOf(value, "text/plain; charset=utf-8");
  },
});

const contentOf = ({ content, content_type, updated_at }: SiteFile, type = content_type) =>
  raw(type, content, {
    headers: {
      ETag: `"${sha256Base64Url(content).slice(0, 27)}"`,
      "Last-Modified": new Date(updated_at).toUTCString(),
      "Cache-Control": "public, max-age=300",
      "X-Content-Type-Options": "nosniff",
    },
  });

const PUBLIC_NAMES: Readonly<Record<FileName, string>> = {
  "llms.txt": "llms.txt",
  "llms-full.txt": "llms-full.txt",
  robots: "robots.txt",
  "ai-catalog.json": "ai-catalog.json",
};

const publicFile = (name: FileName) =>
  defineOpenRoute({
    id: `public.answeros.${PUBLIC_NAMES[name].replace(".", "-")}`,
    method: "GET",
    path: `/stores/:store/${PUBLIC_NAMES[name]}`,
    paidBy: publicPart,
    summary: "A file of a store for answer engines, without a key",
    params: storeParams,
    data: z.string(),
    rawType: CONTENT_TYPES[name].split(";", 1)[0] ?? "",
    hidden: true,
    example: { params: { store: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0" } },
    handle: ({ params: { store } }, ctx) =>
      ctx.runTx(store, async (tx) => toPublic(contentOf((await tx.require(siteFiles, name)).value))),
  });

export const publicFileRoutes = FILE_NAMES.map(publicFile);

const putFile = defineRoute({
  id: "answeros.files.put",
  method: "PUT",
  path: "/files/:name",
  scope: "manage",
  summary: "Replace a file for answer engines",
  description: "Refused if the content has errors; warnings are stored with the file.",
  params: Params,
  body: z.strictObject({ content: z.string().min(1).max(ANSWEROS_LIMITS.fileChars) }),
  data: FileView,
  errors: [...textErrors, unprocessableWhen("file_invalid", "Validation finds errors")],
  example: {
    params,
    body: {
      content: "# Crumb\n\n> Sourdough from Hackney.\n\n## Products\n\n- [Rye](https://crumb.example/rye)\n",
    },
  },
  handle: async ({ params: { name }, body }, ctx) => item(await keepFile(ctx, name, body.content, "manual")),
});

const generate = defineRoute({
  id: "answeros.files.generate",
  cost: 5,
  method: "POST",
  path: "/files/:name/generate",
  scope: "manage",
  summary: "Generate a file for answer engines from pages, approved answers and presets",
  description:
    "llms.txt and llms-full.txt are generated from fetched pages that are indexable; robots from a preset " +
    "(visible_no_training: allows search and people, disallows training); ai-catalog.json lists what agents can " +
    "read. Replaces the existing file.",
  params: Params,
  body: z.strictObject({
    site_name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: "Default: the store's own brand" }),
    site_url: HttpUrl.optional().meta({ description: "Default: the one of the first page" }),
    summary: z.string().trim().min(1).max(500).optional(),
    preset: z.enum(ROBOTS_PRESETS).default("visible_no_training").meta({ description: "Only for robots" }),
  }),
  data: FileView,
  errors: [...textErrors, conflictWhen("nothing_to_list", "No page with a URL has been fetched yet")],
  example: { params, body: { site_name: "Crumb" } },
  handle: async ({ params: { name }, body }, ctx) => {
    const content = await generateFile(ctx.tx, name, body);
    if (content === null) {
      throw conflict("nothing_to_list", "No page with a URL has been fetched yet. Add pages first.");
    }
    return item(await keepFile(ctx, name, content, "generated"));
  },
});

const validate = defineRoute({
  id: "answeros.files.validate",
  method: "POST",
  path: "/files/:name/validate",
  scope: "read",
  summary: "Validate a file for answer engines",
  description:
    "llms.txt is checked by the rules of Lighthouse 13.5 and llmstxt.org, ai-catalog.json by its ARD audit, robots " +
    "by RFC 9309. Without content, the stored file is checked. Returns at most 100 findings, errors first.",
  params: Params,
  body: z.strictObject({ content: z.string().max(ANSWEROS_LIMITS.fileChars).optional() }),
  data: z.strictObject({ valid: z.boolean(), findings: z.array(FileFinding) }),
  errors: [...textErrors, absent],
  example: {
    params,
    body: { content: "Crumb bakes." },
  },
  handle: async ({ params: { name }, body }, { tx }) => {
    const content = body.content ?? (await tx.require(siteFiles, name)).value.content;
    const findings = await lintSiteFile(tx, { name, content });
    return ok({ valid: findings.every(({ severity }) => severity === "warning"), findings });
  },
});

async function keepFile(
  { tx, nowAt }: Ctx,
  name: FileName,
  content: string,
  origin: SiteFile["origin"],
): Promise<Stored<SiteFile>> {
  const findings = await lintSiteFile(tx, { name, content });
  const [error] = findings.filter(({ severity }) => severity === "error");
  if (error !== undefined && origin === "manual") {
    const place = error.path === "" ? "" : `${error.path}: `;
    throw invalidField(["content"], `${place}${error.message}`, "file_invalid");
  }
  const value = {
    id: name,
    updated_at: nowAt,
    content,
    content_type: CONTENT_TYPES[name],
    origin,
    warnings: findings,
  };
  const before = await tx.get(siteFiles, name);
  return tx.save(siteFiles, before, value);
}

export const fileRoutes = [listFiles, getFile, fileContent, putFile, generate, validate];
