import { examples } from "../command.ts";
import type { Cli, Define, Input } from "../command.ts";
import { text } from "../globals.ts";
import { addPaging, listAction } from "../list-command.ts";
import { post } from "../operator.ts";

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("jobs with their schedules"));
  list.action(
    listAction(run, {
      path: "/jobs",
      query: () => ({}),
      columns: [
        ["ID", "id"],
        ["SCHEDULE", "schedule"],
        ["NEXT", (job) => job.next_at ?? job.next_run_at],
        ["LAST", (job) => job.last_at ?? job.last_run_at],
        ["SUMMARY", "summary"],
      ],
    }),
  );
  examples(list, ["platform jobs list"]);

  const runJob = command.command("run").argument("<job>").description("run a job now");
  runJob.option("--now <instant>", "as if it were this time; not in production").action(run(runNow));
  examples(runJob, [
    "platform jobs run delivery.sweep-holds",
    "platform jobs run delivery.sweep-holds --now 2026-12-01T00:00:00Z",
  ]);

  const history = addPaging(command.command("history").description("runs, newest first"));
  history.action(
    listAction(run, {
      path: "/jobs/history",
      query: () => ({}),
      columns: [
        ["JOB", (entry) => entry.job ?? entry.job_id],
        ["STARTED", "started_at"],
        ["MS", (entry) => entry.duration_ms ?? entry.ms],
        ["STATUS", "status"],
        ["RESULT", (entry) => entry.result ?? entry.counts],
      ],
    }),
  );
  examples(history, ["platform jobs history --json"]);
};

async function runNow(cli: Cli, { args: [job = ""], options }: Input): Promise<void> {
  const now = text(options, "now");
  await cli.out.value(
    await post(cli, `/jobs/${encodeURIComponent(job)}/run`, now === undefined ? {} : { now }),
  );
}
