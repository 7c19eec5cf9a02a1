/** The reference's style sheet, inline and allowed by its hash; colours keep the contrast of WCAG AA in both schemes. */
export const STYLES = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#171a21;--soft:#545b69;--line:#dde0e6;--accent:#1c5bd0;
--code:#eef0f4;--good:#10693b;--bad:#a8221a;--sand:#fff6db;--sand-edge:#8a6100;--sand-text:#463200}
@media (prefers-color-scheme:dark){:root{--page:#101216;--card:#1a1d23;--text:#eceef2;--soft:#a8afbb;--line:#31363f;
--accent:#8db4ff;--code:#252a33;--good:#7bd8a2;--bad:#ffb0a8;--sand:#2a220d;--sand-edge:#d6a62e;--sand-text:#f6e6bd}}
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
h1,h2,h3,h4,p,ul,dl,dd,pre{margin:0}
h1{font-size:1.5rem;line-height:1.25}
h2{font-size:1.25rem;line-height:1.3}
h3{font-size:1.0625rem;line-height:1.35}
h4{font-size:.9375rem;margin-top:.25rem}
a{color:var(--accent);text-underline-offset:.15em}
ul{padding-inline-start:1.25rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
summary>h3{display:inline}
summary>.route{padding-inline-start:1.125rem}
.operation,.schema{scroll-margin-top:1rem}
.operation>details,.schema>details,.snippet,.try{min-width:0}
.operation>details>summary,.schema>details>summary{font-weight:inherit;padding:0}
.operation>details[open]>summary{margin-bottom:.75rem}
pre{white-space:pre-wrap;background:var(--code);border-radius:.5rem;padding:.75rem;font-size:.8125rem;line-height:1.45}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;inset-inline-start:-999rem}
.skip:focus{position:fixed;inset:.5rem auto auto .5rem;background:var(--card);padding:.5rem 1rem;z-index:1}
.frame{display:grid;gap:1rem;max-width:76rem;margin:0 auto;padding:1rem}
main{display:grid;gap:2rem;min-width:0}
.intro,.group,.operation,.schema{display:grid;gap:.75rem;align-content:start;min-width:0}
.operation,.schema{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem}
.route{display:flex;flex-wrap:wrap;gap:.25rem .625rem;align-items:baseline}
.method{font-weight:700;font-size:.8125rem;letter-spacing:.03em}
.get{color:var(--accent)}.post,.patch,.put{color:var(--good)}.delete{color:var(--bad)}
.place,.type,.limits{color:var(--soft);font-size:.875rem}
.required{font-size:.8125rem;font-weight:600;color:var(--bad)}
.why{color:var(--sand-text);background:var(--sand);border-inline-start:3px solid var(--sand-edge);padding:.25rem .625rem;font-size:.875rem;border-radius:0 .375rem .375rem 0;justify-self:start;max-width:100%}
.mark{font-weight:700;font-size:.75rem;letter-spacing:.03em;text-transform:uppercase}
.fields{display:grid}
.fields>div{display:grid;gap:.25rem;padding:.5rem 0;border-top:1px solid var(--line)}
.fields dt code{font-weight:600}
.fields dd{display:grid;gap:.25rem;font-size:.9375rem}
details>summary{cursor:pointer;font-weight:600;font-size:.9375rem;padding:.25rem 0}
details[open]>summary{margin-bottom:.25rem}
details>*+*{margin-top:.5rem}
.snippet{position:relative}
.snippet>pre{white-space:pre;overflow-x:auto}
body:has(#in-curl:checked) pre:is(.in-js,.in-python),body:has(#in-js:checked) pre:is(.in-curl,.in-python),body:has(#in-python:checked) pre:is(.in-curl,.in-js){display:none}
.languages{border:0;padding:0;margin:.5rem 0;display:flex;flex-wrap:wrap;gap:.125rem .75rem;font-size:.875rem}
.languages legend{color:var(--soft);padding:0}
button:not(.copy){font:inherit;font-size:.875rem;font-weight:600;min-height:2.25rem;padding:0 .875rem;color:var(--accent);background:var(--card);border:1px solid var(--soft);border-radius:.375rem;cursor:pointer}
.found{display:flex;gap:1rem;align-items:center;font-weight:600}
.try form{display:grid;gap:.5rem;border:1px solid var(--line);border-radius:.5rem;padding:.75rem}
.try label{display:grid;gap:.125rem;font-size:.875rem;color:var(--soft)}
.try :is(input,textarea){font:.875rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--text);background:var(--card);border:1px solid var(--soft);border-radius:.375rem;padding:.375rem .5rem;width:100%}
.try .send{justify-self:start}
.try output pre{font-weight:400}
.try output{display:grid;gap:.375rem;font-size:.875rem;font-weight:600}
.copy{position:absolute;inset:.375rem .375rem auto auto;font:inherit;font-size:.8125rem;font-weight:600;min-height:2rem;padding:0 .75rem;color:var(--accent);background:var(--card);border:1px solid var(--line);border-radius:.375rem;cursor:pointer}
.snippet:has(.copy:not([hidden]))>pre{padding-inline-end:5rem}
.keys{display:grid;gap:.25rem .75rem}
nav ul{list-style:none;padding:0}
nav li a{display:block;padding:.25rem 0;text-decoration:none;font-size:.9375rem}
nav [aria-current]{font-weight:600;border-inline-start:3px solid var(--accent);padding-inline-start:.5rem}
nav li a:hover{text-decoration:underline}
nav .tag{font-weight:600;margin-top:.75rem;font-size:.875rem;color:var(--soft)}
.search{display:grid;gap:.25rem;font-size:.875rem;color:var(--soft)}
.search input{font:inherit;font-size:1rem;color:var(--text);background:var(--card);border:1px solid var(--soft);border-radius:.5rem;padding:.375rem .625rem;width:100%}
[hidden]{display:none!important}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:60rem){
.frame{grid-template-columns:16rem minmax(0,1fr);gap:2.5rem;padding:2rem 1.5rem;align-items:start}
nav{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow-y:auto;padding:.25rem .5rem .25rem .375rem}
.fields>div{grid-template-columns:minmax(0,15rem) minmax(0,1fr);gap:1rem}
.operation,.schema{padding:.875rem 1.25rem}}
@media print{nav,.copy,.try{display:none}.frame{display:block}.operation,.schema{break-inside:avoid;border:0;padding:1rem 0}}
`;
