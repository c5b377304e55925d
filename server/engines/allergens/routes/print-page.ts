import { createPage } from "../../../core/page.ts";

const STYLE =
  "body{font:11pt/1.4 system-ui,sans-serif;color:#000;background:#fff;margin:1.5cm}" +
  "h1{font-size:14pt;margin:0 0 .4cm}table{border-collapse:collapse;width:100%}caption{text-align:left;padding-bottom:.3cm}" +
  "th,td{border:1px solid #777;padding:2px 5px;text-align:center}th[scope=row]{text-align:left;font-weight:500}" +
  "thead th{font-size:8.5pt;vertical-align:bottom}thead{display:table-header-group}tr{break-inside:avoid}" +
  ".unverified{border:4px dashed #000;padding:.4cm;print-color-adjust:exact;-webkit-print-color-adjust:exact;" +
  "background:repeating-linear-gradient(45deg,#fff 0 14px,#ccc 14px 18px)}" +
  ".notice{background:#000;color:#fff;font-weight:700;padding:.2cm;print-color-adjust:exact;-webkit-print-color-adjust:exact}" +
  ".C{background:#000;color:#fff;font-weight:700}.M{background:#ccc}.C,.M{print-color-adjust:exact;-webkit-print-color-adjust:exact}" +
  ".stale{font-style:italic}.matrix{page:wide}.matrix th[scope=row]{min-width:4cm}" +
  ".matrix thead th+th{writing-mode:vertical-rl;text-align:left}@page wide{size:A4 landscape}@page{margin:1cm}@media print{body{margin:0}}";

/** A page to be printed. */
export const printPage = createPage(STYLE, "form-action 'none'");
