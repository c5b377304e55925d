import { inkOn } from "../../../lib/contrast.ts";

/**
 * Style of an embedded form. It has no specificity, so that any rule of the page takes precedence; text, its colour and font are
 * those of the page, and the accent is that of the store's profile. `--sf-accent`, `--sf-on-accent` and `--sf-radius` change it.
 */
export const embedStyle = (color: string | null): string => `
:where(.storefront-form) { --sff-line: color-mix(in srgb, currentColor 60%, transparent); --sff-soft: color-mix(in srgb, currentColor 82%, transparent);
  --sff-accent: var(--sf-accent, ${color ?? DEFAULT_ACCENT}); --sff-on-accent: var(--sf-on-accent, ${inkOn(color ?? DEFAULT_ACCENT)}); --sff-radius: var(--sf-radius, .4em);
  box-sizing: border-box; max-width: 40em; line-height: 1.5; text-align: start; overflow-wrap: anywhere; }
:where(.storefront-form) :where([hidden]) { display: none !important; }
:where(.storefront-form) :where(h2) { font-size: 1.25em; line-height: 1.3; margin: 1.2em 0 .6em; }
:where(.storefront-form) :where(h3) { font-size: 1em; margin: 0; }
:where(.storefront-form) :where(p) { margin: .4em 0; }
:where(.storefront-form) :where(.storefront-form-field) { margin: 0 0 1.1em; }
:where(.storefront-form) :where(label, legend) { display: block; font-weight: 600; margin: 0 0 .3em; padding: 0; }
:where(.storefront-form) :where(fieldset) { border: 0; margin: 0; padding: 0; min-width: 0; }
:where(.storefront-form) :where(fieldset label, label:has(input[type="checkbox"])) { font-weight: 400; }
:where(.storefront-form) :where(input, select, textarea, button) { box-sizing: border-box; font: inherit; color: inherit; border-radius: var(--sff-radius); }
:where(.storefront-form) :where(input:not([type="checkbox"], [type="radio"]), select, textarea) { display: block; width: 100%; padding: .55em .7em; border: 1px solid var(--sff-line); background: transparent; }
:where(.storefront-form) :where(input[type="checkbox"], input[type="radio"]) { width: 1.15em; height: 1.15em; margin: 0; margin-inline-end: .45em; vertical-align: -.2em; accent-color: var(--sff-accent); }
:where(.storefront-form) :where(option) { color: CanvasText; background: Canvas; }
:where(.storefront-form) :where(.storefront-form-help, .storefront-form-progress) { color: var(--sff-soft); font-size: .92em; }
:where(.storefront-form) :where(.storefront-form-fault) { border-inline-start: .25em solid #d43a2f; padding-inline-start: .6em; font-weight: 600; }
:where(.storefront-form) :where([aria-invalid]) { border-color: #d43a2f; outline: 1px solid #d43a2f; }
:where(.storefront-form) :where(:focus-visible) { outline: 3px solid var(--sff-accent); outline-offset: 2px; }
:where(.storefront-form) :where(button) { padding: .6em 1.2em; margin: .4em 0 0; margin-inline-end: .5em; font-weight: 600; cursor: pointer; color: var(--sff-on-accent); background: var(--sff-accent); border: 1px solid var(--sff-accent); }
:where(.storefront-form) :where(button.quiet) { color: inherit; background: transparent; border-color: var(--sff-line); }
:where(.storefront-form) :where(button:disabled) { opacity: .6; cursor: progress; }
:where(.storefront-form) :where(progress) { display: block; width: 100%; height: .5em; margin: .3em 0 0; accent-color: var(--sff-accent); }
:where(.storefront-form) :where(dl) { display: grid; grid-template-columns: minmax(6em, max-content) minmax(0, 1fr); gap: .2em 1em; margin: .3em 0 1em; }
:where(.storefront-form) :where(dt) { color: var(--sff-soft); }
:where(.storefront-form) :where(dd) { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
:where(.storefront-form) :where(.storefront-form-part) { display: flex; flex-wrap: wrap; gap: .3em 1em; align-items: baseline; justify-content: space-between; }
`;

const DEFAULT_ACCENT = "#0b57d0";
