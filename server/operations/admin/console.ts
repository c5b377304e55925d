import { z } from "zod";

import { made } from "../../core/reply.ts";
import { Instant } from "../../core/schema.ts";
import { actorOf } from "../../accounts/change.ts";
import { makeLink } from "../console-session.ts";
import { defineOperationsRoute } from "../context.ts";

const createConsoleLink = defineOperationsRoute({
  id: "admin.console.link",
  role: "viewer",
  method: "POST",
  path: "/console/links",
  summary: "Make a login link for the operator's console, good once, for half an hour",
  data: z.strictObject({ url: z.string(), expires_at: Instant }),
  status: 201,
  sensitive: true,
  example: {},
  async handle(_input, ctx) {
    const { token, expires_at } = await makeLink(ctx.deps, actorOf(ctx));
    return made({ url: `${ctx.baseUrl}/_/setup/${token}`, expires_at }, "/console/links");
  },
});

export const consoleLinkRoutes = [createConsoleLink];
