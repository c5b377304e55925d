import { z } from "zod";

import { FileContent } from "../../../core/file-content.ts";
import { workOf } from "../../../core/route.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { Problem } from "../../../lib/errors.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { storeFile } from "./files.ts";
import type { LiveForm } from "./live-form.ts";
import { formWords } from "./read-form.ts";

const Sent = z.object({ name: z.string(), content: FileContent });

const filesIn = (answer: unknown): z.output<typeof Sent>[] =>
  [answer].flat().flatMap((one) => Sent.safeParse(one).data ?? []);

/**
 * Stores the files of a multipart request, and puts their ids into the answers; without new files, earlier ones stay. Throws 422, and
 * reads none, for more than a submission can have.
 */
export async function storePosted(
  ctx: OpenCtx,
  live: LiveForm,
  part: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const raw: Record<string, unknown> = { ...values };
  const posted = live.content.fields
    .filter(({ type }) => type === "file")
    .map((field) => ({ field, sent: filesIn(values[field.key]).slice(0, field.max_files ?? 1) }));
  assertCount(posted);
  const { say } = formWords(live.content);
  const work = { ...workOf(ctx), part, runTx: ctx.runTx };
  for (const { field, sent } of posted) {
    const ids: string[] = [];
    for (const { content: bytes, name } of sent) {
      const owner = await ctx.taskOwnerOf(part);
      const file = { formId: live.form.id, owner, field, name, bytes, say };
      ids.push((await keepNamed(work, file)).id);
    }
    const answer = [values[field.key]].flat();
    raw[field.key] = ids.length > 0 ? ids : answer.filter((one) => typeof one === "string" && one !== "");
  }
  return raw;
}

function assertCount(
  posted: readonly { readonly field: { readonly key: string }; readonly sent: readonly unknown[] }[],
): void {
  const keys = posted.flatMap(({ field, sent }) => sent.map(() => field.key));
  const beyond = keys[FORMS_LIMITS.files];
  if (beyond === undefined) return;
  const detail = `A submission can have at most ${FORMS_LIMITS.files} files. Choose fewer.`;
  throw new Problem("unprocessable_content", detail, { errors: [{ pointer: `#/data/${beyond}`, detail }] });
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
