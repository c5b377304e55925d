import { z } from "zod";

import { FileContent } from "../../../core/file-content.ts";
import { workOf } from "../../../core/route.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { Problem } from "../../../lib/errors.ts";
import { storeFile } from "./files.ts";
import type { LiveForm } from "./live-form.ts";
import { formWords } from "./read-form.ts";

const Sent = z.object({ name: z.string(), content: FileContent });

/** Stores the files of a multipart request, and puts their ids into the answers; without new files, earlier ones stay. */
export async function storePosted(
  ctx: OpenCtx,
  live: LiveForm,
  part: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const raw: Record<string, unknown> = { ...values };
  const { say } = formWords(live.content);
  const work = { ...workOf(ctx), part, runTx: ctx.runTx };
  for (const field of live.content.fields.filter(({ type }) => type === "file")) {
    const answer = [values[field.key]].flat();
    const sentValues = answer.flatMap((one) => Sent.safeParse(one).data ?? []);
    const ids: string[] = [];
    for (const { content: bytes, name } of sentValues.slice(0, field.max_files ?? 1)) {
      const file = { formId: live.form.id, field, name, bytes, say };
      ids.push((await keepNamed(work, file)).id);
    }
    raw[field.key] = ids.length > 0 ? ids : answer.filter((one) => typeof one === "string" && one !== "");
  }
  return raw;
}

/** An error of a file is shown at its field. */
async function keepNamed(...[work, file]: Parameters<typeof storeFile>): ReturnType<typeof storeFile> {
  try {
    return await storeFile(work, file);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const detail = error.options.errors?.[0]?.detail ?? error.detail;
    throw new Problem("unprocessable_content", detail, {
      errors: [{ pointer: `#/data/${file.field.key}`, detail }],
    });
  }
}
