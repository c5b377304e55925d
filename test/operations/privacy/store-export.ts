import type { RunTx } from "../../../server/core/tx.ts";
import { exampleRequest } from "../../../server/operations/privacy/routes.ts";
import {
  partId,
  privacyParts,
  PrivacyRequest,
  privacyRequests,
} from "../../../server/operations/privacy/schema.ts";

const { version: _, ...example } = exampleRequest;
/** Parts of one commit. */
const PER_COMMIT = 15;

/** Stores an export that is done, with so many parts; `textOf` returns the text of each. */
export async function storeExport(
  runTx: RunTx,
  part: string,
  parts: number,
  textOf: (index: number) => string,
): Promise<PrivacyRequest> {
  const request = PrivacyRequest.parse({
    ...example,
    type: "export",
    status: "done",
    email: "ada@shop.example",
    done_at: "2026-06-02T09:00:00.000Z",
    expires_at: "2099-01-01T00:00:00.000Z",
    parts,
  });
  await runTx(part, async (tx) => void tx.create(privacyRequests, request));
  for (let start = 0; start < parts; start += PER_COMMIT) {
    await runTx(part, async (tx) => {
      for (let index = start; index < Math.min(parts, start + PER_COMMIT); index += 1)
        tx.create(privacyParts, {
          id: partId(request.id, index),
          request_id: request.id,
          text: textOf(index),
        });
    });
  }
  return request;
}
