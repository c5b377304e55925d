/**
 * Contrast of colours by WCAG 2.2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio and #dfn-relative-luminance).
 * Colours are sRGB, written `#rrggbb`.
 */
type Rgb = readonly [red: number, green: number, blue: number];

/** Text of normal size needs this contrast at least (success criterion 1.4.3, level AA). */
const TEXT_CONTRAST = 4.5;

function rgbOf(color: string): Rgb {
  const channel = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

const hexOf = (rgb: Rgb): string =>
  `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** 0 for black to 1 for white. */
function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** 1 for equal colours to 21 for black and white. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function mix(color: string, other: string, share: number): string {
  const [red, green, blue] = rgbOf(color);
  const [red2, green2, blue2] = rgbOf(other);
  const between = (a: number, b: number): number => a + (b - a) * share;
  return hexOf([between(red, red2), between(green, green2), between(blue, blue2)]);
}

const STEPS = 50;

/** The color, mixed with as little black or white as makes it legible as text on each of `grounds`. */
export function legible(color: string, grounds: readonly string[]): string {
  const isOnLight = grounds.every((ground) => luminance(ground) > 0.5);
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, isOnLight ? "#000000" : "#ffffff", step / STEPS);
    if (grounds.every((ground) => contrast(mixed, ground) >= TEXT_CONTRAST)) return mixed;
  }
  return isOnLight ? "#000000" : "#ffffff";
}

/** Black or white, whichever is more legible on a color; one of them has a contrast of 4.58 at least. */
export const inkOn = (color: string): string =>
  contrast(color, "#ffffff") >= contrast(color, "#000000") ? "#ffffff" : "#000000";
