import { z } from "zod";

import { DEMO_IDS } from "../data/demo-forms.ts";
import { conflict, conflictWhen, fail, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import { made, raw } from "../../../core/reply.ts";
import { defineRoute, workOf } from "../../../core/route.ts";
import { FileContent } from "../../../core/file-content.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { formWords } from "../services/read-form.ts";
import { storeFile } from "../services/files.ts";
import { assertOpen, liveForm } from "../services/live-form.ts";
import { formsWorkOf } from "../services/work.ts";
import { contents, files } from "../repository.ts";
import { FieldKey } from "../schema/field.ts";
import { Scan } from "../schema/submission.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { closed, notPublished } from "./env.ts";
import { guardOrigin } from "./open-forms.ts";

/** A PNG image of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

const File = z.strictObject({ name: z.string().max(500), content: FileContent });

const Upload = z.object({
  id: Id.meta({ description: "Use it in the answer of the field, a list of such ids" }),
  field: FieldKey,
  name: z.string(),
  bytes: z.int(),
  mime: z.string(),
  sha256: z.string(),
  scan: Scan,
  expires_at: Instant.nullable().meta({
    description: "Time when it is deleted unless a submission refers to it",
  }),
});

const upload = defineRoute({
  id: "forms.uploads.create",
  cost: 5,
  method: "POST",
  path: "/:id/uploads",
  open: "submit",
  status: 201,
  summary: "Upload a file for a form",
  description:
    "As multipart/form-data with the fields field and file, up to 10 MB; or as JSON with base64, up to the limit of " +
    "a JSON body. The type is detected from the content: png, jpg, webp, gif, heic, pdf, docx, xlsx; csv and txt if " +
    "they are UTF-8 without markup. Images are re-encoded without metadata such as the location; in heic files " +
    "everything except the image is overwritten with zeros, and a file that cannot be parsed is refused. Images " +
    "need a package that the operator installs, and are refused with 503 without it. Refer to " +
    "the id in a submission within one hour.",
  body: z.strictObject({ field: FieldKey, file: File }),
  form: "multipart",
  data: Upload,
  errors: [
    notPublished,
    ...closed,
    { type: "content_too_large", when: "The file exceeds the limit of the field" },
    unprocessableWhen("file_refused", "Files of this type are not accepted"),
    ...textErrors,
  ],
  example: {
    params: { id: DEMO_IDS.contact },
    body: { field: "photo", file: { name: "loaf.png", content: PIXEL } },
  },
  async handle({ body, params }, ctx) {
    const live = await liveForm(ctx.tx, params.id);
    assertOpen(live, ctx.now);
    if (ctx.isPublic) guardOrigin(await formsWorkOf(ctx), live, ctx.visitor().origin);
    const field = live.content.fields.find(({ key }) => key === body.field);
    if (field?.type !== "file") throw invalidField(["field"], "The form has no file field with this key.");
    const kept = await storeFile(
      { ...workOf(ctx), runTx: ctx.runTx },
      {
        formId: params.id,
        owner: ctx.tx,
        field,
        name: body.file.name,
        bytes: body.file.content,
        say: formWords(live.content).say,
      },
    );
    const { bytes, expires_at, id, mime, name, scan, sha256 } = kept;
    return made({ id, field: kept.field, name, bytes, mime, sha256, scan, expires_at }, `/files/${id}`);
  },
});

const download = defineRoute({
  id: "forms.files.get",
  cost: 2,
  method: "GET",
  path: "/files/:id",
  summary: "Download a file of a submission",
  description:
    "Always as an attachment named by its id: neither the visitor's file name nor a type that a browser would open. " +
    "Where the operator has files scanned, only clean ones can be downloaded.",
  data: z.string(),
  rawType: "application/octet-stream",
  errors: [conflictWhen("file_not_cleared", "Its scan is pending, or it is infected")],
  example: { params: { id: "upl_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params }, { ports, tx }) {
    const { value: file } = await tx.require(files, params.id);
    if (file.state !== "attached") throw fail("not_found", "The file does not exist or was deleted.");
    if (file.scan !== "clean" && file.scan !== "skipped") {
      throw conflict(
        "file_not_cleared",
        `The file cannot be downloaded: its scan status is \`${file.scan}\`.`,
      );
    }
    const bytes = await contents.read(tx, ports, file);
    if (bytes === null) throw fail("not_found", "The file does not exist or was deleted.");
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
