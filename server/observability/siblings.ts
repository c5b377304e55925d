/** The other workers of this machine (`serve --workers`), as the parent that started them reaches them. */
export interface Siblings {
  /** Number of this worker, from 1; one that replaces another takes its number. */
  readonly self: number;
  /** Workers that there should be. */
  readonly count: number;
  /** The measures of the others, by their numbers. One that is not up or does not answer in time is left out. */
  scrape(): Promise<ReadonlyMap<number, string>>;
}

/**
 * One scrape that reports all workers, each sample with the label `worker`. They are not summed here: the sum would fall when a
 * worker ends or is late, and Prometheus would take that for a reset and count everything before it once more. A series of each
 * worker begins again at nothing with its replacement, which `rate` understands: `sum without (worker) (rate(…))`.
 */
export async function scrapeWorkers(own: () => Promise<string>, siblings: Siblings): Promise<string> {
  const [text, others] = await Promise.all([own(), siblings.scrape()]);
  const texts = new Map([...others, [siblings.self, text]]);
  const numbers = Array.from({ length: siblings.count }, (_, index) => index + 1);
  const up = numbers.map((number) => `platform_worker_up{worker="${number}"} ${texts.has(number) ? 1 : 0}`);
  return [
    ...joinFamilies(numbers.flatMap((number) => label(texts.get(number) ?? "", number))),
    "# HELP platform_worker_up Whether a worker answered this scrape. If 0, its metrics are missing.",
    "# TYPE platform_worker_up gauge",
    ...up,
    "",
  ].join("\n");
}

/** Lines of one worker, each sample with its number. */
const label = (text: string, worker: number): string[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) =>
      line.startsWith("#")
        ? line
        : line.replace(/^([\w:]+)(?:\{\}|(\{))?/, (_, name: string, brace?: string) =>
            brace === undefined ? `${name}{worker="${worker}"}` : `${name}{worker="${worker}",`,
          ),
    );

/** The format wants all samples of a family in one group below one announcement. */
function joinFamilies(lines: readonly string[]): string[] {
  const families = new Map<string, { readonly announced: string[]; readonly samples: string[] }>();
  let family: { readonly announced: string[]; readonly samples: string[] } = { announced: [], samples: [] };
  for (const line of lines) {
    const [, kind, name = ""] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
    if (kind === undefined) {
      family.samples.push(line);
      continue;
    }
    const known = families.get(name);
    family = known ?? { announced: [], samples: [] };
    if (known === undefined) families.set(name, family);
    if (!family.announced.includes(line)) family.announced.push(line);
  }
  return [...families.values()].flatMap(({ announced, samples }) => [...announced, ...samples]);
}
