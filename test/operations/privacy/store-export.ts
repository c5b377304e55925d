import type { RunTx } from "../../../server/core/tx.ts";
import { newResource } from "../../../server/lib/new-resource.ts";
import { NO_EVIDENCE } from "../../../server/operations/privacy/ask.ts";
import {
  partId,
  privacyParts,
  PrivacyRequest,
  privacyRequests,
} from "../../../server/operations/privacy/schema.ts";

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
    ...newResource("prv_01JD8Z5T9QK3M4N5P6R7S8T9V0", "2026-06-01T09:00:00.000Z"),
    customer_ids: [],
    verify: true,
    verified_at: null,
    verified_by: null,
    progress: null,
    shared_ids: 0,
    evidence: { subject_hash: "2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w0", ...NO_EVIDENCE },
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
