import { checkFileStore } from "../../storage/files/open.ts";
import type { Deps } from "../deps.ts";
import { compareFiles } from "../stored-files.ts";
import { broken, failed, fine, messageOf, TIMEOUT_MS, warn, within } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** Writes, reads and removes a file. */
export async function checkFiles({ newId, ports: { files } }: Deps): Promise<Finding> {
  if (files === undefined) return fine("files are stored among the documents");
  try {
    await within(TIMEOUT_MS, checkFileStore(files, newId("probe")));
    return fine("write, read and delete succeeded");
  } catch (error) {
    const fix = "Check that it is reachable and writable. platform config show --origin prints its settings.";
    return { ...broken(error), fix };
  }
}

const NAMED = 3;

/** Documents whose files are missing, and files that no document refers to. */
export async function checkContents(deps: Deps): Promise<Finding> {
  const { files } = deps.ports;
  const compared = await within(TIMEOUT_MS, compareFiles(deps, files)).catch(messageOf);
  if (typeof compared === "string") {
    if (files === undefined) return fine("files are stored among the documents");
    return warn(`not compared: ${compared}`, "platform storage verify compares them.");
  }
  const { count, missing, strays } = compared;
  if (missing.length > 0 && files === undefined) {
    const detail = `${missing.length} documents refer to files in a file store, and the setting files is missing`;
    return failed(detail, "Set files as it was when they were uploaded.");
  }
  if (missing.length > 0) {
    const detail = `${missing.length} of ${count} files are missing: ${listed(missing)}`;
    const fix =
      "Set files as it was when they were uploaded, or restore them from a backup or a copy of the file store.";
    return failed(detail, fix);
  }
  if (files === undefined) return fine("no document refers to a file store");
  if (strays.length === 0) return fine(`${count} files, all referred to and present`);
  const detail = `${strays.length} files that no document refers to: ${listed(strays)}`;
  return warn(detail, "platform storage verify --fix deletes them.");
}

const listed = (paths: readonly string[]): string =>
  `${paths.slice(0, NAMED).join(", ")}${paths.length > NAMED ? ", …" : ""}`;
