import { takeTurn } from "../../../core/room.ts";
import { z } from "zod";

import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { accepted, raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { withVersion } from "../../../core/schema.ts";
import type { RunTx } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { exportJobs, exportPartId, exportParts } from "../repository.ts";
import { REVIEW_STATUSES } from "../schema.ts";
import { Export } from "../schema/records.ts";
import { newResource } from "../../../lib/new-resource.ts";

// The cursor of the file is internal to the job.
const View = withVersion(Export);
const example = "exp_01JD8Z5T9QK3M4N5P6R7S8T9V0";

const exportResource = resource({ id: "reviews.exports", collection: exportJobs, view: View, example });

const listExports = exportResource.list({ summary: "List exports, newest first" });

const createExport = exportResource.custom.create({
  cost: 10,
  scope: "manage",
  status: 202,
  summary: "Export all reviews to a file",
  description:
    "CSV that can be imported again, or newline-delimited JSON with one review per line. The file (file.csv, " +
    "file.ndjson) can be downloaded for a day.",
  body: z.strictObject({
    format: Export.shape.format.default("csv"),
    status: z.enum(REVIEW_STATUSES).nullable().default(null),
  }),
  errors: [conflictWhen("busy", "Five exports are running")],
  example: { body: { format: "csv", status: "published" } },
  async handle({ body }, ctx) {
    await takeTurn(ctx.tx, exportJobs.name);
    const open = await ctx.tx.peekPage(exportJobs, { index: "open", limit: OPEN_MAX });
    if (open.items.length >= OPEN_MAX)
      throw conflict("busy", "The limit of concurrent exports is reached. Wait until one is done.");
    const id = ctx.newId("exp");
    const stored = ctx.tx.create(exportJobs, {
      ...body,
      ...newResource(id, ctx.nowAt),
      state: "queued",
      rows: 0,
      parts: 0,
      cursor: null,
      finished_at: null,
      expires_at: null,
    });
    return accepted({ ...stored.value, version: 1 }, `/exports/${id}`);
  },
});

const OPEN_MAX = 5;

const getExport = exportResource.get({ summary: "Show the progress of an export" });

const KINDS = {
  csv: { verb: "csv", path: "/exports/:id/file.csv", type: "text/csv" },
  json: { verb: "ndjson", path: "/exports/:id/file.ndjson", type: "application/x-ndjson" },
} as const;

const fileOf = (format: keyof typeof KINDS) =>
  defineRoute({
    id: `reviews.exports.${KINDS[format].verb}`,
    cost: 10,
    method: "GET",
    path: KINDS[format].path,
    scope: "manage",
    summary: `Download the file of an export in ${format}`,
    data: z.string(),
    rawType: KINDS[format].type,
    errors: [
      conflictWhen("not_ready", "The export is not complete yet"),
      conflictWhen("other_format", "The export has the other format"),
    ],
    example: { params: { id: example } },
    async handle({ params: { id } }, ctx) {
      const { value } = await ctx.tx.require(exportJobs, id);
      if (value.format !== format)
        throw conflict(
          "other_format",
          `The export has the format ${value.format}. Download that file instead.`,
        );
      if (value.state !== "done")
        throw conflict("not_ready", "The export is not complete yet. Try again later.");
      return raw(`${KINDS[format].type}; charset=utf-8`, streamParts(ctx.runTx, ctx.tx.part, value), {
        headers: { "Content-Disposition": `attachment; filename="reviews-${id}.${KINDS[format].verb}"` },
      });
    },
  });

/** A file part by part, on demand of its reader. */
function streamParts(
  runTx: RunTx,
  part: string,
  { id, parts }: Export,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        if (at >= parts) {
          controller.close();
          return;
        }
        const stored = await runTx(part, (tx) => tx.get(exportParts, exportPartId(id, at)));
        at += 1;
        // The part was deleted because someone in it was erased.
        controller.enqueue(encoder.encode(stored?.value.text ?? ""));
      },
    },
    { highWaterMark: 0 },
  );
}

export const exportRoutes = [listExports, createExport, getExport, fileOf("csv"), fileOf("json")];
