import { z } from "zod";

import { list, ok } from "../../core/route.ts";
import { ListQuery, withVersion } from "../../core/schema.ts";
import { auditEntries, AuditEntry, verifyTrail } from "../../accounts/audit.ts";
import { defineOperationsRoute } from "../context.ts";
import { Ref } from "../../accounts/ref.ts";

const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const entry: AuditEntry = {
  id: "aud_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  seq: 1,
  created_at: "2026-06-01T09:00:00.000Z",
  actor: "signup",
  request_id: "req_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  action: "customer.signed_up",
  subject: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
  customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
  details: {},
  previous_hash: "0".repeat(64),
  hash,
};

const listAudit = defineOperationsRoute({
  id: "admin.audit.list",
  method: "GET",
  path: "/audit",
  summary: "List audit entries, newest first",
  query: ListQuery.extend({
    about: Ref.optional().meta({ description: "Only entries about the customer, key or store with this id" }),
  }),
  data: z.array(withVersion(AuditEntry)),
  example: { data: [{ ...entry, version: 1 }] },
  async handle({ query: { about, ...page } }, { tx }) {
    const index = about === undefined ? {} : { index: "about", value: about };
    return list(await tx.peekPage(auditEntries, { ...index, ...page }));
  },
});

const verifyAudit = defineOperationsRoute({
  id: "admin.audit.verify",
  method: "GET",
  path: "/audit/verify",
  summary: "Verify the hash chain of the audit trail",
  description:
    "Each entry contains the SHA-256 of the previous one, so a changed, removed or inserted entry is detected. Store `head_hash` elsewhere to prove later that no entry up to it was rewritten.",
  data: z.object({
    ok: z.boolean(),
    entries: z.int().nonnegative().meta({ description: "Number of entries up to the first broken link" }),
    head_hash: z.string(),
    broken: z.object({ seq: z.int(), id: z.string().nullable(), reason: z.string() }).nullable(),
  }),
  example: { data: { ok: true, entries: 1, head_hash: hash, broken: null } },
  handle: async (_, { tx }) => ok(await verifyTrail(tx)),
});

export const auditRoutes = [listAudit, verifyAudit];
