// Style and script of report.html. Colours hold 4.5:1 against what they stand on in both schemes; no meaning hangs on a
// hue alone.

#include "reports/page.h"

namespace reports {

std::string_view pageStyle() {
  return R"css(
:root {
  --bg: #ffffff; --panel: #f5f7f9; --text: #16202b; --muted: #556270; --line: #d5dce3; --accent: #1b5e9e;
  --bad: #a63500; --badbg: #fdeadf; --good: #00674c; --warn: #7a5600; --fill: #2f76b5; --last: #b94a00;
  --h1: #e4eff9; --h2: #bfd9f0; --h3: #8dbde6; --h4: #2f76b5; --h5: #1b5490; --h6: #0a2f5c;
  --hlow: #10202f; --hhigh: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #12171c; --panel: #1a2128; --text: #e4e9ee; --muted: #a3afbb; --line: #36414c; --accent: #7fb8e6;
    --bad: #ff9e6b; --badbg: #43230f; --good: #5fd0a8; --warn: #e8c268; --fill: #4f97d1; --last: #f08c4a;
    --h1: #16293b; --h2: #1a3e60; --h3: #1f5686; --h4: #4a93cc; --h5: #86bce8; --h6: #c8e2f8;
    --hlow: #e8f1f9; --hhigh: #08121c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 16px 20px 60px; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 16px; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 0 0 8px; padding-top: 22px; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 18px 0 6px; }
h4 { font-size: 1rem; margin: 14px 0 4px; }
p { margin: 6px 0; overflow-wrap: anywhere; }
section { margin-top: 26px; }
.kicker { color: var(--muted); margin: 0; }
.bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
.low { color: var(--bad); font-weight: 600; }
.sign { margin-right: .4em; }
.note { color: var(--muted); font-size: .92rem; }
.reason { font-weight: 600; }
a { color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 14px 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 10px; margin: 12px 0; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
.figure { font-size: 1.4rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile .note { font-size: .85rem; }
details summary { cursor: pointer; }
table { border-collapse: collapse; font-size: .92rem; }
th { text-align: left; font-weight: 600; }
th, td { padding: 3px 8px; vertical-align: top; }
td, .stamp th { overflow-wrap: anywhere; }
.scroll td, .scroll th { overflow-wrap: normal; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; }
.bucket .scroll { background: var(--bg); }
.bucket { background: var(--panel); border: 1px solid var(--line); border-left: 5px solid var(--bad);
  border-radius: 8px; padding: 10px 14px; margin: 12px 0; }
.bucket summary { line-height: 2; }
.bucket .title { font-weight: 600; }
.count { font-weight: 700; font-variant-numeric: tabular-nums; margin-right: 8px; }
span.label { background: var(--bg); border: 1px solid var(--line); border-radius: 5px; padding: 2px 8px;
  margin: 0 6px 0 0; overflow-wrap: anywhere; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.known { color: var(--muted); }
pre { background: var(--bg); border: 1px solid var(--line); border-radius: 6px; padding: 8px 10px; margin: 6px 0;
  overflow-x: auto; font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
mark { background: var(--badbg); color: var(--bad); font-weight: 700; display: inline-block; min-width: 100%; }
.command { display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline; margin: 4px 0; }
.command .what { color: var(--muted); min-width: 5em; }
.command code { background: var(--bg); border: 1px solid var(--line); border-radius: 5px; padding: 2px 8px;
  overflow-wrap: anywhere; flex: 1 1 16em; min-width: 0; }
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
.graph { display: block; background: var(--bg); font: 12px ui-monospace, Menlo, Consolas, monospace; }
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
.chart .grid { stroke: var(--line); } .chart .line { stroke: var(--fill); stroke-width: 2; }
.chart .found { stroke: var(--bad); stroke-dasharray: 3 4; }
.scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: .85rem;
  color: var(--muted); }
.across { grid-column: 2; flex-direction: row; }
@media (max-width: 620px) { main { padding: 12px 12px 40px; } h1 { font-size: 1.35rem; } .bucket { padding: 8px 10px; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; } }
@media print { details { display: block; } }
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
