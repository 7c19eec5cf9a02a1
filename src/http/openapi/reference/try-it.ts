/**
 * The part of the reference's script that makes a call from the page: a form of its parameters and its example's
 * body, and the response below. Ids of earlier responses are filled in where a later call needs them.
 */
export const TRY_IT = `
  const main = document.getElementById("reference");
  const known = { key: main.dataset.key };
  const filled = (text) => text.replace(/\\{(\\w+)\\}/g, (all, name) => known[name] ?? all);
  const noteIds = (value) => {
    for (const [name, part] of Object.entries(value ?? {}))
      if (typeof part === "string" && /_id$/.test(name)) known[name] = part;
  };
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const open = (box) => {
    const { call, parameters, body } = box.dataset;
    const [method, path] = call.split(" ");
    const places = parameters === "" ? [] : parameters.split(",").map((one) => one.split(" "));
    const fields = places.map(([place, name]) => ({ place, name, input: make("input", { name, autocomplete: "off", spellcheck: false, required: place === "path" }) }));
    for (const { place, name, input } of fields) if (place === "path") input.value = known[name] ?? "";
    const keyInput = !("key" in box.dataset) ? null : make("input", { value: known.key, autocomplete: "off", spellcheck: false });
    const bodyInput = !body ? null : make("textarea", { value: filled(body), rows: Math.min(20, body.split("\\n").length), spellcheck: false });
    const output = make("output", {});
    const form = make("form", {},
      ...(keyInput ? [make("label", {}, "API key", keyInput)] : []),
      ...fields.map(({ place, name, input }) => make("label", {}, name + " (" + place + ")", input)),
      ...(bodyInput ? [make("label", {}, "Body", bodyInput)] : []),
      make("button", { className: "send", textContent: "Send" }), output);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const url = new URL(main.dataset.root + path.replace(/\\{(\\w+)\\}/g, (all, name) => encodeURIComponent(form.elements[name].value.trim())), location.href);
      const headers = {};
      for (const { place, name, input } of fields) {
        if (input.value === "") continue;
        if (place === "query") url.searchParams.append(name, input.value);
        if (place === "header") headers[name] = input.value;
      }
      if (keyInput && keyInput.value !== "") headers.Authorization = "Bearer " + (known.key = keyInput.value.trim());
      if (bodyInput) headers["Content-Type"] = "application/json";
      output.replaceChildren("Sending …");
      try {
        const response = await fetch(url, { method, headers, body: bodyInput?.value, cache: "no-store" });
        const text = await response.text();
        let shown = text;
        try { const value = JSON.parse(text); noteIds(value); shown = JSON.stringify(value, null, 2); } catch {}
        const hint = response.headers.get("sandbox-hint");
        output.replaceChildren(response.status + " " + response.statusText + (hint ? " · " + hint : ""), make("pre", { textContent: shown, tabIndex: 0 }));
      } catch (error) { output.replaceChildren("No response: " + error.message); }
    });
    box.append(form);
    form.querySelector("input, textarea, button").focus();
  };
  for (const box of document.querySelectorAll(".try")) {
    const button = box.firstElementChild;
    button.hidden = false;
    button.addEventListener("click", () => { button.remove(); open(box); });
  }
`;
