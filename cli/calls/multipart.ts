/** A field of a form; with bytes it is a file. */
export interface FormPart {
  readonly name: string;
  readonly value: string;
  readonly file?: FormFile | undefined;
}

export interface FormFile {
  /** As typed on the command line. */
  readonly path: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** The body and media type of a form with files (RFC 7578). */
export function encodeForm(parts: readonly FormPart[]): { readonly body: Uint8Array; readonly type: string } {
  const boundary = `platform-${crypto.randomUUID()}`;
  const chunks = parts.flatMap(({ name, value, file }) => {
    const fileName = file === undefined ? "" : `; filename="${escapeName(file.fileName)}"`;
    const type = file === undefined ? "" : "\r\nContent-Type: application/octet-stream";
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${fileName}${type}\r\n\r\n`;
    return [Buffer.from(head), file?.bytes ?? Buffer.from(value), Buffer.from("\r\n")];
  });
  return {
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

/** As browsers escape names (WHATWG HTML, multipart/form-data). */
const escapeName = (name: string): string =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
