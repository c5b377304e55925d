import { z } from "zod";

import { Check, diagnose } from "../doctor/diagnose.ts";
import { ok } from "../../core/reply.ts";
import { defineOperationsRoute } from "../context.ts";

const doctorRoute = defineOperationsRoute({
  id: "admin.doctor.run",
  method: "GET",
  path: "/doctor",
  summary: "Run health checks of the service and its dependencies",
  data: z.strictObject({ ok: z.boolean(), checks: z.array(Check) }),
  example: {
    data: {
      ok: true,
      checks: [
        { id: "storage", status: "ok", detail: "The storage is reachable and writable." },
        {
          id: "base_url",
          status: "warn",
          detail: "No public URL is configured.",
          fix: "Set baseUrl (PLATFORM_BASE_URL).",
        },
      ],
    },
  },
  async handle(_input, { deps }) {
    const checks = await diagnose(deps);
    return ok({ ok: checks.every(({ status }) => status !== "fail"), checks });
  },
});

export const doctorRoutes = [doctorRoute];
