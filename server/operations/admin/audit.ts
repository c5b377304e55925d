import { resource } from "../../core/resource.ts";
import { ok } from "../../core/reply.ts";
import { ListQuery, withVersion } from "../../core/schema.ts";
import { auditEntries, AuditEntry, AuditReport, verifyTrail } from "../../accounts/audit.ts";
import { defineOperationsRoute } from "../context.ts";
import { Ref } from "../../accounts/ref.ts";

const listAudit = resource({
  id: "admin.audit",
  collection: auditEntries,
  view: withVersion(AuditEntry),
  example: "aud_01JD8Z5T9QK3M4N5P6R7S8T9V0",
}).list({
  summary: "List audit entries, newest first",
  query: ListQuery.extend({
    about: Ref.optional().meta({ description: "Only entries about the customer, key or store with this id" }),
  }),
  find: ({ about, ...page }) => ({
    ...(about === undefined ? {} : { index: "about", value: about }),
    ...page,
  }),
});

const verifyAudit = defineOperationsRoute({
  id: "admin.audit.verify",
  method: "GET",
  path: "/audit/verify",
  summary: "Verify the hash chain of the audit trail",
  description:
    "Each entry contains the SHA-256 of the previous one, so a changed, removed or inserted entry is detected. Store `head_hash` elsewhere to prove later that no entry up to it was rewritten.",
  data: AuditReport,
  example: {},
  handle: async (_, { tx }) => ok(await verifyTrail(tx)),
});

export const auditRoutes = [listAudit, verifyAudit];
