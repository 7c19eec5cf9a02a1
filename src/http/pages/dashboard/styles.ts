/** The dashboard's style sheet, inline and allowed by its hash; colours keep WCAG AA in both schemes. */
export const STYLES = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#171a21;--soft:#545b69;--line:#dde0e6;--accent:#1c5bd0;--good:#10693b;--bad:#a8221a}
@media (prefers-color-scheme:dark){:root{--page:#101216;--card:#1a1d23;--text:#eceef2;--soft:#a8afbb;--line:#31363f;--accent:#8db4ff;--good:#7bd8a2;--bad:#ffb0a8}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:76rem;margin:0 auto;padding:1.25rem 1rem 3rem;display:grid;gap:1rem}
h1{font-size:1.25rem;margin:0}h2{font-size:1rem;margin:0 0 .5rem}
p{margin:0}a{color:var(--accent)}
code,td.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
.soft{color:var(--soft)}
section{background:var(--card);border:1px solid var(--line);border-radius:.625rem;padding:1rem;min-width:0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:.5rem 1.5rem;margin:0}
.facts dt{color:var(--soft);font-size:.8125rem}.facts dd{margin:0;overflow-wrap:anywhere}
.tools{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-top:.75rem}
form{display:inline-block;margin:0 .375rem 0 0}.tools form{margin:0}
button{font:inherit;font-size:.875rem;min-height:2.25rem;padding:.25rem .75rem;border:1px solid var(--line);border-radius:.375rem;background:var(--page);color:var(--text);cursor:pointer}
button:hover{border-color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:1px}
.title{display:flex;gap:.75rem;align-items:center;min-height:2.25rem;margin-bottom:.5rem}.title h2{margin:0}
.title button{min-height:2rem;border-color:var(--accent);color:var(--accent)}
summary{cursor:pointer;width:max-content}details p{margin-top:.75rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{text-align:start;color:var(--soft);font-size:.8125rem;font-weight:500}
th,td{padding:.375rem .75rem .375rem 0;border-top:1px solid var(--line);white-space:nowrap;vertical-align:baseline;max-width:24rem;overflow:hidden;text-overflow:ellipsis}
thead th{border-top:0}
td.wrap{white-space:normal;min-width:12rem}
.good{color:var(--good)}.bad{color:var(--bad)}
.notice{color:var(--bad);font-weight:500}
`;
