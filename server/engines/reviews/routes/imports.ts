import { takeTurn } from "../../../core/room.ts";
import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { accepted } from "../../../core/reply.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { readImportRows } from "../services/read-rows.ts";
import { imports, importSources } from "../repository.ts";
import { missingColumns } from "../rules/map-rows.ts";
import { Import } from "../schema/records.ts";
import { newResource } from "../../../lib/new-resource.ts";

const View = withVersion(Import);
/** A source is one document until it is processed: its JSON text must fit. */
const SOURCE_CHARS_MAX = 240_000;

const NOT_STARTED = {
  done: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  problems: [],
  finished_at: null,
};

const example = "imp_01JD8Z5T9QK3M4N5P6R7S8T9V0";

const importResource = resource({ id: "reviews.imports", collection: imports, view: View, example });

const listImports = importResource.list({ summary: "List imports, newest first" });

const createImport = importResource.custom.create({
  cost: 10,
  scope: "manage",
  status: 202,
  summary: "Import reviews of another system",
  description:
    "content is CSV with a header, or the JSON text of an array of flat objects; up to 240,000 characters, some " +
    "hundred reviews per request. mapping specifies the column of each field, defaults the values for rows without " +
    "one. dry_run validates everything, reports the result and writes nothing. A row with an external_id can be " +
    "imported again to update the review; without one, the same row is imported once. Imported reviews are marked with their source, are not verified, and are " +
    "excluded from JSON-LD unless displayed_on_page.",
  body: z.strictObject({
    format: Import.shape.format,
    content: z.string().min(1).max(SOURCE_CHARS_MAX),
    dry_run: z.boolean().default(true),
    source_system: z.string().trim().min(1).max(40),
    collection_method: Import.shape.collection_method.default("import"),
    displayed_on_page: z.boolean().default(false),
    mapping: Import.shape.mapping.default({}),
    defaults: Import.shape.defaults.default({}),
  }),
  errors: [...textErrors, conflictWhen("busy", "Five imports are running")],
  example: {
    body: {
      format: "csv",
      content: "product_handle,rating,body,reviewer_name,external_id\noat-bar,5,Lovely,Ada,77\n",
      source_system: "judgeme",
      mapping: { target_id: "product_handle", author_name: "reviewer_name" },
    },
  },
  async handle({ body: { content, ...body } }, ctx) {
    const read = await readImportRows(ctx.tx, { text: content, format: body.format, mapping: body.mapping });
    if ("problem" in read) throw invalidField(["content"], read.problem);
    const [absent] = missingColumns(read.columns, body);
    if (absent !== undefined) {
      throw invalidField(
        ["mapping", absent],
        `The column ${body.mapping[absent]} does not exist. Available columns: ${read.columns.join(", ")}.`,
      );
    }
    await takeTurn(ctx.tx, imports.name);
    const open = await ctx.tx.peekPage(imports, { index: "open", limit: OPEN_MAX });
    if (open.items.length >= OPEN_MAX)
      throw conflict("busy", "The limit of concurrent imports is reached. Wait until one is done.");
    const id = ctx.newId("imp");
    ctx.tx.create(importSources, { id, text: content });
    const stored = ctx.tx.create(imports, {
      ...body,
      ...newResource(id, ctx.nowAt),
      state: "queued",
      rows: read.rows.length,
      ...NOT_STARTED,
    });
    return accepted({ ...stored.value, version: 1 }, `/imports/${id}`);
  },
});

const OPEN_MAX = 5;

const getImport = importResource.get({ summary: "Show the progress of an import and its invalid rows" });

export const importRoutes = [listImports, createImport, getImport];
