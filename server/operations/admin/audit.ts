import { z } from "zod";

import { list, ok } from "../../core/route.ts";
import { ListQuery, withVersion } from "../../core/schema.ts";
import { auditEntries, AuditEntry, verifyTrail } from "../../accounts/audit.ts";
import { defineOperationsRoute } from "../context.ts";
import { Ref } from "../../accounts/ref.ts";

const listAudit = defineOperationsRoute({
  id: "admin.audit.list",
  method: "GET",
  path: "/audit",
  summary: "List audit entries, newest first",
  query: ListQuery.extend({
    about: Ref.optional().meta({ description: "Only entries about the customer, key or store with this id" }),
  }),
  data: z.array(withVersion(AuditEntry)),
  example: {},
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
  example: {},
  handle: async (_, { tx }) => ok(await verifyTrail(tx)),
});

export const auditRoutes = [listAudit, verifyAudit];
