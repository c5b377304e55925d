import { BackupError } from "./backup.ts";

/** The first bytes of every file of https://age-encryption.org/v1. */
export const AGE_START = "age-encryption.org/v1\n";

/** Encrypts for each of the recipients (`age1…`); the identity of one of them decrypts. Throws a TypeError on an invalid one. */
export async function encrypt(
  chunks: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new TypeError(`invalid age recipient ${recipient}`, { cause });
    }
  }
  return encrypter.encrypt(toStream(chunks));
}

/** Decrypts by any of the identities (`AGE-SECRET-KEY-1…`). Throws a BackupError where none fits or a byte was changed. */
export async function* decrypt(
  chunks: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): AsyncGenerator<Uint8Array, void, undefined> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  const source = watchErrors(chunks);
  try {
    yield* await decrypter.decrypt(toStream(source.chunks));
  } catch (cause) {
    const failed = source.failed();
    if (failed !== undefined) throw failed.error;
    throw new BackupError("it cannot be decrypted: another identity, or a damaged file", { cause });
  }
}

function toStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** Keeps the error of the source apart from those of what reads it. */
function watchErrors(chunks: AsyncIterable<Uint8Array>) {
  let failed: { readonly error: unknown } | undefined;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
    } catch (error) {
      failed = { error };
      throw error;
    }
  }
  return { chunks: watched(), failed: () => failed };
}

/** An identity and its recipient, for one file. */
export async function createKeyPair(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const { generateIdentity, identityToRecipient } = await import("age-encryption");
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** The identities of a file that `age-keygen` wrote: one per line; lines that start with # are comments. Null for another file. */
export function parseIdentities(text: string): string[] | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const found = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const isValid = found.length > 0 && found.every((line) => /^AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]+$/.test(line));
  return isValid ? found : null;
}
