import { escapeXml } from "./google-feed.ts";

/** "★★★★☆" for 4.3. */
export const starText = (value: number): string => {
  const full = Math.round(value);
  return "★".repeat(full) + "☆".repeat(5 - full);
};

/** Points of a star with a radius of 10 around its middle. */
const STAR = Array.from({ length: 10 }, (_, at) => {
  const radius = at % 2 === 0 ? 10 : 4;
  const angle = (Math.PI * at) / 5 - Math.PI / 2;
  return `${(radius * Math.cos(angle)).toFixed(2)},${(radius * Math.sin(angle)).toFixed(2)}`;
}).join(" ");

/**
 * The average of a target as an SVG image of 280 by 32: stars filled to a tenth, the number and how many reviews it is of. It
 * follows the reader's color scheme.
 */
export function renderBadge({ label, text, value }: { value: number; label: string; text: string }): string {
  const stars = [0, 1, 2, 3, 4].map(
    (at) => `<polygon points="${STAR}" transform="translate(${14 + at * 22} 16)"/>`,
  );
  const width = Math.max(0, Math.min(5, value)) * 22;
  const shown = escapeXml(`${label} · ${text}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="280" height="32" viewBox="0 0 280 32" role="img" aria-label="${shown}">`,
    `<title>${shown}</title>`,
    "<style>text{font:600 13px system-ui,sans-serif;fill:#1c2430}.on{fill:#b36b00}.off{fill:#c9d0d8}" +
      "@media (prefers-color-scheme:dark){text{fill:#e6eaf0}.on{fill:#e0ad3f}.off{fill:#4a5563}}</style>",
    `<g class="off">${stars.join("")}</g>`,
    `<clipPath id="c"><rect x="3" y="0" width="${width.toFixed(1)}" height="32"/></clipPath>`,
    `<g class="on" clip-path="url(#c)">${stars.join("")}</g>`,
    `<text x="120" y="20.5">${shown}</text></svg>`,
  ].join("");
}
