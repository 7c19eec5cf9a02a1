/** The reference's style sheet. Colours meet WCAG AA contrast in both schemes. */
export const REFERENCE_STYLES = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#171a21;--soft:#545b69;--line:#dde0e6;--accent:#1c5bd0;
--code:#eef0f4;--good:#10693b;--bad:#a8221a;--sand:#fff6db;--sand-edge:#8a6100;--sand-text:#463200}
@media (prefers-color-scheme:dark){:root{--page:#101216;--card:#1a1d23;--text:#eceef2;--soft:#a8afbb;--line:#31363f;
--accent:#8db4ff;--code:#252a33;--good:#7bd8a2;--bad:#ffb0a8;--sand:#2a220d;--sand-edge:#d6a62e;--sand-text:#f6e6bd}}
*,::before,::after{box-sizing:border-box}html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1,h2,h3,h4,p,ul,dl,dd,pre{margin:0}h1{font-size:1.5rem}h2{font-size:1.25rem}h3{font-size:1.0625rem;display:inline}h4{font-size:.9375rem;margin-top:1rem}
a{color:var(--accent)}ul{padding-inline-start:1.25rem}code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
pre{white-space:pre-wrap;background:var(--code);border-radius:.5rem;padding:.5rem .75rem;font-size:.8125rem;line-height:1.45}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip:not(:focus),.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.frame{display:grid;gap:1rem;max-width:76rem;margin:0 auto;padding:1rem}main{display:grid;gap:2rem;min-width:0}.intro,.group{display:grid;gap:.75rem;align-content:start;min-width:0}section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;min-width:0}
summary{cursor:pointer;padding:.25rem 0}section p+p,.snippet,.fields,details[open]>summary~p{margin-top:.5rem}
.route{display:flex;flex-wrap:wrap;gap:.25rem .625rem;align-items:baseline;padding-inline-start:1.125rem}.method,.required,.mark,.tag,.found{font-weight:700}.get{color:var(--accent)}.post,.patch,.put{color:var(--good)}.delete,.required{color:var(--bad)}
.soft,.type,.keys dt,.tag,.search{color:var(--soft)}.soft,.type,.required,.tag,.search,.method,.why{font-size:.875rem}
.why{color:var(--sand-text);background:var(--sand);border-inline-start:3px solid var(--sand-edge);padding:.25rem .625rem;width:fit-content}.mark{font-size:.75rem;text-transform:uppercase}.keys{display:grid;gap:.25rem .75rem}.found{display:flex;gap:1rem;align-items:center}
.fields>div{display:grid;gap:.25rem;padding:.5rem 0;border-top:1px solid var(--line)}.fields dd{display:grid;gap:.25rem;font-size:.9375rem}.fields p{margin:0}
.snippet{position:relative}.snippet>pre{white-space:pre;overflow-x:auto;padding-inline-end:5rem}.copy{position:absolute;inset:.375rem .375rem auto auto}
button,input{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--soft);border-radius:.375rem;min-height:2rem;padding:0 .625rem}
nav ul{list-style:none;padding:0}nav li a{display:block;padding:.25rem 0;font-size:.9375rem}nav li a:not(:hover){text-decoration:none}
.search{display:grid;gap:.25rem;margin-bottom:.5rem}.tag{margin-top:.75rem}[hidden]{display:none!important}@media (min-width:60rem){.frame{grid-template-columns:16rem minmax(0,1fr);gap:2.5rem;padding:2rem 1.5rem;align-items:start}
nav{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow-y:auto;padding:.25rem .5rem}.fields>div{grid-template-columns:minmax(0,15rem) minmax(0,1fr);gap:1rem}}
`;

/** Unfolds link targets, copies commands and filters sections. The page is complete without it. */
export const REFERENCE_SCRIPT = `
addEventListener("DOMContentLoaded", () => {
  const byId = (id) => document.getElementById(id);
  const wide = matchMedia("(min-width: 60rem)");
  const contents = document.querySelector("nav > details");
  const search = byId("search"), found = byId("found"), rest = byId("rest"), unfold = byId("unfold"), status = byId("status");
  const sections = [...document.querySelectorAll("main section")];
  search.parentElement.hidden = unfold.hidden = false;
  contents.open = wide.matches;

  const reveal = () => {
    const target = byId(location.hash.slice(1)), section = target?.closest("section");
    if (section) section.firstElementChild.open = true;
    target?.scrollIntoView();
  };
  reveal();
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && contents.contains(link) && !wide.matches) contents.open = false;
    // A link to the current hash fires no hashchange.
    if (link?.hash && link.hash === location.hash) reveal();
  });
  unfold.addEventListener("click", () => {
    const isOpen = unfold.textContent === "Expand all";
    for (const section of sections) section.firstElementChild.open = isOpen;
    unfold.textContent = isOpen ? "Collapse all" : "Expand all";
  });
  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = button.previousElementSibling;
      try { await navigator.clipboard.writeText(source.textContent); } catch {
        getSelection().selectAllChildren(source);
        if (!document.execCommand("copy")) return;
      }
      status.textContent = button.textContent = "Copied";
      setTimeout(() => { status.textContent = ""; button.textContent = "Copy"; }, 2000);
    });
  }

  // Prefers sections with all search words in the heading. A button adds sections that have the words elsewhere.
  const textOf = (section, parts) => [...section.querySelectorAll(parts)].map((part) => part.textContent).join(" ").toLowerCase();
  const entries = sections.map((section) => {
    const name = textOf(section, "summary"), all = name + " " + textOf(section, "dt code, details > p, h4");
    return { section, name, all, link: document.querySelector('nav a[href="#' + section.id + '"]').parentElement };
  });
  const filter = (withRest) => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean), isFiltered = words.length > 0;
    const matching = (part) => entries.filter((entry) => words.every((word) => entry[part].includes(word)));
    const named = matching("name"), mentioned = matching("all");
    const chosen = new Set(withRest || named.length === 0 ? mentioned : named), left = mentioned.length - chosen.size;
    for (const entry of entries) entry.section.hidden = entry.link.hidden = !chosen.has(entry);
    for (const group of document.querySelectorAll(".group, nav details > div"))
      group.hidden = isFiltered && !group.querySelector(":scope > section:not([hidden]), :scope > ul > li:not([hidden])");
    document.querySelector(".intro").hidden = isFiltered;
    found.parentElement.hidden = !isFiltered;
    found.textContent = chosen.size === 0 ? "Nothing found" : chosen.size + " found" + (left > 0 ? "; " + left + " more mention it" : "");
    rest.hidden = left === 0;
  };
  search.addEventListener("input", () => { filter(false); scrollTo(0, 0); });
  rest.addEventListener("click", () => filter(true));
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    contents.open = true;
    search.focus();
  });
});
`;
