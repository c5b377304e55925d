import type { Readable, Writable } from "node:stream";

/** Streams, arguments and environment of one command: those of the process, or of a test. */
export interface Io {
  /** Without the paths of node and of the script. */
  readonly argv: readonly string[];
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by SIGINT or SIGTERM; the reason is the exit code. */
  readonly signal?: AbortSignal;
}

export type Terminal = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** All of stdin as text. */
export async function readStdin(stdin: Io["stdin"]): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
