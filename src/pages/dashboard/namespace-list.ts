import { html, type Markup } from "../html.js";
import * as ui from "./components.js";
import { dashboardPath, linkTo, type PageContext } from "./page-context.js";
import { LONGEST_PAGE } from "./rows.js";

/** The namespaces, also on the page of one that does not exist. */
export async function namespacesSection(context: PageContext): Promise<Markup> {
  const { total, items } = await context.ask("listNamespaces", { limit: LONGEST_PAGE });
  return ui.section({
    id: "namespaces",
    title: `Namespaces: ${total}`,
    body: html`${ui.rowList(
      "Namespaces",
      items.map(({ name, charges, api_key }) =>
        ui.listRow(context, {
          key: name,
          status: name === context.namespace && ui.badge("current", "good"),
          title: name,
          to: linkTo(context, dashboardPath(name)),
          subtitle: html`${ui.formatCount(charges, "charge")} · key <code>${api_key}</code>`,
        }),
      ),
      "None.",
    )}${nameForm(context, "my-branch", ["createNamespace"], "Create a namespace")}`,
  });
}

/** A form that makes something with a name. */
export function nameForm(context: PageContext, hint: string, does: ui.Press, label: string): Markup {
  const name = ui.input({ name: "name", label: "Name", hint, required: true });
  return ui.actionForm(context, html`${name}${ui.submitButton({ does, label })}`, label);
}
