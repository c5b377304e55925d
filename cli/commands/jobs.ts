import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { EXIT } from "../terminal/exit.ts";
import { text } from "../command/globals.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { post } from "../client/operator.ts";

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("list jobs with their schedules"));
  list.option("--search <text>", "part of the id or summary");
  list.option("--status <outcome>", "outcome of the latest run: ok or failed").action(
    listAction(run, {
      path: "/jobs",
      query: ({ options }) => ({ search: text(options, "search"), status: text(options, "status") }),
      columns: [
        ["ID", "id"],
        ["SCHEDULE", "schedule"],
        ["NEXT", "next_at"],
        ["LAST", "last_at"],
        ["RESULT", "last_status"],
        ["SUMMARY", "summary"],
      ],
    }),
  );
  examples(list, ["platform jobs list", "platform jobs list --status failed"]);

  const runJob = command.command("run").argument("<job>").description("run a job now");
  runJob.option("--now <instant>", "run as if it were this time; not in production").action(run(runNow));
  examples(runJob, [
    "platform jobs run delivery.sweep-holds",
    "platform jobs run delivery.sweep-holds --now 2026-12-01T00:00:00Z",
  ]);

  const history = addPaging(
    command.command("history").description("list runs that processed data, newest first"),
  );
  history.option("--job <job>", "of one job").action(
    listAction(run, {
      path: "/jobs/history",
      query: ({ options }) => ({ job_id: text(options, "job") }),
      columns: [
        ["JOB", "job_id"],
        ["STARTED", "started_at"],
        ["MS", "duration_ms"],
        ["STATUS", "status"],
        ["COUNTS", "counts"],
      ],
    }),
  );
  examples(history, ["platform jobs history --json"]);
};

async function runNow(cli: Cli, { args: [job = ""], options }: Input): Promise<number> {
  const now = text(options, "now");
  const done = await post(cli, `/jobs/${encodeURIComponent(job)}/run`, now === undefined ? {} : { now });
  await cli.out.value(done);
  return done.status === "failed" ? EXIT.findings : EXIT.ok;
}
