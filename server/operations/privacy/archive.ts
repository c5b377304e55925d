import type { RunTx } from "../../core/tx.ts";
import { writeArchive } from "./archive-tasks.ts";
import { privacyParts } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";

const PAGE = 100;

/** The export of a request as a zip. */
export async function archiveOf(
  runTx: RunTx,
  part: string,
  request: PrivacyRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const about = { request_id: request.id, email: request.email, made_at: request.done_at };
  const doneAtMs = Date.parse(request.done_at ?? request.created_at);
  return writeArchive(part, { texts: await readTexts(runTx, part, request.id), doneAtMs, about });
}

async function readTexts(runTx: RunTx, part: string, id: string): Promise<string[]> {
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { index: "request", value: id, limit: PAGE, cursor };
    const page = await runTx(part, (tx) => tx.peekPage(privacyParts, query));
    texts.push(...page.items.map(({ value }) => value.text));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return texts;
}
