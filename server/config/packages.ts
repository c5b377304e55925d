import { describeMissing, findMissing } from "../core/optional-packages.ts";
import type { Feature } from "../core/optional-packages.ts";
import { ConfigError, type ConfigProblem } from "./error.ts";
import type { LoadedConfig } from "./load.ts";
import { DEFAULT_ORIGIN } from "./sources.ts";

/** Settings that need packages of their own, and whether they do as they are. */
export const settingsOf = ({
  ai,
  observability,
}: LoadedConfig["config"]): readonly { path: string; isSet: boolean; feature: Feature }[] => [
  { path: "ai.provider", isSet: ai.provider !== "builtin", feature: "texts" },
  { path: "ai.providers", isSet: ai.providers.length > 0, feature: "texts" },
  { path: "observability.metrics", isSet: observability.metrics, feature: "metrics" },
  { path: "observability.tracesUrl", isSet: observability.tracesUrl !== undefined, feature: "traces" },
];

/** Settings whose packages are not installed, each with the command that installs them. */
export const problemsOfPackages = ({
  config,
  origins,
}: Pick<LoadedConfig, "config" | "origins">): ConfigProblem[] =>
  settingsOf(config).flatMap(({ path, isSet, feature }) => {
    const missing = isSet ? findMissing(feature) : null;
    if (missing === null) return [];
    return [{ path, message: describeMissing(missing), origin: origins[path] ?? DEFAULT_ORIGIN }];
  });

/** Throws ConfigError before anything is opened: a server without its metrics or its AI provider would fail later, request by request. */
export function checkPackages(loaded: LoadedConfig): void {
  const problems = problemsOfPackages(loaded);
  if (problems.length > 0) throw new ConfigError(loaded.subject, problems);
}

/** No setting asks for pictures, so a server without their package starts, refuses to take any, and says so. */
export function warningsOfPictures(): string[] {
  const missing = findMissing("pictures");
  return missing === null ? [] : [`${describeMissing(missing)}. Uploads of pictures are refused until then.`];
}
