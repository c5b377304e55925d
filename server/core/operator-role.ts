import { z } from "zod";

import { fail } from "../lib/errors.ts";

/** What an operator may do, each with all that the one before may: read; act on mails, keys and suspensions; everything. */
export const OperatorRole = z.enum(["viewer", "support", "owner"]);
export type OperatorRole = z.output<typeof OperatorRole>;

const RANK = OperatorRole.options;

export const hasRole = (role: OperatorRole, needed: OperatorRole): boolean =>
  RANK.indexOf(role) >= RANK.indexOf(needed);

/** Throws 403 where a route of the operator's API needs another role. */
export function requireRole(
  role: OperatorRole,
  route: { readonly role: OperatorRole; readonly id: string },
): void {
  if (hasRole(role, route.role)) return;
  throw fail(
    "forbidden",
    `This operator has the role ${role}. ${route.id} requires the role ${route.role}.`,
    {
      code: "insufficient_role",
    },
  );
}
