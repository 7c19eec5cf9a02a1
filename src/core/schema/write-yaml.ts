import { stringify } from "yaml";

/** A value as YAML, as `explore` saves it and as pages show it. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 120, aliasDuplicateObjects: false });
}
