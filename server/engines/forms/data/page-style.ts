/** Small, readable on a phone, light and dark. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--line:#d9dee5;--soft:#586474;--accent:#0b5cad;--raised:#f5f7f9;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--line:#333d4a;--soft:#9aa7b6;--accent:#7db8f5;--raised:#1d242d;--bad:#ff9d94}body{background:#14191f;color:#e6eaf0}}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;margin:0}
main{max-width:40rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 1rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
.soft,.storefront-form-help{color:var(--soft);margin:.25rem 0}
.note{padding:.75rem 1rem;border-left:4px solid var(--accent);background:var(--raised)}.bad{border-color:var(--bad)}
.storefront-form-field{margin:1.1rem 0}.storefront-form-fault{color:var(--bad);margin:.25rem 0}
label{display:block;font-weight:600;margin:.25rem 0}fieldset{border:1px solid var(--line);border-radius:.45rem}
fieldset label,label:has(input[type=checkbox]){font-weight:400}
input:not([type=checkbox],[type=radio]),select,textarea{width:100%;padding:.65rem .75rem;font:inherit;border:1px solid var(--soft);border-radius:.45rem;background:transparent;color:inherit}
button{font:inherit;font-weight:600;padding:.7rem 1.2rem;border:1px solid var(--accent);border-radius:.45rem;background:var(--accent);color:#fff;cursor:pointer}
@media(prefers-color-scheme:dark){button{color:#0d1117}}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;
