import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import type { TaskOwner } from "../../../lib/worker-tasks.ts";
import { inTurn } from "../../../lib/slices.ts";
import { checkDraft, refuse } from "../formats/check-draft.ts";
import type { MissingRef } from "../formats/check-draft.ts";
import type { DraftOptions } from "../formats/draft.ts";
import { readDocument, SHAPES } from "../formats/formats.ts";
import type { Document, Read } from "../formats/formats.ts";
import { parseRest, readRest } from "../formats/leave-out.ts";
import type { LeftOut } from "../formats/leave-out.ts";

/** A document of another system, read and checked. */
export interface ReadImport extends Read {
  /** Invalid entries that are not in the draft. */
  readonly leftOut: readonly LeftOut[];
  /** Refs that the document does not define. */
  readonly missing: readonly MissingRef[];
}

interface Written {
  readonly format: Document["format"];
  /** JSON: a text is copied to and from a thread in a fraction of the time that as many objects take. */
  readonly text: string;
  readonly options: DraftOptions;
}

/** A document as the JSON of a `ReadImport`. Throws 422 where it is refused. */
export const readInThread = defineWorkerTask({
  id: "menus.document",
  size: ({ text }: Written) => text.length,
  run: ({ format, text, options }) => JSON.stringify(readText(format, text, options)),
});

/** Reads a document without its invalid entries, in a thread. Throws 422 where it is refused, or invalid entries are all that it sells. */
export async function readImport(
  owner: Exclude<TaskOwner, string>,
  { format, data }: { readonly format: Document["format"]; readonly data: unknown },
  options: DraftOptions,
): Promise<ReadImport> {
  const text = await inTurn(owner.part, () => JSON.stringify(data));
  const result = await readInThread(owner, { format, text, options });
  return inTurn(owner.part, () => JSON.parse(result));
}

/** Reads the JSON of a document. Throws 422. */
export function readText(format: Document["format"], text: string, options: DraftOptions): ReadImport {
  const parsed = parseRest(SHAPES[format], JSON.parse(text));
  const { read, rest } = readRest(parsed, ({ data }) => {
    // The schema is that of the format.
    const { draft, losses } = readDocument({ format, data } as Document, options);
    return { draft, losses, missing: checkDraft(draft) };
  });
  const { leftOut } = rest;
  if (leftOut.length > 0 && read.draft.items.length === 0) {
    throw refuse(leftOut.map(({ fault, detail }) => ({ path: fault.slice(1), detail })));
  }
  return { ...read, leftOut };
}
