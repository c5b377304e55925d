import { MINUTE_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import { changeDue, eachDue } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { conflict, Problem } from "../../../lib/errors.ts";
import type { NewId } from "../../../core/ids.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { watch } from "../../../core/watch.ts";
import { prompts, runs } from "../repository.ts";
import { buildObservation } from "../rules/build-observation.ts";
import { nextRunAt } from "../rules/next-run.ts";
import { COVERED_FROM } from "../rules/search-answers.ts";
import type { Observation, Prompt, Run } from "../schema/tracking.ts";
import { DAY_FULL, storeObservations, OBSERVATIONS_PER_COMMIT } from "../services/ingest.ts";
import { approvedAnswers } from "../services/tools.ts";
import { newResource } from "../../../lib/new-resource.ts";

const ATTEMPTS_MAX = 3;
/** Samples of a scheduled run. */
export const SAMPLES = 3;

/** Runs due prompts, and stores the answers of the engines. */
export const runPrompts: Job = {
  id: "answeros.run-prompts",
  summary: "Runs due prompts and stores the answers as observations",
  schedule: "*/10 * * * * *",
  watches: [
    watch(prompts, { index: "due", due: ({ next_run_at: at }) => at }),
    watch(runs, { index: "queue", due: ({ not_before: at, created_at: made }) => at ?? made }),
  ],
  async run(work) {
    const counts = { queued: await queueDue(work), done: 0, failed: 0 };
    const isDue = ({ not_before: at }: Run): boolean => at === null || fromInstant(at) <= work.now;
    await eachDue(work, { collection: runs, index: "queue", isDue }, async (id) => {
      const run = await work.runTx(work.part, (tx) => tx.get(runs, id));
      if (run?.value.status !== "queued") return 0;
      const state = await runOne(work, run.value);
      if (state !== "queued") counts[state] += 1;
      return 1;
    });
    return counts;
  },
};

/** Creates the runs of due prompts. Returns their number. */
async function queueDue(work: JobContext): Promise<number> {
  const { now, nowAt, newId, ports } = work;
  const askable = askableEngines(ports);
  const isDue = ({ next_run_at: at }: Prompt): boolean => at !== null && fromInstant(at) <= now;
  const { done } = await changeDue(work, { collection: prompts, index: "due", isDue }, async (tx, id) => {
    const prompt = await tx.get(prompts, id);
    if (prompt === null || !prompt.value.active || !isDue(prompt.value)) return 0;
    const engines = prompt.value.engines.filter((name) => askable.has(name));
    for (const engine of engines)
      tx.create(runs, newRun(prompt.value, { engine, samples: SAMPLES, model: null }, { nowAt, newId }));
    markRun(tx, prompt, now);
    return engines.length;
  });
  return done;
}

/** The builtin engine and the providers of the AI service; answers of all others are uploaded. */
export const askableEngines = ({ ai }: Ports): ReadonlySet<string> =>
  new Set(["builtin", ...ai.providers.map(({ id }) => id)]);

/** Records the time of the run. */
export function markRun(tx: Tx, prompt: Stored<Prompt>, now: number): void {
  const last = toInstant(now);
  const next = nextRunAt(prompt.value.cadence, last, now);
  tx.put(prompts, prompt, {
    ...prompt.value,
    last_run_at: last,
    next_run_at: next === null ? null : toInstant(next),
  });
}

export function newRun(
  prompt: Prompt,
  run: Pick<Run, "engine" | "samples" | "model">,
  { nowAt, newId }: { readonly nowAt: string; readonly newId: NewId },
): Run {
  return {
    ...newResource(newId("run"), nowAt),
    prompt_id: prompt.id,
    prompt_version: prompt.prompt_version,
    prompt_text: prompt.text,
    topic: prompt.topic,
    locale: prompt.locale,
    ...run,
    done: 0,
    status: "queued",
    error: null,
    attempts: 0,
    not_before: null,
    finished_at: null,
  };
}

/** Calls the engine outside of any transaction, then stores the answers and the status of the run in one commit. */
async function runOne(work: JobContext, run: Run): Promise<Run["status"]> {
  try {
    const answers = await askAll(work, run);
    return await work.runTx<Run["status"]>(work.part, async (tx) => {
      const before = await tx.get(runs, run.id);
      if (before === null || before.value.status !== "queued") return "done";
      const outcomes = await storeObservations(tx, answers, work);
      const stored = outcomes.filter((outcome) => outcome !== "day_full");
      if (stored.length === 0) throw conflict("day_full", DAY_FULL);
      const done = { status: "done" as const, done: stored.length, error: null, finished_at: work.nowAt };
      tx.put(runs, before, { ...before.value, ...done, updated_at: work.nowAt });
      return "done";
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The call was broken off here, which is no attempt.
    if (work.signal.aborted) return "queued";
    return failRun(work, run, error);
  }
}

/** An unavailable provider is retried twice with increasing delay; any other error ends the run. */
function failRun(work: JobContext, run: Run, problem: Problem): Promise<Run["status"]> {
  const { now, nowAt, newId } = work;
  return work.runTx(work.part, async (tx) => {
    const before = await tx.get(runs, run.id);
    if (before === null || before.value.status !== "queued") return "failed";
    const attempts = before.value.attempts + 1;
    const isOver = problem.type !== "service_unavailable" || attempts >= ATTEMPTS_MAX;
    const error = { code: problem.options.code ?? problem.type, detail: problem.detail.slice(0, 300) };
    const status = isOver ? "failed" : "queued";
    tx.put(runs, before, {
      ...before.value,
      attempts,
      error,
      status,
      not_before: isOver ? null : toInstant(now + attempts * 5 * MINUTE_MS),
      finished_at: isOver ? nowAt : null,
      updated_at: nowAt,
    });
    if (isOver) {
      tx.emit({
        id: newId("evt"),
        type: "answeros.run.failed",
        at: nowAt,
        data: { run_id: run.id, prompt_id: run.prompt_id, engine: run.engine, code: error.code },
      });
    }
    return status;
  });
}

async function askAll(work: JobContext, run: Run): Promise<Observation[]> {
  const observations: Observation[] = [];
  const samples = Math.min(run.samples, OBSERVATIONS_PER_COMMIT);
  for (let sample = 1; sample <= samples; sample += 1) {
    const answer = await (run.engine === "builtin" ? askBuiltin(work, run) : askProvider(work, run, sample));
    const { prompt_id, prompt_version, topic, locale, engine } = run;
    observations.push(
      buildObservation(
        {
          prompt_id,
          prompt_version,
          topic,
          locale,
          engine,
          sample,
          origin: "run",
          run_id: run.id,
          at: run.created_at,
          sentiment: null,
          ...answer,
        },
        work.nowAt,
      ),
    );
  }
  return observations;
}

interface Said {
  readonly answer_text: string;
  readonly citations: readonly { readonly url: string; readonly title: string | null; readonly n: number }[];
  readonly model: string | null;
}

const NOTHING = "No approved answer matches.";

/** The builtin engine: the best approved answers of the store with their sources, without network access. */
function askBuiltin({ runTx, part }: JobContext, run: Run): Promise<Said> {
  return runTx(part, async (tx) => {
    const { index, byId } = await approvedAnswers(tx, run.locale);
    const citations: { url: string; title: string | null; n: number }[] = [];
    const hits = await index.find(run.prompt_text, 3, part);
    const passages = hits
      .filter(({ coverage }) => coverage >= COVERED_FROM)
      .map(({ id, passage }) => {
        const marks = (byId.get(id)?.value.answer?.sources ?? []).flatMap(({ url, title }) => {
          if (url === null) return [];
          const index = citations.find((citation) => citation.url === url);
          const n = index?.n ?? citations.length + 1;
          if (index === undefined) citations.push({ url, title, n });
          return [`[${n}]`];
        });
        // The citation marker is inside the sentence, where parsers of [n] expect it.
        return marks.length === 0 ? passage : `${passage.replace(/[.!?]\s*$/, "")} ${marks.join("")}.`;
      });
    return {
      answer_text: passages.length === 0 ? NOTHING : passages.join(" "),
      citations,
      model: "builtin",
    };
  });
}

async function askProvider({ ports, part, signal }: JobContext, run: Run, sample: number): Promise<Said> {
  const result = await ports.ai.generate({
    engine: "answeros",
    operation: "answer",
    input: { text: run.prompt_text, question: run.prompt_text, locale: run.locale },
    provider: run.engine,
    ...(run.model === null ? {} : { model: run.model }),
    key_id: null,
    resource: run.id,
    request_id: `${run.id}.${sample}`,
    part,
    sample,
    signal,
  });
  return {
    answer_text: result.text,
    citations: result.sources.map(({ url, title }, index) => ({ url, title, n: index + 1 })),
    model: result.model,
  };
}
