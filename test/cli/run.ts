import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";

import { main } from "../../cli/program/main.ts";

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Makes stderr look like a terminal. */
  readonly terminal?: true;
  /** Makes stdout look like a terminal of this width. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Called with every piece of stdout as it comes. */
  readonly onOutput?: (text: string) => void;
  readonly onTalk?: (text: string) => void;
}

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  // The tests look into documents of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: () => any;
  /** stdout as lines of tab-separated cells. */
  readonly rows: () => string[][];
}

export interface Sandbox {
  readonly dir: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Result>;
  remove(): void;
}

/** An empty folder with a home of its own, in which commands run in this process. */
export function createSandbox(env: Readonly<Record<string, string>> = {}): Sandbox {
  const dir = mkdtempSync(join(tmpdir(), "platform-cli-"));
  const own = { XDG_CONFIG_HOME: join(dir, ".home"), PATH: process.env.PATH ?? "", ...env };
  return {
    dir,
    run: (argv, options = {}) => run(argv, { cwd: dir, ...options, env: { ...own, ...options.env } }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function run(argv: readonly string[], options: RunOptions): Promise<Result> {
  const stdout = capture(options.onOutput);
  const stderr = capture(options.onTalk);
  if (options.columns !== undefined) Object.assign(stdout.stream, { isTTY: true, columns: options.columns });
  if (options.terminal === true) Object.assign(stderr.stream, { isTTY: true, columns: 100 });
  const code = await main({
    argv,
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: options.env ?? {},
    cwd: options.cwd ?? tmpdir(),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const text = stdout.text();
  return {
    code,
    stdout: text,
    stderr: stderr.text(),
    json: () => JSON.parse(text),
    rows: () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => line.split("\t")),
  };
}

function capture(onText: ((text: string) => void) | undefined) {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    onText?.(chunk.toString("utf8"));
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
