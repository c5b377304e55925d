import { z } from "zod";

import { fail, invalidField } from "../../../lib/errors.ts";
import { defineRoute, made, raw } from "../../../core/route.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { keepFile, readPieces } from "../services/files.ts";
import { assertOpen, liveForm } from "../services/live-form.ts";
import { worldOf } from "../services/world.ts";
import { files } from "../repository.ts";
import { FieldKey } from "../schema/field.ts";
import { Scan } from "../schema/submission.ts";
import { closed, FormParams, missing, notPublished } from "./env.ts";
import { exampleForm } from "./examples.ts";
import { guardOrigin } from "./open-forms.ts";

const File = z.strictObject({
  name: z.string().max(500),
  content: z
    .string()
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, "Expected base64.")
    .meta({ description: "Bytes of the file", contentEncoding: "base64" }),
});

const Upload = z.object({
  id: Id.meta({ description: "Goes into the answer of the field: a list of such ids" }),
  field: FieldKey,
  name: z.string(),
  bytes: z.int(),
  mime: z.string(),
  sha256: z.string(),
  scan: Scan,
  expires_at: Instant.nullable().meta({ description: "When it is removed unless a submission names it" }),
});

const upload = defineRoute({
  id: "forms.uploads.create",
  method: "POST",
  path: "/:id/uploads",
  open: "submit",
  status: 201,
  summary: "Hand in a file for a form",
  description:
    "As multipart/form-data with the members field and file, up to 10 MB; or as JSON with base64, up to what a JSON body may have. What it is is told by its bytes: png, jpg, webp, gif, heic, pdf, docx, xlsx; csv and txt where they are UTF-8 without markup. Pictures are drawn anew, without the place they were taken at; of heic all but the picture is overwritten with zeros, and one that cannot be read for that is refused. Name the id in a submission within the hour.",
  params: FormParams,
  body: z.strictObject({ field: FieldKey, file: File }),
  form: "multipart",
  data: Upload,
  errors: [
    notPublished,
    ...closed,
    { type: "content_too_large", when: "The file has more bytes than the field takes" },
    { type: "unprocessable_content", code: "file_refused", when: "Files of this kind are not taken" },
  ],
  example: {
    params: { id: exampleForm.id },
    body: { field: "attachment", file: { name: "menu.txt", content: "U291cA==" } },
    data: {
      id: "upl_01JD8Z5T9QK3M4N5P6R7S8T9V0",
      field: "attachment",
      name: "menu.txt",
      bytes: 4,
      mime: "text/plain",
      sha256: "2d6b4f6ac4bd0ea5e2a59ae9b0f6ff0b4b1e8bba4b0b1a1c34e1b6ac4a0f2d0e",
      scan: "skipped",
      expires_at: "2026-06-01T10:00:00.000Z",
    },
  },
  async handle({ body, params }, ctx) {
    const live = await liveForm(ctx.tx, params.id);
    assertOpen(live, ctx.now);
    if (ctx.isPublic) guardOrigin(await worldOf(ctx), live, ctx.visitor().origin);
    const field = live.content.fields.find(({ key }) => key === body.field);
    if (field?.type !== "file") throw invalidField(["field"], "The form has no such file field.");
    const { newId, now, ports, runTx, tx } = ctx;
    const kept = await keepFile(
      { newId, now, part: tx.part, ports, runTx },
      { formId: params.id, field, name: body.file.name, bytes: Buffer.from(body.file.content, "base64") },
    );
    const { bytes, expires_at, id, mime, name, scan, sha256 } = kept;
    return made({ id, field: kept.field, name, bytes, mime, sha256, scan, expires_at }, `/files/${id}`);
  },
});

const download = defineRoute({
  id: "forms.files.get",
  method: "GET",
  path: "/files/:id",
  summary: "Download a file of a submission",
  description:
    "Always as an attachment, under a name that is its id: nothing a stranger called it, and nothing a browser would open. Files that no scanner has cleared are not given out.",
  params: z.object({ id: Id }),
  data: z.string(),
  rawType: "application/octet-stream",
  errors: [
    missing,
    { type: "conflict", code: "file_not_cleared", when: "It waits for a scan, or is infected" },
  ],
  example: { params: { id: "upl_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params }, { tx }) {
    const { value: file } = await tx.require(files, params.id);
    if (file.state !== "attached") throw fail("not_found", "No such file, or it is gone.");
    if (file.scan !== "clean" && file.scan !== "skipped") {
      throw fail("conflict", `The file is ${file.scan}: it is not given out.`, { code: "file_not_cleared" });
    }
    const bytes = await readPieces(tx, file);
    if (bytes === null) throw fail("not_found", "No such file, or it is gone.");
    return raw("application/octet-stream", bytes, {
      headers: {
        "Content-Disposition": `attachment; filename="${file.id}.${file.extension}"`,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
      },
    });
  },
});

export const uploadRoutes = [upload, download];
