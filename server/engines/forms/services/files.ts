import { createHash } from "node:crypto";

import { toInstant } from "../../../lib/instant.ts";
import { fail, invalidField } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { TaskOwner } from "../../../lib/worker-tasks.ts";
import type { Words } from "../../../core/words.ts";
import { detectType, headOf, redrawImage } from "../../../core/image-tasks.ts";
import { chunksIn } from "../../../core/contents.ts";
import { FORMS_LIMITS, FORMS_TIMES } from "../data/limits.ts";
import { contents, files } from "../repository.ts";
import { judgeFile, shownName } from "../rules/sniff-file.ts";
import type { Cleaning } from "../rules/sniff-file.ts";
import { stripHeif } from "../rules/strip-heif.ts";
import type { Field } from "../schema/field.ts";
import type { StoredFile } from "../schema/submission.ts";
import type { LongWork, Work } from "../../../core/ports.ts";

/** An uploaded file for one field of a form. */
export interface Sent {
  readonly formId: string;
  readonly field: Field;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** For whom a picture is read in a thread. */
  readonly owner: TaskOwner;
  /** Of the visitor's language. */
  readonly say: Words["say"];
}

/**
 * Detects the type of a file, removes location metadata from images, and stores it. The document of
 * the file is written first, so that a sweep finds the content after a crash. Throws 413 and 422.
 */
export async function storeFile(work: LongWork, sent: Sent): Promise<StoredFile> {
  const { content, extension, mime } = await readFile(sent);
  const { newId, now, part, runTx } = work;
  const receiving: StoredFile = {
    id: newId("upl"),
    created_at: toInstant(now),
    form_id: sent.formId,
    field: sent.field.key,
    state: "receiving",
    submission_id: null,
    email: null,
    name: shownName(sent.name),
    extension,
    bytes: content.length,
    mime,
    sha256: await sha256Of(part, content),
    scan: await scanOf(work, content),
    chunks: chunksIn(content.length),
    expires_at: toInstant(now + FORMS_TIMES.uploadMs),
  };
  await contents.store(work, [{ file: receiving, content }]);
  const kept: StoredFile = { ...receiving, state: "waiting" };
  await runTx(part, async (tx) => {
    const before = await tx.get(files, receiving.id);
    if (before !== null) tx.put(files, before, kept);
  });
  return kept;
}

const HASHED_BYTES = 262_144;

/** In pieces: a large file would occupy the event loop for 40 ms. */
async function sha256Of(part: string, content: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let start = 0; start < content.length; start += HASHED_BYTES) {
    await giveWay(part);
    hash.update(content.subarray(start, start + HASHED_BYTES));
  }
  return hash.digest("hex");
}

interface Read {
  readonly content: Uint8Array;
  readonly extension: string;
  readonly mime: string;
}

async function readFile({ bytes, field, name, owner, say }: Sent): Promise<Read> {
  const most = Math.min(field.max_bytes ?? FORMS_LIMITS.fileBytes, FORMS_LIMITS.fileBytes);
  if (bytes.length === 0) throw invalidField(["content"], say("form.fault_file_empty"));
  const tooLarge = () =>
    fail("content_too_large", say("form.fault_file_size", { megabytes: Math.floor(most / 10_485.76) / 100 }));
  if (bytes.length > most) throw tooLarge();
  const judged = judgeFile({ bytes, name }, await detectType(owner, headOf(bytes)), field.accept);
  if (!judged.ok) throw invalidField(["content"], say(judged.key, judged.values), "file_refused");
  const content = await clean(owner, bytes, judged.cleaning);
  if (content === null) throw invalidField(["content"], say("form.fault_file_unreadable"), "file_refused");
  if (content.length > FORMS_LIMITS.fileBytes) throw tooLarge();
  return { content, extension: judged.kind, mime: judged.mime };
}

/** A file without metadata; null for an image that cannot be read. */
async function clean(owner: TaskOwner, bytes: Uint8Array, cleaning: Cleaning): Promise<Uint8Array | null> {
  if (cleaning === "none") return bytes;
  // A copy: with a part of the memory of a body, a thread would be sent all of it.
  return cleaning === "redraw" ? redrawImage(owner, new Uint8Array(bytes)) : stripHeif(bytes);
}

/** Without a scanner, a file can be downloaded with the status that it was not scanned. */
const scanOf = async ({ ports }: Work, content: Uint8Array): Promise<StoredFile["scan"]> =>
  ports.scan === undefined ? "skipped" : ports.scan(content);
