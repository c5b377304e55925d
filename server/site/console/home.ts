import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { Route } from "../../core/route.ts";
import type { Session } from "../../operations/console-session.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { callAdmin, readReply } from "./call-admin.ts";
import { link, state, when } from "./cells.ts";
import { drawOutcomes } from "./chart.ts";
import { CHECK_COLUMNS, verdict } from "./shapes.ts";
import { table } from "./table.ts";
import { rowsOf } from "./view.ts";
import type { Row } from "./view.ts";

/** An admin route by its id. */
export type Find = (id: string) => Route;

/** What an operator looks for first: what needs attention, and how much is asked. */
export async function homeBody(find: Find, ctx: OperationsCtx, session: Session): Promise<Html> {
  const ask = async (id: string, query: Record<string, string> = {}): Promise<readonly Row[]> =>
    readReply(await callAdmin(find(id), ctx, session, { params: {}, query, body: {} })).rows;
  const [doctor = {}] = await ask("admin.doctor.run");
  const checks = rowsOf(doctor["checks"]);
  const wanting = checks.filter(({ status }) => status !== "ok");
  const jobs = await ask("admin.jobs.list", { status: "failed" });
  const failures = await ask("admin.logs.list", { status: "5xx", limit: "5" });
  const usage = await ask("admin.usage.list", { limit: "100" });
  return html`<h1>Operator console</h1>
    <p class="soft">${ctx.baseUrl}</p>
    ${verdict(checks)} ${wanting.length > 0 && table(CHECK_COLUMNS, wanting)}
    ${
      jobs.length > 0 &&
      html`<h2>Failed jobs</h2>
        ${table(JOB_COLUMNS, jobs)}`
    }
    ${
      failures.length > 0 &&
      html`<h2>Latest failures</h2>
        ${table(FAILURE_COLUMNS, failures)}`
    }
    ${drawOutcomes(usage) ?? html`<p role="status">No key has been used yet.</p>`}`;
}

const JOB_COLUMNS = [
  { title: "Job", of: link("jobs", "id") },
  { title: "Description", of: "summary" },
  { title: "Latest", of: when("last_at") },
  { title: "Next", of: when("next_at") },
];

const FAILURE_COLUMNS = [
  { title: "When", of: when("at") },
  { title: "Request", of: link("logs", "request_id") },
  { title: "Route", of: "route" },
  { title: "Status", of: state("status") },
];
