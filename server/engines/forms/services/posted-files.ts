import { z } from "zod";

import type { OpenCtx } from "../../../core/route.ts";
import { Problem } from "../../../lib/errors.ts";
import { storeFile } from "./files.ts";
import type { LiveForm } from "./live-form.ts";
import { formWords } from "./read-form.ts";

const Sent = z.object({ name: z.string(), content: z.base64() });

/** Stores the files of a multipart request, and puts their ids into the answers; without new files, earlier ones stay. */
export async function storePosted(
  { newId, now, ports, runTx }: OpenCtx,
  live: LiveForm,
  part: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const raw: Record<string, unknown> = { ...values };
  const { say } = formWords(live.content);
  for (const field of live.content.fields.filter(({ type }) => type === "file")) {
    const answer = [values[field.key]].flat();
    const sentValues = answer.flatMap((one) => Sent.safeParse(one).data ?? []);
    const ids: string[] = [];
    for (const { content: bytes, name } of sentValues.slice(0, field.max_files ?? 1)) {
      const file = { formId: live.form.id, field, name, bytes: Buffer.from(bytes, "base64"), say };
      ids.push((await keepNamed({ newId, now, part, ports, runTx }, file)).id);
    }
    raw[field.key] = ids.length > 0 ? ids : answer.filter((one) => typeof one === "string" && one !== "");
  }
  return raw;
}

/** An error of a file is shown at its field. */
async function keepNamed(...[env, file]: Parameters<typeof storeFile>): ReturnType<typeof storeFile> {
  try {
    return await storeFile(env, file);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const detail = error.options.errors?.[0]?.detail ?? error.detail;
    throw new Problem("unprocessable_content", detail, {
      errors: [{ pointer: `#/data/${file.field.key}`, detail }],
    });
  }
}
