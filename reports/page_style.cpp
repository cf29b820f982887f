// Style and script of the pages. Colours hold 4.5:1 against what they stand on in both schemes; no meaning hangs on a
// hue alone.

#include "reports/page.h"

namespace reports {

std::string_view pageStyle() {
  return R"css(
:root {
  --bg: #ffffff; --panel: #f5f7f9; --text: #16202b; --muted: #556270; --line: #d5dce3; --accent: #1b5e9e;
  --bad: #a63500; --badbg: #fdeadf; --good: #00674c; --warn: #7a5600; --fill: #2f76b5; --last: #b94a00;
  --h1: #e4eff9; --h2: #bfd9f0; --h3: #8dbde6; --h4: #2f76b5; --h5: #1b5490; --h6: #0a2f5c;
  --hlow: #10202f; --hhigh: #ffffff; --shade: rgb(0 0 0 / 22%); --compiling: #5b3fa8; --minimising: #8a6d00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #12171c; --panel: #1a2128; --text: #e4e9ee; --muted: #a3afbb; --line: #36414c; --accent: #7fb8e6;
    --bad: #ff9e6b; --badbg: #43230f; --good: #5fd0a8; --warn: #e8c268; --fill: #4f97d1; --last: #f08c4a;
    --h1: #16293b; --h2: #1a3e60; --h3: #1f5686; --h4: #4a93cc; --h5: #86bce8; --h6: #c8e2f8;
    --hlow: #e8f1f9; --hhigh: #08121c; --shade: rgb(255 255 255 / 28%); --compiling: #b39cf5; --minimising: #e0c04a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 16px 20px 60px; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 16px; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 0 0 8px; }
h3 { font-size: 1.05rem; margin: 18px 0 6px; }
h4 { font-size: 1rem; margin: 14px 0 4px; }
p { margin: 6px 0; }
p, li, h2, h4 { overflow-wrap: anywhere; }
section { margin-top: 22px; padding-top: 18px; border-top: 1px solid var(--line); }
.fold summary h2 { display: inline; margin-right: 12px; }
.kicker { color: var(--muted); margin: 0; display: flex; flex-wrap: wrap; gap: 0 12px; align-items: baseline; }
.kicker .file { margin: 0; }
.bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
.low { color: var(--bad); font-weight: 600; }
.sign { margin-right: .4em; }
.note { color: var(--muted); font-size: .92rem; overflow-wrap: anywhere; }
a { color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 10px 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 10px; margin: 12px 0; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 8px 12px; }
.figure { font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile .note { font-size: .82rem; line-height: 1.35; color: var(--muted); }
.tile.weighty { grid-column: span 2; border: 2px solid; }
.weighty .figure { font-size: 2.3rem; line-height: 1.1; } .weighty .name { font-weight: 600; }
.weighty.bad { background: var(--badbg); } .weighty .note { color: var(--text); }
.tile.zero { background: none; color: var(--muted); } .zero .figure { font-weight: 400; }
.files { columns: 26em; padding-left: 1.2em; margin: 4px 0; } .files li { break-inside: avoid; }
.file { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  vertical-align: bottom; margin-right: 12px; font-size: .92rem; }
details summary { cursor: pointer; }
table { border-collapse: collapse; font-size: .92rem; }
th { text-align: left; font-weight: 600; }
th, td { padding: 3px 8px; vertical-align: top; }
td, .stamp th { overflow-wrap: anywhere; }
.scroll td, .scroll th { overflow-wrap: normal; }
.scroll table { width: 100%; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.scroll { overflow: auto; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; }
.tall { max-height: 80vh; }
/* What scrolls sideways has a shade at the side where more is. */
.scroll, pre, .command code {
  background: linear-gradient(to right, var(--bg), var(--bg)) left / 18px 100% local,
    linear-gradient(to left, var(--bg), var(--bg)) right / 18px 100% local,
    linear-gradient(to right, var(--shade), transparent) left / 10px 100% scroll,
    linear-gradient(to left, var(--shade), transparent) right / 10px 100% scroll;
  background-repeat: no-repeat; background-color: var(--bg); }
.swipe { position: relative; overflow: hidden; height: 0; margin: 0; color: var(--muted); font-size: .85rem;
  padding-top: clamp(0px, (var(--wide) + 2px - 100%) * 999, 1.6em); }
.swipe span { position: absolute; top: 0; left: 0; white-space: nowrap; }
.picture { max-height: 30em; margin-top: 6px; }
.narrow { display: none; }
.bucket { background: var(--panel); border: 1px solid var(--line); border-left: 5px solid var(--bad);
  border-radius: 6px; padding: 0 12px; margin: 4px 0; }
.bucket.known { border-left-color: var(--line); }
.bucket > summary { display: flex; gap: 10px; align-items: baseline; padding: 6px 0; list-style: none; }
.bucket > summary::-webkit-details-marker { display: none; }
.bucket > summary::before { content: "▸"; color: var(--muted); }
.bucket[open] > summary::before { content: "▾"; }
.bucket[open] { padding-bottom: 8px; }
.bucket .title { font-weight: 600; flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
.bucket[open] .title { white-space: normal; overflow-wrap: anywhere; }
.bucket > summary .kind { color: var(--muted); max-width: 35%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
.count { font-weight: 700; font-variant-numeric: tabular-nums; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 4px 0; font-size: .92rem; }
.facts div { display: flex; gap: 6px; min-width: 0; }
.facts dt { color: var(--muted); white-space: nowrap; } .facts dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.case { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); gap: 0 18px; }
.case:has(.far) { grid-template-columns: 100%; } .case > div { min-width: 0; }
pre { border: 1px solid var(--line); border-radius: 6px; padding: 8px 10px; margin: 6px 0; max-height: 13em;
  overflow: auto; font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
.step pre { max-height: none; } .step .picture { max-height: 80vh; }
.diff del, .diff ins { display: inline-block; min-width: 100%; text-decoration: none; }
.diff del { background: var(--badbg); color: var(--bad); } .diff ins { color: var(--good); font-weight: 700; }
mark { background: var(--badbg); color: var(--bad); font-weight: 700; display: inline-block; min-width: 100%; }
.command { display: flex; gap: 2px 10px; align-items: baseline; margin: 4px 0; }
.command .what { color: var(--muted); min-width: 5em; }
.command code { border: 1px solid var(--line); border-radius: 5px; padding: 2px 8px; white-space: pre;
  overflow-x: auto; flex: 1 1 16em; min-width: 0; }
code { font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
button { font: inherit; font-size: .85rem; color: var(--accent); background: none; border: 1px solid var(--line);
  border-radius: 5px; cursor: pointer; padding: 1px 8px; }
.names code { display: inline-block; background: var(--panel); border: 1px solid var(--line); border-radius: 5px;
  padding: 0 7px; margin: 2px 6px 2px 0; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(330px, 100%), 1fr)); gap: 6px 34px; }
.columns h3 { margin-top: 8px; }
.bars { width: 100%; } .bars th { font-weight: 400; overflow-wrap: anywhere; }
.bars .bar { width: 45%; } .bars.wide .bar { width: 22%; }
.track { background: var(--panel); border: 1px solid var(--line); border-radius: 3px; margin-top: 5px; height: 13px; }
.fill { background: var(--fill); height: 11px; min-width: 1px; }
.heat { font-size: .85rem; }
.heat thead { position: sticky; top: 0; z-index: 2; } .heat thead th { background: var(--bg); }
.heat th[scope=row], .heat thead th:first-child[rowspan] { position: sticky; left: 0; background: var(--bg); z-index: 1; }
.heat th, .heat td { padding: 1px 6px; white-space: nowrap; }
.heat .group { text-align: center; border-left: 2px solid var(--line); }
.heat .dtype { font-weight: 400; text-align: center; padding: 1px 2px; font-size: .8rem; }
.heat td.cell { text-align: center; padding: 1px 2px; min-width: 2.5em; font-size: .78rem; border: 1px solid var(--bg); }
.heat .first { border-left: 2px solid var(--line); }
.heat tbody tr:hover th { color: var(--accent); }
.legend .cell { display: inline-block; min-width: 3.2em; text-align: center; padding: 0 4px; font-size: .85rem; }
.h0 { background: var(--panel); color: var(--muted); }
.h1 { background: var(--h1); color: var(--hlow); } .h2 { background: var(--h2); color: var(--hlow); }
.h3 { background: var(--h3); color: var(--hlow); } .h4 { background: var(--h4); color: var(--hhigh); }
.h5 { background: var(--h5); color: var(--hhigh); } .h6 { background: var(--h6); color: var(--hhigh); }
.sortable button { border: none; padding: 0; font-weight: 600; color: inherit; }
.sortable button:hover { text-decoration: underline; }
.graph { display: block; font: 12px ui-monospace, Menlo, Consolas, monospace; }
.graph text { fill: var(--text); white-space: pre; } .graph .title { font-weight: 700; }
.graph .segment { fill: var(--panel); stroke: var(--accent); stroke-width: 1.5; }
.graph .end { fill: var(--bg); stroke: var(--muted); }
.graph .edge { fill: none; stroke: var(--muted); stroke-width: 1.3; } .graph .arrow { fill: var(--muted); }
.graph .label { fill: var(--muted); paint-order: stroke; stroke: var(--bg); stroke-width: 4px; }
.graph .wrong { fill: var(--badbg); stroke: var(--bad); } .graph .wrongtext { fill: var(--bad); font-weight: 700; }
.histogram { display: block; } .histogram .bin { fill: var(--fill); } .histogram .last { fill: var(--last); }
.histogram .axis { stroke: var(--muted); }
.chart { display: grid; grid-template-columns: auto 1fr; gap: 4px 8px; }
.chart svg { width: 100%; height: 200px; display: block; overflow: visible; }
.chart path { fill: none; vector-effect: non-scaling-stroke; }
.chart .axis { grid-column: 1 / -1; color: var(--muted); font-size: .85rem; }
.chart .axis.across { text-align: center; }
.small { max-width: 420px; } .chart .histogram { width: 100%; height: 90px; }
.phase.compiling { fill: var(--compiling); } .phase.minimising { fill: var(--minimising); }
.chart .hatch { stroke: var(--minimising); stroke-opacity: .7; }
.keys { display: flex; flex-wrap: wrap; gap: 2px 20px; } .key { display: inline-flex; gap: 6px; align-items: center; }
.swatch { display: inline-block; width: 26px; height: 13px; }
.ofcompiling { background: var(--compiling); opacity: .4; }
.ofminimising { background: repeating-linear-gradient(var(--minimising) 0 1px, transparent 1px 4px); }
.offound { width: 0; border-left: 2px dashed var(--bad); }
.chart .grid { stroke: var(--line); } .chart .line { stroke: var(--fill); stroke-width: 2; }
.night .chart svg { height: 130px; } .night h3 { margin-bottom: 0; }
.nights th[scope=row] { white-space: nowrap; }
.chart .point { stroke: var(--fill); stroke-width: 8; stroke-linecap: round; }
.chart .point.other { stroke: var(--muted); } .chart .point.hole { stroke: var(--bg); stroke-width: 4; }
.chart .median { stroke: var(--text); stroke-width: 1.5; }
.chart .changed { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 6 4; }
.chart .found { stroke: var(--bad); stroke-dasharray: 3 4; }
.scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: .85rem;
  color: var(--muted); }
.across { grid-column: 2; flex-direction: row; }
@media (max-width: 620px) {
  main { padding: 12px 12px 40px; } h1 { font-size: 1.35rem; } .bucket { padding: 0 8px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 6px; } .tile { padding: 6px 8px; } .figure { font-size: 1.15rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .tile.weighty { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: baseline; } .weighty .figure { font-size: 1.6rem; }
  .command { display: grid; grid-template-columns: 1fr auto; } .command code { grid-column: 1 / -1; grid-row: 2; }
  .bucket > summary { gap: 6px; } .bucket > summary .kind { display: none; }
  .views td:nth-child(2) { min-width: 17em; }
  .heat th, .heat td { padding: 1px 4px; } .narrow { display: inline; }
}
@media print { pre, .scroll { max-height: none; overflow: visible; } pre { white-space: pre-wrap; } }
)css";
}

std::string_view pageScript() {
  return R"js(
for (const code of document.querySelectorAll('.command code')) {
  const button = document.createElement('button');
  button.textContent = 'copy';
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = 'copied'; });
  });
  code.after(button);
}
for (const link of document.querySelectorAll('nav a')) {
  link.addEventListener('click', () => {
    for (const fold of document.querySelectorAll(link.hash + ' > .fold')) fold.open = true;
  });
}
const keyOf = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
};
for (const head of document.querySelectorAll('th.sortable')) {
  const button = document.createElement('button');
  button.textContent = head.textContent;
  button.title = 'sort';
  head.replaceChildren(button);
  let descending = true;
  button.addEventListener('click', () => {
    const body = head.closest('table').tBodies[0];
    const column = head.cellIndex;
    descending = !descending;
    const sign = descending ? -1 : 1;
    const rows = Array.from(body.rows);
    rows.sort((a, b) => {
      const x = keyOf(a, column), y = keyOf(b, column);
      return sign * (typeof x === 'number' ? x - y : x.localeCompare(y));
    });
    body.replaceChildren(...rows);
  });
}
)js";
}

}  // namespace reports
