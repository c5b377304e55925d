/** Values of a comma-separated text, trimmed, each once. */
export const splitList = (text = ""): string[] => [
  ...new Set(
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ),
];
