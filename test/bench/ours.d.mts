export function startOurs(
  scratch: string,
): Promise<{ readonly url: string; readonly path: string; readonly token: string; stop(): Promise<unknown> }>;
